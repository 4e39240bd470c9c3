package maintenance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/replay"
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
func callsText(code string, failed replay.Run, successes []replay.Run) string {
	var text strings.Builder
	seen := map[string]int{}
	for i, call := range failed.Calls {
		key := callPlace(call)
		occurrence := seen[key]
		seen[key]++
		fmt.Fprintf(&text, "call %d: %s %s %s\n", i, call.Effect, call.Tool, failure.Cut(string(call.Args), 400))
		if call.Error != nil {
			fmt.Fprintf(&text, "  failed: %s: %s (status %d) %s\n", call.Error.Name, failure.Cut(call.Error.Message, 400), call.Error.Status, failure.Cut(call.Error.Body, 400))
			continue
		}
		if call.Effect != "read" {
			continue
		}
		before := earlier(successes, key, occurrence)
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

// earlier is what the newest successes were given by the same call.
func earlier(successes []replay.Run, key string, occurrence int) *payload.Schema {
	before := payload.NewSchema()
	for _, success := range successes[max(0, len(successes)-samplesSeen):] {
		if old, found := sameCall(success, key, occurrence); found {
			addJSON(before, success.ID, old.Result)
		}
	}
	return before
}

func sameCall(run replay.Run, key string, occurrence int) (replay.Call, bool) {
	var last replay.Call
	found := false
	for _, call := range run.Calls {
		if call.Error == nil && callPlace(call) == key {
			last, found = call, true
			if occurrence--; occurrence < 0 {
				break
			}
		}
	}
	return last, found
}

// callPlace is what a call is about, whatever ids and query it has: its tool, and of its address the
// host and the path without segments that hold digits.
func callPlace(call replay.Call) string {
	var args []json.RawMessage
	var first string
	if json.Unmarshal(call.Args, &args) != nil || len(args) == 0 || json.Unmarshal(args[0], &first) != nil {
		return call.Tool
	}
	address, err := url.Parse(first)
	if err != nil || address.Host == "" {
		return call.Tool + " " + first
	}
	segments := strings.Split(address.Path, "/")
	for i, segment := range segments {
		if strings.ContainsAny(segment, "0123456789") && len(segment) > 2 {
			segments[i] = "*"
		}
	}
	return call.Tool + " " + address.Host + strings.Join(segments, "/")
}
