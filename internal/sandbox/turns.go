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
	free    int             // below zero where more have one than should
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
	if t.free++; t.free <= 0 {
		return
	}
	for _, queue := range []*[]chan struct{}{&t.goOn, &t.toBegin} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = (*queue)[1:]
			t.free--
			return
		}
	}
}

// turn is what one execution has of them. One goroutine takes and gives it.
type turn struct {
	mu   sync.Mutex // of held, and of while it is
	of   *turns
	held bool
	slow bool // it began among the heavy ones
}

func (t *turn) begin(ctx context.Context) error {
	of := t.now()
	return t.take(ctx, of, &of.toBegin)
}

func (t *turn) goOn(ctx context.Context) error {
	of := t.now()
	return t.take(ctx, of, &of.goOn)
}

// now is what it is of; that changes only while it is held.
func (t *turn) now() *turns {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of
}

func (t *turn) take(ctx context.Context, of *turns, queue *[]chan struct{}) error {
	if t.held {
		return nil
	}
	err := of.take(ctx, queue)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = err == nil
	return err
}

func (t *turn) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.giveLocked()
}

func (t *turn) giveLocked() {
	if !t.held {
		return
	}
	t.held = false
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.giveLocked()
}

// move has a turn that is held be one of others from now on, whether one of those is free or not. Any goroutine may.
func (t *turn) move(to *turns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.held || t.of == to {
		return
	}
	t.giveLocked()
	to.mu.Lock()
	defer to.mu.Unlock()
	to.free--
	t.of, t.held = to, true
}
