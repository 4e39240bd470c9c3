package sqlitelog

import (
	"context"
	"sync"
	"time"
)

// broadcast tells listeners that the log may have grown. Appends of this process tell it at once. For
// those of other processes the file is looked at from time to time, and only while somebody listens.
type broadcast struct {
	interval time.Duration
	head     func(context.Context) (int64, error)

	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
	known     int64 // the highest position that was told
	closed    bool
	stop      context.CancelFunc // ends the watching, nil if nobody watches
	watching  sync.WaitGroup
}

func newBroadcast(interval time.Duration, head func(context.Context) (int64, error)) *broadcast {
	return &broadcast{interval: interval, head: head, listeners: make(map[chan struct{}]struct{})}
}

func (b *broadcast) listen() (<-chan struct{}, func()) {
	hint := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		hint <- struct{}{} // whoever looks now learns that the log is closed
		return hint, func() {}
	}
	b.listeners[hint] = struct{}{}
	if b.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		b.stop = cancel
		b.watching.Go(func() { b.watch(ctx) })
	}
	return hint, func() { b.release(hint) }
}

func (b *broadcast) release(hint chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.listeners, hint)
	if len(b.listeners) == 0 && b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// appended tells everybody, unless they know.
func (b *broadcast) appended(head int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if head <= b.known {
		return
	}
	b.known = head
	b.tell()
}

func (b *broadcast) tell() {
	for hint := range b.listeners {
		select {
		case hint <- struct{}{}:
		default: // the hint before is still there
		}
	}
}

func (b *broadcast) watch(ctx context.Context) {
	ticker := time.NewTicker(b.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			// An error is no news here: who reads the log will meet it.
			if head, err := b.head(ctx); err == nil {
				b.appended(head)
			}
		}
	}
}

// close gives a last hint, so that those who wait look and learn that the log is closed.
func (b *broadcast) close() {
	b.mu.Lock()
	b.closed = true
	b.tell()
	if b.stop != nil {
		b.stop()
		b.stop = nil
	}
	b.mu.Unlock()
	b.watching.Wait()
}
