package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Decisions gathers what a person decides about a notification, and carries out the answer.
type Decisions struct {
	Commands       *commands.Commands
	Queries        *projections.Queries
	Views          *readmodel.Store
	HandlerQueries *HandlerQueries
}

// Chosen is the option that a person names by its number, as they are shown; else what they wrote.
func Chosen(options []string, text string) string {
	if i, err := strconv.Atoi(text); err == nil && i >= 1 && i <= len(options) && !slices.Contains(options, text) {
		return options[i-1]
	}
	return text
}

// Decision is what a person needs who is asked to do something: what happened, and what can be done,
// with the commands as they are typed.
type Decision struct {
	Said    string         `json:"said,omitempty"` // by the host that refused, where nothing else shows it
	Run     string         `json:"run,omitempty"`
	Repair  string         `json:"repair,omitempty"` // the task of one that handed nothing in, or nothing that helped: 'fix thread' shows it
	Changed []gate.Changed `json:"changed,omitempty"`
	Actions []Action       `json:"actions,omitempty"`
	// Secret and Host are of the call that was refused: which key to set anew, and where it is sent; or which host to allow.
	Secret string `json:"secret,omitempty"`
	Host   string `json:"host,omitempty"`
}

// Action is an action and the command that takes it.
type Action struct {
	Action  string `json:"action"`
	Command string `json:"command"`
}

// Gather makes the decision that a notification asks for.
func (decisions *Decisions) Gather(ctx context.Context, one projections.Notification) (d Decision, err error) {
	if one.Type == projections.NotifyEscalated || one.Type == projections.NotifyMaintenanceFailed {
		d.Repair = one.Task
		if d.Run = one.Run; d.Run != "" && !strings.Contains(one.Text, "What changed:") {
			if d.Changed, err = decisions.WhatChanged(ctx, one.Workflow, one.Run); err != nil {
				return d, err
			}
		}
	}
	for _, action := range one.Actions {
		command, known := actionCommand(action, one)
		if !known {
			continue
		}
		switch action {
		case workflow.ActionRollback:
			if command, err = decisions.rollbackCommand(ctx, one.Workflow, command); err != nil {
				return d, err
			}
		case projections.ActionSetSecret:
			refused, err := decisions.refused(ctx, one.Run)
			if err != nil {
				return d, err
			}
			if len(refused.secrets) > 0 {
				d.Secret = refused.secrets[0]
			}
			d.Host = refused.host
			command = strings.NewReplacer("NAME", cmp.Or(d.Secret, "NAME"), "HOST", cmp.Or(d.Host, "HOST")).Replace(command)
		case projections.ActionAllowHost:
			refused, err := decisions.refused(ctx, one.Run)
			if err != nil {
				return d, err
			}
			d.Host = refused.address
			command = strings.Replace(command, "HOST", cmp.Or(d.Host, "HOST"), 1)
		case workflow.ActionActivate:
			action = "retry"
		}
		d.Actions = append(d.Actions, Action{strings.ReplaceAll(action, "_", " "), command})
	}
	return d, nil
}

// open is what a person is asked to do about a workflow that waits for them.
func (decisions *Decisions) open(ctx context.Context, id string) (Decision, error) {
	if err := decisions.Views.CatchUp(ctx); err != nil {
		return Decision{}, err
	}
	open, err := decisions.Queries.Notifications(ctx, projections.NotificationFilter{Workflow: id, Open: true})
	if err != nil {
		return Decision{}, err
	}
	for _, one := range open {
		switch one.Type {
		case projections.NotifyEscalated, projections.NotifyMaintenanceFailed, projections.NotifyError:
			d, err := decisions.Gather(ctx, one)
			_, d.Said, _ = strings.Cut(one.Text, projections.HostSays)
			return d, err
		}
	}
	return Decision{}, nil
}

// access is what a person can do about a run that failed of access and concerns only itself.
func (decisions *Decisions) access(ctx context.Context, failed projections.Run) (d Decision, err error) {
	if failed.Failure == nil || failed.Failure.Class != failure.Auth && failed.Failure.Class != failure.Permission {
		return d, nil
	}
	actions := slices.DeleteFunc(projections.AccessActions(*failed.Failure), func(one string) bool { return one == workflow.ActionActivate })
	d, err = decisions.Gather(ctx, projections.Notification{Type: projections.NotifyError, Workflow: failed.Workflow, Run: failed.ID, Actions: actions})
	d.Actions = append(d.Actions, Action{"retry", "run retry " + failed.ID})
	return d, err
}

// refused is what a run lacked that may not be kept here.
func (decisions *Decisions) refused(ctx context.Context, id string) (refusal, error) {
	failed, err := decisions.Commands.LoadRun(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		err = nil
	}
	return refusalOf(failed), err
}

// WhatChanged is empty for a run that is not kept here.
func (decisions *Decisions) WhatChanged(ctx context.Context, id, failed string) ([]gate.Changed, error) {
	changed, err := maintenance.WhatChanged(ctx, decisions.Commands, decisions.HandlerQueries, id, failed)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	return changed, err
}

// rollbackCommand names the version before the active one.
func (decisions *Decisions) rollbackCommand(ctx context.Context, id, command string) (string, error) {
	state, err := decisions.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return "", err
	}
	for _, one := range slices.Backward(state.Versions) {
		if one.Version.Compare(state.Active) < 0 {
			return strings.Replace(command, "VERSION", one.Version.String(), 1), nil
		}
	}
	return command, nil
}

// actionCommand is how an action is taken on the command line.
func actionCommand(action string, one projections.Notification) (string, bool) {
	if one.Type == projections.NotifyHeldJob {
		return plan.Answer(action).Command(one.Plan, one.Job, one.Checkpoint), true
	}
	switch action {
	case projections.ActionUnblock:
		command := "healer unblock " + one.Session
		if one.Job != "" {
			command += " --subtask " + plain.Quoted(one.Job)
		}
		return command + ` --reason "what was done"`, true
	case workflow.ActionReplan:
		return "plan " + one.Workflow + " --replan", true
	case workflow.ActionRollback:
		return "script rollback " + one.Workflow + " VERSION", true
	case workflow.ActionEdit:
		return fmt.Sprintf("script show %s > script.js, then: kintsugi script save %s --file script.js", one.Workflow, one.Workflow), true
	case projections.ActionSetSecret:
		return "secret set NAME --workflow " + one.Workflow + " --host HOST", true
	case projections.ActionAllowHost:
		return "workflow settings " + one.Workflow + " --allow-host HOST", true
	case workflow.ActionActivate:
		return "workflow activate " + one.Workflow, true
	case projections.ActionRetryInputs:
		return "workflow retry " + one.Workflow, true
	case projections.ActionAccept:
		return "fix accept " + one.Proposal, true
	case projections.ActionCorrect:
		return "fix correct " + one.Proposal + ` --note "what to do instead"`, true
	case projections.ActionRecheck:
		return "fix recheck " + one.Proposal, true
	case projections.ActionDecline:
		return "fix decline " + one.Proposal, true
	case projections.ActionResumeRepairs:
		return "autofix on --all", true
	case projections.ActionRaiseCap:
		return "autofix cap --per-day USD --per-month USD", true
	case projections.ActionTopUp:
		return "usage top-up " + plain.Quoted(one.Owner) + " AMOUNT --reference TEXT, or: kintsugi usage pay " + plain.Quoted(one.Owner) + " AMOUNT", true
	case projections.ActionRaiseLimit:
		return "usage limit " + plain.Quoted(one.Owner) + " --per-month USD", true
	case projections.ActionKeepDraft:
		return "workflow drafts " + one.Workflow + " --keep", true
	case projections.ActionArchiveDraft:
		return "workflow archive " + one.Workflow, true
	case projections.ActionContinue, projections.ActionRestart, projections.ActionLeave:
		return "run " + action + " " + one.Run, true
	case projections.ActionTrust:
		return "run trust " + one.Run, true
	case projections.ActionExempt:
		return "run exempt " + one.Run + ` --reason "what was wrong"`, true
	case projections.ActionAnswer:
		return "notification answer " + one.ID + " ANSWER", true
	case projections.ActionHappened, projections.ActionDidNot, projections.ActionSkip:
		return fmt.Sprintf("effect resolve %s %d --%s", one.Run, one.Call, strings.ReplaceAll(action, "_", "-")), true
	}
	return "", false
}

// Acknowledge is on the stream that the notification is about. The notices that it stands for are seen with it, as far as the
// workflows are an owner's, if one is named. Meta is of each of the commands.
func (decisions *Decisions) Acknowledge(ctx context.Context, meta func() commands.Meta, owner string, one projections.Notification) (commands.Result, error) {
	others, err := decisions.Queries.StandsFor(ctx, owner, one.ID)
	if err != nil {
		return commands.Result{}, err
	}
	if one.Workflow == "" {
		return decisions.Commands.AcknowledgeNotice(ctx, installation.AcknowledgeNotice{Notification: one.ID}, meta())
	}
	seen, err := decisions.Commands.AcknowledgeNotification(ctx, one.Workflow, workflow.AcknowledgeNotification{Notification: one.ID}, meta())
	for _, also := range others {
		if err != nil {
			break
		}
		var result commands.Result
		result, err = decisions.Commands.AcknowledgeNotification(ctx, also.Workflow, workflow.AcknowledgeNotification{Notification: also.ID}, meta())
		seen.Position = result.Position // who sees that, sees all
	}
	return seen, err
}

// Answer gives an answer to whoever asked, and says what goes on with it.
func (decisions *Decisions) Answer(ctx context.Context, meta commands.Meta, asked projections.Notification, text string) (next string, err error) {
	if asked.Question == "" {
		next = fmt.Sprintf("Run %s goes on with 'kintsugi dev' or 'kintsugi workflow run'.", asked.Run)
		state, err := decisions.Commands.LoadRun(ctx, asked.Run)
		if err != nil {
			return "", err
		}
		if call := state.Awaiting(); call != nil && call.Seq == asked.Call {
			text = Chosen(call.Question.Options, text)
		}
		return next, decisions.Commands.GiveAnswer(ctx, asked.Run, run.GiveAnswer{Seq: asked.Call, Answer: text}, meta)
	}
	state, err := decisions.Commands.LoadWorkflow(ctx, asked.Workflow)
	if err != nil {
		return "", err
	}
	next = "The repair goes on with it: at once if a server with a model runs, else with 'kintsugi dev'."
	if state.Planner != nil && state.Planner.Task == asked.Task {
		next = "The planner goes on with it: at once if a server with a model runs, else with: kintsugi plan " + asked.Workflow
	}
	for _, q := range state.Questions {
		if q.ID == asked.Question {
			text = Chosen(q.Options, text)
		}
	}
	_, err = decisions.Commands.AnswerQuestion(ctx, asked.Workflow, workflow.AnswerQuestion{Question: asked.Question, Answer: text}, meta)
	return next, err
}

// Notification is what a question is answered decisions.
func (decisions *Decisions) Notification(ctx context.Context, id, question string) (string, error) {
	if err := decisions.Views.CatchUp(ctx); err != nil {
		return "", err
	}
	open, err := decisions.Queries.Notifications(ctx, projections.NotificationFilter{Workflow: id, Type: projections.NotifyQuestion, Open: true})
	for _, one := range open {
		if one.Question == question {
			return one.ID, nil
		}
	}
	return "", err
}
