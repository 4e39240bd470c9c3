package process

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// InProcess runs scripts in the calling process: for tests and benchmarks.
//
// It CANNOT contain a hostile script. Wall time, recursion, calls, log and result sizes
// are limited; processor time and memory are not, a built-in function that loops (a
// regular expression, fill of a huge array) is not stopped, and a script that exhausts
// memory or the stack takes the process with it. Scripts that nobody checked belong in a
// [Pool]. Date reads the time zone of the process: set time.Local to UTC for results
// that do not depend on it.
type InProcess struct{ Bindings []sandbox.Binding }

var _ sandbox.Runner = InProcess{}

// Check implements [sandbox.Runner], as the function [Check] does.
func (InProcess) Check(_ context.Context, code string) error { return Check(code) }

// Run implements [sandbox.Runner].
func (p InProcess) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return sandbox.Outcome{}, fmt.Errorf("sandbox: run: %w", err)
	}
	var clock wallClock
	n := &localAnswerer{ctx: ctx, clock: &clock, reads: newReadScheduler(host)}
	r := engine.NewRun(execution, sandbox.NewBindings(p.Bindings), n)
	defer context.AfterFunc(ctx, func() { r.Limit(sandbox.LimitWall) })()
	clock.start(r.Limits.Wall, func() { r.Limit(sandbox.LimitWall) })
	outcome := r.Execute()
	clock.pause()
	if !n.astray {
		_ = n.catchUp()
	}
	n.reads.finish(ctx, outcome.VirtualMS)
	if err := ctx.Err(); err != nil {
		return sandbox.Outcome{}, fmt.Errorf("sandbox: run: %w", err)
	}
	if !n.astray {
		outcome.Calls, _ = n.reads.complete(outcome.Calls) // nobody lies in this process
	}
	outcome.Astray = n.astray
	return outcome, nil
}

var errAstray = errors.New("the script went ahead of an answer that it should have waited for")

// localAnswerer is who answers the calls of a run in the same process.
type localAnswerer struct {
	ctx    context.Context
	clock  *wallClock
	reads  *readScheduler
	held   []sandbox.Call // that the script went ahead of
	astray bool
}

// catchUp makes the calls that the script went ahead of.
func (n *localAnswerer) catchUp() (err error) {
	for _, call := range n.held {
		var reply sandbox.Reply
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

func (n *localAnswerer) Ask(call sandbox.Call) (sandbox.Reply, engine.News, error) {
	n.clock.pause()
	defer n.clock.resume()
	if err := n.catchUp(); err != nil {
		return sandbox.Reply{}, engine.News{}, err
	}
	reply, err := n.reads.call(n.ctx, call)
	return reply, n.reads.tell(), err
}

func (n *localAnswerer) GoAhead(call sandbox.Call) error {
	call.Ahead = true
	n.held = append(n.held, call)
	return nil
}

func (n *localAnswerer) Begin(call sandbox.Call) error {
	if err := n.catchUp(); err != nil {
		return err
	}
	n.reads.begin(n.ctx, call)
	return nil
}

func (n *localAnswerer) Wait(moment, until int64, patient bool) (engine.News, error) {
	n.clock.pause()
	defer n.clock.resume()
	if patient {
		n.reads.wait(n.ctx, until)
	}
	n.reads.settle(n.ctx, moment)
	return n.reads.tell(), nil
}

// answer asks the host, and turns its panic into an error.
func answer(ctx context.Context, host sandbox.Host, call sandbox.Call) (sandbox.Reply, error) {
	if host == nil {
		return sandbox.Reply{}, &sandbox.StopError{Reason: unanswerable(call)}
	}
	return recoverPanic(call, func() (sandbox.Reply, error) { return host.Call(ctx, call) })
}

func unanswerable(call sandbox.Call) sandbox.Error {
	return sandbox.Error{
		Class: sandbox.ClassInternal, Name: "Unanswerable", Code: sandbox.CodeUnanswerable, Tool: call.Tool,
		Message: fmt.Sprintf("call %d, %s%s, was not recorded", call.Seq, call.Tool, engine.Cut(string(call.Args), 200)),
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
