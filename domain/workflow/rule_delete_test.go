package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 24: only what is archived and at rest is deleted for good. From then on nothing can be asked of it, and its state needs nothing
// that was said before.
func TestRule24OnlyWhatIsArchivedIsDeleted(t *testing.T) {
	t.Parallel()
	used := []Used{{Day: "2026-03-01", Runs: 2, Micros: 7}}
	ask := Delete{Payloads: 30, Runs: 2, Threads: 1, Used: used}
	deleted := WorkflowDeleted{ID: "w", Owner: fold(draft...).Owner, Payloads: 30, Runs: 2, Threads: 1, Used: used}
	erased := WorkflowErased{Owner: deleted.Owner, Payloads: 30, Used: used}

	archived := everyStatus[StatusArchived]
	given(t, everyStatus[StatusPaused]...).When(ask).ThenRefused(fault.Conflict, "archive it first (kintsugi workflow archive w)")
	given(t, archived.and(RunAdmitted{Run: "open", Version: v10, Trigger: TriggerImport})...).When(ask).ThenRefused(fault.Conflict, "runs that are not over")
	given(t, everyStatus[StatusActive].and(
		RunAdmitted{Run: "half", Version: v10, Trigger: TriggerWebhook}, RunFailed{Run: "half", Version: v10, Failure: refused, Writes: 1}, RunUnfinished{Run: "half", Writes: 1}, WorkflowArchived{})...).
		When(ask).ThenRefused(fault.Conflict, "kintsugi run leave half")
	given(t, archived.and(PlannerTaskOpened{Task: "pl", Thread: "th"})...).When(ask).ThenRefused(fault.Conflict, "planner at work")
	given(t, archived...).When(EndDeletion{}).ThenRefused(fault.Conflict, "is not being deleted")

	given(t, archived...).When(ask).Then(deleted)
	given(t, archived.and(PlannerTaskOpened{Task: "pl", Thread: "th"}, PlannerTaskWaiting{Task: "pl"})...).When(ask).Then(deleted)
	given(t, archived.and(deleted)...).When(ask).Then()
	given(t, archived.and(deleted)...).When(EndDeletion{}).Then(erased)
	given(t, archived.and(deleted, erased)...).When(EndDeletion{}).Then()
	for _, command := range everyCommand() {
		switch command.(type) {
		case Delete, EndDeletion:
		default:
			given(t, archived.and(deleted)...).When(command).ThenRefused(fault.Conflict, "was deleted for good")
		}
	}
	require.Equal(t, fold(archived.and(deleted, erased)...), fold(deleted, erased), "the events before it may be erased")
	for _, happened := range everyEvent() {
		_, err := Follow(fold(archived.and(deleted, erased)...), happened)
		require.ErrorAs(t, err, new(*event.ImpossibleError), "%T after a deletion", happened)
	}
}
