package engine

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

var _ = Declare(Builtin{
	Names: []string{"AuthError", "PermissionError", "NetworkError", "LogicError"},
	Use:   "AuthError, PermissionError, NetworkError, LogicError",
	Doc:   "The classes of the host's errors, with name, message and class, and status and body of an answer. A script may throw them, too.",
	Types: `/** What a call of the host throws. */
declare class HostError extends Error {
  constructor(message?: string, options?: { cause?: unknown });
  readonly class: 'auth' | 'permission' | 'network' | 'logic';
  readonly status?: number;
  readonly body?: string;
  readonly code?: string;
}
declare class AuthError extends HostError {}
declare class PermissionError extends HostError {}
declare class NetworkError extends HostError {}
declare class LogicError extends HostError {}`,
	Make: func(r *Run, name string) goja.Value { return r.errorClass(name) },
})

var derive = mustCompile("errors.js", `(function (Error, name) {
	return { [name]: class extends Error {} }[name]
})`)

// errorClass is the constructor of one of the errors in errorNames.
func (r *Run) errorClass(name string) *goja.Object {
	if class := r.classes[name]; class != nil {
		return class
	}
	v, err := r.VM.RunProgram(derive())
	if err != nil {
		panic(err)
	}
	call, _ := goja.AssertFunction(v)
	if v, err = call(goja.Undefined(), r.Original.Get("Error"), r.VM.ToValue(name)); err != nil {
		panic(err)
	}
	class := v.ToObject(r.VM)
	prototype := class.Get("prototype").ToObject(r.VM)
	Define(prototype, "name", r.VM.ToValue(name), Hidden)
	for kind, known := range sandbox.ErrorNames {
		if known == name {
			Define(prototype, "class", r.VM.ToValue(kind), Hidden)
		}
	}
	if r.classes == nil {
		r.classes = map[string]*goja.Object{}
		r.prototypes = map[*goja.Object]string{}
	}
	r.classes[name] = class
	r.prototypes[prototype] = name
	return class
}

// newError makes the error that a failed call throws into the script.
func (r *Run) newError(failure sandbox.Error) *goja.Object {
	known := sandbox.ErrorNames[failure.Class]
	object, err := r.VM.New(r.errorClass(known), r.VM.ToValue(failure.Message))
	if err != nil {
		panic(err)
	}
	if failure.Name != "" && failure.Name != known {
		Define(object, "name", r.VM.ToValue(failure.Name), Hidden)
	}
	if failure.Status != 0 {
		Define(object, "status", r.VM.ToValue(failure.Status), Visible)
	}
	if failure.Body != "" {
		Define(object, "body", r.VM.ToValue(failure.Body), Visible)
	}
	if failure.Code != "" {
		Define(object, "code", r.VM.ToValue(failure.Code), Visible)
	}
	if r.ledger == nil {
		r.ledger = map[*goja.Object]*sandbox.Error{}
	}
	r.ledger[object] = &failure
	r.lastFailure = &failure
	return object
}

// ErrorInAdvance makes such an error before anything has failed, so that a later one is not taken for it.
func (r *Run) ErrorInAdvance(failure sandbox.Error) *goja.Object {
	last := r.lastFailure
	object := r.newError(failure)
	r.lastFailure = last
	return object
}

// LastError is the last error that the host threw, or one with a message if it threw none.
func (r *Run) LastError(otherwise string) error {
	if r.lastFailure != nil {
		return &scriptError{*r.lastFailure}
	}
	return logicError("Error", otherwise)
}

// failure is the error of a run that ended with err.
func (r *Run) failure(err error) *sandbox.Error {
	if r.ended != nil {
		e := *r.ended
		e.Stack = r.stackText(&e)
		return &e
	}
	var e sandbox.Error
	if limited := r.limited.Load(); limited != nil {
		e = sandbox.LimitError(*limited, r.LimitMessage(*limited))
		if interrupted, ok := err.(*goja.InterruptedError); ok {
			e.Frames = frames(interrupted.Stack())
		}
		e.Stack = r.stackText(&e)
		return &e
	}
	// Not errors.As: to unwrap an exception runs the script's code.
	switch err := err.(type) {
	case *goja.Exception:
		return r.exception(err)
	case *goja.StackOverflowError:
		e = sandbox.LimitError(sandbox.LimitStack, fmt.Sprintf("functions call each other more than %d deep", MaxCallStack))
		e.Frames = frames(err.Stack())
	case *sandbox.SyntaxError:
		e = sandbox.Error{Class: sandbox.ClassLogic, Name: "SyntaxError", Message: err.Message}
		if err.Line > 0 {
			e.Frames = []sandbox.Frame{{Line: err.Line, Column: err.Column}}
		}
	case *scriptError:
		e = err.reason
	default:
		e = sandbox.Error{Class: sandbox.ClassInternal, Name: "InternalError", Message: err.Error()}
	}
	e.Stack = r.stackText(&e)
	return &e
}

func (r *Run) LimitMessage(code string) string {
	switch code {
	case sandbox.LimitWall:
		return fmt.Sprintf("the script ran longer than %v", r.Limits.Wall)
	case sandbox.LimitCPU:
		return fmt.Sprintf("the script used more than %v of processor time", r.Limits.CPU)
	case sandbox.LimitMemory:
		return fmt.Sprintf("the script used more than %d MiB of memory", r.Limits.Memory>>20)
	}
	return "the script reached a limit: " + code
}

const (
	maxNameBytes    = 100
	MaxMessageBytes = 4 << 10
	MaxFrames       = 50
)

// exception describes an uncaught exception. Reading it may run the script's code (a
// getter, a Proxy), which is still under the limits of the run.
func (r *Run) exception(exception *goja.Exception) *sandbox.Error {
	e := &sandbox.Error{Class: sandbox.ClassLogic, Name: "Error", Frames: frames(exception.Stack())}
	own, told := true, ""
	err := r.try(func() { own = r.describe(exception.Value(), e) })
	if err == nil {
		_ = r.try(func() { told = r.told(exception.Value()) }) // what it says beside its message is worth no failure of its own
	}
	if r.limited.Load() != nil || r.ended != nil { // also if whoever was stopped made nothing of it
		return r.failure(err)
	}
	if err != nil && e.Message == "" {
		e.Message = "the script threw something that cannot be read"
	}
	e.Name = Cut(e.Name, maxNameBytes)
	e.Message = Cut(e.Message, MaxMessageBytes)
	if own {
		r.keepClass(e)
	}
	e.Stack = r.stackText(e) + told
	return e
}

// try runs Go code that may run the script's code, and turns whatever comes out of that
// into an error.
func (r *Run) try(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if err, _ = p.(error); err == nil {
				err = fmt.Errorf("%v", p)
			}
		}
	}()
	if ex := r.VM.Try(f); ex != nil {
		return ex
	}
	return nil
}

// aboutJSON is what errors say whose script expected JSON: its own words, or what it got instead.
var aboutJSON = lazyregexp.New(`(?i)json|<!doctype|<html`)

// keepClass gives the script's own error the class of the answer that it is about. A page that came with a
// success is one only where JSON was expected: a script may well want a page. A script also fails by its type on an answer
// of nothing.
func (r *Run) keepClass(e *sandbox.Error) {
	judged := r.judged
	if judged == nil && e.Name == "TypeError" && len(r.calls) == r.nothingAt {
		judged = r.nothing // of answers that came together, another one may have been looked at last
	}
	if judged == nil || judged.Status < 400 && e.Name != "SyntaxError" && !aboutJSON.MatchString(e.Message) && !(judged.Code == sandbox.CodeTorn && e.Name == "TypeError") {
		return
	}
	e.Class, e.Code, e.Tool, e.Status = judged.Class, judged.Code, judged.Tool, judged.Status
	e.Body, e.Host, e.RetryAfterMS = judged.Body, judged.Host, judged.RetryAfterMS
}

// describe says whether the error is the script's own.
func (r *Run) describe(value goja.Value, e *sandbox.Error) (own bool) {
	object, ok := value.(*goja.Object)
	if !ok {
		e.Message = "undefined"
		if value != nil {
			e.Message = value.String()
		}
		return true
	}
	origin := r.origin(object)
	if origin != nil {
		kept := e.Frames
		*e = *origin
		if len(kept) > 0 {
			e.Frames = kept
		}
	}
	if name, ok := TextOf(object.Get("name")); ok {
		e.Name = name
	}
	message, ok := TextOf(object.Get("message"))
	if !ok && object.ClassName() != "Error" {
		if message, _ = r.ToJSON(object); message == "" {
			message = "the script threw an object"
		}
	}
	e.Message = message
	return origin == nil
}

// origin finds what a thrown object is, by the host's own books: the error of a call, an
// AuthError or the like that the script made, or an Error around one of these, by its
// cause or by quoting the message of the call that failed last. nil means it is the
// script's own.
func (r *Run) origin(object *goja.Object) *sandbox.Error {
	const maxCauses = 5
	for range maxCauses {
		if e := r.ledger[object]; e != nil {
			found := *e
			return &found
		}
		if name := r.builtFrom(object); name != "" {
			for class, known := range sandbox.ErrorNames {
				if known == name {
					return &sandbox.Error{Class: class, Name: name}
				}
			}
		}
		cause, ok := object.Get("cause").(*goja.Object)
		if !ok {
			break
		}
		object = cause
	}
	if r.lastFailure == nil || len(r.lastFailure.Message) < 8 {
		return nil
	}
	if message, ok := TextOf(object.Get("message")); ok && strings.Contains(message, r.lastFailure.Message) {
		found := *r.lastFailure
		return &found
	}
	return nil
}

// builtFrom is the name of the error class that an object is an instance of.
func (r *Run) builtFrom(object *goja.Object) string {
	const maxChain = 20
	for range maxChain {
		if object = object.Prototype(); object == nil {
			return ""
		}
		if name := r.prototypes[object]; name != "" {
			return name
		}
	}
	return ""
}

// frames are the places in the script, innermost first.
func frames(stack []goja.StackFrame) []sandbox.Frame {
	var list []sandbox.Frame
	for i := range stack {
		if stack[i].SrcName() != scriptName {
			continue // native code, and the script parts of this package
		}
		p := stack[i].Position()
		if p.Line == 0 || p.Column == 0 {
			continue // it is in nothing that the script wrote
		}
		name := stack[i].FuncName()
		if name == "<anonymous>" {
			name = ""
		}
		if list = append(list, sandbox.Frame{Function: name, Line: p.Line, Column: p.Column}); len(list) == MaxFrames {
			break
		}
	}
	return list
}

// StackText is an error with its frames, of a script that may be of either language.
func StackText(e *sandbox.Error) string { return stackText(e, scriptName, "") }

// fileName is the name of the script's file for people. The engine calls each script by one name, which scripts see in
// the stacks of their errors.
func (r *Run) fileName() string {
	if r.script != nil && r.script.typed {
		return typedName
	}
	return scriptName
}

func (r *Run) stackText(e *sandbox.Error) string { return stackText(e, r.fileName(), r.Execution.Code) }

// stackText is the error and its frames, by the lines of the whole code. Where the code has several files it says which one, too.
func stackText(e *sandbox.Error, file, code string) string {
	var b strings.Builder
	b.WriteString(e.Name)
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	for _, f := range e.Frames {
		if f.Function == "" {
			fmt.Fprintf(&b, "\n    at %s:%d:%d", file, f.Line, f.Column)
		} else {
			fmt.Fprintf(&b, "\n    at %s (%s:%d:%d)", f.Function, file, f.Line, f.Column)
		}
		if name, line := packages.Place(code, f.Line); name != "" {
			fmt.Fprintf(&b, ", which is %s:%d:%d", name, line, f.Column)
		}
	}
	return b.String()
}

// RangeError is a RangeError of the script.
func (r *Run) RangeError(message string) *goja.Object {
	object, err := r.VM.New(r.Original.Get("RangeError"), r.VM.ToValue(message))
	if err != nil {
		panic(err)
	}
	return object
}
