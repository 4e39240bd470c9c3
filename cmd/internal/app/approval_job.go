package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// HeldJob is a job of a plan that is held, as the page of a link shows it.
type HeldJob struct {
	ID      string
	Task    string
	Held    plan.JobHeld
	Answers []plan.Answer
	// Patch is what it changed that it was not to, or all that it changed; empty where the repository is not on this machine.
	Patch string
	Cut   bool // there is more of it
}

// mostPatch is how much of a patch the page of a link shows, in bytes.
const mostPatch = 100 << 10

func (a *Approvals) job(ctx context.Context, link Link) (Approval, error) {
	state, err := a.Commands.LoadPlan(ctx, link.Plan)
	if err != nil {
		return Approval{}, err
	}
	job, there := state.Jobs[link.Job]
	if !there {
		return Approval{}, fault.New(fault.NotFound, "there is no job %q of a plan %q", link.Job, link.Plan)
	}
	of, _ := state.Definition.Job(link.Job)
	shown := Approval{Link: link, Title: state.Definition.Title + ", job " + link.Job, Job: &HeldJob{ID: link.Job, Task: of.Task, Held: job.Held, Answers: job.Held.Answers()}}
	shown.Open = state.Status == plan.StatusRunning && job.Status == plan.JobHeldBack && job.Held.Checkpoint == link.Checkpoint
	if !shown.Open {
		shown.Became, err = a.becameOfJob(ctx, link)
		return shown, err
	}
	diff, err := a.Plans.JobDiff(ctx, link.Plan, link.Job, job.Held.Kind == plan.KindTouchset)
	if err == nil { // else its files are elsewhere, and what is told of them has to do
		shown.Job.Patch, shown.Job.Cut = diff.Patch, diff.Cut
		if len(diff.Patch) > mostPatch {
			shown.Job.Patch, shown.Job.Cut = strings.ToValidUTF8(diff.Patch[:mostPatch], ""), true
		}
	}
	shown.Seen, err = seen(job.Held)
	return shown, err
}

// becameOfJob says who answered a checkpoint, and what.
func (a *Approvals) becameOfJob(ctx context.Context, link Link) (string, error) {
	for one, err := range a.Commands.History(ctx, []string{plan.Stream(link.Plan)}) {
		if err != nil {
			return "", err
		}
		if did := answeredAs(one.Event, link); did != "" {
			return fmt.Sprintf("%s by %s%s", did, strings.TrimPrefix(one.Metadata.Actor, "person:"), on(one.Metadata.RecordedAt)), nil
		}
	}
	return "Job " + link.Job + " does not wait for an answer", nil
}

// answeredAs is what an event says became of a checkpoint, as the beginning of a sentence; empty if nothing.
func answeredAs(happened event.Event, link Link) string {
	job, checkpoint, did := "", 0, ""
	switch e := happened.(type) {
	case plan.JobAccepted:
		job, checkpoint, did = e.Job, e.Checkpoint, "It was let pass"
	case plan.JobRelaunched:
		job, checkpoint, did = e.Job, e.Checkpoint, "The agent was launched again"
	case plan.JobRetried:
		job, checkpoint, did = e.Job, e.Checkpoint, "It was checked again, as repaired"
	case plan.PlanCancelled:
		return "The plan was cancelled"
	}
	if job != link.Job || checkpoint != link.Checkpoint {
		return ""
	}
	return did
}

func (a *Approvals) answerJob(ctx context.Context, shown Approval, said AnswerByLink, meta commands.Meta) error {
	command, known := plan.Answer(said.Answer).Of(shown.Job.ID, shown.Link.Checkpoint, said.Note)
	if !known {
		return fault.New(fault.Invalid, "Choose one of the answers that are offered")
	}
	_, err := a.Commands.OnPlan(ctx, shown.Link.Plan, command, meta)
	return err
}
