package replay

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// defaultClock is where time stands in a run that was recorded without a clock.
var defaultClock = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// execution is what determines a recorded run, on any code.
func execution(code, zone string, run *Run) sandbox.Execution {
	e := sandbox.Execution{Code: code, Input: run.Input, Seed: run.Seed, Clock: run.Clock, Zone: zone}
	if e.Seed == "" {
		e.Seed = run.ID
	}
	if e.Clock.IsZero() {
		e.Clock = defaultClock
	}
	return e
}

// replayed is what an execution on recorded answers came to.
type replayed struct {
	sandbox.Outcome
	missed *sandbox.Call // the call that had no answer and ended the run
}

// execute runs code on a recorded run, answering its calls as SCRIPTS says. Executions
// with the same affinity may share a worker process.
func execute(ctx context.Context, runner sandbox.Runner, affinity, code, zone string, run *Run) (replayed, error) {
	return executeWith(ctx, runner, affinity, code, zone, run, false)
}

// Trace runs code that notes what it reads on a recorded run. A write that was never recorded is answered with null: who
// notes what an answer is would look into one that nobody knows. A read that was never recorded throws, so that what was
// read before it is told.
func Trace(ctx context.Context, runner sandbox.Runner, code, zone string, run *Run) (sandbox.Outcome, error) {
	outcome, err := executeWith(ctx, runner, run.ID, code, zone, run, true)
	return outcome.Outcome, err
}

func executeWith(ctx context.Context, runner sandbox.Runner, affinity, code, zone string, run *Run, blank bool) (replayed, error) {
	e := execution(code, zone, run)
	e.Affinity = affinity
	e.Journal = entries(run.Calls)
	host := newAnswers(run, e.Clock)
	host.blank = blank
	outcome, err := runner.Run(ctx, e, host)
	if err == nil && outcome.Error != nil && outcome.Error.Code == errNeedsState.Reason.Code {
		e.Journal = nil
		host = withJournal(run, e.Clock)
		host.blank = blank
		outcome, err = runner.Run(ctx, e, host)
	}
	return replayed{Outcome: outcome, missed: host.missed}, err
}

// isUnanswerable says that the run needed an answer that was never recorded.
func isUnanswerable(outcome *replayed) bool {
	return outcome.Error != nil && outcome.Error.Code == sandbox.CodeUnanswerable
}

// writesOf is the ordered list of writes that a replay made.
func writesOf(outcome *replayed) []Write {
	var writes []Write
	for _, call := range outcome.Calls {
		if call.Effect == sandbox.Write {
			writes = append(writes, Write{Tool: call.Tool, Args: call.Args})
		}
	}
	return writes
}

// recordedWrites is the ordered list of writes that were recorded.
func recordedWrites(run *Run) []Write {
	var writes []Write
	for _, call := range run.Calls {
		if call.Effect == string(sandbox.Write) {
			writes = append(writes, Write{Tool: call.Tool, Args: call.Args})
		}
	}
	return writes
}
