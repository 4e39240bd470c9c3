package projections

import (
	"context"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// HealingUnderWay is the outcome of a healing that has none yet.
const HealingUnderWay = "under_way"

// HealSession is a session of a coding agent, as a list shows it.
type HealSession struct {
	ID         string    `json:"id" col:"id,key"`
	Repository string    `json:"repository" col:"repository"`
	Worktree   string    `json:"worktree" col:"worktree"`
	Host       string    `json:"host" col:"host"`
	Plan       string    `json:"plan,omitempty" col:"plan"`
	Opened     time.Time `json:"opened" col:"opened"`
	OpenedBy   string    `json:"opened_by" col:"opened_by"`
	Healings   int       `json:"healings" col:"healings"` // so far
	// Outcome and Trigger are of the newest healing; the outcome is [HealingUnderWay] while it is.
	Outcome string `json:"outcome,omitempty" col:"outcome"`
	Trigger string `json:"trigger,omitempty" col:"trigger"`
	Subtask string `json:"subtask,omitempty" col:"subtask"`
	// Blocked are the follow-ups of subtasks that do not go on, by subtask.
	Blocked map[string]string `json:"blocked" col:"blocked,json"`
	LastAt  time.Time         `json:"last_at" col:"last_at"`

	Number   int64  `json:"-" col:"number"`
	Revision int64  `json:"-" col:"revision"`  // of its stream
	UnderWay string `json:"-" col:"under_way"` // the worktree, while a healing is under way
}

// Healing is one call of the Healer.
type Healing struct {
	Session  string            `json:"session" col:"session,key"`
	Healing  int               `json:"healing" col:"healing,key"`
	Plan     string            `json:"plan,omitempty" col:"plan"`
	Trigger  session.Trigger   `json:"trigger" col:"trigger"`
	Subtask  string            `json:"subtask,omitempty" col:"subtask"` // or job
	Outcome  string            `json:"outcome" col:"outcome"`           // [HealingUnderWay] while it is
	Reason   string            `json:"reason,omitempty" col:"reason"`
	Continue bool              `json:"continue" col:"goes_on"` // control goes back to the work
	Planner  session.Planner   `json:"planner" col:"planner"`
	Same     bool              `json:"same,omitempty" col:"same"`
	Failure  session.Failure   `json:"failure" col:"failure,json"`
	Head     string            `json:"head" col:"head"`
	Branch   string            `json:"branch,omitempty" col:"branch"`
	At       time.Time         `json:"at" col:"at"`
	Ended    time.Time         `json:"ended,omitzero" col:"ended"`
	Checked  *session.CheckRan `json:"checked,omitempty" col:"checked,json"` // what the server saw last
	Checks   int               `json:"checks" col:"checks"`                  // how often it looked
	Advice   string            `json:"advice,omitempty" col:"advice"`        // of a model; it changes nothing
	Missing  bool              `json:"model_missing,omitempty" col:"missing"`
	Followup string            `json:"followup,omitempty" col:"followup"`

	Number int64 `json:"-" col:"number"`
}

// Cast is a spell that was cast in a healing.
type Cast struct {
	Session  string          `json:"-" col:"session,key"`
	Healing  int             `json:"healing" col:"healing,key"`
	Cast     int             `json:"cast" col:"cast_number,key"`
	Spell    session.Spell   `json:"spell" col:"spell"`
	By       session.Planner `json:"by" col:"cast_by"`
	Note     string          `json:"note,omitempty" col:"note"`
	At       time.Time       `json:"at" col:"at"`
	Ended    time.Time       `json:"ended,omitzero" col:"ended"`
	Applied  bool            `json:"applied" col:"applied"`
	Changed  bool            `json:"changed" col:"changed"`
	Detail   string          `json:"detail,omitempty" col:"detail"`
	Kept     []session.Kept  `json:"kept,omitempty" col:"kept,json"`
	Undo     session.Undo    `json:"undo" col:"undo,json"`
	Followup string          `json:"followup,omitempty" col:"followup"`
	Undone   time.Time       `json:"undone,omitzero" col:"undone"` // because a person wanted it
}

var (
	healSessions = readmodel.NewTable[HealSession]("heal_session",
		readmodel.Index("number"), readmodel.Index("plan", "number"), readmodel.Lookup("under_way", "under_way"))
	healings = readmodel.NewTable[Healing]("healing", readmodel.Index("plan", "number"))
	casts    = readmodel.NewTable[Cast]("healing_spell")
)

func applySession(tx *readmodel.Tx, recorded event.Recorded) error {
	id, its := strings.CutPrefix(recorded.Stream, session.StreamPrefix)
	if !its {
		return nil
	}
	at := recorded.Metadata.RecordedAt
	if e, is := recorded.Event.(session.SessionOpened); is {
		id = strings.Clone(id)
		healSessions.Insert(tx, HealSession{
			ID: id, Repository: e.Repository, Worktree: e.Worktree, Host: e.Host, Plan: e.Plan, Opened: at, OpenedBy: recorded.Metadata.Actor,
			Blocked: map[string]string{}, Number: tx.Next("heal_session"),
		})
	}
	of := healSessions.Edit(tx, id)
	if of == nil {
		return nil
	}
	of.LastAt, of.Revision = at, recorded.Revision
	block := func(subtask, followup string, is bool) {
		blocked := map[string]string{}
		for other, text := range of.Blocked {
			blocked[other] = text
		}
		if delete(blocked, subtask); is {
			blocked[subtask] = followup
		}
		of.Blocked = blocked
	}
	switch e := recorded.Event.(type) {
	case session.HealerInvoked:
		of.Healings, of.Outcome, of.Trigger, of.Subtask, of.UnderWay = e.Healing, HealingUnderWay, string(e.Failure.Trigger), e.Failure.Subtask, of.Worktree
		healings.Insert(tx, Healing{
			Session: of.ID, Healing: e.Healing, Plan: of.Plan, Trigger: e.Failure.Trigger, Subtask: e.Failure.Subtask, Outcome: HealingUnderWay,
			Planner: e.Planner, Same: e.Same, Failure: e.Failure, Head: e.Head, Branch: e.Branch, At: at, Number: tx.Next("healing"),
		})
	case session.SpellStarted:
		casts.Insert(tx, Cast{Session: of.ID, Healing: e.Healing, Cast: e.Cast, Spell: e.Spell, By: e.By, Note: e.Note, At: at})
	case session.SpellApplied:
		if one := casts.Edit(tx, of.ID, e.Healing, e.Cast); one != nil {
			one.Ended, one.Applied, one.Changed, one.Detail, one.Kept, one.Undo, one.Followup = at, e.Applied, e.Changed, e.Detail, e.Kept, e.Undo, e.Followup
		}
		if one := healings.Edit(tx, of.ID, e.Healing); one != nil && e.Followup != "" {
			one.Followup = e.Followup
		}
		if one := healings.Get(tx, of.ID, e.Healing); one != nil && e.Spell == session.MarkBlocked && e.Applied {
			block(one.Subtask, e.Followup, true)
		}
	case session.SpellUndone:
		if one := casts.Edit(tx, of.ID, e.Healing, e.Cast); one != nil {
			one.Undone = at
		}
	case session.HealerAdvised:
		if one := healings.Edit(tx, of.ID, e.Healing); one != nil {
			one.Advice, one.Missing = e.Says, e.Unavailable
		}
	case session.CheckRan:
		if one := healings.Edit(tx, of.ID, e.Healing); one != nil {
			one.Checked = &e
			one.Checks++
		}
	case session.HealerConcluded:
		of.Outcome, of.UnderWay = string(e.Outcome), ""
		if one := healings.Edit(tx, of.ID, e.Healing); one != nil {
			one.Outcome, one.Reason, one.Continue, one.Ended = string(e.Outcome), e.Reason, e.Continue, at
			if e.Outcome == session.Resolved {
				block(one.Subtask, "", false)
			}
		}
	case session.TaskUnblocked:
		block(e.Subtask, "", false)
	}
	return nil
}

// HealSessionFilter chooses sessions; zero fields choose all.
type HealSessionFilter struct {
	Plan string
	// Limit is the most sessions to return, the newest; 0 for no limit.
	Limit int
	// Before leaves out that session and those after it: it is the last one of the page before.
	Before string
}

// HealSessions are the sessions chosen, the newest first.
func (q *Queries) HealSessions(ctx context.Context, filter HealSessionFilter) ([]HealSession, error) {
	var chosen conditions
	chosen.equal("plan", filter.Plan)
	if filter.Before != "" {
		chosen.add("number < (SELECT number FROM heal_session WHERE id = ?)", filter.Before)
	}
	return selected(ctx, q, healSessions, chosen.limit(chosen.where()+" ORDER BY number DESC", filter.Limit), chosen.args...)
}

// HealSession is one session.
func (q *Queries) HealSession(ctx context.Context, id string) (HealSession, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "there is no session %q: see 'kintsugi healer list'", id), healSessions, "WHERE id = ?", id)
}

// UnderWay are the sessions in which a healing has not come to its end in a worktree.
func (q *Queries) UnderWay(ctx context.Context, worktree string) ([]HealSession, error) {
	return selected(ctx, q, healSessions, "WHERE under_way = ? AND under_way <> ''", worktree)
}

// Healings are the healings of a session, the newest first: before one, if it is not 0, and so many, if that is not 0.
func (q *Queries) Healings(ctx context.Context, id string, before, limit int) ([]Healing, error) {
	var chosen conditions
	chosen.add("session = ?", id)
	if before != 0 {
		chosen.add("healing < ?", before)
	}
	return selected(ctx, q, healings, chosen.limit(chosen.where()+" ORDER BY healing DESC", limit), chosen.args...)
}

// Healing is one healing of a session.
func (q *Queries) Healing(ctx context.Context, id string, healing int) (Healing, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "session %s has no healing %d", id, healing), healings, "WHERE session = ? AND healing = ?", id, healing)
}

// HealingsOfPlan are the newest healings of jobs of a plan, the newest first.
func (q *Queries) HealingsOfPlan(ctx context.Context, plan string, limit int) ([]Healing, error) {
	return selected(ctx, q, healings, "WHERE plan = ? ORDER BY number DESC LIMIT ?", plan, limit)
}

// Casts are the spells of a healing, in the order in which they were cast.
func (q *Queries) Casts(ctx context.Context, id string, healing int) ([]Cast, error) {
	return selected(ctx, q, casts, "WHERE session = ? AND healing = ? ORDER BY cast_number", id, healing)
}
