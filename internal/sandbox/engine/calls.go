package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// tool is the function by which a script calls a tool.
func (r *Run) tool(binding *sandbox.Binding) *goja.Object {
	return r.Function(binding.Name, func(call goja.FunctionCall) goja.Value {
		r.Alive()
		return r.Call(binding, r.Arguments(call.Arguments))
	})
}

// Arguments is the JSON array of a call's arguments, trailing undefined ones left out.
// Each is serialised on its own, so that the script has no say in the array.
func (r *Run) Arguments(values []goja.Value) json.RawMessage {
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
		if args = append(args, text...); len(args) > r.Limits.ResultBytes {
			r.end(sandbox.LimitError(sandbox.LimitResult, fmt.Sprintf("the arguments of a call have more than %d bytes", r.Limits.ResultBytes)))
		}
	}
	args = append(args, ']')
	if sandbox.TooDeep(args) {
		r.end(sandbox.NestingError("the arguments of a call are"))
	}
	return args
}

// callDepth is how far up the stack whoever made a call is looked for: above the tool itself.
const callDepth = 4

// Call makes a call and gives the script a promise that is already settled.
func (r *Run) Call(binding *sandbox.Binding, args json.RawMessage) goja.Value {
	r.Alive() // serialising the arguments ran the script's code
	if binding.Validate != nil {
		if err := binding.Validate(args); err != nil {
			return r.reject(sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: err.Error(), Tool: binding.Name})
		}
	}
	effect := binding.EffectOf(args)
	call := sandbox.Call{Seq: len(r.calls) + 1, Tool: binding.Name, Args: args, Effect: effect, At: r.moved}
	overlaps := r.Execution.Overlap && binding.Overlaps && effect == sandbox.Read && !r.waits && !r.promiseFree
	depth := callDepth
	if overlaps {
		depth = 0 // all of it: an error that comes later is one of this place
	}
	callers := r.VM.CaptureCallStack(depth, nil)
	if at := frames(callers); len(at) > 0 {
		call.Line, call.Column = at[0].Line, at[0].Column
	}
	if call.Seq > r.Limits.Calls {
		r.end(sandbox.LimitError(sandbox.LimitCalls, fmt.Sprintf("more than %d calls", r.Limits.Calls)))
	}
	traced := sandbox.TracedCall{Call: call, Journal: r.recorded(call)}
	if traced.Journal >= 0 {
		entry := r.Execution.Journal[traced.Journal]
		traced.Reply = entry.Reply()
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
	r.Move(traced.MS)
	return r.settle(binding, call, traced.Reply)
}

// trace notes a call that was made.
func (r *Run) trace(traced sandbox.TracedCall) {
	r.mu.Lock()
	r.calls = append(r.calls, traced)
	r.mu.Unlock()
}

// askHost ends the run if the host has no answer.
func (r *Run) askHost(binding *sandbox.Binding, call sandbox.Call) sandbox.Reply {
	if binding.Silent && r.Execution.Ahead && len(r.reading) == 0 {
		if err := r.outside.GoAhead(call); err != nil {
			r.stop(call, sandbox.StopReason(err), nil)
		}
		return sandbox.Reply{}
	}
	reply, heard, err := r.outside.Ask(call)
	if err != nil {
		r.stop(call, sandbox.StopReason(err), nil)
	}
	r.hear(heard)
	return reply
}

// stop ends the run because the host has no answer to a call, which was made from elsewhere if callers are given.
func (r *Run) stop(call sandbox.Call, reason *sandbox.Error, callers []goja.StackFrame) {
	ended := *reason
	if ended.Tool == "" {
		ended.Tool = call.Tool
	}
	r.callers = callers
	r.end(ended)
}

// recorded finds the journal entry that answers a call, -1 if there is none.
func (r *Run) recorded(call sandbox.Call) int {
	if r.inOrder == len(r.Execution.Journal) {
		return -1
	}
	if r.journal == nil {
		// As long as a run makes its calls as they were recorded, letter by letter, each is answered by the next one.
		if next := r.Execution.Journal[r.inOrder]; next.Tool == call.Tool && bytes.Equal(next.Args, call.Args) {
			r.inOrder++
			return r.inOrder - 1
		}
		r.journal = &sandbox.Matches{}
		for i, entry := range r.Execution.Journal[r.inOrder:] {
			r.journal.Add(r.inOrder+i, entry.Tool, entry.Args)
		}
	}
	if i, ok := r.journal.Take(call.Tool, call.Args); ok {
		return i
	}
	return -1
}

// settle gives the script the answer to a call.
func (r *Run) settle(binding *sandbox.Binding, call sandbox.Call, reply sandbox.Reply) goja.Value {
	value, failure := r.value(binding, call, reply)
	if failure != nil {
		return r.reject(*failure)
	}
	return r.Resolved(value)
}

// value is what the script gets as the answer to a call, or what is thrown instead.
func (r *Run) value(binding *sandbox.Binding, call sandbox.Call, reply sandbox.Reply) (goja.Value, *sandbox.Error) {
	if binding.Judge != nil {
		r.judged = nil
	}
	if reply.Error != nil {
		failure := *reply.Error
		if failure.Tool == "" {
			failure.Tool = call.Tool
		}
		switch failure.Class {
		case sandbox.ClassLogic, sandbox.ClassNetwork:
			return nil, &failure
		case sandbox.ClassAuth, sandbox.ClassPermission, sandbox.ClassLimit:
		default:
			failure.Class = sandbox.ClassInternal
		}
		if failure.Name == "" {
			failure.Name = sandbox.ErrorNames[failure.Class]
		}
		r.end(failure)
	}
	if len(reply.Result) > r.Limits.ResultBytes {
		failure := sandbox.LimitError(sandbox.LimitResult, fmt.Sprintf("the result of %s has %d bytes, more than %d", call.Tool, len(reply.Result), r.Limits.ResultBytes))
		failure.Tool = call.Tool
		r.end(failure)
	}
	if sandbox.TooDeep(reply.Result) {
		failure := sandbox.NestingError("the result of " + call.Tool + " is")
		failure.Tool = call.Tool
		r.end(failure)
	}
	var value goja.Value
	if reply.Opaque {
		value = r.opaqueValue(call)
	} else {
		var err error
		if value, err = r.ToScript(reply.Result); err != nil {
			r.end(sandbox.Error{Class: sandbox.ClassInternal, Name: "InternalError", Tool: call.Tool, Message: fmt.Sprintf("the result of %s is %v", call.Tool, err)})
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
func (r *Run) watch(answer goja.Value, judged *sandbox.Error) {
	object, ok := answer.(*goja.Object)
	if !ok { // of nothing there is nothing to look into
		r.judged, r.nothing, r.nothingAt = judged, judged, len(r.calls)
		return
	}
	for _, name := range object.Keys() {
		value := object.Get(name)
		get := r.Function(name, func(goja.FunctionCall) goja.Value {
			r.judged = judged
			return value
		})
		set := r.Function(name, func(call goja.FunctionCall) goja.Value {
			value = call.Argument(0)
			return goja.Undefined()
		})
		if err := object.DefineAccessorProperty(name, get, set, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
}

// Resolved gives the script what it waits for.
func (r *Run) Resolved(value goja.Value) goja.Value {
	if r.promiseFree {
		return value
	}
	promise, resolve, _ := r.VM.NewPromise()
	if err := resolve(value); err != nil {
		panic(err)
	}
	return r.VM.ToValue(promise)
}

// reject gives the script a rejected promise, and remembers the class of its error.
func (r *Run) reject(failure sandbox.Error) goja.Value {
	reason := r.newError(failure)
	if r.promiseFree {
		panic(reason)
	}
	promise, _, reject := r.VM.NewPromise()
	if err := reject(reason); err != nil {
		panic(err)
	}
	return r.VM.ToValue(promise)
}
