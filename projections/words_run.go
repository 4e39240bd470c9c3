package projections

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// runWords are the words of runs, as the stream of their workflow says it.
var runWords = []row{
	of(words[workflow.RunAdmitted]{
		line: func(e workflow.RunAdmitted, _ *time.Location) string {
			text := fmt.Sprintf("run %s on version %s (%s)", e.Run, e.Version, e.Trigger)
			if e.Continues != "" {
				text += ", continues " + e.Continues
			}
			if e.Restarts != "" {
				text += ", starts " + e.Restarts + " again"
			}
			return text
		},
		resolvesThose: func(_ *notifier, e workflow.RunAdmitted) func(*Notification) bool {
			outside := e.Trigger == workflow.TriggerWebhook || e.Trigger == workflow.TriggerEvent
			return func(one *Notification) bool {
				return e.Trigger == workflow.TriggerManual && one.Type == NotifyDraft ||
					e.Restarts != "" && one.About == aboutUnfinished+e.Restarts ||
					e.Restarts == "" && outside && one.About == aboutInputs+workflow.SkippedFull
			}
		},
		also: func(n *notifier, e workflow.RunAdmitted) {
			if e.Restarts == "" && slices.Contains([]workflow.Trigger{workflow.TriggerWebhook, workflow.TriggerEvent, workflow.TriggerRetry}, e.Trigger) {
				n.inputsWait()
			}
		},
	}),
	of(words[workflow.RunCommitted]{
		line: func(e workflow.RunCommitted, _ *time.Location) string {
			return fmt.Sprintf("run %s: what it wrote to keys and files counts, up to #%d", e.Run, e.Through)
		},
	}),
	of(words[workflow.RunSucceeded]{
		line: func(e workflow.RunSucceeded, _ *time.Location) string {
			return fmt.Sprintf("run %s on version %s", e.Run, e.Version)
		},
		kind: "run", matters: Routine,
		entry: func(e workflow.RunSucceeded, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			return fmt.Sprintf("A run succeeded on version %s.", e.Version)
		},
	}),
	of(words[workflow.RunFailed]{
		line: func(e workflow.RunFailed, _ *time.Location) string {
			return fmt.Sprintf("run %s on version %s: %s", e.Run, e.Version, e.Failure)
		},
		label: "run failed",
		kind:  "run", matters: Notable,
		entry: func(e workflow.RunFailed, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			if isNetwork(e) {
				t.Significance = Routine
				return fmt.Sprintf("A run failed for a reason that may pass: %s", brieflySaid(e.Failure.Message))
			}
			return fmt.Sprintf("A run failed on version %s (%s): %s", e.Version, e.Failure.Class, brieflySaid(e.Failure.Message))
		},
		also: func(n *notifier, e workflow.RunFailed) {
			notificationFailures.Insert(n.tx, newestFailure{Workflow: n.workflow, Run: e.Run, Failure: withWords(e.Failure)})
		},
	}),
	of(words[workflow.RunUnfinished]{
		line: func(e workflow.RunUnfinished, _ *time.Location) string {
			return fmt.Sprintf("run %s on version %s (writes done: %d): %s", e.Run, e.Version, e.Writes, e.Problem)
		},
		kind: "run", matters: PersonFacing,
		entry: func(e workflow.RunUnfinished, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			return fmt.Sprintf("A run stopped half done after %s, and its person decides.", counted(e.Writes, "write"))
		},
		notice: (*notifier).unfinished,
	}),
	of(words[workflow.RunCancelled]{
		line: func(e workflow.RunCancelled, _ *time.Location) string {
			text := fmt.Sprintf("run %s on version %s (writes done: %d)", e.Run, e.Version, e.Writes)
			if e.Reason != "" {
				text += ": " + e.Reason
			}
			return text
		},
		label: "run cancelled",
		kind:  "run", matters: Notable,
		entry: func(e workflow.RunCancelled, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			after := ""
			if e.Writes > 0 {
				after = " after " + counted(e.Writes, "write")
			}
			return withReason(t.who+" cancelled a run"+after, e.Reason)
		},
		resolvesThose: func(_ *notifier, e workflow.RunCancelled) func(*Notification) bool {
			return func(one *Notification) bool {
				return one.About == aboutUnfinished+e.Run || strings.HasPrefix(one.About, aboutDoubt+e.Run+" ") || strings.HasPrefix(one.About, aboutQuestion+e.Run+" ")
			}
		},
		also: func(n *notifier, _ workflow.RunCancelled) { n.inputsWait() },
	}),
	of(words[workflow.RunLeft]{
		line: func(e workflow.RunLeft, _ *time.Location) string { return fmt.Sprintf("run %s %s", e.Run, e.Note) },
		kind: "run", matters: Notable,
		entry: func(e workflow.RunLeft, t *telling) string {
			t.Run = e.Run
			return withReason(t.who+" left a half-done run as it is", e.Note)
		},
		resolvesThose: func(_ *notifier, e workflow.RunLeft) func(*Notification) bool { return about(aboutUnfinished + e.Run) },
		also:          func(n *notifier, _ workflow.RunLeft) { n.inputsWait() },
	}),
	of(words[workflow.SlotSkipped]{
		line: func(e workflow.SlotSkipped, _ *time.Location) string { return e.Reason },
		kind: "run", matters: Routine,
		entry: func(e workflow.SlotSkipped, t *telling) string {
			if stopsSlots[e.Status] != "" {
				t.Significance = Notable
				return slotsText(1, e)
			}
			return withReason("A slot of the schedule was skipped", e.Reason)
		},
		also: (*notifier).slotsMissed,
	}),
	of(words[workflow.InputQueued]{
		line: func(e workflow.InputQueued, _ *time.Location) string {
			return fmt.Sprintf("run %s (%s) waits: %s", e.Run, e.Trigger, e.Reason)
		},
		kind: "run", matters: Routine,
		entry: func(e workflow.InputQueued, _ *telling) string { return withReason("An input waits", e.Reason) },
		also:  func(n *notifier, _ workflow.InputQueued) { n.inputsWait() },
	}),
	of(words[workflow.InputRequeued]{
		line: func(e workflow.InputRequeued, in *time.Location) string {
			text := fmt.Sprintf("the input of run %s (%s) waits for %s", e.Run, e.Trigger, WaitsText(e.Waits))
			if e.Ready {
				text = fmt.Sprintf("the input of run %s (%s) waits for its turn", e.Run, e.Trigger)
			}
			if !e.At.IsZero() {
				text += ", and is tried again at " + e.At.In(in).Format(time.DateTime)
			}
			return text + ": " + e.Reason
		},
		kind: "run", matters: Routine,
		entry: func(e workflow.InputRequeued, t *telling) string {
			t.Run = e.Run
			return withReason("An input waits to be tried again", e.Reason)
		},
		notice: (*notifier).inputRequeued,
		also:   func(n *notifier, _ workflow.InputRequeued) { n.inputsWait() },
	}),
	of(words[workflow.InputSkipped]{
		line: func(e workflow.InputSkipped, _ *time.Location) string {
			return fmt.Sprintf("no run %s (%s): %s", e.Run, e.Trigger, e.Reason)
		},
		kind: "run", matters: Routine,
		entry: func(e workflow.InputSkipped, _ *telling) string {
			return withReason("An input became no run", e.Reason)
		},
		notice: (*notifier).inputSkipped,
		also:   func(n *notifier, _ workflow.InputSkipped) { n.inputsWait() },
	}),
	of(words[workflow.LogicErrorClassified]{
		line: func(e workflow.LogicErrorClassified, _ *time.Location) string { return e.Evidence },
	}),
	of(words[workflow.NetworkErrorClassified]{
		line: func(e workflow.NetworkErrorClassified, _ *time.Location) string { return e.Evidence },
	}),
	of(words[workflow.AuthErrorClassified]{
		line:  func(e workflow.AuthErrorClassified, _ *time.Location) string { return e.Evidence },
		label: "waits for you",
		kind:  "run", matters: PersonFacing,
		entry: func(e workflow.AuthErrorClassified, t *telling) string {
			t.Run = e.Run
			return fmt.Sprintf("Access was refused, so it waits for its person: %s", brieflySaid(e.Evidence))
		},
		notice: func(n *notifier, e workflow.AuthErrorClassified) Notification {
			return n.failed(NotifyError, e.Run, aboutAuth, "Access was refused", AccessActions(n.why(e.Run))...)
		},
	}),
	of(words[workflow.PermissionErrorClassified]{
		line:  func(e workflow.PermissionErrorClassified, _ *time.Location) string { return e.Evidence },
		label: "waits for you",
		kind:  "run", matters: PersonFacing,
		entry: func(e workflow.PermissionErrorClassified, t *telling) string {
			t.Run = e.Run
			return fmt.Sprintf("Something is not permitted, so it waits for its person: %s", brieflySaid(e.Evidence))
		},
		notice: func(n *notifier, e workflow.PermissionErrorClassified) Notification {
			return n.failed(NotifyError, e.Run, aboutPermission, "Something is not permitted", AccessActions(n.why(e.Run))...)
		},
	}),
	of(words[workflow.LimitErrorClassified]{
		line: func(e workflow.LimitErrorClassified, _ *time.Location) string { return e.Evidence },
	}),
	of(words[workflow.InternalErrorClassified]{
		line: func(e workflow.InternalErrorClassified, _ *time.Location) string { return e.Evidence },
		notice: func(n *notifier, e workflow.InternalErrorClassified) Notification {
			return n.failed(NotifyInternal, e.Run, "internal "+e.Strict, "Kintsugi itself failed")
		},
	}),
	of(words[workflow.NotReproduced]{
		line: func(e workflow.NotReproduced, _ *time.Location) string {
			return fmt.Sprintf("run %s works now, in rehearsal", e.Run)
		},
		kind: "run", matters: Notable,
		entry: func(e workflow.NotReproduced, t *telling) string {
			t.Run = e.Run
			return "A failed run works now in rehearsal, so nothing is mended."
		},
		also: func(n *notifier, e workflow.NotReproduced) {
			if handed := ofType(NotifyEscalated, NotifyMaintenanceFailed); slices.ContainsFunc(n.open(), handed) {
				n.resolve(handed)
				n.add(worksAgain(e.Run))
			}
		},
	}),
	of(words[workflow.StillFails]{
		line: func(e workflow.StillFails, _ *time.Location) string {
			return fmt.Sprintf("run %s was tried without writing, and does not work yet", e.Run)
		},
		kind: "run", matters: Routine,
		entry: func(e workflow.StillFails, t *telling) string {
			t.Run = e.Run
			return "What waits for its person was tried without writing, and does not work yet."
		},
	}),
	of(words[workflow.RetryScheduled]{
		line: func(e workflow.RetryScheduled, in *time.Location) string {
			return fmt.Sprintf("run %s, attempt %d at %s", e.Run, e.Attempt, e.At.In(in).Format(time.DateTime))
		},
		kind: "run", matters: Routine,
		entry: func(e workflow.RetryScheduled, t *telling) string {
			t.Run = e.Run
			return fmt.Sprintf("A failed run is tried again at %s.", e.At.UTC().Format(time.DateTime))
		},
		resolvesThose: func(_ *notifier, e workflow.RetryScheduled) func(*Notification) bool {
			return about(aboutUnfinished + e.Run)
		},
		also: func(n *notifier, _ workflow.RetryScheduled) { n.inputsWait() },
	}),
	of(words[workflow.RetriesExhausted]{
		line: func(e workflow.RetriesExhausted, _ *time.Location) string {
			return fmt.Sprintf("run %s after %d attempts", e.Run, e.Attempts)
		},
		label: "given up for now",
		kind:  "run", matters: PersonFacing,
		entry: func(e workflow.RetriesExhausted, t *telling) string {
			t.Run = e.Run
			return fmt.Sprintf("A run had no answer after %d tries: the next one tries again, and somebody should look.", e.Attempts)
		},
		notice: func(n *notifier, e workflow.RetriesExhausted) Notification {
			if slices.ContainsFunc(n.open(), about(aboutOutage)) {
				return Notification{} // it is told
			}
			return n.failed(NotifyError, e.Run, aboutNetwork+" "+e.Strict, fmt.Sprintf("No answer after %d tries", e.Attempts))
		},
	}),
	of(words[workflow.OutageReported]{
		line: func(e workflow.OutageReported, in *time.Location) string {
			return fmt.Sprintf("no answer since %s: %s", e.Since.In(in).Format(time.DateTime), e.Problem)
		},
		label: "the other side does not answer",
		kind:  "run", matters: PersonFacing,
		entry: func(e workflow.OutageReported, t *telling) string {
			t.Run = e.Run
			return fmt.Sprintf("%s has not answered since %s, and is asked again by itself.", cmp.Or(e.Host, "The other side"), e.Since.UTC().Format(time.DateTime))
		},
		resolvesThose: func(*notifier, workflow.OutageReported) func(*Notification) bool { return aboutNoAnswer },
		notice:        (*notifier).outageReported,
	}),
	of(words[workflow.OutageEnded]{
		line: func(e workflow.OutageEnded, _ *time.Location) string {
			return fmt.Sprintf("%s, after %s", e.Why, e.At.Sub(e.Since).Round(time.Second))
		},
		label: "the outage is over",
		kind:  "run", matters: Notable,
		entry: func(e workflow.OutageEnded, _ *telling) string {
			return map[bool]string{
				true:  fmt.Sprintf("%s answers again, after %s.", cmp.Or(e.Host, "The other side"), e.At.Sub(e.Since).Round(time.Second)),
				false: "Nothing waits for " + cmp.Or(e.Host, "the other side") + " any more, which had not answered.",
			}[e.Why == workflow.OutageAnswered]
		},
		also: (*notifier).outageEnded,
	}),
	of(words[workflow.Recovered]{
		line: func(e workflow.Recovered, _ *time.Location) string { return "run " + e.Run },
		kind: "run", matters: Notable,
		entry: func(e workflow.Recovered, t *telling) string {
			t.Run = e.Run
			return "Runs succeed again."
		},
		resolves: []NotificationType{NotifyError, NotifyInternal},
	}),
	of(words[workflow.DriftSuspected]{
		line: func(e workflow.DriftSuspected, _ *time.Location) string {
			what := "marked"
			if e.Stopped {
				what = "stopped"
			}
			texts := make([]string, len(e.Suspects))
			for i, one := range e.Suspects {
				texts[i] = one.Text
			}
			return fmt.Sprintf("run %s %s: %s", e.Run, what, strings.Join(texts, "; "))
		},
		kind: "run", matters: PersonFacing,
		entry: func(e workflow.DriftSuspected, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			if e.Stopped {
				t.Significance = Notable
				return "A run that looked wrong was stopped before its next write."
			}
			return "A run succeeded and looks wrong: it is no evidence until its person calls it right."
		},
		notice: (*notifier).suspected,
	}),
	of(words[workflow.RunTrusted]{
		line: func(e workflow.RunTrusted, _ *time.Location) string {
			return fmt.Sprintf("run %s is right: %s", e.Run, e.Note)
		},
		kind: "run", matters: Notable,
		entry: func(e workflow.RunTrusted, t *telling) string {
			t.Run = e.Run
			return withReason(t.who+" called a run right that looked wrong", e.Note)
		},
		resolvesThose: func(_ *notifier, e workflow.RunTrusted) func(*Notification) bool { return suspectedRun(e.Run) },
	}),
	of(words[workflow.RunExempted]{
		line: func(e workflow.RunExempted, _ *time.Location) string {
			return fmt.Sprintf("run %s: %s", e.Run, e.Reason)
		},
		kind: "run", matters: Notable,
		entry: func(e workflow.RunExempted, t *telling) string {
			t.Run = e.Run
			return withReason(t.who+" declared a recorded success wrong", e.Reason)
		},
		resolvesThose: func(_ *notifier, e workflow.RunExempted) func(*Notification) bool { return suspectedRun(e.Run) },
	}),
	of(words[workflow.MarkedRunsReviewed]{
		line: func(e workflow.MarkedRunsReviewed, _ *time.Location) string {
			return fmt.Sprintf("version %s agrees on %d marked runs, comes to something else on %d, says nothing of %d", e.Version, len(e.Agreed), len(e.Differ), len(e.Silent))
		},
		resolvesThose: func(_ *notifier, e workflow.MarkedRunsReviewed) func(*Notification) bool {
			return func(one *Notification) bool { return one.Type == NotifySuspected && slices.Contains(e.Agreed, one.Run) }
		},
		notice: (*notifier).reviewed,
	}),
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

// WaitsText says what an input waits for whose run failed.
func WaitsText(waits string) string {
	switch waits {
	case workflow.WaitsFix:
		return "a version that works"
	case workflow.WaitsAccess:
		return "access"
	case workflow.WaitsOutage:
		return "the other side"
	case workflow.WaitsProgram:
		return "Kintsugi itself, which failed"
	case workflow.WaitsTaker:
		return "a version that takes it"
	}
	return "its turn"
}
