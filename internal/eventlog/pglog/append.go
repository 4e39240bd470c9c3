package pglog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// graceOfCommit is how long an append whose context ended waits for the commit that has begun:
// a known outcome is worth more than a quick one.
const graceOfCommit = 2 * time.Second

// Append implements [eventlog.Log]. If it returns the error of ctx alone, nothing was appended; if it
// wraps [eventlog.ErrUnavailable] too, the outcome is unknown.
func (l *Log) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if err := eventlog.Validate(stream, expected, events); err != nil {
		return eventlog.Appended{}, err
	}
	return l.submit(ctx, "append to "+stream, func() *request {
		return newRequest(stream, expected, events)
	}, l.judge)
}

// submit waits for the outcome of a request, which is made anew for each attempt. If it could not be done as it
// is, judge says what became of it; [errAgain] if it is to be tried again.
func (l *Log) submit(
	ctx context.Context, doing string, request func() *request, judge func(context.Context, *request) (eventlog.Appended, error),
) (eventlog.Appended, error) {
	if err := ctx.Err(); err != nil {
		return eventlog.Appended{}, err
	}
	wait := newBackoff(l.patience(), l.away)
	inDoubt := false // an earlier attempt may have succeeded
	for {
		r := request()
		if !l.queue.add(r) {
			return eventlog.Appended{}, errors.Join(eventlog.ErrClosed, wait.cause)
		}
		err := l.outcome(ctx, r)
		l.reached(err)
		switch {
		case r.state.Load() == withdrawn:
			return eventlog.Appended{}, gaveUp(ctx.Err(), inDoubt)
		case err == nil && r.appended():
			return appendedAt(r, r.position), nil
		case err == nil || isUniqueViolation(err):
			// Either the stream is not as expected, or one of the ids is there. The events of the stream tell which,
			// or that this append succeeded before.
			var appended eventlog.Appended
			appended, err = judge(ctx, r)
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return eventlog.Appended{}, gaveUp(ctx.Err(), inDoubt)
			}
			if !errors.Is(err, errAgain) {
				return appended, err
			}
		default:
			inDoubt = true
		}
		if !wait.after(ctx, err) {
			return eventlog.Appended{}, l.explain(ctx, doing, err)
		}
	}
}

// gaveUp is the error of an append whose context ended between two attempts.
func gaveUp(cause error, inDoubt bool) error {
	if inDoubt {
		return fmt.Errorf("%w: the outcome of an append is unknown: %w", eventlog.ErrUnavailable, cause)
	}
	return cause
}

// outcome waits for the outcome of one attempt.
func (l *Log) outcome(ctx context.Context, r *request) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	if r.withdraw() {
		return ctx.Err()
	}
	timer := time.NewTimer(graceOfCommit)
	defer timer.Stop()
	select {
	case <-r.done:
		return r.err
	case <-timer.C:
		return gaveUp(ctx.Err(), true)
	}
}

// appended says that everything of a request was.
func (r *request) appended() bool { return r.position > 0 && (r.then == nil || r.then.appended()) }

func appendedAt(r *request, position int64) eventlog.Appended {
	return eventlog.Appended{
		First:    r.expected + 1,
		Last:     r.expected + int64(len(r.events)),
		Position: eventlog.PositionOf(position),
	}
}

// errAgain says that nothing in the stream forbids an append that did not happen: it met
// another one that was not finished.
var errAgain = errors.New("met an unfinished append")

// judgeQuery looks at a stream, and at the events in it that have the ids of an append, in one snapshot.
const judgeQuery = `
SELECT s.revision, e.id::text, e.revision, e.position, e.type, e.schema_version, e.payload
FROM (SELECT (SELECT revision FROM kintsugi.stream WHERE name = $1)) AS s (revision)
LEFT JOIN kintsugi.event e ON e.stream = $1 AND e.id = ANY ($2::text[]::uuid[])`

// judge says what became of an append that a committer could not do: a repeat, a conflict, an
// id with other content, or none of these ([errAgain]).
func (l *Log) judge(ctx context.Context, r *request) (eventlog.Appended, error) {
	ids := make([]string, len(r.events))
	for i, event := range r.events {
		ids[i] = event.ID
	}
	var last int64
	var byID map[string]eventlog.Record
	err := l.read(ctx, "append to "+r.stream, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, judgeQuery, r.stream, ids)
		if err == nil {
			last, byID, err = scanStored(rows)
		}
		return err
	})
	if err != nil {
		return eventlog.Appended{}, err
	}
	repeat, fresh, err := eventlog.Compare(r.stream, r.expected, r.events, last, byID)
	if fresh {
		return eventlog.Appended{}, errAgain
	}
	if _, conflict := errors.AsType[*eventlog.ConflictError](err); conflict && len(byID) == 0 {
		if lost := l.lostTail(ctx, r.stream, last); lost != nil {
			return eventlog.Appended{}, lost // who reads the stream would meet this conflict for ever
		}
	}
	return repeat, err
}

// lostTail says that the newest events of a stream are not there: its row knows of them.
func (l *Log) lostTail(ctx context.Context, stream string, last int64) error {
	var there int64
	err := l.read(ctx, "append to "+stream, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT coalesce(max(revision), -1) FROM kintsugi.event WHERE stream = $1", stream).Scan(&there)
	})
	if err == nil && there < last {
		err = l.explain(ctx, "append to "+stream, fmt.Errorf("its newest revision was %d, and is %d: %w", last, there, errDamaged))
	}
	return err
}

// scanStored gives the last revision of the stream, -1 for none, and the events by id.
func scanStored(rows pgx.Rows) (last int64, byID map[string]eventlog.Record, err error) {
	defer rows.Close()
	last, byID = -1, make(map[string]eventlog.Record)
	for rows.Next() {
		var end, revision, position *int64
		var id, eventType *string
		var schemaVersion *int
		var payload []byte
		if err := rows.Scan(&end, &id, &revision, &position, &eventType, &schemaVersion, &payload); err != nil {
			return 0, nil, err
		}
		if end != nil {
			last = *end
		}
		if id != nil {
			byID[*id] = eventlog.Record{
				Event:    eventlog.Event{Type: *eventType, SchemaVersion: *schemaVersion, Payload: payload},
				Revision: *revision,
				Position: eventlog.PositionOf(*position),
			}
		}
	}
	return last, byID, rows.Err()
}
