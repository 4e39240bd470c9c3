package projections

import (
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// workflowWords are the words of what people decide about a workflow.
var workflowWords = []row{
	of(words[workflow.WorkflowCreated]{
		line: func(e workflow.WorkflowCreated, _ *time.Location) string {
			return fmt.Sprintf("created %q for %s", e.Title, e.Owner)
		},
		kind: "workflow", matters: Notable,
		entry: func(_ workflow.WorkflowCreated, t *telling) string {
			return fmt.Sprintf("%s created the workflow.", t.who)
		},
	}),
	of(words[workflow.IntentChanged]{
		line: func(e workflow.IntentChanged, _ *time.Location) string { return "intent: " + e.Intent },
		kind: "workflow", matters: Notable,
		entry: func(e workflow.IntentChanged, t *telling) string {
			return fmt.Sprintf("%s changed what it is for: %s", t.who, brieflySaid(e.Intent))
		},
		resolves: []NotificationType{NotifyDraft},
	}),
	of(words[workflow.ScriptSaved]{
		line: func(e workflow.ScriptSaved, _ *time.Location) string {
			return fmt.Sprintf("version %s by the %s: %s", e.Version, e.Origin, e.Comment)
		},
		kind: "script", matters: Notable,
		entry: func(e workflow.ScriptSaved, t *telling) string {
			if e.Proposal != "" {
				return "" // the fix that it is says so
			}
			t.Version = e.Version.String()
			if e.Restored != nil {
				return fmt.Sprintf("%s rolled back to version %s, as %s: %s", t.who, e.Restored, e.Version, brieflySaid(e.Comment))
			}
			return fmt.Sprintf("%s saved version %s: %s", t.who, e.Version, brieflySaid(e.Comment))
		},
		resolves: []NotificationType{NotifyDraft, NotifyEscalated, NotifyMaintenanceFailed},
		resolvesThose: func(_ *notifier, e workflow.ScriptSaved) func(*Notification) bool {
			if e.Origin == workflow.OriginRollback {
				return ofType(NotifyFixed)
			}
			return nil
		},
	}),
	of(words[workflow.PackagesKept]{
		line: func(e workflow.PackagesKept, _ *time.Location) string {
			return "packages: " + strings.Join(e.Names, ", ")
		},
	}),
	of(words[workflow.ScheduleChanged]{
		line: func(e workflow.ScheduleChanged, _ *time.Location) string { return "schedule: " + dash(e.Spec) },
		kind: "setting", matters: Notable,
		entry: func(e workflow.ScheduleChanged, t *telling) string {
			if e.Spec == "" {
				return fmt.Sprintf("%s took the schedule away: it runs by hand only.", t.who)
			}
			return fmt.Sprintf("%s set the schedule: it runs %s.", t.who, schedule.Words(e.Spec))
		},
		resolves: []NotificationType{NotifyDraft},
	}),
	of(words[workflow.SettingsChanged]{
		line: func(e workflow.SettingsChanged, _ *time.Location) string {
			return fmt.Sprintf("auto-fix %s, hosts %s", e.Settings.WithDefaults().AutoFix, dash(strings.Join(e.Settings.AllowedHosts, ", ")))
		},
		kind: "setting", matters: Notable,
		entry: func(_ workflow.SettingsChanged, t *telling) string {
			return fmt.Sprintf("%s changed the settings.", t.who)
		},
		resolves: []NotificationType{NotifyDraft},
		also:     func(n *notifier, e workflow.SettingsChanged) { n.timeToDecide(e.Settings) },
	}),
	of(words[workflow.WorkflowActivated]{
		kind: "workflow", matters: Notable,
		entry: func(_ workflow.WorkflowActivated, t *telling) string {
			return fmt.Sprintf("%s activated it: runs start from now on.", t.who)
		},
		resolves: []NotificationType{NotifyDraft, NotifyError, NotifyEscalated, NotifyMaintenanceFailed},
	}),
	of(words[workflow.WorkflowPaused]{
		line: func(e workflow.WorkflowPaused, _ *time.Location) string { return e.Reason },
		kind: "workflow", matters: Notable,
		entry: func(e workflow.WorkflowPaused, t *telling) string {
			return withReason(t.who+" paused it, so no runs start", e.Reason)
		},
	}),
	of(words[workflow.WorkflowArchived]{
		line: func(e workflow.WorkflowArchived, _ *time.Location) string { return e.Reason },
		kind: "workflow", matters: Notable,
		entry: func(e workflow.WorkflowArchived, t *telling) string {
			return withReason(t.who+" archived it", e.Reason)
		},
		resolves: []NotificationType{NotifyDraft},
	}),
	of(words[workflow.WorkflowRestored]{
		kind: "workflow", matters: Notable,
		entry: func(_ workflow.WorkflowRestored, t *telling) string {
			return fmt.Sprintf("%s took it out of the archive, paused.", t.who)
		},
	}),
	of(words[workflow.WorkflowDeleted]{
		line: func(e workflow.WorkflowDeleted, _ *time.Location) string {
			return fmt.Sprintf("deleted for good: what %d events said, of %d runs and %d conversations", e.Payloads, e.Runs, e.Threads)
		},
	}),
	of(words[workflow.WorkflowErased]{
		line: func(e workflow.WorkflowErased, _ *time.Location) string {
			return fmt.Sprintf("what %d events said is erased", e.Payloads)
		},
	}),
	of(words[workflow.TriggerSet]{
		line: func(e workflow.TriggerSet, _ *time.Location) string {
			return fmt.Sprintf("on workflow %s: %s", e.Source, OutcomesText(e.Outcomes))
		},
		kind: "trigger", matters: Notable,
		entry: func(e workflow.TriggerSet, t *telling) string {
			return fmt.Sprintf("%s let outcomes of workflow %s start it.", t.who, e.Source)
		},
		resolvesThose: func(*notifier, workflow.TriggerSet) func(*Notification) bool {
			return about(aboutInputs + workflow.SkippedHops)
		},
	}),
	of(words[workflow.TriggerRemoved]{
		line: func(e workflow.TriggerRemoved, _ *time.Location) string { return "on workflow " + e.Source },
		kind: "trigger", matters: Notable,
		entry: func(e workflow.TriggerRemoved, t *telling) string {
			return fmt.Sprintf("%s let outcomes of workflow %s start it no more.", t.who, e.Source)
		},
		resolvesThose: func(*notifier, workflow.TriggerRemoved) func(*Notification) bool {
			return about(aboutInputs + workflow.SkippedHops)
		},
	}),
	of(words[workflow.DraftPrompted]{
		line: func(e workflow.DraftPrompted, in *time.Location) string {
			text := "nobody touched the draft since " + e.Since.In(in).Format(time.DateOnly)
			if !e.Archives.IsZero() {
				text += ", it is archived on " + e.Archives.In(in).Format(time.DateOnly)
			}
			return text
		},
		kind: "draft", matters: PersonFacing,
		entry: func(e workflow.DraftPrompted, _ *telling) string {
			return fmt.Sprintf("Nobody worked on the draft since %s, so its owner was asked whether to go on.", e.Since.UTC().Format(time.DateOnly))
		},
		resolves: []NotificationType{NotifyDraft},
		notice:   (*notifier).prompted,
	}),
	of(words[workflow.DraftKept]{
		line: func(_ workflow.DraftKept, _ *time.Location) string { return "work on the draft goes on" },
		kind: "draft", matters: Notable,
		entry:    func(_ workflow.DraftKept, t *telling) string { return fmt.Sprintf("%s goes on with the draft.", t.who) },
		resolves: []NotificationType{NotifyDraft},
	}),
	of(words[workflow.DecisionDelegated]{
		line: func(e workflow.DecisionDelegated, _ *time.Location) string {
			return strings.TrimSpace("it is for " + e.To + " to decide. " + e.Note)
		},
		label: "waits for somebody else",
		kind:  "fix", matters: PersonFacing,
		entry: func(e workflow.DecisionDelegated, t *telling) string {
			if e.Proposal == "" {
				t.Kind = "question"
			}
			return withReason(t.who+" gave what waits for a person to "+e.To, e.Note)
		},
		also: (*notifier).delegated,
	}),
	of(words[workflow.DecisionReminded]{
		line: func(e workflow.DecisionReminded, in *time.Location) string {
			return fmt.Sprintf("half of the time to decide is over; at %s, then %s", e.Due.In(in).Format(time.DateTime), strings.ReplaceAll(e.OnDeadline, "_", " "))
		},
		label: "still waits for you",
		kind:  "fix", matters: PersonFacing,
		entry: func(e workflow.DecisionReminded, _ *telling) string {
			return fmt.Sprintf("Half of the time to decide about the fix is over: at %s it is decided without a person.", e.Due.UTC().Format(time.DateTime))
		},
		also: (*notifier).reminded,
	}),
	of(words[workflow.NotificationAcknowledged]{
		line: func(e workflow.NotificationAcknowledged, _ *time.Location) string { return e.Notification },
		also: func(n *notifier, e workflow.NotificationAcknowledged) { n.acknowledged(e.Notification) },
	}),
	of(words[workflow.WorkClaimed]{
		line: func(e workflow.WorkClaimed, in *time.Location) string {
			if e.Until.IsZero() {
				return e.Work + " is over"
			}
			return fmt.Sprintf("%s, until %s", e.Work, e.Until.In(in).Format(time.TimeOnly))
		},
	}),
}

// aboutDraft begins what is told of drafts; the owner follows. All drafts of an owner are told of together.
const aboutDraft = "draft "

// prompted asks the owner of a draft whether they go on: the newest question takes the place of the one before.
func (n *notifier) prompted(e workflow.DraftPrompted) Notification {
	text := fmt.Sprintf("Nobody worked on it since %s. Go on with it, or archive it: everything is kept, and it can be restored.", e.Since.UTC().Format(time.DateOnly))
	if !e.Archives.IsZero() {
		text += fmt.Sprintf(" It is archived by itself on %s.", e.Archives.UTC().Format(time.DateOnly))
	}
	return Notification{
		Type: NotifyDraft, Title: "A draft that was never activated", Text: text, Actions: []string{ActionKeepDraft, ActionArchiveDraft},
		About: aboutDraft + e.Owner,
	}
}

// OutcomesText names outcomes of runs.
func OutcomesText(outcomes []workflow.Outcome) string {
	names := make([]string, len(outcomes))
	for i, outcome := range outcomes {
		names[i] = string(outcome)
	}
	return strings.Join(names, ", ")
}
