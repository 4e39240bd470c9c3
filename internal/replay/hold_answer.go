package replay

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// lostAnswers holds a fix that goes on without an answer: a read that every recorded success
// makes, and that always was answered, is refused each time in the mended run, which asks
// nobody else. What stands for the answer is made up. That something was not found (404) may
// be an answer of its own.
func lostAnswers(q *inquiry) []string {
	if !q.complete || len(q.successes) < enough {
		return nil
	}
	refused := map[string]int{} // status by template
	for _, call := range q.seen.calls {
		if call.effect == sandbox.Read && call.errored != nil && call.errored.Status >= 400 && call.errored.Status != http.StatusNotFound {
			refused[call.template] = call.errored.Status
		}
	}
	for _, run := range append([]observed{q.seen}, q.successes...) {
		for _, call := range run.calls {
			if run.id != q.seen.id && call.failed {
				delete(refused, call.template)
			}
			if run.id == q.seen.id && !call.failed {
				delete(refused, call.template)
			}
		}
	}
	for _, template := range slices.Sorted(maps.Keys(refused)) {
		if _, made := q.always[template]; made {
			return []string{fmt.Sprintf("answer lost: %s is refused with status %d, and nothing is asked in its place", template, refused[template])}
		}
	}
	return nil
}
