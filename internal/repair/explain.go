package repair

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// explain says for people what failed, what changed in the payloads and what was tried. The words of the other side come
// first: they are the cause, and a notice may be folded after its first lines.
func (f *finder) explain() string {
	if f.first == nil {
		return strings.Join(f.notes, "\n")
	}
	said := f.refusals()
	lines := make([]string, 0, len(said)+1)
	for _, words := range said {
		lines = append(lines, "The other side says: "+words)
	}
	lines = append(lines, "The run fails with "+describeFailure(f.first, f.firstView.source)+".")
	changes := gate.Changes(f.evidence.Code, &f.evidence.Failed, f.evidence.Successes)
	switch {
	case len(changes) > 0:
		lines = append(lines, "What changed:")
		for _, one := range changes {
			lines = append(lines, "- "+one.String())
		}
	case len(said) > 0: // that is what changed
	case len(f.evidence.Successes) == 0:
		lines = append(lines, "No run has succeeded yet, so nothing shows what changed.")
	default:
		lines = append(lines, "What the script was given is as it was when it succeeded.")
	}
	if len(f.notes) > 0 {
		lines = append(lines, "What was tried:")
		lines = append(lines, bullets(f.notes)...)
	} else if f.judged == 0 {
		lines = append(lines, "No template fits.")
	}
	return strings.Join(lines, "\n")
}

// refusals are the words with which a service refused: the body of a failed call, or an
// error in an answer that had none before.
func (f *finder) refusals() []string {
	var said []string
	add := func(text string) {
		if text = clip(strings.Join(strings.Fields(text), " "), 200); text != "" && !slices.Contains(said, text) && len(said) < 3 {
			said = append(said, text)
		}
	}
	for _, call := range f.evidence.Failed.Calls {
		if call.Error != nil {
			add(call.Error.Body)
		}
		var fetched struct {
			Status int
			Body   string
		}
		if json.Unmarshal(call.Result, &fetched) == nil && fetched.Status >= 400 && hostcall.Of(call.Tool).AnswersWhole() {
			add(fmt.Sprintf("status %d %s", fetched.Status, fetched.Body))
		}
	}
	for _, g := range f.firstView.groups() {
		known := map[string]bool{}
		for _, value := range g.before {
			if o, ok := value.(*orderedjson.Object); ok {
				for _, key := range o.Keys {
					known[key] = true
				}
			}
		}
		for _, value := range g.after {
			o, ok := value.(*orderedjson.Object)
			if !ok {
				continue
			}
			for _, key := range o.Keys {
				if !known[key] && slices.Contains([]string{"error", "errors", "message", "detail", "details", "reason", "fault", "warning", "info"}, key) {
					eachText(o.Fields[key], add)
				}
			}
		}
	}
	return said
}

// eachText visits the texts in a value that are sentences, not codes.
func eachText(value any, visit func(string)) {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, " ") {
			visit(v)
		}
	case []any:
		for _, element := range v {
			eachText(element, visit)
		}
	case *orderedjson.Object:
		for _, key := range v.Keys {
			eachText(v.Fields[key], visit)
		}
	}
}

func bullets(items []string) []string {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = "- " + item
	}
	return lines
}

// why says in one line why the gate did not let a candidate through.
func why(j gate.Judgement) string {
	switch {
	case j.FailingRun.Status == "failed" && j.FailingRun.Error != nil:
		return "the failing run still fails: " + clip(j.FailingRun.Error.Name+": "+j.FailingRun.Error.Message, 120)
	case j.Divergence != nil:
		d := j.Divergence
		return fmt.Sprintf("run %s differs in %s %s: %s instead of %s", d.Run, d.What, d.Path, clip(d.Got, 60), clip(d.Want, 60))
	case j.Verdict == gate.Unverifiable:
		return "it needs an answer that was never recorded"
	}
	return "verdict " + j.Verdict
}
