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

// errSuspected stops a run at a write, so that the guard can inspect it. If nothing is found, the run goes on.
var errSuspected = errors.New("the guard looks closer")

// baseline is what the recorded successes of a version teach.
type baseline struct {
	mu    sync.Mutex
	code  string
	known *guard.Expectation
	given *gate.Run // what the run was given that this fix was made for
}

// monitor is the guard at one run. A nil monitor sees nothing.
type monitor struct {
	baseline *baseline
	live     *guard.Live
	state    workflow.State
	run      gate.Run        // what it was given and did, so far
	ignored  map[string]bool // keys that were inspected, in this run
	marked   []guard.Finding // that do not stop it
	write    *sandbox.Call   // that was about to go out
}

// watch begins to monitor a run; nil if nobody wants that. The runs before have taught it what to expect of an active version; without
// them the recorded successes are read.
func (a *attempt) watch(ctx context.Context) (*monitor, error) {
	w := a.workflow
	if w.Settings.Guard == workflow.GuardOff || a.info.Trigger == workflow.TriggerFork || a.info.Trigger == workflow.TriggerImport {
		return nil, nil
	}
	b, found := a.baselines.Get(a.id)
	if !found || b.code != a.script.Code {
		b = &baseline{code: a.script.Code, known: guard.Learn(guard.Version{Code: a.script.Code})}
		if w.SettledRuns() > 0 {
			loaded, err := a.guardOf(ctx)
			if err != nil {
				return nil, err
			}
			b.known = loaded.Known
		}
		a.baselines.Put(a.id, b)
	}
	if a.info.Fix == a.info.Version && !a.info.Fix.IsZero() {
		if err := a.loadBaseline(ctx, b); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	b.known.Trial = slices.Contains(w.Unconfirmed(), a.script.Version)
	b.mu.Unlock()
	m := &monitor{baseline: b, live: b.known.Watch(), state: w, ignored: map[string]bool{}}
	m.run = gate.Run{ID: a.info.Run, Trigger: string(a.info.Origin), Input: a.journal.State().Input}
	return m, nil
}

// guardOf reads the past of the run's version.
func (a *attempt) guardOf(ctx context.Context) (*rehearsal.Guard, error) {
	return rehearsal.GuardOf(ctx, a.config.Commands, a.config.Sandbox, a.config.Recordings, a.workflow, a.script)
}

// loadBaseline adds what the run was given that a fix was made for: the fix was proved on it.
func (a *attempt) loadBaseline(ctx context.Context, b *baseline) error {
	for id := a.info.Continues; id != ""; {
		earlier, err := a.config.Commands.LoadRun(ctx, id)
		if err != nil {
			return fmt.Errorf("the run that %s continues: %w", a.info.Run, err)
		}
		if earlier.Version != a.info.Version.String() {
			given := rehearsal.RecordedRun(earlier)
			given.Outcome = gate.Outcome{}
			given.Calls = slices.DeleteFunc(given.Calls, func(call gate.Call) bool { return call.Effect == run.EffectWrite })
			b.mu.Lock()
			b.given = &given
			b.known.Add(&given)
			b.mu.Unlock()
			return nil
		}
		id = earlier.Continues
	}
	return nil
}

// reset begins again with a run whose script is executed once more.
func (m *monitor) reset() {
	if m != nil {
		m.run.Calls, m.write = nil, nil
		m.live = m.baseline.known.Watch()
	}
}

// suspicious says that the run so far, with the write that is about to go out or its output, has to be inspected.
func (m *monitor) suspicious(run *gate.Run) bool {
	m.live.See(run)
	m.baseline.mu.Lock()
	defer m.baseline.mu.Unlock()
	return slices.ContainsFunc(m.live.Suspects(run), func(f guard.Finding) bool {
		return !m.ignored[f.Key()] && !m.state.Trusts(f.Key())
	})
}

// saw takes in a call that was answered.
func (m *monitor) saw(call sandbox.Call, reply sandbox.Reply) {
	if m != nil {
		m.run.Calls = append(m.run.Calls, gate.CallOf(sandbox.TracedCall{Call: call, Reply: reply}))
	}
}

// mayWrite says whether a write may go out as far as the fast look can tell.
func (m *monitor) mayWrite(call sandbox.Call) bool {
	if m == nil {
		return true
	}
	m.write = &call
	if m.suspicious(m.soFar(nil)) {
		return false
	}
	m.write = nil
	return true
}

// soFar is the run with the write that is about to go out, and with its output if that is not nil.
func (m *monitor) soFar(output json.RawMessage) *gate.Run {
	so := m.run
	if m.write != nil {
		so.Calls = append(slices.Clip(so.Calls), gate.CallOf(sandbox.TracedCall{Call: *m.write}))
	}
	if output != nil {
		so.Outcome = gate.Outcome{Status: "succeeded", Output: output}
	}
	return &so
}

// inspect looks at the run with its past at hand. A finding that does not stop the run is marked, and nothing that was
// suspected by now is inspected again.
func (a *attempt) inspect(ctx context.Context, output json.RawMessage) (stop []guard.Finding, err error) {
	g, err := a.guardOf(ctx)
	if err != nil {
		return nil, err
	}
	m := a.monitor
	if m.baseline.given != nil {
		g.Known.Add(m.baseline.given)
	}
	so := m.soFar(output)
	findings, err := g.Look(ctx, so)
	if err != nil {
		return nil, err
	}
	if g.Stops(findings) {
		return findings, nil
	}
	for _, f := range g.Known.Suspects(so) {
		m.ignored[f.Key()] = true
	}
	m.baseline.mu.Lock()
	for _, f := range m.baseline.known.Suspects(so) {
		m.ignored[f.Key()] = true
	}
	m.baseline.mu.Unlock()
	for _, f := range findings {
		if !slices.ContainsFunc(m.marked, func(known guard.Finding) bool { return known.Key() == f.Key() }) {
			m.marked = append(m.marked, f)
		}
	}
	return nil, nil
}

// learn takes in a success in which nothing is suspected.
func (m *monitor) learn() {
	if len(m.marked) > 0 {
		return
	}
	m.baseline.mu.Lock()
	defer m.baseline.mu.Unlock()
	m.live.Learn(&m.run)
}

// stopped is the end of a run that the guard stopped.
func (m *monitor) stopped(findings []guard.Finding) (*sandbox.Error, *run.Suspicion) {
	suspicion := rehearsal.SuspicionOf(findings)
	if m.write != nil {
		suspicion.Write, _ = json.Marshal(map[string]any{"tool": m.write.Tool, "args": m.write.Args})
		if len(suspicion.Write) > writeKept {
			suspicion.Write = nil
		}
	}
	failed := rehearsal.FailureOf(findings)
	m.explain(&failed, findings, nil) // which are about reads
	return &failed, suspicion
}

// writeKept is the largest write that is kept of a run that was stopped at it.
const writeKept = 32 << 10

// explain gives a failure that the script has of an answer the class and the words of that answer, if it is a success that says of
// itself that it is none. Open is one of a write that may have been carried out all the same, and cannot be made again.
func (m *monitor) explain(failed *sandbox.Error, stopped []guard.Finding, idempotent func(sandbox.Call) bool) (open bool) {
	if m == nil || failed == nil || failed.Class != sandbox.ClassLogic || failed.Code == failure.CodeDiverged {
		return false
	}
	m.baseline.mu.Lock()
	defer m.baseline.mu.Unlock()
	said, call, ok := m.baseline.known.Says(&m.run, stopped)
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
