// Package readmodel is the machinery of projections; it knows nothing of the domain.
//
// A projection folds the event log into tables. All projections of a program together are a
// generation: one SQLite file, named by a fingerprint of their schemas and versions, that is built
// from the log and can be thrown away at any time. A program with another schema builds its own file
// beside the old one, so there is never anything to migrate.
//
//	store, err := readmodel.Open(ctx, readmodel.Config{Dir: dir, Log: log, Projections: all})
//	go store.Run(ctx)
//	err = store.WaitFor(ctx, appended.Position)
//	err = store.Read(ctx, func(q *readmodel.Query) error {
//		titles, err = readmodel.Collect(q.Rows("SELECT title FROM workflow"), scanTitle)
//		return err
//	})
//
// Rows and checkpoint are written in one transaction, so each event is applied exactly
// once, whatever dies in between and however many processes apply.
package readmodel
