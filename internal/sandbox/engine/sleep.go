package engine

import (
	"math"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

var _ = Declare(Builtin{
	Names: []string{"sleep"},
	Use:   "sleep(ms)",
	Doc:   "A promise. The script's clock moves on; no real time passes.",
	Types: "declare function sleep(ms: number): Promise<null>;",
	Make:  func(r *Run, name string) goja.Value { return r.Function(name, r.sleep) },
})

var _ = Declare(Builtin{
	Names: []string{"secret"},
	Use:   "secret(name)",
	Doc:   "A handle of a secret that the person set, never its value. The host puts the value in, only in header values and URL query values, and only for the hosts that the person bound it to, as it is or through btoa: 'Basic ' + btoa('user:' + secret(name)). A script cannot hash, cut or otherwise encode it.",
	Types: "declare function secret(name: string): string;",
	Make:  func(r *Run, name string) goja.Value { return r.Function(name, r.Secret) },
})

// MaxSleep is the longest that one sleep may take, in milliseconds: a day.
const MaxSleep = 24 * 60 * 60 * 1000

// sleep lets virtual time pass; it takes no real time.
func (r *Run) sleep(call goja.FunctionCall) goja.Value {
	r.Alive()
	ms := call.Argument(0).ToFloat()
	if math.IsNaN(ms) || ms < 0 {
		ms = 0
	}
	if ms > MaxSleep {
		return r.reject(sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "sleep: at most a day (86400000 ms) at a time", Tool: "sleep"})
	}
	if r.timed {
		return r.after(int64(ms), goja.Null())
	}
	r.Move(int64(ms))
	return r.Resolved(goja.Null())
}

var secretName = lazyregexp.New(`^[A-Za-z0-9_.-]{1,100}$`)

// SecretHandle is a handle as secret gives it.
var SecretHandle = lazyregexp.New(`\{\{secret:[A-Za-z0-9_.-]{1,100}\}\}`)

// Secret gives the handle that the host puts a secret in the place of.
func (r *Run) Secret(call goja.FunctionCall) goja.Value {
	r.Alive()
	name, ok := TextOf(call.Argument(0))
	if !ok || !secretName.MatchString(name) {
		panic(r.newError(sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "secret: the name must be letters, digits, _ . or -", Tool: "secret"}))
	}
	return r.VM.ToValue("{{secret:" + name + "}}")
}
