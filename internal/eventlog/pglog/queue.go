package pglog

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// One transaction takes at most this much, so that nobody waits long for the commit of others.
const (
	groupAppends = 1024
	groupBytes   = 4 << 20
	// groupEvents is how many positions a transaction has: 15 bits.
	groupEvents = 1 << 15
)

// request is an append that waits for a committer, and then the outcome of one attempt.
type request struct {
	stream   string
	expected int64
	events   []eventlog.Event
	rest     []*request // appended after this one, all together or none
	then     *request   // appended behind this one, if this one is; its stream's name comes later

	state atomic.Int32
	done  chan struct{} // closed once position and err are set
	// position is that of the last event, 0 if a stream was not as expected.
	position int64
	err      error
}

func newRequest(stream string, expected eventlog.Expected, events []eventlog.Event) *request {
	return &request{stream: stream, expected: expected.Revision(), events: events, done: make(chan struct{})}
}

const (
	waiting   = iota
	claimed   // a committer has begun: the outcome is its, or unknown
	withdrawn // the caller gave up before that
)

func (r *request) claim() bool    { return r.state.CompareAndSwap(waiting, claimed) }
func (r *request) withdraw() bool { return r.state.CompareAndSwap(waiting, withdrawn) }

func (r *request) size() int {
	size := 0
	for _, event := range r.events {
		size += len(event.Payload) + len(event.Metadata)
	}
	if r.then != nil {
		size += r.then.size()
	}
	return size
}

// count is the number of events.
func (r *request) count() int {
	if r.then == nil {
		return len(r.events)
	}
	return len(r.events) + r.then.count()
}

// While a transaction is under way, what waits has another one only if there are crowd events, or if it takes longer than
// patience. The server brings commits to its disk one after the other: few events are there as soon with the next one,
// and cost less.
const (
	crowd    = 128
	patience = 10 * time.Millisecond
)

// queue holds the appends that wait. It needs no bound: each holds up a caller.
type queue struct {
	mu       sync.Mutex
	some     *sync.Cond // of mu: there is something to take, or the queue was closed
	items    []*request
	events   int // of the items
	underWay int // groups
	closed   bool
}

func newQueue() *queue {
	q := &queue{}
	q.some = sync.NewCond(&q.mu)
	return q
}

// add reports false if the queue is closed.
func (q *queue) add(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.items = append(q.items, r)
	if q.events += r.count(); q.due() {
		q.some.Signal()
	}
	return true
}

// due says that what waits is to be taken.
func (q *queue) due() bool {
	return len(q.items) > 0 && (q.underWay == 0 || q.events >= crowd || q.closed)
}

// close refuses later requests; waiting ones are still taken. It reports false if it was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := !q.closed
	q.closed = true
	q.some.Broadcast()
	return first
}

// take waits until something is due, claims the oldest requests up to the limits of a group, and appends
// them to group, which is under way until over is called. It reports false when the queue is closed and nothing waits.
func (q *queue) take(group []*request) (_ []*request, over func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(group) == 0 {
		for !q.due() {
			if q.closed {
				return group, nil, false
			}
			q.some.Wait()
		}
		group = q.claim(group)
	}
	q.underWay++
	once := sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.underWay--
	})
	late := time.AfterFunc(patience, func() {
		once()
		q.some.Signal()
	})
	return group, func() { late.Stop(); once() }, true
}

func (q *queue) claim(group []*request) []*request {
	bytes, events, n := 0, 0, 0
	for n < len(q.items) && len(group) < groupAppends && bytes < groupBytes {
		r := q.items[n]
		alone := len(r.rest) > 0 // in a transaction of its own
		if events+r.count() > groupEvents || alone && len(group) > 0 {
			break
		}
		n++
		q.events -= r.count()
		if !r.claim() {
			continue
		}
		group = append(group, r)
		if alone {
			break
		}
		bytes += r.size()
		events += r.count()
	}
	rest := copy(q.items, q.items[n:])
	clear(q.items[rest:]) // let go of the requests
	q.items = q.items[:rest]
	return group
}
