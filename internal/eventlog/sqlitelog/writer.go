package sqlitelog

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Append implements [eventlog.Log].
func (l *Log) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if err := eventlog.Validate(stream, expected, events); err != nil {
		return eventlog.Appended{}, err
	}
	return l.submit(ctx, newRequest(stream, expected, events))
}

// submit waits for the outcome of a request.
func (l *Log) submit(ctx context.Context, r *request) (eventlog.Appended, error) {
	if err := ctx.Err(); err != nil {
		return eventlog.Appended{}, err
	}
	if !l.queue.add(r) {
		return eventlog.Appended{}, eventlog.ErrClosed
	}
	l.writer.appendNow()
	select {
	case <-r.done:
	case <-ctx.Done():
		if r.withdraw() {
			return eventlog.Appended{}, ctx.Err()
		}
		<-r.done
	}
	return r.result, r.err
}

// writer appends, in one goroutine of this process at a time.
type writer struct {
	// turn is held by the goroutine that writes. A caller that finds nobody writing takes it, so that a single
	// appender wakes no other goroutine and waits for none; appends that come meanwhile are left to run.
	turn  sync.Mutex
	conn  *sqlite.Conn
	queue *queue
	now   func() time.Time
	wake  *broadcast
	path  string
	known *streams
	tail  eventlog.Tail
	// fresh is what this transaction appends, while somebody follows the log.
	fresh    []eventlog.Record
	followed bool
	wal      *checkpointer
	group    []*request    // room for one
	done     chan struct{} // closed when run has returned
	failed   error         // after an I/O error nothing is written any more
}

// run commits groups until the queue is closed and empty. Nobody writes after it.
func (w *writer) run() {
	defer close(w.done)
	for w.queue.wait() {
		w.turn.Lock()
		w.commit(sqlitedb.BusyTimeout)
		w.turn.Unlock()
	}
	w.turn.Lock()
}

// appendNow commits what waits, unless somebody writes, here or in another process: then it is left to run.
func (w *writer) appendNow() {
	if !w.turn.TryLock() {
		return // who has it looks at the queue once more
	}
	defer func() {
		if fault := recover(); fault != nil {
			// A caller that recovers would go on, and everybody else wait for its turn to end: this is for nobody to recover from.
			go panic(fmt.Sprintf("%v\n%s", fault, debug.Stack()))
			select {}
		}
	}()
	w.commit(0)
	w.release()
}

// release ends a turn of somebody else than run: callers that found it taken left their appends to it.
func (w *writer) release() {
	w.turn.Unlock()
	if w.queue.some() {
		w.queue.notify()
	}
}

// commit appends all that waits in one transaction and answers everybody. Without patience it leaves everything waiting
// if another process has the lock.
func (w *writer) commit(patience time.Duration) {
	if !w.queue.some() {
		return // somebody else was first
	}
	if err := w.wal.checkpoint(); err != nil {
		_ = w.explain(err) // a disk that failed is told below
	}
	var before, head int64
	group, appended, err := w.group[:0], false, w.failed
	if err == nil {
		w.conn.SetBusyTimeout(patience)
		err = sqlitedb.Immediate(w.conn, func() (err error) {
			// Only now, so that appends that came while we waited for another process's lock go with it.
			group = w.queue.take(group)
			if head, err = headOf(w.conn); err != nil {
				return err
			}
			before = head
			w.known.begin(head)
			w.fresh, w.followed = nil, w.wake.hints.Heard()
			now := w.now().UnixMicro()
			for _, r := range group {
				if head, err = w.appendInOrder(r, head, now); err != nil {
					return err
				}
			}
			w.known.head, appended = head, head > before
			return nil
		})
	}
	if err != nil {
		begun := len(group) > 0
		if !begun && patience == 0 && sqlitedb.IsBusy(err) {
			return
		}
		if !begun {
			group = w.queue.take(group)
		}
		appended = false
		w.known.forget()
		err = w.explain(err)
	}
	if appended {
		w.wal.wrote(group)
		w.tail.Add(eventlog.PositionOf(before), w.fresh)
		w.wake.appended(head)
	}
	for _, r := range group {
		if err != nil {
			r.result, r.err = eventlog.Appended{}, err
		}
		close(r.done)
	}
	if appended {
		w.wake.others.notify()
	}
	clear(group)
	w.group = group
}

// explain says what an error of a transaction means for its appends.
func (w *writer) explain(err error) error {
	switch {
	case w.failed != nil:
		return w.failed
	case sqlitedb.IsFull(err):
		return fmt.Errorf("%w (%s: %w)", eventlog.ErrFull, w.path, err)
	case sqlitedb.IsBusy(err):
		return fmt.Errorf("sqlitelog: another process has held %s locked for more than %v, nothing was appended; find and stop that process: %w", w.path, sqlitedb.BusyTimeout, err)
	case sqlitedb.IsIO(err):
		// After a failed sync the kernel may have dropped what it could not write and report
		// success the next time. Only a new start, which reads what is there, can be trusted.
		w.failed = fmt.Errorf("%w; repair the disk of %s and start this process again: %w", eventlog.ErrFailed, w.path, err)
		return w.failed
	case isDamage(err):
		return &damagedError{path: w.path, err: err}
	}
	return fmt.Errorf("sqlitelog: append to %s: %w", w.path, err)
}

// append appends the events of one request and returns the new head. An error is one of
// the transaction; that the request is refused is its own outcome.
func (w *writer) append(r *request, head, now int64) (int64, error) {
	known, err := w.known.stream(r.stream)
	if err != nil {
		return head, err
	}
	if decided, err := w.compare(r, known); err != nil || decided {
		return head, err
	}
	if known.number == 0 {
		if known.number, err = w.newStream(r.stream); err != nil {
			return head, err
		}
	}
	first := known.last + 1
	for i, event := range r.events {
		id, revision := parseID(event.ID), first+int64(i)
		head++
		if err := w.insert(head, known.number, revision, now, id, event); err != nil {
			return head, err
		}
		w.known.add(known, id, revision)
		if w.followed {
			w.fresh = append(w.fresh, eventlog.Record{
				Event: cloneEvent(event), Stream: r.stream, Revision: revision, Position: eventlog.PositionOf(head), RecordedAt: time.UnixMicro(now).UTC(),
			})
		}
	}
	if err := w.known.note(known); err != nil {
		return head, err
	}
	r.result = eventlog.Appended{First: first, Last: known.last, Position: eventlog.PositionOf(head)}
	return head, nil
}

// cloneEvent copies an event: the caller of Append may use its own memory again.
func cloneEvent(event eventlog.Event) eventlog.Event {
	data := append(append(make([]byte, 0, len(event.Metadata)+len(event.Payload)), event.Metadata...), event.Payload...)
	end := len(event.Metadata)
	event.Metadata, event.Payload = data[:end:end], data[end:]
	return event
}

// compare holds a request against its stream. Unless it is to be done, compare sets its outcome and
// returns true.
func (w *writer) compare(r *request, known *stream) (decided bool, err error) {
	var there map[string]eventlog.Record
	for i, event := range r.events {
		revision, found, err := w.known.find(known, parseID(event.ID), r.expected+1+int64(i))
		if err != nil {
			return false, err
		}
		if !found {
			continue
		}
		if there == nil {
			there = make(map[string]eventlog.Record)
		}
		if there[event.ID], err = w.contentAt(known.number, revision); err != nil {
			return false, err
		}
	}
	repeat, fresh, err := eventlog.Compare(r.stream, r.expected, r.events, known.last, there)
	r.result, r.err = repeat, err
	return !fresh, nil
}

// contentAt reads what a stream has at a revision, as far as an append is compared with it.
func (w *writer) contentAt(stream, revision int64) (eventlog.Record, error) {
	stmt, err := sqlitedb.Prepare(w.conn, "SELECT pos, type, schema_version, payload FROM event WHERE stream = ? AND revision = ?", stream, revision)
	if err != nil {
		return eventlog.Record{}, err
	}
	defer stmt.Reset()
	found, err := stmt.Step()
	if err == nil && !found {
		err = missingError{"revision", revision}
	}
	if err != nil {
		return eventlog.Record{}, err
	}
	return eventlog.Record{
		Event:    eventlog.Event{Type: stmt.ColumnText(1), SchemaVersion: stmt.ColumnInt(2), Payload: columnBytes(stmt, 3)},
		Revision: revision,
		Position: eventlog.PositionOf(stmt.ColumnInt64(0)),
	}, nil
}

func (w *writer) newStream(name string) (int64, error) {
	if err := sqlitedb.Do(w.conn, "INSERT INTO stream (name) VALUES (?)", name); err != nil {
		return 0, err
	}
	return w.conn.LastInsertRowID(), nil
}

func (w *writer) insert(pos, stream, revision, now int64, id eventID, event eventlog.Event) error {
	return sqlitedb.Do(w.conn, "INSERT INTO event (pos, stream, revision, schema_version, recorded_at, id, type, metadata, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		pos, stream, revision, event.SchemaVersion, now, id[:], event.Type, event.Metadata, event.Payload)
}
