package statestore

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// Record implements [watermillsub.Ledger].
func (s *SQLite) Record(ctx context.Context, attempts []watermillsub.Attempt) error {
	return s.do(ctx, "keep attempts", func(conn *sqlite.Conn) error {
		// Nobody misses the last moments before a loss of power, so it does not wait for the disk.
		if err := sqlitedb.Exec(conn, "PRAGMA synchronous = normal"); err != nil {
			return err
		}
		return sqlitedb.Immediate(conn, func() error {
			for _, a := range attempts {
				if err := sqlitedb.Do(conn, `INSERT INTO delivery (receiver, at, event, stream, revision, type, lane, by_hand, nth, status, error, answer, took, next)
					VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, a.Of, a.At.UnixMicro(), a.Event, a.Stream, a.Revision, a.Type, a.Lane, a.ByHand,
					int64(a.Nth), int64(a.Status), a.Error, a.Answer, a.Took.Microseconds(), micro(a.Next)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// micro is a time as it is kept, 0 for none.
func micro(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

// Attempts implements [watermillsub.Ledger].
func (s *SQLite) Attempts(ctx context.Context, q watermillsub.AttemptQuery) (found []watermillsub.Attempt, err error) {
	where, args := `receiver = ?`, []any{q.Of}
	if q.Failed {
		where += ` AND failed = 1`
	}
	for _, one := range []struct {
		wanted    bool
		condition string
		value     any
	}{{q.Event != "", ` AND event = ?`, q.Event}, {!q.Since.IsZero(), ` AND at >= ?`, q.Since.UnixMicro()}, {q.Before != 0, ` AND id < ?`, q.Before}} {
		if one.wanted {
			where, args = where+one.condition, append(args, one.value)
		}
	}
	err = s.do(ctx, "read the attempts of "+q.Of, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT id, receiver, at, event, stream, revision, type, lane, by_hand, nth, status, error, answer, took, next
			FROM delivery WHERE `+where+` ORDER BY id DESC LIMIT ?`, &sqlitex.ExecOptions{
			Args: append(args, q.Limit), ResultFunc: func(row *sqlite.Stmt) error {
				a := watermillsub.Attempt{
					ID: row.ColumnInt64(0), Of: row.ColumnText(1), At: time.UnixMicro(row.ColumnInt64(2)).UTC(), Event: row.ColumnText(3), Stream: row.ColumnText(4),
					Revision: row.ColumnInt64(5), Type: row.ColumnText(6), Lane: row.ColumnText(7), ByHand: row.ColumnText(8), Nth: row.ColumnInt(9),
					Status: row.ColumnInt(10), Error: row.ColumnText(11), Answer: row.ColumnText(12), Took: time.Duration(row.ColumnInt64(13)) * time.Microsecond,
				}
				if next := row.ColumnInt64(14); next != 0 {
					a.Next = time.UnixMicro(next).UTC()
				}
				found = append(found, a)
				return nil
			},
		})
	})
	return found, err
}

// Trim implements [watermillsub.Ledger].
func (s *SQLite) Trim(ctx context.Context, of string, keep int, before time.Time) error {
	return s.do(ctx, "trim the attempts of "+of, func(conn *sqlite.Conn) error {
		if err := sqlitedb.Do(conn, `DELETE FROM delivery WHERE at < ?`, before.UnixMicro()); err != nil {
			return err
		}
		for failed := range int64(2) {
			if err := sqlitedb.Do(conn, `DELETE FROM delivery WHERE receiver = ?1 AND failed = ?2 AND id <=
				(SELECT id FROM delivery WHERE receiver = ?1 AND failed = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)`, of, failed, int64(keep)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Forget implements [watermillsub.Ledger].
func (s *SQLite) Forget(ctx context.Context, of string) error {
	return s.do(ctx, "forget the attempts of "+of, func(conn *sqlite.Conn) error { return sqlitedb.Do(conn, `DELETE FROM delivery WHERE receiver = ?`, of) })
}

// ForgetLane implements [watermillsub.Ledger].
func (s *SQLite) ForgetLane(ctx context.Context, lane string) error {
	return s.do(ctx, "forget the attempts about "+lane, func(conn *sqlite.Conn) error { return sqlitedb.Do(conn, `DELETE FROM delivery WHERE lane = ?`, lane) })
}
