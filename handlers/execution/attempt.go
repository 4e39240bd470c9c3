package execution

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// attempt is one admitted run on its way through the stages: prepare, execute, judge, settle. Each stage takes what
// those before it found, and fills in its part.
type attempt struct {
	*Executor
	id   string           // of the workflow
	info workflow.RunInfo // its admission
	run  run.State        // as the last stage left it

	interrupt *interrupt // stops it when it is cancelled

	// prepare
	workflow  workflow.State
	script    workflow.Script
	journal   *commands.RunJournal // nil if nothing of the run is to be executed; with its end, which may not be appended yet
	inherited []rehearsal.Entry    // calls of earlier runs that this one goes on with
	monitor   *monitor             // nil if the guard is off

	// execute; again for each time that the script begins
	tries   int      // that were made before
	restart *restart // nil unless other runs have changed what the script had read
	local   *hostcall.Memory
	host    *runHost
	began   time.Time
	outcome sandbox.Outcome

	// judge
	suspicion *run.Suspicion
	remember  bool // local is the workflow's keys and files once the run is settled
}

// standStill leaves a run that waits for a person, or for the other side of a write in doubt.
func (a *attempt) standStill(ctx context.Context) error {
	if asked := a.run.Awaiting(); asked != nil {
		return &loop.Wait{Until: asked.Question.Until}
	}
	if len(a.run.InDoubt()) > 0 {
		return a.reconcile(ctx, a.id, a.info, a.run)
	}
	return &loop.Wait{} // for what a person says
}

// meta says that the executor acts for the run.
func (a *attempt) meta(step string) commands.Meta { return a.Executor.meta(a.info.Run, step) }
