package esdbapi

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// Streams of links: those that the server itself offers. No log has them.
const (
	// categoryPrefix begins the stream of all events in streams of a category: $ce-run has those of run-1, run-2, …
	categoryPrefix = "$ce-"
	// typePrefix begins the stream of all events of a type.
	typePrefix = "$et-"
	// linkType is the type of a link, whose data are REVISION@STREAM of the event that it leads to.
	linkType = "$>"
)

// linked says which events a stream of links leads to; found is false for any other stream. The revision of a link is how many of them are
// before it in the log, so it never changes.
func linked(stream string) (filter eventlog.Filter, found bool) {
	if category, is := strings.CutPrefix(stream, categoryPrefix); is && category != "" && !strings.Contains(category, "-") && possible(category) {
		return eventlog.Filter{StreamPrefixes: []string{category + "-"}}, true
	}
	if kind, is := strings.CutPrefix(stream, typePrefix); is && kind != "" && possible(kind) {
		return eventlog.Filter{Types: []string{kind}}, true
	}
	return filter, false
}

const (
	// markEvery is how many links are between two of which it is remembered where they are.
	markEvery = 1000
	// mostLinked is of how many streams of links that is remembered.
	mostLinked = 1000
)

// linkIndexes remember where links are, so that a read in the middle need not count from the start.
type linkIndexes struct {
	mu sync.Mutex
	of map[string]*linkIndex
}

// linkIndex is what was counted of a stream of links.
type linkIndex struct {
	mu    sync.Mutex
	count int64               // links up to seen
	seen  eventlog.Position   // up to where they were counted
	marks []eventlog.Position // of each markEvery-th link, the position that it is after
}

func (x *linkIndexes) index(stream string) *linkIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	if one := x.of[stream]; one != nil {
		return one
	}
	if x.of == nil || len(x.of) >= mostLinked {
		x.of = map[string]*linkIndex{}
	}
	x.of[stream] = &linkIndex{seen: eventlog.Start}
	return x.of[stream]
}

// grow counts until there are more than so many links, or up to the head, and returns how many there are as far as it looked.
func (x *linkIndex) grow(ctx context.Context, log eventlog.Log, filter eventlog.Filter, beyond int64) (int64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.count > beyond {
		return x.count, nil
	}
	for record, err := range log.All(ctx, x.seen, filter) {
		if err != nil {
			return x.count, err
		}
		if x.count%markEvery == 0 {
			x.marks = append(x.marks, x.seen)
		}
		x.count++
		if x.seen = record.Position; x.count > beyond {
			break
		}
	}
	return x.count, nil
}

// before is a place in the log at most markEvery links before the link of a revision, and the revision of the first link after it. All links
// up to that one have to have been counted.
func (x *linkIndex) before(revision int64) (after eventlog.Position, next int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	mark := min(revision/markEvery, int64(len(x.marks))-1)
	if mark < 0 {
		return eventlog.Start, 0
	}
	return x.marks[mark], mark * markEvery
}

// link is an event in a stream of links.
type link struct {
	record   *eventlog.Record
	stream   string
	revision int64
}

// linksFrom gives the links of a stream from a revision on, forwards, as far as there are some.
func (s *Server) linksFrom(ctx context.Context, stream string, filter eventlog.Filter, revision int64, each func(link) (more bool, err error)) error {
	index := s.links.index(stream)
	count, err := index.grow(ctx, s.Log, filter, revision)
	if err != nil || count <= revision {
		return err
	}
	after, next := index.before(revision)
	for record, err := range s.Log.All(ctx, after, filter) {
		if err != nil {
			return err
		}
		at := next
		if next++; at < revision {
			continue
		}
		if more, err := each(link{&record, stream, at}); err != nil || !more {
			return err
		}
	}
	return nil
}

// linksOnce reads a stream of links once, beginning with the link at place.
func (s *Server) linksOnce(ctx context.Context, out *replies, stream string, filter eventlog.Filter, from place, count uint64, backward, tellLast bool) error {
	sent := uint64(0)
	send := func(one link) (bool, error) {
		err := out.link(one)
		sent++
		return sent < count, err
	}
	var err error
	switch {
	case count == 0:
	case backward:
		err = s.linksBack(ctx, stream, filter, from, send)
	case !from.end:
		err = s.linksFrom(ctx, stream, filter, from.number, send)
	}
	if err != nil || sent > 0 && !tellLast {
		return err
	}
	all, err := s.links.index(stream).grow(ctx, s.Log, filter, math.MaxInt64)
	switch {
	case err != nil:
		return err
	case all == 0:
		return out.streamNotFound(stream)
	case tellLast:
		return out.lastRevision(all - 1)
	}
	return nil
}

// linksBack gives the links of a stream backwards, beginning with the one at place, or with the last.
func (s *Server) linksBack(ctx context.Context, stream string, filter eventlog.Filter, from place, each func(link) (more bool, err error)) error {
	all, err := s.links.index(stream).grow(ctx, s.Log, filter, math.MaxInt64)
	if err != nil || all == 0 {
		return err
	}
	revision := all - 1
	if !from.end {
		revision = min(revision, from.number)
	}
	var first eventlog.Position
	if err := s.linksFrom(ctx, stream, filter, revision, func(one link) (bool, error) {
		first = one.record.Position
		return false, nil
	}); err != nil {
		return err
	}
	number, err := first.Number()
	if err != nil {
		return err
	}
	for record, err := range s.Log.AllBackward(ctx, eventlog.PositionOf(number+1), filter) {
		if err != nil {
			return err
		}
		if more, err := each(link{&record, stream, revision}); err != nil || !more {
			return err
		}
		revision--
	}
	return nil
}

// subscribeLinks sends the links of a stream after place, then those that come.
func (s *Server) subscribeLinks(ctx context.Context, out *replies, stream string, filter eventlog.Filter, from place) error {
	index := s.links.index(stream)
	next := from.number + 1
	if from.start {
		next = 0
	}
	beyond := next - 1
	if from.end {
		beyond = math.MaxInt64
	}
	count, err := index.grow(ctx, s.Log, filter, beyond)
	if err != nil {
		return err
	}
	if from.end {
		next = count
	}
	if err := out.confirmation(); err != nil {
		return err
	}
	after, revision := index.before(min(next, count))
	lag, live := 0, false
	for delivery, err := range s.Log.Subscribe(ctx, after, filter) {
		if err != nil {
			return err
		}
		if delivery.Record != nil {
			if revision >= next {
				if err := out.link(link{delivery.Record, stream, revision}); err != nil {
					return err
				}
				lag++
			}
			revision++
			continue
		}
		if !delivery.CaughtUp {
			continue
		}
		if !live || lag > behind {
			live = true
			if err := out.caughtUpAt(revision-1, s.Now()); err != nil {
				return err
			}
		}
		lag = 0
	}
	return nil
}

// link sends a link, with the event that it leads to if the client wants that.
func (r *replies) link(one link) error {
	event, err := r.linkOf(one)
	if err != nil {
		return err
	}
	return r.SendMsg(&pb.ReadResp{Content: &pb.ReadResp_Event{Event: event}})
}

// id is that of the link itself.
func (l link) id() string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(l.stream+"/"+l.record.ID)).String()
}

func (r *replies) linkOf(one link) (*pb.ReadResp_ReadEvent, error) {
	number, err := wirePosition(one.record.Position)
	if err != nil {
		return nil, err
	}
	id, err := r.id(one.id())
	if err != nil {
		return nil, err
	}
	event := &pb.ReadResp_ReadEvent{
		Event: &pb.ReadResp_RecordedEvent{
			Id:               id,
			StreamIdentifier: &pb.StreamIdentifier{StreamName: []byte(one.stream)},
			StreamRevision:   uint64(one.revision),
			PreparePosition:  number,
			CommitPosition:   number,
			Metadata: map[string]string{
				metadataType: linkType, metadataContentType: otherContent, metadataCreated: strconv.FormatInt(ticks(one.record.RecordedAt), 10),
			},
			Data: []byte(strconv.FormatInt(one.record.Revision, 10) + "@" + one.record.Stream),
		},
		Position: &pb.ReadResp_ReadEvent_CommitPosition{CommitPosition: number},
	}
	if r.resolve {
		leads, err := r.recorded(one.record)
		if err != nil {
			return nil, err
		}
		event.Event, event.Link = leads, event.Event
	}
	return event, nil
}
