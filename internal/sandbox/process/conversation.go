package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// conversation is one run as the host sees it.
type conversation struct {
	pool     *Pool
	affinity string
	process  *process
	turn     *cpuSlot // held but while the host answers
	host     sandbox.Host
	reads    *readScheduler
	limits   sandbox.Limits
	known    *sandbox.Bindings
	log      []sandbox.LogLine
	logBytes int
	left     time.Duration // until it is looked at how much processor time it was given
	began    time.Duration // processor time of the worker before the run; below zero if that is not known
	looked   time.Duration // … when it was last looked at
	idle     time.Duration // for how long it has been given none
	late     bool          // it has used its time
	fresh    bool          // nothing was known of the script when it began
	burnt    bool          // it has computed for long
	died     bool          // the worker did
	starved  bool          // … was given no processor time
}

// executeFrame is what a worker is sent to make executions, which have their code in common. The text of its packages is sent once.
func (p *process) executeFrame(list []sandbox.Execution) *encoder {
	frame := newFrame(frameExecute)
	size, code := 0, list[0].Code
	text := ""
	if lock := packages.LockOf(code); lock != nil && p.packages != lock.Digest {
		if text = packages.Known(lock.Digest); text != "" {
			p.packages = lock.Digest
		}
	}
	for i := range list {
		size += executionSize(&list[i])
	}
	frame.b = slices.Grow(frame.b, size+len(code)+len(text))
	frame.text(text)
	frame.int(int64(len(list)))
	for i := range list {
		frame.execution(&list[i], code)
		code = "" // the others have the same
	}
	return frame
}

// run makes an execution: with a frame that asks for it, or nil if that was sent already.
func (c *conversation) run(ctx context.Context, execution *sandbox.Execution, frame *encoder) (sandbox.Outcome, error) {
	if frame != nil && len(frame.b) > maxFrame {
		e := sandbox.LimitError(sandbox.LimitResult, fmt.Sprintf("the script and what it is given take %d bytes, more than %d", len(frame.b), maxFrame))
		engine.Fingerprint("", &e)
		return sandbox.Outcome{Error: &e}, nil
	}
	known := c.pool.kindOf(c.turn)
	if c.fresh = known == fresh; known == heavy {
		c.process.yield()
	}
	c.left = c.limits.Wall
	c.began = c.process.processor()
	c.looked = c.began
	c.reads = newReadScheduler(c.host)
	kind, payload, err := c.exchange(ctx, frame)
	if errors.Is(err, errNotSent) {
		return sandbox.Outcome{}, errNotStarted
	}
	for err == nil && kind != frameOutcome {
		var answer *encoder // nil: the worker does not wait for one
		if answer, err = c.answer(ctx, kind, payload); err == nil {
			kind, payload, err = c.exchange(ctx, answer)
		}
	}
	if astray, is := errors.AsType[*astrayError](err); is {
		c.process.kill()
		c.died = true
		c.finish(ctx, c.reads.furthest)
		return sandbox.Outcome{Error: astray.stop, Log: c.log, Astray: true}, nil
	}
	var outcome sandbox.Outcome
	if err == nil {
		outcome, err = payload.outcome(c.limits, execution.Journal)
	}
	if err != nil {
		outcome = c.death(err)
	}
	moment := outcome.VirtualMS
	if c.died {
		moment = c.reads.furthest
	}
	c.finish(ctx, moment)
	if outcome.Calls, err = c.reads.complete(outcome.Calls); err != nil {
		outcome = c.death(err)
	}
	if e := outcome.Error; e != nil && e.Code == sandbox.LimitWall && c.starved {
		return sandbox.Outcome{}, &sandbox.UnavailableError{Reason: fmt.Sprintf("this machine gave the script no processor time for %v", c.limits.Wall)}
	}
	if c.fresh && !c.burnt && !c.died {
		c.pool.showed(c.affinity)
	}
	outcome.Log, outcome.Astray = c.log, c.died && execution.Ahead
	if used := c.process.processor() - c.began; c.began >= 0 && used > 0 {
		outcome.Processor = used
	} else if outcome.Error != nil && outcome.Error.Code == sandbox.LimitCPU { // it is gone
		outcome.Processor = c.limits.CPU
	}
	return outcome, nil
}

// astrayError says that the script went ahead of an answer that it should have waited for; stop is why there is none.
type astrayError struct{ stop *sandbox.Error }

func (*astrayError) Error() string { return errAstray.Error() }

// finish waits for what the run has begun.
func (c *conversation) finish(ctx context.Context, moment int64) {
	if c.reads.running > 0 {
		c.turn.release()
	}
	c.reads.finish(ctx, moment)
}

// answer does what the worker asks for.
func (c *conversation) answer(ctx context.Context, kind frameKind, payload *decoder) (*encoder, error) {
	answer := newFrame(frameAnswer)
	switch kind {
	case frameBegin:
		call := payload.call()
		if binding := c.known.Find(call.Tool); binding == nil || !binding.Overlaps || call.Effect != sandbox.Read || binding.EffectOf(call.Args) != sandbox.Read {
			payload.fail()
		}
		if err := payload.end(); err != nil {
			return nil, err
		}
		if len(c.reads.under) > c.limits.Calls {
			return nil, fmt.Errorf("%w: more than %d reads", errFrame, c.limits.Calls)
		}
		c.reads.begin(ctx, call)
		return nil, nil
	case frameCall, frameAhead:
		call := payload.call()
		if call.Ahead = kind == frameAhead; call.Ahead {
			if binding := c.known.Find(call.Tool); binding == nil || !binding.Silent {
				payload.fail()
			}
		}
		if err := payload.end(); err != nil {
			return nil, err
		}
		if !call.Ahead {
			c.turn.release()
		}
		reply, err := c.reads.call(ctx, call)
		var stop *sandbox.Error
		if err != nil {
			stop = sandbox.StopReason(err)
		}
		switch {
		case !call.Ahead:
			answer.news(c.reads.tell())
			answer.answer(reply, stop)
		case stop != nil || !reply.IsNull():
			return nil, &astrayError{stop}
		default:
			return nil, nil
		}
	case frameWait:
		moment, until, patient := payload.int(), payload.int(), payload.bool()
		if err := payload.end(); err != nil {
			return nil, err
		}
		c.turn.release()
		if patient {
			c.reads.wait(ctx, until)
		}
		c.reads.settle(ctx, moment)
		answer.news(c.reads.tell())
	default:
		return nil, fmt.Errorf("%w: kind %q", errFrame, kind)
	}
	return answer, nil
}

// exchange sends a frame, if there is one, and waits for the next one that is no line of the log, as long as
// the run has time. The wait begins with the run's CPU slot, which it then has.
func (c *conversation) exchange(ctx context.Context, frame *encoder) (frameKind, *decoder, error) {
	if err := c.turn.resume(ctx); err != nil {
		return 0, nil, err // whoever asked knows
	}
	before, deadline := c.process.processor(), time.Now().Add(c.left)
	if err := c.process.until(deadline); err != nil {
		return 0, nil, err
	}
	c.process.more = func() bool {
		more := c.more()
		deadline = time.Now().Add(more)
		return more > 0 && c.process.until(deadline) == nil
	}
	defer func() {
		c.process.more = nil
		c.left = time.Until(deadline)
	}()
	if frame != nil {
		if err := writeFrame(c.process, frame); err != nil {
			return 0, nil, fmt.Errorf("%w: %w", errNotSent, err)
		}
	}
	computed := func(least time.Duration) bool { return before >= 0 && c.process.processor()-before >= least }
	if c.fresh {
		soon := time.AfterFunc(freshTime, func() {
			if computed(freshTime / 5) {
				c.pool.behind(c.process, c.turn)
			}
		})
		defer soon.Stop()
	}
	var burns atomic.Bool
	over := make(chan struct{})
	long := time.AfterFunc(heavyTime, func() {
		again := time.NewTicker(heavyTime)
		defer again.Stop()
		for !computed(heavyTime / 20) { // it waits for the outside, or the machine has had no time for it yet
			select {
			case <-over:
				return
			case <-again.C:
			}
		}
		burns.Store(true)
		c.pool.burns(c.affinity, 2*heavyTime) // at least, also where the machine has little time for it
		c.pool.behind(c.process, c.turn)
	})
	defer func() {
		close(over)
		if long.Stop(); burns.Load() {
			c.burnt = true
			c.pool.burns(c.affinity, max(c.process.processor()-before-2*heavyTime, 0))
		}
	}()
	kind, payload, err := readFrame(c.process.frames)
	for err == nil && kind == frameLog {
		if err = c.logged(payload); err == nil {
			kind, payload, err = readFrame(c.process.frames)
		}
	}
	return kind, payload, err
}

// more is how long a script goes on whose time on the clock is over. Only a script that had the processor for half of it has used it, and
// may say so: else the machine is busy, which says nothing about the script. One that was given none is tried again later.
func (c *conversation) more() time.Duration {
	now, last := c.process.processor(), c.looked
	c.looked = now
	switch {
	case c.late:
		return 0
	case now < 0 || now-c.began >= c.limits.Wall/2:
		c.late = true
		return killTime
	case !c.process.starved(last, c.limits.Wall):
		c.idle = 0
	default:
		c.idle += c.limits.Wall
		c.starved = c.idle >= noTime
	}
	if c.starved {
		return 0
	}
	return c.limits.Wall
}

// logged takes a line. It holds the log to its limit again: a worker that was taken over
// would not.
func (c *conversation) logged(payload *decoder) error {
	line := payload.line()
	if err := payload.end(); err != nil {
		return err
	}
	if c.logBytes += len(line.Text) + max(len(line.Level), engine.LineBytes); c.logBytes > c.limits.LogBytes {
		return fmt.Errorf("%w: the log has more than %d bytes", errFrame, c.limits.LogBytes)
	}
	c.log = append(c.log, line)
	return nil
}

// death is the outcome of a run whose worker is gone, or has to go. Its calls are lost:
// which ones the journal answered only the worker knew.
func (c *conversation) death(err error) sandbox.Outcome {
	c.died = true
	var e sandbox.Error
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		e = sandbox.LimitError(sandbox.LimitWall, fmt.Sprintf("the script ran longer than %v", c.limits.Wall))
		c.process.kill()
	case errors.Is(err, errFrame):
		c.process.kill()
		e = sandbox.Error{Class: sandbox.ClassInternal, Name: "InternalError", Message: "the worker does not keep to the protocol: " + err.Error()}
	default:
		e = c.process.death(c.limits, err)
	}
	e.Stack = engine.StackText(&e)
	engine.Fingerprint("", &e)
	return sandbox.Outcome{Error: &e}
}
