package pglog

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Committers makes options with this number of committers.
func Committers(n int) Options { return Options{committers: n} }

// Impatient makes options for tests that wait in vain: for a lost connection, and for an open transaction.
func Impatient(patience, settleFor time.Duration) Options {
	return Options{Patience: patience, settleFor: settleFor}
}

// Hasty makes options for tests in which the server does not answer.
func Hasty(attemptFor time.Duration) Options { return Options{attemptFor: attemptFor} }

// Polling makes options for tests that wait for what is only looked at from time to time.
func Polling(every time.Duration) Options { return Options{pollEvery: every} }

// GraceOfCommit is how long an append whose context ended waits for the commit that has begun.
const GraceOfCommit = graceOfCommit

// BehindPooler says whether the log noticed a pooler.
func (l *Log) BehindPooler() bool { return l.behindPooler }

// Query is one that reads the log, with arguments for EXECUTE.
type Query struct{ SQL, Arguments string }

// Queries are all that read the log.
func (l *Log) Queries() map[string]Query {
	const big = "9223372036854775807"
	return map[string]Query{
		"head":                  {headQuery, ""},
		"all":                   {forward.query, "(1, " + big + ", 100)"},
		"all filtered":          {forward.filtered, "(1, " + big + ", 100, '{s1}', '{Tested}')"},
		"all backward":          {backward.query, "(1, " + big + ", 100)"},
		"all backward filtered": {backward.filtered, "(1, " + big + ", 100, '{}', '{Other}')"},
		"stream":                {streamQuery, "('s1', 0, 100)"},
		"stream backward":       {streamBackwardQuery, "('s1', 499, 100)"},
		"judge":                 {judgeQuery, "('s1', '{00000000-0000-0000-0000-000000000000}')"},
	}
}

// Reader lends one of the connections that the log reads with.
func (l *Log) Reader(ctx context.Context) (*pgxpool.Conn, error) { return l.readers.Acquire(ctx) }

// Queue is what appends wait in.
type Queue struct{ of *queue }

// NewQueue makes an empty one.
func NewQueue() Queue { return Queue{newQueue()} }

// Add puts an append in, and says whether it is due.
func (q Queue) Add(events int) (due bool) {
	q.of.add(newRequest("s", eventlog.NoStream{}, make([]eventlog.Event, events)))
	q.of.mu.Lock()
	defer q.of.mu.Unlock()
	return q.of.due()
}

// Take takes a group, and gives how many appends it has.
func (q Queue) Take() (appends int, over func()) {
	group, over, _ := q.of.take(nil)
	return len(group), over
}

// Made is the schema that the migrations make in an empty database, as it is compared.
func Made(ctx context.Context, url string) (string, error) {
	target, err := connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer target.close(ctx)
	if err := migrate(ctx, target, slog.New(slog.DiscardHandler)); err != nil {
		return "", err
	}
	found, err := readCatalog(ctx, target.conn)
	return found.String(), err
}
