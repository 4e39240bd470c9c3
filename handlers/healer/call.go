package healer

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// Call is what somebody calls the Healer for: with what was seen to fail, or with a check, which is run first.
type Call struct {
	Trigger session.Trigger
	Subtask string
	Task    string
	Check   session.Check
	// Ended is how the check or the agent ended, if the server has seen it already; nil to have the check run now.
	Ended        *Ended
	AgentSession string
	Trajectory   string // a file in ATIF
	MayBeUnread  bool   // a trajectory that cannot be read is said in the failure, and refuses nothing
	Agent        bool   // it was an agent that ended so, and not the check
	Model        bool   // a model chooses the spells, if there is one
}

// Ended is how something ended that the server ran.
type Ended struct {
	Says string
	Code int
	Tail string
}

// Opening is where a session works.
type Opening struct {
	ID     string
	Dir    string // in the worktree
	Plan   string // whose job Job this is; empty for no plan
	Job    string
	Policy session.Policy
}

// Open opens a session, or finds it open.
func (h *Healer) Open(ctx context.Context, o Opening, meta commands.Meta) (session.State, error) {
	if err := session.CheckID(o.ID); err != nil {
		return session.State{}, err
	}
	repo, err := gitrepo.Open(ctx, o.Dir, filepath.Join(h.place(o.ID), "view"))
	if err != nil {
		return session.State{}, fault.New(fault.Invalid, "%w", err)
	}
	tree, err := repo.At(o.Dir)
	if err != nil {
		return session.State{}, fault.New(fault.Invalid, "%w", err)
	}
	if _, _, err := tree.Head(ctx); err != nil {
		return session.State{}, fault.New(fault.Invalid, "%w", err)
	}
	opened := session.SessionOpened{ID: o.ID, Repository: repo.Top, Worktree: tree.Path, Host: h.config.Host, Place: h.config.Dir, Plan: o.Plan, Job: o.Job, Policy: o.Policy}
	if _, err := h.config.Commands.OnSession(ctx, o.ID, session.Open{SessionOpened: opened}, meta); err != nil {
		return session.State{}, err
	}
	return h.config.Commands.LoadSession(ctx, o.ID)
}

// Look runs a check outside of a healing: a check that passes with a clean tree makes its commit green.
func (h *Healer) Look(ctx context.Context, state session.State, check session.Check, meta commands.Meta) (session.CheckRan, error) {
	// Each look has its own place: nobody uses the remains of an interrupted one.
	saw, err := h.observe(ctx, state, session.Healing{}, check, "look-"+meta.CommandID)
	if err != nil {
		return saw, err
	}
	_, err = h.config.Commands.OnSession(ctx, state.ID, session.ReportCheck{CheckRan: saw}, meta)
	return saw, err
}

// Invoke calls the Healer for a failure. The policy decides about the call: a healing begins, or it is skipped with
// the reason. False says that nothing failed.
func (h *Healer) Invoke(ctx context.Context, id string, call Call, by commands.Meta) (session.Healing, bool, error) {
	state, err := h.config.Commands.LoadSession(ctx, id)
	if err != nil {
		return session.Healing{}, false, err
	}
	if state.ID == "" {
		return session.Healing{}, false, fault.New(fault.NotFound, "there is no session %s: see 'kintsugi healer list'", id)
	}
	if call.Ended == nil {
		looking := by
		looking.CommandID = commands.DerivedID(by.CommandID, "look")
		saw, err := h.Look(ctx, state, call.Check, looking)
		if err != nil || saw.Passed {
			return session.Healing{}, false, err
		}
		call.Ended = &Ended{Says: saw.Says, Code: saw.Code, Tail: saw.Tail}
	}
	_, tree, err := h.open(ctx, state)
	if err != nil {
		return session.Healing{}, false, err
	}
	head, branch, err := tree.Head(ctx)
	if err != nil {
		return session.Healing{}, false, err
	}
	invoke := session.Invoke{Failure: failureOf(call), Planner: session.Rules, Head: head, Branch: branch}
	if call.Trajectory != "" {
		switch err := fromTrajectory(call.Trajectory, &invoke.Failure); {
		case err != nil && !call.MayBeUnread:
			return session.Healing{}, false, err
		case err != nil:
			invoke.Failure.Trajectory, invoke.Failure.Unread = "", err.Error()
		}
	}
	if call.Model && h.config.Model != nil {
		invoke.Planner = session.Model
	}
	result, err := h.config.Commands.OnSession(ctx, id, invoke, by)
	if err != nil {
		return session.Healing{}, false, err
	}
	state, err = h.config.Commands.LoadSession(ctx, id)
	if err != nil {
		return session.Healing{}, false, err
	}
	for _, one := range result.Events {
		if invoked, is := one.Event.(session.HealerInvoked); is {
			return state.Healings[invoked.Healing-1], true, nil
		}
	}
	return session.Healing{}, false, fmt.Errorf("healer: session %s: nothing was invoked", id)
}

func failureOf(call Call) session.Failure {
	f := session.Failure{
		Trigger: call.Trigger, Subtask: call.Subtask, Task: call.Task, Check: call.Check, Says: call.Ended.Says, Code: call.Ended.Code, Tail: call.Ended.Tail,
		AgentSession: call.AgentSession, Trajectory: call.Trajectory, Agent: call.Agent,
	}
	f.Kind, f.Files = session.KindOf(f.Tail, f.Code), session.FilesNamed(f.Tail)
	switch {
	case f.Check.Name == session.CleanTree && f.Check.Command == "":
		f.Kind, f.Files = session.KindDirty, nil
	case f.Says == timedOut:
		f.Kind = session.KindTimeout
	}
	f.Fingerprint = session.Fingerprint(f)
	return f
}

// Stop ends the healing of a session that is under way, with the agent or check that is at work for it. If none is
// under way it ends the processes that an earlier life of the server left at work.
func (h *Healer) Stop(ctx context.Context, id, reason string) error {
	state, err := h.config.Commands.LoadSession(ctx, id)
	if err != nil || len(state.Healings) == 0 {
		return err
	}
	last := len(state.Healings)
	if _, err := h.config.Commands.OnSession(ctx, id, session.Stop{Healing: last, Reason: reason}, meta(id, last, "stop")); err != nil {
		return err
	}
	launches, err := filepath.Glob(filepath.Join(h.place(id), fmt.Sprintf("healing-%d-c*", last)))
	if err != nil {
		return err
	}
	for _, dir := range launches {
		if _, err := h.config.Launcher.End(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}
