package sqlitelog

import (
	"sync"
	"sync/atomic"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// One transaction takes at most this much, so that nobody waits long for the commit of others.
const (
	groupAppends = 1024
	groupBytes   = 4 << 20
)

// request is an append that waits for the writer, and then its outcome.
type request struct {
	stream   string
	expected int64
	events   []eventlog.Event
	rest     []*request // appended after this one, up to the first that is refused

	state  atomic.Int32
	done   chan struct{} // closed once result and err are set
	result eventlog.Appended
	err    error
}

func newRequest(stream string, expected eventlog.Expected, events []eventlog.Event) *request {
	return &request{stream: stream, expected: expected.Revision(), events: events, done: make(chan struct{})}
}

const (
	waiting   = iota
	claimed   // the writer has begun: the caller waits for the outcome
	withdrawn // the caller gave up before that
)

func (r *request) claim() bool    { return r.state.CompareAndSwap(waiting, claimed) }
func (r *request) withdraw() bool { return r.state.CompareAndSwap(waiting, withdrawn) }

func (r *request) size() int {
	size := 0
	for _, event := range r.events {
		size += len(event.Payload) + len(event.Metadata)
	}
	for _, next := range r.rest {
		size += next.size()
	}
	return size
}

// count is the number of events.
func (r *request) count() int {
	n := len(r.events)
	for _, next := range r.rest {
		n += next.count()
	}
	return n
}

// queue holds the appends that wait. It needs no bound: each holds up a caller.
type queue struct {
	mu     sync.Mutex
	items  []*request
	closed bool
	signal chan struct{} // holds a token if the writer should look
}

func newQueue() *queue { return &queue{signal: make(chan struct{}, 1)} }

// add reports false if the queue is closed. It does not notify.
func (q *queue) add(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.items = append(q.items, r)
	}
	return !q.closed
}

// some says whether something waits.
func (q *queue) some() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) > 0
}

// close refuses later requests; waiting ones are still taken. It reports false if it was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	first := !q.closed
	q.closed = true
	q.mu.Unlock()
	q.notify()
	return first
}

func (q *queue) notify() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// wait returns true when something waits, and false when the queue is closed and nothing does.
func (q *queue) wait() bool {
	for {
		q.mu.Lock()
		some, closed := len(q.items) > 0, q.closed
		q.mu.Unlock()
		if some {
			return true
		}
		if closed {
			return false
		}
		<-q.signal
	}
}

// take claims the oldest requests, up to the limits of a group, and appends them to group.
func (q *queue) take(group []*request) []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	bytes, n := 0, 0
	for n < len(q.items) && n < groupAppends && bytes < groupBytes {
		if r := q.items[n]; r.claim() {
			group = append(group, r)
			bytes += r.size()
		}
		n++
	}
	rest := copy(q.items, q.items[n:])
	clear(q.items[rest:]) // let go of the requests
	q.items = q.items[:rest]
	return group
}
