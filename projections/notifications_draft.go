package projections

import (
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// The answers to the question about a draft that nobody touches.
const (
	ActionKeepDraft    = "keep"
	ActionArchiveDraft = "archive"
)

// aboutDraft begins what is told of drafts; the owner follows. All drafts of an owner are told of together.
const aboutDraft = "draft "

// prompted asks the owner of a draft whether they go on: the newest question takes the place of the one before.
func (n notifier) prompted(e workflow.DraftPrompted) {
	n.resolve(ofType(NotifyDraft))
	text := fmt.Sprintf("Nobody worked on it since %s. Go on with it, or archive it: everything is kept, and it can be restored.", e.Since.UTC().Format(time.DateOnly))
	if !e.Archives.IsZero() {
		text += fmt.Sprintf(" It is archived by itself on %s.", e.Archives.UTC().Format(time.DateOnly))
	}
	n.add(Notification{
		Type: NotifyDraft, Title: "A draft that was never activated", Text: text, Actions: []string{ActionKeepDraft, ActionArchiveDraft},
	}, aboutDraft+e.Owner)
}

// draftTouched ends the question when somebody works on the draft, or it is none any more. Not every event that counts
// as work is looked at: of a workflow that runs there are many, and the ones that are left come before it does.
func (n notifier) draftTouched() { n.resolve(ofType(NotifyDraft)) }
