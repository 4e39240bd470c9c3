package sqlitelog

import (
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
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
type checkpointer struct {
	conn *sqlite.Conn
	gate *sync.RWMutex // the readers of this process hold it, each for a chunk
	at   int64         // the length, in pages, that is long
	next int64         // the length at which to do something
	more int64         // about how many pages were added since the length was asked for
	wait time.Duration // for readers of other processes
}

func newCheckpointer(conn *sqlite.Conn, gate *sync.RWMutex) *checkpointer {
	// Many processes may have appended a little each before this one.
	return &checkpointer{conn: conn, gate: gate, at: checkpointPages, more: checkpointPages, wait: checkpointPatience}
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
	if c.more < c.at/16 {
		return nil
	}
	c.more = 0
	pages, _, err := c.run("PRAGMA wal_checkpoint(NOOP)")
	if err != nil || pages < max(c.at, c.next) {
		return err
	}
	c.gate.Lock()
	defer c.gate.Unlock()
	c.conn.SetBusyTimeout(c.wait)
	defer c.conn.SetBusyTimeout(sqlitedb.BusyTimeout)
	_, busy, err := c.run("PRAGMA wal_checkpoint(RESTART)")
	c.next = 0
	if busy || err != nil {
		c.next = pages * 3 / 2 // somebody reads for long, a backup perhaps: not to be waited for with each commit
	}
	return err
}

// run gives the length of the write-ahead log before the checkpoint.
func (c *checkpointer) run(pragma string) (pages int64, busy bool, err error) {
	stmt, err := c.conn.Prepare(pragma)
	if err != nil {
		return 0, false, err
	}
	defer stmt.Reset()
	if _, err := stmt.Step(); err != nil {
		return 0, false, err
	}
	return stmt.ColumnInt64(1), stmt.ColumnInt64(0) != 0, nil
}
