package workflow_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// everyStatus has one history for each status. All have the task t1 and the proposal p1 where a
// status can have them, and the settled run r1.
var everyStatus = map[Status]history{
	StatusDraft: draft, StatusActive: active, StatusMaintenance: judging, StatusHeld: held,
	StatusWaiting: waiting, StatusEscalated: escalated, StatusPaused: paused, StatusArchived: archived,
}

var statusOrder = []Status{
	StatusDraft, StatusActive, StatusMaintenance, StatusHeld, StatusWaiting, StatusEscalated, StatusPaused, StatusArchived,
}

// everyEvent has one of each type, about what the histories of everyStatus have.
func everyEvent() []event.Event {
	return []event.Event{
		WorkflowCreated{ID: "w", Title: "t"}, IntentChanged{Intent: "i"}, ScheduleChanged{}, SettingsChanged{},
		WorkflowActivated{}, WorkflowPaused{}, WorkflowArchived{}, WorkflowRestored{}, WorkflowDeleted{ID: "w"}, WorkflowErased{},
		ScriptSaved{ScriptID: "s", Version: v20, Code: codeV1, Origin: OriginPerson}, PackagesKept{SHA256: "d", Names: []string{"dayjs 1.11.13"}, Packed: "p"},
		RunAdmitted{Run: "n", Version: v10, Trigger: TriggerManual}, RunCommitted{Run: "n", Through: 1}, RunSucceeded{Run: "n", Version: v10},
		RunFailed{Run: "n", Version: v10, Failure: typeError}, RunUnfinished{Run: "n"}, RunLeft{Run: "n"}, RunCancelled{Run: "n", Version: v10}, SlotSkipped{Reason: "x"},
		LogicErrorClassified{Classified{Run: "n"}}, NetworkErrorClassified{Classified{Run: "n"}}, AuthErrorClassified{Classified{Run: "n"}},
		PermissionErrorClassified{Classified{Run: "n"}}, LimitErrorClassified{Classified{Run: "n"}}, InternalErrorClassified{Classified{Run: "n"}},
		NotReproduced{Run: "n"}, RetryScheduled{Run: "n", Attempt: 1}, RetriesExhausted{Run: "n"}, Recovered{Run: "n"},
		entered("t2", "n", v10, 1), FailureAttached{Task: "t1", Run: "n"}, RepairAsked{Run: "n", Version: v10, Failure: typeError},
		proposed("p2", "t1", "r1", v10), FixVerified{Proposal: "p1"}, FixApplied{Proposal: "p1", Version: v11},
		FixRejectedStale{Proposal: "p1"}, FixRejectedDifferent{Proposal: "p1"}, FixHeld{Proposal: "p1"},
		FixAccepted{Proposal: "p1", Version: v11}, FixDeclined{Proposal: "p1"}, FixCorrectionRequested{Proposal: "p1"},
		FixRechecked{Proposal: "p1"}, FixConfirmed{Version: v10}, FixRegressed{Version: v10}, RunExempted{Run: "r1"},
		DriftSuspected{Run: "r1", Suspects: []Suspect{{Key: "k"}}}, RunTrusted{Run: "r1", Keys: []string{"k"}}, MarkedRunsReviewed{Version: v20, Agreed: []string{"r1"}},
		MaintenanceExited{Task: "t1"}, Escalated{Active: v10},
		PlannerTaskOpened{Task: "pl"}, PlannerTaskWaiting{Task: "pl"}, PlannerTold{Task: "pl", Text: "go on"}, PlannerTaskClosed{Task: "pl"},
		QuestionAsked{Question: "q"}, QuestionAnswered{Question: "q"}, NotificationAcknowledged{Notification: "n"},
		TriggerSet{Source: "v"}, TriggerRemoved{Source: "v"}, InputQueued{Run: "n", Trigger: TriggerWebhook}, InputSkipped{Run: "n", Trigger: TriggerWebhook},
		InputRequeued{Run: "n", Trigger: TriggerWebhook, Waits: WaitsFix},
		DraftPrompted{At: scenario.Start}, DraftKept{}, DecisionDelegated{Notification: "n", To: "ben"}, DecisionReminded{Proposal: "p1"},
		StillFails{Run: "n"}, WorkClaimed{Work: WorkReview, By: "c1"}, OutageReported{Run: "n", Since: scenario.Start}, OutageEnded{Since: scenario.Start, Why: OutageAnswered},
	}
}

// Every event in every status. An event that is not named keeps the status.
func TestStatusTableWalksEveryEventInEveryStatus(t *testing.T) {
	t.Parallel()
	type row map[Status]Status
	all := func(to Status, but row) row {
		r := row{}
		for _, status := range statusOrder {
			r[status] = to
		}
		for status, other := range but {
			r[status] = other
		}
		return r
	}
	// When a task is over, the next event of the same append decides the status.
	answered := row{StatusHeld: StatusMaintenance}
	table := map[string]row{
		TypeWorkflowActivated: {StatusDraft: StatusActive, StatusWaiting: StatusActive, StatusEscalated: StatusActive, StatusPaused: StatusActive},
		TypeWorkflowPaused:    all(StatusPaused, row{StatusArchived: StatusArchived}),
		TypeWorkflowArchived:  all(StatusArchived, nil),
		TypeWorkflowDeleted:   all(StatusDeleted, nil),
		TypeWorkflowRestored:  all(StatusPaused, row{StatusDraft: StatusDraft}),
		TypeScriptSaved:       {StatusEscalated: StatusActive},
		TypeMaintenanceEntered: {
			StatusDraft: StatusMaintenance, StatusActive: StatusMaintenance, StatusWaiting: StatusMaintenance, StatusHeld: StatusMaintenance,
			StatusEscalated: StatusMaintenance,
		},
		TypeMaintenanceExited:         {StatusMaintenance: StatusActive, StatusHeld: StatusActive},
		TypeAuthErrorClassified:       {StatusDraft: StatusWaiting, StatusActive: StatusWaiting},
		TypePermissionErrorClassified: {StatusDraft: StatusWaiting, StatusActive: StatusWaiting},
		TypeEscalated: {
			StatusDraft: StatusEscalated, StatusActive: StatusEscalated, StatusMaintenance: StatusEscalated,
			StatusHeld: StatusEscalated, StatusWaiting: StatusEscalated,
		},
		TypeFixHeld:                {StatusMaintenance: StatusHeld},
		TypeFixApplied:             answered,
		TypeFixAccepted:            answered,
		TypeFixDeclined:            answered,
		TypeFixCorrectionRequested: answered,
		TypeFixRejectedStale:       answered,
		TypeFixRejectedDifferent:   answered,
	}
	registry := event.NewRegistry()
	Register(registry)
	var walked []string
	for _, happened := range everyEvent() {
		walked = append(walked, happened.EventType())
		for _, status := range statusOrder {
			before, untouched := fold(everyStatus[status]...), fold(everyStatus[status]...)
			require.Equal(t, status, before.Status)
			want, named := table[happened.EventType()][status]
			if !named {
				want = status
			}
			require.Equal(t, want, Evolve(before, happened).Status, "%s in %s", happened.EventType(), status)
			require.Equal(t, untouched, before, "%s in %s changed the state it was given", happened.EventType(), status)
		}
	}
	slices.Sort(walked)
	require.Equal(t, registry.Types(), walked)
}

// everyCommand has one of each type that makes sense somewhere in everyStatus.
func everyCommand() []Command {
	return []Command{
		Create{ID: "w", Title: "t"}, ChangeIntent{Intent: "i"}, ChangeSchedule{Spec: "@daily"}, ChangeSettings{Settings: Settings{Budget: 7}},
		SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPerson}, Rollback{To: v10, ScriptID: "s"},
		Activate{}, Pause{}, Archive{}, Restore{}, Delete{}, EndDeletion{},
		AdmitRun{Run: "n", Trigger: TriggerSchedule}, AdmitRun{Run: "n", Trigger: TriggerWebhook},
		AdmitRun{Run: "n", Trigger: TriggerManual}, AdmitRun{Run: "n", Trigger: TriggerImport}, SkipSlot{Reason: "x"},
		OfferInput{Run: "n", Trigger: TriggerWebhook}, OfferInput{Run: "n", Trigger: TriggerEvent, Source: outcome(7)}, RetryInputs{},
		SetTrigger{Source: "u", Outcomes: []Outcome{OutcomeFailed}}, RemoveTrigger{Source: "v"}, CommitRun{Run: "open", Through: 1}, SettleRun{Run: "open"}, settleFailed("broken", otherError),
		ExemptRun{Run: "good", Reason: "x"}, TrustRun{Run: "good"}, ReviewMarkedRuns{Version: v10, Agreed: []string{"good"}}, ContinueRun{Run: "half"}, LeaveRun{Run: "half"}, CancelRun{Run: "open"},
		AdmitRun{Run: "n", Trigger: TriggerManual, Restarts: "half"},
		FindWorking{Run: "r1"}, RepairRun{Run: "tried", Failure: typeError, Task: "t9", Thread: "th9", Item: "it9"},
		ProposeFix{Proposal: "p2", Task: "t1", Code: codeV11}, JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical},
		suggestion("p3", identical), EndMaintenance{Task: "t1"}, AcceptFix{Proposal: "p1", ScriptID: "s"}, DeclineFix{Proposal: "p1"}, CorrectFix{Proposal: "p1"},
		RecheckFix{Proposal: "p1", Verification: identical}, WithdrawFixes{},
		OpenPlannerTask{Task: "pl", Thread: "th"}, WaitPlannerTask{Task: "pl"}, TellPlanner{Task: "pl", Text: "go on"},
		ClosePlannerTask{Task: "pl"},
		AskQuestion{Question: "q", Task: "t1", Text: "?"}, AnswerQuestion{Question: "q"}, AcknowledgeNotification{Notification: "n"},
		TendDraft{}, DelegateDecision{Notification: "n", To: "ben"}, RemindOfDecision{}, DecideOverdue{ScriptID: "s"}, NoteRehearsal{Run: "r1"}, ClaimWork{Work: WorkReview, By: "c1", Until: scenario.Start}, ReportOutage{}, KeepDraft{},
	}
}

// Every command in every status: which events it leads to (the types' initials), nothing to
// do (-), or the kind of the refusal. To see what the code says, run with -v.
func TestStatusTableWalksEveryCommandInEveryStatus(t *testing.T) {
	t.Parallel()
	const want = `
command                  draft      active     maintenance  held         waiting    escalated  paused     archived
Create                   conflict   conflict   conflict     conflict     conflict   conflict   conflict   conflict
ChangeIntent             IC         IC         IC           IC           IC         IC         IC         IC
ChangeSchedule           SC         SC         SC           SC           SC         SC         SC         conflict
ChangeSettings           SC         SC         SC           SC           SC         SC         SC         conflict
SaveScript               SS         SS         SS+ME        SS+FRS+ME    SS         SS         SS         conflict
Rollback                 SS         SS         SS+ME        SS+FRS+ME    SS         SS         SS         conflict
Activate                 WA         -          conflict     conflict     WA         WA         WA         conflict
Pause                    conflict   WP         WP           WP           WP         WP         -          conflict
Archive                  WA+IS      WA+IS      WA+ME+IS     WA+FRS+ME+IS WA+IS      WA+IS      WA+IS      -
Restore                  conflict   conflict   conflict     conflict     conflict   conflict   conflict   WR
Delete                   conflict   conflict   conflict     conflict     conflict   conflict   conflict   conflict
EndDeletion              conflict   conflict   conflict     conflict     conflict   conflict   conflict   conflict
AdmitRun                 conflict   RA         conflict     conflict     conflict   conflict   conflict   conflict
AdmitRun (webhook)       conflict   RA         conflict     RA           conflict   conflict   conflict   conflict
AdmitRun (manual)        RA         RA         conflict     conflict     conflict   conflict   conflict   conflict
AdmitRun (import)        RA         RA         RA           RA           RA         RA         RA         conflict
SkipSlot                 SS         SS         SS           SS           SS         SS         SS         SS
OfferInput (webhook)     IS         RA         IQ           RA           IQ         IQ         IS         IS
OfferInput (event)       IS         RA         IQ           RA           IQ         IQ         IS         IS
RetryInputs              IR         IR         IR           IR           conflict   conflict   conflict   conflict
SetTrigger               TS         TS         TS           TS           TS         TS         TS         conflict
RemoveTrigger            TR         TR         TR           TR           TR         TR         TR         conflict
CommitRun                RC         RC         RC           RC           RC         RC         RC         RC
SettleRun                RS         RS         RS+R         RS+R         RS+R       RS+R       RS         RS
SettleRun (failed)       RF+LEC+ME  RF+LEC+ME  RF+LEC+FA    RF+LEC+FA    RF+LEC+ME  RF+LEC     RF+LEC+ME  RF+LEC
ExemptRun                RE         RE         RE           RE           RE         RE         RE         RE
TrustRun                 RT         RT         RT           RT           RT         RT         RT         RT
ReviewMarkedRuns         -          -          -            -            -          -          -          -
ContinueRun              RS         RS         conflict     RS           conflict   conflict   conflict   conflict
LeaveRun                 RL         RL         RL           RL           RL         RL         RL         RL
CancelRun                RC         RC         RC           RC           RC         RC         RC         RC
AdmitRun (restarts)      RA         RA         conflict     conflict     conflict   conflict   conflict   conflict
FindWorking              -          -          -            NR+FRS+ME+RS -          NR         -          -
RepairRun                RA+ME  RA+ME  RA+FA  RA+FA  RA+ME      RA+ME      RA+ME  conflict
ProposeFix               not_found  not_found  conflict     conflict     not_found  FP+FRS     not_found  not_found
JudgeFix                 not_found  not_found  FV+FA+SS+ME  conflict     not_found  not_found  not_found  not_found
SuggestFix               conflict   conflict   FP+FV+FA+SS+ME  FP+FV+FRS+FA+SS+ME  conflict  ME+FP+FV+FA+SS+ME  conflict  conflict
EndMaintenance           not_found  not_found  E+ME         conflict     not_found  conflict   not_found  not_found
AcceptFix                not_found  not_found  conflict     FA+SS+ME     not_found  not_found  not_found  not_found
DeclineFix               not_found  not_found  conflict     FD+E+ME      not_found  not_found  not_found  not_found
CorrectFix               not_found  not_found  conflict     FCR          not_found  not_found  not_found  not_found
RecheckFix               not_found  not_found  conflict     FR           not_found  not_found  not_found  not_found
WithdrawFixes            conflict   conflict   conflict     conflict     conflict   conflict   conflict   conflict
OpenPlannerTask          PTO        PTO        PTO          PTO          PTO        PTO        PTO        conflict
WaitPlannerTask          not_found  not_found  not_found    not_found    not_found  not_found  not_found  not_found
TellPlanner              not_found  not_found  not_found    not_found    not_found  not_found  not_found  conflict
ClosePlannerTask         not_found  not_found  not_found    not_found    not_found  not_found  not_found  not_found
AskQuestion              not_found  not_found  QA           QA           not_found  not_found  not_found  not_found
AnswerQuestion           not_found  not_found  not_found    not_found    not_found  not_found  not_found  not_found
AcknowledgeNotification  NA         NA         NA           NA           NA         NA         NA         NA
TendDraft                -          -          -            -            -          -          -          -
DelegateDecision         DD         DD         DD           DD           DD         DD         DD         conflict
RemindOfDecision         -          -          -            -            -          -          -          -
DecideOverdue            -          -          -            -            -          -          -          -
NoteRehearsal            -          -          -            -            -          -          -          -
ClaimWork                WC         WC         WC           WC           WC         WC         WC         WC
ReportOutage             -          -          -            -            -          -          -          -
KeepDraft                DK         conflict   conflict     conflict     conflict   conflict   conflict   conflict
`
	runs := history{
		RunAdmitted{Run: "good", Version: v10, Trigger: TriggerImport}, RunSucceeded{Run: "good", Version: v10}, DriftSuspected{Run: "good", Version: v10, Suspects: suspects},
		SettingsChanged{Settings: Settings{MaxActive: 9}}, beside("open"), beside("broken"),
		RunAdmitted{Run: "tried", Version: v10, Trigger: TriggerManual, Aside: true}, RunFailed{Run: "tried", Version: v10, Failure: typeError},
		RunAdmitted{Run: "half", Version: v10, Trigger: TriggerWebhook}, RunFailed{Run: "half", Version: v10, Failure: refused, Writes: 1}, RunUnfinished{Run: "half", Writes: 1},
		TriggerSet{Source: "v", Outcomes: []Outcome{OutcomeSucceeded}, After: 6},
		RunAdmitted{Run: "input", Version: v10, Trigger: TriggerWebhook}, RunFailed{Run: "input", Version: v10, Failure: typeError}, InputRequeued{Run: "input", Trigger: TriggerWebhook, Waits: WaitsFix},
	}
	rows := [][]string{{"command"}}
	for _, status := range statusOrder {
		rows[0] = append(rows[0], string(status))
	}
	for _, command := range everyCommand() {
		name := reflect.TypeOf(command).Name()
		switch c := command.(type) {
		case SettleRun:
			if c.Failure != nil {
				name += " (failed)"
			}
		case OfferInput:
			name += " (" + string(c.Trigger) + ")"
		case AdmitRun:
			switch {
			case c.Restarts != "":
				name += " (restarts)"
			case c.Trigger != TriggerSchedule:
				name += " (" + string(c.Trigger) + ")"
			}
		}
		row := []string{name}
		for _, status := range statusOrder {
			before := fold(everyStatus[status].and(runs...)...)
			require.Equal(t, status, before.Status)
			events, err := Decide(before, command, scenario.Start)
			row = append(row, said(events, err))
			if err != nil {
				require.NotEqual(t, fault.Internal, fault.KindOf(err), "%s in %s", name, status)
			}
		}
		rows = append(rows, row)
	}
	t.Log("\n" + aligned(rows))
	wanted := strings.Split(strings.TrimSpace(want), "\n")
	require.Len(t, rows, len(wanted))
	for i, row := range rows {
		require.Equal(t, strings.Join(strings.Fields(wanted[i]), " "), strings.Join(row, " "))
	}
}

// A command that is added has to take its place in the table.
func TestEveryCommandIsWalked(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("command.go")
	require.NoError(t, err)
	var declared, walked []string
	for _, match := range regexp.MustCompile(`(?m)^func \((\w+)\) command\(\)`).FindAllSubmatch(source, -1) {
		declared = append(declared, string(match[1]))
	}
	for _, command := range everyCommand() {
		walked = append(walked, reflect.TypeOf(command).Name())
	}
	slices.Sort(declared)
	slices.Sort(walked)
	require.Equal(t, declared, slices.Compact(walked))
}

func TestNothingCanBeAskedOfAWorkflowThatDoesNotExist(t *testing.T) {
	t.Parallel()
	for _, command := range everyCommand()[1:] {
		given(t).When(command).ThenRefused(fault.NotFound, "no such workflow")
	}
	for _, happened := range everyEvent()[1:] {
		if _, is := happened.(WorkflowDeleted); is {
			continue // what was before it may be erased
		}
		require.Equal(t, StatusNone, Evolve(State{}, happened).Status)
	}
}

func said(events []event.Event, err error) string {
	if err != nil {
		return string(fault.KindOf(err))
	}
	if len(events) == 0 {
		return "-"
	}
	var types []string
	for _, happened := range events {
		initials := strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r
			}
			return -1
		}, happened.EventType())
		types = append(types, initials)
	}
	return strings.Join(types, "+")
}

func aligned(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%-*s", widths[i]+2, cell)
		}
		text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return text.String()
}
