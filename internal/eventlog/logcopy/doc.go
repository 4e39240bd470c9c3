// Package logcopy copies a log to another backend, event by event, and proves that the copy is one.
//
//	result, err := logcopy.Copy(ctx, from, to, logcopy.Options{})
//
// A copy has the same events in the same order: ids, types, schema versions, payloads, metadata,
// streams and revisions, so hash chains verify in it and checkpoints can be resolved
// ([eventlog.Resolve]). Two things are the backend's own and are not copied: positions, and
// RecordedAt, which becomes the time of the copying. The time at which something happened is in
// the metadata.
//
// Missing events are appended in loads, as large as one append may be: a target that can takes each in one
// transaction ([eventlog.OrderedAppender]), so that after a crash a load is there
// wholly or not at all.
//
// The state of a copying is in the target and nowhere else. One that was stopped, in whatever way,
// goes on where the target ends; one that was complete does nothing but check.
package logcopy
