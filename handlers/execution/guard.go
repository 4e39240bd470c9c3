package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// errSuspected stops a run at a write, so that the guard can look closer. If there is nothing, the run goes on.
var errSuspected = errors.New("the guard looks closer")

type expected struct {
	mu    sync.Mutex
	code  string
	known *guard.Expectation
	given *gate.Run // what the run was given that this fix was made for
}

// watch is the guard's eyes on one run.
type watch struct {
	of      *expected
	live    *guard.Live
	state   workflow.State
	run     gate.Run        // what it was given and did, so far
	ignored map[string]bool // keys that were looked at, in this run
	marked  []guard.Finding // that do not stop it
	write   *sandbox.Call   // that was about to go out
}

// watch begins to look at a run; nil if nobody wants that. It knows an active version from the runs before; else
// the recorded successes are read.
func (e *Executor) watch(ctx context.Context, id string, w workflow.State, info workflow.RunInfo, script workflow.Script, start run.State) (*watch, error) {
	if w.Settings.Guard == workflow.GuardOff || info.Trigger == workflow.TriggerFork || info.Trigger == workflow.TriggerImport {
		return nil, nil
	}
	of, found := e.expectations.Get(id)
	if !found || of.code != script.Code {
		of = &expected{code: script.Code, known: guard.Learn(guard.Version{Code: script.Code})}
		if w.SettledRuns() > 0 {
			loaded, err := rehearsal.GuardOf(ctx, e.config.Commands, e.config.Sandbox, e.config.Recordings, w, script)
			if err != nil {
				return nil, err
			}
			of.known = loaded.Known
		}
		e.expectations.Put(id, of)
	}
	if info.Fix == info.Version && !info.Fix.IsZero() {
		if err := e.knows(ctx, info, of); err != nil {
			return nil, err
		}
	}
	of.mu.Lock()
	of.known.Trial = slices.Contains(w.Unconfirmed(), script.Version)
	of.mu.Unlock()
	eyes := &watch{of: of, live: of.known.Watch(), state: w, ignored: map[string]bool{}}
	eyes.run = gate.Run{ID: info.Run, Trigger: string(info.Origin), Input: start.Input}
	return eyes, nil
}

// knows takes in what the run was given that a fix was made for: the fix was proved on it.
func (e *Executor) knows(ctx context.Context, info workflow.RunInfo, of *expected) error {
	for id := info.Continues; id != ""; {
		earlier, err := e.config.Commands.LoadRun(ctx, id)
		if err != nil {
			return fmt.Errorf("the run that %s continues: %w", info.Run, err)
		}
		if earlier.Version != info.Version.String() {
			given := rehearsal.RecordedRun(earlier)
			given.Outcome = gate.Outcome{}
			given.Calls = slices.DeleteFunc(given.Calls, func(call gate.Call) bool { return call.Effect == run.EffectWrite })
			of.mu.Lock()
			of.given = &given
			of.known.Add(&given)
			of.mu.Unlock()
			return nil
		}
		id = earlier.Continues
	}
	return nil
}

// suspects says that the run so far, with the write that is about to go out or its output, has to be looked at closer.
func (x *watch) suspects(run *gate.Run) bool {
	x.live.See(run)
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	return slices.ContainsFunc(x.live.Suspects(run), func(f guard.Finding) bool {
		return !x.ignored[f.Key()] && !x.state.Trusts(f.Key())
	})
}

// saw takes in a call that was answered.
func (x *watch) saw(call sandbox.Call, reply sandbox.Reply) {
	x.run.Calls = append(x.run.Calls, gate.CallOf(sandbox.TracedCall{Call: call, Reply: reply}))
}

// mayWrite says whether a write may go out as far as the fast look can tell.
func (x *watch) mayWrite(call sandbox.Call) bool {
	if x == nil {
		return true
	}
	so := x.run
	so.Calls = append(slices.Clip(x.run.Calls), gate.CallOf(sandbox.TracedCall{Call: call}))
	if !x.suspects(&so) {
		return true
	}
	x.write = &call
	return false
}

// closer looks at the run with its past at hand. What it finds and does not stop the run is marked, and what was
// suspected is not looked at again.
func (e *Executor) closer(ctx context.Context, w workflow.State, script workflow.Script, eyes *watch, output json.RawMessage) (stop []guard.Finding, err error) {
	g, err := rehearsal.GuardOf(ctx, e.config.Commands, e.config.Sandbox, e.config.Recordings, w, script)
	if err != nil {
		return nil, err
	}
	if eyes.of.given != nil {
		g.Known.Add(eyes.of.given)
	}
	so := eyes.run
	if eyes.write != nil {
		so.Calls = append(slices.Clip(so.Calls), gate.CallOf(sandbox.TracedCall{Call: *eyes.write}))
	}
	if output != nil {
		so.Outcome = gate.Outcome{Status: "succeeded", Output: output}
	}
	findings, err := g.Look(ctx, &so)
	if err != nil {
		return nil, err
	}
	if g.Stops(findings) {
		return findings, nil
	}
	for _, f := range g.Known.Suspects(&so) {
		eyes.ignored[f.Key()] = true
	}
	eyes.of.mu.Lock()
	for _, f := range eyes.of.known.Suspects(&so) {
		eyes.ignored[f.Key()] = true
	}
	eyes.of.mu.Unlock()
	for _, f := range findings {
		if !slices.ContainsFunc(eyes.marked, func(known guard.Finding) bool { return known.Key() == f.Key() }) {
			eyes.marked = append(eyes.marked, f)
		}
	}
	return nil, nil
}

// learn takes a success in that nothing is suspected of.
func (x *watch) learn() {
	if x == nil || len(x.marked) > 0 {
		return
	}
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	x.live.Learn(&x.run)
}

// stopped is the end of a run that the guard stopped.
func (x *watch) stopped(findings []guard.Finding) (*sandbox.Error, *run.Suspicion) {
	suspicion := rehearsal.SuspicionOf(findings)
	if x.write != nil {
		suspicion.Write, _ = json.Marshal(map[string]any{"tool": x.write.Tool, "args": x.write.Args})
		if len(suspicion.Write) > writeKept {
			suspicion.Write = nil
		}
	}
	failed := rehearsal.FailureOf(findings)
	x.explain(&failed, findings, nil) // which are about reads
	return &failed, suspicion
}

// writeKept is the largest write that is kept of a run that was stopped at it.
const writeKept = 32 << 10

// explain gives a failure that the script has of an answer the class and the words of that answer, if it is a success that says of
// itself that it is none. Open is one of a write that may have been carried out all the same, and cannot be made again.
func (x *watch) explain(failed *sandbox.Error, stopped []guard.Finding, idempotent func(sandbox.Call) bool) (open bool) {
	if x == nil || failed == nil || failed.Class != sandbox.ClassLogic || failed.Code == failure.CodeDiverged {
		return false
	}
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	said, call, ok := x.of.known.Says(&x.run, stopped)
	if !ok {
		return false
	}
	failed.Message = fmt.Sprintf("%s answered with a success that says %q (%s: %s)", gate.CallName(&call), said.Text, failed.Name, failed.Message)
	failed.Class, failed.Code, failed.Name = said.Class, said.Code, map[string]string{
		sandbox.ClassNetwork: "NetworkError", sandbox.ClassAuth: "AuthError", sandbox.ClassLogic: "LogicError",
	}[said.Class]
	failed.Tool, failed.Status, failed.RetryAfterMS = call.Tool, http.StatusOK, said.RetryAfterMS
	failed.Host = egress.HostPortOf(call.Args)
	if call.Effect != run.EffectWrite {
		return false
	}
	switch made := (sandbox.Call{Tool: call.Tool, Args: call.Args, Effect: sandbox.Write}); {
	case said.Code == hostcall.CodeRetired:
		failed.Code = failure.CodeWriteRetired
	case said.Open && !idempotent(made):
		failed.Code = hostcall.CodeIndeterminate
		return true
	default:
		failed.Code = failure.CodeWriteSaid
	}
	return false
}
