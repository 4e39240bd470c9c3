package workflow_test

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// TestInvariants drives a workflow with random commands and keeps its own books, written
// from the rules and not from the code, of what must never happen. More sequences: -rapid.checks=100000.
func TestInvariants(t *testing.T) {
	t.Parallel()
	for part := range 8 {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				w := newWorld(t)
				for range rapid.IntRange(1, 120).Draw(t, "steps") {
					w.step()
				}
				w.canComeBack()
				require.Equal(t, w.again(), w.state, "folding it all again gives another state")
			})
		})
	}
}

// The sequences must get to the interesting places, else the invariants guard nothing.
func TestInvariantsReachEverything(t *testing.T) {
	t.Parallel()
	reached := map[string]int{}
	var want []string
	for _, happened := range everyEvent() {
		switch happened.(type) {
		case WorkflowDeleted, WorkflowErased: // nothing comes after them
		default:
			want = append(want, happened.EventType())
		}
	}
	for _, status := range statusOrder {
		want = append(want, string(status))
	}
	missing := want
	for round := 0; len(missing) > 0; round++ {
		require.Less(t, round, 40, "no sequence led to %v", missing)
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t)
			for range 120 {
				w.step()
				reached[string(w.state.Status)]++
			}
			for _, happened := range w.history {
				reached[happened.EventType()]++
			}
		})
		missing = slices.DeleteFunc(slices.Clone(want), func(name string) bool { return reached[name] > 0 })
	}
}

type world struct {
	t       *rapid.T
	state   State
	now     time.Time
	history history
	times   []time.Time // of the history
	ids     int
	codec   *event.Registry

	// The books.
	versions  map[Version]bool
	major     int
	minors    map[int]int
	tasks     map[string]bool // open
	bases     map[string]Version
	budgets   map[string]int // of tasks, when entered
	taskOf    map[string]string
	stale     map[string]bool
	fixes     int                // since the count was last zero
	continued map[string]string  // run → the run it continues
	ran       map[string]Version // run → version
	fixedRun  map[Version]string // fix → the run it was made for
	settled   map[string]bool
	cancelled map[string]bool // by a person
	escalated bool
	saves     int             // major saves so far
	savesAt   map[string]int  // when a task was entered
	halfDone  map[string]bool // failed runs with writes, that were not continued, started again or left
	asked     map[string]bool // of these, whose person is asked
	accepted  map[string]bool // runs that work on an input or a slot that has no outcome yet, or that will
	outcomes  int64           // of workflow v
	dealtWith int64           // of these, the newest that led to something
}

func newWorld(t *rapid.T) *world {
	w := &world{
		t: t, now: scenario.Start, codec: event.NewRegistry(),
		versions: map[Version]bool{}, minors: map[int]int{}, tasks: map[string]bool{}, bases: map[string]Version{}, budgets: map[string]int{},
		taskOf: map[string]string{}, stale: map[string]bool{}, continued: map[string]string{}, ran: map[string]Version{},
		fixedRun: map[Version]string{}, settled: map[string]bool{}, cancelled: map[string]bool{}, halfDone: map[string]bool{}, asked: map[string]bool{}, accepted: map[string]bool{}, savesAt: map[string]int{},
	}
	Register(w.codec)
	w.do(Create{ID: "w", Title: "t"})
	w.do(SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPlanner})
	w.do(ChangeSettings{Settings: Settings{MaxActive: rapid.IntRange(0, 3).Draw(t, "max active")}})
	return w
}

// again folds the history anew.
func (w *world) again() State {
	var s State
	for i, happened := range w.history {
		s = EvolveAt(s, happened, w.times[i])
	}
	return s
}

func (w *world) id(kind string) string {
	w.ids++
	return fmt.Sprintf("%s%d", kind, w.ids)
}

// draw is even, unlike rapid.IntRange, which prefers small numbers and would hardly ever
// get to the commands at the end of a list.
func (w *world) draw(n int) int {
	number := 0
	for range bits.Len(uint(n)) + 4 {
		number *= 2
		if rapid.Bool().Draw(w.t, "bit") {
			number++
		}
	}
	return number % n
}

// step draws one command that makes some sense, so that sequences get somewhere; refusals are fine.
func (w *world) step() {
	draw := w.draw
	pick := func(options []string) string {
		if len(options) == 0 || draw(20) == 0 {
			return "nobody"
		}
		return options[draw(len(options))]
	}
	s := w.state
	runs := sortedKeys(s.Admitted)
	task, proposal, holding := "nobody", "nobody", "nobody"
	if s.Maintenance != nil {
		task = s.Maintenance.Task
		if s.Maintenance.Held != nil {
			holding = s.Maintenance.Held.Proposal
		}
	}
	if len(s.Undecided) > 0 {
		proposal = pick(s.Undecided)
	}
	planner := "nobody"
	if s.Planner != nil {
		planner = s.Planner.Task
	}
	w.now = w.now.Add([]time.Duration{0, time.Second, time.Minute, 25 * time.Minute}[draw(4)])

	kind := draw(45)
	if draw(2) == 0 { // else too few sequences get far into a repair
		kind = w.purposeful()
	}
	switch kind {
	case 0:
		save := SaveScript{ScriptID: w.id("s"), Code: codeV1, Origin: []Origin{OriginPlanner, OriginPerson}[draw(2)]}
		if digest := []string{"", "0a", "0b"}[draw(3)]; digest != "" {
			save.Code += "\n//# packages sha256 " + digest + "\n"
			save.Packages = &PackagesKept{SHA256: digest, Packed: "p"}
		}
		w.do(save)
	case 1:
		w.do(Rollback{ScriptID: w.id("s"), To: s.Versions[draw(len(s.Versions))].Version})
	case 2:
		w.do(ChangeSettings{Settings: Settings{
			AutoFix: []Mode{"", ModeAuto, ModeAuto, ModeProven, ModePropose, ModeOff}[draw(6)], Budget: draw(4), MaxActive: draw(3),
			RepairsPerHr: []int{0, 20, 2}[draw(3)], OnHold: []string{"", OnHoldBlock, OnHoldContinue}[draw(3)],
			OnEscalation: []string{"", OnHoldContinue}[draw(2)], Unfinished: []string{"", UnfinishedContinue, UnfinishedLeave}[draw(3)], DecideWithinMS: []int64{0, time.Hour.Milliseconds()}[draw(2)],
		}})
	case 3, 4:
		w.do(Activate{})
	case 5:
		w.do(Pause{})
	case 6:
		if draw(3) == 0 {
			w.do(Archive{})
		} else {
			w.do(Restore{})
		}
	case 7:
		w.do(WithdrawFixes{})
	case 8:
		w.do(OpenPlannerTask{Task: w.id("pl"), Thread: "th"})
	case 9:
		w.do([]Command{
			WaitPlannerTask{Task: planner}, TellPlanner{Task: planner, Text: "go on"}, ClosePlannerTask{Task: planner}, ClosePlannerTask{Task: planner},
			AskQuestion{Question: w.id("q"), Task: planner, Text: "?"}, AskQuestion{Question: w.id("q"), Task: task, Text: "?"},
		}[draw(6)])
	case 10:
		if len(s.Questions) > 0 {
			w.do(AnswerQuestion{Question: s.Questions[draw(len(s.Questions))].ID, Answer: "a"})
		}
	case 11:
		w.do([]Command{
			ChangeIntent{Intent: w.id("i")}, ChangeSchedule{Spec: fmt.Sprintf("%d 7 * * *", draw(60))}, SkipSlot{Reason: "x"}, AcknowledgeNotification{Notification: "n"},
			ExemptRun{Run: pick(sortedKeys(w.settled)), Reason: "x"}, KeepDraft{}, DelegateDecision{Notification: "n", To: w.id("ben")},
		}[draw(7)])
		if at, due := s.ReminderDue(); due {
			w.now = at
			w.do(RemindOfDecision{})
		}
		if s.Status == StatusDraft {
			w.now = w.now.Add(8 * 24 * time.Hour)
			w.do(TendDraft{Archive: draw(2) == 0})
		}
	case 12, 13, 14, 15, 16:
		admit := AdmitRun{Run: w.id("r"), Input: json.RawMessage(`1`), Repair: draw(2) == 0}
		admit.Trigger = []Trigger{TriggerManual, TriggerSchedule, TriggerWebhook, TriggerEvent, TriggerImport, TriggerFork}[draw(6)]
		if admit.Trigger == TriggerFork {
			admit.Fork = &Fork{Run: "r", FromCall: 1}
		}
		w.do(admit)
	case 17, 18, 19:
		w.do(AdmitRun{Run: w.id("r"), Trigger: TriggerRetry, Continues: pick(sortedKeys(s.Retries))})
	case 20, 21, 22:
		if s.Continuation != nil {
			w.do(AdmitRun{Run: w.id("r"), Trigger: TriggerContinuation, Continues: s.Continuation.Run})
		}
	case 23, 24, 25:
		w.do(CommitRun{Run: pick(runs), Through: 1 + draw(3), Seen: s.Commits - draw(2)})
		w.do(SettleRun{Run: pick(runs), Suspects: suspects[:draw(2)]})
	case 26, 27, 28, 29, 30:
		f := []failure.Failure{typeError, typeError, otherError, thirdError, timeLimit, refused, refused, signedOut, notAllowed, hostBroke, diverged}[draw(11)]
		if draw(3) == 0 {
			f.Strict += fmt.Sprint(draw(3)) // another place, the same kind
		}
		id := w.id("")
		var suspected []Suspect
		if draw(6) == 0 {
			f, suspected = stopped, suspects
			if draw(3) == 0 {
				f.Code = failure.CodeGarbage
			}
		}
		w.do(SettleRun{
			Suspects: suspected,
			Run:      pick(runs), Failure: &f, Writes: draw(2), Rehearsed: []Rehearsed{RehearsedNone, RehearsedReproduced, RehearsedReproduced, RehearsedWorks}[draw(4)],
			Task: "t" + id, Thread: "th" + id, Item: "it" + id,
		})
	case 31, 32, 33:
		if draw(8) == 0 && len(w.bases) > 0 {
			task = pick(sortedKeys(w.bases))
		}
		w.do(ProposeFix{Proposal: w.id("p"), Task: task, Code: codeV11})
	case 34, 35, 36:
		v := []Verification{identical, identical, identical, different, unverified, {Verdict: VerdictIdentical, Reasons: heldReasons}, {}}[draw(7)]
		w.do(JudgeFix{Proposal: proposal, ScriptID: w.id("s"), Verification: v, Unheard: []string{"", unheard}[draw(2)]})
	case 37:
		if draw(3) == 0 {
			w.do(EndMaintenance{Task: task, Explanation: "x"})
		}
	case 38:
		w.do(AcceptFix{Proposal: holding, ScriptID: w.id("s")})
	case 39:
		w.do([]Command{
			DeclineFix{Proposal: holding}, CorrectFix{Proposal: holding, Note: "x"}, RecheckFix{Proposal: holding, Verification: identical, Heard: draw(2) == 0},
		}[draw(3)])
	case 40:
		if of, _, ok := s.Rehearsable(); ok && draw(2) == 0 {
			w.do(FindWorking{Run: of})
		} else if _, at, due := s.RehearsalDue(); due && at.After(w.now) && draw(2) == 0 {
			w.now = at
			w.do(NoteRehearsal{Run: of})
		}
		w.storm()
	case 41:
		w.offer()
	case 43:
		w.do(ClaimWork{Work: WorkReview, By: w.id("c"), Until: w.now.Add(time.Duration(draw(2)) * time.Minute)})
		if due := s.ToReview(); len(due) > 0 {
			of := []string{due[0].Run}
			w.do([]Command{
				ReviewMarkedRuns{Version: s.Active, Agreed: of}, ReviewMarkedRuns{Version: s.Active, Silent: of},
				ReviewMarkedRuns{Version: s.Active, Differ: []Reviewed{{Run: due[0].Run, Text: "x"}}},
			}[draw(3)])
		}
		w.do(TrustRun{Run: pick(sortedKeys(w.settled))})
		id := w.id("")
		w.do(RepairRun{Run: pick(sortedKeys(w.settled)), Failure: typeError, Task: "t" + id, Thread: "th" + id, Item: "it" + id})
		half := pick(append(sortedKeys(s.Unfinished), sortedKeys(s.Retries)...))
		w.do([]Command{
			ContinueRun{Run: half}, LeaveRun{Run: half}, AdmitRun{Run: w.id("r"), Trigger: TriggerManual, Restarts: half}, CancelRun{Run: half},
		}[draw(4)])
		cancel := slices.Concat(runs, sortedKeys(w.accepted))
		if m := s.Maintenance; m != nil {
			cancel = append(append(cancel, m.Run), m.Attached...)
		}
		if s.Continuation != nil {
			cancel = append(cancel, s.Continuation.Run)
		}
		w.do(CancelRun{Run: pick(cancel), Writes: draw(2), Ended: draw(8) == 0})
	case 44:
		v := []Verification{identical, identical, different, unverified, {Verdict: VerdictIdentical, Reasons: heldReasons}}[draw(5)]
		id := w.id("")
		task, _ := s.Suggestible(w.now)
		w.do(SuggestFix{
			Run:      task.Run,
			Proposal: "p" + id, ScriptID: "s" + id, Base: s.Active, Code: codeV11 + "//" + id, Verification: v, Task: "t" + id, Thread: "th" + id, Item: "it" + id,
		})
	case 42:
		w.do([]Command{
			SetTrigger{Source: "v", Outcomes: []Outcome{OutcomeSucceeded}, After: w.outcomes}, RemoveTrigger{Source: "v"},
			SetTrigger{Source: "v", Outcomes: []Outcome{OutcomeSucceeded, OutcomeFailed}, After: w.outcomes},
		}[draw(3)])
	}
}

// purposeful is a kind of step that leads on from where the workflow is.
func (w *world) purposeful() int {
	kinds := map[Status][]int{
		StatusDraft: {3, 12}, StatusActive: {12, 13, 20, 21, 23, 26, 27}, StatusMaintenance: {31, 32, 34, 35, 37, 12, 26}, StatusHeld: {38, 39, 39, 12, 26, 31, 34},
		StatusWaiting: {3}, StatusEscalated: {3, 26, 44}, StatusPaused: {3, 31, 34}, StatusArchived: {6},
	}[w.state.Status]
	if w.state.PlannerRunning() {
		kinds = append(slices.Clone(kinds), 9, 9)
	}
	return kinds[w.draw(len(kinds))]
}

// offer has inputs come, and those that wait go on.
func (w *world) offer() {
	switch w.draw(4) {
	case 0:
		w.do(OfferInput{Run: w.id("r"), Trigger: TriggerWebhook, Input: json.RawMessage(`1`)})
	case 1, 2:
		w.outcomes++
		source := Source{Workflow: "v", Revision: w.outcomes, Outcome: OutcomeSucceeded, Hops: 1 + w.draw(MaxHops+2)}
		for range 2 { // two nodes see it
			w.do(OfferInput{Run: fmt.Sprintf("v%d", w.outcomes), Trigger: TriggerEvent, Source: &source})
		}
	}
	if w.draw(4) == 0 {
		w.do(RetryInputs{})
	}
	if admit, at, ok := w.state.NextInput(w.now); ok && at.IsZero() {
		if admit.Run == "" {
			admit.Run = w.id("r")
		}
		w.do(admit)
		_, admitted := w.state.Admitted[admit.Run]
		require.True(w.t, admitted, "what NextInput names can be done")
	}
}

// dealt counts what became of an outcome: it leads to one thing, and then at most to its run.
func (w *world) dealt(source *Source, run string) {
	if source == nil || slices.ContainsFunc(w.state.Queue, func(q QueuedInput) bool { return q.Run == run }) {
		return
	}
	require.Greater(w.t, source.Revision, w.dealtWith, "an outcome has led to two things")
	w.dealtWith = source.Revision
}

// storm is an hour-long outage of the other side: every try fails.
func (w *world) storm() {
	for range 9 {
		for _, run := range sortedKeys(w.state.Retries) {
			w.do(AdmitRun{Run: w.id("r"), Trigger: TriggerRetry, Continues: run})
		}
		for _, run := range sortedKeys(w.state.Admitted) {
			w.do(SettleRun{Run: run, Failure: &refused})
		}
		w.do(ReportOutage{})
		w.now = w.now.Add(time.Hour)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (w *world) do(c Command) {
	before := w.state
	events, err := Decide(w.state, c, w.now)
	if err != nil {
		require.NotEqual(w.t, fault.Internal, fault.KindOf(err), "%#v: %v", c, err)
		require.Empty(w.t, events)
		return
	}
	for _, happened := range events {
		w.check(happened)
		name, version, payload, err := w.codec.Encode(happened)
		require.NoError(w.t, err)
		decoded, err := w.codec.Decode(name, version, payload)
		require.NoError(w.t, err)
		require.Equal(w.t, happened, decoded)
		after, err := Follow(w.state, happened)
		require.NoError(w.t, err, "what is decided follows: %#v", c)
		require.Equal(w.t, Evolve(w.state, happened), after)
		w.state, w.times = EvolveAt(w.state, happened, w.now), append(w.times, w.now)
		w.history = append(w.history, happened)
	}
	for _, run := range sortedKeys(w.halfDone) {
		w.hasAWayOn(run)
	}
	for _, run := range sortedKeys(w.accepted) {
		w.hasOnePlace(run)
	}
	require.True(w.t, slices.IsSortedFunc(w.state.Queue, func(a, b QueuedInput) int { return a.Number - b.Number }), "the queue is in the order in which inputs came")
	require.LessOrEqual(w.t, len(w.tasks), 1, "at most one open maintainer task")
	require.Equal(w.t, len(w.tasks) == 1, w.state.Maintenance != nil)
	if w.state.Active != (Version{}) {
		_, there := w.state.Script(w.state.Active)
		require.True(w.t, there, "active is a saved version")
	}
	if len(w.state.Unconfirmed()) == 0 {
		require.Equal(w.t, w.state.LastConfirmed, w.state.Active, "after %#v in %s", c, before.Status)
	}
	if w.state.Maintenance != nil {
		require.Equal(w.t, w.state.Maintenance.Base, w.state.Active, "an open task is about the active version")
	}
}

// check is called before an event is folded: w.state is what was decided on.
func (w *world) check(happened event.Event) {
	t := w.t
	switch e := happened.(type) {
	case ScriptSaved:
		require.False(t, w.versions[e.Version], "version %s is used twice", e.Version)
		if e.Origin == OriginMaintainer {
			require.Equal(t, w.state.Active.Major, e.Version.Major)
			require.Greater(t, e.Version.Minor, w.minors[e.Version.Major])
		} else {
			require.Greater(t, e.Version.Major, w.major)
			require.Zero(t, e.Version.Minor)
			w.major = e.Version.Major
			w.fixes, w.escalated = 0, false
			w.saves++
		}
		w.versions[e.Version], w.minors[e.Version.Major] = true, e.Version.Minor
	case WorkflowActivated:
		w.fixes, w.escalated = 0, false
	case InputQueued:
		w.dealt(e.Source, e.Run)
		w.accepted[e.Run] = true
	case InputRequeued:
		require.False(t, w.cancelled[e.Run], "the input of a cancelled run is tried again")
		require.True(t, w.accepted[e.Run], "it has its outcome")
	case InputSkipped:
		w.dealt(e.Source, e.Run)
		delete(w.accepted, e.Run)
	case RunAdmitted:
		w.dealt(e.Source, e.Run)
		require.False(t, w.cancelled[e.Continues] || w.cancelled[e.Restarts], "a run goes on with a cancelled one")
		if w.accepted[e.Continues] || e.Trigger == TriggerSchedule || e.Trigger == TriggerWebhook || e.Trigger == TriggerEvent {
			w.accepted[e.Run] = true
		}
		delete(w.accepted, e.Continues)
		delete(w.accepted, e.Restarts)
		w.checkAdmission(e)
		delete(w.halfDone, e.Continues)
		delete(w.halfDone, e.Restarts)
	case RunSucceeded:
		require.False(t, w.settled[e.Run])
		w.settled[e.Run] = true
		delete(w.accepted, e.Run)
	case RunFailed:
		require.False(t, w.settled[e.Run])
		w.settled[e.Run] = true
		if trigger := w.state.Admitted[e.Run].Trigger; e.Writes > 0 && trigger != TriggerFork && trigger != TriggerImport {
			w.halfDone[e.Run] = true
		}
	case RunUnfinished:
		require.False(t, w.asked[e.Run], "a person is asked twice")
		w.asked[e.Run] = true
	case RunCancelled:
		require.False(t, w.cancelled[e.Run], "it is cancelled twice")
		w.cancelled[e.Run], w.settled[e.Run] = true, true
		delete(w.halfDone, e.Run)
		delete(w.accepted, e.Run)
	case RunLeft:
		delete(w.halfDone, e.Run)
		delete(w.accepted, e.Run)
	case RetryScheduled:
		require.False(t, w.cancelled[e.Run], "a cancelled run is tried again")
		delete(w.asked, e.Run)
	case MaintenanceEntered:
		require.Equal(t, w.state.Active, e.Base, "only the active version is maintained")
		require.Equal(t, w.fixes+1, e.Attempt)
		require.LessOrEqual(t, e.Attempt, e.Budget, "the budget is never exceeded")
		if !w.escalated { // else somebody suggested a fix
			require.NotEqual(t, ModeOff, w.state.Settings.AutoFix)
		}
		w.escalated = false
		require.NotContains(t, w.bases, e.Task)
		w.tasks[e.Task], w.bases[e.Task], w.budgets[e.Task], w.savesAt[e.Task] = true, e.Base, e.Budget, w.saves
	case MaintenanceExited:
		require.True(t, w.tasks[e.Task])
		delete(w.tasks, e.Task)
	case FixProposed:
		w.taskOf[e.Proposal] = e.Task
	case FixRejectedStale:
		w.stale[e.Proposal] = true
	case FixApplied:
		w.checkFix(e.Proposal, e.Version)
	case FixAccepted:
		w.checkFix(e.Proposal, e.Version)
	case NotReproduced:
		if over := w.state.Escalation; over != nil && over.Run == e.Run {
			w.escalated = false
		}
	case FixConfirmed:
		w.checkChain(e.Version, e.Run)
		w.fixes = 0
	case FixRegressed:
		w.checkChain(e.Version, e.Run)
	case Escalated:
		require.False(t, w.escalated, "escalated twice")
		w.escalated = true
	}
}

// hasAWayOn: nothing half done is dropped. A failed run that wrote is tried again, repaired, waits for
// access, or its person is asked.
func (w *world) hasAWayOn(run string) {
	s := w.state
	_, retried := s.Retries[run]
	repaired := s.Maintenance != nil && (s.Maintenance.Run == run || slices.Contains(s.Maintenance.Attached, run))
	if !retried && !repaired && !w.asked[run] && (s.Continuation == nil || s.Continuation.Run != run) {
		require.NotNil(w.t, s.Waiting, "run %s is half done, and nobody is told", run)
	}
}

// hasOnePlace: no input or slot that was taken in is lost. Its run is under way, tried again, repaired, half done, or it waits in
// the queue, where it is once.
func (w *world) hasOnePlace(run string) {
	s := w.state
	_, admitted := s.Admitted[run]
	_, retried := s.Retries[run]
	_, halfDone := s.Unfinished[run]
	goesOn := s.Continuation != nil && s.Continuation.Run == run
	repaired := s.Maintenance != nil && s.Maintenance.Run == run
	places := 0
	for _, q := range s.Queue {
		if q.Run == run {
			places++
		}
	}
	require.LessOrEqual(w.t, places, 1, "run %s waits twice", run)
	require.False(w.t, places > 0 && (retried || goesOn), "run %s is tried again, and waits for it as well", run)
	require.True(w.t, admitted || retried || halfDone || goesOn || repaired || places == 1, "the input of run %s is lost", run)
}

// checkFix: a fix becomes a version only if nothing overtook it, and within the budget its task was entered with.
func (w *world) checkFix(proposal string, v Version) {
	task := w.taskOf[proposal]
	require.False(w.t, w.stale[proposal], "a stale fix became active")
	require.True(w.t, w.tasks[task], "maintenance was left")
	require.Equal(w.t, w.savesAt[task], w.saves, "the major moved on")
	require.Equal(w.t, w.bases[task], w.state.Active, "the active version is not the base")
	w.fixes++
	require.LessOrEqual(w.t, w.fixes, w.budgets[task], "the budget is never exceeded")
	w.fixedRun[v] = w.state.Maintenance.Run
}

// checkChain: the run ran on the fix and goes back, run by run, to the one it was made for.
func (w *world) checkChain(fix Version, run string) {
	require.Equal(w.t, fix, w.ran[run])
	for at := run; at != w.fixedRun[fix]; at = w.continued[at] {
		require.NotEmpty(w.t, w.continued[at], "run %s does not continue %s", run, w.fixedRun[fix])
	}
}

func (w *world) checkAdmission(e RunAdmitted) {
	w.ran[e.Run], w.continued[e.Run] = e.Version, e.Continues
	if e.Trigger == TriggerImport {
		require.NotEqual(w.t, StatusArchived, w.state.Status)
		return
	}
	require.Equal(w.t, w.state.Active, e.Version, "runs start on the active version")
	again := e.Trigger == TriggerRetry || e.Trigger == TriggerContinuation
	switch w.state.Status {
	case StatusActive:
	case StatusDraft:
		require.True(w.t, again || e.Trigger == TriggerManual || e.Trigger == TriggerFork)
	case StatusMaintenance:
		require.True(w.t, again, "only the continuation")
	case StatusHeld:
		byHand := e.Trigger == TriggerManual || e.Trigger == TriggerFork || e.Trigger == TriggerSchedule
		require.False(w.t, w.state.Settings.OnHold == OnHoldBlock && !again)
		require.False(w.t, w.state.Settings.OnHold == "" && byHand)
	case StatusEscalated:
		require.Equal(w.t, OnHoldContinue, w.state.Settings.OnEscalation)
	default:
		require.Fail(w.t, "no run is admitted here", "%s in %s", e.Trigger, w.state.Status)
	}
	active := 1
	for _, info := range w.state.Admitted {
		if info.Trigger != TriggerImport {
			active++
		}
	}
	require.LessOrEqual(w.t, active, max(w.state.Settings.MaxActive, 1), "too many active runs")
}

// canComeBack: from every reachable state some person's actions lead back to active, and a run can start there.
func (w *world) canComeBack() {
	seen := map[Status]bool{}
	states := []State{w.state}
	for range 4 {
		var next []State
		for _, s := range states {
			if s.Status == StatusActive {
				w.canRun(s)
				return
			}
			seen[s.Status] = true
			held := ""
			if s.Maintenance != nil && s.Maintenance.Held != nil {
				held = s.Maintenance.Held.Proposal
			}
			for _, c := range []Command{
				Activate{}, Restore{}, DeclineFix{Proposal: held}, AcceptFix{Proposal: held, ScriptID: "s"},
				SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPerson},
			} {
				if events, err := Decide(s, c, w.now); err == nil {
					after := s
					for _, happened := range events {
						after = Evolve(after, happened)
					}
					next = append(next, after)
				}
			}
		}
		states = next
	}
	require.Fail(w.t, "stuck", "no person's actions lead from %s back to active", w.state.Status)
}

// canRun: once the runs under way have ended, a new one can start, or the failed one goes on.
func (w *world) canRun(s State) {
	for _, run := range sortedKeys(s.Admitted) {
		events, err := Decide(s, SettleRun{Run: run}, w.now)
		require.NoError(w.t, err)
		for _, happened := range events {
			s = Evolve(s, happened)
		}
	}
	ask, now := AdmitRun{Run: "last", Trigger: TriggerManual}, w.now
	switch {
	case s.Continuation != nil:
		ask = AdmitRun{Run: "last", Trigger: TriggerContinuation, Continues: s.Continuation.Run}
	case len(s.Retries) >= max(s.Settings.MaxActive, 1): // any of them: none waits for another
		retry := s.Retries[sortedKeys(s.Retries)[0]]
		ask = AdmitRun{Run: "last", Trigger: TriggerRetry, Continues: retry.Run}
		if retry.At.After(now) {
			now = retry.At
		}
	}
	_, err := Decide(s, ask, now)
	require.NoError(w.t, err)
}
