package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Sessions heals and shows the sessions of coding agents.
type Sessions struct {
	Log       watchedLog
	Commands  *commands.Commands
	Queries   *projections.Queries
	NewHealer func() (*healer.Healer, error)
}

// NewHealer heals sessions of coding agents on this machine.
func (n *Node) NewHealer() (*healer.Healer, error) {
	launcher, err := launch.New()
	if err != nil {
		return nil, err
	}
	dir, err := n.Plans.dataDir()
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	plans, err := n.Plans.coding(launcher)
	if err != nil {
		return nil, err
	}
	return healer.New(healer.Config{
		Equip:    coding.New(plans).Equip,
		Commands: n.Commands, Launcher: launcher, Dir: dir, Host: host, Now: n.Now, Logger: n.Logger, Model: n.Model,
		Allowed: func(ctx context.Context) error { return n.Allowance().Repairs(ctx, "") },
		Place:   n.place(),
	}), nil
}

// sessionKinds are what a loop watches of coding agents' sessions; nothing if this machine can launch no programs.
func (n *Node) sessionKinds() []loop.Kind {
	h, err := n.NewHealer()
	if err != nil {
		n.Logger.Error("sessions of coding agents are not healed", "error", err)
		return nil
	}
	return []loop.Kind{loop.Watch[session.State]{
		Name: "session", Prefix: session.StreamPrefix, Load: n.Commands.SessionSince, Reactions: []loop.Reaction[session.State]{h},
	}}
}

// HealingView is a healing as people look at it.
type HealingView struct {
	Session  string            `json:"session"`
	Healing  int               `json:"healing"`
	Trigger  session.Trigger   `json:"trigger"`
	Subtask  string            `json:"subtask,omitempty"`
	Outcome  string            `json:"outcome"` // under_way while it is
	Reason   string            `json:"reason,omitempty"`
	Continue bool              `json:"continue"` // control goes back to the work
	Planner  session.Planner   `json:"planner"`
	Same     bool              `json:"same,omitempty"`
	Failure  session.Failure   `json:"failure"`
	Spells   []SpellView       `json:"spells"`
	Checked  *session.CheckRan `json:"checked,omitempty"` // what the server saw last
	Advice   string            `json:"advice,omitempty"`  // of a model; it changes nothing
	Followup string            `json:"followup,omitempty"`
	Branch   string            `json:"branch,omitempty"`
	Head     string            `json:"head"`
}

// SpellView is a spell that was cast.
type SpellView struct {
	Spell   session.Spell   `json:"spell"`
	By      session.Planner `json:"by"`
	Note    string          `json:"note,omitempty"`
	Ended   bool            `json:"ended"`
	Applied bool            `json:"applied"`
	Changed bool            `json:"changed"`
	Detail  string          `json:"detail,omitempty"`
	Kept    []session.Kept  `json:"kept"`
	Undo    session.Undo    `json:"undo"`
	Undone  bool            `json:"undone,omitempty"`
}

// UnderWay is the outcome of a healing that has none yet.
const UnderWay = projections.HealingUnderWay

// ShowHealing is a healing of a session as people look at it.
func ShowHealing(s session.State, h session.Healing) HealingView {
	shown := HealingView{
		Session: s.ID, Healing: h.Healing, Trigger: h.Failure.Trigger, Subtask: h.Failure.Subtask, Outcome: UnderWay, Planner: h.Planner, Same: h.Same,
		Failure: h.Failure, Spells: []SpellView{}, Checked: h.Checked, Branch: h.Branch, Head: h.Head,
	}
	if h.Ended != nil {
		shown.Outcome, shown.Reason, shown.Continue = string(h.Ended.Outcome), h.Ended.Reason, h.Ended.Continue
	}
	if h.Advised != nil {
		shown.Advice = h.Advised.Says
	}
	for _, cast := range h.Casts {
		one := SpellView{Undone: cast.Undone, Spell: cast.Spell, By: cast.By, Note: cast.Note, Kept: []session.Kept{}}
		if end := cast.Ended; end != nil {
			one.Ended, one.Applied, one.Changed, one.Detail, one.Undo = true, end.Applied, end.Changed, end.Detail, end.Undo
			one.Kept = append(one.Kept, end.Kept...)
			if end.Followup != "" {
				shown.Followup = end.Followup
			}
		}
		shown.Spells = append(shown.Spells, one)
	}
	return shown
}

// SessionView is a session as people look at it.
type SessionView struct {
	session.SessionOpened
	Opened   time.Time          `json:"opened"`
	Blocked  map[string]string  `json:"blocked"`
	Green    []session.CheckRan `json:"green"`
	Healings []HealingView      `json:"healings"`
}

// Get is a session, with what was done for it.
func (s *Sessions) Get(ctx context.Context, id string) (SessionView, error) {
	var shown SessionView
	var state session.State
	for one, err := range s.Commands.History(ctx, []string{session.Stream(id)}) {
		if err != nil {
			return shown, err
		}
		if shown.Opened.IsZero() {
			shown.Opened = one.Metadata.RecordedAt
		}
		state = session.Evolve(state, one.Event)
	}
	if state.ID == "" {
		return shown, fault.New(fault.NotFound, "there is no session %q: see 'kintsugi healer list'", id)
	}
	shown.SessionOpened, shown.Blocked, shown.Green, shown.Healings = state.SessionOpened, map[string]string{}, []session.CheckRan{}, []HealingView{}
	for subtask, followup := range state.Blocked {
		shown.Blocked[subtask] = followup
	}
	shown.Green = append(shown.Green, state.Green...)
	for _, h := range state.Healings {
		shown.Healings = append(shown.Healings, ShowHealing(state, h))
	}
	return shown, nil
}

// HealSessionView is a session with its newest healings.
type HealSessionView struct {
	projections.HealSession
	Policy session.Policy `json:"policy"`
	// Green are commits on which a check passed in a clean tree, the newest last.
	Green []session.CheckRan `json:"green" nullable:"false"`
	Heals []HealingReport    `json:"heals" nullable:"false"` // the newest first
}

// HealingReport is a healing with its spells.
type HealingReport struct {
	projections.Healing
	Spells []projections.Cast `json:"spells" nullable:"false"`
}

// healsShown is how many healings a session is shown with.
const healsShown = 50

// View is a session as views have it.
func (s *Sessions) View(ctx context.Context, id string) (shown HealSessionView, err error) {
	if shown.HealSession, err = s.Queries.HealSession(ctx, id); err != nil {
		return shown, err
	}
	state, err := s.Commands.LoadSession(ctx, id)
	if err != nil {
		return shown, err
	}
	shown.Policy, shown.Green, shown.Heals = state.Policy, append([]session.CheckRan{}, state.Green...), []HealingReport{}
	all, err := s.Queries.Healings(ctx, id, 0, healsShown)
	if err != nil {
		return shown, err
	}
	for _, one := range all {
		report, err := s.report(ctx, one)
		if err != nil {
			return shown, err
		}
		shown.Heals = append(shown.Heals, report)
	}
	return shown, nil
}

// Report is a healing of a session with its spells.
func (s *Sessions) Report(ctx context.Context, id string, healing int) (HealingReport, error) {
	one, err := s.Queries.Healing(ctx, id, healing)
	if err != nil {
		return HealingReport{}, err
	}
	return s.report(ctx, one)
}

func (s *Sessions) report(ctx context.Context, one projections.Healing) (report HealingReport, err error) {
	report.Healing = one
	report.Spells, err = s.Queries.Casts(ctx, one.Session, one.Healing)
	return report, err
}

// Trajectory is a healing in the format that other tools read.
func (s *Sessions) Trajectory(ctx context.Context, id string, healing int) (atif.Trajectory, error) {
	var recorded []event.Recorded
	for one, err := range s.Commands.History(ctx, []string{session.Stream(id)}) {
		if err != nil {
			return atif.Trajectory{}, err
		}
		recorded = append(recorded, one)
	}
	return healer.Trajectory(id, healing, recorded), nil
}

// Open opens a session in a directory, with the policy that a person gives or, with none, that of the repository.
func (s *Sessions) Open(ctx context.Context, id, dir string, policy *session.Policy, meta commands.Meta) (session.State, error) {
	h, err := s.NewHealer()
	if err != nil {
		return session.State{}, err
	}
	if policy == nil {
		read, _, err := healer.ReadPolicy(dir)
		if err != nil {
			return session.State{}, err
		}
		policy = &read
	}
	return h.Open(ctx, healer.Opening{ID: id, Dir: dir, Policy: *policy}, meta)
}

// Invoke calls the Healer and stays with the healing to its end, here or, if a server is at it already, there. Nil says that nothing fails.
func (s *Sessions) Invoke(ctx context.Context, id string, call healer.Call, meta commands.Meta) (*HealingView, error) {
	h, err := s.NewHealer()
	if err != nil {
		return nil, err
	}
	invoked, failed, err := h.Invoke(ctx, id, call, meta)
	if err != nil || !failed {
		return nil, err
	}
	return s.Heal(ctx, id, invoked.Healing)
}

// Heal goes on with a healing to its end.
func (s *Sessions) Heal(ctx context.Context, id string, healing int) (*HealingView, error) {
	h, err := s.NewHealer()
	if err != nil {
		return nil, err
	}
	hint, release := s.Log.Wake()
	defer release()
	for {
		err := h.Run(ctx, id)
		_, elsewhere := errors.AsType[*loop.Wait](err)
		if err != nil && !elsewhere {
			return nil, err
		}
		state, err := s.Commands.LoadSession(ctx, id)
		if err != nil {
			return nil, err
		}
		if healing < 1 || healing > len(state.Healings) {
			return nil, fault.New(fault.NotFound, "session %s has no healing %d", id, healing)
		}
		if one := state.Healings[healing-1]; one.Ended != nil {
			shown := ShowHealing(state, one)
			return &shown, nil
		}
		if !elsewhere {
			return nil, fmt.Errorf("healing %d of session %s did not come to its end", healing, id)
		}
		look := time.NewTimer(OthersLooked)
		select {
		case <-ctx.Done():
			look.Stop()
			return nil, context.Cause(ctx)
		case <-hint:
		case <-look.C:
		}
		look.Stop()
	}
}
