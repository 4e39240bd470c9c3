// Package hostcall holds what a script may call: each tool declares its name, argument
// schema, effect, idempotency and how its errors are classified, in one file.
//
//	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings()})
//	host := hostcall.NewHost(&hostcall.Env{State: state})  // live: makes calls for real
//	defer host.Close()
//	outcome, err := pool.Run(ctx, execution, host)
//
// A replay answers calls of local tools with [ApplyLocal], the same function that the live
// host uses. An error's class is decided here, where it arises, and nowhere else.
package hostcall
