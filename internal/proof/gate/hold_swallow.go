package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// swallowedErrors holds a fix with a new handler that hides whatever happens. Whether a
// handler does is not guessed from its text: an error that nobody expects is put where
// the handler guards, and the runs are made again. A handler that looks at the error lets
// it through, one that has another way comes to the same end; one that hides everything
// lets the run go on to another end, in silence. The text decides only for handlers that
// no recorded success comes to.
func swallowedErrors(ctx context.Context, q *inquiry) ([]string, error) {
	if q.gate.old == nil {
		return nil, nil
	}
	var found []string
	for _, handler := range q.newHandlers() {
		hides, err := q.hides(ctx, handler)
		if err != nil {
			return nil, err
		}
		if hides {
			found = append(found, fmt.Sprintf("swallowed error: the %s on line %d hides whatever happens", handler.what, q.candidate.Line(handler.node)))
		}
	}
	return found, nil
}

// handler is code that an error may end in.
type handler struct {
	what string
	node ast.Node
	// at is where the unexpected error goes, as before and after it.
	at            int
	before, after string
	// hidesAll is what its text says.
	hidesAll bool
	// known is the old code with the same error before the same handler, if it had it and
	// only what it guards was edited.
	known string
}

const alienText = "kintsugi: an error that nobody expects"

// mostProbed is how many successes are tried: a script does the same in most.
const mostProbed = 12

// alien is the statement that throws the unexpected error. The line in the log tells that
// the run came there.
const alien = "console.error(" + `"` + alienText + `"` + "); throw new Error(" + `"` + alienText + `"` + ");"

// newHandlers are the handlers that the old code does not have.
func (q *inquiry) newHandlers() []handler {
	var handlers []handler
	s := q.candidate
	for _, try := range script.Added[*ast.TryStatement](q.gate.old, s) {
		if !strings.HasPrefix(s.Code[max(s.Start(try), 0):], "try") {
			continue // the compiler's, of a for await
		}
		h := handler{at: s.Start(try.Body) + 1, before: " ", after: " "}
		if try.Catch != nil {
			h.what, h.node = "catch", try.Catch
			h.hidesAll = hidesAll(s, try.Catch.Body, try.Catch.Parameter)
		} else {
			h.what, h.node = "finally", try
			h.hidesAll = s.Holds(try.Finally, isLeaving)
		}
		if before := q.tryBefore(try.Catch); before != nil {
			at := q.gate.old.Start(before.Body) + 1
			h.known = q.gate.old.Code[:at] + h.before + alien + h.after + q.gate.old.Code[at:]
		}
		handlers = append(handlers, h)
	}
	for _, call := range script.Added[*ast.CallExpression](q.gate.old, s) {
		callee, ok := script.Bare(call.Callee).(*ast.DotExpression)
		if !ok || s.Start(&callee.Identifier) < 0 { // no call of the author's: it was made of something else
			continue
		}
		handling := -1
		switch callee.Identifier.Name.String() {
		case "catch":
			handling = 0
		case "then":
			handling = 1
		case "allSettled":
			h := handler{what: "allSettled", node: call, at: -1}
			h.hidesAll = !q.words["rejected"] && !q.words["reason"]
			handlers = append(handlers, h)
		}
		if handling < 0 || handling >= len(call.ArgumentList) {
			continue
		}
		h := handler{what: "catch", node: call, at: dotBefore(s, callee), before: ".then(() => { ", after: " })"}
		switch f := call.ArgumentList[handling].(type) {
		case *ast.ArrowFunctionLiteral:
			h.hidesAll = hidesAll(s, f.Body, firstParameter(f.ParameterList))
		case *ast.FunctionLiteral:
			h.hidesAll = hidesAll(s, f.Body, firstParameter(f.ParameterList))
		}
		if at := q.caughtBefore(callee.Identifier.Name.String(), call.ArgumentList[handling]); at >= 0 {
			h.known = q.gate.old.Code[:at] + h.before + alien + h.after + q.gate.old.Code[at:]
		}
		handlers = append(handlers, h)
	}
	return handlers
}

// caughtBefore is where the old code hands a promise to this handler, -1 if it does not.
func (q *inquiry) caughtBefore(by string, handler ast.Expression) int {
	shape := script.ShapeOf(handler)
	for _, node := range q.gate.old.Nodes {
		call, ok := node.(*ast.CallExpression)
		if !ok || len(call.ArgumentList) == 0 || script.ShapeOf(call.ArgumentList[len(call.ArgumentList)-1]) != shape {
			continue
		}
		if callee, ok := script.Bare(call.Callee).(*ast.DotExpression); ok && callee.Identifier.Name.String() == by && q.gate.old.Start(&callee.Identifier) >= 0 {
			return dotBefore(q.gate.old, callee)
		}
	}
	return -1
}

// tryBefore is the try of the old code that has this catch, nil if there is none.
func (q *inquiry) tryBefore(catch *ast.CatchStatement) *ast.TryStatement {
	if catch == nil {
		return nil
	}
	shape := script.ShapeOf(catch)
	for _, node := range q.gate.old.Nodes {
		if try, ok := node.(*ast.TryStatement); ok && try.Catch != nil && script.ShapeOf(try.Catch) == shape {
			return try
		}
	}
	return nil
}

// dotBefore is where the dot before a member's name stands, -1 if it is a ?. one.
func dotBefore(s *script.Source, callee *ast.DotExpression) int {
	at := strings.LastIndexByte(s.Code[:s.Start(&callee.Identifier)], '.')
	if at > 0 && s.Code[at-1] == '?' {
		return -1
	}
	return at
}

// hides puts the unexpected error before a handler and looks at what becomes of it.
func (q *inquiry) hides(ctx context.Context, h handler) (bool, error) {
	if h.at < 0 {
		return h.hidesAll, nil
	}
	code := q.code[:h.at] + h.before + alien + h.after + q.code[h.at:]
	if !runnable(code) {
		return h.hidesAll, nil
	}
	reached := false
	for i := range min(len(q.gate.kept), mostProbed) {
		run := q.gate.kept[i].run
		outcome, err := q.gate.execute(ctx, code, run)
		if err != nil {
			return false, err
		}
		if !cameTo(&outcome) {
			continue
		}
		reached = true
		if outcome.Error != nil || compareSuccess(run, &outcome) == nil {
			continue
		}
		if h.known == "" {
			return true, nil
		}
		before, err := q.gate.execute(ctx, h.known, run)
		if err != nil {
			return false, err
		}
		if before.Error != nil || !sameEnd(&before, &outcome) {
			return true, nil
		}
	}
	if reached || !h.hidesAll {
		return false, nil
	}
	// No success comes there. If the failing run does and the error gets through, all is well.
	outcome, err := q.gate.execute(ctx, code, &q.gate.subject.Failed)
	if err != nil {
		return false, err
	}
	return !cameTo(&outcome) || outcome.Error == nil, nil
}

// sameEnd says that two replays came to the same output and writes.
func sameEnd(a, b *replayed) bool {
	return sandbox.CanonicalValue(orNull(a.Output)) == sandbox.CanonicalValue(orNull(b.Output)) &&
		compareWrites("", writesOf(a), writesOf(b), true) == nil
}

// cameTo says that the run came to where the unexpected error is.
func cameTo(outcome *replayed) bool {
	for _, line := range outcome.Log {
		if line.Text == alienText {
			return true
		}
	}
	return false
}

func isLeaving(node ast.Node) bool {
	switch node.(type) {
	case *ast.ReturnStatement, *ast.BranchStatement:
		return true
	}
	return false
}

func firstParameter(list *ast.ParameterList) ast.Node {
	if list == nil || len(list.List) == 0 {
		return nil
	}
	return list.List[0].Target
}

// hidesAll says that a handler's text lets nothing through: it throws nothing and tries
// no other way.
func hidesAll(s *script.Source, body, parameter ast.Node) bool {
	name := ""
	if id, ok := parameter.(*ast.Identifier); ok && id != nil {
		name = id.Name.String()
	}
	return !s.Holds(body, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ThrowStatement:
			return true
		case *ast.CallExpression:
			return triesAnew(s, n, name)
		}
		return false
	})
}

// triesAnew says that a call computes something from data: it is given, or is a method of,
// something else than constants and the error itself, and is there for more than to tell.
func triesAnew(s *script.Source, call *ast.CallExpression, errorName string) bool {
	switch name := script.Callee(call); name {
	case "String", "Number", "Boolean", "JSON.stringify", "sleep", "setTimeout", "clearTimeout":
		return false
	default:
		if declared := declares(name); declared.Told != "" && declared.Silent || strings.HasPrefix(name, "console.") {
			return false
		}
	}
	usesData := func(e ast.Expression) bool {
		return s.Holds(e, func(node ast.Node) bool {
			id, ok := node.(*ast.Identifier)
			if !ok || s.IsMember(node) {
				return false
			}
			switch id.Name.String() {
			case errorName, "undefined", "NaN", "console", "Object", "Array", "Math", "Date", "JSON":
				return false
			}
			return true
		})
	}
	if dot, ok := script.Bare(call.Callee).(*ast.DotExpression); ok && usesData(dot.Left) {
		return true
	}
	return slices.ContainsFunc(call.ArgumentList, usesData)
}
