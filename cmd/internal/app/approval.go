package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Approvals shows a person what a link leads to, and takes the answer.
type Approvals struct {
	Commands  *commands.Commands
	Queries   *projections.Queries
	Views     *readmodel.Store
	Decisions *Decisions
	Fixes     *Fixes
	Plans     *Plans
	Runs      *Runs
}

// Approval is all that a person sees who follows a link: what is asked of them, and what became of it.
type Approval struct {
	Link     Link
	Title    string   // of the workflow, or of the plan
	Fix      *FixView // that waits, nil if a question does
	Broke    string   // what the fix is for
	Wrote    []string // what the failed run had written already
	Question string   // in full
	Options  []string // to choose from, if there are any
	Job      *HeldJob // of a plan, if that is what is asked about
	// Due is when it is decided without anybody, and OnDeadline what is done then; zero for never.
	Due        time.Time
	OnDeadline string
	// Open says that it waits for an answer of who has the link. Else Became is what became of it, or whom it was given to, as a
	// sentence.
	Open   bool
	Became string
	// Told is what an answer allowed, or could not.
	Told []string
	// Seen stands for what is decided about: an answer is for what its person saw, and nothing else.
	Seen string
}

// AnswerByLink is what a person says on the page of a link.
type AnswerByLink struct {
	Answer string // accept, accept-N for the n-th alternative, decline; of a question, what is answered; of a job, a [plan.Answer]
	Note   string
	Seen   string // of the [Approval] that they looked at
}

// mostWrites is how many writes of a failed run are shown.
const mostWrites = 20

// Get is what a link leads to now.
func (a *Approvals) Get(ctx context.Context, link Link) (Approval, error) {
	if err := a.Views.CatchUp(ctx); err != nil {
		return Approval{}, err
	}
	shown, err := a.get(ctx, link)
	if fault.KindOf(err) == fault.NotFound {
		return shown, fault.New(fault.NotFound, "what this link is about is not known here: it is of another installation, or of another copy of its log")
	}
	return shown, err
}

func (a *Approvals) get(ctx context.Context, link Link) (Approval, error) {
	switch {
	case link.Question != "":
		return a.question(ctx, link)
	case link.Plan != "":
		return a.job(ctx, link)
	}
	fix, err := a.Fixes.Get(ctx, link.Fix)
	if err != nil {
		return Approval{}, err
	}
	shown := Approval{Link: link, Title: fix.WorkflowTitle, Fix: &fix, Open: fix.State == projections.FixHeld}
	if !shown.Open {
		shown.Became = becameOf(fix.Fix)
		return shown, nil
	}
	waits, err := a.waitingFix(ctx, fix.Fix)
	if err != nil {
		return shown, err
	}
	shown.Due, shown.OnDeadline = waits.Due, waits.OnDeadline
	if shown.Became = elsewhere(link, waits); shown.Became != "" {
		shown.Open = false
		return shown, nil
	}
	failed, err := a.Queries.Run(ctx, fix.Run)
	if err == nil && failed.Failure != nil {
		shown.Broke = failed.Failure.Message
	}
	if shown.Wrote, err = a.wroteBefore(ctx, fix.Run); err != nil {
		return shown, err
	}
	shown.Seen, err = seen(fix.Code, fix.Verification, fix.Alternatives, fix.Reasons)
	return shown, err
}

// seen is the same for what looks the same.
func seen(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), err
}

// wroteBefore are what a run wrote before it failed, as people read it.
func (a *Approvals) wroteBefore(ctx context.Context, id string) (wrote []string, err error) {
	calls, err := a.Runs.Calls(ctx, id)
	if err != nil {
		return nil, err
	}
	more := 0
	for _, one := range calls.Calls {
		if one.Effect != run.EffectWrite || one.State == projections.CallFailed {
			continue
		}
		if len(wrote) == mostWrites {
			more++
			continue
		}
		text := one.Tool
		for _, part := range []string{one.Method, one.Host + one.Path, one.Target} {
			if part != "" {
				text += " " + part
			}
		}
		if one.State == projections.CallInDoubt {
			text += " (nobody knows whether it happened)"
		}
		wrote = append(wrote, text)
	}
	if more > 0 {
		wrote = append(wrote, fmt.Sprintf("and %d more", more))
	}
	return wrote, nil
}

// becameOf says what became of a fix that waited.
func becameOf(fix projections.Fix) string {
	by := " by " + strings.TrimPrefix(fix.DecidedBy, "person:") + on(fix.Decided)
	why := ""
	if fix.Why != "" {
		why = ": " + fix.Why
	}
	switch {
	case fix.Accepted != nil:
		text := "This fix was accepted" + by + why
		if fix.State != projections.FixAccepted {
			text += "; it is " + string(fix.State) + " now"
		}
		return text
	case fix.State == projections.FixDeclined:
		return "This fix was declined" + by + why
	case fix.State == projections.FixCorrected:
		return "The maintainer was sent back to work on this fix" + by + why
	case fix.State == projections.FixStale:
		return "This fix is overtaken, so nothing is to be decided about it" + on(fix.Decided) + why
	}
	return "This fix does not wait for anybody: it is " + string(fix.State)
}

func on(at time.Time) string { return at.UTC().Format(" on 2 January 2006 at 15:04 UTC") }

func (a *Approvals) question(ctx context.Context, link Link) (Approval, error) {
	asked, err := a.Queries.Notification(ctx, link.Question)
	if err != nil {
		return Approval{}, err
	}
	shown := Approval{
		Link: link, Title: asked.WorkflowTitle, Question: strings.TrimSpace(asked.Title + "\n" + asked.Text), Open: asked.Resolved.IsZero(),
	}
	if !shown.Open {
		shown.Became, err = a.becameOfQuestion(ctx, asked)
		return shown, err
	}
	if shown.Became = elsewhere(link, asked); shown.Became != "" {
		shown.Open = false
		return shown, nil
	}
	shown.Options, err = a.options(ctx, asked)
	if err != nil {
		return shown, err
	}
	shown.Seen, err = seen(shown.Question, shown.Options)
	return shown, err
}

// options are the answers to choose from, none if anything may be answered.
func (a *Approvals) options(ctx context.Context, asked projections.Notification) ([]string, error) {
	if asked.Question == "" {
		state, err := a.Commands.LoadRun(ctx, asked.Run)
		if call := state.Awaiting(); err == nil && call != nil && call.Seq == asked.Call {
			return call.Question.Options, nil
		}
		return nil, err
	}
	state, err := a.Commands.LoadWorkflow(ctx, asked.Workflow)
	for _, q := range state.Questions {
		if q.ID == asked.Question {
			return q.Options, err
		}
	}
	return nil, err
}

// becameOfQuestion says who answered, and what.
func (a *Approvals) becameOfQuestion(ctx context.Context, asked projections.Notification) (string, error) {
	stream := workflow.Stream(asked.Workflow)
	if asked.Question == "" {
		stream = run.Stream(asked.Run)
	}
	for one, err := range a.Commands.History(ctx, []string{stream}) {
		if err != nil {
			return "", err
		}
		if answer, is := answerTo(asked, one.Event); is {
			return fmt.Sprintf("This was answered by %s%s: %s", strings.TrimPrefix(one.Metadata.Actor, "person:"), on(one.Metadata.RecordedAt), answer), nil
		}
	}
	return "Nobody waits for an answer any more" + on(asked.Resolved), nil
}

func answerTo(asked projections.Notification, happened event.Event) (string, bool) {
	switch e := happened.(type) {
	case workflow.QuestionAnswered:
		return e.Answer, asked.Question != "" && e.Question == asked.Question
	case run.AnswerGiven:
		return plain.Short(string(e.Answer), 200), asked.Question == "" && e.Seq == asked.Call && !e.TimedOut
	}
	return "", false
}

// Decide carries out what a person says on the page of a link. A link decides once: whatever it is shown again for
// is a conflict, and so is what changed since its person looked.
func (a *Approvals) Decide(ctx context.Context, link Link, said AnswerByLink) (Approval, error) {
	shown, err := a.Get(ctx, link)
	if err != nil {
		return shown, err
	}
	switch {
	case !shown.Open:
		return shown, fault.New(fault.Conflict, "%s. Nothing was done now", shown.Became)
	case said.Seen != shown.Seen:
		return shown, fault.New(fault.Conflict, "It has changed since you looked at it. Nothing was done: look again, then decide")
	}
	told, repeated, err := a.answer(ctx, shown, said)
	after, lookErr := a.Get(context.WithoutCancel(ctx), link)
	switch {
	case lookErr != nil:
		return shown, cmp.Or(err, lookErr)
	case err != nil && !after.Open, repeated: // somebody was faster, or this link itself
		return after, fault.New(fault.Conflict, "%s. Nothing was done now", after.Became)
	}
	after.Told = told
	return after, err
}

// answer gives the one command of a link.
func (a *Approvals) answer(ctx context.Context, shown Approval, said AnswerByLink) (told []string, repeated bool, err error) {
	meta := shown.Link.meta()
	if shown.Job != nil {
		return nil, false, a.answerJob(ctx, shown, said, meta)
	}
	if shown.Fix == nil {
		asked, err := a.Queries.Notification(ctx, shown.Link.Question)
		if err != nil {
			return nil, false, err
		}
		_, err = a.Decisions.Answer(ctx, meta, asked, said.Answer)
		return nil, false, err
	}
	var answered AnsweredFix
	choice, number, numbered := strings.Cut(said.Answer, "-")
	switch {
	case said.Answer == "decline":
		answered, err = a.Fixes.Decline(ctx, shown.Fix.Fix, said.Note, meta)
	case choice == "accept":
		accept := workflow.AcceptFix{Reason: said.Note}
		if numbered {
			if accept.Alternative, err = strconv.Atoi(number); err != nil || accept.Alternative < 1 {
				return nil, false, fault.New(fault.Invalid, "there is no alternative %q", number)
			}
		}
		answered, err = a.Fixes.Accept(ctx, shown.Fix.Fix, accept, meta)
	default:
		return nil, false, fault.New(fault.Invalid, "Choose whether to accept or to decline it")
	}
	return answered.Told, answered.Repeated, err
}
