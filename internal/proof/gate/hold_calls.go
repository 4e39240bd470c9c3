package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// addedCalls holds a fix that does more than the recorded runs: new tools, writes more
// often or in a new order, many more calls.
func addedCalls(q *inquiry) []string {
	var found []string
	counts := map[string]int{}
	effects := map[string]sandbox.Effect{}
	tools := map[string]string{}
	for _, call := range q.seen.calls {
		counts[call.template]++
		effects[call.template] = call.effect
		tools[call.template] = call.tool
		if !q.tools[call.tool] && (q.gate.old == nil || !namesTool(q.gate.old, call.tool)) {
			found = append(found, "new tool: no recorded run calls "+call.tool)
		}
	}
	for _, call := range q.missed {
		if !q.tools[call.Tool] && (q.gate.old == nil || !namesTool(q.gate.old, call.Tool)) {
			found = append(found, "new tool: no recorded run calls "+call.Tool)
		}
	}
	if len(q.successes) == 0 {
		return found
	}
	for _, template := range slices.Sorted(maps.Keys(counts)) {
		if effects[template] != sandbox.Write || !q.addsCallOf(tools[template]) {
			continue
		}
		if most := q.most[template]; counts[template] > most {
			found = append(found, fmt.Sprintf("added write: %s is made %d times, in recorded runs at most %d times", template, counts[template], most))
		}
	}
	if first, second, ok := q.newOrder(); ok && (q.addsCallOf(strings.Fields(first)[0]) || q.addsCallOf(strings.Fields(second)[0])) {
		found = append(found, fmt.Sprintf("added write: %s comes before %s, no recorded run does that", first, second))
	}
	if limit := 2 * q.mostCalls * q.growth(); len(q.seen.calls) > max(limit, 8) {
		found = append(found, fmt.Sprintf("many more calls: the mended run makes %d, recorded runs at most %d", len(q.seen.calls), q.mostCalls))
	}
	return found
}

// namesTool says that the code calls a tool, whether or not a recorded run came there.
func namesTool(s *script.Source, tool string) bool { return callSites(s, tool) > 0 }

func callSites(s *script.Source, tool string) int {
	count := 0
	for _, node := range s.Nodes {
		if call, ok := node.(*ast.CallExpression); ok && s.Tool(call) == tool {
			count++
		}
	}
	return count
}

// addsCallOf says that the candidate calls a tool in more places than the old code.
func (q *inquiry) addsCallOf(tool string) bool {
	return q.gate.old == nil || callSites(q.candidate, tool) > callSites(q.gate.old, tool)
}

// growth is how much more the failing run was given than any recorded run: loops over
// longer lists make more calls.
func (q *inquiry) growth() int {
	most, now := 1, 1
	for _, lengths := range q.lengths {
		for _, n := range lengths {
			most = max(most, n)
		}
	}
	for _, n := range arrayLengths(&q.seen) {
		now = max(now, n)
	}
	return (now + most - 1) / most
}

// newOrder finds two kinds of writes of the mended run that come, for the first time,
// the other way round than in every recorded run that has both.
func (q *inquiry) newOrder() (first, second string, found bool) {
	order := firstWrites(&q.seen)
	for i, a := range order {
		for _, b := range order[i+1:] {
			together := 0
			for s := range q.successes {
				recorded := firstWrites(&q.successes[s])
				x, y := slices.Index(recorded, a), slices.Index(recorded, b)
				if x < 0 || y < 0 {
					continue
				}
				if x < y {
					together = -len(q.successes)
				}
				together++
			}
			if together > 1 {
				return a, b, true
			}
		}
	}
	return "", "", false
}

// firstWrites are the kinds of writes of a run, in the order in which each came first.
func firstWrites(o *observed) []string {
	var order []string
	for _, call := range o.calls {
		if call.effect == sandbox.Write && !slices.Contains(order, call.template) {
			order = append(order, call.template)
		}
	}
	return order
}
