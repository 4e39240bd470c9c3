// Package repair proposes fixes: deterministic templates over the script's syntax
// tree and the recorded payloads, and the choice among candidates that passed the gate.
//
//	result, err := repair.Mend(ctx, gate, evidence, repair.Templates{Runner: runner})
//
// [Templates] finds out what changed instead of guessing from the error. It runs the
// failing run and the recorded successes once more with a tracer behind the script
// (tracer.js): proxies around the input and the answers note every property that the
// script reads, with its path in the payload and its place in the source, whatever the
// style of the code. Where the failing run read what the successes never did (nothing,
// null, another type) is an anomaly; the payloads then say where the value is now
// (renamed, moved, wrapped, of another type), and how well names and values support that.
// Edits are text edits at the places that read, written so that old payloads still work.
//
// Parts of the script that the failing run did not reach broke, too. A script that lets it pass is tried on the
// recorded successes, carried into the new shape ([gate.Carry]). One that comes to another end than it had shows
// another broken part, and the same candidate mends it.
//
// A fixer only proposes. [Mend] puts every candidate through the gate and prefers
// precision to reach: what the evidence does not make clear is held for a person.
package repair
