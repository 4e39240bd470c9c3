package maintenance

import (
	"context"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// PersonFixer proposes nothing: it tells a person what is known. In the order of fixers it is the
// end, and alone it hands every failure straight to a person.
type PersonFixer struct{}

var _ repair.Fixer = PersonFixer{}

// Name implements [repair.Fixer].
func (PersonFixer) Name() string { return workflow.FixerPerson }

// Propose implements [repair.Fixer].
func (PersonFixer) Propose(_ context.Context, evidence repair.Evidence, _ repair.Judge) (string, error) {
	e := evidence.Failure
	var text strings.Builder
	fmt.Fprintf(&text, "This workflow's failures go to a person. Version %s failed with %s: %s\n", evidence.Version, e.Name, failure.Cut(e.Message, 500))
	if excerpt := sourceExcerpt(evidence.Code, e.Frames); excerpt != "" {
		fmt.Fprintf(&text, "\n%s", excerpt)
	}
	if calls := callsText(evidence.Code, evidence.Failed, evidence.Successes); calls != "" {
		fmt.Fprintf(&text, "\n%s", failure.Cut(calls, mostOutput))
	}
	return text.String(), nil
}
