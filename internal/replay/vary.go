package replay

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// A run shows what a script does with the data of one day. Whether something is left out
// because of what the data say or because of the fix is found out by trying: the mended run
// is made again on other data of the same new shape. Only what stays left out whatever the
// data say is the fix's doing.

// varied is a mended run on other data.
type varied struct {
	run     Run
	outcome replayed
}

// leaves are the kinds of values that are changed together.
var leaves = []func(value any) bool{
	func(any) bool { return true },
	func(value any) bool { // numbers and times
		switch v := value.(type) {
		case float64:
			return true
		case string:
			_, err := strconv.ParseFloat(v, 64)
			return err == nil || leadingDate.MatchString(v)
		}
		return false
	},
	func(value any) bool { // words
		text, ok := value.(string)
		return ok && !leadingDate.MatchString(text)
	},
	func(value any) bool { _, ok := value.(bool); return ok },
}

// variations are runs of the candidate that come to a good end although what one source
// gave them was changed. There are none where the fix brings new ways out or compares
// with constants of its own: those could ask for just the data of the failing run.
func (q *inquiry) variations(ctx context.Context) ([]varied, error) {
	if q.variedDone {
		return q.varied, nil
	}
	q.variedDone = true
	if q.newExit() || comparisons(q.candidate) > comparisons(q.gate.old) {
		return nil, nil
	}
	sources := map[string]bool{}
	for _, a := range q.seen.answered() {
		if asksWeb(toolOf(a.source)) {
			sources[a.source] = true
		}
	}
	if len(sources) == 0 { // then it is the input that has the new shape
		sources["input"] = true
	}
	try := func(source string, change func(leaf) any) error {
		run, differs := mappedRun(q.templates, q.run, source, nil, change)
		if !differs {
			return nil
		}
		outcome, err := q.gate.execute(ctx, q.code, &run)
		if err == nil && outcome.Error == nil && q.knowsState(&outcome) {
			q.varied = append(q.varied, varied{run, outcome})
		}
		return err
	}
	words := q.stillHeld()
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		for _, of := range leaves {
			for way := range Ways - 1 { // the last is years away
				if err := try(source, func(l leaf) any {
					if !of(l.value) {
						return l.value
					}
					return Vary(l.value, way)
				}); err != nil {
					return nil, err
				}
			}
		}
		for way := range mostTried {
			if err := try(source, func(l leaf) any {
				if known := words[l.key]; way < len(known) && payload.KindOf(known[way]) == payload.KindOf(l.value) {
					return known[way]
				}
				return l.value
			}); err != nil {
				return nil, err
			}
		}
	}
	return q.varied, nil
}

// stillHeld are the recorded values by the name of their member, of the members that still
// hold some of them: where every value is new, a recorded one could bring the old shape back.
func (q *inquiry) stillHeld() map[string][]any {
	given := map[string][]any{}
	q.seen.collectLeaves(given)
	held := maps.Clone(q.vocabulary)
	maps.DeleteFunc(held, func(key string, values []any) bool {
		return !slices.ContainsFunc(given[key], func(value any) bool { return slices.Contains(values, value) })
	})
	return held
}

// knowsState says that a variation read nothing else of the workflow's own state than the
// mended run: to find nothing kept is another story than other data.
func (q *inquiry) knowsState(outcome *replayed) bool {
	known := map[string]bool{}
	for _, call := range q.outcome.Calls {
		known[call.Tool+sandbox.Canonical(call.Args)] = true
	}
	return !slices.ContainsFunc(outcome.Calls, func(call sandbox.TracedCall) bool {
		return call.Effect == sandbox.Read && !asksWeb(call.Tool) && !known[call.Tool+sandbox.Canonical(call.Args)]
	})
}

// madeSomewhere says that some variation of the mended run makes a call.
func (q *inquiry) madeSomewhere(ctx context.Context, template string) (bool, error) {
	runs, err := q.variations(ctx)
	if err != nil {
		return false, err
	}
	for i := range runs {
		seen := q.templates.observe(runs[i].run.ID, runs[i].run.Input, &runs[i].outcome)
		if seen.count(template) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// comparisons counts the constants that data are compared with. A typeof is about the shape.
func comparisons(s *script.Source) int {
	count := 0
	for _, node := range s.Nodes {
		switch node.(type) {
		case *ast.RegExpLiteral:
			count++
		case *ast.StringLiteral, *ast.NumberLiteral:
			if comparesWith(s, node) {
				count++
			}
		}
	}
	return count
}

func comparesWith(s *script.Source, constant ast.Node) bool {
	switch parent := s.Parents[constant].(type) {
	case *ast.BinaryExpression:
		switch parent.Operator {
		case token.EQUAL, token.NOT_EQUAL, token.STRICT_EQUAL, token.STRICT_NOT_EQUAL,
			token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL:
			other, _ := parent.Left.(*ast.UnaryExpression)
			return other == nil || other.Operator != token.TYPEOF
		}
	case *ast.CallExpression:
		callee, ok := script.Bare(parent.Callee).(*ast.DotExpression)
		return ok && slices.Contains([]string{"includes", "startsWith", "endsWith", "indexOf", "match", "test", "search", "has"}, callee.Identifier.Name.String())
	case *ast.CaseStatement, *ast.ArrayLiteral:
		return true
	}
	return false
}

// followsSomewhere says that in some variation a quantity that comes out follows what went in.
func (q *inquiry) followsSomewhere(ctx context.Context, name string, f follow) (bool, error) {
	runs, err := q.variations(ctx)
	if err != nil {
		return false, err
	}
	for i := range runs {
		seen := q.templates.observe(runs[i].run.ID, runs[i].run.Input, &runs[i].outcome)
		in, out := quantitiesIn(&seen), quantitiesOut(&seen)
		if want, given := in[f.source]; given && want > 0 && out[name] == want+f.offset {
			return true, nil
		}
	}
	return false, nil
}
