package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/projections"
)

// RepoPlanView is a plan with what was done for it.
type RepoPlanView struct {
	RepoPlan
	Reason     string         `json:"reason,omitempty"` // why it was cancelled
	EndedAt    time.Time      `json:"ended_at,omitzero"`
	LastAt     time.Time      `json:"last_at"`
	BaseCommit string         `json:"base_commit"`
	States     map[string]int `json:"states"`
	Parallel   int            `json:"parallel"`
	Init       string         `json:"init,omitempty"`
	Verify     []string       `json:"verify,omitempty"` // after each merge
	Work       []RepoJobWork  `json:"work" nullable:"false"`
	// Steps are the newest programs that were launched, Checkpoints the newest times that a job stood still, and Healings those of its jobs:
	// each newest first.
	Steps       []projections.RepoStep       `json:"steps" nullable:"false"`
	Checkpoints []projections.RepoCheckpoint `json:"checkpoints" nullable:"false"`
	Healings    []projections.Healing        `json:"healings" nullable:"false"`
}

// RepoJobWork is what a job consists of, and where it is in the merge train.
type RepoJobWork struct {
	projections.RepoJob
	Agent    string   `json:"agent"`
	Verify   []string `json:"verify,omitempty"`
	Subtasks []string `json:"subtasks,omitempty"`
	Timeout  string   `json:"timeout"`
	Attempts int      `json:"attempts"` // until a failure is held
}

// How much of what was done a plan is shown with.
const (
	stepsShown       = 500
	checkpointsShown = 100
	healingsShown    = 100
)

// View is a plan as views have it.
func (p *Plans) View(ctx context.Context, id string) (shown RepoPlanView, err error) {
	if shown.RepoPlan, err = p.Get(ctx, id); err != nil {
		return shown, err
	}
	state, err := p.Commands.LoadPlan(ctx, id)
	if err != nil {
		return shown, err
	}
	row, err := p.Queries.RepoPlan(ctx, id)
	if err != nil {
		return shown, err
	}
	shown.Reason, shown.EndedAt, shown.LastAt, shown.BaseCommit, shown.States = row.Reason, row.EndedAt, row.LastAt, row.BaseCommit, row.States
	shown.Init, shown.Verify, shown.Parallel = state.Definition.Init, state.Definition.Verify, cmp.Or(state.Definition.Parallel, plan.DefaultParallel)
	jobs, err := p.Queries.RepoJobs(ctx, id)
	if err != nil {
		return shown, err
	}
	shown.Work = make([]RepoJobWork, len(jobs))
	for i, job := range jobs {
		of, _ := state.Definition.Job(job.ID)
		shown.Work[i] = RepoJobWork{
			RepoJob: job, Agent: projections.AgentLine(of.Agent), Verify: of.Verify, Subtasks: of.Subtasks, Timeout: of.Limit().String(), Attempts: max(1, of.Attempts),
		}
	}
	if shown.Steps, err = p.Queries.RepoSteps(ctx, projections.RepoStepFilter{Plan: id, Limit: stepsShown}); err != nil {
		return shown, err
	}
	if shown.Checkpoints, err = p.Queries.RepoCheckpoints(ctx, projections.RepoCheckpointFilter{Plan: id, Limit: checkpointsShown}); err != nil {
		return shown, err
	}
	shown.Healings, err = p.Queries.HealingsOfPlan(ctx, id, healingsShown)
	return shown, err
}

// RepoOutput is a part of what a program wrote.
type RepoOutput struct {
	Launch string `json:"launch"`
	Line   string `json:"line"` // what is run
	Text   string `json:"text"`
	From   int64  `json:"from"` // the place of the text in the whole, in bytes
	To     int64  `json:"to"`
	Size   int64  `json:"size"`  // of the whole, so far
	Ended  bool   `json:"ended"` // nothing comes any more
	Says   string `json:"says,omitempty"`
	// Gone says that the file is not there any more, and that the text is the end of it that the log keeps.
	Gone bool `json:"gone,omitempty"`
}

// RepoOutputAsked is which part is wanted: of the newest launch if none is named, and the end if From is negative.
type RepoOutputAsked struct {
	Launch string
	From   int64
	Most   int64
}

// JobOutput is a part of what a program wrote that was launched for a job.
func (p *Plans) JobOutput(ctx context.Context, id, job string, asked RepoOutputAsked) (out RepoOutput, err error) {
	state, err := p.Commands.LoadPlan(ctx, id)
	if err != nil {
		return out, err
	}
	if _, there := state.Jobs[job]; !there {
		return out, fault.New(fault.NotFound, "plan %s has no job %q", id, job)
	}
	// Launches are known by their rows, so that no name leads anywhere else.
	step, err := p.Queries.RepoStep(ctx, id, job, asked.Launch)
	if err != nil {
		return out, err
	}
	out = RepoOutput{Launch: step.Launch, Line: step.Line, Ended: !step.Ended.IsZero(), Says: step.Says}
	file, err := os.Open(launch.OutputPath(coding.LaunchDir(state, job, step.Launch)))
	if errors.Is(err, fs.ErrNotExist) {
		if !out.Ended {
			return out, nil // it has not begun to write
		}
		return p.keptOutput(ctx, id, job, out)
	}
	if err != nil {
		return out, fmt.Errorf("app: read the output of %s: %w", step.Launch, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return out, fmt.Errorf("app: read the output of %s: %w", step.Launch, err)
	}
	out.Size = info.Size()
	if out.From = min(asked.From, out.Size); asked.From < 0 {
		out.From = max(0, out.Size-asked.Most)
	}
	wrote, err := io.ReadAll(io.NewSectionReader(file, out.From, min(asked.Most, out.Size-out.From)))
	if err != nil {
		return out, fmt.Errorf("app: read the output of %s: %w", step.Launch, err)
	}
	if asked.From < 0 && out.From > 0 { // the end begins with a whole character
		for len(wrote) > 0 && !utf8.RuneStart(wrote[0]) {
			wrote, out.From = wrote[1:], out.From+1
		}
	}
	whole := wholeRunes(wrote)
	if out.Ended && out.From+int64(len(wrote)) == out.Size {
		whole = wrote
	}
	out.To = out.From + int64(len(whole))
	out.Text = text(string(whole))
	return out, nil
}

// wholeRunes leaves out a character at the end that is only begun: the next part has it.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) && i > 0 {
				return b[:i]
			}
			break
		}
	}
	return b
}

// keptOutput is the end of an output that the log has.
func (p *Plans) keptOutput(ctx context.Context, id, job string, out RepoOutput) (RepoOutput, error) {
	out.Gone = true
	for one, err := range p.Commands.History(ctx, []string{plan.Stream(id)}) {
		if err != nil {
			return out, err
		}
		if ended, is := one.Event.(plan.StepEnded); is && ended.Job == job && ended.Launch == out.Launch {
			out.Text, out.Size = text(ended.Result.Tail), ended.Result.Bytes
			out.From, out.To = max(0, out.Size-int64(len(ended.Result.Tail))), out.Size
		}
	}
	return out, nil
}
