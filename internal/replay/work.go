package replay

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// What is looked at is bounded by work that is counted, never by time: a loaded machine comes to the
// same certificate as an idle one.

type workKey struct{}

// errSpent says that there is more to look at than may be.
var errSpent = errors.New("replay: the work is spent")

// withWork allows so much work to what is done under a context.
func withWork(ctx context.Context, most int64) context.Context {
	left := &atomic.Int64{}
	left.Store(most)
	return context.WithValue(ctx, workKey{}, left)
}

// spend takes an execution's cost; false if nothing is left of what was allowed.
func spend(ctx context.Context, run *Run) bool {
	left, bounded := ctx.Value(workKey{}).(*atomic.Int64)
	return !bounded || left.Add(-cost(run)) >= 0
}

// cost is the work of making a run again: one, and one for each 64 KiB that it was given.
func cost(run *Run) int64 {
	size := len(run.Input)
	for i := range run.Calls {
		size += len(run.Calls[i].Result)
	}
	return 1 + int64(size>>16)
}

type meterKey struct{}

// meter is the processor time that is left to what is done under a context.
type meter struct {
	left atomic.Int64
	over context.CancelFunc
}

// withProcessor gives a context that ends when what is executed under it has used so much processor time.
func withProcessor(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	limited, over := context.WithCancel(ctx)
	m := &meter{over: over}
	m.left.Store(int64(most))
	return context.WithValue(limited, meterKey{}, m), over
}

// used takes what an execution used.
func used(ctx context.Context, processor time.Duration) {
	if m, metered := ctx.Value(meterKey{}).(*meter); metered && m.left.Add(-int64(processor)) < 0 {
		m.over()
	}
}
