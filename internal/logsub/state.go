package logsub

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// state is how far a group is, as it is saved.
type state struct {
	// Read is an event that was read, to go on after.
	Read eventlog.Checkpoint `json:"read"`
	// Lanes are those with events up to Read that were not acknowledged, or with some after Read that were.
	Lanes map[string]laneState `json:"lanes,omitempty"`
}

// laneState is where a lane goes on.
type laneState struct {
	After    eventlog.Checkpoint `json:"after"` // every event of the lane that was acknowledged is not after this one
	Failures int                 `json:"failures,omitempty"`
	Since    time.Time           `json:"since,omitzero"`
	Why      string              `json:"why,omitempty"`
	Due      time.Time           `json:"due,omitzero"`
}

// load reads what was saved, with the positions that events have in this log, which may be a copy of the one it was saved for.
func load(ctx context.Context, config Config, saved []byte) (state, error) {
	var s state
	if len(saved) == 0 {
		at, err := eventlog.CheckpointAt(ctx, config.Log, config.From)
		return state{Read: at}, err
	}
	if err := json.Unmarshal(saved, &s); err != nil {
		return s, fmt.Errorf("logsub: the state of group %s: %w", config.Group, err)
	}
	var err error
	if s.Read.Position, err = eventlog.Resolve(ctx, config.Log, s.Read); err != nil {
		return s, err
	}
	for key, lane := range s.Lanes {
		if lane.After.Position, err = eventlog.Resolve(ctx, config.Log, lane.After); err != nil {
			return s, err
		}
		s.Lanes[key] = lane
	}
	return s, nil
}

// Progress is how far a group was when it was saved last.
type Progress struct {
	// Read is the event that reading goes on after, in this log; zero before the first.
	Read eventlog.Checkpoint
	// Waiting is how many events are not acknowledged that the group had read by then or that came since, up to the limit.
	Waiting int
	// Failing are lanes with an event that was tried and not acknowledged, why by lane.
	Failing map[string]string
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
	p := Progress{Read: at.Read, Failing: map[string]string{}}
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
		key, wanted := s.config.Lane(record)
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
