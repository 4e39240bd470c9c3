package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

type history []event.Event

// shop is a plan: after prices comes pages; docs stands for itself.
func shop() Definition {
	return Definition{
		Title: "shop", Repository: "/src/shop", Base: "main", Integration: "agents/shop", Init: "make deps", Verify: []string{"make all"},
		Jobs: []Job{
			{ID: "prices", Task: "Round the prices", Agent: Program{"agent"}, Touch: []string{"src/prices/**", "!src/prices/tax.go"}, MayCreate: []string{"notes/*.md"}, Verify: []string{"make prices"}},
			{ID: "pages", Task: "Show them", Agent: Program{"agent"}, Touch: []string{"src/**"}, Needs: []string{"prices"}},
			{ID: "docs", Task: "Describe them", Agent: Program{"agent"}, Touch: []string{"docs/**"}, Subtasks: []string{"an outline", "the text"}, Attempts: 2},
		},
	}
}

func ok(job string, phase Phase, index int, launch string) StepEnded {
	return StepEnded{Job: job, Step: Step{Phase: phase, Index: index}, Launch: launch, Result: Outcome{OK: true}}
}

func begun(job string, phase Phase, index int, launch string) StepStarted {
	return StepStarted{Job: job, Attempt: 1, Step: Step{Phase: phase, Index: index}, Launch: launch}
}

func (h history) then(more ...event.Event) history { return append(slices.Clip(h), more...) }

// The ways that the job prices takes.
var (
	started  = history{PlanStarted{ID: "p", Definition: shop(), BaseCommit: "c0", IntegrationCommit: "c0", Place: "/place"}}
	running  = started.then(JobStarted{Job: "prices", Base: "c0", Branch: "b", Worktree: "/w", Guarded: map[string]string{".git/config": "1"}})
	working  = running.then(begun("prices", PhaseInit, 0, "l1"), ok("prices", PhaseInit, 0, "l1"), begun("prices", PhaseAgent, 0, "l2"))
	checking = working.then(ok("prices", PhaseAgent, 0, "l2"))
	outside  = JobHeld{
		Job: "prices", Checkpoint: 1, Kind: KindTouchset, Attempt: 1, Reason: "it changed README.md, which it was not to",
		Violations: []Violation{{Path: "README.md", Change: "modified", Why: "it is not in the touch set"}}, Count: 1,
		Allowed: []string{"src/prices/**", "!src/prices/tax.go"}, MayCreate: []string{"notes/*.md"}, Commit: "c1", Since: "c0",
		Guarded: map[string]string{".git/config": "1"},
	}
	heldBack  = checking.then(outside)
	checked   = JobChecked{Job: "prices", Attempt: 1, Commit: "c1", Changed: 1, Files: []string{"src/prices/a.go"}}
	verifying = checking.then(checked)
	ready     = verifying.then(begun("prices", PhaseVerify, 0, "l3"), ok("prices", PhaseVerify, 0, "l3"), JobReady{Job: "prices", Commit: "c1"})
	merging   = ready.then(MergeStarted{Job: "prices", Onto: "c0", Commit: "m1"})
	verified  = merging.then(
		begun("prices", PhaseInit, 0, "l4"), ok("prices", PhaseInit, 0, "l4"), begun("prices", PhaseVerify, 0, "l5"), ok("prices", PhaseVerify, 0, "l5"),
		begun("prices", PhaseVerify, 1, "l6"), ok("prices", PhaseVerify, 1, "l6"))
	merged = verified.then(JobMerged{Job: "prices", Commit: "m1"})
)

func given(t *testing.T, h history) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(h...)
}

// due is what is to be done after a history.
func due(t *testing.T, h history) (all []string) {
	t.Helper()
	for _, one := range given(t, h).State().Due() {
		all = append(all, one.Job.ID+" "+string(one.Need))
	}
	return all
}

func check(changes ...Change) CheckJob {
	return CheckJob{Job: "prices", Commit: "c1", Since: "c0", Changes: changes, Guarded: map[string]string{".git/config": "1"}}
}

var (
	inside = Change{Path: "src/prices/a.go", Kind: "modified"}
	beside = Change{Path: "README.md", Kind: "modified"}
)

// Rule: a job that changed nothing is held with its agent's last words, whatever attempts are left; a person says that nothing
// was to be done, for exactly that commit, and a plan can say so before.
func TestNothingChanged(t *testing.T) {
	t.Parallel()
	last := ok("prices", PhaseAgent, 0, "l2")
	last.Result.Tail = "Credit balance\nis too low\n"
	held := outside
	held.Kind, held.Reason = KindNoChange, "it ended well and changed nothing; the end of its output: Credit balance is too low"
	held.Violations, held.Count, held.Guarded = nil, 0, nil
	silent := working.then(last)
	given(t, silent).When(check()).Then(held)
	require.Equal(t, []Answer{AnswerAccept, AnswerRelaunch, AnswerRetry}, held.Answers())
	accepted := JobAccepted{Job: "prices", Checkpoint: 1, Commit: "c1", Reason: "it was done before"}
	given(t, silent.then(held)).When(Accept{Job: "prices", Reason: "it was done before"}).Then(accepted)
	require.Equal(t, []string{"prices step", "docs start"}, due(t, silent.then(held, accepted)), "it is verified, and what needs it waits")
	again := silent.then(held, accepted, begun("prices", PhaseVerify, 0, "l3"), StepEnded{Job: "prices", Step: Step{Phase: PhaseVerify}, Launch: "l3"})
	red := scenario.The[JobHeld](t, given(t, again[:len(again)-1]).When(EndStep{Job: "prices", Launch: "l3"}).Events())
	retried := again.then(red, JobRetried{Job: "prices", Checkpoint: 2})
	given(t, retried).When(check()).Then(JobChecked{Job: "prices", Attempt: 1, Commit: "c1"})
	other := check()
	other.Commit = "c2"
	require.Equal(t, KindNoChange, scenario.The[JobHeld](t, given(t, retried).When(other).Events()).Kind, "only that commit was let pass")
	relaunched := scenario.The[JobRelaunched](t, given(t, silent.then(held)).When(Relaunch{Job: "prices"}).Events())
	require.Contains(t, relaunched.Prompt, "Credit balance is too low")

	may := shop()
	may.Jobs[0].MayChangeNothing = true
	given(t, append(history{PlanStarted{ID: "p", Definition: may, BaseCommit: "c0", IntegrationCommit: "c0", Place: "/place"}}, silent[1:]...)).
		When(check()).Then(JobChecked{Job: "prices", Attempt: 1, Commit: "c1"})
}

// Rule: a change outside of the touch set is held, with what a person needs to answer; without one the job is verified.
func TestChecked(t *testing.T) {
	t.Parallel()
	given(t, checking).When(check(inside, beside)).Then(outside)
	given(t, checking).When(check(inside)).Then(checked)
	for name, test := range map[string]struct {
		change Change
		why    string
	}{
		"its old name is outside":  {Change{Path: "src/prices/b.go", From: "src/b.go", Kind: "renamed"}, "its old name"},
		"its new name is outside":  {Change{Path: "src/b.go", From: "src/prices/b.go", Kind: "renamed"}, "not in the touch set"},
		"it is excluded":           {Change{Path: "src/prices/tax.go", Kind: "mode"}, "not in the touch set"},
		"only its case is another": {Change{Path: "SRC/prices/a.go", From: "src/prices/a.go", Kind: "renamed"}, "not in the touch set"},
		"it is deleted":            {Change{Path: "main.go", Kind: "deleted"}, "not in the touch set"},
		"a link out":               {Change{Path: "src/prices/l", Kind: "added", Symlink: "../../../etc"}, "leads out of the repository"},
		"an absolute link":         {Change{Path: "src/prices/l", Kind: "type", Symlink: "/etc/passwd"}, "leads out of the repository"},
		"a link into .git":         {Change{Path: "src/prices/l", Kind: "added", Symlink: "../../.git/hooks"}, "leads out of the repository"},
		"a link for the directory": {Change{Path: "src/prices", Kind: "added", Symlink: "elsewhere"}, "not in the touch set"},
		"a repository inside":      {Change{Path: "src/prices/x", Kind: "added", Repository: true}, "a repository inside"},
		"it may only be made":      {Change{Path: "notes/a.md", Kind: "modified"}, "was there before"},
	} {
		held := scenario.The[JobHeld](t, given(t, checking).When(check(test.change)).Events())
		require.Equal(t, KindTouchset, held.Kind, name)
		require.Len(t, held.Violations, 1, name)
		require.Contains(t, held.Violations[0].Why, test.why, name)
	}
	for name, change := range map[string]Change{
		"made where it may":      {Path: "notes/a.md", Kind: "added"},
		"renamed to there":       {Path: "notes/a.md", From: "src/prices/a.md", Kind: "renamed"},
		"a link that stays":      {Path: "src/prices/l", Kind: "added", Symlink: "../b.go"},
		"a submodule that moves": {Path: "src/prices/sub", Kind: "modified", Repository: true, Submodule: true},
		"accepted as it is":      {Path: "README.md", Kind: "modified", Same: true},
	} {
		require.Len(t, given(t, checking).When(check(change)).Events(), 1, name)
		given(t, checking).When(check(change)).ThenTypes(TypeJobChecked)
	}
	hooked := check(inside)
	hooked.Guarded = map[string]string{".git/config": "2", ".git/hooks/pre-commit": "x"}
	hooked.Moved = []Moved{{Ref: "refs/heads/main", Was: "c7"}}
	held := scenario.The[JobHeld](t, given(t, checking).When(hooked).Events())
	require.Equal(t, 3, held.Count)
	require.Contains(t, held.Violations[2].Why, "put it back to c7: git update-ref refs/heads/main c7")
	many := make([]Change, 10_000)
	for i := range many {
		many[i] = beside
	}
	held = scenario.The[JobHeld](t, given(t, checking).When(check(many...)).Events())
	require.Equal(t, 10_000, held.Count)
	require.Len(t, held.Violations, 200)
}

// Rule: accepting lets exactly that commit's violations pass, with who and why, and the verification still has to pass.
func TestAccept(t *testing.T) {
	t.Parallel()
	given(t, heldBack).When(Accept{Job: "prices"}).ThenRefused(fault.Invalid, "say why")
	after := given(t, heldBack).When(Accept{Job: "prices", Checkpoint: 1, Reason: "it is right"}).
		Then(JobAccepted{Job: "prices", Checkpoint: 1, Commit: "c1", Count: 1, Reason: "it is right"})
	require.Equal(t, JobVerifying, after.State().Jobs["prices"].Status)
	require.Equal(t, "c1", after.State().Jobs["prices"].Accepted)
	after.When(Accept{Job: "prices", Checkpoint: 1, Reason: "again"}).ThenRefused(fault.Conflict, "moved on")
	failed := given(t, verifying.then(begun("prices", PhaseVerify, 0, "l3"))).When(EndStep{Job: "prices", Launch: "l3", Result: Outcome{Says: "exit status 1"}}).ThenTypes(TypeStepEnded, TypeJobHeld)
	failed.When(Accept{Job: "prices", Reason: "x"}).ThenRefused(fault.Conflict, "nothing to accept")
}

// Rule: relaunched, the agent is told its task, the files, the patterns and what to revert; the attempt counts up.
func TestRelaunch(t *testing.T) {
	t.Parallel()
	relaunched := scenario.The[JobRelaunched](t, given(t, heldBack).When(Relaunch{Job: "prices", Note: "mind the tax"}).Events())
	require.Equal(t, 2, relaunched.Attempt)
	for _, says := range []string{"Round the prices", "README.md (modified)", "src/prices/**", "!src/prices/tax.go", "Revert exactly these", "c0", "without breaking", "mind the tax"} {
		require.Contains(t, relaunched.Prompt, says)
	}
	after := given(t, heldBack.then(relaunched)).State()
	job := after.Jobs["prices"]
	step, more := after.NextStep(job)
	require.True(t, more)
	require.Equal(t, Step{Phase: PhaseAgent}, step, "its worktree was set up before")
	require.Equal(t, relaunched.Prompt, after.Prompt(job, step))
	given(t, heldBack.then(relaunched)).When(EndStep{Job: "prices", Launch: "l2", Result: Outcome{}}).ThenRefused(fault.Conflict, "its end is ignored")
	given(t, heldBack.then(relaunched)).When(Retry{Job: "prices", Checkpoint: 1}).ThenRefused(fault.Conflict, "moved on")
}

// Rule: only a job that tripped the checkpoint is answered, and of two answers the second is stale.
func TestAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, answer := range []func(job string, checkpoint int) Command{
		func(job string, n int) Command { return Accept{Job: job, Checkpoint: n, Reason: "x"} },
		func(job string, n int) Command { return Relaunch{Job: job, Checkpoint: n} },
		func(job string, n int) Command { return Retry{Job: job, Checkpoint: n} },
	} {
		given(t, heldBack).When(answer("docs", 0)).ThenRefused(fault.Conflict, "did not trip a checkpoint")
		given(t, heldBack).When(answer("docs", 1)).ThenRefused(fault.Conflict, "moved on")
		given(t, heldBack).When(answer("nobody", 1)).ThenRefused(fault.NotFound, "no job")
		given(t, heldBack).When(answer("prices", 2)).ThenRefused(fault.NotFound, "no checkpoint 2")
		given(t, heldBack.then(PlanCancelled{})).When(answer("prices", 1)).ThenRefused(fault.Conflict, "is cancelled")
		given(t, heldBack.then(JobRetried{Job: "prices", Checkpoint: 1})).When(answer("prices", 1)).ThenRefused(fault.Conflict, "moved on")
	}
	require.ErrorIs(t, func() error {
		_, err := Decide(given(t, heldBack.then(JobRetried{Job: "prices", Checkpoint: 1})).State(), Retry{Job: "prices", Checkpoint: 1}, scenario.Start)
		return err
	}(), ErrStale)
}

// Rule: retried, the branch is checked again, and what remains is said in a checkpoint of its own.
func TestRetry(t *testing.T) {
	t.Parallel()
	again := given(t, heldBack).When(Retry{Job: "prices", Checkpoint: 1}).ThenTypes(TypeJobRetried)
	held := scenario.The[JobHeld](t, again.When(check(inside, beside)).Events())
	require.Equal(t, 2, held.Checkpoint)
	again.When(check(inside)).Then(checked)
}

// Rule: a job whose init failed has not begun: retried, init is run again and then its agent. Checked as it is, it would be
// merged with nothing done.
func TestRetryAfterInit(t *testing.T) {
	t.Parallel()
	h := running.then(begun("prices", PhaseInit, 0, "l1")).after(t, red("prices", "l1", ""))
	require.Equal(t, KindJobFailed, h[len(h)-1].(JobHeld).Kind)
	h = h.after(t, Retry{Job: "prices", Checkpoint: 1})
	require.True(t, h[len(h)-1].(JobRetried).Init)
	require.Equal(t, []string{"prices step", "docs start"}, due(t, h))
	state := given(t, h).State()
	step, _ := state.NextStep(state.Jobs["prices"])
	require.Equal(t, Step{Phase: PhaseInit}, step)
}

// Rule: several jobs that fail are each kept, and answering one leaves the others.
func TestSeveralAreHeld(t *testing.T) {
	t.Parallel()
	both := heldBack.then(JobStarted{Job: "docs", Base: "c0"}, begun("docs", PhaseInit, 0, "d1"))
	after := given(t, both).When(EndStep{Job: "docs", Launch: "d1", Result: Outcome{Says: "exit status 2", Code: 2}}).ThenTypes(TypeStepEnded, TypeJobHeld)
	require.Len(t, after.State().Held(), 2)
	one := after.When(Accept{Job: "prices", Reason: "x"}).ThenTypes(TypeJobAccepted)
	require.Equal(t, []string{"docs"}, func() (ids []string) {
		for _, job := range one.State().Held() {
			ids = append(ids, job.ID)
		}
		return ids
	}())
	require.Equal(t, 2, one.State().Jobs["docs"].Held.Checkpoint)
}

// Rule: while attempts are left a failure is corrected by itself; then it is held. A touch set is never corrected unasked.
func TestAttempts(t *testing.T) {
	t.Parallel()
	docs := started.then(JobStarted{Job: "docs", Base: "c0"}, begun("docs", PhaseInit, 0, "d1"), ok("docs", PhaseInit, 0, "d1"),
		begun("docs", PhaseAgent, 0, "d2"), ok("docs", PhaseAgent, 0, "d2"), begun("docs", PhaseAgent, 1, "d3"))
	failed := EndStep{Job: "docs", Launch: "d3", Result: Outcome{Says: "it ended with exit status 1", Tail: "no such page"}}
	again := scenario.The[JobRelaunched](t, given(t, docs).When(failed).Events())
	require.Equal(t, JobRelaunched{Job: "docs", Attempt: 2, Step: 2, Prompt: again.Prompt}, again)
	for _, says := range []string{"part 2 of 2", "the text", "no such page", "exit status 1"} {
		require.Contains(t, again.Prompt, says)
	}
	second := given(t, docs).When(failed).ThenTypes(TypeStepEnded, TypeJobRelaunched).
		And(StepStarted{Job: "docs", Attempt: 2, Step: Step{Phase: PhaseAgent, Index: 1}, Launch: "d4"})
	second.When(EndStep{Job: "docs", Launch: "d4", Result: Outcome{Says: "timeout"}}).ThenTypes(TypeStepEnded, TypeJobHeld)
}

// Rule: the train merges one after the other; a conflict or a red verification leaves the integration branch where it is.
func TestTrain(t *testing.T) {
	t.Parallel()
	given(t, ready).When(StartMerge{Job: "prices", Onto: "c0", Commit: "m1", Changes: []Change{inside}}).Then(MergeStarted{Job: "prices", Onto: "c0", Commit: "m1"})
	given(t, ready).When(StartMerge{Job: "prices", Onto: "elsewhere", Commit: "m1"}).ThenRefused(fault.Conflict, "not the turn")
	conflict := scenario.The[JobHeld](t, given(t, ready).When(StartMerge{Job: "prices", Onto: "c0", Conflicts: []string{"src/prices/a.go"}}).Events())
	require.Equal(t, KindMergeConflict, conflict.Kind)
	require.Equal(t, "src/prices/a.go", conflict.Violations[0].Path)
	given(t, ready).When(StartMerge{Job: "prices", Onto: "c0", Commit: "m1", Changes: []Change{beside}}).ThenTypes(TypeJobHeld)
	red := given(t, merging.then(begun("prices", PhaseInit, 0, "l4"), ok("prices", PhaseInit, 0, "l4"), begun("prices", PhaseVerify, 0, "l5"))).
		When(EndStep{Job: "prices", Launch: "l5", Result: Outcome{Says: "exit status 1"}}).ThenTypes(TypeStepEnded, TypeJobHeld)
	require.Equal(t, "c0", red.State().Head)
	require.Equal(t, KindTestFailure, red.State().Jobs["prices"].Held.Kind)
	given(t, merging).When(CompleteMerge{Job: "prices", Commit: "m1"}).ThenRefused(fault.Conflict, "is not verified")
	given(t, verified).When(CompleteMerge{Job: "prices", Commit: "m1"}).Then(JobMerged{Job: "prices", Commit: "m1"})
}

// Rule: the due work follows from the state, one piece for each job; a job begins when the jobs that it needs are
// merged.
func TestDue(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"prices start", "docs start"}, due(t, started))
	require.Equal(t, []string{"prices step", "docs start"}, due(t, running))
	require.Equal(t, []string{"prices end", "docs start"}, due(t, working))
	require.Equal(t, []string{"prices check", "docs start"}, due(t, checking))
	require.Equal(t, []string{"docs start"}, due(t, heldBack))
	require.Equal(t, []string{"prices merge", "docs start"}, due(t, ready))
	require.Equal(t, []string{"prices land", "docs start"}, due(t, verified))
	require.Equal(t, []string{"pages start", "docs start"}, due(t, merged))
	require.Equal(t, []string{"prices kill"}, due(t, working.then(PlanCancelled{})))
	given(t, started).When(StartJob{Job: "pages"}).ThenRefused(fault.Conflict, `needs "prices"`)
}

// Every event in every status of a job: where it leads, or that it is impossible.
func TestStatusTableWalksEveryEventInEveryStatus(t *testing.T) {
	t.Parallel()
	cancelled := working.then(PlanCancelled{})
	statuses := map[JobStatus]history{
		JobPending: started, JobRunning: working, JobChecking: checking, JobVerifying: verifying, JobReadied: ready,
		JobMerging: verified, JobMergedIn: merged, JobHeldBack: heldBack, JobCancelled: cancelled,
		JobDroppedOut: working.then(JobDropped{Job: "pages"}, JobDropped{Job: "prices"}),
		JobHealing:    checking.then(checked, HealingStarted{Job: "prices", Attempt: 1, Healing: 1, Session: "p-prices"}),
	}
	for status := range statuses {
		statuses[status] = healed(statuses[status])
	}
	all := []event.Event{
		started[0], PlanCompleted{}, PlanCancelled{}, JobStarted{Job: "prices"}, begun("prices", PhaseVerify, 0, "n"), ok("prices", PhaseAgent, 0, "l2"),
		checked, JobReady{Job: "prices", Commit: "c1"}, JobHeld{Job: "prices", Checkpoint: 1, Attempt: 1}, JobAccepted{Job: "prices", Checkpoint: 1, Commit: "c1"},
		HealingStarted{Job: "prices", Attempt: 1, Healing: 1, Session: "p-prices"}, HealingEnded{Job: "prices", Session: "p-prices", Outcome: session.Resolved},
		JobRelaunched{Job: "prices", Checkpoint: 1, Attempt: 2}, JobRetried{Job: "prices", Checkpoint: 1}, MergeStarted{Job: "prices", Onto: "c0"}, JobMerged{Job: "prices", Commit: "m1"},
		PlanTaken{Into: "main"}, JobAdded{Job: "more", Definition: Job{ID: "more", Task: "t", Agent: Program{"x"}, Touch: []string{"more/**"}}},
		JobDelayed{Job: "prices", Attempt: 1, Until: scenario.Start}, JobStopped{Job: "prices"}, JobDropped{Job: "prices"},
	}
	table := map[JobStatus]map[string]JobStatus{
		JobPending:   {TypeJobStarted: JobRunning, TypePlanCancelled: JobCancelled},
		JobRunning:   {TypeStepEnded: JobChecking, TypePlanCancelled: JobCancelled},
		JobHealing:   {TypeHealingEnded: JobChecking, TypeJobHeld: JobHeldBack, TypePlanCancelled: JobCancelled},
		JobChecking:  {TypeJobChecked: JobVerifying, TypeJobDelayed: JobRunning, TypeJobHeld: JobHeldBack, TypePlanCancelled: JobCancelled},
		JobVerifying: {TypeStepStarted: JobVerifying, TypeJobHeld: JobHeldBack, TypeJobRelaunched: JobRunning, TypeHealingStarted: JobHealing, TypePlanCancelled: JobCancelled},
		JobReadied:   {TypeMergeStarted: JobMerging, TypeJobHeld: JobHeldBack, TypePlanCancelled: JobCancelled},
		JobMerging:   {TypeJobMerged: JobMergedIn, TypeJobHeld: JobHeldBack, TypeHealingStarted: JobHealing, TypePlanCancelled: JobCancelled},
		JobMergedIn:  {TypePlanCancelled: JobMergedIn},
		JobHeldBack:  {TypeJobAccepted: JobVerifying, TypeJobRelaunched: JobRunning, TypeJobRetried: JobChecking, TypePlanCancelled: JobCancelled},
		JobCancelled: {TypeStepEnded: JobCancelled},
	}
	table[JobDroppedOut] = map[string]JobStatus{TypeStepEnded: JobDroppedOut, TypePlanCancelled: JobDroppedOut}
	for status := range table {
		if table[status][TypePlanTaken] = status; status != JobCancelled {
			table[status][TypeJobAdded] = status
		}
	}
	for _, status := range []JobStatus{JobRunning, JobHealing} {
		table[status][TypeJobStopped] = status
	}
	for _, status := range []JobStatus{JobPending, JobRunning, JobHealing, JobChecking, JobVerifying, JobReadied, JobHeldBack} {
		table[status][TypeJobDropped] = JobDroppedOut
	}
	// A job that failed to begin is held before it has an attempt.
	table[JobPending][TypeJobHeld] = JobHeldBack
	registry := event.NewRegistry()
	Register(registry)
	var walked []string
	for _, happened := range all {
		walked = append(walked, happened.EventType())
		for status, before := range statuses {
			state := given(t, before).State()
			require.Equal(t, status, state.Jobs["prices"].Status)
			if held, is := happened.(JobHeld); is && status == JobPending {
				held.Attempt = 0
				happened = held
			}
			if _, is := happened.(JobDropped); is {
				state = Evolve(state, JobDropped{Job: "pages"}) // which needs it
			}
			after, err := Follow(state, happened)
			want, possible := table[status][happened.EventType()]
			if !possible {
				require.Error(t, err, "%s in %s", happened.EventType(), status)
				continue
			}
			require.NoError(t, err, "%s in %s", happened.EventType(), status)
			require.Equal(t, want, after.Jobs["prices"].Status, "%s in %s", happened.EventType(), status)
			if held, is := happened.(JobHeld); is {
				held.Attempt = 1
				happened = held
			}
		}
	}
	slices.Sort(walked)
	require.Equal(t, registry.Types(), walked)
	for _, happened := range all {
		_, err := Follow(State{}, happened)
		require.Equal(t, happened.EventType() != TypePlanStarted, err != nil, "%s before there is a plan", happened.EventType())
	}
}

// Rule: a plan is completed with the merge of its last job, and then nothing more happens.
func TestCompleted(t *testing.T) {
	t.Parallel()
	small := Definition{Title: "t", Repository: "/r", Base: "main", Integration: "i", Jobs: []Job{{ID: "a", Task: "t", Agent: Program{"x"}, Touch: []string{"a"}}}}
	h := history{PlanStarted{ID: "p", Definition: small, IntegrationCommit: "c0"}, JobStarted{Job: "a"}, begun("a", PhaseAgent, 0, "l"), ok("a", PhaseAgent, 0, "l")}
	done := given(t, h).When(CheckJob{Job: "a", Commit: "c1", Changes: []Change{{Path: "a", Kind: "added"}}}).ThenTypes(TypeJobChecked, TypeJobReady).
		When(StartMerge{Job: "a", Onto: "c0", Commit: "m"}).ThenTypes(TypeMergeStarted).
		When(CompleteMerge{Job: "a", Commit: "m"}).ThenTypes(TypeJobMerged, TypePlanCompleted)
	require.Equal(t, StatusCompleted, done.State().Status)
	require.Empty(t, done.State().Due())
	done.When(Cancel{}).ThenRefused(fault.Conflict, "completed")
	require.True(t, strings.HasPrefix(Stream("x"), StreamPrefix))
}

// Rule: what runs for a job that a person stops is ended, and then the job is held, however it ended; it can go on with what it did.
func TestStop(t *testing.T) {
	t.Parallel()
	asked := JobStopped{Job: "prices", Reason: "it goes round in circles"}
	given(t, working).When(Stop{Job: "prices", Reason: asked.Reason}).Then(asked)
	stopping := working.then(asked)
	require.Equal(t, []string{"prices kill", "docs start"}, due(t, stopping))
	given(t, stopping).When(Stop{Job: "prices"}).Then()
	for _, well := range []bool{true, false} {
		events := given(t, stopping).When(EndStep{Job: "prices", Launch: "l2", Result: Outcome{OK: well, Says: "ended"}}).Events()
		require.Len(t, events, 2)
		held := scenario.The[JobHeld](t, events)
		require.Equal(t, KindStopped, held.Kind)
		require.Equal(t, "it was stopped: it goes round in circles", held.Reason)
		require.Equal(t, []Answer{AnswerRelaunch, AnswerRetry}, held.Answers())
		require.Equal(t, "have the agent go on", held.Does(AnswerRelaunch))
		after := stopping.then(events...)
		given(t, after).When(Retry{Job: "prices"}).ThenTypes(TypeJobRetried)
		require.Contains(t, scenario.The[JobRelaunched](t, given(t, after).When(Relaunch{Job: "prices"}).Events()).Prompt, "A person had you stopped: it goes round in circles")
	}
	given(t, checking).When(Stop{Job: "prices"}).ThenRefused(fault.Conflict, "nothing runs")
	given(t, working).When(Stop{Job: "none"}).ThenRefused(fault.NotFound, "no job")
}

// Rule: a job that is dropped is in nobody's way: what runs for it is ended, the plan is completed without it, and no job that needs it
// is left behind.
func TestDrop(t *testing.T) {
	t.Parallel()
	given(t, heldBack).When(Drop{Job: "prices"}).ThenRefused(fault.Conflict, `job "pages" needs job "prices": drop it first`)
	given(t, merged).When(Drop{Job: "prices"}).ThenRefused(fault.Conflict, "is merged")
	given(t, verified).When(Drop{Job: "prices"}).ThenRefused(fault.Conflict, "just being merged")
	dropped := working.then(JobDropped{Job: "pages"}, JobDropped{Job: "prices"})
	require.Equal(t, []string{"prices kill", "docs start"}, due(t, dropped))
	given(t, dropped).When(EndStep{Job: "prices", Launch: "l2"}).ThenTypes(TypeStepEnded)
	given(t, dropped).When(Drop{Job: "prices"}).Then()
	all := given(t, dropped).When(Drop{Job: "docs", Reason: "no need"}).Then(JobDropped{Job: "docs", Reason: "no need"}, PlanCompleted{Commit: "c0"})
	require.Equal(t, []Need{NeedKill}, []Need{all.State().Due()[0].Need}, "also after the plan's end")
	all.When(EndStep{Job: "prices", Launch: "l2"}).ThenTypes(TypeStepEnded)
	given(t, merged.then(JobDropped{Job: "docs"})).When(Drop{Job: "pages"}).ThenTypes(TypeJobDropped, TypePlanCompleted)
}

// Rule: a job is added to a plan that runs if nothing that is still to be done may touch the same files; it may follow what is merged.
func TestAdd(t *testing.T) {
	t.Parallel()
	more := Job{ID: "more", Task: "t", Agent: Program{"x"}, Touch: []string{"src/prices/**"}, Needs: []string{"prices"}}
	given(t, running).When(Add{Job: more}).ThenRefused(fault.Invalid, `job "pages" may run at the same time`)
	given(t, merged.then(JobDropped{Job: "pages"})).When(Add{Job: more}).Then(JobAdded{Job: "more", Definition: more})
	require.Equal(t, []string{"docs start", "more start"}, due(t, merged.then(JobDropped{Job: "pages"}, JobAdded{Job: "more", Definition: more})))
	given(t, running).When(Add{Job: shop().Jobs[0]}).ThenRefused(fault.Conflict, "already")
	more.Needs = []string{"nobody"}
	given(t, running).When(Add{Job: more}).ThenRefused(fault.Invalid, `no job "nobody"`)
	more.Needs = []string{"pages"}
	given(t, running.then(JobDropped{Job: "pages"})).When(Add{Job: more}).ThenRefused(fault.Invalid, "was dropped")
	given(t, running.then(PlanCancelled{})).When(Add{Job: more}).ThenRefused(fault.Conflict, "takes no more jobs")
}
