package readmodel

import (
	"context"
	"iter"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// engine keeps one generation in a database: the tables, and the checkpoint beside them. It knows nothing of events.
// It is used by one [Store]; other processes may have engines of the same generation.
//
// Values are string, int64, float64, bool, []byte or nil each, as the columns of a table say ([table.values]).
type engine interface {
	// place is where the generation is, for people.
	place() string
	// claim waits until nobody else applies, in this process or another, and keeps others from it until release. A
	// process that dies gives its claim up. It is errClaimed if somebody else applies for long. An
	// engine may keep the claim beyond release, if that is asked for: by who goes on applying.
	claim(ctx context.Context, keep bool) (release func(), err error)
	// origin is the log that the generation is of, by its first event: this one, if nobody has said yet. In a file it is
	// whichever log is beside it.
	origin(ctx context.Context, first string) (string, error)
	// checkpoint is how far the views are.
	checkpoint(ctx context.Context) (eventlog.Checkpoint, error)
	// live says whether the generation was built to its end once, so that it may be read, and goLive that it was: it makes
	// the indexes that only queries need.
	live(ctx context.Context) (bool, error)
	goLive(ctx context.Context) error
	// serve says that this process answers people, for as long as it lives, and served whether another does.
	serve(ctx context.Context) error
	served(ctx context.Context) (bool, error)
	// write runs fn in a transaction: all that fn does is kept, or nothing if it returns an error. It reads the
	// transaction's snapshot, which does not change meanwhile.
	write(ctx context.Context, fn func(writer) error) error
	// read runs fn on one consistent state, or returns errBuilding if the generation is not live in it.
	read(ctx context.Context, fn func(source) error) error
	// trouble says what an error of this engine means.
	trouble(err error) trouble
	// replace begins the generation anew, empty, because what is there is damaged.
	replace(ctx context.Context, damage error) error
	// scrub sees to it that nothing of what was there before a reset is left, as far as that is in reach.
	scrub() error
	close() error
}

// source answers SQL. Placeholders are question marks.
type source interface {
	rows(query string, args []any) iter.Seq2[values, error]
}

// values is one row of an answer; it is valid until the next one. Numbers of columns begin with 0.
type values interface {
	column(name string) int // -1 for none
	null(i int) bool
	text(i int) string
	number(i int) int64
	float(i int) float64
	boolean(i int) bool
	blob(i int) []byte // a new slice
}

// writer is a transaction of an engine.
type writer interface {
	source
	// checkpoint is how far the views are: if it is not where the last transaction left it, somebody else has applied.
	checkpoint() (eventlog.Checkpoint, error)
	// setCheckpoint says how far they are then.
	setCheckpoint(at eventlog.Checkpoint) error
	// load is the row with a key, nil if there is none.
	load(t *table, key []any) ([]any, error)
	// lookup is all rows that have these values in the columns of a lookup.
	lookup(t *table, by index, values []any) ([][]any, error)
	// put writes rows, in the place of those with the same key, in the order of their keys. Fresh says that there are none.
	put(t *table, rows [][]any, fresh bool) error
	// remove deletes the rows with these keys, as far as they are there.
	remove(t *table, keys [][]any) error
	// reset begins anew: no rows, and no checkpoint.
	reset() error
}

// trouble is what an error of an engine means.
type trouble int

const (
	troubleOther   trouble = iota // nothing goes on
	troublePassing                // it may pass: no space, locked
	troubleBroken                 // the next try may succeed: the connection broke, or another transaction was first
	troubleDamaged                // the generation is broken, and has to begin anew
	troubleValue                  // of what was to be written: an event says what cannot be kept
)
