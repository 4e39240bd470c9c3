// Package sandbox runs scripts: goja in child processes of the same binary, with
// limits that hold, a virtual clock, seeded randomness and JSON at the boundary.
//
//	pool := sandbox.NewPool(sandbox.PoolConfig{…})
//	outcome, err := pool.Run(ctx, sandbox.Execution{Code: code, Seed: "r1", Clock: at}, host)
//
// An error of Run is the host's trouble (no worker could be started, the context ended);
// whatever the script does is an Outcome.
package sandbox
