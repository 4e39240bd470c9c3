package app

import (
	"context"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Delegate gives what waits for a person to another one, or to a group, and what it stands for with it, as far as the workflows
// are an owner's, if one is named. Meta is of each of the commands.
func (decisions *Decisions) Delegate(ctx context.Context, meta func() commands.Meta, owner string, one projections.Notification, to, note string) (commands.Result, error) {
	switch {
	case one.Workflow == "":
		return commands.Result{}, fault.New(fault.Invalid, "notification %s is of the installation: whoever looks after it decides", one.ID)
	case !one.Resolved.IsZero():
		return commands.Result{}, fault.New(fault.Conflict, "notification %s waits for nobody any more", one.ID)
	case len(one.Actions) == 0:
		return commands.Result{}, fault.New(fault.Invalid, "notification %s asks nobody to do anything: it only tells", one.ID)
	}
	to = strings.TrimSpace(to)
	if address, err := mail.ParseAddress(to); err == nil {
		to = address.Address
	}
	if group, is := workflow.GroupOf(to); is {
		if err := decisions.mayDecide(ctx, group, one.Workflow); err != nil {
			return commands.Result{}, err
		}
	}
	others, err := decisions.Queries.StandsFor(ctx, owner, one.ID)
	if err != nil {
		return commands.Result{}, err
	}
	given, err := decisions.delegate(ctx, meta(), one, to, note)
	if err != nil {
		return given, err
	}
	for _, told := range others {
		also, err := decisions.Queries.Notification(ctx, told.ID)
		if err != nil {
			return given, err
		}
		result, err := decisions.delegate(ctx, meta(), also, to, note)
		switch {
		case fault.KindOf(err) == fault.Conflict: // it was decided meanwhile
		case err != nil:
			return given, err
		default:
			given.Position = result.Position // who sees that, sees all
		}
	}
	return given, nil
}

func (decisions *Decisions) delegate(ctx context.Context, meta commands.Meta, one projections.Notification, to, note string) (commands.Result, error) {
	give := workflow.DelegateDecision{Notification: one.ID, To: to, Note: note}
	switch one.Type {
	case projections.NotifyFixWaiting:
		give.Proposal = one.Proposal
	case projections.NotifyQuestion:
		if give.Question = one.Question; one.Question == "" {
			give.Run, give.Call = one.Run, one.Call
		}
	}
	return decisions.Commands.DelegateDecision(ctx, one.Workflow, give, meta)
}

// mayDecide says why the readers of a subscription cannot be told that they are to decide.
func (decisions *Decisions) mayDecide(ctx context.Context, group, of string) error {
	state, err := decisions.Commands.LoadSubscription(ctx, group)
	d := state.Definition
	switch {
	case err != nil:
		return err
	case !state.Exists:
		return fault.New(fault.NotFound, "there is no group %q: a group is the readers of a subscription to mail or Slack, see 'kintsugi subscription list'", group)
	case !d.ForPeople():
		return fault.New(fault.Invalid, "subscription %q has no readers, it goes to %s: a group is the readers of a subscription to mail or Slack", group, subscription.Scheme(d.Target))
	case len(d.Types) > 0 && !slices.Contains(d.Types, workflow.TypeDecisionDelegated), len(d.Workflows) > 0 && !slices.Contains(d.Workflows, of):
		return fault.New(fault.Invalid, "the readers of subscription %q would not be told: it is of other workflows, or without events of the type %s", group, workflow.TypeDecisionDelegated)
	}
	return nil
}

// elsewhere says to whom went what a link is about, if that is not whom the link was given to; empty if they decide.
func elsewhere(link Link, one projections.Notification) string {
	to := one.DelegatedTo
	group, is := workflow.GroupOf(to)
	if to == "" || strings.EqualFold(to, link.Person) || is && group == link.Via {
		return ""
	}
	if is {
		to = "the readers of " + group
	}
	text := fmt.Sprintf("%s gave this to %s%s: it is for them to decide", strings.TrimPrefix(one.DelegatedBy, "person:"), to, on(one.Delegated))
	if one.DelegationNote != "" {
		text += ". They said: " + one.DelegationNote
	}
	return text
}

// waitingFix is the notification of a fix that waits for a person.
func (a *Approvals) waitingFix(ctx context.Context, fix projections.Fix) (projections.Notification, error) {
	newest, err := a.Queries.Notifications(ctx, projections.NotificationFilter{Workflow: fix.Workflow, Type: projections.NotifyFixWaiting, Limit: 1})
	if err != nil || len(newest) == 0 || newest[0].Proposal != fix.Proposal {
		return projections.Notification{}, err
	}
	return newest[0], nil
}
