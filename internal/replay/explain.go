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
	type given struct{ old, fresh []any }
	all := map[string]*given{}
	var order []string
	past.eachGiven(failed, func(name string, value any) {
		if all[name] == nil {
			all[name] = &given{}
			order = append(order, name)
		}
		all[name].fresh = append(all[name].fresh, value)
	})
	for _, run := range successes {
		past.eachGiven(run, func(name string, value any) {
			if of := all[name]; of != nil {
				of.old = append(of.old, value)
			}
		})
	}
	var lines []string
	for _, name := range order {
		ways := migration.Infer(past.keys, all[name].old, all[name].fresh)
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
