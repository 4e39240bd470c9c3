package repair

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// errNoPlace says that an edit cannot be made at the places where the script reads.
var errNoPlace = errors.New("repair: no place for the edit")

// rewriter makes the edits of one resolution, which is one logical edit however many
// places it touches.
type rewriter struct {
	source     *script.Source
	resolution *resolution
	// holders finds a variable for the object so many levels out from the anomaly's object.
	holders func(up int) []ast.Node
	// below are the places where the script reads from the anomaly's value.
	below []*belowRead
	edits []script.Edit
	// touched are the expressions that the edits take care of, as ranges before the edits.
	touched [][2]int
}

// belowRead is a key that the script reads from the value of an anomaly.
type belowRead struct {
	key    string
	values *payload.Profile
	sites  []ast.Node
	below  []*belowRead
}

// rewrite applies a resolution to a script.
func (w *rewriter) rewrite() (string, error) {
	if err := w.atSites(); err != nil {
		return "", err
	}
	return script.Apply(w.source.Code, w.edits)
}

func (w *rewriter) atSites() error {
	a := w.resolution.anomaly
	if a.key == "" || a.key == "[]" && len(a.path) == 0 {
		return w.atRoot(w.resolution.convert.on)
	}
	if a.unseen && w.resolution.moved || len(a.sites) == 0 {
		return errNoPlace
	}
	if w.resolution.mask && a.before.Kind() == "object" && a.key != "[]" {
		return w.maskObject(a.sites, w.below)
	}
	for _, site := range a.sites {
		if err := w.atSite(site); err != nil {
			return err
		}
	}
	return nil
}

func (w *rewriter) atSite(site ast.Node) error {
	start, end := w.source.Span(site)
	w.touched = append(w.touched, [2]int{start, end})
	switch site.(type) {
	case *ast.DotExpression, *ast.BracketExpression:
		return w.atMember(site)
	}
	return w.atPattern(site)
}

// atMember wraps a member expression: (x.old ?? x.new).
func (w *rewriter) atMember(site ast.Node) error {
	s, r := w.source, w.resolution
	start, end := s.Span(site)
	text := s.Code[start:end]
	object := script.MemberObject(site)
	twice := script.Repeatable(object)
	if _, constant := script.MemberKey(site); !constant {
		if r.moved {
			return errNoPlace // the same expression reads other keys too
		}
		twice = twice && script.Repeatable(site.(*ast.BracketExpression).Member)
	}
	switch {
	case r.mask && r.fallback != "":
		open, close := s.Parentheses(site)
		w.wrap(site, start, end, open, " ?? "+r.fallback+close)
	case !r.moved:
		if twice {
			w.wrap(site, start, end, "", "")
			text = r.convert.on(text, true)
			if open, _ := s.Parentheses(site); open == "" {
				text = text[1 : len(text)-1]
			}
			w.edits = append(w.edits, script.Replace(start, end, text))
		} else {
			w.wrap(site, start, end, r.convert.prefix(), r.convert.suffix())
		}
	case twice || r.from.Up > 0:
		elsewhere, err := w.elsewhere(site, object)
		if err != nil {
			return err
		}
		open, close := s.Parentheses(site)
		w.wrap(site, start, end, open, " ?? "+w.converted(elsewhere)+close)
	default:
		keyed, _ := script.MemberKey(site)
		objectStart, objectEnd := s.ObjectSpan(site)
		key, step := script.Chain(keyed), script.Chain(r.from.Path...)
		if script.IsOptional(script.MemberLeft(site)) {
			key, step = script.SafeChain(keyed), script.SafeChain(r.from.Path...)
		}
		w.edits = append(w.edits,
			script.Insert(objectStart, "((o) => (o"+key+" ?? "+w.converted("o"+step)+"))("),
			script.Replace(objectEnd, end, ")"))
		w.keepSafe(site, end)
	}
	return nil
}

// prefix and suffix are on() for an expression that may not be written twice.
func (c *conversion) prefix() string {
	return "((v) => (" + strings.ReplaceAll(c.test, "$", "v") + " ? " + strings.ReplaceAll(c.result, "$", "v") + " : v))("
}

func (c *conversion) suffix() string { return ")" }

// written leaves out the places that read x.old ?? x.new already, because of another object
// that lost the same key; true if there are no others.
func (v *view) written(r *resolution) bool {
	a := r.anomaly
	if !r.moved || len(a.sites) == 0 {
		return false
	}
	w := &rewriter{source: v.source, resolution: r, holders: v.holders(a)}
	left := slices.DeleteFunc(slices.Clone(a.sites), func(site ast.Node) bool {
		both, ok := v.source.Parents[site].(*ast.BinaryExpression)
		if !ok || both.Operator != token.COALESCE || both.Left != site {
			return false
		}
		elsewhere, err := w.elsewhere(site, script.MemberObject(site))
		return err == nil && v.source.Text(both.Right) == w.converted(elsewhere)
	})
	if len(left) > 0 {
		a.sites = left
	}
	return len(left) == 0
}

func (w *rewriter) converted(expression string) string {
	if w.resolution.convert == nil {
		return expression
	}
	return w.resolution.convert.always(expression, true)
}

// wrap puts text around an expression and keeps what follows it in an optional chain safe.
func (w *rewriter) wrap(site ast.Node, start, end int, before, after string) {
	if before != "" {
		w.edits = append(w.edits, script.Insert(start, before))
	}
	if after != "" {
		w.edits = append(w.edits, script.Insert(end, after))
	}
	w.keepSafe(site, end)
}

// keepSafe: a?.b.c stops at a; once a?.b stands in parentheses, .c needs its own ?. .
func (w *rewriter) keepSafe(site ast.Node, end int) {
	s := w.source
	short := false
	for at := site; ; {
		object := script.MemberLeft(at)
		if object == nil {
			break
		}
		if marked, ok := object.(*ast.Optional); ok {
			short = true
			object = marked.Expression
		}
		at = object
	}
	if !short {
		return
	}
	switch parent := s.Parents[site].(type) {
	case *ast.DotExpression:
		if parent.Left == site {
			dot := end + strings.IndexByte(s.Skeleton[end:], '.')
			w.edits = append(w.edits, script.Insert(dot, "?"))
		}
	case *ast.BracketExpression:
		if parent.Left == site {
			w.edits = append(w.edits, script.Insert(script.Offset(parent.LeftBracket), "?."))
		}
	case *ast.CallExpression:
		if parent.Callee == site {
			w.edits = append(w.edits, script.Insert(script.Offset(parent.LeftParenthesis), "?."))
		}
	}
}

// elsewhere writes the expression for the place where the value is now.
func (w *rewriter) elsewhere(site ast.Node, object ast.Expression) (string, error) {
	s, r := w.source, w.resolution
	baseStart, baseEnd := s.ObjectSpan(site)
	base := s.Code[baseStart:baseEnd]
	for up := 1; up <= r.from.Up; up++ {
		part := r.anomaly.path[len(r.anomaly.path)-up]
		key, constant := script.MemberKey(object)
		if !constant || key != part {
			return w.fromHolder(site)
		}
		baseStart, baseEnd = s.ObjectSpan(object)
		base = s.Code[baseStart:baseEnd]
		object = script.MemberObject(object)
	}
	if !script.Repeatable(object) {
		return "", errNoPlace
	}
	if member := script.MemberLeft(site); r.from.Up > 0 || script.IsOptional(member) {
		return base + script.SafeChain(r.from.Path...), nil
	}
	return base + script.Chain(r.from.Path...), nil
}

// fromHolder uses a variable that holds the outer object and is visible at the site.
func (w *rewriter) fromHolder(site ast.Node) (string, error) {
	for _, holder := range w.holders(w.resolution.from.Up) {
		name := script.NameOf(holder)
		if found := w.source.Scopes.Lookup(site, name); found != nil && found == w.source.Scopes.Bindings[holder] {
			return name + script.Chain(w.resolution.from.Path...), nil
		}
	}
	return "", errNoPlace
}

// atPattern gives a property of a destructuring pattern a default: { fresh, old = fresh }.
func (w *rewriter) atPattern(site ast.Node) error {
	s, r := w.source, w.resolution
	a := r.anomaly
	start := script.Offset(site.Idx0())
	_, end := s.Span(site)
	target, initial, err := patternTarget(s, site)
	if err != nil {
		return err
	}
	withDefault := func(value string) {
		switch {
		case initial != nil:
			w.edits = append(w.edits, script.Insert(script.Offset(initial.Idx0()), value+" ?? "))
		default:
			w.edits = append(w.edits, script.Insert(end, " = "+value))
		}
	}
	switch {
	case a.how == isMissing && r.mask && r.fallback != "":
		withDefault(r.fallback)
		return nil
	case a.how == isMissing && r.moved:
		if r.from.Up > 0 || len(r.from.Path) == 0 || slices.Contains(r.from.Path, "[0]") {
			return errNoPlace
		}
		last := r.from.Path[len(r.from.Path)-1]
		name := last
		if !script.PlainKey.MatchString(name) || s.Scopes.Taken(name) || script.Reserved[name] {
			name = w.freeName(a.key)
		}
		read := script.QuoteKey(last)
		if read != name {
			read += ": " + name
		}
		for i := len(r.from.Path) - 2; i >= 0; i-- {
			read = script.QuoteKey(r.from.Path[i]) + ": { " + read + " } = {}"
		}
		w.edits = append(w.edits, script.Insert(start, read+", "))
		withDefault(w.converted(name))
		return nil
	}
	variable := s.Scopes.Bindings[target]
	if variable == nil {
		return errNoPlace
	}
	for _, use := range variable.Uses {
		var text string
		name := variable.Name
		if assignedName(s, use) {
			return errNoPlace
		}
		switch {
		case r.mask && r.fallback != "":
			text = "(" + name + " ?? " + r.fallback + ")"
		case r.moved:
			return errNoPlace
		default:
			text = r.convert.on(name, true)
		}
		if _, short := use.(*ast.PropertyShort); short {
			text = name + ": " + text
		}
		useStart := script.Offset(use.Idx0())
		w.edits = append(w.edits, script.Replace(useStart, useStart+len(name), text))
	}
	return nil
}

// patternTarget is the name that a pattern property declares, and its default.
func patternTarget(s *script.Source, site ast.Node) (target ast.Node, initial ast.Expression, err error) {
	switch property := site.(type) {
	case *ast.PropertyShort:
		return property, property.Initializer, nil
	case *ast.PropertyKeyed:
		switch value := property.Value.(type) {
		case *ast.AssignExpression:
			return value.Left, value.Right, nil
		default:
			return value, nil, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: line %d", errNoPlace, s.Line(site))
}

// assignedName says that a use of a name writes to it.
func assignedName(s *script.Source, use ast.Node) bool { return s.Assigned(use) }

func (w *rewriter) freeName(base string) string {
	name := strings.Join(payload.Words(base), "_")
	if name == "" || !script.PlainKey.MatchString(name) {
		name = "value"
	}
	for i := 2; ; i++ {
		if candidate := fmt.Sprintf("%s%d", name, i); !w.source.Scopes.Taken(candidate) {
			return candidate
		}
	}
}

// atRoot wraps what brings a payload into the script: the awaited call, the parsed text.
func (w *rewriter) atRoot(wrapped func(expression string, twice bool) string) error {
	s, a := w.source, w.resolution.anomaly
	if a.group.kind == "input" {
		edits, err := inputEdits(s, func(name string) string { return wrapped(name, true) })
		w.edits = append(w.edits, edits...)
		return err
	}
	call, err := callAt(s, a.group.at)
	if err != nil {
		return err
	}
	const mark = "\x00"
	before, after, _ := strings.Cut(wrapped(mark, false), mark)
	var whole ast.Node = call
	if awaited, ok := s.Parents[call].(*ast.AwaitExpression); ok {
		whole = awaited
	} else if a.group.kind == "call" {
		_, end := s.Span(call)
		w.edits = append(w.edits, script.Insert(end, ".then((answer) => "+before+"answer"+after+")"))
		return nil
	}
	start, end := s.Span(whole)
	w.edits = append(w.edits, script.Insert(start, before), script.Insert(end, after))
	return nil
}

// inputEdits put what the script's entry is given through something, before anything else is done.
func inputEdits(s *script.Source, through func(name string) string) ([]script.Edit, error) {
	parameters, body := entryOf(s)
	block, ok := body.(*ast.BlockStatement)
	if !ok || parameters == nil || len(parameters.List) == 0 {
		return nil, errNoPlace
	}
	at, target := script.Offset(block.LeftBrace)+1, parameters.List[0].Target
	if name := script.NameOf(target); name != "" {
		return []script.Edit{script.Insert(at, "\n  "+name+" = "+through(name)+";")}, nil
	}
	if parameters.List[0].Initializer != nil {
		return nil, errNoPlace
	}
	name := "given"
	for s.Scopes.Taken(name) {
		name += "Input"
	}
	start, end := s.Span(target)
	return []script.Edit{script.Replace(start, end, name), script.Insert(at, "\n  const "+s.Code[start:end]+" = "+through(name)+";")}, nil
}

// handsOver finds where a script says what runs.
var handsOver = lazyregexp.New(`\bexport\s+default\b|\bmodule\.exports\s*=|\bexports\.\w+\s*=`)

// entryOf are the parameters and the body of the function that is run: main, or what the script exports.
func entryOf(s *script.Source) (parameters *ast.ParameterList, body ast.Node) {
	exported, name := -1, "main"
	if at := handsOver.FindStringIndex(s.Skeleton); at != nil {
		exported = at[1]
	} else if at := handsOver.FindStringIndex(s.Code); at != nil {
		exported = at[1]
	}
	if exported >= 0 {
		if word := strings.TrimRight(strings.TrimSpace(strings.SplitN(s.Code[exported:], "\n", 2)[0]), ";"); script.PlainKey.MatchString(word) {
			name, exported = word, -1
		}
	}
	for _, node := range s.Nodes {
		called := s.VariableName(node)
		switch function := node.(type) {
		case *ast.FunctionLiteral:
			if function.Name != nil {
				called = function.Name.Name.String()
			}
			parameters, body = function.ParameterList, function.Body
		case *ast.ArrowFunctionLiteral:
			parameters, body = function.ParameterList, function.Body
		default:
			continue
		}
		if exported >= 0 && s.Start(node) >= exported || exported < 0 && called == name {
			return parameters, body
		}
	}
	return nil, nil
}

// callAt finds the call whose parenthesis stands at a place.
func callAt(s *script.Source, at script.Position) (*ast.CallExpression, error) {
	place := s.OffsetOf(at.Line, at.Column)
	for _, node := range s.Nodes {
		if call, ok := node.(*ast.CallExpression); ok && script.Offset(call.LeftParenthesis) == place {
			return call, nil
		}
	}
	return nil, fmt.Errorf("%w: no call at %d:%d", errNoPlace, at.Line, at.Column)
}

// maskObject provides for a missing object: each plain value that the script takes out of
// it gets a default.
func (w *rewriter) maskObject(sites []ast.Node, below []*belowRead) error {
	if len(below) == 0 {
		return errNoPlace
	}
	direct := map[ast.Node]bool{}
	for _, inner := range below {
		fallback := fallbackFor(inner.values)
		if len(inner.sites) == 0 {
			return errNoPlace
		}
		if inner.values.Kind() == "object" {
			if err := w.maskObject(inner.sites, inner.below); err != nil {
				return err
			}
		}
		for _, site := range inner.sites {
			base := script.MemberObject(site)
			if base == nil {
				if fallback == "" {
					return errNoPlace
				}
				_, end := w.source.Span(site)
				if guarded(w.source, site) {
					continue
				}
				w.edits = append(w.edits, script.Insert(end, " = "+fallback))
				continue
			}
			if slices.Contains(sites, ast.Node(base)) && !script.IsOptional(script.MemberLeft(site)) {
				direct[base] = true
				_, end := w.source.Span(base)
				if _, dot := site.(*ast.DotExpression); dot {
					w.edits = append(w.edits, script.Insert(end+strings.IndexByte(w.source.Skeleton[end:], '.'), "?"))
				} else {
					w.edits = append(w.edits, script.Insert(end, "?."))
				}
			}
			if inner.values.Kind() == "object" || guarded(w.source, site) {
				continue
			}
			if fallback == "" {
				return errNoPlace
			}
			start, end := w.source.Span(site)
			w.edits = append(w.edits, script.Insert(start, "("), script.Insert(end, " ?? "+fallback+")"))
		}
	}
	for _, site := range sites {
		if direct[site] || script.IsOptional(w.source.Parents[site]) {
			continue
		}
		if script.MemberObject(site) == nil {
			_, end := w.source.Span(site)
			w.edits = append(w.edits, script.Insert(end, " = {}"))
			continue
		}
		start, end := w.source.Span(site)
		w.edits = append(w.edits, script.Insert(start, "("), script.Insert(end, " ?? {})"))
	}
	return nil
}

// fallbackFor is the empty value of the kind that values have, "" if there is none.
func fallbackFor(p *payload.Profile) string {
	switch p.Kind() {
	case "array":
		return "[]"
	case "string":
		return "''"
	case "number":
		return "0"
	case "boolean":
		return "false"
	case "object":
		return "({})"
	}
	return ""
}
