// Package projections is how the domain is seen: one file per read model, with its
// schema, how events change it, and the questions it answers.
//
//	store, err := readmodel.Open(ctx, readmodel.Config{Dir: dir, Log: log, Projections: projections.All(codec)})
//	queries := projections.NewQueries(store)
//	err = store.WaitFor(ctx, result.Position) // to see what a command did
//	workflows, err := queries.Workflows(ctx, projections.WorkflowFilter{})
//
// Read models are built from the log alone and may be rebuilt at any time; nothing is
// decided from them. Events of an unknown type are skipped and counted.
package projections
