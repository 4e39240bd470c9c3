package handlers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// crowd is work for every workflow, some of it for ever, in a room.
type crowd struct {
	name  string
	in    *loop.Semaphore
	again bool // there is always more to do

	mu      sync.Mutex
	done    map[string]int
	order   []string
	running int
	most    int
	open    chan struct{}
}

func (c *crowd) Name() string               { return c.name }
func (c *crowd) Semaphore() *loop.Semaphore { return c.in }

func (c *crowd) Due(id string, _ workflow.State) []loop.Work {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.again && c.done[id] > 0 {
		return nil
	}
	return []loop.Work{{Key: fmt.Sprint(c.done[id]), Do: func(ctx context.Context) error {
		c.mu.Lock()
		c.running++
		c.most = max(c.most, c.running)
		c.mu.Unlock()
		select {
		case <-c.open:
		case <-ctx.Done():
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running--
		c.done[id]++
		c.order = append(c.order, id)
		return nil
	}}}
}

func (c *crowd) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

func newCrowd(name string, in *loop.Semaphore, again bool) *crowd {
	return &crowd{name: name, in: in, again: again, done: map[string]int{}, open: make(chan struct{})}
}

func (n *node) many(count int) []string {
	var ids []string
	for range count {
		id := uuid.NewString()
		_, err := n.commands.CreateWorkflow(n.t.Context(), workflow.Create{ID: id, Title: "W"}, person())
		require.NoError(n.t, err)
		ids = append(ids, id)
	}
	return ids
}

// Agents share a room: not more of them are at work at once than it holds, however many workflows
// want one, and runs have room of their own meanwhile.
func TestAgentsShareARoomAndRunsHaveTheirOwn(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.many(20)
	agents := &loop.Semaphore{Limit: 3}
	planner, maintainer, runs := newCrowd("planner", agents, false), newCrowd("maintainer", agents, false), newCrowd("executor", nil, false)
	close(runs.open)
	n.reactions = []handlers.Reaction{planner, maintainer, runs}
	ended := make(chan error, 1)
	go func() { ended <- n.settle(t.Context()) }()
	require.Eventually(t, func() bool {
		runs.mu.Lock()
		defer runs.mu.Unlock()
		return len(runs.order) == 20
	}, time.Minute, 5*time.Millisecond, "all runs end while the agents think")
	require.Equal(t, 3, planner.count()+maintainer.count())
	close(planner.open)
	close(maintainer.open)
	require.NoError(t, <-ended)
	require.Len(t, planner.order, 20)
	require.Len(t, maintainer.order, 20)
	require.LessOrEqual(t, max(planner.most, maintainer.most), 3)
}

// Nobody starves: workflows that always have more to do take turns, the longest waiting first.
func TestTheLongestWaitingGoesFirst(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.many(12)
	greedy := newCrowd("planner", &loop.Semaphore{Limit: 1}, true)
	close(greedy.open)
	n.reactions = []handlers.Reaction{greedy}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- n.loop().Run(ctx) }()
	var order []string
	require.Eventually(t, func() bool {
		greedy.mu.Lock()
		defer greedy.mu.Unlock()
		met := map[string]bool{} // until the loop has met all, who comes again may be before who comes for the first time
		for i, id := range greedy.order {
			if met[id] = true; len(met) == 12 {
				order = greedy.order[i+1:]
				break
			}
		}
		return len(order) >= 120
	}, time.Minute, time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	for round := range 10 {
		turn := map[string]bool{}
		for _, id := range order[12*round : 12*(round+1)] {
			turn[id] = true
		}
		require.Len(t, turn, 12, "in round %d somebody had two turns, and somebody none", round)
	}
}
