package replay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// GateVersion names the rules by which this gate judges. It changes whenever the same
// candidate could get another judgement.
const GateVersion = "gate/9"

// Options tune a gate. The zero value is what a server uses.
type Options struct {
	// Budget bounds the replay of recorded successes, for each candidate and for the old
	// code. What was not replayed within it is counted as skipped. Default 30 s.
	Budget time.Duration
	// Parallel is how many replays run at once. Default 2.
	Parallel int
}

func (o *Options) setDefaults() {
	if o.Budget <= 0 {
		o.Budget = 30 * time.Second
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
	skipped  int // not replayed on the old code within the budget
	envelope *Envelope
	digest   string // of the subject

	evidence func() *evidence
	oldSites func() []site // of the old code

	probing   sync.Mutex
	influence []influence // of the recorded successes; nil until they are needed

	carrying sync.Mutex
	worlds   *[]world // nil until they are needed
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
		panic("replay: Open without a runner")
	}
	options.setDefaults()
	g := &Gate{runner: runner, subject: subject, options: options, excluded: subject.Exempted, envelope: NewEnvelope(subject)}
	g.digest = subject.digest()
	g.old, _ = parseScript(subject.Code)
	failing, err := g.execute(ctx, subject.Code, &g.subject.Failed)
	if err != nil {
		return nil, err
	}
	g.failing = reproduction(subject.Code, &g.subject.Failed, failing)
	runs, sample := sampleOf(newTemplates(g.old), subject.Successes)
	g.sample = sample
	outcomes, err := g.replayAll(ctx, subject.Code, runs)
	if err != nil {
		return nil, err
	}
	for i, run := range runs {
		switch {
		case outcomes[i] == nil:
			g.skipped++
		case isUnanswerable(outcomes[i]) || compareSuccess(run, outcomes[i]) != nil:
			g.excluded++
		default:
			g.kept = append(g.kept, known{run: run, outcome: *outcomes[i]})
		}
	}
	g.evidence = sync.OnceValue(g.learn)
	if g.old != nil {
		g.oldSites = sync.OnceValue(func() []site { return sites(g.old) })
	}
	return g, nil
}

// Failing is the failing run on the old code: what a fixer starts from.
func (g *Gate) Failing() Reproduction { return g.failing }

// execute runs code on a run of the subject. All executions of a gate share their workers:
// they are of one workflow.
func (g *Gate) execute(ctx context.Context, code string, run *Run) (replayed, error) {
	outcome, err := execute(ctx, g.runner, g.subject.Failed.ID, code, g.subject.Zone, run)
	if err != nil {
		return outcome, fmt.Errorf("replay: run %s: %w", run.ID, err)
	}
	if g.subject.Guard != nil && run == &g.subject.Failed && (outcome.Error == nil || isUnanswerable(&outcome)) {
		return g.guarded(ctx, code, outcome)
	}
	return outcome, nil
}

// guarded stops the replay of a run where the run was stopped, if the guard would stop it again.
func (g *Gate) guarded(ctx context.Context, code string, outcome replayed) (replayed, error) {
	run := g.subject.Failed
	run.Calls, run.Outcome = nil, Outcome{}
	if outcome.Error == nil {
		run.Outcome = Outcome{Status: "succeeded", Output: outcome.Output}
	}
	for _, call := range outcome.Calls {
		run.Calls = append(run.Calls, CallOf(call))
	}
	reason, err := g.subject.Guard(ctx, code, run)
	if err != nil || reason == nil {
		return outcome, err
	}
	outcome.Error, outcome.Output, outcome.missed = reason.toSandbox(""), nil, nil
	made := len(recordedWrites(&g.subject.Failed))
	for i, call := range outcome.Calls {
		if call.Effect != sandbox.Write {
			continue
		}
		if made--; made < 0 {
			outcome.Calls = outcome.Calls[:i]
			break
		}
	}
	return outcome, nil
}

// replayAll runs code on each run, at most options.Parallel at once, until the budget is
// spent; runs that were not reached have no outcome.
func (g *Gate) replayAll(ctx context.Context, code string, runs []*Run) ([]*replayed, error) {
	limited, cancel := context.WithTimeout(ctx, g.options.Budget)
	defer cancel()
	outcomes := make([]*replayed, len(runs))
	failures := make([]error, len(runs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(g.options.Parallel, len(runs)) {
		workers.Go(func() {
			for i := range next {
				outcome, err := g.execute(limited, code, runs[i])
				if err != nil {
					failures[i] = err
					continue
				}
				outcomes[i] = &outcome
			}
		})
	}
feed:
	for i := range runs {
		select {
		case next <- i:
		case <-limited.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	if limited.Err() != nil {
		return outcomes, nil // the budget is spent: an execution cut short is one not reached
	}
	return outcomes, errors.Join(failures...)
}
