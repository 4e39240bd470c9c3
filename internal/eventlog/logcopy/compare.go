package logcopy

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// DifferenceError names the first event at which a target is not a copy.
type DifferenceError struct {
	Event  int64            // the how manieth of the log, from 1
	Source *eventlog.Record // what the source has there, nil for nothing
	Target *eventlog.Record // what the target has there, nil for nothing
	What   string           // differs, if it is the same event
}

// Error implements error.
func (e *DifferenceError) Error() string {
	place := fmt.Sprintf("logcopy: the target is no copy of the source: event %d of it ", e.Event)
	switch {
	case e.Target == nil:
		return place + "is missing"
	case e.Source == nil:
		return place + "is " + describe(*e.Target) + ", and the source ends before it"
	case e.What != "":
		return place + "is " + describe(*e.Target) + " with another " + e.What + " than in the source"
	}
	return place + "is " + describe(*e.Target) + ", in the source it is " + describe(*e.Source)
}

func describe(record eventlog.Record) string {
	return fmt.Sprintf("%s %s, revision %d of stream %s", record.Type, record.ID, record.Revision, record.Stream)
}

// comparison is how far two logs agree.
type comparison struct {
	source   int64               // events in the source, up to the head
	common   int64               // events that both begin with
	from, to eventlog.Checkpoint // the last one of these
	extra    *eventlog.Record    // what the target has after the source's last event, nil for nothing
	streams  int
	chained  int
}

// compare reads the source up to a head and the whole target beside it. It returns a
// [*DifferenceError] where the target has another event than the source, and a
// [*hashchain.BrokenError] where the source lacks an event or a chain of it is broken.
func compare(
	ctx context.Context, from, to eventlog.Log, head eventlog.Position, options Options, stage Stage, total int64,
) (comparison, error) {
	var found comparison
	options.Progress(stage, 0, total)
	next, stop := iter.Pull2(to.All(ctx, eventlog.Start, eventlog.Everything))
	defer stop()
	verifier := hashchain.Verifier{AllowErased: true, Chained: options.Chained}
	more := true
	for source, err := range from.All(ctx, eventlog.Start, eventlog.Everything) {
		if err != nil {
			return found, fmt.Errorf("logcopy: read the source: %w", err)
		}
		if source.Position > head {
			break
		}
		found.source++
		if err := verifier.Check(source); err != nil {
			return found, fmt.Errorf("logcopy: the source: %w", err)
		}
		if more {
			var target eventlog.Record
			if target, err, more = next(); err != nil {
				return found, fmt.Errorf("logcopy: read the target: %w", err)
			}
			if more {
				if what, same := difference(source, target); !same {
					return found, &DifferenceError{Event: found.source, Source: &source, Target: &target, What: what}
				}
				found.common++
				found.from, found.to = eventlog.CheckpointOf(source), eventlog.CheckpointOf(target)
			}
		}
		if found.source%progressEvery == 0 {
			options.Progress(stage, found.source, total)
		}
	}
	options.Progress(stage, found.source, total)
	for stream := range verifier.Heads() {
		found.streams++
		if options.Chained(stream) {
			found.chained++
		}
	}
	if more {
		target, err, another := next()
		if err != nil {
			return found, fmt.Errorf("logcopy: read the target: %w", err)
		}
		if another {
			found.extra = &target
		}
	}
	return found, nil
}

// progressEvery is how often a comparison tells how far it is, in events.
const progressEvery = 1000

// difference says whether two records are the same event at the same place of their stream,
// and if it is the same event with other content, what of it differs.
func difference(a, b eventlog.Record) (what string, same bool) {
	if a.Stream != b.Stream || a.Revision != b.Revision || a.ID != b.ID {
		return "", false
	}
	switch {
	case a.Type != b.Type:
		return "type", false
	case a.SchemaVersion != b.SchemaVersion:
		return "schema version", false
	case !bytes.Equal(a.Payload, b.Payload):
		return "payload", false
	case !bytes.Equal(a.Metadata, b.Metadata):
		return "metadata", false
	}
	return "", true
}
