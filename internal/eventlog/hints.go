package eventlog

import (
	"context"
	"sync"
)

// Hints tells listeners that a log may have grown, for [Log.Wake]. It watches only while somebody listens.
type Hints struct {
	watch func(ctx context.Context)

	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
	closed    bool
	stop      context.CancelFunc // ends the watching, nil if nobody watches
	watching  sync.WaitGroup
}

// NewHints returns hints for a log, which are told by [Hints.Tell]: by who appends, and by watch, which looks for what others
// append until its context ends.
func NewHints(watch func(ctx context.Context)) *Hints {
	return &Hints{watch: watch, listeners: map[chan struct{}]struct{}{}}
}

// Listen is [Log.Wake].
func (h *Hints) Listen() (hints <-chan struct{}, release func()) {
	hint := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		hint <- struct{}{} // its reader learns at once that the log is closed
		return hint, func() {}
	}
	h.listeners[hint] = struct{}{}
	if h.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		h.stop = cancel
		h.watching.Go(func() { h.watch(ctx) })
	}
	return hint, func() { h.release(hint) }
}

func (h *Hints) release(hint chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, hint)
	if len(h.listeners) == 0 {
		h.rest()
	}
}

// rest ends the watching.
func (h *Hints) rest() {
	if h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// Heard says whether somebody listens.
func (h *Hints) Heard() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listeners) > 0
}

// Tell gives everybody a hint.
func (h *Hints) Tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for hint := range h.listeners {
		select {
		case hint <- struct{}{}:
		default: // the hint before is still there
		}
	}
}

// Close gives a last hint, so that those who wait look and learn that the log is closed, and waits until nobody watches.
func (h *Hints) Close() {
	h.mu.Lock()
	h.closed = true
	h.rest()
	h.mu.Unlock()
	h.Tell()
	h.watching.Wait()
}
