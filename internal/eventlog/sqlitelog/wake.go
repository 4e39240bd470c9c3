package sqlitelog

import (
	"context"
	"sync"
	"time"
)

const (
	// rest is the least time between two looks because of the bell: it is rung for our own appends, too, and
	// thousands of times a second.
	rest = 2 * time.Millisecond
	// seldom is how many times longer nobody looks without being told, once the bell was heard.
	seldom = 10
)

// broadcast tells listeners that the log may have grown. Appends of this process tell it at once. Those of
// other processes ring the bell; besides, the log is looked at from time to time. Both only while somebody listens.
type broadcast struct {
	interval time.Duration
	bell     *bell
	head     func(context.Context) (int64, error)

	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
	known     int64 // the highest position that was told
	closed    bool
	stop      context.CancelFunc // ends the watching, nil if nobody watches
	watching  sync.WaitGroup
}

func newBroadcast(interval time.Duration, bell *bell, head func(context.Context) (int64, error)) *broadcast {
	return &broadcast{interval: interval, bell: bell, head: head, listeners: make(map[chan struct{}]struct{})}
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

// appended tells everybody, unless they know, and says whether it was news.
func (b *broadcast) appended(head int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if head <= b.known {
		return false
	}
	b.known = head
	b.tell()
	return true
}

// heard says whether somebody listens.
func (b *broadcast) heard() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.listeners) > 0
}

// look tells everybody if the log has grown, and says whether it has.
func (b *broadcast) look(ctx context.Context) bool {
	// An error is no news here: who reads the log will meet it.
	head, err := b.head(ctx)
	return err == nil && b.appended(head)
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
	b.bell.hang()
	ear := b.bell.hear()
	defer func() { ear.stop() }()
	b.bell.ring() // to know whether it is heard here
	b.look(ctx)   // for what was appended before it was
	pause := b.interval
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ear.rung:
		case <-ear.trouble: //nolint:errcheck // that what is told was too much, say: then it is time to look
		case <-timer.C:
			if b.look(ctx) {
				pause = b.interval // nobody rang: there are processes that do not, or are not heard
			}
			if b.bell.hang() { // the file was taken away
				ear.stop()
				ear, pause = b.bell.hear(), b.interval
			}
			timer.Reset(pause)
			continue
		}
		b.look(ctx)
		pause = seldom * b.interval
		select {
		case <-ctx.Done():
			return
		case <-time.After(rest):
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
