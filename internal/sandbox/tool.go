package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dop251/goja"
)

// bindings are the tools of a process, by the name that a script starts with.
type bindings struct {
	plain  map[string]*Binding   // notify
	spaces map[string][]*Binding // web → web.getJSON, web.fetch, in the order given
}

func newBindings(list []Binding) *bindings {
	b := &bindings{plain: map[string]*Binding{}, spaces: map[string][]*Binding{}}
	for i := range list {
		binding := &list[i]
		if space, _, ok := strings.Cut(binding.Name, "."); ok {
			b.spaces[space] = append(b.spaces[space], binding)
		} else {
			b.plain[binding.Name] = binding
		}
	}
	return b
}

// find is a tool by its name, nil if there is none.
func (b *bindings) find(name string) *Binding {
	space, _, ok := strings.Cut(name, ".")
	if !ok {
		return b.plain[name]
	}
	for _, binding := range b.spaces[space] {
		if binding.Name == name {
			return binding
		}
	}
	return nil
}

// effect is what a call of it does.
func (b *Binding) effect(args json.RawMessage) Effect {
	if b.Effect == nil {
		return Write // the careful guess
	}
	return b.Effect(args)
}

// tool is the function by which a script calls a tool.
func (r *run) tool(binding *Binding) *goja.Object {
	return r.function(binding.Name, func(call goja.FunctionCall) goja.Value {
		r.alive()
		return r.call(binding, r.arguments(call.Arguments))
	})
}

// arguments is the JSON array of a call's arguments, trailing undefined ones left out.
// Each is serialised on its own, so that the script has no say in the array.
func (r *run) arguments(values []goja.Value) json.RawMessage {
	for len(values) > 0 && goja.IsUndefined(values[len(values)-1]) {
		values = values[:len(values)-1]
	}
	args := []byte{'['}
	for i, value := range values {
		if i > 0 {
			args = append(args, ',')
		}
		text, err := r.toJSONOrNull(value)
		if err != nil {
			panic(err) // the script's own exception goes on in the script
		}
		if args = append(args, text...); len(args) > r.limits.ResultBytes {
			r.end(limitError(LimitResult, fmt.Sprintf("the arguments of a call have more than %d bytes", r.limits.ResultBytes)))
		}
	}
	args = append(args, ']')
	if TooDeep(args) {
		r.end(nestingError("the arguments of a call are"))
	}
	return args
}

// callDepth is how far up the stack whoever made a call is looked for: above the tool itself.
const callDepth = 4

// call makes a call and gives the script a promise that is already settled.
func (r *run) call(binding *Binding, args json.RawMessage) goja.Value {
	r.alive() // serialising the arguments ran the script's code
	if binding.Validate != nil {
		if err := binding.Validate(args); err != nil {
			return r.reject(Error{Class: ClassLogic, Name: "LogicError", Message: err.Error(), Tool: binding.Name})
		}
	}
	effect := binding.effect(args)
	call := Call{Seq: len(r.calls) + 1, Tool: binding.Name, Args: args, Effect: effect, At: r.moved}
	overlaps := r.execution.Overlap && binding.Overlaps && effect == Read && !r.waits && !r.straight
	depth := callDepth
	if overlaps {
		depth = 0 // all of it: an error that comes later is one of this place
	}
	callers := r.vm.CaptureCallStack(depth, nil)
	if at := frames(callers); len(at) > 0 {
		call.Line, call.Column = at[0].Line, at[0].Column
	}
	if call.Seq > r.limits.Calls {
		r.end(limitError(LimitCalls, fmt.Sprintf("more than %d calls", r.limits.Calls)))
	}
	traced := TracedCall{Call: call, Journal: r.recorded(call)}
	if traced.Journal >= 0 {
		entry := r.execution.Journal[traced.Journal]
		traced.Reply = entry.reply()
	}
	if overlaps {
		return r.read(binding, traced, callers)
	}
	if traced.Journal < 0 {
		traced.Reply = r.askHost(binding, call)
	}
	r.trace(traced)
	if r.timed && traced.MS > 0 && !r.waits {
		return r.after(traced.MS, r.settle(binding, call, traced.Reply))
	}
	r.move(traced.MS)
	return r.settle(binding, call, traced.Reply)
}

// trace notes a call that was made.
func (r *run) trace(traced TracedCall) {
	r.mu.Lock()
	r.calls = append(r.calls, traced)
	r.mu.Unlock()
}

// askHost ends the run if the host has no answer.
func (r *run) askHost(binding *Binding, call Call) Reply {
	if binding.Silent && r.execution.Ahead && len(r.reading) == 0 {
		if err := r.outside.goAhead(call); err != nil {
			r.stop(call, stopReason(err), nil)
		}
		return Reply{}
	}
	reply, heard, err := r.outside.ask(call)
	if err != nil {
		r.stop(call, stopReason(err), nil)
	}
	r.hear(heard)
	return reply
}

// stop ends the run because the host has no answer to a call, which was made from elsewhere if callers are given.
func (r *run) stop(call Call, reason *Error, callers []goja.StackFrame) {
	ended := *reason
	if ended.Tool == "" {
		ended.Tool = call.Tool
	}
	r.callers = callers
	r.end(ended)
}

// recorded finds the journal entry that answers a call, -1 if there is none.
func (r *run) recorded(call Call) int {
	if r.inOrder == len(r.execution.Journal) {
		return -1
	}
	if r.journal == nil {
		// As long as a run makes its calls as they were recorded, letter by letter, each is answered by the next one.
		if next := r.execution.Journal[r.inOrder]; next.Tool == call.Tool && bytes.Equal(next.Args, call.Args) {
			r.inOrder++
			return r.inOrder - 1
		}
		r.journal = &Matches{}
		for i, entry := range r.execution.Journal[r.inOrder:] {
			r.journal.Add(r.inOrder+i, entry.Tool, entry.Args)
		}
	}
	if i, ok := r.journal.Take(call.Tool, call.Args); ok {
		return i
	}
	return -1
}

// settle gives the script the answer to a call.
func (r *run) settle(binding *Binding, call Call, reply Reply) goja.Value {
	value, failure := r.value(binding, call, reply)
	if failure != nil {
		return r.reject(*failure)
	}
	return r.resolved(value)
}

// value is what the script gets as the answer to a call, or what is thrown instead.
func (r *run) value(binding *Binding, call Call, reply Reply) (goja.Value, *Error) {
	if binding.Judge != nil {
		r.judged = nil
	}
	if reply.Error != nil {
		failure := *reply.Error
		if failure.Tool == "" {
			failure.Tool = call.Tool
		}
		switch failure.Class {
		case ClassLogic, ClassNetwork:
			return nil, &failure
		case ClassAuth, ClassPermission, ClassLimit:
		default:
			failure.Class = ClassInternal
		}
		if failure.Name == "" {
			failure.Name = errorNames[failure.Class]
		}
		r.end(failure)
	}
	if len(reply.Result) > r.limits.ResultBytes {
		failure := limitError(LimitResult, fmt.Sprintf("the result of %s has %d bytes, more than %d", call.Tool, len(reply.Result), r.limits.ResultBytes))
		failure.Tool = call.Tool
		r.end(failure)
	}
	if TooDeep(reply.Result) {
		failure := nestingError("the result of " + call.Tool + " is")
		failure.Tool = call.Tool
		r.end(failure)
	}
	var value goja.Value
	if reply.Opaque {
		value = r.opaque(call)
	} else {
		var err error
		if value, err = r.toScript(reply.Result); err != nil {
			r.end(Error{Class: ClassInternal, Name: "InternalError", Tool: call.Tool, Message: fmt.Sprintf("the result of %s is %v", call.Tool, err)})
		}
	}
	if binding.Judge != nil && !reply.Opaque {
		if judged := binding.Judge(call.Args, reply.Result); judged != nil {
			judged.Tool = call.Tool
			r.watch(value, judged)
		}
	}
	return value, nil
}

// watch remembers that the script looked into an answer: of several that it got, what it threw is about
// the one that it looked at last.
func (r *run) watch(answer goja.Value, judged *Error) {
	object, ok := answer.(*goja.Object)
	if !ok { // of nothing there is nothing to look into
		r.judged, r.nothing, r.nothingAt = judged, judged, len(r.calls)
		return
	}
	for _, name := range object.Keys() {
		value := object.Get(name)
		get := r.function(name, func(goja.FunctionCall) goja.Value {
			r.judged = judged
			return value
		})
		set := r.function(name, func(call goja.FunctionCall) goja.Value {
			value = call.Argument(0)
			return goja.Undefined()
		})
		if err := object.DefineAccessorProperty(name, get, set, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
}

// resolved gives the script what it waits for.
func (r *run) resolved(value goja.Value) goja.Value {
	if r.straight {
		return value
	}
	promise, resolve, _ := r.vm.NewPromise()
	if err := resolve(value); err != nil {
		panic(err)
	}
	return r.vm.ToValue(promise)
}

// reject gives the script a rejected promise, and remembers the class of its error.
func (r *run) reject(failure Error) goja.Value {
	reason := r.newError(failure)
	if r.straight {
		panic(reason)
	}
	promise, _, reject := r.vm.NewPromise()
	if err := reject(reason); err != nil {
		panic(err)
	}
	return r.vm.ToValue(promise)
}
