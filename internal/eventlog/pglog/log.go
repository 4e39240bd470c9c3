package pglog

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kintsugi-run/kintsugi/internal/database/pgschema"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// readers is how many reads can go on at the same time.
const readers = 8

// Options of [Open]. The zero value is good.
type Options struct {
	// Logger is told when the log has to wait for something outside of it; nil for nobody.
	Logger *slog.Logger
	// Patience is how long an append or a read tries to reach a server that has gone away before it fails with
	// [eventlog.ErrUnavailable]; [Open] tries for some seconds of it. Default 30 s.
	Patience time.Duration

	committers int           // how many transactions that append may be open at the same time
	attemptFor time.Duration // how long the server may take for one answer
	settleFor  time.Duration // how long a reader waits for transactions that have not ended
	pollEvery  time.Duration // how often the log is looked at while somebody waits for a hint
}

func (o *Options) setDefaults() {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	setDefault(&o.committers, 2)
	setDefault(&o.attemptFor, 20*time.Second)
	setDefault(&o.Patience, 30*time.Second)
	setDefault(&o.settleFor, 5*time.Second)
	setDefault(&o.pollEvery, time.Second)
}

func setDefault[T int | time.Duration](value *T, by T) {
	if *value <= 0 {
		*value = by
	}
}

// Log is an [eventlog.Log] in a PostgreSQL database.
type Log struct {
	options Options
	// behindPooler says that the server process may be another one in each transaction.
	behindPooler bool
	queue        *queue
	writers      *pgxpool.Pool
	readers      *pgxpool.Pool
	wake         *broadcast
	tail         *tail
	running      sync.WaitGroup // the committers
	closed       atomic.Bool
	toldAway     atomic.Int64 // when it was told last that the database is away
	awaySince    atomic.Int64 // 0 if it is not
	restored     []string     // what of the schema was put back when it was opened
	stalled      atomic.Int64 // the watermark at which a reader gave up waiting, 0 if none did
}

var _ eventlog.Log = (*Log)(nil)

// Open opens the log in the database that url names (a connection string of libpq, as a URL or as keywords),
// making or evolving its tables, in the schema "kintsugi". The role needs to be allowed to make that schema.
//
// It refuses, with the reason and what to do, a server whose settings would lose acknowledged events, a standby,
// a server older than PostgreSQL 13, an encoding other than UTF8, and tables of a newer version of this program.
func Open(ctx context.Context, url string, options Options) (*Log, error) {
	options.setDefaults()
	wait := newBackoff(min(options.Patience, openFor), nil)
	for {
		log, err := open(ctx, url, options)
		if err == nil {
			return log, nil
		}
		if !wait.after(ctx, err) {
			return nil, explainOpen(ctx, err)
		}
	}
}

// openFor is how long Open tries to reach a server: one that starts at the same time, or is replaced by another.
const openFor = 5 * time.Second

func explainOpen(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("pglog: open: %w (%w)", ctx.Err(), err)
	case isPassing(err):
		return fmt.Errorf("%w (pglog: open: %w)", eventlog.ErrUnavailable, err)
	case isDamage(err):
		return fmt.Errorf("pglog: open: %w: %w", errDamaged, withHint(err))
	case hasState(err, diskFull):
		return fmt.Errorf("%w (pglog: open: %w)", eventlog.ErrFull, err)
	}
	return fmt.Errorf("pglog: open: %w", withHint(err))
}

// open makes one attempt.
func open(ctx context.Context, url string, options Options) (_ *Log, err error) {
	target, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer target.close(ctx)
	if err := migrate(ctx, target, options.Logger); err != nil {
		return nil, err
	}
	restored, differs, err := restoreSchema(ctx, target.conn)
	if err != nil {
		return nil, err
	}
	if len(restored) > 0 {
		options.Logger.Warn("pglog: guards of the event log were missing or changed, and were put back: somebody changed the database past the program, look with 'kintsugi verify'",
			slog.Any("restored", restored))
	}
	if len(differs) > 0 {
		options.Logger.Error("pglog: the tables of the event log are not as this program makes them: somebody changed the database past the program, look with 'kintsugi verify'",
			slog.Any("differs", differs))
	}
	log := &Log{options: options, behindPooler: target.behindPooler, queue: newQueue(), restored: restored}
	log.tail = newTail(log)
	if log.writers, err = target.pool(int32(options.committers), appendOne, appendAll); err != nil {
		return nil, err
	}
	if log.readers, err = target.pool(readers); err != nil {
		log.writers.Close()
		return nil, err
	}
	if err := log.alignEpoch(ctx); err != nil {
		log.writers.Close()
		log.readers.Close()
		return nil, err
	}
	log.wake = newBroadcast(log, target)
	for range options.committers {
		log.running.Go(log.commitForever)
	}
	return log, nil
}

// reached notes whether the database could be reached.
func (l *Log) reached(err error) {
	switch {
	case err == nil && l.awaySince.Load() != 0:
		l.awaySince.Store(0)
	case err != nil && !isOurs(err) && pgschema.IsAway(err):
		l.awaySince.CompareAndSwap(0, time.Now().UnixNano())
	}
}

// patience is for how long something is tried. Once the database has been away for longer than that it is tried once: where many
// wait for each other, each would otherwise wait as long again.
func (l *Log) patience() time.Duration {
	if since := l.awaySince.Load(); since != 0 && time.Since(time.Unix(0, since)) > l.options.Patience {
		return 0
	}
	return l.options.Patience
}

// away tells that the database does not answer, once in a while, however many wait for it.
func (l *Log) away(err error) {
	now := time.Now()
	if told := l.toldAway.Load(); now.Sub(time.Unix(0, told)) > awayAgain && l.toldAway.CompareAndSwap(told, now.UnixNano()) {
		l.options.Logger.Warn("pglog: the database cannot be reached, trying again", slog.Any("error", err))
	}
}

// awayAgain is how long passes before the same trouble is told again.
const awayAgain = 10 * time.Second

// alignEpoch makes the base of positions the one of the cluster that the database is in.
func (l *Log) alignEpoch(ctx context.Context) error {
	_, err := l.writers.Exec(ctx, "SELECT kintsugi.incarnate()")
	l.tail.elsewhere.Store(true)
	return err
}

// Close implements [eventlog.Log].
func (l *Log) Close() error {
	if !l.queue.close() {
		return eventlog.ErrClosed
	}
	l.running.Wait()
	l.closed.Store(true)
	l.wake.close()
	l.writers.Close()
	l.readers.Close()
	return nil
}

// Wake implements [eventlog.Log]. Appends of this process wake at once, those of others as soon as their
// notification comes, or within a second.
func (l *Log) Wake() (<-chan struct{}, func()) { return l.wake.hints.Listen() }

// Subscribe implements [eventlog.Log].
func (l *Log) Subscribe(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return eventlog.Follow(ctx, l, after, filter)
}
