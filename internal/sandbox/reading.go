package sandbox

import (
	"bytes"
	"cmp"

	"github.com/dop251/goja"
)

// reading is a read that the script has begun and has no answer to: its promise settles when the virtual time has come
// that it took. The journal knows that at once; the host says it when the answer is there.
//
// Whether an answer of the host comes before what else is to happen only the host can tell, so it is asked as long as
// there is a read without an answer, but before an answer that is there: what comes later takes longer.
type reading struct {
	binding *Binding
	call    int               // its index among those of the run
	callers []goja.StackFrame // what its error is thrown from
	resolve func(any) error
	reject  func(any) error
}

// read begins a read, and gives the script its promise.
func (r *run) read(binding *Binding, traced TracedCall, callers []goja.StackFrame) goja.Value {
	promise, resolve, reject := r.vm.NewPromise()
	t := &timer{read: &reading{binding: binding, call: len(r.calls), callers: callers, resolve: resolve, reject: reject}}
	r.number(t)
	r.trace(traced)
	if traced.Journal >= 0 {
		t.due = r.moved + traced.MS
		r.place(t)
		return r.vm.ToValue(promise)
	}
	if err := r.outside.begin(traced.Call); err != nil {
		r.stop(traced.Call, stopReason(err), callers)
	}
	if r.reading == nil {
		r.reading = map[int]*timer{}
	}
	r.reading[traced.Seq], r.unheard = t, true
	return r.vm.ToValue(promise)
}

// listen asks the host for news as long as something may come before what is to happen next.
func (r *run) listen() error {
	for {
		until, patient := int64(-1), true
		if len(r.timers) > 0 {
			until, patient = r.timers[0].due, r.timers[0].read == nil
		}
		if !r.unheard && (len(r.reading) == 0 || !patient) {
			return nil
		}
		news, err := r.outside.wait(r.moved, until, patient)
		if err != nil {
			return err
		}
		r.hear(news)
		if patient && len(news.heard) == 0 {
			return nil // nothing comes before the timer
		}
	}
}

// hear takes answers to reads in.
func (r *run) hear(n news) {
	r.unheard = n.more
	for _, one := range n.heard {
		t := r.reading[one.seq]
		if t == nil {
			continue
		}
		delete(r.reading, one.seq)
		traced := &r.calls[t.read.call]
		if one.stop != nil {
			r.stop(traced.Call, one.stop, t.read.callers)
		}
		r.mu.Lock()
		traced.Reply = one.reply
		r.mu.Unlock()
		t.due = traced.At + one.reply.MS
		r.place(t)
	}
}

// give settles the promise of a read.
func (r *run) give(read *reading) error {
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
func (r *run) errorAt(failure Error, callers []goja.StackFrame) *goja.Object {
	failure.Name, failure.Frames = cmp.Or(failure.Name, errorNames[failure.Class]), frames(callers)
	object := r.newError(failure)
	var stack bytes.Buffer
	stack.WriteString(failure.Name + ": " + failure.Message + "\n")
	for i := range callers {
		stack.WriteString("\tat ")
		callers[i].Write(&stack)
		stack.WriteByte('\n')
	}
	define(object, "stack", r.vm.ToValue(stack.String()), hidden)
	return object
}
