// Package repair proposes fixes: deterministic templates over the script's syntax
// tree and the recorded payloads, and the choice among candidates that passed the gate.
//
//	result, err := repair.Mend(ctx, gate, evidence, repair.Templates{})
package repair
