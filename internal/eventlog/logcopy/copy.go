package logcopy

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Stage is a part of the work.
type Stage string

// The stages, in this order.
const (
	Checking  Stage = "checking"  // the source is read, and the target compared with its beginning
	Copying   Stage = "copying"   // what is missing is appended to the target
	Verifying Stage = "verifying" // the whole target is read back and compared with the source
)

// Options of [Copy].
type Options struct {
	// Chained says which streams have hash chains (package hashchain), to be verified; nil for none.
	// Payloads may have been erased under them.
	Chained func(stream string) bool
	// Progress is told how many events of a stage are done. The total is -1 where it is not known.
	Progress func(stage Stage, done, total int64)
}

func (o *Options) setDefaults() {
	if o.Chained == nil {
		o.Chained = func(string) bool { return false }
	}
	if o.Progress == nil {
		o.Progress = func(Stage, int64, int64) {}
	}
}

// Result is what a copying came to.
type Result struct {
	Events  int64 // in the target now, all of them compared
	Present int64 // of these were there before
	Copied  int64 // of these were appended now
	Streams int   // that the events are of
	Chained int   // of these have a hash chain, which was verified
	// From and To name the last event of the copy, in the source and in the target.
	From, To eventlog.Checkpoint
	// Grown says that more was appended to the source after the copying began: copy again.
	Grown bool
}

// Copy brings a log up to what another one had at the start of the call. The target must be
// empty or hold the beginning of the source and nothing else, or it is refused with a
// [*DifferenceError] before anything is written; nobody else may append to it meanwhile, or the
// result is refused. A source with a broken chain, or one that has lost events (a server can be
// told to drop old ones), is refused with a [*chain.BrokenError], before anything is written. After any other error, that of ctx included, copy again: it goes on where the
// target ends.
func Copy(ctx context.Context, from, to eventlog.Log, options Options) (Result, error) {
	options.setDefaults()
	head, err := from.Head(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("logcopy: head of the source: %w", err)
	}
	before, err := compare(ctx, from, to, head, options, Checking, -1)
	if err != nil {
		return Result{}, err
	}
	if before.extra != nil {
		return Result{}, &DifferenceError{Event: before.common + 1, Target: before.extra}
	}
	if err := transfer(ctx, from, to, before, head, options); err != nil {
		return Result{}, err
	}
	after, err := compare(ctx, from, to, head, options, Verifying, before.source)
	if err != nil {
		return Result{}, fmt.Errorf("logcopy: the copy is not one, somebody else may have written to the target: %w", err)
	}
	if after.extra != nil || after.common != before.source {
		return Result{}, fmt.Errorf("logcopy: the copy is not one, somebody else may have written to the target: %w",
			&DifferenceError{Event: after.common + 1, Target: after.extra})
	}
	now, err := from.Head(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("logcopy: head of the source: %w", err)
	}
	return Result{
		Events: after.common, Present: before.common, Copied: after.common - before.common,
		Streams: after.streams, Chained: after.chained, From: after.from, To: after.to, Grown: now > head,
	}, nil
}

// transfer appends what comes after the common beginning.
func transfer(ctx context.Context, from, to eventlog.Log, before comparison, head eventlog.Position, options Options) error {
	done, total := before.common, before.source
	if done == total {
		return nil
	}
	options.Progress(Copying, done, total)
	missing := func(yield func(eventlog.Record, error) bool) {
		for record, err := range from.All(ctx, before.from.Position, eventlog.Everything) {
			if err != nil {
				err = fmt.Errorf("logcopy: read the source: %w", err)
			}
			if err == nil && record.Position > head || !yield(record, err) {
				return
			}
		}
	}
	return Append(ctx, to, missing, func(n int) {
		done += int64(n)
		options.Progress(Copying, done, total)
	})
}
