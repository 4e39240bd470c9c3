package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// Value is what a name, or a path of names, had where a run failed.
type Value struct {
	Name string `json:"name"`
	// Text is the value as JSON, cut where it is long; undefined if it had none.
	Text string `json:"text"`
	// Here says that the statement that failed speaks of it; others are of the function around it.
	Here bool `json:"here"`
}

// Bounds of what is told of a place.
const (
	maxValues    = 40
	maxValueText = 2000 // characters
)

// valuesMark begins the line of the log by which values are told.
const valuesMark = "\x01values "

// ValuesAtFailure are what the names had that the failing statement speaks of, and its function: the run is made again on
// its recorded answers, with a note where it fails. None if it does not fail there again, or if there is no such place.
func ValuesAtFailure(ctx context.Context, runner sandbox.Runner, code, zone string, run *Run) ([]Value, error) {
	failed := run.Outcome.Error
	if failed == nil {
		return nil, nil
	}
	s, err := parseScript(code)
	if err != nil {
		return nil, nil // it never ran
	}
	frames := framesOf(failed.Stack)
	if len(frames) == 0 {
		return nil, nil
	}
	noted, names := noting(s, s.OffsetOf(frames[0].Line, frames[0].Column))
	if len(names) == 0 || !runnable(noted) {
		return nil, nil
	}
	outcome, err := Trace(ctx, runner, noted, zone, run, nil, true)
	if err != nil || outcome.Error == nil || outcome.Error.Name != failed.Name || outcome.Error.Message != failed.Message {
		return nil, err
	}
	for _, told := range slices.Backward(outcome.Log) {
		text, is := strings.CutPrefix(told.Text, valuesMark)
		if !is {
			continue
		}
		var values []Value
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			return nil, fmt.Errorf("gate: values where a run failed: %w", err)
		}
		return values, nil
	}
	return nil, nil
}

// noting is the script with a note around the outermost expression, of the innermost function, that holds a place.
func noting(s *script.Source, at int) (code string, names []string) {
	around := expressionAt(s, at)
	if around == nil {
		return "", nil
	}
	start, end := s.Span(around)
	here := pathsIn(s, around)
	names = slices.Clone(here)
	for _, name := range s.Scopes.Visible(around) {
		if binding := s.Scopes.Lookup(around, name); len(names) < maxValues && !slices.Contains(names, name) && isData(binding) && isSet(s, binding, around) {
			names = append(names, name)
		}
	}
	var notes strings.Builder
	for i, name := range names {
		fmt.Fprintf(&notes, "$$note(%s,%t,()=>%s);", script.Quote(name), i < len(here), name)
	}
	note := fmt.Sprintf(`{const $$values=[];const $$note=(name,here,read)=>{let value;try{value=read()}catch{return}`+
		`if(typeof value==='function')return;let text;try{text=JSON.stringify(value)??String(value)}catch{text=String(value)}`+
		`$$values.push({name,here,text:text.length>%d?text.slice(0,%d)+'…':text})};%sconsole.error(%s+JSON.stringify($$values))}`,
		maxValueText, maxValueText, notes.String(), script.Quote(valuesMark))
	async, await := "", ""
	if awaits(around) {
		async, await = "async", "await "
	}
	// It stands on the lines on which it stood, so that the failure is at the same line.
	code, err := script.Apply(s.Code, []script.Edit{
		script.Insert(start, fmt.Sprintf("(%s(%s()=>{try{return (", await, async)),
		script.Insert(end, fmt.Sprintf(")}catch($$failed){%s;throw $$failed}})())", note)),
	})
	if err != nil {
		return "", nil
	}
	return code, names
}

// expressionAt is the outermost expression that holds a place, within the innermost function around it.
func expressionAt(s *script.Source, at int) ast.Node {
	var inner ast.Node = s.Program
	for next := inner; next != nil; {
		inner, next = next, nil
		for _, child := range script.Children(inner) {
			if start, end := s.Span(child); start <= at && at < end {
				next = child
				break
			}
		}
	}
	var outer ast.Node
	for node := inner; node != nil; node = s.Parents[node] {
		switch node.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			return outer
		case *ast.Binding, *ast.ObjectPattern, *ast.ArrayPattern, *ast.PropertyShort, *ast.PropertyKeyed, *ast.YieldExpression:
			continue // nothing can stand around it
		}
		if _, is := node.(ast.Statement); is && outer != nil {
			return outer
		}
		if _, is := node.(ast.Expression); is {
			outer = node
		}
	}
	return outer
}

// awaits says that a node waits in its own function.
func awaits(node ast.Node) bool {
	switch node.(type) {
	case *ast.AwaitExpression:
		return true
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return false
	}
	return slices.ContainsFunc(script.Children(node), awaits)
}

// isData says that a name is of something that a person wants to see.
func isData(binding *script.Binding) bool {
	if binding == nil || binding.Kind == "function" || binding.Kind == "class" {
		return false
	}
	return !isFunction(binding.Init)
}

// isSet says that a name has a value where an expression stands: its declaration is not that very one, nor does it follow.
func isSet(s *script.Source, binding *script.Binding, around ast.Node) bool {
	if binding.Kind == "param" || binding.Kind == "catch" {
		return true
	}
	end := s.End(binding.Node)
	if binding.Init != nil {
		end = s.End(binding.Init)
	}
	if binding.Declaration != nil {
		end = max(end, s.End(binding.Declaration))
	}
	return end <= s.Start(around)
}

// pathsIn are the names and members of names (a, a.b) that an expression reads, without those of functions in it.
func pathsIn(s *script.Source, around ast.Node) []string {
	var paths []string
	s.Holds(around, func(node ast.Node) bool {
		text := ""
		switch n := node.(type) {
		case *ast.Identifier:
			if isData(s.Scopes.Bindings[n]) && s.Scopes.Lookup(around, string(n.Name)) == s.Scopes.Bindings[n] {
				text = string(n.Name)
			}
		case *ast.DotExpression:
			if base, is := leftmost(n).(*ast.Identifier); is && isData(s.Scopes.Bindings[base]) && s.Scopes.Lookup(around, string(base.Name)) == s.Scopes.Bindings[base] {
				text = s.Text(n)
			}
		}
		if text != "" && len(paths) < maxValues && !slices.Contains(paths, text) {
			paths = append(paths, text)
		}
		return false
	})
	return paths
}

// leftmost is what a chain of plain members begins with, nil if something else is in the chain.
func leftmost(node ast.Expression) ast.Expression {
	for {
		switch n := node.(type) {
		case *ast.DotExpression:
			node = n.Left
		case *ast.Identifier:
			return n
		default:
			return nil
		}
	}
}
