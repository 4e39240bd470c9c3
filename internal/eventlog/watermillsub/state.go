package watermillsub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Place is how far a group is.
type Place struct {
	// Read is an event that was read, to go on after.
	Read eventlog.Checkpoint `json:"read"`
	// Lanes are those with events up to Read that were not acknowledged, or with some after Read that were.
	Lanes map[string]LanePlace `json:"lanes,omitempty"`
	// LeftOut is how many events were acknowledged as [LeftOut] since the group began.
	LeftOut int64 `json:"left_out,omitempty"`
}

// LeftOut is set in the metadata of a message that its handler acknowledges without having done anything, as it is not wanted.
const LeftOut = "left_out"

// LanePlace is where a lane goes on.
type LanePlace struct {
	After    eventlog.Checkpoint `json:"after"` // every event of the lane that was acknowledged is not after this one
	Failures int                 `json:"failures,omitempty"`
	Since    time.Time           `json:"since,omitzero"`
	Why      string              `json:"why,omitempty"`
	Due      time.Time           `json:"due,omitzero"`
}

// in is the place with the positions that its events have in a log, which may be a copy of the one that it was kept for.
func (p Place) in(ctx context.Context, log eventlog.Log) (Place, error) {
	var err error
	if p.Read.Position, err = eventlog.Resolve(ctx, log, p.Read); err != nil {
		return p, err
	}
	lanes := make(map[string]LanePlace, len(p.Lanes))
	for key, lane := range p.Lanes {
		if lane.After.Position, err = eventlog.Resolve(ctx, log, lane.After); err != nil {
			return p, err
		}
		lanes[key] = lane
	}
	p.Lanes = lanes
	return p, nil
}

// state is how far a group is, as it is saved.
type state struct {
	Place
	// Noted says that a place of the group was noted in the log before this was saved.
	Noted bool `json:"noted,omitempty"`
}

// loaded is where a group goes on.
type loaded struct {
	Place
	noted bool // the log has a place of the group
	// found says that this is the place that the log has, and lost is the one that was kept, if any was.
	found bool
	lost  eventlog.Checkpoint
}

// load finds where a group goes on: where it was when it was saved last, or else, if nothing was saved or that is of another log, where
// the log itself says it was. It returns an [*eventlog.NotOfLogError] if neither is known.
func load(ctx context.Context, config Config, saved []byte) (loaded, error) {
	noted, err := config.Noted(ctx)
	if err != nil {
		return loaded{}, err
	}
	at := loaded{noted: noted != nil}
	if len(saved) > 0 {
		var s state
		if err := json.Unmarshal(saved, &s); err != nil {
			return at, fmt.Errorf("watermillsub: the state of group %s: %w", config.Group, err)
		}
		at.lost = s.Read
		if !s.Noted || noted != nil { // or it is of a group that another life of this log had
			at.Place, err = s.in(ctx, config.Log)
			if _, another := errors.AsType[*eventlog.NotOfLogError](err); !another || noted == nil {
				return at, err
			}
		}
	}
	if noted == nil {
		at.Read, err = eventlog.CheckpointAt(ctx, config.Log, config.From)
		return at, err
	}
	at.found = true
	at.Place, err = noted.in(ctx, config.Log)
	return at, err
}

// Progress is how far a group was when it was saved last.
type Progress struct {
	// Read is the event that reading goes on after, in this log; zero before the first.
	Read eventlog.Checkpoint
	// Waiting is how many events are not acknowledged that the group had read by then or that came since, up to the limit.
	Waiting int
	// LeftOut is how many events were not wanted when their turn came.
	LeftOut int64
	// Failing are lanes with an event that was tried and not acknowledged, why by lane.
	Failing map[string]string
}

// Kept is the place that was saved last for a topic of the group, if there is one and it is of this log.
func (s *Subscriber) Kept(ctx context.Context, topic string) (at Place, kept bool, err error) {
	saved, err := s.config.Groups.Look(ctx, Key(s.config.Group, topic))
	if err != nil || len(saved) == 0 {
		return at, false, err
	}
	found, err := load(ctx, s.config, saved)
	return found.Place, err == nil && !found.found, err
}

// Progress looks at what was saved for a topic of the group, and counts what is behind it up to a limit.
func (s *Subscriber) Progress(ctx context.Context, topic string, limit int) (Progress, error) {
	saved, err := s.config.Groups.Look(ctx, Key(s.config.Group, topic))
	if err != nil {
		return Progress{}, err
	}
	at, err := load(ctx, s.config, saved)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Read: at.Read, LeftOut: at.LeftOut, Failing: map[string]string{}}
	from := at.Read.Position
	for key, lane := range at.Lanes {
		from = min(from, lane.After.Position)
		if lane.Failures > 0 {
			p.Failing[key] = lane.Why
		}
	}
	for record, err := range s.config.Log.All(ctx, from, s.config.Filter(topic)) {
		if err != nil {
			return p, err
		}
		key, wanted, err := s.config.Lane(ctx, record)
		if err != nil {
			return p, err
		}
		after := at.Read.Position
		if lane, behind := at.Lanes[key]; behind {
			after = lane.After.Position
		}
		if !wanted || record.Position <= after {
			continue
		}
		if p.Waiting++; p.Waiting == limit {
			break
		}
	}
	return p, nil
}
