package watermillsub

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// scan is one reading of the log for lanes that are behind: of all that are due at once, as each begins somewhere else in
// the same log.
type scan struct {
	lanes map[string]*catchUp
	last  eventlog.Checkpoint // everything up to this event was looked at
	whole bool                // up to the head of the log
	err   error
}

// catchUp holds the events that a scan found for a lane.
type catchUp struct {
	lane  *lane
	after eventlog.Position
	limit int // how many of its events are wanted
	found []entry
	full  bool // there may be more after what was found
}

// readAgain begins to read the lanes again that are due, unless that is under way.
func (d *delivery) readAgain(ctx context.Context) {
	room := window - d.buffered
	if d.scanning || room <= 0 {
		return
	}
	now := time.Now()
	s := scan{lanes: map[string]*catchUp{}}
	for of := range d.again {
		if of.due.After(now) {
			continue
		}
		if len(s.lanes) == 0 || of.after.Position < s.last.Position {
			s.last = of.after
		}
		s.lanes[of.key] = &catchUp{lane: of, after: of.after.Position, limit: laneWindow}
		if of.failures > 0 {
			s.lanes[of.key].limit = 1 // which is near: a lane that is stuck is not read to its end for each try
		}
	}
	if len(s.lanes) == 0 {
		return
	}
	d.scanning = true
	go func() {
		found := s
		if err := panics.Guard(func() error { found = d.look(ctx, s, room); return nil }); err != nil {
			found.err = err
		}
		d.scans <- found
	}()
}

// look reads the log from where the first of the lanes goes on, until the room is used, every lane has enough, or the head.
func (d *delivery) look(ctx context.Context, s scan, room int) scan {
	full := 0
	for record, err := range d.config.Log.All(ctx, s.last.Position, d.filter) {
		if err != nil {
			s.err = err
			return s
		}
		before := s.last
		s.last = eventlog.CheckpointOf(record)
		key, wanted, err := d.config.Lane(ctx, record)
		if err != nil {
			s.last, s.err = before, err
			return s
		}
		of := s.lanes[key]
		if !wanted || of == nil || of.full || record.Position <= of.after {
			continue
		}
		of.found = append(of.found, entry{record, before})
		if room--; room == 0 {
			return s
		}
		if of.full = len(of.found) == of.limit; of.full {
			if full++; full == len(s.lanes) {
				return s
			}
		}
	}
	s.whole = true
	return s
}

// found gives the lanes what was found. Those that were read up to where the head is are not behind any more.
func (d *delivery) found(s scan) error {
	d.scanning, d.hold = false, false
	if s.err != nil {
		return s.err
	}
	for _, of := range s.lanes {
		delete(d.again, of.lane)
		switch {
		case of.full:
			of.lane.after = eventlog.CheckpointOf(of.found[len(of.found)-1].record)
		case s.last.Position >= d.read.Position:
			of.lane.behind, of.lane.known = false, s.last
		default:
			if s.last.Position > of.lane.after.Position {
				of.lane.after = s.last
			}
			// The rest is what came meanwhile. The head waits until that is read, or it would be ahead again.
			d.hold = d.hold || s.whole && len(of.found) == 0
		}
		if d.push(of.lane, of.found...); len(of.found) == 0 {
			d.rest(of.lane)
		}
	}
	return nil
}
