// Package migration infers how the payloads of an API changed their shape, from payloads of
// before and of after alone: which member was renamed, moved, nested, wrapped, flattened or
// written another way. A migration carries an old payload into the new shape.
//
//	ways := migration.Infer(keys, old, fresh) // best first
//	carried := ways[0].Apply(old[0])    // what was answered then, as it would be today
//
// It never looks at a script, so that a script can be judged by it.
package migration
