// Package installation is what is decided for all workflows at once: whether repairs go on, and
// what agents may spend. It is one stream, admin. It is pure: no clock, no I/O.
//
//	events, err := installation.Decide(state, installation.StopRepairs{Reason: "the gateway is being moved"}, now)
//	if reached := state.Reached(spent, now); state.Off || len(reached) > 0 {
//		// no repair starts, and none goes on
//	}
package installation
