package maintenance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// The bounds of the shapes that are shown.
const (
	shapeRows   = 60
	samplesSeen = 5 // successes whose payloads make up "before"
)

// addJSON takes in a payload of a run.
func addJSON(to *payload.Schema, run string, raw json.RawMessage) {
	if value := payload.Decode(raw); value != (payload.Absent{}) {
		to.Add(run, value, nil)
	}
}

func schemaOf(raw json.RawMessage) *payload.Schema {
	made := payload.NewSchema()
	addJSON(made, "", raw)
	return made
}

// sideBySide shows what stood at each place before, and stands there now, what differs first.
func sideBySide(code string, before, now *payload.Schema) string {
	was := before.Read(payload.Keys{Spelled: payload.Spelled(code)})
	is, known := now.Like(was), len(was.All()) > 0
	if !known {
		is = now.Read(payload.Keys{Spelled: payload.Spelled(code)})
	}
	changed := payload.Changes(was, is)
	var shown, same []string
	for _, c := range changed {
		shown = append(shown, fmt.Sprintf("  ! %s: before %s, now %s", named(c.Path), c.Was, c.Is))
	}
	for _, place := range is.All() {
		if !slices.ContainsFunc(changed, func(c payload.Change) bool { return slices.Equal(c.Path, place.Path) }) {
			same = append(same, fmt.Sprintf("    %s: %s", named(place.Path), place))
		}
	}
	shown = append(shown, same...)
	if left := len(shown) - shapeRows; left > 0 {
		shown = append(shown[:shapeRows], fmt.Sprintf("    (%d more places)", left))
	}
	return strings.Join(shown, "\n")
}

func named(path []string) string { return cmp.Or(payload.Show(path), "(all of it)") }

// callsText shows the calls of the failed run, and the shape of what each gave beside what the
// same call gave in the newest successes.
func callsText(code string, failed gate.Run, successes []gate.Run) string {
	var text strings.Builder
	newest := successes[max(0, len(successes)-samplesSeen):]
	for i, call := range failed.Calls {
		fmt.Fprintf(&text, "call %d: %s %s %s\n", i, call.Effect, call.Tool, failure.Cut(string(call.Args), 400))
		if call.Error != nil {
			fmt.Fprintf(&text, "  failed: %s: %s (status %d) %s\n", call.Error.Name, failure.Cut(call.Error.Message, 400), call.Error.Status, failure.Cut(call.Error.Body, 400))
			continue
		}
		if call.Effect != "read" {
			continue
		}
		before := gate.Earlier(code, &call, newest)
		if len(before.All()) == 0 {
			text.WriteString("  (no earlier run made this call)\n")
		}
		text.WriteString(sideBySide(code, before, schemaOf(call.Result)) + "\n")
	}
	if len(failed.Calls) == 0 {
		text.WriteString("(the run failed before its first call)\n")
	}
	return text.String()
}
