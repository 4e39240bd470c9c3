package handlers_test

import (
	"context"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

func (s *sim) meta() commands.Meta { return commands.Meta{Actor: "person:ann"} }

func (s *sim) create() error {
	ctx, roll := context.Background(), s.roll("create")
	if _, err := s.people.CreateWorkflow(ctx, workflow.Create{ID: s.id, Title: "Orders", Owner: "ann", Intent: "File orders"}, s.meta()); err != nil {
		return err
	}
	if _, err := s.people.ChangeSettings(ctx, s.id, workflow.ChangeSettings{Settings: workflow.Settings{
		Budget: 1 + roll.n(3), IdempotentHosts: []string{safeHost},
		AutoFix: []workflow.Mode{workflow.ModeAuto, workflow.ModeAuto, workflow.ModeAuto, workflow.ModePropose, workflow.ModeProven}[roll.next().n(5)],
	}}, s.meta()); err != nil {
		return err
	}
	if err := s.save(ctx); err != nil {
		return err
	}
	if err := s.schedule(ctx, roll.next().next()); err != nil {
		return err
	}
	_, err := s.people.ActivateWorkflow(ctx, s.id, workflow.Activate{}, s.meta())
	return err
}

func (s *sim) save(ctx context.Context) error {
	_, err := s.people.SaveScript(ctx, s.id, workflow.SaveScript{
		ScriptID: commands.DerivedID("script", fmt.Sprint(time.Now().UnixNano())), Code: s.web.code(), Comment: "as the answers are now",
		Summary: fmt.Sprintf("saved at %s", time.Now()), Diagram: "graph", Origin: workflow.OriginPerson,
	}, s.meta())
	return err
}

func (s *sim) schedule(ctx context.Context, roll roll) error {
	change := workflow.ChangeSchedule{
		Spec:    []string{"every 37h", "0 6 */2 * *", "@daily", "30 2,14 */3 * *", "every 61h", "15 2 */2 * *"}[roll.n(6)],
		Zone:    []string{"", "Europe/Berlin", "America/New_York"}[roll.next().n(3)],
		Overlap: []workflow.Overlap{workflow.OverlapSkip, workflow.OverlapQueue}[roll.n(2)],
		CatchUp: []workflow.CatchUp{workflow.CatchUpLast, workflow.CatchUpAll, workflow.CatchUpNone}[roll.next().next().n(3)],
	}
	if s.cursor { // several in a row, so that some come due while a run waits for its retry
		change.Spec = []string{"0-4 6 */2 * *", "30-36/2 2 */3 * *"}[roll.n(2)]
	} else if roll.one(3) {
		change.Jitter = 20 * time.Minute
	}
	if change.CatchUp == workflow.CatchUpAll && roll.one(2) {
		change.Window = 30 * time.Hour
	}
	_, err := s.people.ChangeSchedule(ctx, s.id, change, s.meta())
	return err
}

// act is what people do while there is trouble. A refusal is no failure of the test.
func (s *sim) act(ctx context.Context) {
	for n := 0; wait(ctx, time.Minute+s.roll("pause", n).within(8*time.Hour)) == nil; n++ {
		s.help(ctx)
		if n%3 > 0 {
			continue
		}
		state, err := s.people.LoadWorkflow(ctx, s.id)
		if err != nil {
			continue
		}
		roll := s.roll("act", n)
		switch roll.n(16) {
		case 0:
			_, _ = s.people.PauseWorkflow(ctx, s.id, workflow.Pause{}, s.meta())
		case 1, 2:
			_, _ = s.people.ActivateWorkflow(ctx, s.id, workflow.Activate{}, s.meta())
		case 3:
			_ = s.save(ctx)
		case 4:
			to := state.Versions[roll.next().n(len(state.Versions))].Version
			_, _ = s.people.RollbackScript(ctx, s.id, workflow.Rollback{To: to, ScriptID: commands.DerivedID("rollback", fmt.Sprint(n))}, s.meta())
		case 5:
			_ = s.schedule(ctx, roll.next())
		case 6, 7:
			_, _ = s.people.AdmitRun(ctx, s.id, workflow.AdmitRun{Run: commands.DerivedID("manual", fmt.Sprint(n)), Trigger: workflow.TriggerManual, Repair: n%2 == 0}, s.meta())
		case 8:
			s.plan(ctx, n, roll)
		case 9:
			_, _ = s.people.WithdrawFixes(ctx, s.id, workflow.WithdrawFixes{}, s.meta())
		case 10:
			_, _ = s.people.ArchiveWorkflow(ctx, s.id, workflow.Archive{}, s.meta())
			_ = wait(ctx, roll.within(8*time.Hour))
			_, _ = s.people.RestoreWorkflow(context.WithoutCancel(ctx), s.id, workflow.Restore{}, s.meta())
		}
	}
}

// plan is the planner at work, for a while: the maintainer waits.
func (s *sim) plan(ctx context.Context, n int, roll roll) {
	task := commands.DerivedID("planner", fmt.Sprint(n))
	if _, err := s.people.OpenPlannerTask(ctx, s.id, workflow.OpenPlannerTask{Task: task, Thread: task, Ask: "another way"}, s.meta()); err != nil {
		return
	}
	_ = wait(ctx, roll.within(6*time.Hour))
	ctx = context.WithoutCancel(ctx)
	if roll.one(2) {
		_ = s.save(ctx)
	}
	_, _ = s.people.ClosePlannerTask(ctx, s.id, workflow.ClosePlannerTask{Task: task}, s.meta())
}

// help is what people do because the workflow asks for it: they say the truth about writes in doubt,
// look at fixes, and put right what only they can.
func (s *sim) help(ctx context.Context) {
	state, err := s.people.LoadWorkflow(ctx, s.id)
	if err != nil {
		return
	}
	roll := s.roll("help", time.Now().UnixNano())
	for of := range state.Admitted {
		s.resolve(ctx, of)
	}
	patient := roll.one(4) && !s.ended.Load()
	for of, u := range state.Unfinished {
		switch answer := roll.next().next().n(4); {
		case !u.Asked || patient:
		case u.Code == failure.CodeOvertaken: // who has it go on sets the cursor back, and is told so
			_, _ = s.people.LeaveRun(ctx, s.id, workflow.LeaveRun{Run: of}, s.meta())
		case answer == 0 || s.ended.Load() && answer == 1:
			_, _ = s.people.LeaveRun(ctx, s.id, workflow.LeaveRun{Run: of}, s.meta())
		default:
			_, _ = s.people.ContinueRun(ctx, s.id, workflow.ContinueRun{Run: of}, s.meta())
		}
	}
	switch {
	case patient:
	case state.Status == workflow.StatusWaiting:
		s.web.lock(plainHost, false)
		s.web.lock(safeHost, false)
		_, _ = s.people.ActivateWorkflow(ctx, s.id, workflow.Activate{}, s.meta())
	case state.Status == workflow.StatusEscalated:
		if roll.one(2) || s.ended.Load() {
			_ = s.save(ctx)
		}
		_, _ = s.people.ActivateWorkflow(ctx, s.id, workflow.Activate{}, s.meta())
	case state.Status == workflow.StatusHeld:
		held := state.Maintenance.Held.Proposal
		switch {
		case roll.next().one(4):
			_, _ = s.people.DeclineFix(ctx, s.id, workflow.DeclineFix{Proposal: held}, s.meta())
		case roll.next().next().one(5):
			_, _ = s.people.CorrectFix(ctx, s.id, workflow.CorrectFix{Proposal: held, Note: "not so"}, s.meta())
		default:
			_, _ = s.people.AcceptFix(ctx, s.id, workflow.AcceptFix{Proposal: held, ScriptID: commands.DerivedID(held, "accepted")}, s.meta())
		}
	case state.Status == workflow.StatusPaused:
		_, _ = s.people.ActivateWorkflow(ctx, s.id, workflow.Activate{}, s.meta())
	}
}

// settleDown is how long people wait before they look what became of a write: longer than any
// request is under way.
const settleDown = 5 * time.Minute

func (s *sim) resolve(ctx context.Context, of string) {
	state, err := s.people.LoadRun(ctx, of)
	if err != nil || len(state.InDoubt()) == 0 || wait(ctx, settleDown) != nil {
		return
	}
	for _, call := range state.InDoubt() {
		how := run.ResolvedDidNot
		if s.web.happened(call.Args) {
			how = run.ResolvedHappened
		}
		if err := s.people.ResolveEffect(ctx, of, run.ResolveEffect{Seq: call.Seq, How: how}, s.meta()); err == nil {
			s.count(func(s *simStats) { s.doubts++ })
		}
	}
}
