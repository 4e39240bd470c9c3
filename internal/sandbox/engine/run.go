package engine

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
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Answerer answers the calls that the journal does not answer.
type Answerer interface {
	Ask(call sandbox.Call) (sandbox.Reply, News, error)
	// goAhead takes a call of a silent tool, which is not waited for.
	GoAhead(call sandbox.Call) error
	// begin has a read made, which is not waited for.
	Begin(call sandbox.Call) error
	// wait gives answers to these to a run that is at a moment: if it is patient, as soon as there is one, or when none can
	// come before another moment. Negative is for ever.
	Wait(moment, until int64, patient bool) (News, error)
}

// Run is one execution in a fresh JavaScript runtime.
//
// A host call is made, and its promise settled, before the function returns; sleep moves
// the clock there and then. So calls run in the order the script makes them, what is left
// when main is done are promise jobs, and a promise that is still pending then will never
// settle. A script with timers ([namesTimers]), and any whose reads overlap, may wait for
// several things at once: there a call is made at once, too, but its promise, and that of
// sleep, settles when the virtual time has come that it took. Reads that overlap are only
// begun at once: see [reading].
type Run struct {
	VM          *goja.Runtime
	Execution   sandbox.Execution
	Limits      sandbox.Limits
	Bindings    *sandbox.Bindings
	outside     Answerer
	Tell        func(sandbox.LogLine) // of each line; nil keeps them for the outcome
	script      *script
	promiseFree bool // see straight
	Zone        *time.Location

	Original    *goja.Object                    // the global object that the script does not see
	global      *goja.Object                    // the one it does
	rejections  []*goja.Promise                 // rejected and not handled, oldest first
	classes     map[string]*goja.Object         // error constructors, by name
	prototypes  map[*goja.Object]string         // of these, to their names
	ledger      map[*goja.Object]*sandbox.Error // what the host threw
	lastFailure *sandbox.Error                  // the last of that
	judged      *sandbox.Error                  // what the answer says that the script looked at last
	nothing     *sandbox.Error                  // what is said of the last answer of nothing
	nothingAt   int                             // how many calls were begun when it came
	written     map[preludeFile]*goja.Object    // what files of a prelude made
	libraries   map[string]*goja.Object         // that were used, by name
	standards   map[string]goja.Value           // globals as they are without imports, by name
	module      *goja.Object                    // what the script calls module, if it does
	polyfilled  []polyfill                      // that were made
	exited      bool                            // it has ended itself, and is content
	ticks       *ticks                          // of a script that has process.nextTick
	WhenDone    func() error                    // asked when main has returned: whether the run failed all the same; nil if nobody asks
	madeClasses map[string]*madeClass           // that were used, by name
	getting     *goja.Object                    // what their prototypes get properties by
	waits       bool                            // the call that is made now is waited for
	states      map[reflect.Type]any            // see State
	opaques     map[*goja.Object]func()         // opaque values, and what to do on a look
	inOrder     int                             // entries of the journal that were taken one after the other
	journal     *sandbox.Matches                // the others; nil as long as there was no need
	timed       bool                            // what takes virtual time is not over at once
	timers      []*timer                        // what is to happen, in order of time
	timerID     int                             // the last one that was given away
	order       int                             // of timers that happen at the same time, the last one
	reading     map[int]*timer                  // reads without an answer yet, by number of the call
	unheard     bool                            // the host has to be asked for news before anything happens
	callers     []goja.StackFrame               // of the read whose answer the script gets now

	// limited is the code of the limit that was reached; it is set from outside.
	limited atomic.Pointer[string]
	ended   *sandbox.Error // why no further code of the script may run

	mu       sync.Mutex // guards what a watchdog reads while the script hangs
	log      []sandbox.LogLine
	logBytes int
	calls    []sandbox.TracedCall
	moved    int64 // virtual milliseconds
}

// NewRun prepares a run; nothing of the script is executed yet.
func NewRun(execution sandbox.Execution, bindings *sandbox.Bindings, outside Answerer) *Run {
	return &Run{
		VM:        goja.New(),
		Execution: execution,
		Limits:    execution.Limits.WithDefaults(),
		Bindings:  bindings,
		outside:   outside,
		calls:     make([]sandbox.TracedCall, 0, len(execution.Journal)),
	}
}

// Limit stops the script because a limit is reached. It may be called from any
// goroutine; the first code wins.
func (r *Run) Limit(code string) {
	if r.limited.CompareAndSwap(nil, &code) {
		r.VM.Interrupt(&stopped{})
	}
}

// stopped is the panic that unwinds the script. goja lets no script code run on a panic
// that has an InterruptedError in its chain.
type stopped struct{}

func (*stopped) Error() string { return "the run was stopped" }
func (*stopped) Unwrap() error { return &goja.InterruptedError{} }

// end ends the run at this point of a host function; it does not return.
func (r *Run) end(reason sandbox.Error) {
	if r.ended == nil {
		if reason.Frames == nil {
			if r.callers == nil {
				r.callers = r.VM.CaptureCallStack(0, nil)
			}
			reason.Frames = frames(r.callers)
		}
		r.ended = &reason
	}
	// The interrupt keeps iterators and the like from running script code while the
	// panic unwinds.
	r.VM.Interrupt(&stopped{})
	panic(&stopped{})
}

// Exit ends the run at this point of a host function, content and with null as its output; it does not return.
func (r *Run) Exit() {
	r.exited = true
	r.Alive()
}

// Fail ends the run with the error of a script that ended with err; it does not return.
func (r *Run) Fail(err error) { r.end(*r.failure(err)) }

// Alive must be called first in every host function: native code may call several of
// them after the run was ended.
func (r *Run) Alive() {
	if r.ended != nil || r.exited || r.limited.Load() != nil {
		r.VM.Interrupt(&stopped{})
		panic(&stopped{})
	}
}

// Execute runs the script to its end.
func (r *Run) Execute() (outcome sandbox.Outcome) {
	output, failure := r.guarded()
	outcome = r.Outcome()
	outcome.Output = output
	if failure != nil {
		outcome.Output, outcome.Error = nil, failure
		Fingerprint(r.Execution.Code, failure)
	}
	return outcome
}

// Outcome is what is known so far; it is safe while the script is running.
func (r *Run) Outcome() sandbox.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sandbox.Outcome{Log: r.log, Calls: r.calls, VirtualMS: r.moved}
}

// guarded turns a panic of the engine into an error of class internal: scripts find
// faults in it, and none may reach the process around it.
func (r *Run) guarded() (output json.RawMessage, failure *sandbox.Error) {
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
		failure = &sandbox.Error{Class: sandbox.ClassInternal, Name: "InternalError", Message: fmt.Sprintf("the JavaScript engine failed: %v", p)}
	}()
	output, err := r.main()
	if err == nil && r.WhenDone != nil {
		err = r.WhenDone()
	}
	switch {
	case r.exited && r.limited.Load() == nil:
		return json.RawMessage("null"), nil
	case err != nil:
		return nil, r.failure(err)
	}
	return output, nil
}

var PromiseType = reflect.TypeFor[*goja.Promise]()

// scriptError is a failure that is not an exception.
type scriptError struct{ reason sandbox.Error }

func (e *scriptError) Error() string { return e.reason.Message }

func logicError(name, message string) error {
	return &scriptError{sandbox.Error{Class: sandbox.ClassLogic, Name: name, Message: message}}
}

func (r *Run) main() (json.RawMessage, error) {
	var err error
	if r.Zone, err = Zone(r.Execution.Zone); err != nil {
		return nil, &scriptError{sandbox.Error{Class: sandbox.ClassInternal, Name: "InternalError", Message: err.Error()}}
	}
	if r.script, err = load(r.Execution.Code); err != nil {
		return nil, err
	}
	r.promiseFree = r.script.promiseFree != nil && r.Execution.Around == "" && r.script.promiseFree.applies(r.script.globals.uses, r.Bindings)
	r.timed = r.script.timed || r.Execution.Overlap && !r.promiseFree
	input, err := r.ToScript(r.Execution.Input)
	if err != nil {
		return nil, &scriptError{sandbox.Error{Class: sandbox.ClassInternal, Name: "InternalError", Message: "input: " + err.Error()}}
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
	result, err := r.begin(func() (goja.Value, error) { return call(goja.Undefined(), input) })
	if exception, is := err.(*goja.Exception); is && r.promiseFree {
		return nil, r.Thrown(exception.Value())
	}
	if err == nil && !r.promiseFree {
		result, err = r.await(result)
	}
	if err != nil {
		return nil, err
	}
	output, err := r.toJSONOrNull(result)
	if err != nil {
		return nil, err
	}
	if _, err := r.VM.RunProgram(nothing()); err != nil { // but what code in the result left to be done
		return nil, err
	}
	if len(output) > r.Limits.ResultBytes {
		return nil, &scriptError{sandbox.LimitError(sandbox.LimitResult, fmt.Sprintf("the output has %d bytes, more than %d", len(output), r.Limits.ResultBytes))}
	}
	if sandbox.TooDeep(output) {
		return nil, &scriptError{sandbox.NestingError("the output is")}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	if len(r.rejections) > 0 {
		return nil, r.Thrown(r.rejections[0].Result())
	}
	if r.ended != nil || r.limited.Load() != nil {
		return nil, &stopped{} // the script was stopped, and native code went on to its end
	}
	return output, nil
}

// nothing lets promise jobs happen that wait.
var nothing = mustCompile("nothing.js", "")

// load runs the code at the top level, and gives main.
func (r *Run) load() (main goja.Value, err error) {
	var around goja.Callable
	if r.Execution.Around != "" {
		if around, err = r.around(); err != nil {
			return nil, err
		}
	}
	program := r.script.program
	if r.promiseFree {
		program = r.script.promiseFree.program
	}
	made, err := r.begin(func() (goja.Value, error) { return r.VM.RunProgram(program) })
	if err != nil {
		return nil, err
	}
	if main = made; !r.script.waits {
		get := func() { main = r.VM.Get(mainName) }
		if r.script.exports {
			get = func() { main = r.exported() }
		}
		if ex := r.VM.Try(get); ex != nil {
			return nil, ex
		}
	}
	switch _, callable := goja.AssertFunction(main); {
	case around != nil && (callable || r.script.waits):
		return around(goja.Undefined(), main, r.VM.ToValue(r.script.waits))
	case r.script.waits:
		return r.await(made)
	}
	return main, nil
}

// arounds are what executions had around their script, compiled.
var arounds = lru.New[string, *goja.Program](4)

// around is what the execution has around its script ([Execution.Around]).
func (r *Run) around() (goja.Callable, error) {
	program, known := arounds.Get(r.Execution.Around)
	if !known {
		var err error
		if program, err = goja.Compile("around.js", r.Execution.Around, true); err != nil {
			return nil, fmt.Errorf("sandbox: what is around the script: %w", err)
		}
		arounds.Put(r.Execution.Around, program)
	}
	made, err := r.VM.RunProgram(program)
	if err != nil {
		return nil, err
	}
	call, _ := goja.AssertFunction(made)
	return call, nil
}

// await is the value of a promise, or of anything with a then method.
func (r *Run) await(result goja.Value) (goja.Value, error) {
	object, ok := result.(*goja.Object)
	if !ok {
		return result, nil
	}
	if object.ExportType() != PromiseType {
		promise, resolve, _ := r.VM.NewPromise()
		if err := resolve(result); err != nil {
			return nil, err
		}
		object, _ = r.VM.ToValue(promise).(*goja.Object)
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
		return nil, r.Thrown(promise.Result())
	}
	return nil, logicError("DeadlockError", "deadlock: main is waiting for something that can never happen")
}

// Thrown makes an exception of the reason of a rejected promise. If it is an Error, the
// engine adds the place where it was made.
func (r *Run) Thrown(reason goja.Value) error {
	if ex := r.VM.Try(func() { panic(reason) }); ex != nil {
		return ex
	}
	return logicError("Error", "an exception was lost") // unreachable
}

// prepare sets up everything that a script finds when it starts.
func (r *Run) prepare() error {
	vm := r.VM
	vm.SetMaxCallStackSize(MaxCallStack)
	vm.SetParserOptions(parser.WithDisableSourceMaps)
	seed := sha256.Sum256([]byte(r.Execution.Seed))
	random := rand.New(rand.NewPCG(binary.BigEndian.Uint64(seed[:]), binary.BigEndian.Uint64(seed[8:]))) //nolint:gosec // must be reproducible
	vm.SetRandSource(random.Float64)
	vm.SetTimeSource(r.Now)
	vm.SetPromiseRejectionTracker(r.trackRejection)
	return r.makeGlobal()
}

// MaxCallStack bounds recursion. The engine takes a time to unwind functions that call each other through its own, as a
// callback of map does, that grows with the square of their number: of this many about a second.
const MaxCallStack = 2000

func (r *Run) Now() time.Time {
	// As a Duration, what a script can sleep in all would not fit.
	at := r.Execution.Clock.UTC()
	return time.Unix(at.Unix()+r.moved/1000, int64(at.Nanosecond())+r.moved%1000*int64(time.Millisecond)).UTC()
}

// Elapsed is how far the script's clock has moved, in milliseconds.
func (r *Run) Elapsed() int64 { return r.moved }

// Move lets time pass for the script.
func (r *Run) Move(ms int64) {
	if ms > 0 {
		r.mu.Lock()
		r.moved += ms
		r.mu.Unlock()
	}
}

func (r *Run) trackRejection(p *goja.Promise, operation goja.PromiseRejectionOperation) {
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
