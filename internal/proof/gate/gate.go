package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// GateVersion names the rules by which this gate judges. It changes whenever the same
// candidate could get another judgement.
const GateVersion = "gate/23"

// Options tune a gate. The zero value is what a server uses.
type Options struct {
	// Limit is how much processor time the replays of one judgement may use. A candidate that needs more is not judged,
	// and gets no certificate. Default 10 minutes.
	Limit time.Duration
	// Parallel is how many replays run at once. Default 2.
	Parallel int
}

func (o *Options) setDefaults() {
	if o.Limit <= 0 {
		o.Limit = 10 * time.Minute
	}
	if o.Parallel <= 0 {
		o.Parallel = 2
	}
}

// Gate judges candidates for one subject. It may be used by several goroutines.
type Gate struct {
	runner  sandbox.Runner
	subject Subject
	options Options

	old      *script.Source // nil if the old code does not parse
	failing  Reproduction
	kept     []known // successes that the old code reproduces, in order of replay
	excluded int
	sample   *Sample
	assumed  *Assumed
	envelope *Envelope
	digest   string // of the subject

	evidence func() *evidence
	oldSites func() []site // of the old code

	carrying sync.Mutex
	worlds   *[]hypothesis // nil until they are needed
}

// known is a recorded success and what the old code does on it.
type known struct {
	run     *Run
	outcome replayed
}

// Open runs the old code over the failing run and the recorded successes, once; the
// results serve every candidate. Its error is the runner's or the context's.
func Open(ctx context.Context, runner sandbox.Runner, subject Subject, options Options) (*Gate, error) {
	if runner == nil {
		panic("gate: Open without a runner")
	}
	options.setDefaults()
	g := &Gate{runner: runner, subject: subject, options: options, excluded: subject.Exempted, envelope: NewEnvelope(subject)}
	g.digest = subject.digest()
	g.old, _ = parseScript(subject.Code)
	g.assumed = Assume(subject.Successes, subject.Code)
	if err := g.runOld(ctx); err != nil {
		return nil, err
	}
	g.evidence = sync.OnceValue(g.learn)
	if g.old != nil {
		g.oldSites = sync.OnceValue(func() []site { return sites(g.old) })
	}
	return g, nil
}

// runOld runs the old code over the failing run and the recorded successes.
func (g *Gate) runOld(ctx context.Context) error {
	subject := &g.subject
	failing, err := g.execute(ctx, subject.Code, &g.subject.Failed)
	if err != nil {
		return err
	}
	g.failing = reproduction(subject.Code, &g.subject.Failed, failing)
	runs, sample := sampleOf(newTemplates(g.old), subject.Successes)
	g.sample = sample
	outcomes, err := g.replayAll(ctx, subject.Code, runs, nil)
	if err != nil {
		return err
	}
	for i, run := range runs {
		switch {
		case isUnanswerable(&outcomes[i]) || outcomes[i].parts != nil:
			g.excluded++
		default:
			g.kept = append(g.kept, known{run: run, outcome: outcomes[i]})
		}
	}
	return nil
}

// Failing is the failing run on the old code, from which a fixer starts.
func (g *Gate) Failing() Reproduction { return g.failing }

// Evidence identifies what candidates are judged on: gates with the same one come to the same judgements.
func (g *Gate) Evidence() string { return g.digest }

// execute runs code on a run of the subject. All executions of a gate share their workers:
// they are of one workflow.
func (g *Gate) execute(ctx context.Context, code string, run *Run) (replayed, error) {
	outcome, err := g.executeAssuming(ctx, code, run, g.assumed)
	if err == nil && run == &g.subject.Failed {
		return g.guarded(ctx, code, outcome)
	}
	return outcome, err
}

// executeAssuming runs code on a run with answers that stand in for those of writes that it never made.
func (g *Gate) executeAssuming(ctx context.Context, code string, run *Run, assumed *Assumed) (replayed, error) {
	outcome, err := executeWith(ctx, g.runner, g.subject.Failed.ID, code, g.subject.Zone, run, unrecordedAnswers{assumed: assumed})
	if err != nil {
		return outcome, fmt.Errorf("gate: run %s: %w", run.ID, err)
	}
	return outcome, nil
}

// guarded stops the replay of the failing run where the run was stopped, if the guard would stop it again: before a write
// that the run did not make, whatever it comes to behind it, or at its end.
func (g *Gate) guarded(ctx context.Context, code string, outcome replayed) (replayed, error) {
	if g.subject.Guard == nil {
		return outcome, nil
	}
	made, stopped := len(recordedWrites(&g.subject.Failed)), len(outcome.Calls)
	for i, call := range outcome.Calls {
		if call.Effect == sandbox.Write {
			if made--; made < 0 {
				stopped = i
				break
			}
		}
	}
	run := g.subject.Failed
	run.Calls, run.Outcome = nil, Outcome{}
	calls := outcome.Calls
	switch {
	case outcome.Error == nil:
		run.Outcome = Outcome{Status: "succeeded", Output: outcome.Output}
	case isUnanswerable(&outcome):
	case stopped < len(calls):
		calls = calls[:stopped+1]
	default:
		return outcome, nil
	}
	for _, call := range calls {
		run.Calls = append(run.Calls, CallOf(call))
	}
	reason, err := g.subject.Guard(ctx, code, run)
	if err != nil || reason == nil {
		return outcome, err
	}
	outcome.Error, outcome.Output, outcome.missed = reason.toSandbox(""), nil, nil
	outcome.Calls = outcome.Calls[:stopped]
	return outcome, nil
}

// mostTogether is how many runs a worker is given at once.
const mostTogether = 64

// replayAll runs code on recorded runs, in options.Parallel workers at once, each of which is given many, and compares
// successes with the record. As each is over, over is told, by several at once, if it is not nil.
func (g *Gate) replayAll(ctx context.Context, code string, runs []*Run, over func(*Run, *sandbox.Outcome)) ([]replayed, error) {
	runner, batches := g.runner.(batcher)
	if !batches {
		runner = one{g.runner}
	}
	share := max(1, min((len(runs)+g.options.Parallel-1)/g.options.Parallel, mostTogether))
	outcomes := make([]replayed, len(runs))
	failures := make([]error, len(runs))
	next := make(chan int, len(runs))
	for from := 0; from < len(runs); from += share {
		next <- from
	}
	close(next)
	work := func() {
		for from := range next {
			if ctx.Err() != nil {
				return
			}
			part := runs[from:min(from+share, len(runs))]
			failures[from] = panics.Guard(func() error {
				made, err := executeAll(ctx, runner, g.subject.Failed.ID, code, g.subject.Zone, part, unrecordedAnswers{assumed: g.assumed}, over)
				for i, run := range part[:len(made)] {
					if run != &g.subject.Failed {
						made[i].parts = compareSuccess(run, &made[i])
					}
				}
				copy(outcomes[from:], made)
				return err
			})
		}
	}
	var others sync.WaitGroup
	for range min(g.options.Parallel, len(next)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("gate: %w", ctx.Err())
	}
	if err := errors.Join(failures...); err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return outcomes, nil
}
