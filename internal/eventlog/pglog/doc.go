// Package pglog keeps the event log in a PostgreSQL database.
//
//	log, err := pglog.Open(ctx, "postgres://kintsugi@db.example/kintsugi", pglog.Options{})
//	defer log.Close()
//
// Acknowledged means committed on the primary, with synchronous_commit on and fsync on: a server
// that is set otherwise is refused. Any number of processes may append.
//
// # Order
//
// A position is computed in the INSERT: 6 bits of epoch, 42 bits of transaction id, 15 bits of the
// event's place in its transaction. A transaction gets its id before it commits, so a reader that
// asked for everything after the last position it saw would skip what commits late. Readers therefore
// end below the watermark, the id of the oldest transaction that is still running: below it
// nothing can come any more. A transaction that writes, anywhere in the cluster, and stays open delays
// the readers of the log; it never makes them skip. [Log.Lag] says which one it is.
//
// The epoch counts the clusters that the log was in: transaction ids do not survive a dump and
// restore, so everything that is written in a new cluster is put after everything older. When a standby is
// promoted, or an earlier moment restored, ids are left out instead, more than could have been lost.
//
// # Appends
//
// Waiting appends are committed together, in one transaction, while each append keeps its own outcome. A few events
// wait for the transaction that is under way, if it is quick: a transaction by itself costs the server as much as
// some twenty events. The revision of a stream is compared and raised in one UPDATE. If the connection is lost, an
// append is tried again for a bounded time: the same ids and the same expected revision make that safe.
//
// Appends in order, of a copy, have a transaction for themselves: their places in it are the order.
package pglog
