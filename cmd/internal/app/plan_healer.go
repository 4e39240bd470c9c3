package app

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
)

// planHealer has the Healer heal jobs of plans: the session's own reaction does the work.
type planHealer struct {
	healer   *healer.Healer
	commands *commands.Commands
	called   sync.Map // healings by the keys with which they were called in this life
}

var _ coding.Healer = (*planHealer)(nil)

// Heal implements [coding.Healer].
func (p *planHealer) Heal(ctx context.Context, call coding.Call) (*plan.HealingEnded, error) {
	number, called := p.called.Load(call.Key)
	if !called {
		healing, err := p.call(ctx, call)
		if err != nil {
			return nil, err
		}
		number = healing.Healing
		p.called.Store(call.Key, number)
	}
	state, err := p.commands.LoadSession(ctx, call.Session)
	if err != nil {
		return nil, err
	}
	healing := state.Healings[number.(int)-1]
	if healing.Ended == nil {
		return nil, nil
	}
	p.called.Delete(call.Key)
	ended := &plan.HealingEnded{
		Job: call.Job, Session: call.Session, Number: healing.Healing, Outcome: healing.Ended.Outcome, Reason: healing.Ended.Reason, Flaky: healing.Ended.Flaky,
	}
	for _, cast := range healing.Casts {
		if cast.Ended != nil {
			for _, kept := range cast.Ended.Kept {
				ended.Kept = append(ended.Kept, kept.Ref)
			}
		}
	}
	return ended, nil
}

// call calls the Healer; a second time, in another life, it finds the first call.
func (p *planHealer) call(ctx context.Context, call coding.Call) (session.Healing, error) {
	by := commands.Meta{Actor: "system:coding", CommandID: commands.DerivedID(call.Key, "open"), CorrelationID: plan.Subject(call.Plan)}
	opening := healer.Opening{ID: call.Session, Dir: call.Worktree, Plan: call.Plan, Job: call.Job, Policy: call.Policy}
	if _, err := p.healer.Open(ctx, opening, by); err != nil {
		return session.Healing{}, err
	}
	by.CommandID = call.Key
	healing, _, err := p.healer.Invoke(ctx, call.Session, healer.Call{
		Trigger: call.Trigger, Subtask: call.Subtask, Task: call.Task, Check: call.Check, Agent: call.Agent, Model: call.Policy.Model,
		Ended:      &healer.Ended{Says: call.Result.Says, Code: call.Result.Code, Tail: call.Result.Tail},
		Trajectory: call.Trajectory, MayBeUnread: true, // an agent writes it of itself
	}, by)
	return healing, err
}

// Stop implements [coding.Healer].
func (p *planHealer) Stop(ctx context.Context, id, reason string) error {
	return p.healer.Stop(ctx, id, reason)
}

// Unblock implements [coding.Healer].
func (p *planHealer) Unblock(ctx context.Context, id, subtask string) error {
	_, err := p.commands.OnSession(ctx, id, session.Unblock{Subtask: subtask, Reason: "a person answered for the job"}, commands.Meta{Actor: "system:coding"})
	if fault.KindOf(err) == fault.NotFound { // it was never called
		return nil
	}
	return err
}

// planPolicy is what the Healer may do for a plan: what its file says or, if that says nothing, its repository; nil for nothing.
func planPolicy(section json.RawMessage, repository string, at func(path, text string)) *session.Policy {
	var policy session.Policy
	var err error
	where, found := "/healer", true
	if len(section) > 0 {
		policy, err = healer.ParsePolicy("healer", section)
	} else {
		where = "/repository"
		policy, found, err = healer.ReadPolicy(repository)
	}
	if wrong, is := errors.AsType[*session.PolicyError](err); is && where == "/healer" {
		at(where+"/"+wrong.Field, wrong.Text)
		return nil
	}
	if err != nil {
		at(where, err.Error())
		return nil
	}
	if !found {
		return nil
	}
	return &policy
}
