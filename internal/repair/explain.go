package repair

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

// explain says for people what failed, what changed in the payloads and what was tried.
func (f *finder) explain() string {
	if f.first == nil {
		return strings.Join(f.notes, "\n")
	}
	lines := []string{"The run fails with " + describeFailure(f.first, f.firstView.source) + "."}
	said := f.refusals()
	if len(said) > 0 {
		lines = append(lines, "What the other side says:")
		lines = append(lines, bullets(said)...)
	}
	changes := f.firstView.changes()
	if len(changes) == 0 {
		changes = f.firstView.moves()
	}
	switch {
	case len(changes) == 0 && len(said) > 0: // that is what changed
	case len(changes) == 0:
		lines = append(lines, "Nothing that the script read from its input and from its calls is of another shape than in the recorded successes.")
	default:
		lines = append(lines, "What changed:")
		lines = append(lines, bullets(changes)...)
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
		if json.Unmarshal(call.Result, &fetched) == nil && fetched.Status >= 400 && tool.Of(call.Tool).AnswersWhole() {
			add(fmt.Sprintf("status %d %s", fetched.Status, fetched.Body))
		}
	}
	for _, g := range groupsOf(f.firstView.failing, f.firstView.successes) {
		known := map[string]bool{}
		for _, value := range g.before {
			if o, ok := value.(*ordered.Object); ok {
				for _, key := range o.Keys {
					known[key] = true
				}
			}
		}
		for _, value := range g.after {
			o, ok := value.(*ordered.Object)
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
	case *ordered.Object:
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

// changes says how the payloads differ where the script reads them.
func (v *view) changes() []string {
	var found []string
	told := map[string]bool{}
	for _, a := range anomalies(v.source, v.failing, v.successes, nil) {
		var change string
		switch a.how {
		case isMissing:
			change = a.label() + " is missing" + inside(a) + v.lineOf(a)
		case isNull:
			change = a.label() + " is null" + inside(a) + v.lineOf(a)
		default:
			if a.key == "[]" {
				change = fmt.Sprintf("the elements of %s were %s and now are %s%s", a.label(), kinds(a.before), kinds(a.after), inside(a))
				break
			}
			if c := sameKind(a.before, a.after, a.after.Kind()); a.before.Kind() == a.after.Kind() && c != nil {
				change = fmt.Sprintf("%s has to be read %s%s", a.label(), c.says, inside(a))
				break
			}
			change = fmt.Sprintf("%s was %s and now is %s%s", a.label(), kinds(a.before), kinds(a.after), inside(a))
		}
		if news := a.appearedAround(); a.key != "" && a.key != "[]" && len(news) > 0 {
			change += "; new there: " + strings.ReplaceAll(strings.Join(news, ", "), ".[]", "[]")
		}
		if !told[change] && len(found) < 10 {
			told[change] = true
			found = append(found, change)
		}
	}
	for _, bad := range v.failing.badTexts {
		found = append(found, fmt.Sprintf("the text at line %d is not JSON: %s", bad.at.Line, clip(strings.Join(strings.Fields(bad.text), " "), 80)))
	}
	return found
}

// moves are lists that are not where they always were, whether or not the script asks for them by name.
func (v *view) moves() []string {
	var found []string
	for _, g := range groupsOf(v.failing, v.successes) {
		before, after := listsOf(g.before), listsOf(g.after)
		var appeared []string
		for _, place := range slices.Sorted(maps.Keys(after)) {
			if before[place] == 0 {
				appeared = append(appeared, place)
			}
		}
		where := inside(&anomaly{group: g})
		for _, place := range slices.Sorted(maps.Keys(before)) {
			switch {
			case before[place] < len(g.before) || after[place] > 0: // it was not always there, or is
			case len(appeared) == 0:
				found = append(found, fmt.Sprintf("the list %s is missing%s", place, where))
			default:
				found = append(found, fmt.Sprintf("the list %s is missing%s; new there: the list %s", place, where, strings.Join(appeared, ", ")))
			}
		}
	}
	return found
}

// listsOf counts in how many of the values a list is at a place, through objects.
func listsOf(values []any) map[string]int {
	const deepest = 4
	found := map[string]int{}
	var look func(value any, path []string)
	look = func(value any, path []string) {
		switch v := value.(type) {
		case []any:
			if len(path) > 0 {
				found[strings.Join(path, ".")]++
			}
		case *ordered.Object:
			if len(path) == deepest {
				return
			}
			for _, key := range v.Keys {
				look(v.Fields[key], append(slices.Clip(path), key))
			}
		}
	}
	for _, value := range values {
		look(value, nil)
	}
	return found
}

func inside(a *anomaly) string {
	where := a.group.tool
	switch a.group.kind {
	case "input":
		where = "the input"
	case "parse":
		where = "the parsed text"
	default:
		where = "the answer of " + where
	}
	if len(a.path) == 0 {
		return " in " + where
	}
	return " in " + strings.TrimPrefix(strings.ReplaceAll("."+strings.Join(a.path, "."), ".[]", "[]"), ".") + " of " + where
}

func kinds(p *payload.Profile) string {
	var names []string
	for kind := range p.Kinds {
		names = append(names, kind)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "null"
	}
	return strings.Join(names, " or ")
}

// why says in one line why the gate did not let a candidate through.
func why(j replay.Judgement) string {
	switch {
	case j.FailingRun.Status == "failed" && j.FailingRun.Error != nil:
		return "the failing run still fails: " + clip(j.FailingRun.Error.Name+": "+j.FailingRun.Error.Message, 120)
	case j.Divergence != nil:
		d := j.Divergence
		said := fmt.Sprintf("run %s differs in %s %s: %s instead of %s", d.Run, d.What, d.Path, clip(d.Got, 60), clip(d.Want, 60))
		if d.After != "" {
			said += ", once " + clip(d.After, 120)
		}
		return said
	case j.Verdict == replay.Unverifiable:
		return "it needs an answer that was never recorded"
	}
	return "verdict " + j.Verdict
}
