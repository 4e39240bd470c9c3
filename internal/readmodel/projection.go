package readmodel

import "github.com/kintsugi-run/kintsugi/internal/eventlog"

// Projection folds events into tables of its own.
type Projection interface {
	// Name is unique among the projections of a program.
	Name() string
	// Version is raised when Apply changes its meaning: the views are then built anew.
	Version() int
	// Schema is the DDL of the projection's tables, run once on an empty file.
	// Changing it builds the views anew. Names must not begin with "readmodel_".
	Schema() string
	// Apply folds one event into the tables. It is called for every event of the log, in log
	// order, and must skip types it does not know. It must depend on nothing but the
	// tables and the record: no clock, no I/O. It must not keep positions: after the log was
	// moved to another backend, events have other ones, and the views go on. [Compare] holds every
	// column to that. Its changes are
	// rolled back if it fails, and the event is given again.
	Apply(tx *Tx, record eventlog.Record) error
}
