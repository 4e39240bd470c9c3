package sandbox

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/pattern"
)

var _ = declare(Builtin{
	Names: []string{"process"},
	Use:   "process.env.NAME",
	Doc:   "The handle of the secret NAME, as secret('NAME') gives it, for names in capitals. Nothing of the machine's own environment is there; NODE_ENV is 'production', TZ 'UTC'.",
	Types: `declare const process: {
  /** Handles of secrets, never their values. */
  readonly env: { readonly [name: string]: string | undefined };
  nextTick(f: (...args: any[]) => unknown, ...args: unknown[]): void;
};`,
	make: func(r *run, _ string) goja.Value {
		process := r.vm.NewObject()
		define(process, "env", r.vm.NewDynamicObject((*variables)(r)), visible)
		define(process, "nextTick", r.prelude("process.js", nil).Get("nextTick").ToObject(r.vm), visible)
		return process
	},
})

// variables are what a script finds in the place of the variables of a process. Only the host knows which
// secrets there are, so each name is one: a name that it does not know is refused where it is sent.
type variables run

var variableName = pattern.New(`^[A-Z][A-Z0-9_]{0,99}$`)

// Get implements goja.DynamicObject.
func (e *variables) Get(name string) goja.Value {
	switch {
	case name == "NODE_ENV":
		return e.vm.ToValue("production")
	case name == "TZ":
		return e.vm.ToValue("UTC")
	case variableName.MatchString(name):
		return e.vm.ToValue("{{secret:" + name + "}}")
	}
	return nil
}

// Has implements goja.DynamicObject.
func (e *variables) Has(name string) bool { return variableName.MatchString(name) }

// Set implements goja.DynamicObject: nothing can be set.
func (e *variables) Set(string, goja.Value) bool { return false }

// Delete implements goja.DynamicObject: nothing can be deleted.
func (e *variables) Delete(string) bool { return false }

// Keys implements goja.DynamicObject: a script is not told what secrets there are.
func (e *variables) Keys() []string { return nil }
