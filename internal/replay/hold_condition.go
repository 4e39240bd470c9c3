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
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// narrowedWrites holds a fix that puts a condition before what was done without it, or adds
// one to those that were there, where that alone keeps the mended run from it: without the
// new one, the run ends well and comes to something else. A guard without which the run
// would fail or write garbage is none of that, nor one that asks about the very value that
// it guards.
func narrowedWrites(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil {
		return nil, nil
	}
	known := map[string]bool{}
	var before [][]string
	for _, node := range q.gate.old.Nodes {
		switch n := node.(type) {
		case *ast.IfStatement:
			before = append(before, conditions(q.gate.old, n.Test))
		case *ast.ExpressionStatement:
			if !isConditional(q.gate.old, n) {
				known[script.ShapeOf(n)] = true
			}
		}
	}
	for _, branch := range script.Added[*ast.IfStatement](q.gate.old, q.candidate) {
		test := conditions(q.candidate, branch.Test)
		open, shut, ok := brackets(q.candidate, branch)
		if !ok {
			continue
		}
		var wide string
		var kept []string
		guarded := q.code[q.candidate.Start(branch.Consequent):q.candidate.End(branch.Consequent)]
		if kept = narrowed(test, before); kept != nil {
			wide = q.code[:open] + strings.Join(kept, " && ") + q.code[shut:]
			guarded = strings.Join(kept, " && ")
		} else if branch.Alternate == nil && allKnown(branch.Consequent, known) {
			wide = q.code[:open] + "true" + q.code[shut:]
		} else {
			continue
		}
		again, err := q.gate.execute(ctx, wide, &q.gate.subject.Failed)
		if err != nil {
			return nil, err
		}
		if again.Error != nil || sameOutcome(&again, q.outcome) {
			continue
		}
		for _, tool := range slices.Sorted(slices.Values(writeTools(&again))) {
			if kept == nil || slices.Contains(writeTools(q.outcome), tool) {
				continue
			}
			return []string{fmt.Sprintf("fewer writes: %s depends on a new condition (line %d), and the mended run does not make it", tool, q.candidate.Line(branch.Test))}, nil
		}
		if asksAbout(q.candidate, branch.Test, kept, guarded) || q.isWorse(&again) {
			continue
		}
		return []string{fmt.Sprintf("left out: what is done on line %d depends on a new condition, and the mended run does not do it", q.candidate.Line(branch.Consequent))}, nil
	}
	return nil, nil
}

// isConditional says that a statement stands under some if.
func isConditional(s *script.Source, node ast.Node) bool {
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		if _, ok := at.(*ast.IfStatement); ok {
			return true
		}
	}
	return false
}

// brackets are where the test of a branch begins and ends in the code.
func brackets(s *script.Source, branch *ast.IfStatement) (open, shut int, ok bool) {
	head := ifHead.FindAllStringIndex(s.Code[:s.Start(branch.Test)], -1)
	shut = strings.LastIndexByte(s.Code[:s.Start(branch.Consequent)], ')')
	if len(head) == 0 || head[len(head)-1][1] > shut {
		return 0, 0, false
	}
	return head[len(head)-1][1], shut, true
}

// allKnown says that a branch holds only statements of the given structures.
func allKnown(consequent ast.Statement, known map[string]bool) bool {
	block, ok := consequent.(*ast.BlockStatement)
	if !ok {
		return known[script.ShapeOf(consequent)]
	}
	return len(block.List) > 0 && !slices.ContainsFunc(block.List, func(one ast.Statement) bool { return !known[script.ShapeOf(one)] })
}

// asksAbout says that the new part of a test is about a value that what it guards names too.
func asksAbout(s *script.Source, test ast.Expression, kept []string, guarded string) bool {
	if both, ok := test.(*ast.BinaryExpression); ok && both.Operator == token.LOGICAL_AND {
		return asksAbout(s, both.Left, kept, guarded) || asksAbout(s, both.Right, kept, guarded)
	}
	text := s.Code[s.Start(test):s.End(test)]
	if slices.Contains(kept, text) {
		return false
	}
	return s.Holds(test, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.Identifier, *ast.DotExpression, *ast.BracketExpression:
			if dot, ok := s.Parents[node].(*ast.DotExpression); ok && (dot.Left == node || s.IsMember(node)) {
				return false // only the whole chain says which value
			}
			named := regexp.MustCompile(`(?:^|[^\w$.])` + regexp.QuoteMeta(s.Code[s.Start(node):s.End(node)]) + `(?:$|[^\w$])`)
			return named.MatchString(guarded)
		}
		return false
	})
}

// isWorse says that the failing run, made again with other code, comes to values that the
// mended run does not have and that are a reason to hold.
func (q *inquiry) isWorse(again *replayed) bool {
	other := *q
	other.outcome = again
	other.seen = q.templates.observe(q.gate.subject.Failed.ID, q.gate.subject.Failed.Input, again)
	return len(garbage(&other)) > len(garbage(q)) || len(changedShape(&other)) > len(changedShape(q))
}

// ifHead is where a test begins. The parser leaves brackets out of the tree.
var ifHead = regexp.MustCompile(`\bif\s*\(`)

// conditions are the texts of what a test asks, each on its own.
func conditions(s *script.Source, test ast.Expression) []string {
	if both, ok := test.(*ast.BinaryExpression); ok && both.Operator == token.LOGICAL_AND {
		return append(conditions(s, both.Left), conditions(s, both.Right)...)
	}
	return []string{s.Code[s.Start(test):s.End(test)]}
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
