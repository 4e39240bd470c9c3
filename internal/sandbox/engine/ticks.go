package engine

import (
	"strings"

	"github.com/dop251/goja"
)

// ticks are the functions that a script handed to process.nextTick. In Node they come when the code that runs has ended, before
// the jobs of promises, and those that such jobs ask for when no job is left. The engine begins with the jobs as soon as no code
// is on its stack: so all code of such a script is called by within, which calls these before it returns.
type ticks struct {
	queue  []goja.Callable
	within goja.Callable // (code, then) calls code, then the other
	then   goja.Value
}

var within = mustCompile("ticks.js", "(function (code, then) { const value = code(); then(); return value; })")

var _ = Polyfill("nextTick", func(r *Run) {
	if r.ticks != nil { // packages name it, too
		return
	}
	made, err := r.VM.RunProgram(within())
	if err != nil {
		panic(err)
	}
	r.ticks = &ticks{}
	r.ticks.within, _ = goja.AssertFunction(made)
	r.ticks.then = r.Function("", func(goja.FunctionCall) goja.Value {
		for len(r.ticks.queue) > 0 {
			next := r.ticks.queue[0]
			r.ticks.queue = r.ticks.queue[1:]
			if _, err := next(goja.Undefined()); err != nil {
				panic(err)
			}
		}
		return goja.Undefined()
	})
})

// NextTick has f called when the code that runs now has ended. A script that does not name it gets a job.
func (r *Run) NextTick(f goja.Value) {
	r.Alive()
	call := r.callback(f)
	if r.ticks != nil {
		r.ticks.queue = append(r.ticks.queue, call)
		return
	}
	r.asJob(f)
}

// enter calls code of the script, and what it hands to process.nextTick meanwhile.
func (r *Run) enter(code func() (goja.Value, error)) (goja.Value, error) {
	if r.ticks == nil {
		return r.enterJob(code)
	}
	return r.enterJob(func() (goja.Value, error) { return r.within(code) })
}

// begin calls the top level of the script, or its main, which in Node jobs do for a module.
func (r *Run) begin(code func() (goja.Value, error)) (goja.Value, error) {
	if r.ticks != nil && isModule(r.script.code) {
		return r.enterJob(code)
	}
	return r.enter(code)
}

// enterJob calls code as a job of a promise does.
func (r *Run) enterJob(code func() (goja.Value, error)) (goja.Value, error) {
	value, err := code()
	for err == nil && r.ticks != nil && len(r.ticks.queue) > 0 {
		_, err = r.within(func() (goja.Value, error) { return goja.Undefined(), nil })
	}
	return value, err
}

func (r *Run) within(code func() (goja.Value, error)) (goja.Value, error) {
	var failed error
	value, err := r.ticks.within(goja.Undefined(), r.Function("", func(goja.FunctionCall) goja.Value {
		var value goja.Value
		if value, failed = code(); failed != nil {
			panic(failed)
		}
		return value
	}), r.ticks.then)
	if failed != nil {
		return nil, failed
	}
	return value, err
}

// isModule says that a code is written as a module: that its first lines import, or that it exports.
func isModule(code string) bool {
	for line := range strings.Lines(code) {
		if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import{") || strings.HasPrefix(line, "export ") {
			return true
		}
	}
	return false
}
