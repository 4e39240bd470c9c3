package engine

import (
	"bytes"
	"cmp"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// reading is a read that the script has begun and has no answer to: its promise settles when the virtual time has come
// that it took. The journal knows that at once; the host says it when the answer is there.
//
// Whether an answer of the host comes before what else is to happen only the host can tell, so it is asked as long as
// there is a read without an answer, but before an answer that is there: what comes later takes longer.
type reading struct {
	binding *sandbox.Binding
	call    int               // its index among those of the run
	callers []goja.StackFrame // what its error is thrown from
	resolve func(any) error
	reject  func(any) error
}

// read begins a read, and gives the script its promise.
func (r *Run) read(binding *sandbox.Binding, traced sandbox.TracedCall, callers []goja.StackFrame) goja.Value {
	promise, resolve, reject := r.VM.NewPromise()
	t := &timer{read: &reading{binding: binding, call: len(r.calls), callers: callers, resolve: resolve, reject: reject}}
	r.number(t)
	r.trace(traced)
	if traced.Journal >= 0 {
		t.due = r.moved + traced.MS
		r.place(t)
		return r.VM.ToValue(promise)
	}
	if err := r.outside.Begin(traced.Call); err != nil {
		r.stop(traced.Call, sandbox.StopReason(err), callers)
	}
	if r.reading == nil {
		r.reading = map[int]*timer{}
	}
	r.reading[traced.Seq], r.unheard = t, true
	return r.VM.ToValue(promise)
}

// listen asks the host for news as long as something may come before what is to happen next.
func (r *Run) listen() error {
	for {
		until, patient := int64(-1), true
		if len(r.timers) > 0 {
			until, patient = r.timers[0].due, r.timers[0].read == nil
		}
		if !r.unheard && (len(r.reading) == 0 || !patient) {
			return nil
		}
		news, err := r.outside.Wait(r.moved, until, patient)
		if err != nil {
			return err
		}
		r.hear(news)
		if patient && len(news.Heard) == 0 {
			return nil // nothing comes before the timer
		}
	}
}

// hear takes answers to reads in.
func (r *Run) hear(n News) {
	r.unheard = n.More
	for _, one := range n.Heard {
		t := r.reading[one.Seq]
		if t == nil {
			continue
		}
		delete(r.reading, one.Seq)
		traced := &r.calls[t.read.call]
		if one.Stop != nil {
			r.stop(traced.Call, one.Stop, t.read.callers)
		}
		r.mu.Lock()
		traced.Reply = one.Reply
		r.mu.Unlock()
		t.due = traced.At + one.Reply.MS
		r.place(t)
	}
}

// give settles the promise of a read.
func (r *Run) give(read *reading) error {
	traced := r.calls[read.call]
	r.callers = read.callers
	value, failure := r.value(read.binding, traced.Call, traced.Reply)
	r.callers = nil
	if failure == nil {
		return read.resolve(value)
	}
	return read.reject(r.errorAt(*failure, read.callers))
}

// errorAt is the error of a call that was made some time ago, from elsewhere.
func (r *Run) errorAt(failure sandbox.Error, callers []goja.StackFrame) *goja.Object {
	failure.Name, failure.Frames = cmp.Or(failure.Name, sandbox.ErrorNames[failure.Class]), frames(callers)
	object := r.newError(failure)
	var stack bytes.Buffer
	stack.WriteString(failure.Name + ": " + failure.Message + "\n")
	for i := range callers {
		stack.WriteString("\tat ")
		callers[i].Write(&stack)
		stack.WriteByte('\n')
	}
	Define(object, "stack", r.VM.ToValue(stack.String()), Hidden)
	return object
}

// Heard is the answer to a read, or why the run ends with it.
type Heard struct {
	Seq   int
	Reply sandbox.Reply
	Stop  *sandbox.Error
}

// News is what a script has to hear before it goes on. If there is more, it has to ask for that as well.
type News struct {
	Heard []Heard
	More  bool
}
