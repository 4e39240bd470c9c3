// Package event holds what all events share: the Event interface, metadata, and
// the codec: a registry of type names and schema versions with upcasters.
//
//	var codec = event.NewRegistry()
//	event.Register[ScriptSaved](codec, 2)
//	event.Upcast(codec, "ScriptSaved", 1, addOrigin)
//	if err := codec.Check(); err != nil { … } // at start: no holes, no duplicates
package event
