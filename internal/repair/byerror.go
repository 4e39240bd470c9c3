package repair

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// patch is an edit that the error itself suggests, without a look at the payloads.
type patch struct {
	edits    []edit
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
		code, err := applyEdits(v.source.code, one.edits)
		if err != nil || len(code) > maxScript || f.seen[code] {
			continue
		}
		s, err := parseSource(code)
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
			source: s, resolved: cloneSet(p.resolved), applied: p.applied, extra: append(slices.Clone(p.extra), one.comment),
			template: template, score: min(p.score, one.score), masking: p.masking || one.masking, shifts: p.shifts, steps: append(slices.Clone(p.steps), one.edits), regions: regionsAfter(p.regions, nil, one.edits), doubts: slices.Concat(p.doubts, one.doubts),
		})
	}
	return made
}

func patchesFor(v *view) []*patch {
	s, t := v.source, v.failing
	at := -1
	if len(t.failure.frames) > 0 {
		at = s.offsetOf(t.failure.frames[0].line, t.failure.frames[0].column)
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
var globals = []string{
	"Object", "Array", "String", "Number", "BigInt", "RegExp", "Date", "Boolean", "Error", "TypeError", "RangeError", "Math", "JSON", "Symbol", "Map", "Set", "Promise",
	"NaN", "undefined", "Infinity", "isNaN", "parseInt", "parseFloat", "isFinite", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent",
	"console", "web", "files", "kv", "notify", "ask", "secret", "sleep", "localTime", "URL", "atob", "btoa", "structuredClone", "crypto",
	"AuthError", "PermissionError", "NetworkError", "LogicError", "globalThis",
}

// misspelt proposes the names nearest to one that is not declared.
func misspelt(s *source, name string) []*patch {
	var uses []ast.Node
	for _, node := range s.scopes.unresolved {
		if identifierName(node) == name {
			uses = append(uses, node)
		}
	}
	if len(uses) == 0 {
		return nil
	}
	var patches []*patch
	for _, near := range nearest(name, append(s.scopes.visible(uses[0]), globals...), 2) {
		one := &patch{comment: name + " was a misspelling of " + near, template: "name/1", score: 0.9 - 0.1*float64(payload.EditDistance(strings.ToLower(name), strings.ToLower(near)))}
		one.doubts = spellingDoubts(name, near)
		if strings.EqualFold(name, near) {
			one.score = 0.92
		}
		for _, use := range uses {
			if s.scopes.lookup(use, near) == nil && !slices.Contains(globals, near) {
				continue
			}
			start := offset(use.Idx0())
			text := near
			if _, short := use.(*ast.PropertyShort); short {
				text = name + ": " + near
			}
			one.edits = append(one.edits, replace(start, start+len(name), text))
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

func missingMethod(s *source, at int) []*patch {
	call := s.callFrom(at)
	if call == nil {
		return nil
	}
	dot, ok := bare(call.Callee).(*ast.DotExpression)
	if !ok {
		return nil
	}
	name := dot.Identifier.Name.String()
	if slices.Contains(methods, name) {
		return nil // right in itself: it is called on something else
	}
	start := offset(dot.Identifier.Idx)
	var patches []*patch
	add := func(near string, score float64) {
		one := &patch{edits: []edit{replace(start, start+len(name), near)}, comment: name + " should be " + near, template: "method/1", score: score}
		if !slices.Contains(otherNames[name], near) {
			one.doubts = spellingDoubts(name, near)
		}
		patches = append(patches, one)
	}
	if (name == "size" || name == "length" || name == "count") && len(call.ArgumentList) == 0 {
		patches = append(patches, &patch{
			edits:   []edit{replace(start, offset(call.RightParenthesis)+1, "length")},
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

// callFrom is the call whose parenthesis stands at an offset, the smallest around it if none does.
func (s *source) callFrom(at int) *ast.CallExpression {
	var around *ast.CallExpression
	for _, node := range s.nodes {
		call, ok := node.(*ast.CallExpression)
		if !ok {
			continue
		}
		if offset(call.LeftParenthesis) == at {
			return call
		}
		if start, end := s.span(call); start <= at && at < end {
			around = call
		}
	}
	return around
}

// calledProperty: list.length() for list.length.
func calledProperty(s *source, at int) []*patch {
	call := s.callFrom(at)
	if call == nil || len(call.ArgumentList) > 0 {
		return nil
	}
	dot, ok := bare(call.Callee).(*ast.DotExpression)
	if !ok || dot.Identifier.Name.String() != "length" && dot.Identifier.Name.String() != "size" {
		return nil
	}
	name := dot.Identifier.Name.String()
	return []*patch{{
		edits:   []edit{replace(offset(call.LeftParenthesis), offset(call.RightParenthesis)+1, "")},
		comment: name + " is no function", template: "method/1", score: 0.85,
	}}
}

// constant: a const that is assigned to becomes a let. The engine places the error at the
// assignment or a little before it.
func constant(s *source, at int) []*patch {
	var found *binding
	for _, node := range s.nodes {
		var target ast.Node
		switch n := node.(type) {
		case *ast.AssignExpression:
			target = n.Left
		case *ast.UnaryExpression:
			target = n.Operand
		default:
			continue
		}
		variable := s.scopes.bindings[target]
		if variable == nil || variable.kind != "const" || !s.assigned(target) {
			continue
		}
		if _, end := s.span(s.statement(node)); end <= at {
			continue
		}
		found = variable
		break
	}
	if found == nil {
		return nil
	}
	place := offset(found.declaration.Idx0())
	if !strings.HasPrefix(s.code[place:], "const") {
		return nil
	}
	return []*patch{{
		edits:   []edit{replace(place, place+len("const"), "let")},
		comment: found.name + " is assigned to and so no constant", template: "const/1", score: 0.92,
	}}
}

func withoutNew(s *source, at int) []*patch {
	call := s.callFrom(at)
	if call == nil {
		return nil
	}
	start, _ := s.span(call)
	return []*patch{{edits: []edit{insert(start, "new ")}, comment: s.text(call.Callee) + " is a class and needs new", template: "new/1", score: 0.92}}
}

// emptyReduce gives a reduce without a start value one, for the list that is empty.
func emptyReduce(s *source, at int) []*patch {
	call := s.callFrom(at)
	if call == nil || len(call.ArgumentList) != 1 {
		return nil
	}
	_, end := s.span(call.ArgumentList[0])
	one := &patch{edits: []edit{insert(end, ", 0")}, comment: "the sum of an empty list is 0", template: "guard/1", score: 0.5, masking: true}
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
func brokenBase(s *source, at int) []*patch {
	base := s.baseAt(at)
	if call, ok := s.unawaited(base); ok {
		start, _ := s.span(call)
		return []*patch{{edits: []edit{insert(start, "await ")}, comment: "the answer of " + s.text(call.Callee) + " is awaited", template: "await/1", score: 0.92}}
	}
	switch b := base.(type) {
	case *ast.Identifier:
		variable := s.scopes.bindings[b]
		if variable == nil {
			return nil
		}
		if _, plain := variable.node.(*ast.Identifier); plain && variable.init == nil && (variable.kind == "let" || variable.kind == "var") {
			fallback := "''"
			if member := memberAbove(s, b); member != "" && slices.Contains([]string{"push", "map", "filter", "forEach", "length", "join", "concat", "unshift", "sort"}, member) {
				fallback = "[]"
			}
			end := offset(variable.node.Idx1())
			return []*patch{{edits: []edit{insert(end, " = "+fallback)}, comment: variable.name + " starts " + fallbackName(fallback), template: "initial/1", score: 0.7, masking: true,
				doubts: []string{variable.name + " never got a value in this run"}}}
		}
	case *ast.BracketExpression:
		for node := ast.Node(b); node != nil; node = s.parents[node] {
			loop, ok := node.(*ast.ForStatement)
			if !ok {
				continue
			}
			test, ok := loop.Test.(*ast.BinaryExpression)
			if !ok || test.Operator != token.LESS_OR_EQUAL || s.text(test.Left) != s.text(b.Member) || s.text(test.Right) != s.text(b.Left)+".length" {
				continue
			}
			_, end := s.span(test.Left)
			place := end + strings.Index(s.skeleton[end:], "<=")
			return []*patch{{edits: []edit{replace(place, place+2, "<")}, comment: "the loop went one past the end", template: "bound/1", score: 0.9}}
		}
	}
	return nil
}

// unawaited finds the host call without await that a variable below an expression holds.
func (s *source) unawaited(base ast.Node) (*ast.CallExpression, bool) {
	for memberObject(base) != nil {
		base = memberObject(base)
	}
	variable := s.scopes.bindings[base]
	if variable == nil {
		return nil, false
	}
	call, ok := variable.init.(*ast.CallExpression)
	return call, ok && s.isHostCall(call) && s.inAsync(call)
}

// baseAt is the expression that had no value, from where the engine says that reading
// failed: at the property's name, or, for a call, at the last name of what it is called on.
func (s *source) baseAt(at int) ast.Node {
	for _, node := range s.nodes {
		switch n := node.(type) {
		case *ast.DotExpression:
			if offset(n.Identifier.Idx) == at {
				if call, ok := s.parents[s.parents[n]].(*ast.CallExpression); ok && call.Callee == s.parents[n] {
					return n
				}
				return memberObject(n)
			}
		case *ast.BracketExpression:
			if offset(n.LeftBracket) == at {
				if dot, ok := s.parents[n].(*ast.DotExpression); ok && dot.Left == n {
					return n
				}
				return memberObject(n)
			}
		case *ast.Identifier:
			if offset(n.Idx) == at {
				if _, used := s.scopes.bindings[n]; used {
					return n
				}
			}
		}
	}
	return nil
}

func memberAbove(s *source, node ast.Node) string {
	if dot, ok := s.parents[node].(*ast.DotExpression); ok {
		return dot.Identifier.Name.String()
	}
	return ""
}

func (s *source) isHostCall(call *ast.CallExpression) bool {
	dot, ok := call.Callee.(*ast.DotExpression)
	if !ok {
		return false
	}
	name := identifierName(dot.Left)
	return (name == "web" || name == "kv" || name == "files") && s.scopes.bindings[dot.Left] == nil
}

func (s *source) inAsync(node ast.Node) bool {
	switch function := s.function(node).(type) {
	case *ast.FunctionLiteral:
		return function.Async
	case *ast.ArrowFunctionLiteral:
		return function.Async
	}
	return false
}

var fence = regexp.MustCompile("(?s)^\\s*```[A-Za-z0-9]*\\s*(.*?)\\s*```\\s*$")

// parsePatches repairs a JSON.parse by what was wrong with the text.
func parsePatches(v *view, bad badText) []*patch {
	s := v.source
	call, err := s.callAt(bad.at)
	if err != nil || len(call.ArgumentList) == 0 {
		return nil
	}
	argument := call.ArgumentList[0]
	start, end := s.span(argument)
	text := s.code[start:end]
	// around writes an expression over the text, directly or through a function.
	around := func(format string) []edit {
		if repeatable(argument) || strings.Count(format, "TEXT") == 1 {
			return []edit{replace(start, end, strings.ReplaceAll(format, "TEXT", text))}
		}
		return []edit{insert(start, "((text) => "+strings.ReplaceAll(format, "TEXT", "text")+")("), insert(end, ")")}
	}
	if bad.kind == "object" || bad.kind == "array" {
		if !repeatable(argument) {
			return nil
		}
		callStart, callEnd := s.span(call)
		return []*patch{{
			edits:   []edit{insert(callStart, "(typeof "+text+" === 'string' ? "), insert(callEnd, " : "+text+")")},
			comment: "a value that is no text any more needs no parsing", template: "json/1", score: 0.9,
		}}
	}
	if bad.kind != "string" {
		return nil
	}
	var patches []*patch
	add := func(edits []edit, comment string, score float64) {
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
		callStart, callEnd := s.span(call)
		one := "((text) => (text.trim().startsWith('[') ? JSON.parse(text) : text.trim().split(/\\r?\\n/).map((line) => JSON.parse(line))))("
		add([]edit{replace(callStart, start, one), replace(end, callEnd, ")")}, "JSON lines are read as a list", 0.85)
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
func (v *view) parsedKind(at position) string {
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
func describeFailure(failed *failure, s *source) string {
	if failed == nil {
		return "the run passes"
	}
	text := fmt.Sprintf("%s: %s", failed.name, failed.message)
	if len(failed.frames) > 0 {
		text += fmt.Sprintf(" (line %d: %s)", failed.frames[0].line, clip(s.lineText(failed.frames[0].line), 100))
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
