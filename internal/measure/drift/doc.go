// Package drift breaks automations on purpose, as APIs do when they change, and measures
// what the repair makes of it.
//
//	all, err := drift.Load(files)                       // scripts with generators of what they are answered
//	scene, err := drift.Prepare(ctx, runner, all[0], 1) // recorded successes, a day to break, days held aside
//	for _, fault := range scene.Faults(drift.Kinds(), 2) {
//		result, err := scene.Measure(ctx, fault)
//	}
//
// A fault is one change at one place of a payload, the same for all answers of that kind.
// Because it is made from a day on which the script works, the right outcome is known: what
// the script does without the change. The repair sees the recorded successes and the
// failing run; whether it is right is found out on that run and on days held aside, which
// no fixer and no gate has seen.
package drift
