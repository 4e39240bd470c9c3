package replay

import (
	"fmt"
	"slices"
	"strings"
)

// replayOrder sorts successes for replay: the newest of each kind first, then the others,
// newest first. Where time is short, that sees the most different behaviour soonest.
// Runs are given oldest first.
func replayOrder(templates *templates, successes []Run) []*Run {
	runs := make([]*Run, len(successes))
	for i := range successes {
		runs[len(successes)-1-i] = &successes[i]
	}
	seen := map[string]bool{}
	again := make(map[*Run]bool, len(runs))
	for _, run := range runs {
		kind := kindOf(templates, run)
		again[run] = seen[kind]
		seen[kind] = true
	}
	slices.SortStableFunc(runs, func(a, b *Run) int {
		switch {
		case again[a] == again[b]:
			return 0
		case again[b]:
			return -1
		}
		return 1
	})
	return runs
}

// kindOf is a rough picture of what a run did: which calls, how they ended, and the
// shape of the output. Loops of different length are the same kind.
func kindOf(templates *templates, run *Run) string {
	var kinds []string
	for _, call := range run.Calls {
		kind := templates.of(call.Tool, call.Args)
		if call.Error != nil {
			kind += "!" + call.Error.Class
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, "\n") + "\n" + outline(decode(run.Outcome.Output))
}

// outline is the structure of a value without its contents.
func outline(value any) string {
	switch v := value.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for key, member := range v {
			parts = append(parts, key+":"+outline(member))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + outline(v[0]) + "]"
	}
	return fmt.Sprintf("%T", value)
}
