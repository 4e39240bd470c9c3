// Package sandbox runs scripts: goja in child processes of the same binary, with
// limits that hold, a virtual clock, seeded randomness and JSON at the boundary.
//
//	if sandbox.IsWorker() { // first thing in main
//		sandbox.WorkerMain(bindings)
//	}
//	pool := sandbox.NewPool(sandbox.PoolConfig{Bindings: bindings})
//	outcome, err := pool.Run(ctx, sandbox.Execution{Code: code, Seed: "r1", Clock: at, Affinity: workflow}, host)
//
// An error of Run is the host's trouble (no worker could be started, the context ended);
// whatever the script does is an Outcome.
//
// # A run is a function
//
// The same code, input, seed, clock and answers give the same outcome, byte for byte.
// The clock stands still; only sleep, and the time an answer says it took, move it. There
// is no event loop: a call is made and its promise settled before the function returns,
// so calls run one at a time in the order the script makes them, and a promise that is
// still pending when nothing is left to do is a deadlock.
//
// # What holds a script
//
//   - In JavaScript: wall and processor time by interrupt, recursion by the engine's call
//     stack, memory by a look at the heap every 5 ms, calls, log and results by counting.
//   - In native code, which ignores interrupts: the worker reports what it knows and ends.
//   - In a single allocation, or recursion of the engine itself: the worker dies of
//     RLIMIT_DATA, RLIMIT_CPU or the Go stack limit, and the host reads from its remains
//     which it was.
//   - If all that fails, the host kills the worker when its wall time is up.
//
// A worker that dies takes one run with it. What such a run logged, and the calls that
// its journal answered, are lost if the worker had no time to report.
//
// A script finds no eval, no Function, no typed arrays and nothing of the machine. Only
// Linux holds memory and processor time by the operating system; elsewhere the looks at
// the heap and the kill remain. Workers share the host's user, network and file system:
// against a fault in the engine that lets a script run machine code, run the whole
// program in a container.
package sandbox
