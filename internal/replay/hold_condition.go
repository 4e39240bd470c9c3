package replay

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// narrowedWrites holds a fix that adds a condition to those before a write, where that alone
// keeps the mended run from making it: without the added one, the run ends well and writes.
// A guard without which the run would fail is none of that.
func narrowedWrites(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil {
		return nil, nil
	}
	var before [][]string
	for _, node := range q.gate.old.nodes {
		if branch, ok := node.(*ast.IfStatement); ok && q.gate.old.callsHost(branch.Consequent) {
			before = append(before, q.gate.old.conditions(branch.Test))
		}
	}
	for _, branch := range added[*ast.IfStatement](q.gate.old, q.candidate) {
		if !q.candidate.callsHost(branch.Consequent) {
			continue
		}
		kept := narrowed(q.candidate.conditions(branch.Test), before)
		if kept == nil {
			continue
		}
		head := ifHead.FindAllStringIndex(q.code[:q.candidate.start(branch.Test)], -1)
		shut := strings.LastIndexByte(q.code[:q.candidate.start(branch.Consequent)], ')')
		if len(head) == 0 || head[len(head)-1][1] > shut {
			continue
		}
		open := head[len(head)-1][1]
		wide := q.code[:open] + strings.Join(kept, " && ") + q.code[shut:]
		again, err := q.gate.execute(ctx, wide, &q.gate.subject.Failed)
		if err != nil {
			return nil, err
		}
		if again.Error != nil {
			continue
		}
		for _, tool := range slices.Sorted(slices.Values(writeTools(&again))) {
			if slices.Contains(writeTools(q.outcome), tool) {
				continue
			}
			return []string{fmt.Sprintf("fewer writes: %s depends on a new condition (line %d), and the mended run does not make it", tool, q.candidate.line(branch.Test))}, nil
		}
	}
	return nil, nil
}

// ifHead is where a test begins. The parser leaves brackets out of the tree.
var ifHead = regexp.MustCompile(`\bif\s*\(`)

// conditions are the texts of what a test asks, each on its own.
func (s *script) conditions(test ast.Expression) []string {
	if both, ok := test.(*ast.BinaryExpression); ok && both.Operator == token.LOGICAL_AND {
		return append(s.conditions(both.Left), s.conditions(both.Right)...)
	}
	return []string{s.code[s.start(test):s.end(test)]}
}

// narrowed is the recorded condition that a test has with something added, nil if there is none.
func narrowed(test []string, before [][]string) []string {
	for _, known := range before {
		if len(known) < len(test) && !slices.ContainsFunc(known, func(one string) bool { return !slices.Contains(test, one) }) {
			return known
		}
	}
	return nil
}

// writeTools are the tools with which an execution wrote.
func writeTools(outcome *replayed) []string {
	var tools []string
	for _, call := range outcome.Calls {
		if call.Effect == sandbox.Write && !slices.Contains(tools, call.Tool) {
			tools = append(tools, call.Tool)
		}
	}
	return tools
}
