package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// InProcess runs scripts in the calling process: for tests and benchmarks.
//
// It CANNOT contain a hostile script. Wall time, recursion, calls, log and result sizes
// are limited; processor time and memory are not, a built-in function that loops (a
// regular expression, fill of a huge array) is not stopped, and a script that exhausts
// memory or the stack takes the process with it. Scripts that nobody checked belong in a
// [Pool]. Date reads the time zone of the process: set time.Local to UTC for results
// that do not depend on it.
type InProcess struct{ Bindings []Binding }

var _ Runner = InProcess{}

// Check implements [Runner], as the function [Check] does.
func (InProcess) Check(_ context.Context, code string) error { return Check(code) }

// Run implements [Runner].
func (p InProcess) Run(ctx context.Context, execution Execution, host Host) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, fmt.Errorf("sandbox: run: %w", err)
	}
	var clock wallClock
	n := &near{ctx: ctx, clock: &clock, reads: newReads(host)}
	r := newRun(execution, newBindings(p.Bindings), n)
	defer context.AfterFunc(ctx, func() { r.limit(LimitWall) })()
	clock.start(r.limits.Wall, func() { r.limit(LimitWall) })
	outcome := r.execute()
	clock.pause()
	if !n.astray {
		_ = n.catchUp()
	}
	n.reads.finish(ctx, outcome.VirtualMS)
	if err := ctx.Err(); err != nil {
		return Outcome{}, fmt.Errorf("sandbox: run: %w", err)
	}
	if !n.astray {
		outcome.Calls, _ = n.reads.complete(outcome.Calls) // nobody lies in this process
	}
	outcome.Astray = n.astray
	return outcome, nil
}

var errAstray = errors.New("the script went ahead of an answer that it should have waited for")

// near is who answers the calls of a run in the same process.
type near struct {
	ctx    context.Context
	clock  *wallClock
	reads  *reads
	held   []Call // that the script went ahead of
	astray bool
}

// catchUp makes the calls that the script went ahead of.
func (n *near) catchUp() (err error) {
	for _, call := range n.held {
		var reply Reply
		if reply, err = n.reads.call(n.ctx, call); err != nil || !reply.IsNull() {
			n.astray = true
			break
		}
	}
	n.held = nil
	if n.astray {
		err = errors.Join(errAstray, err)
	}
	return err
}

func (n *near) ask(call Call) (Reply, news, error) {
	n.clock.pause()
	defer n.clock.resume()
	if err := n.catchUp(); err != nil {
		return Reply{}, news{}, err
	}
	reply, err := n.reads.call(n.ctx, call)
	return reply, n.reads.tell(), err
}

func (n *near) goAhead(call Call) error {
	call.Ahead = true
	n.held = append(n.held, call)
	return nil
}

func (n *near) begin(call Call) error {
	if err := n.catchUp(); err != nil {
		return err
	}
	n.reads.begin(n.ctx, call)
	return nil
}

func (n *near) wait(moment, until int64, patient bool) (news, error) {
	n.clock.pause()
	defer n.clock.resume()
	if patient {
		n.reads.wait(n.ctx, until)
	}
	n.reads.settle(n.ctx, moment)
	return n.reads.tell(), nil
}

// answer asks the host, and turns its panic into an error.
func answer(ctx context.Context, host Host, call Call) (Reply, error) {
	if host == nil {
		return Reply{}, &StopError{Reason: unanswerable(call)}
	}
	return careful(call, func() (Reply, error) { return host.Call(ctx, call) })
}

func unanswerable(call Call) Error {
	return Error{
		Class: ClassInternal, Name: "Unanswerable", Code: CodeUnanswerable, Tool: call.Tool,
		Message: fmt.Sprintf("call %d, %s%s, was not recorded", call.Seq, call.Tool, cut(string(call.Args), 200)),
	}
}

// wallClock calls a function once a time is used up. It stands while paused.
type wallClock struct {
	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	started time.Time
	paused  bool
}

func (c *wallClock) start(limit time.Duration, expired func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.started = limit, time.Now()
	c.timer = time.AfterFunc(limit, expired)
}

func (c *wallClock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.left, c.paused = max(c.left-time.Since(c.started), 0), true
}

func (c *wallClock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started, c.paused = time.Now(), false
	c.timer.Reset(c.left)
}

// again has the function called once more, after such a time.
func (c *wallClock) again(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left, c.started = limit, time.Now(); !c.paused {
		c.timer.Reset(limit)
	}
}

// mustCompile compiles at the first call: a worker starts without what its script does not use.
func mustCompile(name, code string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return compiled(name, code) })
}

func compiled(name, code string) *goja.Program {
	tree, err := parser.ParseFile(nil, name, code, 0, parser.WithDisableSourceMaps)
	if err != nil {
		panic(err)
	}
	program, err := goja.CompileAST(tree, true)
	if err != nil {
		panic(err)
	}
	return program
}
