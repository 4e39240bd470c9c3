package pglog

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// eraseEvents is the most that one transaction erases: while it is open, readers wait at what is newer.
const eraseEvents = 500

var _ eventlog.Eraser = (*Log)(nil)

// Erase implements [eventlog.Eraser]. PostgreSQL keeps the row as it was until VACUUM, which Erase asks for, if the role
// may, and writes over its bytes when it needs the room. VACUUM FULL makes the table anew without them; archived
// write-ahead logs and replicas that are behind have them for as long as they are kept.
func (l *Log) Erase(ctx context.Context, parts []eventlog.Part) (erased int64, err error) {
	ends, err := l.endsOf(ctx, parts)
	if err != nil {
		return 0, err
	}
	var group erasing
	for _, part := range parts {
		for first, last := part.First, min(part.Last, ends[part.Stream]); first <= last; {
			through := min(last, first+eraseEvents-group.events-1)
			group.add(part.Stream, first, through)
			first = through + 1
			if group.events < eraseEvents {
				continue
			}
			n, err := l.eraseSome(ctx, group)
			if erased += n; err != nil {
				return erased, err
			}
			group = erasing{}
		}
	}
	if group.events > 0 {
		n, err := l.eraseSome(ctx, group)
		if erased += n; err != nil {
			return erased, err
		}
	}
	l.Forget()
	if erased > 0 {
		if _, err := l.writers.Exec(ctx, "VACUUM kintsugi.event"); err != nil {
			l.options.Logger.Warn("pglog: what events said was erased, and VACUUM of kintsugi.event failed: the database has it until the next one", slog.Any("error", err))
		}
	}
	return erased, nil
}

// Forget implements [eventlog.Eraser].
func (l *Log) Forget() {
	l.tail.elsewhere.Store(true)
	l.tail.news.Add(1)
}

// erasing is the arguments of kintsugi.erase.
type erasing struct {
	streams       []string
	firsts, lasts []int64
	events        int64
}

func (e *erasing) add(stream string, first, last int64) {
	e.streams, e.firsts, e.lasts = append(e.streams, stream), append(e.firsts, first), append(e.lasts, last)
	e.events += last - first + 1
}

// eraseSome erases in one transaction. Without an answer it is done again, which comes to the same but for how many there were.
func (l *Log) eraseSome(ctx context.Context, group erasing) (erased int64, err error) {
	wait := newBackoff(l.patience(), l.away)
	for {
		if l.closed.Load() {
			return 0, eventlog.ErrClosed
		}
		attempt, cancel := context.WithTimeout(ctx, l.options.attemptFor)
		err := l.writers.QueryRow(attempt, "SELECT kintsugi.erase($1, $2, $3)", group.streams, group.firsts, group.lasts).Scan(&erased)
		cancel()
		l.reached(err)
		if err == nil {
			return erased, nil
		}
		if ctx.Err() != nil || !wait.after(ctx, err) {
			return 0, l.explain(ctx, "erase", err)
		}
	}
}

// endsOf is the last revisions of the streams of parts; a missing stream has none.
func (l *Log) endsOf(ctx context.Context, parts []eventlog.Part) (ends map[string]int64, err error) {
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = part.Stream
	}
	err = l.read(ctx, "erase", func(ctx context.Context, conn *pgx.Conn) error {
		ends = map[string]int64{}
		rows, err := conn.Query(ctx, "SELECT name, revision FROM kintsugi.stream WHERE name = ANY ($1)", names)
		if err != nil {
			return err
		}
		var name string
		var revision int64
		_, err = pgx.ForEachRow(rows, []any{&name, &revision}, func() error {
			ends[name] = revision
			return nil
		})
		return err
	})
	for _, part := range parts {
		if _, there := ends[part.Stream]; !there && err == nil {
			ends[part.Stream] = -1
		}
	}
	return ends, err
}
