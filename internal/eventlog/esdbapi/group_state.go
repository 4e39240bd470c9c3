package esdbapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Persistent subscriptions are groups of consumers that share a place. All that is known of a group is in the log, on a stream of the group:
// so a backup, a copy and a restored log have it, and no node keeps anything beside the log.
const (
	// groupPrefix begins the names of the streams of groups.
	groupPrefix = "eventstore-group-"
	// wholeLog is the source of the groups that read the whole log.
	wholeLog = "$all"

	groupCreated  = "EventStoreGroupCreated"
	groupUpdated  = "EventStoreGroupUpdated"
	groupAdvanced = "EventStoreGroupAdvanced"
	groupParked   = "EventStoreGroupParked"
	groupUnparked = "EventStoreGroupUnparked"
	groupDeleted  = "EventStoreGroupDeleted"
)

// groupID says which group is meant: a name, and a stream or the whole log.
type groupID struct {
	Source string `json:"source"`
	Name   string `json:"name"`
}

func (id groupID) stream() string { return groupPrefix + id.Source + "::" + id.Name }

// groupSettings are what a client chose for a group. Sizes and counts that are zero are the protocol's defaults.
type groupSettings struct {
	ResolveLinks    bool   `json:"resolve_links,omitempty"`
	ExtraStatistics bool   `json:"extra_statistics,omitempty"`
	MaxRetries      int32  `json:"max_retries"`
	MessageTimeout  int32  `json:"message_timeout_ms"` // 0 for none
	CheckpointAfter int32  `json:"checkpoint_after_ms"`
	MinCheckpoint   int32  `json:"min_checkpoint"`
	MaxCheckpoint   int32  `json:"max_checkpoint"`
	MaxSubscribers  int32  `json:"max_subscribers"` // 0 for any number
	LiveBuffer      int32  `json:"live_buffer"`
	ReadBatch       int32  `json:"read_batch"`
	HistoryBuffer   int32  `json:"history_buffer"`
	Strategy        string `json:"strategy"`
}

// groupFilter selects events of the whole log.
type groupFilter struct {
	ByType   bool     `json:"by_type,omitempty"`
	Prefixes []string `json:"prefixes,omitempty"`
	Regex    string   `json:"regex,omitempty"`
}

// groupPlace is how far a group is: everything before it was taken, skipped or parked.
type groupPlace struct {
	Next  int64               `json:"next"`           // of a stream, or a stream of links: the revision to go on with
	After eventlog.Checkpoint `json:"after,omitzero"` // of the whole log: the event to go on after
}

// groupState is what every event of a group's stream says, so that the newest is all that has to be read.
type groupState struct {
	groupID
	Settings groupSettings `json:"settings"`
	Filter   *groupFilter  `json:"filter,omitempty"`
	From     string        `json:"from"` // where it began, in the protocol's words
	Place    groupPlace    `json:"place"`
	Last     string        `json:"last,omitempty"` // the last event before the place, in the protocol's words
	Parked   int64         `json:"parked,omitempty"`

	revision int64 // of the event that said it, -1 for none
}

// parkedEvent is what an event says besides that parks one, or takes one back.
type parkedEvent struct {
	groupState
	Event  eventlog.Checkpoint `json:"event"`
	Link   int64               `json:"link"` // the revision of the link that led to it, in a stream of links
	Reason string              `json:"reason,omitempty"`
}

// loadGroup reads what is known of a group; found is false if there is none.
func (s *Server) loadGroup(ctx context.Context, id groupID) (state groupState, found bool, err error) {
	state.revision = -1
	for record, err := range s.Log.StreamBackward(ctx, id.stream(), eventlog.Newest) {
		if err != nil {
			return state, false, err
		}
		if err := json.Unmarshal(record.Payload, &state); err != nil {
			return state, false, fmt.Errorf("esdbapi: event %d of stream %s: %w", record.Revision, record.Stream, err)
		}
		state.revision = record.Revision
		return state, record.Type != groupDeleted, nil
	}
	return state, false, nil
}

// tell appends to a group's stream what became of it. Payload has the state in it.
func (s *Server) tell(ctx context.Context, state *groupState, kind string, payload any) error {
	text, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	appended, err := s.Log.Append(ctx, state.stream(), eventlog.At(state.revision), []eventlog.Event{{
		ID: uuid.NewString(), Type: kind, SchemaVersion: 1, Payload: text,
	}})
	if err != nil {
		return err
	}
	state.revision = appended.Last
	return nil
}

// parkedEvents reads which events of a group are parked, the oldest first.
func (s *Server) parkedEvents(ctx context.Context, id groupID) ([]parkedEvent, error) {
	var parked []parkedEvent
	for record, err := range s.Log.All(ctx, eventlog.Start, eventlog.Filter{
		StreamPrefixes: []string{id.stream()}, Types: []string{groupCreated, groupParked, groupUnparked},
	}) {
		if err != nil {
			return nil, err
		}
		if record.Stream != id.stream() {
			continue
		}
		var one parkedEvent
		if err := json.Unmarshal(record.Payload, &one); err != nil {
			return nil, fmt.Errorf("esdbapi: event %d of stream %s: %w", record.Revision, record.Stream, err)
		}
		switch record.Type {
		case groupCreated:
			parked = nil // those before are of a group that was deleted
		case groupParked:
			parked = append(parked, one)
		case groupUnparked:
			kept := parked[:0]
			for _, p := range parked {
				if p.Event.EventID != one.Event.EventID {
					kept = append(kept, p)
				}
			}
			parked = kept
		}
	}
	return parked, nil
}

// groupIDs lists the groups that there are, in the order in which they were made first.
func (s *Server) groupIDs(ctx context.Context) ([]groupID, error) {
	var ids []groupID
	seen := map[groupID]bool{}
	for record, err := range s.Log.All(ctx, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{groupPrefix}, Types: []string{groupCreated}}) {
		if err != nil {
			return nil, err
		}
		var id groupID
		if err := json.Unmarshal(record.Payload, &id); err != nil {
			return nil, fmt.Errorf("esdbapi: event %d of stream %s: %w", record.Revision, record.Stream, err)
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// sourced is an event that a group reads.
type sourced struct {
	record *eventlog.Record
	link   *link      // that led to it, in a stream of links
	after  groupPlace // the place behind it
}

func (e sourced) id() string {
	if e.link != nil {
		return e.link.id()
	}
	return e.record.ID
}

// follow gives the events of a group from its place on, then those that come, until ctx ends.
func (s *Server) follow(ctx context.Context, state groupState, each func(sourced) error) error {
	if state.Source == wholeLog {
		return s.followAll(ctx, state, each)
	}
	next := state.Place.Next
	if filter, linked := linked(state.Source); linked {
		index := s.links.index(state.Source)
		count, err := index.grow(ctx, s.Log, filter, next-1)
		if err != nil {
			return err
		}
		after, revision := index.before(min(next, count))
		for delivery, err := range s.Log.Subscribe(ctx, after, filter) {
			if err != nil {
				return err
			}
			if delivery.Record == nil {
				continue
			}
			if revision >= next {
				if err := each(sourced{delivery.Record, &link{delivery.Record, state.Source, revision}, groupPlace{Next: revision + 1}}); err != nil {
					return err
				}
			}
			revision++
		}
		return nil
	}
	hint, release := s.Log.Wake()
	defer release()
	for {
		for record, err := range s.Log.Stream(ctx, state.Source, next) {
			if err != nil {
				return err
			}
			next = record.Revision + 1
			if err := each(sourced{record: &record, after: groupPlace{Next: next}}); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-hint:
		}
	}
}

// followAll leaves out what groups themselves write, or a group of everything would never come to rest.
func (s *Server) followAll(ctx context.Context, state groupState, each func(sourced) error) error {
	filter, err := state.Filter.compile()
	if err != nil {
		return err
	}
	after, err := eventlog.Resolve(ctx, s.Log, state.Place.After)
	if err != nil {
		return err
	}
	for delivery, err := range s.Log.Subscribe(ctx, after, filter.hint()) {
		if err != nil {
			return err
		}
		record := delivery.Record
		if record == nil || isGroupStream(record.Stream) {
			continue
		}
		passes, err := filter.passes(record)
		if err != nil {
			return err
		}
		if passes {
			if err := each(sourced{record: record, after: groupPlace{After: eventlog.CheckpointOf(*record)}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// of reads a parked event again.
func (p parkedEvent) of(ctx context.Context, log eventlog.Log) (sourced, error) {
	for record, err := range log.Stream(ctx, p.Event.Stream, p.Event.Revision) {
		if err != nil {
			return sourced{}, err
		}
		found := sourced{record: &record}
		if _, linked := linked(p.Source); linked {
			found.link = &link{&record, p.Source, p.Link}
		}
		return found, nil
	}
	return sourced{}, &eventlog.NotOfLogError{Checkpoint: p.Event}
}

// begin finds the place of a new group.
func (s *Server) begin(ctx context.Context, source string, from place) (groupPlace, error) {
	switch {
	case source == wholeLog:
		after := eventlog.PositionOf(max(from.number, 1) - 1)
		if from.end {
			head, err := s.Log.Head(ctx)
			if err != nil {
				return groupPlace{}, err
			}
			after = head
		}
		checkpoint, err := eventlog.CheckpointAt(ctx, s.Log, after)
		return groupPlace{After: checkpoint}, err
	case !from.end:
		return groupPlace{Next: from.number}, nil
	}
	last, err := s.lastOf(ctx, source)
	return groupPlace{Next: last + 1}, err
}

// lastOf is the revision of the last event of a stream, or of the last link of a stream of links; -1 if it has none.
func (s *Server) lastOf(ctx context.Context, source string) (int64, error) {
	filter, linked := linked(source)
	if !linked {
		return s.last(ctx, source)
	}
	count, err := s.links.index(source).grow(ctx, s.Log, filter, eventlog.Newest)
	return count - 1, err
}

const (
	defaultBuffer        = 500
	defaultMaxCheckpoint = 1000
	// mostBuffered bounds what a group may hold in memory.
	mostBuffered = 10_000
	// tellTimeout is how long a group that ends tries to say where it is.
	tellTimeout = 5 * time.Second
)

// buffer is how many events a group holds that are not taken.
func (g groupSettings) buffer() int {
	size := max(g.HistoryBuffer, g.LiveBuffer)
	if size <= 0 {
		size = defaultBuffer
	}
	return int(min(size, mostBuffered))
}

// The ways to choose among consumers.
const (
	dispatchToSingle = "DispatchToSingle"
	roundRobin       = "RoundRobin"
	pinned           = "Pinned"
)

func (g groupSettings) validate() error {
	switch g.Strategy {
	case dispatchToSingle, roundRobin, pinned:
	default:
		return invalid("the consumer strategy %q is not there; choose RoundRobin, DispatchToSingle or Pinned", g.Strategy)
	}
	for name, number := range map[string]int32{
		"max_retry_count": g.MaxRetries, "message_timeout": g.MessageTimeout, "checkpoint_after": g.CheckpointAfter, "min_checkpoint_count": g.MinCheckpoint,
		"max_checkpoint_count": g.MaxCheckpoint, "max_subscriber_count": g.MaxSubscribers, "live_buffer_size": g.LiveBuffer,
		"read_batch_size": g.ReadBatch, "history_buffer_size": g.HistoryBuffer,
	} {
		if number < 0 {
			return invalid("%s is %d, and cannot be less than 0", name, number)
		}
	}
	return nil
}

func isGroupStream(stream string) bool { return strings.HasPrefix(stream, groupPrefix) }

func isConflict(err error) bool {
	_, is := errors.AsType[*eventlog.ConflictError](err)
	return is
}

// groupFault is an error about a group.
func groupFault(code codes.Code, exception string, id groupID, format string, args ...any) error {
	return &fault{
		code: code, exception: exception, values: []string{"stream-name", printable(id.Source), "group-name", printable(id.Name)},
		message: fmt.Sprintf(format, args...),
	}
}
