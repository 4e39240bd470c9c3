package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
)

// outside answers the calls that the journal does not answer.
type outside interface {
	ask(call Call) (Reply, news, error)
	// goAhead takes a call of a silent tool, which is not waited for.
	goAhead(call Call) error
	// begin has a read made, which is not waited for.
	begin(call Call) error
	// wait gives answers to these to a run that is at a moment: if it is patient, as soon as there is one, or when none can
	// come before another moment. Negative is for ever.
	wait(moment, until int64, patient bool) (news, error)
}

// run is one execution in a fresh JavaScript runtime.
//
// A host call is made, and its promise settled, before the function returns; sleep moves
// the clock there and then. So calls run in the order the script makes them, what is left
// when main is done are promise jobs, and a promise that is still pending then will never
// settle. A script with timers ([namesTimers]), and any whose reads overlap, may wait for
// several things at once: there a call is made at once, too, but its promise, and that of
// sleep, settles when the virtual time has come that it took. Reads that overlap are only
// begun at once: see [reading].
type run struct {
	vm        *goja.Runtime
	execution Execution
	limits    Limits
	bindings  *bindings
	outside   outside
	tell      func(LogLine) // of each line; nil keeps them for the outcome
	script    *script
	straight  bool // see straight
	zone      *time.Location

	original    *goja.Object                 // the global object that the script does not see
	global      *goja.Object                 // the one it does
	rejections  []*goja.Promise              // rejected and not handled, oldest first
	classes     map[string]*goja.Object      // error constructors, by name
	prototypes  map[*goja.Object]string      // of these, to their names
	ledger      map[*goja.Object]*Error      // what the host threw
	lastFailure *Error                       // the last of that
	judged      *Error                       // what the answer says that the script looked at last
	nothing     *Error                       // what is said of the last answer of nothing
	nothingAt   int                          // how many calls were begun when it came
	written     map[preludeFile]*goja.Object // what files of a prelude made
	libraries   map[string]*goja.Object      // that were used, by name
	standards   map[string]goja.Value        // globals as they are without imports, by name
	module      *goja.Object                 // what the script calls module, if it does
	exited      bool                         // it has ended itself, and is content
	whenDone    func() error                 // asked when main has returned: whether the run failed all the same; nil if nobody asks
	madeClasses map[string]*madeClass        // that were used, by name
	getting     *goja.Object                 // what their prototypes get properties by
	waits       bool                         // the call that is made now is waited for
	states      map[reflect.Type]any         // see State
	opaques     map[*goja.Object]func()      // opaque values, and what to do on a look
	inOrder     int                          // entries of the journal that were taken one after the other
	journal     *Matches                     // the others; nil as long as there was no need
	timed       bool                         // what takes virtual time is not over at once
	timers      []*timer                     // what is to happen, in order of time
	timerID     int                          // the last one that was given away
	order       int                          // of timers that happen at the same time, the last one
	reading     map[int]*timer               // reads without an answer yet, by number of the call
	unheard     bool                         // the host has to be asked for news before anything happens
	callers     []goja.StackFrame            // of the read whose answer the script gets now

	// limited is the code of the limit that was reached; it is set from outside.
	limited atomic.Pointer[string]
	ended   *Error // why no further code of the script may run

	mu       sync.Mutex // guards what a watchdog reads while the script hangs
	log      []LogLine
	logBytes int
	calls    []TracedCall
	moved    int64 // virtual milliseconds
}

// newRun prepares a run; nothing of the script is executed yet.
func newRun(execution Execution, bindings *bindings, outside outside) *run {
	return &run{
		vm:        goja.New(),
		execution: execution,
		limits:    execution.Limits.withDefaults(),
		bindings:  bindings,
		outside:   outside,
		calls:     make([]TracedCall, 0, len(execution.Journal)),
	}
}

// limit stops the script because a limit is reached. It may be called from any
// goroutine; the first code wins.
func (r *run) limit(code string) {
	if r.limited.CompareAndSwap(nil, &code) {
		r.vm.Interrupt(&stopped{})
	}
}

// stopped is the panic that unwinds the script. goja lets no script code run on a panic
// that has an InterruptedError in its chain.
type stopped struct{}

func (*stopped) Error() string { return "the run was stopped" }
func (*stopped) Unwrap() error { return &goja.InterruptedError{} }

// end ends the run at this point of a host function; it does not return.
func (r *run) end(reason Error) {
	if r.ended == nil {
		if reason.Frames == nil {
			if r.callers == nil {
				r.callers = r.vm.CaptureCallStack(0, nil)
			}
			reason.Frames = frames(r.callers)
		}
		r.ended = &reason
	}
	// The interrupt keeps iterators and the like from running script code while the
	// panic unwinds.
	r.vm.Interrupt(&stopped{})
	panic(&stopped{})
}

// exit ends the run at this point of a host function, content and with null as its output; it does not return.
func (r *run) exit() {
	r.exited = true
	r.alive()
}

// fail ends the run with the error of a script that ended with err; it does not return.
func (r *run) fail(err error) { r.end(*r.failure(err)) }

// alive must be called first in every host function: native code may call several of
// them after the run was ended.
func (r *run) alive() {
	if r.ended != nil || r.exited || r.limited.Load() != nil {
		r.vm.Interrupt(&stopped{})
		panic(&stopped{})
	}
}

// execute runs the script to its end.
func (r *run) execute() (outcome Outcome) {
	output, failure := r.guarded()
	outcome = r.outcome()
	outcome.Output = output
	if failure != nil {
		outcome.Output, outcome.Error = nil, failure
		Fingerprint(r.execution.Code, failure)
	}
	return outcome
}

// outcome is what is known so far; it is safe while the script is running.
func (r *run) outcome() Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Outcome{Log: r.log, Calls: r.calls, VirtualMS: r.moved}
}

// guarded turns a panic of the engine into an error of class internal: scripts find
// faults in it, and none may reach the process around it.
func (r *run) guarded() (output json.RawMessage, failure *Error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if r.exited && r.limited.Load() == nil {
			output, failure = json.RawMessage("null"), nil
			return
		}
		output = nil
		err, _ := p.(error)
		switch err.(type) {
		case *goja.Exception, *goja.InterruptedError, *goja.StackOverflowError:
			failure = r.failure(err)
			return
		}
		if err != nil && (r.ended != nil || r.limited.Load() != nil) {
			failure = r.failure(err)
			return
		}
		failure = &Error{Class: ClassInternal, Name: "InternalError", Message: fmt.Sprintf("the JavaScript engine failed: %v", p)}
	}()
	output, err := r.main()
	if err == nil && r.whenDone != nil {
		err = r.whenDone()
	}
	switch {
	case r.exited && r.limited.Load() == nil:
		return json.RawMessage("null"), nil
	case err != nil:
		return nil, r.failure(err)
	}
	return output, nil
}

var promiseType = reflect.TypeFor[*goja.Promise]()

// scriptError is a failure that is not an exception.
type scriptError struct{ reason Error }

func (e *scriptError) Error() string { return e.reason.Message }

func logicError(name, message string) error {
	return &scriptError{Error{Class: ClassLogic, Name: name, Message: message}}
}

func (r *run) main() (json.RawMessage, error) {
	var err error
	if r.zone, err = zone(r.execution.Zone); err != nil {
		return nil, &scriptError{Error{Class: ClassInternal, Name: "InternalError", Message: err.Error()}}
	}
	if r.script, err = load(r.execution.Code); err != nil {
		return nil, err
	}
	r.straight = r.script.straight != nil && r.execution.Around == "" && r.script.straight.holds(r.script.names.uses, r.bindings)
	r.timed = r.script.timed || r.execution.Overlap && !r.straight
	input, err := r.toScript(r.execution.Input)
	if err != nil {
		return nil, &scriptError{Error{Class: ClassInternal, Name: "InternalError", Message: "input: " + err.Error()}}
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	main, err := r.load()
	if err != nil {
		return nil, err
	}
	call, ok := goja.AssertFunction(main)
	if !ok {
		return nil, logicError("ReferenceError", noMain)
	}
	result, err := call(goja.Undefined(), input)
	if exception, is := err.(*goja.Exception); is && r.straight {
		return nil, r.thrown(exception.Value())
	}
	if err == nil && !r.straight {
		result, err = r.await(result)
	}
	if err != nil {
		return nil, err
	}
	output, err := r.toJSONOrNull(result)
	if err != nil {
		return nil, err
	}
	if _, err := r.vm.RunProgram(nothing()); err != nil { // but what code in the result left to be done
		return nil, err
	}
	if len(output) > r.limits.ResultBytes {
		return nil, &scriptError{limitError(LimitResult, fmt.Sprintf("the output has %d bytes, more than %d", len(output), r.limits.ResultBytes))}
	}
	if TooDeep(output) {
		return nil, &scriptError{nestingError("the output is")}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	if len(r.rejections) > 0 {
		return nil, r.thrown(r.rejections[0].Result())
	}
	if r.ended != nil || r.limited.Load() != nil {
		return nil, &stopped{} // the script was stopped, and native code went on to its end
	}
	return output, nil
}

// nothing lets promise jobs happen that wait.
var nothing = mustCompile("nothing.js", "")

// load runs the code at the top level, and gives main.
func (r *run) load() (main goja.Value, err error) {
	var around goja.Callable
	if r.execution.Around != "" {
		if around, err = r.around(); err != nil {
			return nil, err
		}
	}
	program := r.script.program
	if r.straight {
		program = r.script.straight.program
	}
	made, err := r.vm.RunProgram(program)
	if err != nil {
		return nil, err
	}
	if main = made; !r.script.waits {
		get := func() { main = r.vm.Get(mainName) }
		if r.script.exports {
			get = func() { main = r.exported() }
		}
		if ex := r.vm.Try(get); ex != nil {
			return nil, ex
		}
	}
	switch _, callable := goja.AssertFunction(main); {
	case around != nil && (callable || r.script.waits):
		return around(goja.Undefined(), main, r.vm.ToValue(r.script.waits))
	case r.script.waits:
		return r.await(made)
	}
	return main, nil
}

// arounds are what executions had around their script, compiled.
var arounds = lru.New[string, *goja.Program](4)

// around is what the execution has around its script ([Execution.Around]).
func (r *run) around() (goja.Callable, error) {
	program, known := arounds.Get(r.execution.Around)
	if !known {
		var err error
		if program, err = goja.Compile("around.js", r.execution.Around, true); err != nil {
			return nil, fmt.Errorf("sandbox: what is around the script: %w", err)
		}
		arounds.Put(r.execution.Around, program)
	}
	made, err := r.vm.RunProgram(program)
	if err != nil {
		return nil, err
	}
	call, _ := goja.AssertFunction(made)
	return call, nil
}

// await is the value of a promise, or of anything with a then method.
func (r *run) await(result goja.Value) (goja.Value, error) {
	object, ok := result.(*goja.Object)
	if !ok {
		return result, nil
	}
	if object.ExportType() != promiseType {
		promise, resolve, _ := r.vm.NewPromise()
		if err := resolve(result); err != nil {
			return nil, err
		}
		object, _ = r.vm.ToValue(promise).(*goja.Object)
	}
	promise, ok := object.Export().(*goja.Promise)
	if !ok {
		return result, nil
	}
	for promise.State() == goja.PromiseStatePending {
		if more, err := r.tick(); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	switch promise.State() {
	case goja.PromiseStateFulfilled:
		return promise.Result(), nil
	case goja.PromiseStateRejected:
		return nil, r.thrown(promise.Result())
	}
	return nil, logicError("DeadlockError", "deadlock: main is waiting for something that can never happen")
}

// thrown makes an exception of the reason of a rejected promise. If it is an Error, the
// engine adds the place where it was made.
func (r *run) thrown(reason goja.Value) error {
	if ex := r.vm.Try(func() { panic(reason) }); ex != nil {
		return ex
	}
	return logicError("Error", "an exception was lost") // unreachable
}

// prepare sets up everything that a script finds when it starts.
func (r *run) prepare() error {
	vm := r.vm
	vm.SetMaxCallStackSize(MaxCallStack)
	vm.SetParserOptions(parser.WithDisableSourceMaps)
	seed := sha256.Sum256([]byte(r.execution.Seed))
	random := rand.New(rand.NewPCG(binary.BigEndian.Uint64(seed[:]), binary.BigEndian.Uint64(seed[8:]))) //nolint:gosec // must be reproducible
	vm.SetRandSource(random.Float64)
	vm.SetTimeSource(r.now)
	vm.SetPromiseRejectionTracker(r.trackRejection)
	return r.makeGlobal()
}

// MaxCallStack bounds recursion. The engine takes a time to unwind functions that call each other through its own, as a
// callback of map does, that grows with the square of their number: of this many about a second.
const MaxCallStack = 2000

func (r *run) now() time.Time {
	// As a Duration, what a script can sleep in all would not fit.
	at := r.execution.Clock.UTC()
	return time.Unix(at.Unix()+r.moved/1000, int64(at.Nanosecond())+r.moved%1000*int64(time.Millisecond)).UTC()
}

// elapsed is how far the script's clock has moved, in milliseconds.
func (r *run) elapsed() int64 { return r.moved }

// move lets time pass for the script.
func (r *run) move(ms int64) {
	if ms > 0 {
		r.mu.Lock()
		r.moved += ms
		r.mu.Unlock()
	}
}

func (r *run) trackRejection(p *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		r.rejections = append(r.rejections, p)
		return
	}
	for i, rejected := range r.rejections {
		if rejected == p {
			r.rejections = append(r.rejections[:i], r.rejections[i+1:]...)
			return
		}
	}
}

func limitError(code, message string) Error {
	return Error{Class: ClassLimit, Name: "LimitError", Code: code, Message: message}
}
