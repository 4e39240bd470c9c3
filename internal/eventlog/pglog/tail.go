package pglog

import (
	"context"
	"sort"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// tail keeps the newest events in memory: everybody in this process who follows the log is served by one read of them.
type tail struct {
	log       *Log
	news      atomic.Int64  // counts what may have changed the log
	seen      atomic.Int64  // the position that the window goes up to
	elsewhere atomic.Bool   // the database may be another one
	committed chan struct{} // holds a token after a commit of this process
	turn      chan struct{} // holds a token while nobody looks

	// Only the holder of the turn may use these.
	window *window // nil before the first look
	looked int64   // the news that the window has
	bytes  int     // of the events in the window
	scan   *scanner
}

// window is the events after a position, up to another one. It never changes.
type window struct {
	after, upTo int64
	records     []eventlog.Record
}

const (
	tailEvents = 4096
	tailBytes  = 4 << 20
	// tailLook is how many events one look takes: a follower that is further behind reads the log.
	tailLook = 1024
)

func newTail(log *Log) *tail {
	t := &tail{log: log, committed: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// since is what a window has after a position.
func (w *window) since(after eventlog.Position) []eventlog.Record {
	return w.records[sort.Search(len(w.records), func(i int) bool { return w.records[i].Position > after }):]
}

// latest is the end of the log, with everything that this process appended before, and others before they told. It waits
// for transactions that are not finished only while there is nothing new before them.
func (t *tail) latest(ctx context.Context) (*window, error) {
	news := t.news.Load()
	select {
	case <-t.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { t.turn <- struct{}{} }()
	if t.window == nil || t.looked < news {
		if err := t.look(ctx); err != nil {
			return nil, err
		}
	}
	return t.window, nil
}

// look reads what is new.
func (t *tail) look(ctx context.Context) error {
	settling := t.log.settling()
	for {
		news := t.news.Load()
		if t.window == nil || t.elsewhere.Load() {
			return t.jump(ctx, news)
		}
		h, whole, err := t.extend(ctx)
		if err != nil {
			return err
		}
		if !whole {
			return t.jump(ctx, news)
		}
		t.looked = news
		if h.settled == h.newest {
			return nil
		}
		if len(t.scan.records) > 0 {
			t.log.wake.tell() // who takes this is to come again
			return nil
		}
		if again, err := settling.wait(ctx, h, t.committed); err != nil || !again {
			return err
		}
	}
}

// jump goes to the end of the log, without what is before.
func (t *tail) jump(ctx context.Context, news int64) error {
	t.elsewhere.Store(false)
	settled, err := t.log.settledHead(ctx)
	if err != nil {
		return err
	}
	t.scan, t.bytes, t.looked = newScanner(eventlog.Everything), 0, news
	t.window = &window{after: settled, upTo: settled}
	t.seen.Store(settled)
	return nil
}

// extend reads the settled events that follow the window. The result is not whole if there are more, or if there is a
// fault, which a reader of the log will report.
func (t *tail) extend(ctx context.Context) (h heads, whole bool, err error) {
	w := t.window
	err = t.log.read(ctx, "read", func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, tailQuery, binaryColumns, w.upTo, tailLook)
		if err == nil {
			h, err = t.scan.takeTail(rows)
		}
		return err
	})
	if err != nil {
		return h, false, err
	}
	if _, err := t.scan.checkOrder(1); err != nil || t.scan.more || t.elsewhere.Load() {
		return h, false, nil //nolint:nilerr // a reader of the log reports the fault
	}
	h.settled = w.upTo
	if records := t.scan.records; len(records) > 0 {
		h.settled = t.scan.looked
		t.window = &window{after: w.after, upTo: h.settled, records: append(w.records, records...)}
		for i := range records {
			t.bytes += size(&records[i])
		}
		t.trim()
		t.seen.Store(h.settled)
	}
	return h, true, nil
}

// trim lets go of the oldest events, if there are too many.
func (t *tail) trim() {
	w := t.window
	for len(w.records) > tailEvents || t.bytes > tailBytes {
		oldest := &w.records[0]
		t.bytes -= size(oldest)
		w.after, _ = oldest.Position.Number() // it was made of one
		w.records = w.records[1:]
	}
}

func size(record *eventlog.Record) int { return len(record.Payload) + len(record.Metadata) }
