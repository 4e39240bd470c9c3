package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// ledger is a second opinion on a workflow's stream: it knows the rules, and nothing of the code
// that decides and folds.
type ledger struct {
	sim  *sim
	zone string
	at   time.Time // by the clock of who recorded the event

	settings workflow.Settings
	due      *schedule.Schedule
	counted  time.Time // slots have their outcome until here, or count from here

	activated, paused, archived, escalated, waiting, planning bool

	active    workflow.Version
	saved     map[workflow.Version]workflow.ScriptSaved
	admitted  map[string]workflow.RunAdmitted
	ran       map[string]workflow.Version
	failures  map[string]failure.Failure
	retries   map[string]workflow.RetryScheduled
	byHand    map[string]bool // runs whose failure concerns only them
	attempts  map[string]int
	tasks     map[string]bool // runs that a task was opened for
	task      *workflow.MaintenanceEntered
	held      string
	proposals map[string]workflow.FixProposed
	verdicts  map[string]string // of proposals
	fixes     int               // since the budget was last whole
	unproved  map[workflow.Version]string
	leases    map[string]lease // by run stream
	goesOn    string           // the run that has to go on with the newest fix, at once
	failed    string           // the run that has just failed
	works     string           // the run that was to be mended by what is held, and that works unchanged
	halfDone  map[string]bool  // failed runs that wrote, and were not continued, started again or left: is somebody asked?
	keys      orderKeys        // of a world with a cursor
}

// lease says who has a run.
type lease struct {
	node  string
	until time.Time
}

func newLedger(s *sim) *ledger {
	return &ledger{
		sim: s, zone: "UTC", saved: map[workflow.Version]workflow.ScriptSaved{}, admitted: map[string]workflow.RunAdmitted{},
		ran:      map[string]workflow.Version{},
		leases:   map[string]lease{},
		halfDone: map[string]bool{},
		keys:     orderKeys{made: map[string]int{}, by: map[string]string{}, asked: map[string]int{}, first: map[string]string{}},
		failures: map[string]failure.Failure{}, retries: map[string]workflow.RetryScheduled{}, byHand: map[string]bool{}, attempts: map[string]int{},
		tasks: map[string]bool{}, proposals: map[string]workflow.FixProposed{}, verdicts: map[string]string{}, unproved: map[workflow.Version]string{},
	}
}

// verify looks at the whole history.
func (s *sim) verify() {
	l := newLedger(s)
	audit := commands.NewAudit(s.codec)
	s.stats.byType = map[string]int{}
	for i, record := range s.store.records() {
		s.stats.events++
		s.stats.byType[record.Type]++
		if err := audit.Check(record); err != nil {
			s.violated("the history is not whole: %v", err)
			return
		}
		l.hold(record)
		l.keys.see(s, i, record)
		if record.Type == run.TypeEffectInDoubt && strings.Contains(string(record.Payload), safeHost) {
			s.violated("a write is in doubt that can be sent again: %s", record.Payload)
		}
	}
	history, err := s.history()
	if err != nil {
		s.violated("the history cannot be read: %v", err)
		return
	}
	l.read(history)
	if s.cursor {
		for id, write := range s.web.writes {
			l.keys.hold(s, id, write)
		}
	}
	if s.stats.outcome == "" {
		return // it was not let come to rest
	}
	l.end()
	for id, write := range s.web.writes {
		if len(write.keys) != 1 && !s.cursor {
			s.violated("the write %v went out with %d keys", id, len(write.keys))
		}
	}
}

// moment is an event of the workflow, and when it was recorded.
type moment struct {
	at       time.Time
	happened event.Event
}

func (s *sim) history() ([]moment, error) {
	var history []moment
	for one, err := range s.people.History(context.Background(), []string{workflow.Stream(s.id)}) {
		if err != nil {
			return nil, err
		}
		history = append(history, moment{one.Metadata.RecordedAt, one.Event})
	}
	return history, nil
}

func (l *ledger) read(history []moment) {
	for _, one := range history {
		l.at = one.at
		l.see(one.happened)
	}
}

// end holds that nothing is left of a workflow that has come to rest.
func (l *ledger) end() {
	for of := range l.admitted {
		l.wrong("run %s is lost", of)
	}
	for of, asked := range l.halfDone {
		if !asked {
			l.wrong("run %s was left half done, and nobody was asked", of)
		}
	}
	for id, p := range l.proposals {
		if l.verdicts[id] == "" {
			l.wrong("proposal %s for %s has no verdict", id, p.Base)
		}
	}
	if l.due != nil {
		if slot, ok := l.due.Next(l.counted); ok && l.at.Sub(slot) > 2*time.Hour {
			l.wrong("the slot %s has no outcome", slot)
		}
	}
}

// hold holds that nobody goes on with a run that another node has the lease of, by the clock of who
// goes on.
func (l *ledger) hold(record eventlog.Record) {
	var e struct {
		Node       string    `json:"node"`
		LeaseUntil time.Time `json:"lease_until"`
		Until      time.Time `json:"until"`
	}
	switch record.Type {
	case run.TypeRunStarted, run.TypeRunResumed, run.TypeRunLeaseExtended:
		if err := json.Unmarshal(record.Payload, &e); err != nil {
			l.sim.violated("%s of %s: %v", record.Type, record.Stream, err)
			return
		}
	default:
		return
	}
	held := l.leases[record.Stream]
	switch record.Type {
	case run.TypeRunLeaseExtended:
		held.until = e.Until
	case run.TypeRunResumed:
		var meta event.Metadata
		if err := json.Unmarshal(record.Metadata, &meta); err != nil {
			l.sim.violated("%s of %s: %v", record.Type, record.Stream, err)
		}
		if e.Node != held.node && meta.RecordedAt.Before(held.until) {
			l.sim.violated("%s went on with %s at %s, and %s has its lease until %s", e.Node, record.Stream, meta.RecordedAt, held.node, held.until)
		}
		fallthrough
	default:
		held.node, held.until = e.Node, e.LeaseUntil
	}
	l.leases[record.Stream] = held
}

func (l *ledger) wrong(format string, values ...any) {
	l.sim.violated("%s: %s", l.at.UTC().Format("Jan 2 15:04:05"), fmt.Sprintf(format, values...))
}

func (l *ledger) see(happened event.Event) {
	switch e := happened.(type) {
	case workflow.SettingsChanged:
		l.settings = e.Settings
	case workflow.ScheduleChanged:
		l.reschedule(e)
	case workflow.WorkflowActivated:
		l.activated, l.paused, l.escalated, l.waiting, l.fixes, l.failed = true, false, false, false, 0, ""
	case workflow.WorkflowPaused:
		l.paused = true
	case workflow.WorkflowArchived:
		l.archived, l.goesOn = true, ""
		l.retries = map[string]workflow.RetryScheduled{}
	case workflow.WorkflowRestored:
		l.archived, l.paused = false, true
	case workflow.PlannerTaskOpened:
		l.planning = true
	case workflow.PlannerTaskClosed:
		l.planning = false
	case workflow.ScriptSaved:
		l.save(e)
	case workflow.SlotSkipped:
		l.slots(e.Slot, e.Through)
	case workflow.RunAdmitted:
		l.admit(e)
	case workflow.RunSucceeded:
		l.settle(e.Run)
		l.sim.stats.runs++
	case workflow.RunFailed:
		l.settle(e.Run)
		l.sim.stats.runs++
		l.failures[e.Run], l.failed = e.Failure, e.Run
		if e.Writes > 0 {
			l.halfDone[e.Run] = false
		}
		if e.Failure.Class == failure.Internal {
			l.wrong("run %s failed for a reason of ours: %s", e.Run, e.Failure)
		}
	case workflow.AuthErrorClassified:
		l.waiting = l.waiting || l.ofActive(e.Run)
	case workflow.PermissionErrorClassified:
		l.waiting = l.waiting || l.ofActive(e.Run)
	case workflow.RetryScheduled:
		l.retry(e)
	case workflow.RunUnfinished:
		if asked, halfDone := l.halfDone[e.Run]; asked || !halfDone {
			l.wrong("run %s is asked about: half done %t, asked before %t", e.Run, halfDone, asked)
		}
		l.halfDone[e.Run], l.failed = true, ""
	case workflow.RunLeft:
		delete(l.halfDone, e.Run)
	default:
		l.seeRepair(happened)
	}
}

func (l *ledger) reschedule(e workflow.ScheduleChanged) {
	// A slot keeps its outcome, also one that a clock gave that was ahead.
	if l.due = nil; e.From.After(l.counted) {
		l.counted = e.From
	}
	if e.Spec == "" {
		return
	}
	name := e.Zone
	if name == "" {
		name = l.zone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		l.wrong("the zone %s: %v", name, err)
		return
	}
	due, err := schedule.Parse(e.Spec, zone)
	if err != nil {
		l.wrong("the schedule %s: %v", e.Spec, err)
		return
	}
	l.due = &due
}

// slots holds that slots get their outcome in order, each of them, and none twice.
func (l *ledger) slots(first, last *time.Time) {
	if first == nil {
		return
	}
	if last == nil {
		last = first
	}
	if l.due == nil {
		l.wrong("the slot %s is of no schedule", first)
		return
	}
	if want, ok := l.due.Next(l.counted); !ok || !want.Equal(*first) {
		l.wrong("the slot %s has an outcome, and %s was the next", first, want)
	}
	for slot := *first; slot.Before(*last); {
		next, ok := l.due.Next(slot)
		if !ok || next.After(*last) {
			l.wrong("slots were skipped through %s, which is none", last)
			break
		}
		slot = next
	}
	l.counted = *last
}

func (l *ledger) admit(e workflow.RunAdmitted) {
	continues := e.Trigger == workflow.TriggerContinuation
	active := len(l.admitted)
	if !continues && e.Trigger != workflow.TriggerRetry {
		for failed := range l.retries {
			if !l.byHand[failed] { // nobody waits for what a person tries
				active++
			}
		}
	}
	switch most := l.settings.WithDefaults().MaxActive; {
	case active >= most:
		l.wrong("run %s was admitted beside %d others, of which %d wait for a retry", e.Run, active, active-len(l.admitted))
	case l.paused, l.archived, l.waiting, !l.activated:
		l.wrong("run %s was admitted: paused %t, archived %t, waiting %t, activated %t", e.Run, l.paused, l.archived, l.waiting, l.activated)
	case l.escalated:
		l.wrong("run %s was admitted, and a person has to look first", e.Run)
	case l.task != nil && !continues && !l.triesAgain(e):
		l.wrong("run %s was admitted during maintenance", e.Run)
	}
	if l.goesOn != "" && (!continues || e.Continues != l.goesOn) {
		l.wrong("run %s was admitted, and %s had to go on with the fix first", e.Run, l.goesOn)
	}
	l.goesOn = ""
	if e.Version != l.active {
		l.wrong("run %s was admitted on %s, and %s is active", e.Run, e.Version, l.active)
	}
	if e.Trigger == workflow.TriggerSchedule {
		l.slots(e.Slot, nil)
	}
	if retry, waits := l.retries[e.Continues]; e.Trigger == workflow.TriggerRetry {
		if !waits || l.at.Before(retry.At) || e.Attempt != retry.Attempt {
			l.wrong("run %s tries %s again, attempt %d, and was to wait until %s", e.Run, e.Continues, e.Attempt, retry.At)
		}
		delete(l.retries, e.Continues)
		l.attempts[e.Run] = e.Attempt
	}
	l.byHand[e.Run] = e.Aside || e.Trigger == workflow.TriggerRetry && l.byHand[e.Continues]
	delete(l.halfDone, e.Continues)
	l.admitted[e.Run], l.ran[e.Run] = e, e.Version
}

// triesAgain says that a retry goes on with what tries a fix.
func (l *ledger) triesAgain(e workflow.RunAdmitted) bool {
	_, unproved := l.unproved[l.active]
	return e.Trigger == workflow.TriggerRetry && unproved
}

func (l *ledger) settle(of string) {
	if _, there := l.admitted[of]; !there {
		l.wrong("run %s was settled, and was not under way", of)
	}
	delete(l.admitted, of)
}

// ofActive says that a run that has just failed was of the active version.
func (l *ledger) ofActive(of string) bool { return l.ran[of] == l.active }

const (
	simFirstDelay   = 10 * time.Second
	simLongestDelay = 10 * time.Minute
)

// retry holds that each try waits longer than the one before it, up to a limit.
func (l *ledger) retry(e workflow.RetryScheduled) {
	if e.Run != l.failed { // at a person's word, at once
		if _, halfDone := l.halfDone[e.Run]; !halfDone || e.Attempt != 1 {
			l.wrong("run %s goes on as attempt %d, and is half done: %t", e.Run, e.Attempt, halfDone)
		}
		l.halfDone[e.Run], l.retries[e.Run] = false, e
		return
	}
	if e.Run == l.works { // its reads are good again: from the beginning, at once
		if e.Attempt != 1 || !e.Fresh {
			l.wrong("run %s works unchanged, and is tried again as attempt %d, from the beginning: %t", e.Run, e.Attempt, e.Fresh)
		}
		l.works, l.retries[e.Run] = "", e
		return
	}
	want := simLongestDelay
	if e.Attempt < 8 {
		want = min(simFirstDelay<<(e.Attempt-1), simLongestDelay)
	}
	if e.Attempt != l.attempts[e.Run]+1 || e.Attempt > 8 {
		l.wrong("run %s is tried again as attempt %d after attempt %d", e.Run, e.Attempt, l.attempts[e.Run])
	}
	if waits := e.At.Sub(l.at); waits < want*8/10-time.Second {
		l.wrong("run %s is tried again, attempt %d, after only %s", e.Run, e.Attempt, waits)
	}
	l.retries[e.Run] = e
}

func (l *ledger) save(e workflow.ScriptSaved) {
	if e.Origin == workflow.OriginMaintainer {
		base := l.saved[l.proposals[e.Proposal].Base]
		if e.Summary != base.Summary || e.Diagram != base.Diagram {
			l.wrong("a fix changed more than the code of %s", base.Version)
		}
	} else {
		l.fixes, l.escalated, l.goesOn = 0, false, ""
		l.unproved = map[workflow.Version]string{}
		l.retries = map[string]workflow.RetryScheduled{}
	}
	want := workflow.Version{Major: 1}
	for version := range l.saved {
		switch {
		case e.Origin != workflow.OriginMaintainer:
			want.Major = max(want.Major, version.Major+1)
		case version.Major == l.active.Major:
			want = workflow.Version{Major: version.Major, Minor: max(want.Minor, version.Minor+1)}
		}
	}
	if e.Version != want {
		l.wrong("version %s was saved, and %s was the next", e.Version, want)
	}
	l.saved[e.Version], l.active = e, e.Version
}

func (l *ledger) seeRepair(happened event.Event) {
	switch e := happened.(type) {
	case workflow.MaintenanceEntered:
		l.enter(e)
	case workflow.MaintenanceExited:
		l.task, l.held = nil, ""
	case workflow.FixProposed:
		if l.planning && l.task != nil && l.task.Task == e.Task { // else it is stale, which is recorded
			l.wrong("a fix was proposed while the planner was at work")
		}
		l.proposals[e.Proposal] = e
	case workflow.FixHeld:
		l.held = e.Proposal
	case workflow.FixCorrectionRequested:
		l.held = ""
		l.reject(e.Proposal, "corrected")
	case workflow.NotReproduced:
		if l.held != "" && l.task != nil && l.task.Run == e.Run {
			l.works = e.Run
		}
	case workflow.FixRejectedStale:
		l.reject(e.Proposal, "stale")
		if e.Why == workflow.StaleWorks && l.held == e.Proposal && l.works != "" {
			break
		}
		if e.Why == workflow.StaleReplaced && l.held == e.Proposal {
			l.held = ""
			break
		}
		if p := l.proposals[e.Proposal]; !l.archived && l.task != nil && l.task.Task == p.Task && p.Base == l.active {
			l.wrong("proposal %s was called stale (%s), and is not", e.Proposal, e.Why)
		}
	case workflow.FixRejectedDifferent:
		l.reject(e.Proposal, "different")
	case workflow.FixDeclined:
		l.reject(e.Proposal, "declined")
	case workflow.FixApplied:
		l.fix(e.Proposal, e.Version)
	case workflow.FixAccepted:
		l.fix(e.Proposal, e.Version)
	case workflow.FixConfirmed:
		l.fixes = 0
		for version := range l.unproved {
			if version.Compare(e.Version) <= 0 {
				delete(l.unproved, version)
			}
		}
	case workflow.Escalated:
		l.escalate(e)
	}
}

func (l *ledger) enter(e workflow.MaintenanceEntered) {
	f, failed := l.failures[e.Run]
	switch {
	case !failed || !f.Class.Repairable():
		l.wrong("maintenance was entered for run %s, which failed with class %q", e.Run, f.Class)
	case l.tasks[e.Run]:
		l.wrong("run %s has two tasks", e.Run)
	case l.task != nil:
		l.wrong("task %s was opened beside %s", e.Task, l.task.Task)
	case l.fixes >= l.settings.WithDefaults().Budget:
		l.wrong("maintenance was entered with %d fixes spent of %d", l.fixes, l.settings.WithDefaults().Budget)
	case l.escalated:
		l.wrong("maintenance was entered, and a person has to look first")
	case l.failures[l.proposals[l.unproved[l.ran[e.Run]]].Run].Strict == f.Strict:
		l.wrong("maintenance was entered for run %s, which failed as the one did that its version was to fix", e.Run)
	}
	l.tasks[e.Run], l.task = true, &e
}

func (l *ledger) reject(proposal, why string) {
	if before := l.verdicts[proposal]; before != "" {
		l.wrong("proposal %s is %s, and was %s", proposal, why, before)
	}
	l.verdicts[proposal] = why
}

func (l *ledger) fix(proposal string, v workflow.Version) {
	l.reject(proposal, "applied")
	p := l.proposals[proposal]
	if l.task == nil || l.task.Task != p.Task || p.Base != l.active {
		l.wrong("proposal %s of task %s for %s was applied on %s: it is stale", proposal, p.Task, p.Base, l.active)
	}
	l.fixes++
	if l.fixes > l.settings.WithDefaults().Budget {
		l.wrong("%d fixes, and the budget is %d", l.fixes, l.settings.WithDefaults().Budget)
	}
	l.unproved[v], l.goesOn = proposal, p.Run
}

func (l *ledger) escalate(e workflow.Escalated) {
	if l.escalated {
		l.wrong("it was escalated twice: %s", e.Reason)
	}
	if e.Reason == workflow.EscalatedBudget && l.fixes != l.settings.WithDefaults().Budget {
		l.wrong("it was escalated for its budget with %d fixes spent of %d", l.fixes, l.settings.WithDefaults().Budget)
	}
	for id, p := range l.proposals {
		if e.Task != "" && p.Task == e.Task && l.verdicts[id] == "stale" {
			l.wrong("task %s was escalated, and its fix was stale", e.Task)
		}
	}
	if !slices.Contains(e.Actions, workflow.ActionReplan) {
		l.wrong("an escalation without re-plan")
	}
	for _, version := range e.Withdrawn {
		delete(l.unproved, version)
	}
	l.escalated, l.goesOn = true, ""
	l.active = e.Active
}

// sameState compares all of two states, with what they keep to themselves.
func sameState(a, b workflow.State) bool { return reflect.DeepEqual(a, b) }

// naive is [silentSkip].
type naive struct {
	commands *commands.Commands
	now      func() time.Time
	tried    time.Time
}

func (n *naive) Name() string { return "scheduler" }

func (n *naive) Due(id string, state workflow.State) []loop.Work {
	zone, err := time.LoadLocation(state.Schedule.Zone)
	if err != nil {
		return nil
	}
	due, err := schedule.Parse(state.Schedule.Spec, zone)
	if err != nil {
		return nil
	}
	slot, ok := due.Next(n.now().Add(-time.Minute))
	if !ok || !slot.After(state.SlotsUntil) || !slot.After(n.tried) {
		return nil
	}
	return []loop.Work{{Key: "slot", At: slot, Do: func(ctx context.Context) error {
		n.tried = slot
		_, err := n.commands.AdmitRun(ctx, id, workflow.AdmitRun{
			Run: commands.DerivedID(id, slot.String()), Trigger: workflow.TriggerSchedule, Slot: &slot,
		}, commands.Meta{Actor: "system:scheduler"})
		_ = err // the slot is lost
		return nil
	}}}
}
