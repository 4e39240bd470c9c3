package sandbox

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// errorNames are the names of errors by class. Scripts see the first four, and may make
// them themselves.
var errorNames = map[string]string{
	ClassAuth:       "AuthError",
	ClassPermission: "PermissionError",
	ClassNetwork:    "NetworkError",
	ClassLogic:      "LogicError",
	ClassLimit:      "LimitError",
	ClassInternal:   "InternalError",
}

var _ = declare(Builtin{
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
	make: func(r *run, name string) goja.Value { return r.errorClass(name) },
})

var derive = mustCompile("errors.js", `(function (Error, name) {
	return { [name]: class extends Error {} }[name]
})`)

// errorClass is the constructor of one of the errors in errorNames.
func (r *run) errorClass(name string) *goja.Object {
	if class := r.classes[name]; class != nil {
		return class
	}
	v, err := r.vm.RunProgram(derive())
	if err != nil {
		panic(err)
	}
	call, _ := goja.AssertFunction(v)
	if v, err = call(goja.Undefined(), r.original.Get("Error"), r.vm.ToValue(name)); err != nil {
		panic(err)
	}
	class := v.ToObject(r.vm)
	prototype := class.Get("prototype").ToObject(r.vm)
	define(prototype, "name", r.vm.ToValue(name), hidden)
	for kind, known := range errorNames {
		if known == name {
			define(prototype, "class", r.vm.ToValue(kind), hidden)
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
func (r *run) newError(failure Error) *goja.Object {
	known := errorNames[failure.Class]
	object, err := r.vm.New(r.errorClass(known), r.vm.ToValue(failure.Message))
	if err != nil {
		panic(err)
	}
	if failure.Name != "" && failure.Name != known {
		define(object, "name", r.vm.ToValue(failure.Name), hidden)
	}
	if failure.Status != 0 {
		define(object, "status", r.vm.ToValue(failure.Status), visible)
	}
	if failure.Body != "" {
		define(object, "body", r.vm.ToValue(failure.Body), visible)
	}
	if failure.Code != "" {
		define(object, "code", r.vm.ToValue(failure.Code), visible)
	}
	if r.ledger == nil {
		r.ledger = map[*goja.Object]*Error{}
	}
	r.ledger[object] = &failure
	r.lastFailure = &failure
	return object
}

// errorInAdvance makes such an error before anything has failed, so that a later one is not taken for it.
func (r *run) errorInAdvance(failure Error) *goja.Object {
	last := r.lastFailure
	object := r.newError(failure)
	r.lastFailure = last
	return object
}

// lastError is the last error that the host threw, or one with a message if it threw none.
func (r *run) lastError(otherwise string) error {
	if r.lastFailure != nil {
		return &scriptError{*r.lastFailure}
	}
	return logicError("Error", otherwise)
}

// failure is the error of a run that ended with err.
func (r *run) failure(err error) *Error {
	if r.ended != nil {
		e := *r.ended
		e.Stack = stackText(&e)
		return &e
	}
	var e Error
	if limited := r.limited.Load(); limited != nil {
		e = limitError(*limited, r.limitMessage(*limited))
		if interrupted, ok := err.(*goja.InterruptedError); ok {
			e.Frames = frames(interrupted.Stack())
		}
		e.Stack = stackText(&e)
		return &e
	}
	// Not errors.As: to unwrap an exception runs the script's code.
	switch err := err.(type) {
	case *goja.Exception:
		return r.exception(err)
	case *goja.StackOverflowError:
		e = limitError(LimitStack, fmt.Sprintf("functions call each other more than %d deep", MaxCallStack))
		e.Frames = frames(err.Stack())
	case *SyntaxError:
		e = Error{Class: ClassLogic, Name: "SyntaxError", Message: err.Message}
		if err.Line > 0 {
			e.Frames = []Frame{{Line: err.Line, Column: err.Column}}
		}
	case *scriptError:
		e = err.reason
	default:
		e = Error{Class: ClassInternal, Name: "InternalError", Message: err.Error()}
	}
	e.Stack = stackText(&e)
	return &e
}

func (r *run) limitMessage(code string) string {
	switch code {
	case LimitWall:
		return fmt.Sprintf("the script ran longer than %v", r.limits.Wall)
	case LimitCPU:
		return fmt.Sprintf("the script used more than %v of processor time", r.limits.CPU)
	case LimitMemory:
		return fmt.Sprintf("the script used more than %d MiB of memory", r.limits.Memory>>20)
	}
	return "the script reached a limit: " + code
}

const (
	maxNameBytes    = 100
	maxMessageBytes = 4 << 10
	maxFrames       = 50
)

// exception describes an uncaught exception. Reading it may run the script's code (a
// getter, a Proxy), which is still under the limits of the run.
func (r *run) exception(exception *goja.Exception) *Error {
	e := &Error{Class: ClassLogic, Name: "Error", Frames: frames(exception.Stack())}
	own := true
	err := r.try(func() { own = r.describe(exception.Value(), e) })
	if r.limited.Load() != nil || r.ended != nil { // also if whoever was stopped made nothing of it
		return r.failure(err)
	}
	if err != nil && e.Message == "" {
		e.Message = "the script threw something that cannot be read"
	}
	e.Name = cut(e.Name, maxNameBytes)
	e.Message = cut(e.Message, maxMessageBytes)
	if own {
		r.keepClass(e)
	}
	e.Stack = stackText(e)
	return e
}

// try runs Go code that may run the script's code, and turns whatever comes out of that
// into an error.
func (r *run) try(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if err, _ = p.(error); err == nil {
				err = fmt.Errorf("%v", p)
			}
		}
	}()
	if ex := r.vm.Try(f); ex != nil {
		return ex
	}
	return nil
}

// aboutJSON is what errors say whose script expected JSON: its own words, or what it got instead.
var aboutJSON = lazyregexp.New(`(?i)json|<!doctype|<html`)

// CodeTorn is the code of an answer that did not arrive as what it is.
const CodeTorn = "answer.torn"

// keepClass gives the script's own error the class of the answer that it is about. A page that came with a
// success is one only where JSON was expected: a script may well want a page. Of an answer of nothing a script fails by its type, too.
func (r *run) keepClass(e *Error) {
	judged := r.judged
	if judged == nil && e.Name == "TypeError" && len(r.calls) == r.nothingAt {
		judged = r.nothing // of answers that came together, another one may have been looked at last
	}
	if judged == nil || judged.Status < 400 && e.Name != "SyntaxError" && !aboutJSON.MatchString(e.Message) && !(judged.Code == CodeTorn && e.Name == "TypeError") {
		return
	}
	e.Class, e.Code, e.Tool, e.Status = judged.Class, judged.Code, judged.Tool, judged.Status
	e.Body, e.Host, e.RetryAfterMS = judged.Body, judged.Host, judged.RetryAfterMS
}

// describe says whether the error is the script's own.
func (r *run) describe(value goja.Value, e *Error) (own bool) {
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
	if name, ok := text(object.Get("name")); ok {
		e.Name = name
	}
	message, ok := text(object.Get("message"))
	if !ok && object.ClassName() != "Error" {
		if message, _ = r.toJSON(object); message == "" {
			message = "the script threw an object"
		}
	}
	e.Message = message
	return origin == nil
}

// text is a value that is a string already; nothing is converted.
func text(value goja.Value) (string, bool) {
	if value == nil || !goja.IsString(value) {
		return "", false
	}
	return value.String(), true
}

// origin finds what a thrown object is, by the host's own books: the error of a call, an
// AuthError or the like that the script made, or an Error around one of these, by its
// cause or by quoting the message of the call that failed last. nil means it is the
// script's own.
func (r *run) origin(object *goja.Object) *Error {
	const maxCauses = 5
	for range maxCauses {
		if e := r.ledger[object]; e != nil {
			found := *e
			return &found
		}
		if name := r.builtFrom(object); name != "" {
			for class, known := range errorNames {
				if known == name {
					return &Error{Class: class, Name: name}
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
	if message, ok := text(object.Get("message")); ok && strings.Contains(message, r.lastFailure.Message) {
		found := *r.lastFailure
		return &found
	}
	return nil
}

// builtFrom is the name of the error class that an object is an instance of.
func (r *run) builtFrom(object *goja.Object) string {
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
func frames(stack []goja.StackFrame) []Frame {
	var list []Frame
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
		if list = append(list, Frame{Function: name, Line: p.Line, Column: p.Column}); len(list) == maxFrames {
			break
		}
	}
	return list
}

func stackText(e *Error) string {
	var b strings.Builder
	b.WriteString(e.Name)
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	for _, f := range e.Frames {
		if f.Function == "" {
			fmt.Fprintf(&b, "\n    at %s:%d:%d", scriptName, f.Line, f.Column)
		} else {
			fmt.Fprintf(&b, "\n    at %s (%s:%d:%d)", f.Function, scriptName, f.Line, f.Column)
		}
	}
	return b.String()
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// rangeError is a RangeError of the script.
func (r *run) rangeError(message string) *goja.Object {
	object, err := r.vm.New(r.original.Get("RangeError"), r.vm.ToValue(message))
	if err != nil {
		panic(err)
	}
	return object
}
