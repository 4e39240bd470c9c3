// Package readmodel is the machinery of projections; it knows nothing of the domain.
//
// A projection folds the event log into tables. A table is a Go struct; a projection writes no SQL, it changes rows:
//
//	type Workflow struct {
//		ID      string    `json:"id" col:"id,key"`
//		Title   string    `json:"title" col:"title"`
//		Open    string    `json:"-" col:"open"` // the task, empty when it is done
//		Created time.Time `json:"created" col:"created"`
//		Runs    int       `json:"runs" col:"runs"`
//	}
//
//	var workflows = readmodel.NewTable[Workflow]("workflow", readmodel.Index("created", "id"), readmodel.Lookup("open", "open"))
//
//	func (p projection) Tables() []readmodel.Declared { return []readmodel.Declared{workflows} }
//
//	func (p projection) Apply(tx *readmodel.Tx, record eventlog.Record) error {
//		switch e := decoded(record).(type) {
//		case Created:
//			workflows.Insert(tx, Workflow{ID: e.ID, Title: e.Title, Created: e.At})
//		case Ran:
//			if w := workflows.Edit(tx, e.ID); w != nil {
//				w.Runs++
//			}
//		case TaskDone:
//			for _, w := range workflows.EditWhere(tx, "open", e.Task) {
//				w.Open = ""
//			}
//		}
//		return nil
//	}
//
// To add a column is to add a field, and to fill it. Queries are SQL that both engines read:
//
//	store, err := readmodel.Open(ctx, readmodel.Config{Dir: dir, Log: log, Projections: all})
//	go store.Run(ctx)
//	err = store.WaitFor(ctx, appended.Position)
//	err = store.Read(ctx, func(q *readmodel.Query) error {
//		newest, err = readmodel.Select(q, workflows, "WHERE created < ? ORDER BY created DESC LIMIT 20", before)
//		return err
//	})
//
// All projections of a program together are a generation, named by a fingerprint of their tables and versions, that is
// built from the log and can be thrown away at any time. A program with other tables builds its own beside the old one,
// so there is never anything to migrate. An [engine] keeps a generation: SQLite, in a file, or PostgreSQL,
// in a schema that all nodes share.
//
// Rows are changed in memory ([unit]) and written once for many events, in one transaction with the checkpoint, so each
// event is applied exactly once, whatever dies in between and however many processes apply. A row in memory is the row
// in the database as long as the checkpoint is where the last transaction left it; if it is not, or a transaction
// failed, all of them are forgotten.
package readmodel
