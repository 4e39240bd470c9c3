package repair

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// patch is an edit that the error itself suggests, without a look at the payloads.
type patch struct {
	edits    []script.Edit
	comment  string
	template string
	score    float64
	masking  bool
	doubts   []string
}

// byError proposes what the error of the failing run suggests.
func (f *finder) byError(p *proposal, v *view, found []*anomaly) []*proposal {
	var made []*proposal
	for _, one := range patchesFor(v) {
		if slices.Contains(p.extra, one.comment) {
			continue // it did not help
		}
		code, err := script.Apply(v.source.Code, one.edits)
		if err != nil || len(code) > maxScript || f.seen[code] {
			continue
		}
		s, err := script.Parse(code)
		if err != nil {
			continue
		}
		f.seen[code] = true
		if one.masking {
			one.doubts = append(one.doubts, hiddenBy(found, nil)...)
		}
		template := p.template
		if template == "" {
			template = one.template
		}
		made = append(made, &proposal{
			source: s, resolved: maps.Clone(p.resolved), applied: p.applied, extra: append(slices.Clone(p.extra), one.comment),
			template: template, score: min(p.score, one.score), masking: p.masking || one.masking, half: p.half, shifts: p.shifts, steps: append(slices.Clone(p.steps), one.edits), regions: regionsAfter(p.regions, nil, one.edits), doubts: slices.Concat(p.doubts, one.doubts),
		})
	}
	return made
}

func patchesFor(v *view) []*patch {
	s, t := v.source, v.failing
	at := -1
	if len(t.failure.frames) > 0 {
		at = s.OffsetOf(t.failure.frames[0].Line, t.failure.frames[0].Column)
	}
	var patches []*patch
	if len(t.badTexts) > 0 && t.failure.name == "SyntaxError" {
		patches = append(patches, parsePatches(v, t.badTexts[len(t.badTexts)-1])...)
	}
	switch message := t.failure.message; {
	case strings.HasSuffix(message, " is not defined"):
		patches = append(patches, misspelt(s, strings.TrimSuffix(message, " is not defined"))...)
	case strings.HasPrefix(message, "Object has no member '"):
		patches = append(patches, missingMethod(s, at)...)
	case strings.HasPrefix(message, "Value is not an object"), strings.HasSuffix(message, "is not a function"):
		patches = append(patches, calledProperty(s, at)...)
	case strings.Contains(message, "Assignment to constant variable"):
		patches = append(patches, constant(s, at)...)
	case strings.Contains(message, "cannot be invoked without 'new'"):
		patches = append(patches, withoutNew(s, at)...)
	case message == "No initial value":
		patches = append(patches, emptyReduce(s, at)...)
	}
	if strings.HasPrefix(t.failure.message, "Cannot read property") || strings.HasPrefix(t.failure.message, "Cannot convert undefined") {
		patches = append(patches, brokenBase(s, at)...)
	}
	return patches
}

// globals are the names that every script may use.
var globals = sync.OnceValue(hostcall.Globals)

// misspelt proposes the names nearest to one that is not declared.
func misspelt(s *script.Source, name string) []*patch {
	var uses []ast.Node
	for _, node := range s.Scopes.Unresolved {
		if script.NameOf(node) == name {
			uses = append(uses, node)
		}
	}
	if len(uses) == 0 {
		return nil
	}
	var patches []*patch
	for _, near := range nearest(name, append(s.Scopes.Visible(uses[0]), globals()...), 2) {
		one := &patch{comment: name + " was a misspelling of " + near, template: "name/1", score: 0.9 - 0.1*float64(payload.EditDistance(strings.ToLower(name), strings.ToLower(near)))}
		one.doubts = spellingDoubts(name, near)
		if strings.EqualFold(name, near) {
			one.score = 0.92
		}
		for _, use := range uses {
			if s.Scopes.Lookup(use, near) == nil && !slices.Contains(globals(), near) {
				continue
			}
			start := script.Offset(use.Idx0())
			text := near
			if _, short := use.(*ast.PropertyShort); short {
				text = name + ": " + near
			}
			one.edits = append(one.edits, script.Replace(start, start+len(name), text))
		}
		patches = append(patches, one)
	}
	ambiguous(patches)
	return patches
}

// spellingDoubts: short names are near to each other without being misspelt.
func spellingDoubts(name, near string) []string {
	most := 0
	switch n := len(name); {
	case n >= 7:
		most = 2
	case n >= 5:
		most = 1
	}
	if payload.EditDistance(strings.ToLower(name), strings.ToLower(near)) <= most {
		return nil
	}
	return []string{name + " is too short a name to be sure that " + near + " was meant"}
}

// nearest lists the names nearest to one, at most so many edits away.
func nearest(name string, names []string, most int) []string {
	if len(name) <= 3 {
		most = 1
	}
	distance := func(other string) int { return payload.EditDistance(strings.ToLower(name), strings.ToLower(other)) }
	var near []string
	for _, other := range names {
		if other != name && distance(other) <= most && !slices.Contains(near, other) {
			near = append(near, other)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	return near[:min(len(near), 4)]
}

// ambiguous marks patches of which two are equally likely.
func ambiguous(patches []*patch) {
	if len(patches) > 1 && patches[1].score > patches[0].score-clearMargin/2 {
		for _, one := range patches {
			one.doubts = append(one.doubts, patches[0].comment+", or "+patches[1].comment)
		}
	}
}

// methods of the built-in types.
var methods = strings.Fields(`at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes indexOf join keys lastIndexOf map
 pop push reduce reduceRight reverse shift slice some sort splice toLocaleString toSorted toReversed toString unshift values with
 charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search split startsWith substring
 toLowerCase toUpperCase trim trimEnd trimStart toFixed toPrecision toExponential
 getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds getMilliseconds getUTCFullYear getUTCMonth getUTCDate getUTCDay getUTCHours getUTCMinutes getUTCSeconds
 setDate setMonth setFullYear setHours setMinutes setSeconds setUTCDate setUTCMonth setUTCFullYear setUTCHours toISOString toJSON toDateString toUTCString valueOf
 get set has delete add clear then catch finally test exec hasOwnProperty
 stringify parse assign fromEntries isArray from of now round floor ceil abs max min getJSON postJSON fetch read write append list remove stat log info warn error randomUUID hash`)

// otherNames of methods, as other languages and libraries call them.
var otherNames = map[string][]string{
	"contains": {"includes"}, "has": {"includes"}, "append": {"push", "concat"}, "add": {"push"}, "addAll": {"concat"}, "flatten": {"flat"}, "trimLeft": {"trimStart"}, "trimRight": {"trimEnd"},
	"upper": {"toUpperCase"}, "lower": {"toLowerCase"}, "toUpper": {"toUpperCase"}, "toLower": {"toLowerCase"}, "strip": {"trim"}, "each": {"forEach"}, "collect": {"map"}, "select": {"filter"},
	"any": {"some"}, "all": {"every"}, "fold": {"reduce"}, "substr": {"slice"}, "toISO": {"toISOString"}, "startswith": {"startsWith"}, "endswith": {"endsWith"}, "isEmpty": {}, "sum": {},
	"getYear": {"getFullYear"}, "remove": {"delete", "splice"}, "find_index": {"findIndex"}, "format": {}, "getJson": {"getJSON"}, "postJson": {"postJSON"}, "put": {"set"},
}

func missingMethod(s *script.Source, at int) []*patch {
	call := s.CallFrom(at)
	if call == nil {
		return nil
	}
	dot, ok := script.Bare(call.Callee).(*ast.DotExpression)
	if !ok {
		return nil
	}
	name := dot.Identifier.Name.String()
	if slices.Contains(methods, name) {
		return nil // right in itself: it is called on something else
	}
	start := script.Offset(dot.Identifier.Idx)
	var patches []*patch
	add := func(near string, score float64) {
		one := &patch{edits: []script.Edit{script.Replace(start, start+len(name), near)}, comment: name + " should be " + near, template: "method/1", score: score}
		if !slices.Contains(otherNames[name], near) {
			one.doubts = spellingDoubts(name, near)
		}
		patches = append(patches, one)
	}
	if (name == "size" || name == "length" || name == "count") && len(call.ArgumentList) == 0 {
		patches = append(patches, &patch{
			edits:   []script.Edit{script.Replace(start, script.Offset(call.RightParenthesis)+1, "length")},
			comment: name + "() should be length", template: "method/1", score: 0.8,
		})
	}
	for _, near := range otherNames[name] {
		add(near, 0.85)
	}
	for _, near := range nearest(name, methods, 2) {
		if !slices.Contains(otherNames[name], near) {
			score := 0.9 - 0.1*float64(payload.EditDistance(strings.ToLower(name), strings.ToLower(near)))
			if strings.EqualFold(name, near) {
				score = 0.92
			}
			add(near, score)
		}
	}
	ambiguous(patches)
	return patches
}

// calledProperty: list.length() for list.length.
func calledProperty(s *script.Source, at int) []*patch {
	call := s.CallFrom(at)
	if call == nil || len(call.ArgumentList) > 0 {
		return nil
	}
	dot, ok := script.Bare(call.Callee).(*ast.DotExpression)
	if !ok || dot.Identifier.Name.String() != "length" && dot.Identifier.Name.String() != "size" {
		return nil
	}
	name := dot.Identifier.Name.String()
	return []*patch{{
		edits:   []script.Edit{script.Replace(script.Offset(call.LeftParenthesis), script.Offset(call.RightParenthesis)+1, "")},
		comment: name + " is no function", template: "method/1", score: 0.85,
	}}
}

// constant: a const that is assigned to becomes a let. The engine places the error at the
// assignment or a little before it.
func constant(s *script.Source, at int) []*patch {
	var found *script.Binding
	for _, node := range s.Nodes {
		var target ast.Node
		switch n := node.(type) {
		case *ast.AssignExpression:
			target = n.Left
		case *ast.UnaryExpression:
			target = n.Operand
		default:
			continue
		}
		variable := s.Scopes.Bindings[target]
		if variable == nil || variable.Kind != "const" || !s.Assigned(target) {
			continue
		}
		if _, end := s.Span(s.Statement(node)); end <= at {
			continue
		}
		found = variable
		break
	}
	if found == nil {
		return nil
	}
	place := script.Offset(found.Declaration.Idx0())
	if !strings.HasPrefix(s.Code[place:], "const") {
		return nil
	}
	return []*patch{{
		edits:   []script.Edit{script.Replace(place, place+len("const"), "let")},
		comment: found.Name + " is assigned to and so no constant", template: "const/1", score: 0.92,
	}}
}

func withoutNew(s *script.Source, at int) []*patch {
	call := s.CallFrom(at)
	if call == nil {
		return nil
	}
	start, _ := s.Span(call)
	return []*patch{{edits: []script.Edit{script.Insert(start, "new ")}, comment: s.Text(call.Callee) + " is a class and needs new", template: "new/1", score: 0.92}}
}

// emptyReduce gives a reduce without a start value one, for the list that is empty.
func emptyReduce(s *script.Source, at int) []*patch {
	call := s.CallFrom(at)
	if call == nil || len(call.ArgumentList) != 1 {
		return nil
	}
	_, end := s.Span(call.ArgumentList[0])
	one := &patch{edits: []script.Edit{script.Insert(end, ", 0")}, comment: "the sum of an empty list is 0", template: "guard/1", score: 0.5, masking: true}
	if !isSum(call.ArgumentList[0]) {
		one.comment, one.doubts = "nothing gives 0", []string{"what an empty list comes to is not clear"}
	}
	return []*patch{one}
}

// isSum says that a function returns a sum.
func isSum(function ast.Node) bool {
	var body ast.Node
	switch f := function.(type) {
	case *ast.ArrowFunctionLiteral:
		if short, ok := f.Body.(*ast.ExpressionBody); ok {
			body = short.Expression
		} else {
			body = f.Body
		}
	case *ast.FunctionLiteral:
		body = f.Body
	}
	if block, ok := body.(*ast.BlockStatement); ok && len(block.List) == 1 {
		if result, ok := block.List[0].(*ast.ReturnStatement); ok {
			body = result.Argument
		}
	}
	sum, ok := body.(*ast.BinaryExpression)
	return ok && sum.Operator == token.PLUS
}

// brokenBase looks at what the property was read from: a variable that never got a value,
// a call that was not awaited, an element past the end of a list.
func brokenBase(s *script.Source, at int) []*patch {
	base := s.BaseAt(at)
	if call, ok := unawaited(s, base); ok {
		start, _ := s.Span(call)
		return []*patch{{edits: []script.Edit{script.Insert(start, "await ")}, comment: "the answer of " + s.Text(call.Callee) + " is awaited", template: "await/1", score: 0.92}}
	}
	switch b := base.(type) {
	case *ast.Identifier:
		variable := s.Scopes.Bindings[b]
		if variable == nil {
			return nil
		}
		if _, plain := variable.Node.(*ast.Identifier); plain && variable.Init == nil && (variable.Kind == "let" || variable.Kind == "var") {
			fallback := "''"
			if member := memberAbove(s, b); member != "" && slices.Contains([]string{"push", "map", "filter", "forEach", "length", "join", "concat", "unshift", "sort"}, member) {
				fallback = "[]"
			}
			end := script.Offset(variable.Node.Idx1())
			return []*patch{{edits: []script.Edit{script.Insert(end, " = "+fallback)}, comment: variable.Name + " starts " + fallbackName(fallback), template: "initial/1", score: 0.7, masking: true,
				doubts: []string{variable.Name + " never got a value in this run"}}}
		}
	case *ast.BracketExpression:
		for node := ast.Node(b); node != nil; node = s.Parents[node] {
			loop, ok := node.(*ast.ForStatement)
			if !ok {
				continue
			}
			test, ok := loop.Test.(*ast.BinaryExpression)
			if !ok || test.Operator != token.LESS_OR_EQUAL || s.Text(test.Left) != s.Text(b.Member) || s.Text(test.Right) != s.Text(b.Left)+".length" {
				continue
			}
			_, end := s.Span(test.Left)
			place := end + strings.Index(s.Skeleton[end:], "<=")
			return []*patch{{edits: []script.Edit{script.Replace(place, place+2, "<")}, comment: "the loop went one past the end", template: "bound/1", score: 0.9}}
		}
	}
	return nil
}

// unawaited finds the host call without await that a variable below an expression holds.
func unawaited(s *script.Source, base ast.Node) (*ast.CallExpression, bool) {
	for script.MemberObject(base) != nil {
		base = script.MemberObject(base)
	}
	variable := s.Scopes.Bindings[base]
	if variable == nil {
		return nil, false
	}
	call, ok := variable.Init.(*ast.CallExpression)
	return call, ok && isHostCall(s, call) && s.InAsync(call)
}

func memberAbove(s *script.Source, node ast.Node) string {
	if dot, ok := s.Parents[node].(*ast.DotExpression); ok {
		return dot.Identifier.Name.String()
	}
	return ""
}

func isHostCall(s *script.Source, call *ast.CallExpression) bool {
	dot, ok := call.Callee.(*ast.DotExpression)
	if !ok {
		return false
	}
	name := script.NameOf(dot.Left)
	return script.HostObjects[name] && s.Scopes.Bindings[dot.Left] == nil
}

var fence = lazyregexp.New("(?s)^\\s*```[A-Za-z0-9]*\\s*(.*?)\\s*```\\s*$")

// parsePatches repairs a JSON.parse by what was wrong with the text.
func parsePatches(v *view, bad badText) []*patch {
	s := v.source
	call, err := callAt(s, bad.at)
	if err != nil || len(call.ArgumentList) == 0 {
		return nil
	}
	argument := call.ArgumentList[0]
	start, end := s.Span(argument)
	text := s.Code[start:end]
	// around writes an expression over the text, directly or through a function.
	around := func(format string) []script.Edit {
		if script.Repeatable(argument) || strings.Count(format, "TEXT") == 1 {
			return []script.Edit{script.Replace(start, end, strings.ReplaceAll(format, "TEXT", text))}
		}
		return []script.Edit{script.Insert(start, "((text) => "+strings.ReplaceAll(format, "TEXT", "text")+")("), script.Insert(end, ")")}
	}
	if bad.kind == "object" || bad.kind == "array" {
		if !script.Repeatable(argument) {
			return nil
		}
		callStart, callEnd := s.Span(call)
		return []*patch{{
			edits:   []script.Edit{script.Insert(callStart, "(typeof "+text+" === 'string' ? "), script.Insert(callEnd, " : "+text+")")},
			comment: "a value that is no text any more needs no parsing", template: "json/1", score: 0.9,
		}}
	}
	if bad.kind != "string" {
		return nil
	}
	var patches []*patch
	add := func(edits []script.Edit, comment string, score float64) {
		patches = append(patches, &patch{edits: edits, comment: comment, template: "json/1", score: score})
	}
	content := bad.text
	if strings.HasPrefix(content, "\ufeff") && json.Valid([]byte(strings.TrimPrefix(content, "\ufeff"))) {
		add(around(`TEXT.replace(/^\uFEFF/, '')`), "a byte order mark before JSON is skipped", 0.95)
	}
	if found := fence.FindStringSubmatch(content); found != nil && json.Valid([]byte(found[1])) {
		add(around("TEXT.trim().replace(/^```[A-Za-z0-9]*\\s*/, '').replace(/\\s*```$/, '')"), "a code fence around JSON is taken off", 0.95)
	} else if cut, ok := outer(content); ok && json.Valid([]byte(cut)) {
		add(around("TEXT.slice(TEXT.search(/[{[]/), Math.max(TEXT.lastIndexOf('}'), TEXT.lastIndexOf(']')) + 1)"), "text around JSON is cut off", 0.85)
	}
	if lines := strings.Fields(strings.ReplaceAll(content, "\n", " ")); len(patches) == 0 && len(lines) > 1 && validLines(content) {
		callStart, callEnd := s.Span(call)
		one := "((text) => (text.trim().startsWith('[') ? JSON.parse(text) : text.trim().split(/\\r?\\n/).map((line) => JSON.parse(line))))("
		add([]script.Edit{script.Replace(callStart, start, one), script.Replace(end, callEnd, ")")}, "JSON lines are read as a list", 0.85)
	}
	if strings.TrimSpace(content) == "" {
		kind := v.parsedKind(bad.at)
		if fallback := map[string]string{"array": "[]", "object": "{}"}[kind]; fallback != "" {
			patches = append(patches, &patch{
				edits: around("(TEXT.trim() || '" + fallback + "')"), comment: "an empty text counts as " + fallbackName(strings.Replace(fallback, "{}", "({})", 1)),
				template: "guard/1", score: 0.55, masking: true, doubts: []string{"an empty text may be no answer at all"},
			})
		}
	}
	return patches
}

// parsedKind is what JSON.parse returned at a place in the successes.
func (v *view) parsedKind(at script.Position) string {
	kind := ""
	for _, t := range v.successes {
		for _, r := range t.roots {
			if r.kind == "parse" && r.at == at && r.known {
				kind = payload.KindOf(r.value)
			}
		}
	}
	return kind
}

func outer(text string) (string, bool) {
	start := strings.IndexAny(text, "{[")
	end := strings.LastIndexAny(text, "}]")
	if start < 0 || end < start || start == 0 && end == len(text)-1 {
		return "", false
	}
	return text[start : end+1], true
}

func validLines(text string) bool {
	lines := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			return false
		}
		lines++
	}
	return lines > 1
}

// describeFailure is an error in one line.
func describeFailure(failed *failure, s *script.Source) string {
	if failed == nil {
		return "the run passes"
	}
	text := fmt.Sprintf("%s: %s", failed.name, failed.message)
	if len(failed.frames) > 0 {
		text += fmt.Sprintf(" (line %d: %s)", failed.frames[0].Line, clip(s.LineText(failed.frames[0].Line), 100))
	}
	return text
}

func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}
