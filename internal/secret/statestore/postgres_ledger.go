package statestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// Record implements [watermillsub.Ledger].
func (p *Postgres) Record(ctx context.Context, attempts []watermillsub.Attempt) error {
	err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		// Nobody misses the last moments before a server died, so it does not wait for the disk.
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, a := range attempts {
			var next *time.Time
			if !a.Next.IsZero() {
				next = &a.Next
			}
			batch.Queue(`INSERT INTO kintsugi_state.delivery (receiver, at, event, stream, revision, type, lane, by_hand, nth, status, error, answer, took, next)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`, a.Of, a.At, a.Event, a.Stream, a.Revision, a.Type, a.Lane, a.ByHand,
				a.Nth, a.Status, a.Error, a.Answer, a.Took.Microseconds(), next)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fail(err, "keep attempts")
	}
	return nil
}

// Attempts implements [watermillsub.Ledger].
func (p *Postgres) Attempts(ctx context.Context, q watermillsub.AttemptQuery) ([]watermillsub.Attempt, error) {
	where, args := `receiver = $1`, []any{q.Of}
	if q.Failed {
		where += ` AND failed`
	}
	for _, one := range []struct {
		wanted    bool
		condition string
		value     any
	}{{q.Event != "", ` AND event = $%d`, q.Event}, {!q.Since.IsZero(), ` AND at >= $%d`, q.Since}, {q.Before != 0, ` AND id < $%d`, q.Before}} {
		if one.wanted {
			args = append(args, one.value)
			where += fmt.Sprintf(one.condition, len(args))
		}
	}
	args = append(args, q.Limit)
	rows, err := p.pool.Query(ctx, `SELECT id, receiver, at, event, stream, revision, type, lane, by_hand, nth, status, error, answer, took, next
		FROM kintsugi_state.delivery WHERE `+where+fmt.Sprintf(` ORDER BY id DESC LIMIT $%d`, len(args)), args...)
	if err != nil {
		return nil, fail(err, "read the attempts of %s", q.Of)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a watermillsub.Attempt, err error) {
		var took int64
		var next *time.Time
		err = row.Scan(&a.ID, &a.Of, &a.At, &a.Event, &a.Stream, &a.Revision, &a.Type, &a.Lane, &a.ByHand, &a.Nth, &a.Status, &a.Error, &a.Answer, &took, &next)
		a.At, a.Took = a.At.UTC(), time.Duration(took)*time.Microsecond
		if next != nil {
			a.Next = next.UTC()
		}
		return a, err
	})
	if err != nil {
		return nil, fail(err, "read the attempts of %s", q.Of)
	}
	return found, nil
}

// Trim implements [watermillsub.Ledger].
func (p *Postgres) Trim(ctx context.Context, of string, keep int, before time.Time) error {
	_, err := p.pool.Exec(ctx, `DELETE FROM kintsugi_state.delivery WHERE at < $1`, before)
	for _, failed := range []bool{false, true} {
		_, trimming := p.pool.Exec(ctx, `DELETE FROM kintsugi_state.delivery WHERE receiver = $1 AND failed = $2 AND id <=
			(SELECT id FROM kintsugi_state.delivery WHERE receiver = $1 AND failed = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)`, of, failed, keep)
		err = errors.Join(err, trimming)
	}
	if err != nil {
		return fail(err, "trim the attempts of %s", of)
	}
	return nil
}

// Forget implements [watermillsub.Ledger].
func (p *Postgres) Forget(ctx context.Context, of string) error {
	if _, err := p.pool.Exec(ctx, `DELETE FROM kintsugi_state.delivery WHERE receiver = $1`, of); err != nil {
		return fail(err, "forget the attempts of %s", of)
	}
	return nil
}

// ForgetLane implements [watermillsub.Ledger].
func (p *Postgres) ForgetLane(ctx context.Context, lane string) error {
	if _, err := p.pool.Exec(ctx, `DELETE FROM kintsugi_state.delivery WHERE lane = $1`, lane); err != nil {
		return fail(err, "forget the attempts about %s", lane)
	}
	return nil
}
