// Package tool holds what a script may call: each tool declares its name, argument
// schema, effect, idempotency and how its errors are classified, in one file.
//
//	host := tool.NewHost(env)              // live: makes calls for real
//	reply, err := host.Call(ctx, call)
package tool
