package projections_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/projections"
)

var (
	worker = commands.Meta{Actor: "system:coding"}
	healer = commands.Meta{Actor: "system:healer"}
)

// shop is a plan: after prices comes pages; docs stands for itself.
func shop() plan.Definition {
	return plan.Definition{
		Title: "shop", Repository: "/src/shop", Base: "main", Integration: "agents/shop", Init: "make deps", Verify: []string{"make all"},
		Jobs: []plan.Job{
			{ID: "prices", Task: "Round the prices", Agent: plan.Shell("agent prices"), Touch: []string{"src/prices/**"}, Verify: []string{"make prices"}},
			{ID: "pages", Task: "Show them", Agent: plan.Program{"agent", "pages"}, Touch: []string{"src/**"}, Needs: []string{"prices"}},
			{ID: "docs", Task: "Describe them", Agent: plan.Program{"agent"}, Touch: []string{"docs/**"}, Subtasks: []string{"an outline", "the text"}},
		},
	}
}

// on gives commands to a plan, one after the other.
func (w *world) on(id string, meta commands.Meta, all ...plan.Command) {
	w.t.Helper()
	for _, command := range all {
		w.did(w.commands.OnPlan(w.t.Context(), id, command, meta))
	}
}

// startPlan begins a plan whose job prices was at work and is about to be checked.
func (w *world) startPlan(id string) {
	w.t.Helper()
	w.on(id, ann, plan.Start{ID: id, Definition: shop(), BaseCommit: "c0", IntegrationCommit: "c0", Place: "/place"})
	w.on(id, worker, plan.StartJob{Job: "prices", Base: "c0", Branch: "b/prices", Worktree: "/w/prices"})
	w.steps(id, "prices", step(plan.PhaseInit, 0, "001-init"), step(plan.PhaseAgent, 0, "002-agent"))
}

func step(phase plan.Phase, index int, launch string) plan.StartStep {
	return plan.StartStep{Step: plan.Step{Phase: phase, Index: index}, Launch: launch}
}

// steps runs programs of a job well.
func (w *world) steps(id, job string, all ...plan.StartStep) {
	w.t.Helper()
	for _, one := range all {
		one.Job = job
		w.on(id, worker, one, plan.EndStep{Job: job, Launch: one.Launch, Result: plan.Outcome{OK: true, Says: "exit status 0", Millis: 1500, Bytes: 40, Tail: "done"}})
	}
}

// beside is a change that prices is not to make.
func beside(commit string) plan.CheckJob {
	return plan.CheckJob{Job: "prices", Commit: commit, Since: "c0", Changes: []plan.Change{{Path: "README.md", Kind: "modified"}, {Path: "src/prices/a.go", Kind: "modified"}}}
}

// mergePrices accepts what prices is held for, and merges it.
func (w *world) mergePrices(id string, checkpoint int) {
	w.t.Helper()
	w.on(id, ann, plan.Accept{Job: "prices", Checkpoint: checkpoint, Reason: "the README is right now"})
	w.steps(id, "prices", step(plan.PhaseVerify, 0, "003-verify"))
	w.on(id, worker, plan.StartMerge{Job: "prices", Onto: "c0", Commit: "m1"})
	w.steps(id, "prices", step(plan.PhaseInit, 0, "004-init"), step(plan.PhaseVerify, 0, "005-verify"), step(plan.PhaseVerify, 1, "006-verify"))
	w.on(id, worker, plan.CompleteMerge{Job: "prices", Commit: "m1"})
}

// session opens one and has the Healer block a subtask of it.
func (w *world) healing(id, plan, subtask string, outcome session.Outcome) {
	w.t.Helper()
	ctx := w.t.Context()
	policy := session.DefaultPolicy()
	policy.PerSession = 9
	check := session.Check{Name: "tests", Command: "npm test"}
	on := func(command session.Command) { w.did(w.commands.OnSession(ctx, id, command, healer)) }
	on(session.Open{SessionOpened: session.SessionOpened{ID: id, Repository: "/r", Worktree: "/r", Host: "h", Plan: plan, Policy: policy}})
	state, err := w.commands.LoadSession(ctx, id)
	require.NoError(w.t, err)
	number := len(state.Healings) + 1
	on(session.Invoke{Planner: session.Rules, Head: "c1", Branch: "b", Failure: session.Failure{
		Trigger: session.VerificationFailed, Subtask: subtask, Check: check, Kind: session.KindTest, Says: "exit status 1", Code: 1, Tail: "1 failed", Fingerprint: "f" + subtask,
	}})
	for cast := 1; ; {
		state, err = w.commands.LoadSession(ctx, id)
		require.NoError(w.t, err)
		switch next, _ := state.Next(); next.Step {
		case session.StepCast:
			kept := []session.Kept{{Ref: "refs/kintsugi/heal/" + id + "/1", Commit: "k1"}}
			applied := session.SpellApplied{
				Healing: number, Cast: cast, Spell: next.Spell, Applied: true, Changed: true, Detail: "did it", Kept: kept,
				Undo: session.Undo{Kind: session.UndoFiles, Ref: kept[0].Ref},
			}
			if next.Spell == session.MarkBlocked {
				applied.Followup = "look at the prices"
			}
			on(session.StartSpell{Healing: number, Spell: next.Spell, By: session.Rules, Note: "the rules say so"})
			on(session.ApplySpell{SpellApplied: applied})
			cast++
		case session.StepCheck:
			on(session.ReportCheck{CheckRan: session.CheckRan{Healing: number, Check: check, Passed: outcome == session.Resolved, Says: "looked", Head: "c1", Clean: true}})
		default:
			on(session.Conclude{Healing: number})
			return
		}
	}
}

// playAgents is a history of coding agents: a plan with a checkpoint that is accepted, and one that waits while nothing else can go
// on; one that is cancelled; healings that block and that resolve.
func playAgents(w *world) {
	w.startPlan("p1")
	w.on("p1", worker, beside("c1"))
	w.mergePrices("p1", 1)
	w.on("p1", worker, plan.FailJob{Job: "pages", Status: plan.JobPending, Reason: "its worktree cannot be made"}, plan.FailJob{Job: "docs", Status: plan.JobPending, Reason: "nor this one"})
	w.startPlan("p2")
	w.on("p2", worker, beside("c1"))
	w.on("p2", ann, plan.Relaunch{Job: "prices", Checkpoint: 1, Note: "leave the README"}, plan.Cancel{Reason: "not today"})
	w.healing("s1", "p1", "pages", session.Contained)
	w.healing("s1", "p1", "docs", session.Contained)
	w.healing("s2", "", "", session.Resolved)
}

func (w *world) repoPlan(id string) projections.RepoPlan {
	w.t.Helper()
	w.catchUp()
	one, err := w.queries.RepoPlan(w.t.Context(), id)
	require.NoError(w.t, err)
	return one
}

// Rule: the rows of a plan say what its state says, after each event.
func TestPlansAgreeWithState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agrees := func(id string) {
		state, err := w.commands.LoadPlan(t.Context(), id)
		require.NoError(t, err)
		one := w.repoPlan(id)
		want := string(state.Status)
		if state.Status == plan.StatusRunning && len(state.Held()) > 0 && len(state.Due()) == 0 {
			want = projections.RepoPlanHeld
		}
		require.Equal(t, want, one.Status)
		require.Equal(t, state.Head, one.Commit)
		require.Equal(t, len(state.Held()), one.Held)
		jobs, err := w.queries.RepoJobs(t.Context(), id)
		require.NoError(t, err)
		require.Len(t, jobs, len(state.Jobs))
		states := map[string]int{}
		for _, job := range jobs {
			of := state.Jobs[job.ID]
			require.Equal(t, string(of.Status), job.Status, job.ID)
			require.Equal(t, of.Ready, job.Train, job.ID)
			states[job.Status]++
		}
		require.Equal(t, states, one.States)
	}
	on := func(meta commands.Meta, all ...plan.Command) {
		for _, command := range all {
			w.on("p", meta, command)
			agrees("p")
		}
	}
	w.startPlan("p")
	agrees("p")
	on(worker, beside("c1"))
	on(ann, plan.Retry{Job: "prices", Checkpoint: 1, Note: "put it back"})
	on(worker, plan.FailJob{Job: "docs", Status: plan.JobPending, Reason: "its worktree cannot be made"}, beside("c2"))
	require.Equal(t, projections.RepoPlanHeld, w.repoPlan("p").Status, "pages needs prices, and all others are held")
	on(ann, plan.Retry{Job: "docs"})
	require.Equal(t, "running", w.repoPlan("p").Status)
	on(worker, plan.FailJob{Job: "docs", Status: plan.JobPending, Reason: "again"})
	w.mergePrices("p", 3)
	agrees("p")
	on(worker, plan.StartJob{Job: "pages", Base: "m1", Branch: "b/pages", Worktree: "/w/pages"})
	on(ann, plan.Cancel{Reason: "enough"})
}

// Rule: each checkpoint is kept with what it was about and with its answer, by whom and why.
func TestCheckpointsAreKeptWithTheirAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startPlan("p")
	w.on("p", worker, beside("c1"))
	w.on("p", ann, plan.Retry{Job: "prices", Checkpoint: 1, Note: "put it back"})
	w.on("p", worker, beside("c2"))
	w.mergePrices("p", 2)
	w.on("p", worker, plan.FailJob{Job: "docs", Status: plan.JobPending, Reason: "no worktree"})
	w.on("p", ann, plan.Cancel{Reason: "enough"})
	w.catchUp()
	ctx := t.Context()
	all, err := w.queries.RepoCheckpoints(ctx, projections.RepoCheckpointFilter{Plan: "p"})
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, []string{"cancelled", "accept", "retry"}, []string{all[0].Answer, all[1].Answer, all[2].Answer})
	require.Equal(t, "person:ann", all[1].AnsweredBy)
	require.Equal(t, "the README is right now", all[1].Why)
	require.Equal(t, plan.KindTouchset, all[2].Kind)
	require.Equal(t, "README.md", all[2].Violations[0].Path)
	require.Equal(t, []string{"src/prices/**"}, all[2].Allowed)
	page, err := w.queries.RepoCheckpoints(ctx, projections.RepoCheckpointFilter{Plan: "p", Job: "prices", Before: 2, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, all[2:], page)

	steps, err := w.queries.RepoSteps(ctx, projections.RepoStepFilter{Plan: "p", Job: "prices"})
	require.NoError(t, err)
	lines := make([]string, len(steps))
	for i, one := range steps {
		lines[len(steps)-1-i] = one.Line
		require.True(t, one.OK)
		require.False(t, one.Ended.Before(one.Started))
		require.Equal(t, one.Launch >= "004", one.Merging)
	}
	require.Equal(t, []string{"make deps", "agent prices", "make prices", "make deps", "make all", "make prices"}, lines)
}

// Rule: plans come in pages, and are found by what people call them.
func TestPlansComeInPagesAndByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"0001-aaaa", "0002-abcd", "0003-xbcd"} {
		w.startPlan(id)
	}
	w.on("0002-abcd", ann, plan.Cancel{})
	w.catchUp()
	ids := func(list []projections.RepoPlan, err error) (ids []string) {
		t.Helper()
		require.NoError(t, err)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		return ids
	}
	ctx, q := t.Context(), w.queries
	require.Equal(t, []string{"0003-xbcd", "0002-abcd"}, ids(q.RepoPlans(ctx, projections.RepoPlanFilter{Limit: 2})))
	require.Equal(t, []string{"0001-aaaa"}, ids(q.RepoPlans(ctx, projections.RepoPlanFilter{Limit: 2, Before: "0002-abcd"})))
	require.Equal(t, []string{"0002-abcd"}, ids(q.RepoPlans(ctx, projections.RepoPlanFilter{Status: "cancelled"})))
	require.Equal(t, []string{"0001-aaaa"}, ids(q.RepoPlansNamed(ctx, "0001-aaaa")))
	require.Equal(t, []string{"0002-abcd"}, ids(q.RepoPlansNamed(ctx, "abcd")))
	require.Len(t, ids(q.RepoPlansNamed(ctx, "shop")), 3)
	require.Empty(t, ids(q.RepoPlansNamed(ctx, "bcd")), "an end of three letters may be anything")
	require.Equal(t, []string{"0001-aaaa", "0003-xbcd"}, ids(q.RepoPlansOnto(ctx, "/src/shop", "agents/shop")))
	_, err := q.RepoPlan(ctx, "none")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// Rule: a session says what is blocked in it, and each healing what was done and what the server saw.
func TestHealingsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.healing("s", "", "prices", session.Contained)
	w.healing("s", "", "pages", session.Contained)
	w.catchUp()
	told, err := w.queries.Notifications(t.Context(), projections.NotificationFilter{Type: projections.NotifyHealing, Open: true})
	require.NoError(t, err)
	require.Len(t, told, 2)
	require.Equal(t, []any{"s", "pages", 2}, []any{told[0].Session, told[0].Job, told[0].Healing}, "a page is found by it")
	require.Contains(t, told[0].Text, "look at the prices")
	w.did(w.commands.OnSession(t.Context(), "s", session.Unblock{Subtask: "pages", Reason: "done"}, ann))
	w.did(w.commands.OnSession(t.Context(), "s", session.UndoSpell{SpellUndone: session.SpellUndone{Healing: 2, Cast: 1, Detail: "put back"}}, ann))
	w.catchUp()

	sessions, err := w.queries.HealSessions(t.Context(), projections.HealSessionFilter{})
	require.NoError(t, err)
	require.Len(t, sessions, 1)
	require.Equal(t, map[string]string{"prices": "look at the prices"}, sessions[0].Blocked)
	require.Equal(t, 2, sessions[0].Healings)
	require.Equal(t, string(session.Contained), sessions[0].Outcome)
	of, err := w.queries.Healings(t.Context(), "s", 0, 0)
	require.NoError(t, err)
	require.Len(t, of, 2)
	require.Equal(t, "1 failed", of[0].Failure.Tail)
	require.Equal(t, "looked", of[0].Checked.Says)
	spells, err := w.queries.Casts(t.Context(), "s", 2)
	require.NoError(t, err)
	require.Equal(t, session.MarkBlocked, spells[len(spells)-2].Spell)
	require.Equal(t, session.UndoFiles, spells[0].Undo.Kind)
	require.Equal(t, []bool{true, false}, []bool{!spells[0].Undone.IsZero(), !spells[1].Undone.IsZero()}, "what was undone is not offered again")
}

// agentQuestions are what is asked of plans and sessions.
func agentQuestions(q *projections.Queries) map[string]func(ctx context.Context) (any, error) {
	return map[string]func(ctx context.Context) (any, error){
		"plans": func(ctx context.Context) (any, error) {
			return answer(q.RepoPlans(ctx, projections.RepoPlanFilter{Limit: 20, Before: "p2"}))
		},
		"plans of a status": func(ctx context.Context) (any, error) {
			return answer(q.RepoPlans(ctx, projections.RepoPlanFilter{Limit: 20, Status: "held"}))
		},
		"a plan":              func(ctx context.Context) (any, error) { return lenient(q.RepoPlan(ctx, "p1")) },
		"plans by their name": func(ctx context.Context) (any, error) { return answer(q.RepoPlansNamed(ctx, "shop of mine")) },
		"plans by the title":  func(ctx context.Context) (any, error) { return answer(q.RepoPlansNamed(ctx, "shop")) },
		"plans onto a branch": func(ctx context.Context) (any, error) {
			return answer(q.RepoPlansOnto(ctx, "/src/shop", "agents/shop"))
		},
		"jobs": func(ctx context.Context) (any, error) { return answer(q.RepoJobs(ctx, "p1")) },
		"steps": func(ctx context.Context) (any, error) {
			return answer(q.RepoSteps(ctx, projections.RepoStepFilter{Plan: "p1", Limit: 20, Before: 4}))
		},
		"steps of a job": func(ctx context.Context) (any, error) {
			return answer(q.RepoSteps(ctx, projections.RepoStepFilter{Plan: "p1", Job: "prices", Limit: 20}))
		},
		"a step":          func(ctx context.Context) (any, error) { return lenient(q.RepoStep(ctx, "p1", "prices", "001-init")) },
		"the newest step": func(ctx context.Context) (any, error) { return lenient(q.RepoStep(ctx, "p1", "prices", "")) },
		"checkpoints": func(ctx context.Context) (any, error) {
			return answer(q.RepoCheckpoints(ctx, projections.RepoCheckpointFilter{Plan: "p1", Limit: 20, Before: 9}))
		},
		"checkpoints of a job": func(ctx context.Context) (any, error) {
			return answer(q.RepoCheckpoints(ctx, projections.RepoCheckpointFilter{Plan: "p1", Job: "prices", Limit: 20}))
		},
		"sessions": func(ctx context.Context) (any, error) {
			return answer(q.HealSessions(ctx, projections.HealSessionFilter{Limit: 20, Before: "s2"}))
		},
		"sessions of a plan": func(ctx context.Context) (any, error) {
			return answer(q.HealSessions(ctx, projections.HealSessionFilter{Plan: "p1", Limit: 20}))
		},
		"a session":            func(ctx context.Context) (any, error) { return lenient(q.HealSession(ctx, "s1")) },
		"what is being healed": func(ctx context.Context) (any, error) { return answer(q.UnderWay(ctx, "/r")) },
		"healings":             func(ctx context.Context) (any, error) { return answer(q.Healings(ctx, "s1", 2, 20)) },
		"a healing":            func(ctx context.Context) (any, error) { return lenient(q.Healing(ctx, "s1", 1)) },
		"healings of a plan":   func(ctx context.Context) (any, error) { return answer(q.HealingsOfPlan(ctx, "p1", 20)) },
		"spells of a healing":  func(ctx context.Context) (any, error) { return answer(q.Casts(ctx, "s1", 1)) },
	}
}
