package process

import (
	"context"
	"slices"
	"sync"
)

// cpuSlots are given to scripts that compute, and to workers that start: so many at once. Those that go on come before
// those that begin, which have no worker yet: the fewer have one, the less memory they take.
type cpuSlots struct {
	mu       sync.Mutex
	free     int      // below zero where more have one than should
	toResume []waiter // who waits, the oldest first
	toBegin  []waiter
	held     shares // by owner
}

// waiter waits for something that is shared.
type waiter struct {
	came  chan struct{} // closed when it is their turn
	owner string
	kind  kind
}

// shares is how much of something that is shared owners have.
type shares map[string]int

func (s *shares) add(owner string, n int) {
	if *s == nil {
		*s = shares{}
	}
	if (*s)[owner] += n; (*s)[owner] == 0 {
		delete(*s, owner)
	}
}

// next is the oldest of those who wait whose owner has least, or -1 for none of them.
func (s shares) next(waiting []waiter, may func(waiter) bool) int {
	best := -1
	for i, one := range waiting {
		if may(one) && (best < 0 || s[one.owner] < s[waiting[best].owner]) {
			best = i
		}
	}
	return best
}

func (t *cpuSlots) take(ctx context.Context, queue *[]waiter, owner string) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.held.add(owner, 1)
		t.mu.Unlock()
		return nil
	}
	mine := waiter{came: make(chan struct{}), owner: owner}
	*queue = append(*queue, mine)
	t.mu.Unlock()
	select {
	case <-mine.came:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(*queue, mine); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	} else {
		t.releaseLocked(owner) // it came at the same time; it is the next one's
	}
	return ctx.Err()
}

func (t *cpuSlots) releaseLocked(owner string) {
	t.held.add(owner, -1)
	if t.free++; t.free <= 0 {
		return
	}
	for _, queue := range []*[]waiter{&t.toResume, &t.toBegin} {
		if i := t.held.next(*queue, func(waiter) bool { return true }); i >= 0 {
			next := (*queue)[i]
			*queue = slices.Delete(*queue, i, i+1)
			t.free--
			t.held.add(next.owner, 1)
			close(next.came)
			return
		}
	}
}

// cpuSlot is what one execution has of them. One goroutine takes and gives it.
type cpuSlot struct {
	mu    sync.Mutex // of held, and of while it is
	of    *cpuSlots
	held  bool
	owner string
	kind  kind // what is known of its script, and whether the execution is over: guarded by the pool
	over  bool
}

func (t *cpuSlot) begin(ctx context.Context) error {
	of := t.now()
	return t.take(ctx, of, &of.toBegin)
}

func (t *cpuSlot) resume(ctx context.Context) error {
	of := t.now()
	return t.take(ctx, of, &of.toResume)
}

// now is what it is of; that changes only while it is held.
func (t *cpuSlot) now() *cpuSlots {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of
}

func (t *cpuSlot) take(ctx context.Context, of *cpuSlots, queue *[]waiter) error {
	if t.held {
		return nil
	}
	err := of.take(ctx, queue, t.owner)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = err == nil
	return err
}

func (t *cpuSlot) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.releaseLocked()
}

func (t *cpuSlot) releaseLocked() {
	if !t.held {
		return
	}
	t.held = false
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.releaseLocked(t.owner)
}

// move has a turn that is held be one of others from now on, whether one of those is free or not. Any goroutine may.
func (t *cpuSlot) move(to *cpuSlots) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.held || t.of == to {
		return
	}
	t.releaseLocked()
	to.mu.Lock()
	defer to.mu.Unlock()
	to.free--
	to.held.add(t.owner, 1)
	t.of, t.held = to, true
}

// kind is what is known of a script.
type kind int
