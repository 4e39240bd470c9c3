package handlers_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// raceSpan is about how long the maintainer of a race is at work, and so how long others come
// between.
const raceSpan = 6 * time.Second

// planRace is one interleaving: a maintainer mends version 1.0 while the planner and people do what
// they may. It ends when all has come to rest; then what is active runs, and succeeds
// if it was made for the answers as they are.
func planRace(t *testing.T, seed uint64) *sim {
	s := &sim{seed: seed, store: newSimStore(), codec: event.NewRegistry(), id: fmt.Sprintf("w%d", seed)}
	workflow.Register(s.codec)
	run.Register(s.codec)
	thread.Register(s.codec)
	synctest.Test(t, func(*testing.T) { s.race() })
	return s
}

func (s *sim) race() {
	s.web, s.fixer = newSimWeb(s), pondering{simFixer{s}}
	s.web.calm = true
	node := &simNode{sim: s, name: "node 0"}
	s.nodes = []*simNode{node}
	life := &simLife{simLog: &simLog{store: s.store, meet: s.slowly("node")}, node: node, name: node.name}
	life.commands = s.newCommands(life, s.codec, node.now)
	s.people = s.newCommands(&simLog{store: s.store, meet: s.slowly("people")}, s.codec, time.Now)
	if err := s.create(); err != nil {
		s.violated("no workflow: %v", err)
		return
	}
	ctx, end := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		err := loop.New(loop.Config{
			Log: life, Kinds: []loop.Kind{handlers.Workflows(life.commands, node.reactions(life)...)}, Now: node.now, Look: 20 * time.Minute,
		}).Run(ctx)
		if err != nil {
			s.violated("the loop ended: %v", err)
		}
	})
	s.byHand(ctx, "first") // the gate has a success to look at
	_ = wait(ctx, 2*raceSpan)
	s.web.drift([]string{"/a", "/b"}[s.roll("drift").n(2)])
	s.byHand(ctx, "second")
	for n := range 1 + s.roll("moves").n(6) {
		_ = wait(ctx, s.roll("move after", n).within(raceSpan/2))
		s.move(ctx, n)
	}
	s.ended.Store(true)
	s.rest(ctx)
	s.byHand(ctx, "last")
	s.rest(ctx)
	state, err := s.people.LoadWorkflow(ctx, s.id)
	last, ran := state.Run(s.handID("last"))
	script, _ := state.Script(last.Version)
	replanned := last.Version.Major > 1 && script.Origin != workflow.OriginRollback
	if err != nil || !ran || replanned && !last.Succeeded {
		s.violated("the last run did not succeed, and %s is active, saved by %s: %+v, %v", last.Version, script.Origin, last, err)
	}
	end()
	group.Wait()
	s.verify()
}

// slowly lets appends take a moment, so that anything may come between two of them.
func (s *sim) slowly(who string) func(string, bool) error {
	var n atomic.Int64
	return func(string, bool) error {
		if roll := s.roll(who, n.Add(1)); roll.one(2) {
			<-time.After(roll.next().within(300 * time.Millisecond))
		}
		return nil
	}
}

func (s *sim) handID(name string) string { return commands.DerivedID(s.id, "by hand", name) }

func (s *sim) byHand(ctx context.Context, name string) {
	if _, err := s.people.AdmitRun(ctx, s.id, workflow.AdmitRun{Run: s.handID(name), Trigger: workflow.TriggerManual, Repair: true}, s.meta()); err != nil {
		s.violated("the %s run by hand: %v", name, err)
	}
}

// move is one step of the planner or a person. A refusal is no failure of the test.
func (s *sim) move(ctx context.Context, n int) {
	state, err := s.people.LoadWorkflow(ctx, s.id)
	if err != nil {
		s.violated("the workflow cannot be read: %v", err)
		return
	}
	held := ""
	if state.Maintenance != nil && state.Maintenance.Held != nil {
		held = state.Maintenance.Held.Proposal
	}
	roll := s.roll("move", n)
	switch roll.n(15) {
	case 0, 1, 2, 3:
		task := s.handID("plan " + strconv.Itoa(n))
		if _, err := s.people.OpenPlannerTask(ctx, s.id, workflow.OpenPlannerTask{Task: task, Thread: task, Ask: "another way"}, s.meta()); err != nil {
			return
		}
		_ = wait(ctx, roll.within(raceSpan/3))
		if roll.next().n(4) > 0 {
			_, _ = s.people.SaveScript(ctx, s.id, workflow.SaveScript{
				ScriptID: task, Code: s.web.code(), Origin: workflow.OriginPlanner, Task: task, Summary: "planned", Diagram: "graph",
			}, commands.Meta{Actor: "planner:" + task})
		}
		_, _ = s.people.ClosePlannerTask(ctx, s.id, workflow.ClosePlannerTask{Task: task}, s.meta())
	case 4:
		_ = s.save(ctx)
	case 5:
		to := state.Versions[roll.next().n(len(state.Versions))].Version
		_, _ = s.people.RollbackScript(ctx, s.id, workflow.Rollback{To: to, ScriptID: s.handID("rollback " + strconv.Itoa(n))}, s.meta())
	case 6, 7:
		_, _ = s.people.PauseWorkflow(ctx, s.id, workflow.Pause{}, s.meta())
	case 8:
		_, _ = s.people.ActivateWorkflow(ctx, s.id, workflow.Activate{}, s.meta())
	case 9:
		_, _ = s.people.ArchiveWorkflow(ctx, s.id, workflow.Archive{}, s.meta())
		_ = wait(ctx, roll.within(raceSpan/3))
		_, _ = s.people.RestoreWorkflow(ctx, s.id, workflow.Restore{}, s.meta())
	case 10:
		_, _ = s.people.AcceptFix(ctx, s.id, workflow.AcceptFix{Proposal: held, ScriptID: s.handID("accepted " + strconv.Itoa(n))}, s.meta())
	case 11:
		_, _ = s.people.DeclineFix(ctx, s.id, workflow.DeclineFix{Proposal: held}, s.meta())
	case 12:
		_, _ = s.people.CorrectFix(ctx, s.id, workflow.CorrectFix{Proposal: held, Note: "not so"}, s.meta())
	case 13:
		_, _ = s.people.WithdrawFixes(ctx, s.id, workflow.WithdrawFixes{}, s.meta())
	case 14:
		_, _ = s.people.AdmitRun(ctx, s.id, workflow.AdmitRun{Run: s.handID(strconv.Itoa(n)), Trigger: workflow.TriggerManual, Repair: n%2 == 0}, s.meta())
	}
}

// pondering takes its time, before and after it has a candidate judged.
type pondering struct{ simFixer }

// Propose implements [repair.Fixer].
func (p pondering) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	roll := p.sim.roll("ponder", evidence.Failed.ID, evidence.Version)
	if err := wait(ctx, roll.within(raceSpan/2)); err != nil {
		return "", err
	}
	says, err := p.simFixer.Propose(ctx, evidence, judge)
	if err != nil {
		return says, err
	}
	return says, wait(ctx, roll.next().within(raceSpan/2))
}

// A planner, and people, while the maintainer of 1.0 is at work: rules 1, 2, 5, 6, 8, 9 and 10 hold in
// every interleaving, a fix that was overtaken is stale and never applied, and what is active runs.
func TestPlannerRaces(t *testing.T) {
	t.Parallel()
	first, count := uint64(1), simRaces*campaign(t)
	if text := os.Getenv("KINTSUGI_SIM_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		first, count = given, 1
	}
	var mu sync.Mutex
	seen := map[string]int{}
	next := atomic.Uint64{}
	t.Run("races", func(t *testing.T) {
		for i := range simWorkers {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < uint64(count); n = next.Add(1) - 1 { //nolint:gosec // it fits
					s := planRace(t, first+n)
					require.Empty(t, s.wrong, "repeat with: KINTSUGI_SIM_SEED=%d go test -run '^TestPlannerRaces$' ./handlers", s.seed)
					mu.Lock()
					for name, times := range s.stats.byType {
						seen[name] += times
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d races: %v", count, seen)
	if count >= simTelling {
		for _, name := range []string{
			workflow.TypeFixApplied, workflow.TypeFixConfirmed, workflow.TypeFixRejectedStale, workflow.TypeFixHeld, workflow.TypeFixAccepted,
			workflow.TypeFixDeclined, workflow.TypeFixCorrectionRequested, workflow.TypeEscalated, workflow.TypePlannerTaskClosed, workflow.TypeWorkflowArchived,
		} {
			require.Positive(t, seen[name], "no race saw %s", name)
		}
	}
}
