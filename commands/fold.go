package commands

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// fold is a stream's state, folded from its events up to the tail.
type fold[S any] struct {
	state S
	tail  tail
	// commands holds where the events of each command are.
	commands map[string]span
	// gone is the first event that the state lacks, as what it said was erased.
	gone error
	// compared is when the tail was last seen to be the stream's own: read, or appended to.
	compared time.Time
}

// span is the revisions of one command's events.
type span struct{ first, last int64 }

func (f *fold[S]) add(recorded event.Recorded, evolve func(S, event.Recorded) S) {
	f.state = evolve(f.state, recorded)
	id := recorded.Metadata.CommandID
	at, there := f.commands[id]
	if !there {
		at.first = recorded.Revision
	}
	at.last = recorded.Revision
	f.commands[id] = at
}

// load brings the stream's fold up to date. Only the tail of a stream that was folded before is read; if its end is
// not what it was, all of it is read again.
func load[S, C any](ctx context.Context, c *core, kind kind[S, C], stream string) (fold[S], error) {
	kept, found := c.folds.take(stream).(fold[S])
	return refresh(ctx, c, kind, stream, kept, found)
}

// refresh brings a fold up to date, if there is one.
func refresh[S, C any](ctx context.Context, c *core, kind kind[S, C], stream string, kept fold[S], found bool) (fold[S], error) {
	if found {
		loaded, trusted, err := read(ctx, c, kind, stream, kept)
		if err != nil || trusted {
			return loaded, err
		}
	}
	loaded, _, err := read(ctx, c, kind, stream, fold[S]{tail: emptyTail, commands: map[string]span{}})
	return loaded, err
}

// read folds what follows a fold's tail. It begins with the tail's own event, to see that
// the fold belongs to this log: if it does not, trusted is false.
func read[S, C any](
	ctx context.Context, c *core, kind kind[S, C], stream string, from fold[S],
) (loaded fold[S], trusted bool, err error) {
	loaded, trusted = from, from.tail.revision < 0
	loaded.compared = c.now()
	for record, err := range c.log.Stream(ctx, stream, max(from.tail.revision, 0)) {
		if err != nil {
			return loaded, false, fmt.Errorf("commands: read %s: %w", stream, err)
		}
		if !trusted {
			_, hash, err := hashchain.Unseal(record.Metadata)
			if err != nil || hash != from.tail.hash { // it covers the revision and everything before
				return loaded, false, nil
			}
			trusted = true
			continue
		}
		if record.Revision != loaded.tail.revision+1 {
			return loaded, false, fmt.Errorf("commands: read %s: revision %d follows %d: %w",
				stream, record.Revision, loaded.tail.revision, eventlog.ErrDamaged)
		}
		hash, _, err := hashchain.Continue(loaded.tail.hash, record)
		if err != nil {
			return loaded, false, &StreamError{Stream: stream, Revision: record.Revision, Type: record.Type, Err: err}
		}
		recorded, err := c.Show(record)
		if err != nil {
			return loaded, false, err
		}
		switch {
		case eventlog.IsErased(record.Payload) && loaded.gone == nil:
			loaded.gone = &StreamError{Stream: stream, Revision: record.Revision, Type: record.Type, Err: ErrErased}
		case kind.forgets != nil && kind.forgets(recorded.Event):
			loaded.gone = nil
		}
		loaded.add(recorded, kind.evolve)
		loaded.tail = tail{revision: record.Revision, hash: hash, position: record.Position}
	}
	return loaded, trusted, loaded.gone
}

// The bounds of the cache of folds: their number, and that of their events. A fold remembers each command of its
// stream, which takes some 100 bytes, beside the state itself.
const (
	foldsKept      = 20_000
	foldEventsKept = 500_000
)

// foldCache keeps the folds of the streams that were used last. A caller that takes a fold owns it until it puts it
// back, so no two callers see the same fold.
type foldCache struct {
	mu     sync.Mutex
	limit  int   // of folds
	most   int64 // events of all folds together
	events int64
	recent *list.List // of kept, the newest first
	folds  map[string]*list.Element
}

type cachedFold struct {
	stream string
	fold   any
	events int64
}

func newFoldCache(limit int, most int64) *foldCache {
	return &foldCache{limit: limit, most: most, recent: list.New(), folds: map[string]*list.Element{}}
}

// take removes and returns a stream's fold, nil if there is none.
func (c *foldCache) take(stream string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, there := c.folds[stream]
	if !there {
		return nil
	}
	return c.drop(element).fold
}

// put keeps the fold of a stream with so many events.
func (c *foldCache) put(stream string, fold any, events int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, there := c.folds[stream]; there {
		c.drop(element)
	}
	c.folds[stream] = c.recent.PushFront(cachedFold{stream: stream, fold: fold, events: events})
	c.events += events
	for c.recent.Len() > c.limit || c.events > c.most && c.recent.Len() > 1 {
		c.drop(c.recent.Back())
	}
}

func (c *foldCache) drop(element *list.Element) cachedFold {
	of := c.recent.Remove(element).(cachedFold)
	delete(c.folds, of.stream)
	c.events -= of.events
	return of
}
