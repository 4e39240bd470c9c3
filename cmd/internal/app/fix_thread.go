package app

import (
	"context"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Repair is everything that was done about one failure.
type Repair struct {
	projections.Thread
	WorkflowTitle string `json:"workflow_title"`
	// Attempts are the fixes that were handed in, the oldest first.
	Attempts []projections.Fix `json:"attempts"`
	// Candidates are what was tried before that, each with the gate's verdict.
	Candidates []thread.CandidateJudged `json:"candidates"`
	// Conversation is what was said and done, in order.
	Conversation []projections.ThreadEntry `json:"conversation"`
}

// Repair is what was done about the failure that a person names: by a fix, the failed run, the task or the thread. The conversation is read from the thread's own stream.
func (f *Fixes) Repair(ctx context.Context, reference string) (Repair, error) {
	found, err := f.threadNamed(ctx, reference)
	if err != nil {
		return Repair{}, err
	}
	shown := Repair{Thread: found, Attempts: []projections.Fix{}, Candidates: []thread.CandidateJudged{}}
	titles, err := projections.TitlesOf(ctx, f.Queries, []projections.Thread{found}, func(t projections.Thread) string { return t.Workflow })
	if err != nil {
		return Repair{}, err
	}
	shown.WorkflowTitle = titles[found.Workflow]
	fixes, err := f.Queries.Fixes(ctx, projections.FixFilter{Workflow: found.Workflow})
	if err != nil {
		return Repair{}, err
	}
	for _, one := range slices.Backward(fixes) {
		if one.Task == found.Task {
			shown.Attempts = append(shown.Attempts, one)
		}
	}
	history, err := streamOf(ctx, f.Commands, thread.Stream(found.ID))
	if err != nil {
		return Repair{}, err
	}
	shown.Conversation = projections.ConversationOf(history)
	for _, one := range shown.Conversation {
		if one.Candidate != nil {
			shown.Candidates = append(shown.Candidates, *one.Candidate)
		}
	}
	return shown, nil
}

// threadNamed tries what a reference can be, one after the other.
func (f *Fixes) threadNamed(ctx context.Context, reference string) (projections.Thread, error) {
	for _, ask := range []func(context.Context, string) (projections.Thread, error){f.Queries.Thread, f.Queries.ThreadOf} {
		found, err := ask(ctx, reference)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		seen := false
		if err == nil {
			seen, err = f.Resolve.sees(ctx, found.Workflow)
		}
		if seen || err != nil {
			return found, err
		}
	}
	id, err := f.Resolve.Fix(ctx, reference)
	switch {
	case err == nil:
		fix, err := f.Queries.Fix(ctx, id)
		if err != nil {
			return projections.Thread{}, err
		}
		return f.Queries.ThreadOf(ctx, fix.Task)
	case fault.KindOf(err) != fault.NotFound:
		return projections.Thread{}, err
	}
	run, err := f.Resolve.Run(ctx, reference)
	if fault.KindOf(err) == fault.NotFound {
		return projections.Thread{}, fault.New(fault.NotFound, "there is no fix, failed run or thread %q: see 'kintsugi fix list' or 'kintsugi run list'", reference)
	}
	if err != nil {
		return projections.Thread{}, err
	}
	failed, err := f.Queries.Run(ctx, run)
	if err != nil {
		return projections.Thread{}, err
	}
	threads, err := f.Queries.Threads(ctx, failed.Workflow, projections.KindMaintainer)
	if err != nil {
		return projections.Thread{}, err
	}
	for _, one := range threads {
		if one.Run == run {
			return one, nil
		}
	}
	return projections.Thread{}, fault.New(fault.NotFound, "no repair was begun for run %s: it did not fail, joined another repair, or is nothing to mend", run)
}
