package readmodel

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// loadCheckpoint says which event was applied last; the zero Checkpoint is none.
func loadCheckpoint(conn *sqlite.Conn) (eventlog.Checkpoint, error) {
	rows := newQuery(conn).Rows("SELECT position, stream, revision, event_id FROM readmodel_checkpoint")
	found, ok, err := First(rows, func(row Row) (eventlog.Checkpoint, error) {
		return eventlog.Checkpoint{
			Position: eventlog.Position(row.Text("position")), Stream: row.Text("stream"),
			Revision: row.Int64("revision"), EventID: row.Text("event_id"),
		}, nil
	})
	if err == nil && !ok {
		err = fmt.Errorf("readmodel: the checkpoint is missing")
	}
	return found, err
}

func saveCheckpoint(tx *Tx, c eventlog.Checkpoint) error {
	_, err := tx.Exec("UPDATE readmodel_checkpoint SET position = ?, stream = ?, revision = ?, event_id = ?",
		c.Position, c.Stream, c.Revision, c.EventID)
	return err
}

// resolve gives a checkpoint the position that its event has in the log. It is not there if the
// log is no copy of the one that the checkpoint was made on, or was restored from an older copy.
func resolve(ctx context.Context, log eventlog.Log, c eventlog.Checkpoint) (here eventlog.Checkpoint, there bool, err error) {
	position, err := eventlog.Resolve(ctx, log, c)
	if _, not := errors.AsType[*eventlog.NotOfLogError](err); not {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("readmodel: look up the checkpoint in the log: %w", err)
	}
	c.Position = position
	return c, true, nil
}
