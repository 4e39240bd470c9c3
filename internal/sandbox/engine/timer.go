package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// timer is something that happens at a moment of virtual time. Nothing waits for it in real time: when
// the script has nothing left to do but wait, its clock moves on to the next one.
type timer struct {
	id    int
	due   int64 // in virtual milliseconds since the run began
	order int   // of those that are due at the same time
	every int64 // of an interval; 0 is once
	loose bool  // the run does not go on for it alone
	fire  goja.Callable
	read  *reading // whose answer comes then, instead of fire; nil if it is none
}

// maxDelay is the longest delay, in milliseconds, as in browsers and Node.
const maxDelay = 1<<31 - 1

// namesTimers says that a script may wait for several things at once. In one that does not a call and
// a sleep are over when they return, and no timer is kept.
func namesTimers(code string) bool {
	return strings.Contains(code, "setTimeout") || strings.Contains(code, "setInterval") || strings.Contains(code, "AbortSignal") || strings.Contains(code, "timers/promises")
}

// at has something happen; of two at one moment the one that was asked for first is first.
func (r *Run) at(t *timer) {
	r.number(t)
	r.place(t)
}

// number says that something has been asked for.
func (r *Run) number(t *timer) {
	if t.id == 0 {
		r.timerID++
		t.id = r.timerID
	}
	r.order++
	t.order = r.order
}

func (r *Run) place(t *timer) {
	at, _ := slices.BinarySearchFunc(r.timers, t, func(a, b *timer) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.order, b.order))
	})
	r.timers = slices.Insert(r.timers, at, t)
}

func (r *Run) forget(id int) {
	r.timers = slices.DeleteFunc(r.timers, func(t *timer) bool { return t.id == id })
}

// tick lets the next timer happen, and with it all that follows at once. It says whether there was one.
func (r *Run) tick() (bool, error) {
	if r.ended != nil || r.limited.Load() != nil {
		return false, &stopped{}
	}
	if err := r.listen(); err != nil {
		return false, err
	}
	if len(r.timers) == 0 {
		return false, nil
	}
	next := r.timers[0]
	r.timers = slices.Delete(r.timers, 0, 1)
	r.Move(next.due - r.moved)
	if next.every > 0 {
		next.due = r.moved + next.every
		r.at(next)
	}
	_, err := r.enter(func() (goja.Value, error) {
		if next.read != nil {
			return goja.Undefined(), r.give(next.read)
		}
		return next.fire(goja.Undefined())
	})
	return true, err
}

// mostTicks is how often intervals may come, with nothing else to wait for, once main has returned.
const mostTicks = 10_000

// finish lets happen what the script still waits for when main has returned.
func (r *Run) finish() error {
	alone := 0
	for len(r.reading) > 0 || slices.ContainsFunc(r.timers, func(t *timer) bool { return !t.loose }) {
		if len(r.reading) == 0 && !slices.ContainsFunc(r.timers, func(t *timer) bool { return !t.loose && t.every == 0 }) {
			if alone++; alone > mostTicks {
				return logicError("LogicError", "main has returned, but an interval goes on for ever: end it with clearInterval")
			}
		}
		if _, err := r.tick(); err != nil {
			return err
		}
	}
	return nil
}

// after is a value that is there when so many virtual milliseconds have passed.
func (r *Run) after(ms int64, value goja.Value) goja.Value {
	promise, resolve, _ := r.VM.NewPromise()
	fire, _ := goja.AssertFunction(r.Function("", func(goja.FunctionCall) goja.Value {
		if err := resolve(value); err != nil {
			panic(err)
		}
		return goja.Undefined()
	}))
	r.at(&timer{due: r.moved + ms, fire: fire})
	return r.VM.ToValue(promise)
}

var _ = Declare(Builtin{
	Names: []string{"setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate", "queueMicrotask"},
	Use:   "setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, queueMicrotask",
	Doc:   "As in Node, on the script's clock: waiting takes no real time. A run ends when nothing is left to wait for.",
	Types: `interface Timeout { ref(): this; unref(): this; hasRef(): boolean }
declare function setTimeout<A extends unknown[]>(f: (...args: A) => unknown, ms?: number, ...args: A): Timeout;
declare function setInterval<A extends unknown[]>(f: (...args: A) => unknown, ms?: number, ...args: A): Timeout;
declare function setImmediate<A extends unknown[]>(f: (...args: A) => unknown, ...args: A): Timeout;
declare function clearTimeout(timeout?: Timeout | number | string | null): void;
declare function clearInterval(timeout?: Timeout | number | string | null): void;
declare function clearImmediate(timeout?: Timeout | number | string | null): void;
declare function queueMicrotask(f: () => unknown): void;`,
	Make: (*Run).timerFunction,
})

// timerFunction makes one of them: most scripts that have timers use two.
func (r *Run) timerFunction(name string) goja.Value {
	switch name {
	case "clearTimeout", "clearInterval", "clearImmediate":
		return r.FunctionOf(name, 1, func(call goja.FunctionCall) goja.Value {
			r.Alive()
			if id, is := timerOf(call.Argument(0)); is {
				r.forget(id)
			}
			return goja.Undefined()
		})
	case "queueMicrotask":
		return r.FunctionOf(name, 1, func(call goja.FunctionCall) goja.Value {
			r.Alive()
			r.callback(call.Argument(0))
			r.asJob(call.Argument(0))
			return goja.Undefined()
		})
	}
	takes := 2 // before the arguments that it hands on
	if name == "setImmediate" {
		takes = 1
	}
	return r.FunctionOf(name, takes, func(call goja.FunctionCall) goja.Value {
		r.Alive()
		f := r.callback(call.Argument(0))
		ms := goja.Undefined()
		if takes == 2 {
			ms = call.Argument(1)
		}
		t := r.StartTimer(f, ms)
		if len(call.Arguments) > takes {
			args := slices.Clone(call.Arguments[takes:]) // they are on the engine's stack
			t.fire = func(this goja.Value, _ ...goja.Value) (goja.Value, error) { return f(this, args...) }
		}
		if name == "setInterval" {
			t.every = t.due - r.moved
		}
		return r.Instantiate("Timeout", &timeout{id: t.id})
	})
}

// timeout is what a script gets for a timer.
type timeout struct {
	id    int
	loose bool
}

var _ = DeclareClass(&Class{Name: "Timeout", Members: []Member{
	timeoutMethod("ref", func(r *Run, it *timeout) { r.loosen(it, false) }),
	timeoutMethod("unref", func(r *Run, it *timeout) { r.loosen(it, true) }),
	Method("hasRef", 0, func(r *Run, it *timeout, _ []goja.Value) goja.Value { return r.VM.ToValue(!it.loose) }),
	timeoutMethod("close", func(r *Run, it *timeout) { r.forget(it.id) }),
	{symbol: goja.SymToPrimitive, Call: func(r *Run, this goja.Value, _ []goja.Value) goja.Value {
		return r.VM.ToValue(InstanceOf[timeout](r, this).id)
	}},
}})

// asJob has f called as what a promise calls. The engine must call code of the script there: behind a function of ours it would begin
// with the jobs that were asked for meanwhile, before those that wait.
func (r *Run) asJob(f goja.Value) {
	made, err := r.VM.RunProgram(jobs())
	if err != nil {
		panic(err)
	}
	settled := r.Resolved(goja.Undefined()).ToObject(r.VM)
	r.CalledOn(settled, settled.Get("then"), r.CalledOn(goja.Undefined(), made, f))
}

var jobs = mustCompile("jobs.js", "(function (f) { return () => { f(); }; })")

// timeoutMethod is a method that gives the timeout itself.
func timeoutMethod(name string, call func(r *Run, it *timeout)) Member {
	return Member{Name: name, Call: func(r *Run, this goja.Value, _ []goja.Value) goja.Value {
		call(r, InstanceOf[timeout](r, this))
		return this
	}}
}

// loosen says whether the run goes on for a timer alone.
func (r *Run) loosen(it *timeout, loose bool) {
	it.loose = loose
	for _, t := range r.timers {
		if t.id == it.id {
			t.loose = loose
		}
	}
}

// Unref has the run not go on for a timer alone.
func (t *timer) Unref() { t.loose = true }

// timerOf is the timer that a script means: by what it got for it, or by its number.
func timerOf(value goja.Value) (int, bool) {
	if it, is := Known(value).(*timeout); is {
		return it.id, true
	}
	if !goja.IsString(value) && !goja.IsNumber(value) {
		return 0, false
	}
	return int(value.ToNumber().ToInteger()), true
}

// callback is a function that a timer is to call.
func (r *Run) callback(value goja.Value) goja.Callable {
	f, ok := goja.AssertFunction(value)
	if !ok {
		panic(r.VM.NewTypeError("The \"callback\" argument must be of type function. Received %s", typeOf(value)))
	}
	return f
}

// typeOf is what typeof says of a value that is no function.
func typeOf(value goja.Value) string {
	switch {
	case goja.IsUndefined(value):
		return "undefined"
	case goja.IsString(value):
		return "string"
	case goja.IsNumber(value):
		return "number"
	case goja.IsBigInt(value):
		return "bigint"
	}
	switch value.(type) {
	case *goja.Symbol:
		return "symbol"
	case *goja.Object:
		return "object"
	}
	if goja.IsNull(value) {
		return "object"
	}
	return "boolean"
}

func (r *Run) StartTimer(fire goja.Callable, ms goja.Value) *timer {
	r.Alive()
	delay := int64(1) // as in Node for what is no delay
	if n := ms.ToFloat(); n >= 1 && n <= maxDelay {
		delay = int64(n)
	}
	t := &timer{due: r.moved + delay, fire: func(this goja.Value, _ ...goja.Value) (goja.Value, error) { return fire(this) }}
	r.at(t)
	return t
}
