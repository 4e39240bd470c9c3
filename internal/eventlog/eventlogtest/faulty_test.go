package eventlogtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

type (
	records    = iter.Seq2[eventlog.Record, error]
	deliveries = iter.Seq2[eventlog.Delivery, error]
)

// faulty is a sound log with one promise broken: each function that is set takes the place of what it is called after.
type faulty struct {
	eventlog.Log
	t    testing.TB
	path string

	append       func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error)
	inOrder      func(ctx context.Context, batches []eventlog.Batch) error
	pair         func(ctx context.Context, first, second eventlog.Batch) ([]eventlog.Appended, error)
	name         func(stream string) string
	read         func(ctx context.Context, read records) records // Stream and All
	all          func(ctx context.Context, after eventlog.Position, filter eventlog.Filter) records
	readBackward func(ctx context.Context, read records) records
	from         func(int64) int64
	fromBackward func(int64) int64
	after        func(eventlog.Position) eventlog.Position
	before       func(eventlog.Position) eventlog.Position
	passes       func(eventlog.Filter, eventlog.Record) bool
	listed       func(eventlog.StreamEnd) (as eventlog.StreamEnd, is bool)
	head         func(eventlog.Position) eventlog.Position
	wake         func() (<-chan struct{}, func())
	close        func() error
	subscribe    func(ctx context.Context, after eventlog.Position, filter eventlog.Filter) deliveries
	deliver      func(ctx context.Context, subscription deliveries) deliveries
}

// Streams implements [eventlog.Lister].
func (f *faulty) Streams(ctx context.Context, prefix string) iter.Seq2[eventlog.StreamEnd, error] {
	return func(yield func(eventlog.StreamEnd, error) bool) {
		for end, err := range f.Log.(eventlog.Lister).Streams(ctx, prefix) {
			is := true
			if f.listed != nil && err == nil {
				end, is = f.listed(end)
			}
			if is && !yield(end, err) {
				return
			}
		}
	}
}

func (f *faulty) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if f.append != nil {
		return f.append(ctx, f.named(stream), expected, events)
	}
	return f.Log.Append(ctx, f.named(stream), expected, events)
}

func (f *faulty) AppendInOrder(ctx context.Context, batches []eventlog.Batch) error {
	if f.inOrder != nil {
		return f.inOrder(ctx, batches)
	}
	return eventlog.AppendInOrder(ctx, f.Log, batches)
}

func (f *faulty) AppendPair(ctx context.Context, first, second eventlog.Batch) ([]eventlog.Appended, error) {
	if f.pair != nil {
		return f.pair(ctx, first, second)
	}
	return eventlog.AppendPair(ctx, f.Log, first, second)
}

func (f *faulty) Stream(ctx context.Context, stream string, from int64) records {
	if f.from != nil {
		from = f.from(from)
	}
	return changed(ctx, f.Log.Stream(ctx, f.named(stream), from), f.read)
}

func (f *faulty) StreamBackward(ctx context.Context, stream string, from int64) records {
	if f.fromBackward != nil {
		from = f.fromBackward(from)
	}
	return changed(ctx, f.Log.StreamBackward(ctx, f.named(stream), from), f.readBackward)
}

func (f *faulty) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) records {
	if f.after != nil {
		after = f.after(after)
	}
	if f.all != nil {
		return f.all(ctx, after, filter)
	}
	if f.passes != nil {
		return changed(ctx, f.selected(f.Log.All(ctx, after, eventlog.Everything), filter), f.read)
	}
	return changed(ctx, f.Log.All(ctx, after, filter), f.read)
}

func (f *faulty) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) records {
	if f.before != nil {
		before = f.before(before)
	}
	if f.passes != nil {
		return changed(ctx, f.selected(f.Log.AllBackward(ctx, before, eventlog.Everything), filter), f.readBackward)
	}
	return changed(ctx, f.Log.AllBackward(ctx, before, filter), f.readBackward)
}

func (f *faulty) Subscribe(ctx context.Context, after eventlog.Position, filter eventlog.Filter) deliveries {
	subscription := eventlog.Follow(ctx, f, after, filter)
	if f.subscribe != nil {
		subscription = f.subscribe(ctx, after, filter)
	}
	if f.deliver != nil {
		subscription = f.deliver(ctx, subscription)
	}
	return subscription
}

func (f *faulty) Head(ctx context.Context) (eventlog.Position, error) {
	head, err := f.Log.Head(ctx)
	if f.head != nil {
		head = f.head(head)
	}
	return head, err
}

func (f *faulty) Wake() (<-chan struct{}, func()) {
	if f.wake != nil {
		return f.wake()
	}
	return f.Log.Wake()
}

func (f *faulty) Close() error {
	if f.close != nil {
		return f.close()
	}
	return f.Log.Close()
}

func (f *faulty) named(stream string) string {
	if f.name != nil {
		return f.name(stream)
	}
	return stream
}

func (f *faulty) selected(read records, filter eventlog.Filter) records {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range read {
			if (err != nil || f.passes(filter, record)) && !yield(record, err) {
				return
			}
		}
	}
}

func changed(ctx context.Context, read records, change func(context.Context, records) records) records {
	if change == nil {
		return read
	}
	return change(ctx, read)
}

// each changes the records of a read one by one.
func each(change func(eventlog.Record) eventlog.Record) func(context.Context, records) records {
	return func(_ context.Context, read records) records {
		return func(yield func(eventlog.Record, error) bool) {
			for record, err := range read {
				if !yield(change(record), err) {
					return
				}
			}
		}
	}
}

// rearranged changes all records of a read at once.
func rearranged(change func([]eventlog.Record) []eventlog.Record) func(context.Context, records) records {
	return func(_ context.Context, read records) records {
		return func(yield func(eventlog.Record, error) bool) {
			var all []eventlog.Record
			for record, err := range read {
				if err != nil {
					yield(record, err)
					return
				}
				all = append(all, record)
			}
			for _, record := range change(all) {
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// silent ends where a sound log would say why.
func silent[T any](_ context.Context, read iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range read {
			if err != nil || !yield(item, nil) {
				return
			}
		}
	}
}

// keeping keeps one of 20 places for ever when its loop is broken out of.
func keeping[T any]() func(context.Context, iter.Seq2[T, error]) iter.Seq2[T, error] {
	places := make(chan struct{}, 20)
	return func(_ context.Context, read iter.Seq2[T, error]) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			select {
			case places <- struct{}{}:
			default:
				var none T
				yield(none, errors.New("no reader is free"))
				return
			}
			for item, err := range read {
				if !yield(item, err) {
					return
				}
			}
			<-places
		}
	}
}

// fault is one way to break a log.
type fault struct {
	name   string
	plant  func(f *faulty)
	caught []string // the cases that must fail
}

func openFaulty(t testing.TB, path string, plant func(f *faulty)) eventlog.Log {
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{WatchInterval: 10 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	f := &faulty{Log: log, t: t, path: path}
	plant(f)
	return f
}

func abilitiesOf(plant func(f *faulty)) Abilities {
	again := func(t testing.TB, log eventlog.Log) eventlog.Log { return openFaulty(t, log.(*faulty).path, plant) }
	return Abilities{Reopen: again, Second: again}
}

// TestSuiteFindsFaults is the negative control: a suite that a broken log passes is worth nothing.
func TestSuiteFindsFaults(t *testing.T) {
	t.Parallel()
	covered := make(map[string]bool)
	for _, fault := range faults() {
		byName := make(map[string]testCase)
		for _, c := range cases(abilitiesOf(fault.plant)) {
			byName[c.name] = c
		}
		for _, name := range fault.caught {
			c, ok := byName[name]
			require.Truef(t, ok, "there is no case %q", name)
			covered[name] = true
			t.Run(fault.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "events.db")
				require.True(t, fails(t, func(t testing.TB) { c.check(t, openFaulty(t, path, fault.plant)) }), "the case does not find it")
			})
		}
	}
	for _, c := range cases(abilitiesOf(nil)) {
		require.Truef(t, covered[c.name], "no fault shows that %q can fail", c.name)
	}
}

// TestSuitePassesSoundLog: what the faults are planted in is sound.
func TestSuitePassesSoundLog(t *testing.T) {
	t.Parallel()
	sound := func(*faulty) {}
	Run(t, abilitiesOf(sound), func(t testing.TB) eventlog.Log {
		return openFaulty(t, filepath.Join(t.TempDir(), "events.db"), sound)
	})
}

func faults() []fault {
	var all []fault
	all = append(all, appendFaults...)
	all = append(all, orderedFaults...)
	all = append(all, readFaults...)
	all = append(all, filterFaults...)
	return append(all, subscribeFaults...)
}

// recorder takes the failures of a case.
type recorder struct {
	testing.TB
	failed atomic.Bool // cases report from many goroutines
}

// Patience is short: what is waited for does not come.
func (r *recorder) Patience() time.Duration { return 250 * time.Millisecond }

func (r *recorder) Errorf(format string, args ...any) {
	r.failed.Store(true)
	r.Logf("found: %s", fmt.Sprintf(format, args...))
}

func (r *recorder) FailNow() {
	r.failed.Store(true)
	runtime.Goexit()
}

// fails reports whether a check fails.
func fails(t testing.TB, check func(t testing.TB)) bool {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // FailNow ends the goroutine
		defer close(done)
		check(r)
	}()
	<-done
	return r.failed.Load()
}
