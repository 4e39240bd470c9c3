package gate

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// defaultClock is where time stands in a run that was recorded without a clock.
var defaultClock = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// patience is after how long it is looked at whether the worker of a replay gets any processor time. A script that loops is stopped by
// what it has used: how busy a machine is says nothing about a candidate.
const patience = 5 * time.Minute

// execution is what determines a recorded run, on any code.
func execution(code, zone string, run *Run) sandbox.Execution {
	e := sandbox.Execution{Code: code, Input: run.Input, Seed: run.Seed, Clock: run.Clock, Zone: zone, Overlap: run.Overlap, Limits: sandbox.Limits{Wall: patience}}
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
	missed  *sandbox.Call // the call that had no answer and ended the run
	assumed []Assumption  // answers that stood in, each kind of call once
	parts   *Divergence   // where it parts from the recorded success; see [Gate.replayAll]
}

// execute runs code on a recorded run, answering its calls as SCRIPTS says. Executions
// with the same affinity may share a worker process.
func execute(ctx context.Context, runner sandbox.Runner, affinity, code, zone string, run *Run) (replayed, error) {
	return executeWith(ctx, runner, affinity, code, zone, run, unrecordedAnswers{})
}

// Trace runs code that notes what it reads on a recorded run. A write that was never recorded is answered as assumed.
// A stopped run has no record of its later reads: with stopped set, other writes are answered with null, and a read
// throws.
func Trace(ctx context.Context, runner sandbox.Runner, code, zone string, run *Run, assumed *Assumed, stopped bool) (sandbox.Outcome, error) {
	outcome, err := executeWith(ctx, runner, run.ID, code, zone, run, unrecordedAnswers{assumed: assumed, blank: stopped})
	return outcome.Outcome, err
}

// unrecordedAnswers says how calls are answered that were never recorded.
type unrecordedAnswers struct {
	assumed *Assumed // writes, where it has an answer
	blank   bool     // other writes with null, and reads with an error
}

func executeWith(ctx context.Context, runner sandbox.Runner, affinity, code, zone string, run *Run, other unrecordedAnswers) (replayed, error) {
	outcomes, err := executeAll(ctx, one{runner}, affinity, code, zone, []*Run{run}, other, nil)
	if err != nil {
		return replayed{}, err
	}
	return outcomes[0], nil
}

// batcher makes executions that have code and affinity in common: *[process.Pool], or one after the other.
type batcher interface {
	RunAll(ctx context.Context, list []sandbox.Execution, host func(i int) sandbox.Host, over func(i int, outcome *sandbox.Outcome)) ([]sandbox.Outcome, error)
}

// one is a batcher of any runner.
type one struct{ sandbox.Runner }

func (o one) RunAll(ctx context.Context, list []sandbox.Execution, host func(i int) sandbox.Host, over func(i int, outcome *sandbox.Outcome)) ([]sandbox.Outcome, error) {
	outcomes := make([]sandbox.Outcome, len(list))
	for i := range list {
		err := ctx.Err()
		if err != nil {
			return nil, err
		}
		if outcomes[i], err = o.Run(ctx, list[i], host(i)); err != nil {
			return nil, err
		}
		over(i, &outcomes[i])
	}
	return outcomes, nil
}

// executeAll runs code on recorded runs. As each of them is over, over is told, if it is not nil.
func executeAll(ctx context.Context, runner batcher, affinity, code, zone string, runs []*Run, other unrecordedAnswers, over func(*Run, *sandbox.Outcome)) ([]replayed, error) {
	outcomes, err := executeOn(ctx, runner, affinity, code, zone, runs, other, false, over)
	if err != nil {
		return nil, err
	}
	var stateful []int
	var again []*Run
	for i := range outcomes {
		if e := outcomes[i].Error; e != nil && e.Code == errNeedsState.Reason.Code {
			stateful, again = append(stateful, i), append(again, runs[i])
		}
	}
	if len(again) == 0 {
		return outcomes, nil
	}
	made, err := executeOn(ctx, runner, affinity, code, zone, again, other, true, over)
	if err != nil {
		return nil, err
	}
	for i, at := range stateful {
		outcomes[at] = made[i]
	}
	return outcomes, nil
}

// executeOn runs code on recorded runs whose answers the sandbox finds, or those who answer here if local state counts.
func executeOn(ctx context.Context, runner batcher, affinity, code, zone string, runs []*Run, other unrecordedAnswers, stateful bool, over func(*Run, *sandbox.Outcome)) ([]replayed, error) {
	list := make([]sandbox.Execution, len(runs))
	hosts := make([]answers, len(runs))
	for i, run := range runs {
		list[i] = execution(code, zone, run)
		list[i].Affinity = affinity
		if !stateful {
			list[i].Journal = entries(run.Calls)
		}
	}
	made, err := runner.RunAll(ctx, list, func(i int) sandbox.Host {
		hosts[i] = answers{run: runs[i], nowMS: list[i].Clock.UnixMilli(), unrecordedAnswers: other}
		if stateful {
			hosts[i].journal = newJournal(runs[i].Calls)
		}
		return &hosts[i]
	}, func(i int, outcome *sandbox.Outcome) {
		used(ctx, outcome.Processor)
		if over != nil {
			over(runs[i], outcome)
		}
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]replayed, len(runs))
	for i := range made {
		outcomes[i] = replayed{Outcome: made[i], missed: hosts[i].missed, assumed: hosts[i].told}
	}
	return outcomes, nil
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
