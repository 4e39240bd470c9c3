package eventlogtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// The size of a history: planted bugs that strike once in 200 appends are found in it.
const (
	historyClients = 8
	historyCalls   = 100 // of each client
	historyStreams = 4
)

// caller is the part of [eventlog.Log] that histories are made of.
type caller interface {
	Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error)
	Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error]
	StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error]
	All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error]
	Head(ctx context.Context) (eventlog.Position, error)
}

// history is what concurrent clients did, on streams that are its own.
type history struct {
	seed    uint64
	cancels bool // some appends lose their context midway
	prefix  string
	streams []string
	after   eventlog.Position            // where the log ended when it began
	clock   atomic.Int64                 // ticks order calls and answers
	newest  [historyStreams]atomic.Int64 // the last revision of each stream that a client has heard of

	mu         sync.Mutex
	calls      []*call
	unanswered int
}

// record lets clients call a log, and reads what is there in the end. The clients take turns with the
// callers given; last answers when they have ended.
func record(ctx context.Context, seed uint64, cancels bool, callers []caller, last func() caller) (*history, error) {
	h := &history{seed: seed, cancels: cancels, prefix: "h" + uuid.NewString() + "-"} // a seed may come again
	for i := range historyStreams {
		h.streams = append(h.streams, fmt.Sprintf("%s%d.", h.prefix, i))
		h.newest[i].Store(-1)
	}
	var err error
	if h.after, err = callers[0].Head(ctx); err != nil {
		return nil, err
	}
	failures := make([]error, historyClients)
	var group sync.WaitGroup
	for number := range historyClients {
		client := &historyClient{
			history: h,
			number:  number,
			log:     callers[number%len(callers)],
			random:  rand.New(rand.NewPCG(seed, uint64(number))),
			seen:    slices.Repeat([]int64{-1}, historyStreams),
		}
		group.Go(func() { failures[number] = client.run(ctx) })
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	if h.unanswered > historyClients*historyCalls/2 {
		return nil, fmt.Errorf("%d of %d calls were not answered: such a history says nothing", h.unanswered, historyClients*historyCalls)
	}
	final := &historyClient{history: h, number: historyClients, log: last()}
	var ends []*call
	for _, stream := range h.streams {
		end := &call{kind: reading, stream: stream}
		ends = append(ends, end)
		if err := final.do(ctx, end); err != nil {
			return nil, err
		}
		if end.unknown {
			return nil, fmt.Errorf("%s could not be read in the end", stream)
		}
	}
	h.settle(ends)
	err = h.holdAgainst(ctx, final.log, ends)
	return h, err
}

// settle decides what became of the appends without an answer. One whose events are there in the end was done
// some time before; one whose events are not there was not done, or will be later, which is the same for
// everybody who was answered.
func (h *history) settle(ends []*call) {
	shown := make(map[string]*call) // by entry, the last read that shows it
	for _, end := range ends {
		for _, entry := range end.read {
			shown[end.stream+entry] = end
		}
	}
	h.calls = slices.DeleteFunc(h.calls, func(c *call) bool {
		if !c.unknown {
			return false
		}
		for _, entry := range c.events {
			if end := shown[c.stream+entry]; end != nil {
				c.ended = end.ended
				return false
			}
		}
		return true
	})
}

// holdAgainst holds the positions that were acknowledged, and the streams as they were read, against the whole log.
func (h *history) holdAgainst(ctx context.Context, log caller, ends []*call) error {
	streams := make(map[string][]string)
	positions := make(map[string]eventlog.Position) // by entry
	last := h.after
	for record, err := range log.All(ctx, h.after, eventlog.Filter{StreamPrefixes: []string{h.prefix}}) {
		if err != nil {
			return err
		}
		if record.Position <= last {
			return fmt.Errorf("the event of %s at %q comes after position %q", record.Stream, record.Position, last)
		}
		last = record.Position
		if record.Revision != int64(len(streams[record.Stream])) {
			return fmt.Errorf("in the whole log, revision %d of %s comes after %d events of it", record.Revision, record.Stream, len(streams[record.Stream]))
		}
		streams[record.Stream] = append(streams[record.Stream], entry(record.Event))
		positions[record.Stream+entry(record.Event)] = record.Position
	}
	for _, end := range ends {
		// An append without an answer may have been done since.
		if all := streams[end.stream]; len(all) < len(end.read) || !slices.Equal(all[:len(end.read)], end.read) {
			return fmt.Errorf("%s reads otherwise in the whole log, where it has %d events instead of %d", end.stream, len(all), len(end.read))
		}
	}
	for _, c := range h.calls {
		if c.kind != appending || c.unknown || c.conflict != nil || c.content != nil {
			continue
		}
		if at := positions[c.stream+c.events[len(c.events)-1]]; at != c.appended.Position {
			return fmt.Errorf("%s: acknowledged at %q, but it is at %q", c, c.appended.Position, at)
		}
	}
	return nil
}

// operations are the calls to one stream, as porcupine takes them.
func (h *history) operations(stream string) []porcupine.Operation {
	var all []porcupine.Operation
	for _, c := range h.calls {
		if c.stream == stream {
			all = append(all, porcupine.Operation{ClientId: c.client, Input: c, Call: c.began, Return: c.ended})
		}
	}
	return all
}

// historyClient does random calls, one after the other.
type historyClient struct {
	*history
	number int
	log    caller
	random *rand.Rand
	seen   []int64 // the last revision of each stream, as far as this client knows
	mine   []*call // appends to repeat
	made   int     // events
}

func (c *historyClient) run(ctx context.Context) error {
	for done := 0; done < historyCalls; done++ {
		next := c.choose()
		if err := c.do(ctx, next); err != nil {
			return err
		}
		if next.unknown && next.kind == appending && c.random.IntN(4) > 0 && done < historyCalls-1 { // as callers are told to
			done++
			if err := c.do(ctx, c.again(next)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *historyClient) choose() *call {
	stream := c.random.IntN(historyStreams)
	name, seen := c.streams[stream], c.seen[stream]
	if c.random.IntN(4) > 0 { // clients that only trust themselves meet nothing but conflicts
		seen = c.newest[stream].Load()
	}
	dice := c.random.IntN(100)
	if dice >= 70 && dice < 80 && len(c.mine) == 0 {
		dice = 0
	}
	switch {
	case dice < 62:
		return c.newAppend(name, seen)
	case dice < 70:
		return c.newAppend(name, c.random.Int64N(seen+4)-1) // most likely not as expected
	case dice < 78:
		return c.again(c.mine[c.random.IntN(len(c.mine))])
	case dice < 80:
		changed := c.again(c.mine[c.random.IntN(len(c.mine))])
		for i, entry := range changed.events {
			changed.events[i] = fmt.Sprintf(`%s "changed %d/%d"`, idOf(entry), c.number, c.made)
		}
		c.made++
		return changed
	case dice < 90:
		return &call{kind: reading, stream: name, from: c.random.Int64N(seen+4) - 1}
	case dice < 96:
		return &call{kind: readingBackward, stream: name, from: max(seen, 0) + c.random.Int64N(20)}
	default:
		return &call{kind: readingAll, stream: name}
	}
}

func (c *historyClient) newAppend(stream string, expected int64) *call {
	next := &call{stream: stream, expected: expected}
	for range 1 + c.random.IntN(3) {
		made := event("%s%d/%d", c.prefix, c.number, c.made)
		made.Payload = []byte(`"as appended"`)
		next.events = append(next.events, entry(made))
		c.made++
	}
	c.mine = append(c.mine, next)
	return next
}

// again is the same append once more.
func (c *historyClient) again(before *call) *call {
	return &call{stream: before.stream, expected: before.expected, events: slices.Clone(before.events)}
}

// do makes a call and adds it to the history. It returns the errors that no log may have.
func (c *historyClient) do(ctx context.Context, next *call) error {
	if next.kind == appending && c.cancels && c.random.IntN(20) == 0 {
		limited, cancel := context.WithCancel(ctx)
		defer cancel()
		most := []time.Duration{20 * time.Microsecond, time.Millisecond}[c.random.IntN(2)]
		timer := time.AfterFunc(time.Duration(c.random.Int64N(int64(most))), cancel)
		defer timer.Stop()
		ctx = limited
	}
	next.client = c.number
	next.began = c.clock.Add(1)
	err := c.ask(ctx, next)
	next.ended = c.clock.Add(1)
	if err != nil {
		cancelled := ctx.Err() != nil && errors.Is(err, ctx.Err())
		if !cancelled && !errors.Is(err, eventlog.ErrUnavailable) && !errors.Is(err, errKilled) {
			return fmt.Errorf("%s of %s: %w", next.asked(), next.stream, err)
		}
		next.unknown = true
		c.mu.Lock()
		c.unanswered++
		c.mu.Unlock()
		if next.kind != appending {
			return nil // it says nothing
		}
	}
	c.learn(next)
	c.mu.Lock()
	c.calls = append(c.calls, next)
	c.mu.Unlock()
	return nil
}

func (c *historyClient) ask(ctx context.Context, next *call) error {
	switch next.kind {
	case appending:
		events := make([]eventlog.Event, len(next.events))
		for i, entry := range next.events {
			id := idOf(entry)
			events[i] = eventlog.Event{ID: id, Type: "Tested", SchemaVersion: 1, Payload: []byte(entry[len(id)+1:])}
		}
		var err error
		next.appended, err = c.log.Append(ctx, next.stream, eventlog.At(next.expected), events)
		if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
			next.conflict = conflict
			return nil
		}
		if content, ok := errors.AsType[*eventlog.ContentError](err); ok {
			next.content = content
			return nil
		}
		return err
	case reading:
		return next.take(c.log.Stream(ctx, next.stream, next.from), max(next.from, 0), 1)
	case readingBackward:
		return next.take(c.log.StreamBackward(ctx, next.stream, next.from), -1, -1)
	default:
		return next.take(c.log.All(ctx, c.after, eventlog.Filter{StreamPrefixes: []string{next.stream}}), 0, 1)
	}
}

// take takes the records of a read, whose revisions go by step from first on; from anywhere if first is negative.
// One that does not belong there is kept so that the model can never expect it.
func (c *call) take(records iter.Seq2[eventlog.Record, error], first, step int64) error {
	c.read = []string{}
	for record, err := range records {
		if err != nil {
			return err
		}
		if first < 0 {
			first = record.Revision
		}
		text := entry(record.Event)
		if record.Revision != first+step*int64(len(c.read)) || record.Stream != c.stream {
			text += fmt.Sprintf(", which is revision %d of %s", record.Revision, record.Stream)
		}
		c.read = append(c.read, text)
	}
	return nil
}

// learn keeps what an answer tells about the stream.
func (c *historyClient) learn(done *call) {
	if c.seen == nil { // it is the one who reads at the end
		return
	}
	stream := slices.Index(c.streams, done.stream)
	seen := &c.seen[stream]
	switch {
	case done.unknown, done.content != nil:
	case done.conflict != nil:
		*seen = done.conflict.Actual
	case done.kind == appending:
		*seen = max(*seen, done.appended.Last)
	case done.kind == reading && len(done.read) == 0:
	case done.kind == reading:
		*seen = max(done.from, 0) + int64(len(done.read)) - 1
	default:
		*seen = int64(len(done.read)) - 1
	}
	c.newest[stream].Store(max(*seen, c.newest[stream].Load()))
}
