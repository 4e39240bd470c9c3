package readmodel

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
)

// Aside is a stream that is set aside: one of its events cannot be applied, so that what its later ones say means
// nothing. The views are without it from there on, and every other stream goes on. It ends when the event can be
// applied again, by another program or because the log was restored: then the views are built anew.
type Aside struct {
	Stream   string `json:"stream"`
	Revision int64  `json:"revision"` // of the event that cannot be applied
	EventID  string `json:"event_id"`
	Type     string `json:"type"`
	Reason   string `json:"reason"`
	Left     int64  `json:"left_out"` // how many events of it are not in the views
}

// Teller is a [Projection] that tells people of streams that are set aside.
type Teller interface {
	SetAside(tx *Tx, record eventlog.Record, aside Aside) error
}

const asideSchema = `
CREATE TABLE readmodel_aside (
  stream   TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  type     TEXT NOT NULL,
  reason   TEXT NOT NULL,
  left_out INTEGER NOT NULL
) WITHOUT ROWID;
`

// Aside are the streams that are set aside, by name.
func (s *Store) Aside(ctx context.Context) (all []Aside, err error) {
	err = s.Read(ctx, func(q *Query) error {
		all, err = loadAside(q)
		return err
	})
	return all, err
}

func loadAside(q *Query) ([]Aside, error) {
	return Collect(q.Rows("SELECT * FROM readmodel_aside ORDER BY stream"), func(row Row) (Aside, error) {
		return Aside{
			Stream: row.Text("stream"), Revision: row.Int64("revision"), EventID: row.Text("event_id"),
			Type: row.Text("type"), Reason: row.Text("reason"), Left: row.Int64("left_out"),
		}, nil
	})
}

// ofEvent says that an error is one of the event itself, as against a file that cannot be written or read, or an end
// that was asked for.
func ofEvent(ctx context.Context, err error) bool {
	if _, failed := errors.AsType[*projectionError](err); !failed || ctx.Err() != nil || sqlitedb.IsFull(err) {
		return false
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultError, sqlite.ResultConstraint, sqlite.ResultMismatch, sqlite.ResultTooBig, sqlite.ResultRange:
		return true
	}
	return false
}

// applyCarefully applies an event as a whole or not at all: if a projection cannot, its stream is set aside.
func (s *Store) applyCarefully(ctx context.Context, tx *Tx, record eventlog.Record) (setAside bool, err error) {
	err = s.attempt(tx, record, true)
	if !ofEvent(ctx, err) {
		return false, err
	}
	failed, _ := errors.AsType[*projectionError](err)
	reason, _, _ := strings.Cut(failed.err.Error(), "\n") // a panic's has its stack
	aside := Aside{Stream: record.Stream, Revision: record.Revision, EventID: record.ID, Type: record.Type, Reason: reason, Left: 1}
	s.logger.Error("a stream cannot be read and is set aside; everything else goes on",
		"stream", aside.Stream, "revision", aside.Revision, "type", aside.Type, "error", failed.err)
	_, err = tx.Exec("INSERT INTO readmodel_aside VALUES (?, ?, ?, ?, ?, ?)",
		aside.Stream, aside.Revision, aside.EventID, aside.Type, aside.Reason, aside.Left)
	for _, projection := range s.projections {
		if teller, tells := projection.(Teller); err == nil && tells {
			err = teller.SetAside(tx, record, aside)
		}
	}
	return true, err
}

// attempt applies an event in a savepoint, which it keeps if that is wanted and every projection could.
func (s *Store) attempt(tx *Tx, record eventlog.Record, keep bool) (err error) {
	if err := sqlitedb.Do(s.writer, "SAVEPOINT record"); err != nil {
		return err
	}
	err = s.applyAll(tx, record)
	if err != nil || !keep {
		if failed := sqlitedb.Do(s.writer, "ROLLBACK TO record"); failed != nil {
			return errors.Join(err, failed)
		}
	}
	return errors.Join(err, sqlitedb.Do(s.writer, "RELEASE record"))
}

// skip leaves out an event of a stream that is set aside.
func skip(tx *Tx, record eventlog.Record) error {
	_, err := tx.Exec("UPDATE readmodel_aside SET left_out = left_out + 1 WHERE stream = ?", record.Stream)
	return err
}

// readableAgain says whether a stream that was set aside can be gone on with: then the views are built anew, as if
// nothing had been in the way.
func (s *Store) readableAgain(ctx context.Context) (again bool, err error) {
	all, err := loadAside(newQuery(s.writer))
	if err != nil {
		return false, ofViews(err)
	}
	for _, aside := range all {
		record, found, err := recordAt(ctx, s.log, aside)
		if err != nil {
			return false, err
		}
		if !found {
			continue
		}
		err = sqlitedb.Immediate(s.writer, func() error { return s.attempt(&Tx{newQuery(s.writer)}, record, false) })
		switch {
		case err == nil:
			s.logger.Warn("a stream that was set aside can be read again: views are rebuilt", "file", s.path, "stream", aside.Stream)
			return true, nil
		case !ofEvent(ctx, err):
			return false, ofViews(err)
		}
	}
	return false, nil
}

// recordAt is the event that a stream was set aside for, as the log has it now.
func recordAt(ctx context.Context, log eventlog.Log, aside Aside) (found eventlog.Record, there bool, err error) {
	for record, err := range log.Stream(ctx, aside.Stream, aside.Revision) {
		switch {
		case errors.Is(err, eventlog.ErrDamaged):
			return found, false, nil
		case err != nil:
			return found, false, fmt.Errorf("readmodel: look again at stream %s: %w", aside.Stream, err)
		}
		return record, record.Revision == aside.Revision, nil
	}
	return found, false, nil
}
