// Package commands asks the domain to do something: one method per use case, in a file for each kind of stream, each
// load, decide, append, nothing more. Reactions do the work that follows from an event.
//
//	c := commands.New(commands.Config{Log: log, Codec: codec, Now: time.Now, NewID: newID, CheckScript: check})
//	result, err := c.SaveScript(ctx, commands.SaveScript{Workflow: id, Code: code}, commands.Meta{Actor: "person:ann"})
//	err = views.WaitFor(ctx, result.Position) // to read one's own writes
//
// The pipeline that all of them share sees to the rest: a command id that is already in the
// stream gives back its first result, a conflicting append is decided again on what is
// there now, and metadata with the hash chain is set here and nowhere else.
package commands
