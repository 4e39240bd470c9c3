// Package inputschema reads what input a script's main takes: from the type that its first parameter is given in
// TypeScript or JSDoc, from what it is taken apart into, and from defaults. It is text that is read, not a tree: what
// it cannot read for sure takes anything.
//
//	if takes := inputschema.Of(code); takes != nil {
//		err := takes.Check(input) // input.day is missing: main takes a text there
//	}
package inputschema
