package maintenance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/internal/replay"
)

// place is what a payload has at one path.
type place struct {
	kinds  map[string]bool
	sample string
}

// shape is a payload's paths, like $.orders[].total, with the kinds of values that stand there.
type shape map[string]*place

// What of a shape is shown.
const (
	shapeRows   = 60
	sampleBytes = 40
	shapeDepth  = 12
	samplesSeen = 5 // successes whose payloads make up "before"
)

// addJSON learns a payload. A string that is a JSON document is followed into.
func (s shape) addJSON(raw json.RawMessage) {
	var value any
	if json.Unmarshal(raw, &value) == nil {
		s.add("$", value, 0)
	}
}

func (s shape) add(path string, value any, depth int) {
	at := s[path]
	if at == nil {
		at = &place{kinds: map[string]bool{}}
		s[path] = at
	}
	kind, sample := kindAndSample(value)
	at.kinds[kind] = true
	if at.sample == "" {
		at.sample = sample
	}
	if depth == shapeDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			s.add(path+"."+name, member, depth+1)
		}
	case []any:
		for _, item := range v {
			s.add(path+"[]", item, depth+1)
		}
	case string:
		var inner any
		if trimmed := strings.TrimSpace(v); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
			if json.Unmarshal([]byte(trimmed), &inner) == nil {
				s.add(path+"(json)", inner, depth+1)
			}
		}
	}
}

func kindAndSample(value any) (kind, sample string) {
	switch v := value.(type) {
	case nil:
		return "null", ""
	case bool:
		return "boolean", fmt.Sprint(v)
	case float64:
		return "number", fmt.Sprint(v)
	case string:
		return "string", fmt.Sprintf("%q", failure.Cut(v, sampleBytes))
	case []any:
		return "array", fmt.Sprintf("%d items", len(v))
	}
	return "object", ""
}

func (p *place) text() string {
	if p == nil {
		return "–"
	}
	text := strings.Join(slices.Sorted(maps.Keys(p.kinds)), "|")
	if p.sample != "" {
		text += " " + p.sample
	}
	return text
}

func (p *place) same(other *place) bool {
	return p != nil && other != nil && maps.Equal(p.kinds, other.kinds)
}

// sideBySide shows two shapes path by path, what differs first.
func sideBySide(before, now shape) string {
	var differ, same []string
	for _, path := range sortedPaths(before, now) {
		if old, is := before[path], now[path]; len(before) > 0 && old.same(is) {
			same = append(same, fmt.Sprintf("    %s: %s", path, is.text()))
		} else if len(before) == 0 {
			same = append(same, fmt.Sprintf("    %s: %s", path, is.text()))
		} else {
			differ = append(differ, fmt.Sprintf("  ! %s: before %s, now %s", path, old.text(), is.text()))
		}
	}
	shown := slices.Concat(differ, same)
	left := len(shown) - shapeRows
	if left > 0 {
		shown = append(shown[:shapeRows], fmt.Sprintf("    (%d more paths)", left))
	}
	return strings.Join(shown, "\n")
}

// sortedPaths are those of both.
func sortedPaths(before, now shape) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(now))
	slices.Sort(all)
	return slices.Compact(all)
}

// callsText shows the calls of the failed run, and the shape of what each gave beside what the
// same call gave in the newest successes.
func callsText(failed replay.Run, successes []replay.Run) string {
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
		before, now := shape{}, shape{}
		now.addJSON(call.Result)
		for n, success := range slices.Backward(successes) {
			if n < len(successes)-samplesSeen {
				break
			}
			if old, found := sameCall(success, key, occurrence); found {
				before.addJSON(old.Result)
			}
		}
		if len(before) == 0 {
			text.WriteString("  (no earlier run made this call)\n")
		}
		text.WriteString(sideBySide(before, now) + "\n")
	}
	if len(failed.Calls) == 0 {
		text.WriteString("(the run failed before its first call)\n")
	}
	return text.String()
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
