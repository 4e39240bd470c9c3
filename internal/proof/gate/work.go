package gate

import (
	"context"
	"sync/atomic"
	"time"
)

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
