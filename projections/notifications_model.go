package projections

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// aboutModel is a model that only an operator can bring to answer.
const aboutModel = "model "

// modelMissing tells the operator, once for all workflows until the model answers again, that it
// refuses: for want of money, of a right or of a key that it takes. What passes by itself is not told.
func (n notifier) modelMissing(e thread.ModelUnavailable) {
	if e.Kind != "quota" && e.Kind != "refused" {
		return
	}
	n.workflow = "" // it is of no one workflow
	n.add(Notification{
		Type: NotifyInternal, Title: fmt.Sprintf("The model %s does not answer: %s", e.Model, e.Kind),
		Text: fmt.Sprintf("%s %s. Repairs that need it wait and are tried again; templates still mend. Look at its key, its name and the account: kintsugi llm check.", e.Code, e.Detail),
	}, aboutModel+e.Kind)
}

// modelAnswered ends that.
func (n notifier) modelAnswered() {
	n.workflow = ""
	n.resolve(about(aboutModel+"quota", aboutModel+"refused"))
}
