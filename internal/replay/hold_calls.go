package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// missingCalls holds a fix whose run leaves out what every recorded success does. A run
// that was given less than any of them (an empty list) may do less, as long as nothing
// in the fix itself stands in the way.
//
// Nor is it the fix's doing where the same fix makes the call on other data of the new shape.
func missingCalls(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || len(q.successes) == 0 {
		return nil, nil
	}
	writes, recorded := 0, 0
	for _, call := range q.seen.calls {
		if call.effect == sandbox.Write {
			writes++
		}
	}
	var missing []string
	for _, template := range slices.Sorted(maps.Keys(q.always)) {
		effect := q.always[template]
		if effect == sandbox.Write {
			recorded++
		}
		if q.seen.count(template) > 0 {
			continue
		}
		if somewhere, err := q.madeSomewhere(ctx, template); err != nil {
			return nil, err
		} else if somewhere {
			continue
		}
		if effect == sandbox.Write {
			missing = append(missing, "fewer writes: every recorded success makes "+template+", the mended run does not")
		} else {
			missing = append(missing, "removed call: every recorded success makes "+template+", the mended run does not")
		}
	}
	if len(missing) == 0 || q.excused() {
		return nil, nil
	}
	// One success says little about what always happens, unless nothing at all is left.
	if len(q.successes) < enough && (writes > 0 || recorded == 0) {
		return nil, nil
	}
	return missing, nil
}

// excused says that the mended run may do less than the recorded ones: it was given less,
// and the fix puts no new condition before a call and no new way out.
func (q *inquiry) excused() bool {
	return q.givenLess() && !q.newExit()
}

// givenLess says that a list that was filled in every success is empty or gone now.
func (q *inquiry) givenLess() bool {
	if len(q.lengths) == 0 {
		return false
	}
	now := arrayLengths(&q.seen)
	for path := range q.lengths[0] {
		filled := true
		for _, lengths := range q.lengths {
			filled = filled && lengths[path] > 0
		}
		if filled && now[path] == 0 {
			return true
		}
	}
	return false
}

// newExit says that the candidate has more ways out of the functions and loops that the
// old code has, or host calls under a new condition.
func (q *inquiry) newExit() bool {
	if q.gate.old == nil {
		return true
	}
	if exits(q.candidate, q.gate.old) > exits(q.gate.old, q.gate.old) {
		return true
	}
	return guardedCalls(q.candidate) > guardedCalls(q.gate.old)
}

// guardedCalls counts the conditions that stand before a host call. One that is only
// written otherwise does not count twice.
func guardedCalls(s *script.Source) int {
	count := 0
	for _, node := range s.Nodes {
		switch n := node.(type) {
		case *ast.IfStatement, *ast.ConditionalExpression:
		case *ast.BinaryExpression:
			if n.Operator != token.LOGICAL_AND && n.Operator != token.LOGICAL_OR && n.Operator != token.COALESCE {
				continue
			}
		default:
			continue
		}
		if s.CallsHost(node) {
			count++
		}
	}
	return count
}

// exits counts the ways out of loops and of the functions that old has too: what a new
// helper returns is no way out.
func exits(s *script.Source, old *script.Source) int {
	known := map[string]bool{"main": true}
	for _, node := range old.Nodes {
		if f, ok := node.(*ast.FunctionLiteral); ok && f.Name != nil {
			known[f.Name.Name.String()] = true
		}
	}
	count := 0
	for _, node := range s.Nodes {
		switch n := node.(type) {
		case *ast.BranchStatement:
			if n.Token == token.CONTINUE || n.Token == token.BREAK && !inSwitch(s, n) {
				count++
			}
		case *ast.ReturnStatement:
			if known[s.FunctionName(n)] {
				count++
			}
		}
	}
	return count
}

func inSwitch(s *script.Source, node ast.Node) bool {
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		switch at.(type) {
		case *ast.SwitchStatement:
			return true
		case *ast.ForStatement, *ast.ForOfStatement, *ast.ForInStatement, *ast.WhileStatement, *ast.DoWhileStatement:
			return false
		}
	}
	return false
}

// removedCalls holds a fix that no longer reads what the failed run read. A read that
// failed may be replaced by another of its tool; one whose address was broken may go.
func removedCalls(q *inquiry) []string {
	if !q.complete {
		return nil
	}
	recorded := newJournal(q.gate.subject.Failed.Calls)
	made := map[string]int{}
	for _, call := range q.outcome.Calls {
		recorded.Take(call.Tool, call.Args)
		made[call.Tool]++
	}
	before := map[string]int{}
	for _, call := range q.gate.subject.Failed.Calls {
		before[call.Tool]++
	}
	var found []string
	for _, i := range recorded.Left() {
		call := q.gate.subject.Failed.Calls[i]
		if call.Effect != string(sandbox.Read) || made[call.Tool] >= before[call.Tool] {
			continue
		}
		if brokenAddress(call) {
			continue
		}
		found = append(found, "removed call: the mended run no longer makes "+showCall(call.Tool, call.Args))
	}
	slices.Sort(found)
	return found
}

// brokenAddress says that a call's first argument was made of a value that was not there, or not what it was.
func brokenAddress(call Call) bool {
	list, _ := decode(call.Args).([]any)
	if len(list) == 0 {
		return true
	}
	address, _ := list[0].(string)
	if call.Error == nil {
		return strings.Contains(address, "[object ")
	}
	return strings.HasSuffix(address, "/") || garbageIn(address) != "" || strings.Contains(address, "null") || strings.Contains(address, "undefined")
}

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
			if together >= enough {
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
