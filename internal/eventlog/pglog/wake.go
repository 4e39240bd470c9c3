package pglog

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const (
	channel = "kintsugi_event"
	// notifyPause is the least time between two notifications of a process. A notification takes a
	// lock of the whole cluster when it commits, so there is not one for each append.
	notifyPause = 10 * time.Millisecond
	// notifyTimeout bounds one notification; it is only a hint.
	notifyTimeout = 5 * time.Second
)

// broadcast tells listeners that the log may have grown. Commits of this process tell it at once. Those of others
// are heard of by LISTEN; besides, the log is looked at from time to time, while somebody listens.
type broadcast struct {
	log    *Log
	target *target
	hints  *eventlog.Hints

	grown    chan struct{} // holds a token if other processes are to be told
	notifier sync.WaitGroup
	quit     chan struct{}

	own       string       // what notifications of this process carry
	listening atomic.Int32 // the server process of the connection that listens, 0 if none does
	sole      atomic.Bool  // see [Log.Sole]
}

// Sole implements [eventlog.Sole]: no other process listens, and none has appended since that was looked at last.
func (l *Log) Sole() bool { return l.wake.sole.Load() }

var _ eventlog.Sole = (*Log)(nil)

// Each process that listens shares an advisory lock of these numbers, so that the others can count it.
const (
	present     = "SELECT pg_advisory_lock_shared(1265200756, 1937074025)" // "Kint" and "sugi"
	onlyPresent = `SELECT coalesce(array_agg(DISTINCT pid) = ARRAY[$1::integer], false) FROM pg_locks
		WHERE locktype = 'advisory' AND classid = 1265200756 AND objid = 1937074025 AND objsubid = 2
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
)

// lookAround finds out who listens.
func (b *broadcast) lookAround(ctx context.Context) {
	sole := false
	if listening := b.listening.Load(); listening != 0 {
		_ = b.log.read(ctx, "look who listens", func(ctx context.Context, conn *pgx.Conn) error { // an error leaves it at no
			return conn.QueryRow(ctx, onlyPresent, listening).Scan(&sole)
		})
	}
	b.setSole(sole)
}

// setSole tells a change, like one of the log.
func (b *broadcast) setSole(sole bool) {
	if b.sole.Swap(sole) != sole {
		b.tell()
	}
}

func newBroadcast(log *Log, target *target) *broadcast {
	b := &broadcast{log: log, target: target, grown: make(chan struct{}, 1), quit: make(chan struct{}), own: rand.Text()}
	b.hints = eventlog.NewHints(b.watch)
	b.notifier.Go(b.notify)
	return b
}

func (b *broadcast) watch(ctx context.Context) {
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() { b.poll(ctx) })
	if !b.target.behindPooler {
		watching.Go(func() { b.hear(ctx) })
	}
}

func (b *broadcast) tell() {
	b.log.tail.news.Add(1)
	b.hints.Tell()
}

// committed tells the listeners of this process now, and those of others soon.
func (b *broadcast) committed() {
	b.tell()
	for _, one := range []chan struct{}{b.grown, b.log.tail.committed} {
		select {
		case one <- struct{}{}:
		default:
		}
	}
}

// notify tells other processes, at most every notifyPause.
func (b *broadcast) notify() {
	for {
		select {
		case <-b.quit:
			return
		case <-b.grown:
		}
		if b.sole.Load() {
			continue // there is nobody to hear it
		}
		b.notifyNow(context.Background())
		timer := time.NewTimer(notifyPause)
		select {
		case <-b.quit:
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

func (b *broadcast) notifyNow(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	// A failure is no news: listeners look at the log once a second anyway.
	_, _ = b.log.readers.Exec(ctx, "SELECT pg_notify($1, $2)", channel, b.own)
}

// poll looks at the log from time to time: for what notifications did not say, and for what
// was committed before but only now is below the watermark.
func (b *broadcast) poll(ctx context.Context) {
	ticker := time.NewTicker(b.log.options.pollEvery)
	defer ticker.Stop()
	known := int64(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			// An error is no news here: a reader of the log will meet it.
			if h, err := b.log.heads(ctx); err == nil && h.settled != known {
				known = h.settled
				b.tell()
			}
			b.lookAround(ctx)
		}
	}
}

// hear passes on the notifications of other processes.
func (b *broadcast) hear(ctx context.Context) {
	for ctx.Err() == nil {
		b.listenOnce(ctx)
		timer := time.NewTimer(b.log.options.pollEvery)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

// listenOnce listens until the connection is lost.
func (b *broadcast) listenOnce(ctx context.Context) {
	conn, err := pgx.ConnectConfig(ctx, b.target.config.ConnConfig.Copy())
	if err != nil {
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, present+"; LISTEN "+channel, pgx.QueryExecModeSimpleProtocol); err != nil {
		return
	}
	b.listening.Store(int32(conn.PgConn().PID()))
	defer func() {
		b.listening.Store(0)
		b.setSole(false)
	}()
	b.notifyNow(ctx) // others know from now on that they are not alone
	b.lookAround(ctx)
	b.tell() // of what was appended before it listened
	for {
		told, err := conn.WaitForNotification(ctx)
		if err != nil {
			return
		}
		if told.Payload != b.own {
			if b.sole.Swap(false) {
				b.notifyNow(ctx) // what was appended meanwhile
			}
			b.tell()
		}
	}
}

func (b *broadcast) close() {
	b.log.tail.news.Add(1)
	close(b.quit)
	b.hints.Close()
	b.notifier.Wait()
}
