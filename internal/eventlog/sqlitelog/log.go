package sqlitelog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// readers is the number of reads that can go on at the same time.
const readers = 8

// Options of [Open]. The zero value is good.
type Options struct {
	// Now is the clock of RecordedAt; nil for the clock of the machine.
	Now func() time.Time
	// WatchInterval is how often the log is looked at for events of other processes that did not tell of them, while
	// somebody waits for a hint; 0 for 100 ms. Where they do tell, it is a tenth as often. One look is one index lookup.
	WatchInterval time.Duration
	// Logger is told when a guard of the file had to be put back; nil for nobody.
	Logger *slog.Logger

	maxPages        int64  // in tests: the size limit of the file, in pages
	pragma          string // in tests: a further setting of the writer's connection
	checkpointPages int64  // in tests: the length of a long write-ahead log, in pages
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.WatchInterval <= 0 {
		o.WatchInterval = 100 * time.Millisecond
	}
	if o.checkpointPages == 0 {
		o.checkpointPages = checkpointPages
	}
}

// Log is an [eventlog.Log] in one SQLite file.
type Log struct {
	path    string
	queue   *queue
	writer  *writer
	readers *sqlitedb.Pool
	gate    sync.RWMutex // held by those who read, and by the checkpointer while nobody is to
	wake    *broadcast
	// restored is what of the schema was put back when the file was opened.
	restored []string
}

var _ eventlog.Log = (*Log)(nil)

// Open opens the log in the file at path, making it if there is none; its directory must exist.
// It refuses a file that is not an event log or has a newer format.
func Open(ctx context.Context, path string, options Options) (*Log, error) {
	options.setDefaults()
	conn, err := sqlitedb.Open(path)
	var restored, differs []string
	if err == nil {
		restored, differs, err = prepare(ctx, conn, options)
	}
	if err != nil {
		return nil, openError(ctx, path, err)
	}
	if len(restored) > 0 {
		options.Logger.Warn("guards of the event log were missing or changed, and were put back: somebody changed the file past the program, look with 'kintsugi verify'",
			"file", path, "restored", restored)
	}
	if len(differs) > 0 {
		options.Logger.Error("the tables of the event log are not as this program makes them: somebody changed the file past the program, look with 'kintsugi verify'",
			"file", path, "differs", differs)
	}
	log := &Log{
		path:     path,
		queue:    newQueue(),
		readers:  sqlitedb.NewPool(path, readers, nil),
		restored: restored,
	}
	log.wake = newBroadcast(options.WatchInterval, newNotifyFile(path+"-wake"), log.head)
	log.writer = &writer{
		conn:  conn,
		queue: log.queue,
		now:   options.Now,
		wake:  log.wake,
		path:  path,
		known: newStreams(conn),
		wal:   newCheckpointer(path, conn, &log.gate, options.checkpointPages),
		done:  make(chan struct{}),
	}
	go log.writer.run()
	return log, nil
}

// prepare closes the connection if it fails.
func prepare(ctx context.Context, conn *sqlite.Conn, options Options) (restored, differs []string, err error) {
	conn.SetInterrupt(ctx.Done())
	restored, differs, err = prepareFile(ctx, conn)
	if err == nil && options.maxPages > 0 {
		err = sqlitedb.Exec(conn, fmt.Sprintf("PRAGMA max_page_count = %d", options.maxPages))
	}
	if err == nil && options.pragma != "" {
		err = sqlitedb.Exec(conn, "PRAGMA "+options.pragma)
	}
	conn.SetInterrupt(nil)
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return restored, differs, nil
}

func openError(ctx context.Context, path string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case sqlitedb.IsDamaged(err):
		err = fmt.Errorf("%w: it is not an event log, or it is damaged; restore it from a backup: %w", eventlog.ErrDamaged, err)
	case sqlitedb.IsFull(err):
		err = fmt.Errorf("%w: %w", eventlog.ErrFull, err)
	case sqlitedb.IsBusy(err):
		err = fmt.Errorf("another process has held it locked for more than %v; find and stop that process: %w", sqlitedb.BusyTimeout, err)
	}
	return fmt.Errorf("sqlitelog: open %s: %w", path, err)
}

// Close implements [eventlog.Log].
func (l *Log) Close() error {
	if !l.queue.close() {
		return eventlog.ErrClosed
	}
	<-l.writer.done
	// The readers go first: the last connection to close tidies the write-ahead log up. A reader that gets the last
	// hint must find the log closed, or it would wait for another hint.
	l.writer.wal.close()
	err := l.readers.Close()
	l.wake.hints.Close()
	l.wake.others.close()
	if err := errors.Join(err, l.writer.conn.Close()); err != nil {
		return fmt.Errorf("sqlitelog: close %s: %w", l.path, err)
	}
	return nil
}

// Wake implements [eventlog.Log]. Appends of this process wake at once, those of other processes within
// milliseconds, or, if they are not heard, within a second.
func (l *Log) Wake() (<-chan struct{}, func()) { return l.wake.hints.Listen() }
