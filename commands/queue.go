package commands

import (
	"context"
	"sync"
)

// queues lets the commands of this process wait for each other, one queue a stream: they
// would only conflict and decide again. Between processes the expected revision decides.
type queues struct {
	mu      sync.Mutex
	streams map[string]*queue
}

type queue struct {
	turn  chan struct{} // holds a token while nobody is at work
	users int           // at work or waiting
}

func newQueues() *queues { return &queues{streams: map[string]*queue{}} }

// enter waits for the stream's turn; leave ends it. It fails only with the context.
func (q *queues) enter(ctx context.Context, stream string) (leave func(), err error) {
	q.mu.Lock()
	line, there := q.streams[stream]
	if !there {
		line = &queue{turn: make(chan struct{}, 1)}
		line.turn <- struct{}{}
		q.streams[stream] = line
	}
	line.users++
	q.mu.Unlock()

	forget := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if line.users--; line.users == 0 {
			delete(q.streams, stream)
		}
	}
	select {
	case <-line.turn:
		return func() { line.turn <- struct{}{}; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, context.Cause(ctx)
	}
}
