package readmodel

import "github.com/kintsugi-run/kintsugi/internal/eventlog"

// Projection folds events into tables of its own.
type Projection interface {
	// Name is unique among the projections of a program.
	Name() string
	// Version is raised when Apply changes its meaning: the views are then built anew.
	Version() int
	// Tables are those that Apply changes. Changing one builds the views anew. Their names must not begin with
	// "readmodel_", and columns must not be words of SQL.
	Tables() []Declared
	// Apply folds one event into the tables. It is called for every event of the log, in log
	// order, and must skip types it does not know. It must depend on nothing but the
	// tables and the record: no clock, no I/O. It must not keep positions: after the log was
	// moved to another backend, events have other ones, and the views go on. [Compare] holds every
	// column to that. If it fails, nothing of what the event has changed is kept, and its stream is
	// set aside ([Aside]).
	Apply(tx *Tx, record eventlog.Record) error
}

// Renewer is a [Projection] that knows events after which views are to be built anew: what earlier ones said was erased, and
// may be in rows and sums of any projection. Views that were begun later are right.
type Renewer interface {
	Renews(record eventlog.Record) bool
}
