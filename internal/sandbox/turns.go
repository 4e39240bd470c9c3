package sandbox

import (
	"context"
	"slices"
	"sync"
)

// turns are given to scripts that compute, and to workers that start: so many at once. Those that go on come before
// those that begin, which have no worker yet: the fewer have one, the less memory they take.
type turns struct {
	mu      sync.Mutex
	free    int
	goOn    []chan struct{} // who waits, the oldest first; closed when it is their turn
	toBegin []chan struct{}
}

func (t *turns) take(ctx context.Context, queue *[]chan struct{}) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	*queue = append(*queue, mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(*queue, mine); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	} else {
		t.giveLocked() // it came at the same time; it is the next one's
	}
	return ctx.Err()
}

func (t *turns) giveLocked() {
	for _, queue := range []*[]chan struct{}{&t.goOn, &t.toBegin} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = (*queue)[1:]
			return
		}
	}
	t.free++
}

// turn is what one execution has of them.
type turn struct {
	of   *turns
	held bool
}

func (t *turn) begin(ctx context.Context) error { return t.take(ctx, &t.of.toBegin) }

func (t *turn) goOn(ctx context.Context) error { return t.take(ctx, &t.of.goOn) }

func (t *turn) take(ctx context.Context, queue *[]chan struct{}) error {
	if t.held {
		return nil
	}
	err := t.of.take(ctx, queue)
	t.held = err == nil
	return err
}

func (t *turn) give() {
	if !t.held {
		return
	}
	t.held = false
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.giveLocked()
}
