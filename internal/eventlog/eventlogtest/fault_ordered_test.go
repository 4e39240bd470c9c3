package eventlogtest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var orderedFaults = []fault{
	{
		"sorts appends in order by their streams",
		func(f *faulty) {
			f.inOrder = func(ctx context.Context, batches []eventlog.Batch) error {
				sorted := slices.SortedStableFunc(slices.Values(batches), func(a, b eventlog.Batch) int { return cmp.Compare(a.Stream, b.Stream) })
				return eventlog.AppendInOrder(ctx, f.Log, sorted)
			}
		},
		[]string{"appends in order are in the log in this order", "appends in order stay so among others"},
	},
	{
		"makes appends in order at the same time",
		func(f *faulty) {
			f.inOrder = func(ctx context.Context, batches []eventlog.Batch) error {
				failures := make([]error, len(batches))
				var group sync.WaitGroup
				for i, b := range slices.Backward(batches) {
					group.Go(func() { _, failures[i] = f.Log.Append(ctx, b.Stream, b.Expected, b.Events) })
				}
				group.Wait()
				return errors.Join(failures...)
			}
		},
		[]string{"appends in order are in the log in this order", "appends in order are refused before they are stored"},
	},
	{
		"goes on after a refusal",
		func(f *faulty) {
			f.inOrder = func(ctx context.Context, batches []eventlog.Batch) error {
				var refused error
				for _, b := range batches {
					_, err := f.Log.Append(ctx, b.Stream, b.Expected, b.Events)
					refused = cmp.Or(refused, err)
				}
				return refused
			}
		},
		[]string{"appends in order end at the first that is refused", "appends in order are refused before they are stored"},
	},
	{
		"looks at each append when its turn comes",
		func(f *faulty) {
			f.inOrder = func(ctx context.Context, batches []eventlog.Batch) error {
				return eventlog.AppendEach(ctx, f.Log, batches)
			}
		},
		[]string{"appends in order are refused before they are stored"},
	},
	{
		"drops appends in order with one that is refused",
		func(f *faulty) {
			f.inOrder = func(ctx context.Context, batches []eventlog.Batch) error {
				for _, b := range batches {
					for record := range f.Log.StreamBackward(ctx, b.Stream, eventlog.Newest) {
						if record.Revision != b.Expected.Revision() {
							return &eventlog.ConflictError{Stream: b.Stream, Expected: b.Expected.Revision(), Actual: record.Revision}
						}
						break
					}
				}
				return eventlog.AppendInOrder(ctx, f.Log, batches)
			}
		},
		[]string{"appends in order end at the first that is refused", "repeated appends in order add what is missing"},
	},
	{
		"has a smaller limit for appends in order",
		func(f *faulty) {
			f.inOrder = func(ctx context.Context, batches []eventlog.Batch) error {
				if len(batches) > 50 {
					return &eventlog.InvalidError{Stream: batches[50].Stream, Reason: "they are too many for me"}
				}
				return eventlog.AppendInOrder(ctx, f.Log, batches)
			}
		},
		[]string{"appends in order may have 1 MiB together"},
	},
	{
		"makes appends in order whatever their context says",
		func(f *faulty) {
			f.inOrder = func(ctx context.Context, batches []eventlog.Batch) error {
				return eventlog.AppendInOrder(context.WithoutCancel(ctx), f.Log, batches)
			}
		},
		[]string{"appends in order end with their context and with the log"},
	},
	{
		"makes the second append of a pair first",
		func(f *faulty) {
			f.pair = func(ctx context.Context, first, second eventlog.Batch) ([]eventlog.Appended, error) {
				done, err := eventlog.AppendOneByOne(ctx, f.Log, second, first)
				slices.Reverse(done)
				return done, err
			}
		},
		[]string{"two appends of a pair are there, and repeated, as one", "the second of a pair is behind its first, among others"},
	},
	{
		"makes the second append of a pair whatever became of the first",
		func(f *faulty) {
			f.pair = func(ctx context.Context, first, second eventlog.Batch) ([]eventlog.Appended, error) {
				done, err := eventlog.AppendOneByOne(ctx, f.Log, first)
				more, also := eventlog.AppendOneByOne(ctx, f.Log, second)
				return append(done, more...), cmp.Or(err, also)
			}
		},
		[]string{"a pair ends at the first that is refused"},
	},
}
