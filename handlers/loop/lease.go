package loop

import (
	"context"
	"sync"
	"time"
)

// DefaultLease is how long a run may be without a sign of life before another node takes it over.
const DefaultLease = time.Minute

// HandOver is how long a node that ends tries to leave a run in order.
const HandOver = 2 * time.Second

// Keep gives signs of life, several in a lease, until stop is called. If one cannot be given the lease is lost: another node may be at the work, so
// the context ends, with that cause.
func Keep(ctx context.Context, lease time.Duration, sign func(context.Context) error) (kept context.Context, stop func()) {
	kept, lost := context.WithCancelCause(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		beat := time.NewTicker(lease / 3)
		defer beat.Stop()
		for {
			select {
			case <-kept.Done():
				return
			case <-beat.C:
			}
			if err := sign(kept); err != nil {
				lost(err)
				return
			}
		}
	})
	return kept, func() {
		lost(nil)
		beating.Wait()
	}
}
