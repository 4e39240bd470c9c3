package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// CodeInDoubt is the code of a failure for a write that went out and never came back: it
// is not sent again.
const CodeInDoubt = "effect.in_doubt"

// runHost answers the calls of one live run: from its past, else for real. It journals
// every call; one that might do something twice, before it goes out.
type runHost struct {
	attempt  *attempt
	past     *rehearsal.Past
	live     sandbox.Host
	seq      int
	reused   int
	made     map[string]int  // writes so far, by call
	key      string          // of the write under way: nothing else is under way then
	answered bool            // a write came back, and its answer may not be durable yet
	clockMS  int64           // the script's clock, as far as calls move it; sleep is not seen here
	touched  []string        // files written or removed for real
	open     sandbox.Matches // reads of this run that a crash left without an answer
	under    []*reading      // reads that have begun, and those after the first of them that has no answer

	youngest int     // age of the newest read that has answered: one that is newer than a write may have had it come otherwise
	side     *beside // nil if no other run may be under way
	anew     bool    // its calls on keys and files are made anew, and those outside may not have come again yet
	halted   error   // why the run stands still or is lost, without an end
}

// errAwaiting stops a run at a question to a person.
var errAwaiting = errors.New("a person is asked")

// errInDoubt stops a run at a write that nobody knows the fate of.
var errInDoubt = errors.New("a write is in doubt")

// errNotSent stops a run at a write that was about to go out when this node found that it may not.
var errNotSent = errors.New("the write was not sent")

// errMisspeculated stops a run whose script went on before a call was answered that is not answered null: the script is executed again, and
// waits for every answer.
var errMisspeculated = errors.New("the script went on before a call was refused")

// maySend looks at the lease once more when the connection for a write is there.
func (h *runHost) maySend(ctx context.Context) error {
	if err := h.leaseHeld(ctx); err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	return nil
}

// callTimeout is the time after which nothing of a call can be under way any more.
const callTimeout = 2 * time.Minute

// halt stops the script; its run does not end.
func (h *runHost) halt() error {
	if errors.Is(h.halted, errInDoubt) || errors.Is(h.halted, errAwaiting) {
		return nil
	}
	return h.halted
}

func (h *runHost) stop(why error) error {
	h.halted = why
	return &sandbox.StopError{Reason: sandbox.Error{Class: sandbox.ClassInternal, Name: "Halted", Message: why.Error()}}
}

// ask records the question and stops the run: no process waits for an answer.
func (h *runHost) ask(ctx context.Context, call sandbox.Call) error {
	asked, err := hostcall.Of(call.Tool).Question(call.Args)
	if err != nil {
		return fmt.Errorf("arguments of %s: %w", call.Tool, err) // they were checked before
	}
	if err := h.called(ctx, call, "", ""); err != nil {
		return err
	}
	if err := h.attempt.record(ctx, run.AwaitAnswer{
		Seq: h.seq, Question: asked.Text, Options: asked.Options, Default: asked.Default, Timeout: asked.Timeout,
	}); err != nil {
		return h.stop(err)
	}
	return h.stop(errAwaiting)
}

// doubt stops the run at a write of which no answer says whether it happened. status is of one that
// does not say it.
func (h *runHost) doubt(ctx context.Context, call sandbox.Call, seq int, notBefore time.Time, status int) error {
	if err := h.attempt.record(ctx, run.DoubtEffect{Seq: seq, NotBefore: notBefore, LookUpAt: h.lookUpAt(call, notBefore), Status: status}); err != nil {
		return h.stop(err)
	}
	return h.stop(errInDoubt)
}

// unheard is the write that the script failed of, because its answer does not say whether it happened: by a form that is
// no answer, or, if says is set, in words. Nil if there is none, or the script wrote outside since.
func (h *runHost) unheard(e *sandbox.Error, says bool) *run.Call {
	if e == nil || !says && (e.Code != hostcall.CodeIndeterminate || !e.Kept()) {
		return nil
	}
	for _, made := range slices.Backward(h.attempt.journal.State().Calls) {
		if made.Effect != run.EffectWrite || hostcall.Of(made.Tool).Local {
			continue
		}
		call := sandbox.Call{Tool: made.Tool, Args: made.Args, Effect: sandbox.Write}
		judged := hostcall.Judged(call, made.Result)
		if made.From != "" || made.Error != nil || !says && (judged == nil || judged.Code != e.Code) || h.idempotent(call) {
			return nil
		}
		return made
	}
	return nil
}

// Call implements [sandbox.Host].
func (h *runHost) Call(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	reply, err := h.answer(ctx, call)
	if err != nil && call.Ahead && (h.halted == nil || errors.Is(h.halted, errSuspected)) {
		h.halted = errMisspeculated
	}
	if err == nil {
		h.saw(&reading{call: call, seq: h.seq, reply: reply, answered: true})
	}
	return reply, err
}

// reading is a read that has begun; or a call after one that waits to be seen.
type reading struct {
	call     sandbox.Call
	seq      int // zero as long as it is not recorded
	reply    sandbox.Reply
	answered bool
}

// saw shows the guard a call. It sees them in the order in which they were made.
func (h *runHost) saw(one *reading) {
	h.under = append(h.under, one)
	h.seen()
}

func (h *runHost) seen() {
	for len(h.under) > 0 && h.under[0].answered {
		h.attempt.monitor.saw(h.under[0].call, h.under[0].reply)
		h.under = h.under[1:]
	}
}

// Begin implements [sandbox.Beginner]. A read that was begun is recorded with its answer; if something that came after it is recorded
// before, then ahead of that, so that the journal has the calls in the order in which the script made them.
func (h *runHost) Begin(ctx context.Context, call sandbox.Call) (sandbox.Reply, *sandbox.Begun, error) {
	reply, found, err := h.recorded(ctx, call)
	if err != nil || found {
		if err == nil {
			h.saw(&reading{call: call, seq: h.seq, reply: reply, answered: true})
		}
		return reply, nil, err
	}
	if err := h.beforeLong(ctx, call); err != nil {
		return sandbox.Reply{}, nil, err
	}
	one := &reading{call: call}
	one.seq, _ = h.open.Take(call.Tool, call.Args)
	h.saw(one)
	return sandbox.Reply{}, &sandbox.Begun{
		Make:     func(ctx context.Context) (sandbox.Reply, error) { return h.live.Call(ctx, call) },
		Answered: func(ctx context.Context, reply sandbox.Reply) error { return h.came(ctx, one, reply) },
	}, nil
}

// came records the answer to a read that was begun.
func (h *runHost) came(ctx context.Context, one *reading, reply sandbox.Reply) error {
	h.clockMS += reply.MS
	err := h.recordBegun(ctx, one)
	switch {
	case err != nil:
	case one.seq > 0:
		err = h.returned(ctx, one.seq, one.call, reply)
	default:
		err = h.record(ctx, one.call, run.RecordAnswered{Call: h.next(one.call, "", ""), Return: answerOf(h.seq, one.call, reply)})
		one.seq = h.seq
	}
	one.reply, one.answered = reply, true
	h.seen()
	return err
}

// recorded answers a call from what was done before.
func (h *runHost) recorded(ctx context.Context, call sandbox.Call) (reply sandbox.Reply, found bool, err error) {
	entry, found, diverged := h.past.Take(call)
	switch {
	case diverged && h.anew && hostcall.Of(call.Tool).Local && !h.past.OwesLocal():
		return sandbox.Reply{}, false, nil // it comes to nothing if the script does not go on to what was made outside
	case diverged:
		return sandbox.Reply{}, false, h.diverged(&call)
	case found && entry.InDoubt && !entry.Own:
		return sandbox.Reply{}, false, inDoubt(call)
	case found && entry.InDoubt:
		// The node that sent it may still be alive, unless there was no other.
		var notBefore time.Time
		if !h.attempt.config.Alone {
			notBefore = h.attempt.config.Now().Add(callTimeout)
		}
		return sandbox.Reply{}, false, h.doubt(ctx, call, entry.Seq, notBefore, 0)
	case found:
		if call.Effect == sandbox.Read && !entry.Own {
			h.youngest = min(h.youngest, entry.Age)
		}
		reply, err = h.repeat(ctx, call, entry)
	}
	return reply, found, err
}

// beforeLong is for a call that is not announced: it may take long, and a crash meanwhile would put the write before it in doubt.
// And only the node that has the run tells people of something.
func (h *runHost) beforeLong(ctx context.Context, call sandbox.Call) error {
	if !h.answered && call.Effect != sandbox.Write {
		return nil
	}
	h.answered = false
	return h.attempt.journal.Flush(ctx)
}

func (h *runHost) answer(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	reply, found, err := h.recorded(ctx, call)
	if err != nil || found {
		return reply, err
	}
	if h.side != nil && call.Effect == sandbox.Write && !hostcall.Of(call.Tool).Local {
		if err := h.side.still(ctx); err != nil {
			return sandbox.Reply{}, h.stop(err)
		}
	}
	if call.Effect == sandbox.Write && !h.attempt.monitor.mayWrite(call) {
		return sandbox.Reply{}, h.stop(errSuspected)
	}
	return h.make(ctx, call)
}

func (h *runHost) repeat(ctx context.Context, call sandbox.Call, entry rehearsal.Entry) (sandbox.Reply, error) {
	reply := sandbox.Reply{Result: entry.Result, Error: entry.Error, MS: entry.MS}
	if call.Ahead && !reply.IsNull() {
		return sandbox.Reply{}, h.stop(errMisspeculated)
	}
	h.clockMS += reply.MS
	if reply.Error != nil {
		again := *reply.Error
		again.Tool = call.Tool
		reply.Error = &again
	}
	if call.Effect == sandbox.Write {
		h.writeKey(call) // counts it
	}
	if entry.Own {
		return reply, nil
	}
	if entry.From != h.attempt.journal.State().Run {
		h.reused++
	}
	return reply, h.calledAndReturned(ctx, call, entry.Key, entry.From, reply)
}

func (h *runHost) make(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	key := ""
	if call.Effect == sandbox.Write {
		key = h.writeKey(call)
	}
	h.key = key
	if hostcall.Of(call.Tool).Question != nil {
		// The tool itself cannot wait. It says so once it has found the arguments right.
		reply, err := h.live.Call(ctx, call)
		if err != nil || reply.Error == nil || reply.Error.Code != hostcall.CodeAskUnavailable {
			return reply, err
		}
		return sandbox.Reply{}, h.ask(ctx, call)
	}
	if !rehearsal.Announced(call.Tool, call.Effect) {
		if !hostcall.Of(call.Tool).Local {
			if err := h.beforeLong(ctx, call); err != nil {
				return sandbox.Reply{}, err
			}
		}
		reply, err := h.live.Call(ctx, call)
		if err != nil {
			return sandbox.Reply{}, err
		}
		if call.Ahead && !reply.IsNull() { // it was refused, and is again
			return sandbox.Reply{}, h.stop(errMisspeculated)
		}
		if h.side != nil && hostcall.Of(call.Tool).Local {
			h.side.held = append(h.side.held, hostcall.Answered{Call: call, Reply: reply, AtMS: h.clockMS})
		}
		h.clockMS += reply.MS
		if path, wrote := hostcall.Touched(call); wrote && reply.Error == nil {
			h.touched = append(h.touched, path)
		}
		return reply, h.calledAndReturned(ctx, call, key, "", reply)
	}
	if err := h.extendLease(ctx); err != nil {
		return sandbox.Reply{}, err
	}
	if err := h.called(ctx, call, key, ""); err != nil {
		return sandbox.Reply{}, err
	}
	if err := h.leaseHeld(ctx); err != nil {
		return sandbox.Reply{}, h.stop(err)
	}
	if h.attempt.interrupt.writes(true) {
		return sandbox.Reply{}, h.stop(errCancelled)
	}
	reply, err := h.live.Call(ctx, call)
	if h.attempt.interrupt.writes(false) {
		if err == nil {
			err = h.returned(ctx, h.seq, call, reply)
		}
		return sandbox.Reply{}, h.stop(cmp.Or(err, errCancelled))
	}
	if errors.Is(err, errNotSent) {
		return sandbox.Reply{}, h.stop(err)
	}
	if err != nil {
		return sandbox.Reply{}, err
	}
	h.clockMS += reply.MS
	if reply.Error != nil && reply.Error.Code == hostcall.CodeIndeterminate && !h.idempotent(call) {
		return sandbox.Reply{}, h.doubt(ctx, call, h.seq, time.Time{}, reply.Error.Status)
	}
	if err := h.returned(ctx, h.seq, call, reply); err != nil {
		return sandbox.Reply{}, err
	}
	h.answered = true
	return reply, h.attempt.journal.FlushSoon(ctx)
}

// writeKey is the idempotency key of a write: the same whenever a run of the same chain
// makes the same write, because a chain keeps its seed.
func (h *runHost) writeKey(call sandbox.Call) string {
	same := sandbox.CallKey(call.Tool, call.Args)
	h.made[same]++
	return commands.DerivedID(h.attempt.journal.State().Keys, "write", same, strconv.Itoa(h.made[same]))
}

func (h *runHost) called(ctx context.Context, call sandbox.Call, key, from string) error {
	if err := h.recordBegun(ctx, nil); err != nil {
		return err
	}
	return h.record(ctx, call, h.next(call, key, from))
}

func (h *runHost) returned(ctx context.Context, seq int, call sandbox.Call, reply sandbox.Reply) error {
	return h.keep(ctx, answerOf(seq, call, reply))
}

// calledAndReturned journals a call that had nothing to be durable before it was answered.
func (h *runHost) calledAndReturned(ctx context.Context, call sandbox.Call, key, from string, reply sandbox.Reply) error {
	if err := h.recordBegun(ctx, nil); err != nil {
		return err
	}
	if call.Effect == sandbox.Read && from == "" {
		if seq, left := h.open.Take(call.Tool, call.Args); left {
			return h.returned(ctx, seq, call, reply)
		}
	}
	return h.record(ctx, call, run.RecordAnswered{Call: h.next(call, key, from), Return: answerOf(h.seq, call, reply)})
}

// recordBegun records the reads that were begun before another one, or all of them, so that the next call is in its order.
func (h *runHost) recordBegun(ctx context.Context, until *reading) error {
	for _, one := range h.under {
		switch {
		case one == until:
			return nil
		case one.seq == 0 && !one.answered:
			if err := h.record(ctx, one.call, h.next(one.call, "", "")); err != nil {
				return err
			}
			one.seq = h.seq
		}
	}
	return nil
}

// next numbers a call that is to be recorded.
func (h *runHost) next(call sandbox.Call, key, from string) run.RecordCall {
	h.seq++
	return run.RecordCall{Seq: h.seq, Tool: call.Tool, Args: call.Args, Effect: string(call.Effect), Key: key, From: from}
}

func (h *runHost) record(ctx context.Context, call sandbox.Call, command run.Command) error {
	err := h.keep(ctx, command)
	if errors.Is(err, commands.ErrTooLarge) {
		h.seq--
		return &sandbox.StopError{Reason: sandbox.Error{
			Class: sandbox.ClassLimit, Name: "LimitError", Code: sandbox.LimitResult, Tool: call.Tool,
			Message: fmt.Sprintf("%s: the arguments are %d bytes, more than the journal takes", call.Tool, len(call.Args)),
		}}
	}
	return err
}

// answerOf is an answer as it is recorded: none is a null, unless it is that of a service, which answered with nothing.
func answerOf(seq int, call sandbox.Call, reply sandbox.Reply) run.RecordReturn {
	result := reply.Result
	if len(result) == 0 && reply.Error == nil && hostcall.Of(call.Tool).Request == nil {
		result = json.RawMessage("null")
	}
	return run.RecordReturn{Seq: seq, Result: result, Error: callErrorOf(reply.Error), MS: reply.MS, Hosts: reply.Hosts}
}

// diverged says which write was expected, and whose fault it is that it did not come: the same code with the same answers makes the
// same writes, so if it did not, it was given others. call is nil at the end of the run.
func (h *runHost) diverged(call *sandbox.Call) *sandbox.StopError {
	expected, _ := h.past.Unrepeated()
	instead := "and the script ended without repeating it"
	if call != nil {
		instead = fmt.Sprintf("and the script would make %s %s instead", call.Tool, rehearsal.Excerpt(call.Args))
	}
	reason := sandbox.Error{
		Class: sandbox.ClassLogic, Name: "ContinuationError", Code: failure.CodeDiverged,
		Message: fmt.Sprintf("run %s already made the write %s %s, %s", expected.From, expected.Tool, rehearsal.Excerpt(expected.Args), instead),
	}
	if r := h.attempt.restart; r != nil && !r.recorded {
		reason.Code = failure.CodeOvertaken
		reason.Message = fmt.Sprintf("other runs of the workflow have changed %s while this one was under way, so its script began again: %s",
			strings.Join(r.moved, ", "), reason.Message)
		return &sandbox.StopError{Reason: reason}
	}
	if expected.Own || h.attempt.repeats(expected) && h.youngest >= expected.Age {
		reason.Class = sandbox.ClassInternal
		reason.Message += ". The code is the one that made it and had the same answers, so this is a fault of Kintsugi, not of the script"
	}
	return &sandbox.StopError{Reason: reason}
}

// repeats says of a write of a run before that the very code that made it is executed, on the answers that were read then.
func (a *attempt) repeats(made rehearsal.Entry) bool {
	version, err := workflow.ParseVersion(made.Version)
	script, found := a.workflow.Script(version)
	return !a.info.Fresh && err == nil && found && script.SHA256 == a.script.SHA256
}

// idempotent says that the settings declare a call to do nothing twice.
func (h *runHost) idempotent(call sandbox.Call) bool {
	return rehearsal.IdempotentHosts(h.attempt.workflow.Settings)(call)
}

func inDoubt(call sandbox.Call) *sandbox.StopError {
	return &sandbox.StopError{Reason: sandbox.Error{
		Class: sandbox.ClassInternal, Name: "EffectInDoubt", Code: CodeInDoubt, Tool: call.Tool,
		Message: fmt.Sprintf("%s %s went out and no answer came back: it may have happened, so it is not sent again. Find out, and start a new run if it did not", call.Tool, rehearsal.Excerpt(call.Args)),
	}}
}
