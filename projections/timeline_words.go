package projections

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// longestText bounds what others wrote in a sentence, in bytes.
const longestText = 200

func brieflySaid(text string) string { return failure.Cut(firstLine(text), longestText) }

// withReason adds why, if somebody said it.
func withReason(text, reason string) string {
	if reason == "" {
		return text + "."
	}
	return text + ": " + brieflySaid(reason)
}

// told is what a timeline tells of an event: what happened, by whom, and why it matters. It tells nothing of what is
// only a step of something else that it tells of.
func told(recorded event.Recorded) (entry TimelineEntry, tells bool) {
	who := whoDid(recorded.Metadata.Actor)
	makes := func(significance Significance, kind, format string, args ...any) (TimelineEntry, bool) {
		entry.Significance, entry.Kind, entry.Text = significance, kind, fmt.Sprintf(format, args...)
		return entry, true
	}
	switch e := recorded.Event.(type) {
	case installation.SecretSet:
		if e.Workflow == "" {
			return entry, false // it is of no workflow alone
		}
		entry.Workflow = e.Workflow
		return makes(Notable, "setting", "%s set the key %s, for %s.", who, e.Name, strings.Join(e.Hosts, ", "))
	case installation.SecretRemoved:
		if e.Workflow == "" {
			return entry, false
		}
		entry.Workflow = e.Workflow
		return makes(Notable, "setting", "%s removed the key %s.", who, e.Name)
	case workflow.WorkflowCreated:
		return makes(Notable, "workflow", "%s created the workflow.", who)
	case workflow.IntentChanged:
		return makes(Notable, "workflow", "%s changed what it is for: %s", who, brieflySaid(e.Intent))
	case workflow.WorkflowActivated:
		return makes(Notable, "workflow", "%s activated it: runs start from now on.", who)
	case workflow.WorkflowPaused:
		return makes(Notable, "workflow", "%s", withReason(who+" paused it, so no runs start", e.Reason))
	case workflow.WorkflowArchived:
		return makes(Notable, "workflow", "%s", withReason(who+" archived it", e.Reason))
	case workflow.WorkflowRestored:
		return makes(Notable, "workflow", "%s took it out of the archive, paused.", who)
	case workflow.ScriptSaved:
		if e.Proposal != "" {
			return entry, false // the fix that it is says so
		}
		entry.Version = e.Version.String()
		if e.Restored != nil {
			return makes(Notable, "script", "%s rolled back to version %s, as %s: %s", who, e.Restored, e.Version, brieflySaid(e.Comment))
		}
		return makes(Notable, "script", "%s saved version %s: %s", who, e.Version, brieflySaid(e.Comment))
	case workflow.SettingsChanged:
		return makes(Notable, "setting", "%s changed the settings.", who)
	case workflow.ScheduleChanged:
		if e.Spec == "" {
			return makes(Notable, "setting", "%s took the schedule away: it runs by hand only.", who)
		}
		return makes(Notable, "setting", "%s set the schedule to %q.", who, e.Spec)
	case workflow.TriggerSet:
		return makes(Notable, "trigger", "%s let outcomes of workflow %s start it.", who, e.Source)
	case workflow.TriggerRemoved:
		return makes(Notable, "trigger", "%s let outcomes of workflow %s start it no more.", who, e.Source)
	case workflow.DraftPrompted:
		return makes(PersonFacing, "draft", "Nobody worked on the draft since %s, so its owner was asked whether to go on.", e.Since.UTC().Format(time.DateOnly))
	case workflow.DecisionDelegated:
		kind := "fix"
		if e.Proposal == "" {
			kind = "question"
		}
		return makes(PersonFacing, kind, "%s", withReason(who+" gave what waits for a person to "+e.To, e.Note))
	case workflow.DecisionReminded:
		return makes(PersonFacing, "fix", "Half of the time to decide about the fix is over: at %s it is decided without a person.", e.Due.UTC().Format(time.DateTime))
	case workflow.DraftKept:
		return makes(Notable, "draft", "%s goes on with the draft.", who)
	}
	if entry, tells = toldOfRuns(recorded, makes, &entry, who); tells {
		return entry, true
	}
	return toldOfRepairs(recorded, makes, &entry, who)
}

type maker func(significance Significance, kind, format string, args ...any) (TimelineEntry, bool)

func toldOfRuns(recorded event.Recorded, makes maker, entry *TimelineEntry, who string) (TimelineEntry, bool) {
	switch e := recorded.Event.(type) {
	case workflow.RunSucceeded:
		entry.Run, entry.Version = e.Run, e.Version.String()
		return makes(Routine, "run", "A run succeeded on version %s.", e.Version)
	case workflow.RunFailed:
		entry.Run, entry.Version = e.Run, e.Version.String()
		if isNetwork(e) {
			return makes(Routine, "run", "A run failed for a reason that may pass: %s", brieflySaid(e.Failure.Message))
		}
		return makes(Notable, "run", "A run failed on version %s (%s): %s", e.Version, e.Failure.Class, brieflySaid(e.Failure.Message))
	case workflow.RetryScheduled:
		entry.Run = e.Run
		return makes(Routine, "run", "A failed run is tried again at %s.", e.At.UTC().Format(time.DateTime))
	case workflow.SlotSkipped:
		if stopsSlots[e.Status] != "" {
			return makes(Notable, "run", "%s", slotsText(1, e))
		}
		return makes(Routine, "run", "%s", withReason("A slot of the schedule was skipped", e.Reason))
	case workflow.InputQueued:
		return makes(Routine, "run", "%s", withReason("An input waits", e.Reason))
	case workflow.InputSkipped:
		return makes(Routine, "run", "%s", withReason("An input became no run", e.Reason))
	case workflow.InputRequeued:
		entry.Run = e.Run
		return makes(Routine, "run", "%s", withReason("An input waits to be tried again", e.Reason))
	case workflow.RetriesExhausted:
		entry.Run = e.Run
		return makes(PersonFacing, "run", "A run had no answer after %d tries: the next one tries again, and somebody should look.", e.Attempts)
	case workflow.StillFails:
		entry.Run = e.Run
		return makes(Routine, "run", "What waits for its person was tried without writing, and does not work yet.")
	case workflow.OutageReported:
		entry.Run = e.Run
		return makes(PersonFacing, "run", "%s has not answered since %s, and is asked again by itself.", cmp.Or(e.Host, "The other side"), e.Since.UTC().Format(time.DateTime))
	case workflow.OutageEnded:
		return makes(Notable, "run", "%s", map[bool]string{
			true:  fmt.Sprintf("%s answers again, after %s.", cmp.Or(e.Host, "The other side"), e.At.Sub(e.Since).Round(time.Second)),
			false: "Nothing waits for " + cmp.Or(e.Host, "the other side") + " any more, which had not answered.",
		}[e.Why == workflow.OutageAnswered])
	case workflow.AuthErrorClassified:
		entry.Run = e.Run
		return makes(PersonFacing, "run", "Access was refused, so it waits for its person: %s", brieflySaid(e.Evidence))
	case workflow.PermissionErrorClassified:
		entry.Run = e.Run
		return makes(PersonFacing, "run", "Something is not permitted, so it waits for its person: %s", brieflySaid(e.Evidence))
	case workflow.RunUnfinished:
		entry.Run, entry.Version = e.Run, e.Version.String()
		return makes(PersonFacing, "run", "A run stopped half done after %s, and its person decides.", counted(e.Writes, "write"))
	case workflow.RunLeft:
		entry.Run = e.Run
		return makes(Notable, "run", "%s", withReason(who+" left a half-done run as it is", e.Note))
	case workflow.Recovered:
		entry.Run = e.Run
		return makes(Notable, "run", "Runs succeed again.")
	case workflow.NotReproduced:
		entry.Run = e.Run
		return makes(Notable, "run", "A failed run works now in rehearsal, so nothing is mended.")
	case workflow.DriftSuspected:
		entry.Run, entry.Version = e.Run, e.Version.String()
		if e.Stopped {
			return makes(Notable, "run", "A run that looked wrong was stopped before its next write.")
		}
		return makes(PersonFacing, "run", "A run succeeded and looks wrong: it is no evidence until its person calls it right.")
	case workflow.RunTrusted:
		entry.Run = e.Run
		return makes(Notable, "run", "%s", withReason(who+" called a run right that looked wrong", e.Note))
	case workflow.RunExempted:
		entry.Run = e.Run
		return makes(Notable, "run", "%s", withReason(who+" declared a recorded success wrong", e.Reason))
	case run.AnswerAwaited:
		entry.Run = runOf(recorded)
		return makes(PersonFacing, "question", "A run asks: %s", brieflySaid(e.Question))
	case run.AnswerGiven:
		entry.Run = runOf(recorded)
		if e.TimedOut {
			return makes(Notable, "question", "Nobody answered a run in time.")
		}
		return makes(Notable, "question", "%s answered a run.", who)
	case run.EffectInDoubt:
		if !e.LookUpAt.IsZero() {
			return *entry, false
		}
		entry.Run = runOf(recorded)
		return makes(PersonFacing, "question", "Nobody knows whether a write happened (%s %s), so the run stands still.", e.Tool, brieflySaid(e.Target))
	case run.EffectResolved:
		entry.Run = runOf(recorded)
		return makes(Notable, "question", "%s said what became of a write in doubt: %s.", who, e.How)
	}
	return *entry, false
}

func toldOfRepairs(recorded event.Recorded, makes maker, entry *TimelineEntry, who string) (TimelineEntry, bool) {
	switch e := recorded.Event.(type) {
	case workflow.MaintenanceEntered:
		entry.Run, entry.Version = e.Run, e.Base.String()
		return makes(Notable, "repair", "A repair of version %s began, attempt %d of %d.", e.Base, e.Attempt, e.Budget)
	case workflow.FixProposed:
		if e.Fixer.Kind != workflow.FixerSuggested {
			return *entry, false
		}
		entry.Fix = e.Proposal
		return makes(Notable, "fix", "%s suggested a fix: %s", who, e.Comment)
	case workflow.RepairAsked:
		entry.Run, entry.Version = e.Run, e.Version.String()
		return makes(Notable, "repair", "%s asked for a repair of what a run by hand failed with.", who)
	case workflow.FailureAttached:
		entry.Run = e.Run
		return makes(Routine, "repair", "A further failure joined the repair.")
	case workflow.FixApplied:
		entry.Fix, entry.Version = e.Proposal, e.Version.String()
		return makes(Notable, "fix", "A fix was applied as version %s.", e.Version)
	case workflow.FixAccepted:
		entry.Fix, entry.Version = e.Proposal, e.Version.String()
		return makes(Notable, "fix", "%s", withReason(fmt.Sprintf("%s accepted a fix, as version %s", who, e.Version), e.Reason))
	case workflow.FixHeld:
		entry.Fix = e.Proposal
		return makes(PersonFacing, "fix", "%s", withReason("A fix waits for its person", strings.Join(e.Reasons, "; ")))
	case workflow.FixDeclined:
		entry.Fix = e.Proposal
		return makes(Notable, "fix", "%s", withReason(who+" declined a fix", e.Reason))
	case workflow.FixCorrectionRequested:
		entry.Fix = e.Proposal
		return makes(Notable, "fix", "%s", withReason(who+" asked for another fix", e.Note))
	case workflow.FixRejectedDifferent:
		entry.Fix = e.Proposal
		return makes(Notable, "fix", "%s", withReason("A fix was rejected, as it changes what used to work", e.Divergence))
	case workflow.FixRejectedStale:
		entry.Fix = e.Proposal
		return makes(Notable, "fix", "A fix was overtaken (%s) and is not applied.", e.Why)
	case workflow.FixConfirmed:
		entry.Run, entry.Version = e.Run, e.Version.String()
		return makes(Notable, "fix", "The run that failed succeeded on version %s: the fix is confirmed.", e.Version)
	case workflow.FixRegressed:
		entry.Run, entry.Version = e.Run, e.Version.String()
		return makes(Notable, "fix", "The run that failed failed again on version %s: the fix does not do.", e.Version)
	case workflow.Escalated:
		entry.Run, entry.Version = e.Run, versionText(e.Active)
		return makes(PersonFacing, "repair", "It was handed to its person, %s.", reasonText(e.Reason))
	case workflow.PlannerTaskOpened:
		return makes(Notable, "planner", "%s asked the planner: %s", who, brieflySaid(e.Ask))
	case workflow.PlannerTold:
		return makes(Notable, "planner", "%s told the planner: %s", who, brieflySaid(e.Text))
	case workflow.PlannerTaskClosed:
		if e.Stopped {
			return makes(PersonFacing, "planner", "%s", withReason("The planner stopped before it was done", e.Outcome))
		}
		return makes(Notable, "planner", "%s", withReason("The planner is done", e.Outcome))
	case workflow.QuestionAsked:
		return makes(PersonFacing, "question", "A question to its person, from %s: %s", who, brieflySaid(e.Text))
	case workflow.QuestionAnswered:
		return makes(Notable, "question", "%s answered: %s", who, brieflySaid(e.Answer))
	}
	return *entry, false
}

// stopsSlots says why no slot of the schedule is run in a status that no person has chosen.
var stopsSlots = map[workflow.Status]string{
	workflow.StatusMaintenance: "it was being repaired",
	workflow.StatusHeld:        "a fix waited for its person",
	workflow.StatusWaiting:     "it waited for access",
	workflow.StatusEscalated:   "it was handed to its person",
}

// slotsText says how many slots of a day were skipped because of a status, the newest of which is this one.
func slotsText(slots int, e workflow.SlotSkipped) string {
	if slots == 1 || e.Slot == nil {
		return fmt.Sprintf("%s of the schedule was skipped: %s.", counted(slots, "slot"), stopsSlots[e.Status])
	}
	return fmt.Sprintf("%s of the schedule were skipped, the last at %s: %s.", counted(slots, "slot"), e.Slot.UTC().Format(time.DateTime), stopsSlots[e.Status])
}

// foldedNames are what is folded, for one and for many.
var foldedNames = map[string][2]string{
	workflow.TypeRunSucceeded:    {"run succeeded", "runs succeeded"},
	workflow.TypeRunFailed:       {"run failed for a reason that may pass", "runs failed for reasons that may pass"},
	workflow.TypeRetryScheduled:  {"retry", "retries"},
	workflow.TypeSlotSkipped:     {"slot skipped", "slots skipped"},
	workflow.TypeInputQueued:     {"input waited", "inputs waited"},
	workflow.TypeInputRequeued:   {"input waits to be tried again", "inputs wait to be tried again"},
	workflow.TypeInputSkipped:    {"input became no run", "inputs became no runs"},
	workflow.TypeStillFails:      {"try without writing that did not work yet", "tries without writing that did not work yet"},
	workflow.TypeFailureAttached: {"failure joined the repair", "failures joined the repair"},
}

// foldedText counts what is folded, most first.
func foldedText(counts map[string]int) string {
	types := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(types))
	for i, name := range types {
		words := foldedNames[name]
		parts[i] = fmt.Sprintf("%d %s", counts[name], words[min(counts[name]-1, 1)])
	}
	return strings.Join(parts, ", ") + "."
}

// withFix adds to what is told of a fix what it does, and if something proves it.
func withFix(tx *readmodel.Tx, recorded event.Recorded, entry TimelineEntry) string {
	comment := func(fix *judgedFix) string { return strings.TrimSuffix(brieflySaid(fix.Comment), ".") }
	switch e := recorded.Event.(type) {
	case workflow.FixProposed:
		return entry.Text // in its own words
	case workflow.FixConfirmed:
		if made := timelineFixes.Where(tx, "version", versionText(e.Version), workflowOf(recorded)); len(made) > 0 {
			return "Fixed: " + comment(made[0]) + ". " + entry.Text
		}
		return entry.Text
	}
	fix := timelineFixes.Get(tx, entry.Fix)
	if fix == nil {
		return entry.Text
	}
	text := entry.Text
	for _, word := range []string{"A fix", "a fix"} {
		if before, after, found := strings.Cut(text, word); found {
			text = before + word + " (" + comment(fix) + ")" + after
			break
		}
	}
	if recorded.Event.EventType() == workflow.TypeFixApplied {
		text += " " + fix.proof()
	}
	return text
}
