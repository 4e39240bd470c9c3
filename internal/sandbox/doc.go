// Package sandbox says what a run of a script is: its calls, answers, limits and errors. Its rooms run it: goja in child processes of the same binary, with
// limits that hold, a virtual clock, seeded randomness and JSON at the boundary.
//
//	if process.IsWorker() { // first thing in main
//		process.WorkerMain(bindings)
//	}
//	pool := process.NewPool(process.PoolConfig{Bindings: bindings})
//	outcome, err := pool.Run(ctx, sandbox.Execution{Code: code, Seed: "r1", Clock: at, Affinity: script}, host)
//
// An error of Run is the host's trouble (no worker could be started, the context ended);
// whatever the script does is an Outcome.
//
// # A run is a function
//
// The same code, input, seed, clock and answers give the same outcome, byte for byte.
// The clock stands still; only sleep, timers and the time an answer says it took move it.
// A call is made before the function returns, so calls run one at a time in the order the
// script makes them, and a promise that is still pending when nothing is left to do is a
// deadlock. Its promise is settled then, too, except in a script with timers, where that
// happens when the virtual time is over.
//
// In an execution whose reads overlap that is so in every script, and a read is only begun
// when its function returns: the host makes several at the same time ([Beginner]) and the
// script goes on. From then on it depends on the order of the answers, so each is recorded with a time that puts it where
// it came: the same execution with these in its journal is the same again.
//
// # What holds a script
//
//   - In JavaScript: wall and processor time by interrupt, recursion by the engine's call
//     stack, memory by a look at the heap every 5 ms while it computes, calls, log and results by counting.
//   - In native code, which ignores interrupts: the worker reports what it knows and ends.
//   - In a single allocation, or recursion of the engine itself: the worker dies of
//     RLIMIT_DATA, RLIMIT_CPU or the Go stack limit, and the host reads from its remains
//     which it was.
//   - If all that fails, the host kills the worker when its wall time is up.
//
// A worker that dies takes one run with it. The log of such a run is there, because each line is sent at once; the list of
// its calls is lost if the worker had no time to report.
//
// A script finds no eval, no Function, none of the engine's typed arrays and nothing of the machine. Against
// a fault in the engine that lets a script run machine code there are walls around the
// process, on Linux, as far as the kernel grants them; [process.Pool.Containment] says which hold:
//
//   - landlock: no file can be opened or made, no TCP. Not in a program built with cgo.
//   - a filter of system calls (amd64 and arm64): only those that a running Go program
//     makes. No files, sockets, processes, or signals to others.
//   - network and IPC namespaces, if the host may make them (root, mostly).
//
// None of them needs anything installed, and each is tested by itself. Elsewhere than on
// Linux there are none, and neither memory nor processor time is held by the operating
// system; the looks at the heap and the kill remain. A worker shares the kernel with the
// host: against a fault in that too, run the whole program in a virtual machine.
package sandbox
