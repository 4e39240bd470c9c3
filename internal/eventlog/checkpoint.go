package eventlog

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Checkpoint names an event so that it is found again in any copy of its log: a position is a
// place in one log only, stream, revision and id are the same in all copies.
// The zero Checkpoint is before the first event. Its text and its JSON are stored by people
// and programs, and do not change.
type Checkpoint struct {
	Position Position `json:"position"` // where the event is, in the log that the checkpoint was made on
	Stream   string   `json:"stream"`
	Revision int64    `json:"revision"`
	EventID  string   `json:"event_id"`
}

// CheckpointOf names an event.
func CheckpointOf(record Record) Checkpoint {
	return Checkpoint{Position: record.Position, Stream: record.Stream, Revision: record.Revision, EventID: record.ID}
}

// CheckpointAt names the newest event that is not after a position, which is how far a
// subscription has come that has a position between two events. It is the zero Checkpoint
// if there is none.
func CheckpointAt(ctx context.Context, log Log, position Position) (Checkpoint, error) {
	record, found, err := newestUpTo(ctx, log, position)
	if err != nil || !found {
		return Checkpoint{}, err
	}
	return CheckpointOf(record), nil
}

// String is the checkpoint as [ParseCheckpoint] reads it: position, stream, revision and event
// id with a space between, "start" for the zero Checkpoint.
func (c Checkpoint) String() string {
	if c == (Checkpoint{}) {
		return startText
	}
	return fmt.Sprintf("%s %s %d %s", c.Position, c.Stream, c.Revision, c.EventID)
}

const startText = "start"

// ParseCheckpoint reads what [Checkpoint.String] or [json.Marshal] wrote.
func ParseCheckpoint(text string) (Checkpoint, error) {
	text = strings.TrimSpace(text)
	if text == startText {
		return Checkpoint{}, nil
	}
	var c Checkpoint
	if strings.HasPrefix(text, "{") {
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return Checkpoint{}, fmt.Errorf("eventlog: the checkpoint is not JSON: %w", err)
		}
	} else {
		parts := strings.Fields(text)
		if len(parts) != 4 {
			return Checkpoint{}, fmt.Errorf("eventlog: %q is not a checkpoint: it has a position, a stream, a revision and an event id, with a space between", text)
		}
		revision, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			return Checkpoint{}, fmt.Errorf("eventlog: the revision of a checkpoint is a number, not %q", parts[2])
		}
		c = Checkpoint{Position: Position(parts[0]), Stream: parts[1], Revision: revision, EventID: parts[3]}
	}
	return c, c.Validate()
}

// Validate says what is wrong with a checkpoint that can be of no log.
func (c Checkpoint) Validate() error {
	if c == (Checkpoint{}) {
		return nil
	}
	if _, err := c.Position.Number(); err != nil {
		return err
	}
	if c.Position == Start || nameFault(c.Stream) != "" || c.Revision < 0 || !isCanonicalUUID(c.EventID) {
		return fmt.Errorf("eventlog: the checkpoint %q does not name an event", c.String())
	}
	return nil
}

// NotOfLogError says that a log does not have the event of a checkpoint: the log is another
// one, or it was cut, or restored from a copy that is older than the checkpoint.
type NotOfLogError struct {
	Checkpoint Checkpoint
	// Instead is the id of the event that the log has at that place of the stream, empty for none.
	Instead string
}

// Error implements error.
func (e *NotOfLogError) Error() string {
	instead := "has no such revision"
	if e.Instead != "" {
		instead = "has event " + e.Instead + " there"
	}
	return fmt.Sprintf("eventlog: the checkpoint is of event %s, revision %d of stream %s, and this log %s: "+
		"it is another log, or it was cut or restored from an older copy",
		e.Checkpoint.EventID, e.Checkpoint.Revision, e.Checkpoint.Stream, instead)
}

// Resolve gives the position that the event of a checkpoint has in a log, which may be a copy of the log that the
// checkpoint was made on: the events after that position are those after the checkpoint. It returns a
// [*NotOfLogError] if the log does not have the event.
func Resolve(ctx context.Context, log Log, c Checkpoint) (Position, error) {
	if err := c.Validate(); err != nil {
		return Start, err
	}
	if c == (Checkpoint{}) {
		return Start, nil
	}
	// In the log itself, or a copy that keeps positions, one look is enough.
	record, found, err := newestUpTo(ctx, log, c.Position)
	if err != nil {
		return Start, err
	}
	if found && CheckpointOf(record) == c {
		return c.Position, nil
	}
	for record, err := range log.Stream(ctx, c.Stream, c.Revision) {
		if err != nil {
			return Start, err
		}
		if record.Revision == c.Revision && record.ID == c.EventID {
			return record.Position, nil
		}
		if record.Revision != c.Revision {
			break
		}
		return Start, &NotOfLogError{Checkpoint: c, Instead: record.ID}
	}
	return Start, &NotOfLogError{Checkpoint: c}
}

// newestUpTo reads the newest event that is at a position or before it.
func newestUpTo(ctx context.Context, log Log, position Position) (record Record, found bool, err error) {
	number, err := position.Number()
	if err != nil {
		return Record{}, false, err
	}
	before := End
	if position < End {
		before = PositionOf(number + 1)
	}
	for record, err := range log.AllBackward(ctx, before, Everything) {
		return record, err == nil, err
	}
	return Record{}, false, nil
}
