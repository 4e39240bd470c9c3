// Package event holds what all events share: the Event interface, metadata, and
// the codec: a registry of type names and schema versions with upcasters.
//
//	var events event.Types
//	var TypeScriptSaved = event.Declare[ScriptSaved](&events, "ScriptSaved", addOrigin) // version 2
//	…
//	codec := event.NewRegistry()
//	events.Register(codec)
//	if err := codec.Check(); err != nil { … } // at start: no holes, no duplicates
package event
