package sqlitelog

import (
	"errors"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
)

const (
	// checkpointPages is how long the write-ahead log may become before it is written back into the file
	// and begun anew: 16 MiB. SQLite would do it after 4 MiB, in the middle of a commit; that makes the
	// slowest hundredth of the appends of 16 writers four times as slow.
	checkpointPages = 4000
	pageBytes       = 4096
	// checkpointPatience is how long that waits for the readers of other processes, while appends wait too.
	checkpointPatience = 50 * time.Millisecond
)

// checkpointer keeps the write-ahead log short. SQLite's own checkpoint begins the log anew only at a moment
// when nobody reads; readers that come and go without a pause would let it grow for ever.
//
// Most of the work, moving pages into the file and syncing it, goes on beside the appends. The writer then moves what was
// added meanwhile and begins the log anew.
type checkpointer struct {
	path   string
	conn   *sqlite.Conn
	gate   *sync.RWMutex // the readers of this process hold it, each for a chunk
	at     int64         // the length, in pages, that is long
	next   int64         // the length at which to do something
	more   int64         // about how many pages were added since the length was asked for
	moving chan error    // while pages are moved: gives how it ended
	wait   time.Duration // for readers of other processes
}

func newCheckpointer(path string, conn *sqlite.Conn, gate *sync.RWMutex, at int64) *checkpointer {
	// Many processes may have appended a little each before this one.
	return &checkpointer{path: path, conn: conn, gate: gate, at: at, more: at, wait: checkpointPatience}
}

// wrote tells what a transaction has written.
func (c *checkpointer) wrote(group []*request) {
	for _, r := range group {
		c.more += 3*int64(r.count()) + int64(r.size()/pageBytes)
	}
}

// checkpoint does what is due, between two transactions. Nothing is lost if it fails: the events are
// in the write-ahead log.
func (c *checkpointer) checkpoint() error {
	if c.moving != nil {
		return c.moved()
	}
	if c.more < c.at/16 {
		return nil
	}
	c.more = 0
	length, err := lengthOf(c.conn, "NOOP")
	if err != nil || length.pages < max(c.at, c.next) {
		return err
	}
	if length.pages-length.moved < c.at/4 { // a process that has ended did it
		return c.restart()
	}
	moving := make(chan error, 1)
	c.moving = moving
	go func() { moving <- move(c.path) }()
	return nil
}

// moved begins the log anew if pages were moved. An append waits for that only where the log would become half as long again.
func (c *checkpointer) moved() error {
	var err error
	if c.more < c.at/2 {
		select {
		case err = <-c.moving:
		default:
			return nil
		}
	} else {
		err = <-c.moving
	}
	c.moving = nil
	return errors.Join(err, c.restart())
}

// move moves pages into the file, as far as nobody reads what was there before them.
func move(path string) (err error) {
	conn, err := sqlitedb.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, pragma := range durable {
		if err := sqlitedb.Exec(conn, pragma); err != nil {
			return err
		}
	}
	_, err = lengthOf(conn, "PASSIVE")
	return err
}

// restart moves what is left, and begins the log anew.
func (c *checkpointer) restart() error {
	c.gate.Lock()
	defer c.gate.Unlock()
	c.conn.SetBusyTimeout(c.wait)
	length, err := lengthOf(c.conn, "RESTART")
	c.next = 0
	if length.busy || err != nil {
		c.next = length.pages * 3 / 2 // somebody reads for long, a backup perhaps: not to be waited for with each commit
	}
	return err
}

// close waits until no pages are moved. If that failed, they are still in the write-ahead log.
func (c *checkpointer) close() {
	if c.moving != nil {
		<-c.moving //nolint:errcheck // the pages are still in the write-ahead log
	}
}

// length is how long a write-ahead log is, in pages, and how much of that is in the file, too.
type length struct {
	pages, moved int64
	busy         bool
}

// lengthOf makes a checkpoint.
func lengthOf(conn *sqlite.Conn, checkpoint string) (length, error) {
	stmt, err := conn.Prepare("PRAGMA wal_checkpoint(" + checkpoint + ")")
	if err != nil {
		return length{}, err
	}
	defer stmt.Reset()
	if _, err := stmt.Step(); err != nil {
		return length{}, err
	}
	return length{pages: stmt.ColumnInt64(1), moved: stmt.ColumnInt64(2), busy: stmt.ColumnInt64(0) != 0}, nil
}
