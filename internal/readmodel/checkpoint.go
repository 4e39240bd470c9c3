package readmodel

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// checkpoint says which event was applied last. The zero value is none.
type checkpoint struct {
	previous eventlog.Position
	position eventlog.Position
	eventID  string
}

func loadCheckpoint(conn *sqlite.Conn) (checkpoint, error) {
	rows := newQuery(conn).Rows("SELECT previous, position, event_id FROM readmodel_checkpoint")
	found, ok, err := First(rows, func(row Row) (checkpoint, error) {
		return checkpoint{
			previous: eventlog.Position(row.Text("previous")),
			position: eventlog.Position(row.Text("position")),
			eventID:  row.Text("event_id"),
		}, nil
	})
	if err == nil && !ok {
		err = fmt.Errorf("readmodel: the checkpoint is missing")
	}
	return found, err
}

func (c checkpoint) save(tx *Tx) error {
	_, err := tx.Exec("UPDATE readmodel_checkpoint SET previous = ?, position = ?, event_id = ?", c.previous, c.position, c.eventID)
	return err
}

// isIn reports whether the log has the event of the checkpoint where the checkpoint says.
// It has not if the log is another one, or was restored from an older copy.
func (c checkpoint) isIn(ctx context.Context, log eventlog.Log) (bool, error) {
	if c.position == eventlog.Start {
		return true, nil
	}
	for record, err := range log.All(ctx, c.previous, eventlog.Everything) {
		if err != nil {
			return false, err
		}
		return record.Position == c.position && record.ID == c.eventID, nil
	}
	return false, nil
}
