package execution

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Reconciler is a Live that can ask what became of a write in doubt.
type Reconciler interface {
	Reconcile(ctx context.Context, call sandbox.Call, key string) (hostcall.Finding, error)
}

// lookupsOf is how a workflow's settings have hosts asked.
func lookupsOf(settings workflow.Settings) []hostcall.LookupRule {
	rules := make([]hostcall.LookupRule, len(settings.Reconcile))
	for i, one := range settings.Reconcile {
		rules[i] = hostcall.LookupRule{Host: one.Host, Address: one.Lookup, Result: one.Result}
	}
	return rules
}

// lookUpAt is when the other side can say what became of a write that just went out, zero if it cannot
// be asked: not before the call would have been given up, and not before a moment when nobody
// else can be at it.
func (h *runHost) lookUpAt(call sandbox.Call, notBefore time.Time) time.Time {
	if !hostcall.Reconcilable(&hostcall.Env{Lookups: lookupsOf(h.attempt.workflow.Settings)}, call) {
		return time.Time{}
	}
	return later(notBefore, h.attempt.config.Now().Add(hostcall.Timeout(call)))
}

// reconcile asks the other side what became of the write that a run stands still at, when it is time to.
// It returns a [loop.Wait] if that is later, or for a person to say.
//
// No lease is needed: asking changes nothing, and of nodes that ask at the same time the first one to
// record what it found is right.
func (e *Executor) reconcile(ctx context.Context, id string, info workflow.RunInfo, state run.State) error {
	doubtful := state.InDoubt()[0]
	switch {
	case doubtful.LookUpAt.IsZero():
		return &loop.Wait{}
	case e.config.Now().Before(doubtful.LookUpAt):
		return &loop.Wait{Until: doubtful.LookUpAt}
	}
	w, err := e.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	finding, err := e.ask(ctx, id, w, doubtful)
	if err != nil {
		return fmt.Errorf("execution.Executor: ask what became of write %d of run %s: %w", doubtful.Seq, info.Run, err)
	}
	err = e.config.Commands.LookUpEffect(ctx, info.Run, run.LookUpEffect{
		Seq: doubtful.Seq, Found: string(finding.Found), Result: finding.Result, Detail: finding.Detail,
	}, commands.Meta{
		CommandID:     commands.DerivedID(info.Run, "look up", strconv.Itoa(doubtful.Seq), strconv.Itoa(doubtful.LookUps+1)),
		CorrelationID: info.Run, CausationID: info.Run, Actor: "system:reconciler",
	})
	if err != nil && fault.KindOf(err) != fault.Conflict && !errors.Is(err, commands.ErrRunLost) {
		return fmt.Errorf("execution.Executor: record what became of write %d of run %s: %w", doubtful.Seq, info.Run, err)
	}
	// Else somebody was faster, and the run's stream says what there is to do now.
	return e.take(ctx, id, info)
}

func (e *Executor) ask(ctx context.Context, id string, w workflow.State, doubtful *run.Call) (hostcall.Finding, error) {
	live := e.config.Outside.Live(&hostcall.Env{
		State: &hostcall.Memory{}, AllowedHosts: w.Settings.AllowedHosts, Secrets: e.config.Secrets.Of(id), Lookups: lookupsOf(w.Settings),
		Closed: egress.Closed(ctx, e.config.Commands, w.Owner), KnownHosts: egress.KnownHosts(ctx, e.config.Recordings, id, w.Active.Major), Logger: e.config.Logger,
	})
	defer live.Close()
	reconciler, can := live.(Reconciler)
	if !can {
		return hostcall.Finding{Found: hostcall.FoundNothing, Detail: "there is no way to ask"}, nil
	}
	return reconciler.Reconcile(ctx, sandbox.Call{Tool: doubtful.Tool, Args: doubtful.Args, Effect: sandbox.Effect(doubtful.Effect)}, doubtful.Key)
}
