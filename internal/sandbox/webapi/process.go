package webapi

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"process"},
	Use:   "process.env.NAME",
	Doc: "The handle of the secret NAME, as secret('NAME') gives it, for names in capitals. Nothing of the machine's own environment is there; NODE_ENV is 'production', TZ 'UTC'. " +
		"process.exit() ends the run; exit(1), and an exitCode that is not 0, fail it with the error that the script wrote to its log last. stdout.write writes a line of the log, hrtime and uptime show the run's clock, argv is Node's without arguments, and on does nothing: what is not caught fails the run.",
	Types: `declare const process: {
  /** Handles of secrets, never their values. */
  readonly env: { readonly [name: string]: string | undefined };
  nextTick(f: (...args: any[]) => unknown, ...args: unknown[]): void;
  exit(code?: number): never;
  exitCode: number | undefined;
  readonly argv: string[]; readonly execArgv: string[]; readonly pid: number; readonly platform: string; readonly arch: string; readonly title: string; readonly version: string; readonly versions: Record<string, string>;
  readonly stdout: { write(text: string): boolean; readonly isTTY: boolean }; readonly stderr: { write(text: string): boolean; readonly isTTY: boolean };
  cwd(): string; uptime(): number; hrtime: { (since?: [number, number]): [number, number]; bigint(): bigint };
  memoryUsage(): { rss: number; heapTotal: number; heapUsed: number; external: number; arrayBuffers: number };
  on(event: string, f: (...args: any[]) => unknown): unknown; once(event: string, f: (...args: any[]) => unknown): unknown; off(event: string, f: (...args: any[]) => unknown): unknown;
  emitWarning(text: string | Error): void;
};`,
	Make: func(r *engine.Run, _ string) goja.Value {
		p := engine.State[processState](r)
		if p.object == nil {
			p.object = r.Prelude(prelude, "process.js", map[string]*goja.Object{
				"console": r.Standard("console").ToObject(r.VM), "exit": r.Function("exit", func(call goja.FunctionCall) goja.Value { return processExit(r, call) }),
				"next": r.Function("next", func(call goja.FunctionCall) goja.Value {
					r.NextTick(call.Argument(0))
					return goja.Undefined()
				}),
				"moved": r.Function("moved", func(goja.FunctionCall) goja.Value { return r.VM.ToValue(r.Elapsed()) }),
			}).Get("process").ToObject(r.VM)
			engine.Define(p.object, "env", r.VM.NewDynamicObject(variables{r.VM}), engine.Visible)
			r.WhenDone = func() error { return exitCode(r) }
		}
		return p.object
	},
})

// processState is what a run has of process.
type processState struct {
	object *goja.Object // what the script calls process, if it does
	said   *goja.Object // the last error that it wrote to its log
}

// processExit ends the run: content, or with the error that the script wrote to its log last.
func processExit(r *engine.Run, call goja.FunctionCall) goja.Value {
	r.Alive()
	code := call.Argument(0)
	if goja.IsUndefined(code) {
		code = engine.State[processState](r).object.Get("exitCode")
	}
	if code == nil || code.ToInteger() == 0 {
		r.Exit()
	}
	r.Fail(exitError(r, code.ToInteger()))
	return nil
}

// exitCode is the error of a script that ends with an exit code that says it failed.
func exitCode(r *engine.Run) (failed error) {
	if ex := r.VM.Try(func() {
		if code := engine.State[processState](r).object.Get("exitCode"); code != nil && !goja.IsUndefined(code) && code.ToInteger() != 0 {
			failed = exitError(r, code.ToInteger())
		}
	}); ex != nil {
		return ex
	}
	return failed
}

func exitError(r *engine.Run, code int64) error {
	if said := engine.State[processState](r).said; said != nil {
		return r.Thrown(said)
	}
	return r.LastError(fmt.Sprintf("the script ended with process.exit(%d)", code))
}

// variables are what a script finds in the place of the variables of a process. Only the host knows which
// secrets there are, so each name is one: a name that it does not know is refused where it is sent.
type variables struct{ vm *goja.Runtime }

var variableName = lazyregexp.New(`^[A-Z][A-Z0-9_]{0,99}$`)

// Get implements goja.DynamicObject.
func (e variables) Get(name string) goja.Value {
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
func (e variables) Has(name string) bool { return variableName.MatchString(name) }

// Set implements goja.DynamicObject: nothing can be set.
func (e variables) Set(string, goja.Value) bool { return false }

// Delete implements goja.DynamicObject: nothing can be deleted.
func (e variables) Delete(string) bool { return false }

// Keys implements goja.DynamicObject: a script is not told what secrets there are.
func (e variables) Keys() []string { return nil }
