package replay

import (
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/migration"
)

// Explain says how what a failed run was given differs from what successes were given, all of it together: a line for the input
// and for each kind of call whose payloads changed their shape, as the best explanation has it.
func Explain(code string, failed *Run, successes []*Run) []string {
	parsed, _ := parseScript(code)
	past := newPast(parsed, failed, successes)
	sources, order := past.met()
	var lines []string
	for _, name := range order {
		ways := migration.Rewritten(migration.Infer(past.keys, sources[name].old, sources[name].fresh), sources[name].written)
		if len(ways) == 0 {
			continue
		}
		says := ways[0].String()
		if lost := ways[0].Lost; len(lost) > 0 {
			says = strings.TrimPrefix(says+"; "+strings.Join(lost, ", ")+" is gone", "; ")
		}
		if len(ways) > 1 {
			says += " (or: " + ways[1].String() + ")"
		}
		lines = append(lines, name+": "+says)
	}
	return lines
}
