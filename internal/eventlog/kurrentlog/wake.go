package kurrentlog

import (
	"context"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// broadcast tells listeners that the log may have grown. It watches only while somebody listens.
type broadcast struct {
	watch func(ctx context.Context, tell func())

	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
	closed    bool
	stop      context.CancelFunc // ends the watching, nil if nobody watches
	watching  sync.WaitGroup
}

func newBroadcast(watch func(ctx context.Context, tell func())) *broadcast {
	return &broadcast{watch: watch, listeners: make(map[chan struct{}]struct{})}
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
		b.watching.Go(func() { b.watch(ctx, b.tell) })
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

func (b *broadcast) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for hint := range b.listeners {
		select {
		case hint <- struct{}{}:
		default: // the hint before is still there
		}
	}
}

// close gives a last hint, so that those who wait look and learn that the log is closed.
func (b *broadcast) close() {
	b.mu.Lock()
	b.closed = true
	if b.stop != nil {
		b.stop()
		b.stop = nil
	}
	b.mu.Unlock()
	b.tell()
	b.watching.Wait()
}

// watch tells when events come, and when some may have come unseen: whenever it begins to look again.
func (l *Log) watch(ctx context.Context, tell func()) {
	var waiting delay
	for ctx.Err() == nil {
		err := l.follow(ctx, fromEnd(), eventlog.Everything, func(told) bool {
			waiting = delay{}
			tell()
			return true
		})
		if ctx.Err() != nil {
			return
		}
		if !temporary(err) {
			// Who reads the log will meet the same error; until then they are not to wait in vain.
			l.logger.Warn("kurrentlog: the server does not tell of new events", "error", err)
			tell()
		}
		if l.mend(ctx, err, &waiting) != nil {
			return
		}
	}
}
