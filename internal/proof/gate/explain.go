package gate

import "strings"

// Explain says how what a failed run was given differs from what successes were given, all of it together: a line for the input
// and for each kind of call whose payloads changed their shape, as the best explanation has it.
func Explain(code string, failed *Run, successes []*Run) []string {
	parsed, _ := parseScript(code)
	past := newPast(parsed, failed, successes)
	sources, order := past.changes()
	var lines []string
	for _, name := range order {
		ways := sources[name].ways
		says := sources[name].says(&ways[0])
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
