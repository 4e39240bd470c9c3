package repair

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/migration"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// adapterTemplate names the template that puts what is given now back into its old shape.
const adapterTemplate = "adapter/1"

// adapt submits scripts that put what is given now back into the shape that the script was written for, where it comes in:
// one for each explanation of all that changed. It says whether one is clear. One name that is another is left for last:
// it is read best where the script reads it.
func (f *finder) adapt(ctx context.Context, v *view, last bool) (clear bool, err error) {
	worlds := f.worlds
	if len(worlds) == 0 || last != (len(worlds[0]) == 1 && worlds[0][0].Way.Renamed()) {
		return false, nil
	}
	spelled, followed := payload.Spelled(v.source.Plain), false
	for i, world := range worlds {
		for _, only := range []map[string]bool{spelled, nil} {
			made := f.adapted(v, world, only)
			if made == nil || f.seen[made.source.Code] {
				continue
			}
			f.seen[made.source.Code] = true
			passed, held, err := f.submit(ctx, made)
			if err != nil {
				return false, err
			}
			if i == 0 {
				f.refuted, followed = !passed && !followed, followed || passed
			}
			if passed && !held {
				clear = len(made.doubts) == 0
				break
			}
		}
	}
	return clear && len(worlds) == 1, nil
}

// part is the function that puts one source back.
type part struct {
	given gate.Given
	way   migration.Migration
	name  string
	code  string
	sites []ast.Node
}

// adapted is the script with an adapter for each source that changed, nil if it cannot be made. The members that are not
// named are left as they are, unless none are named.
func (f *finder) adapted(v *view, world []gate.Given, named map[string]bool) *proposal {
	made := &proposal{template: adapterTemplate, resolved: map[string]bool{}, score: 1}
	var parts []*part
	var order []ast.Node
	written := map[string]string{} // functions, by their bodies
	var tail strings.Builder
	for _, given := range world {
		way := given.Way
		if named != nil {
			way = way.For(named)
		}
		if given.Paged {
			return nil
		}
		if !way.Changed() {
			continue
		}
		one := &part{given: given, way: way, name: v.adapterName(given.Source, written)}
		sites, each := v.entries(given)
		if one.sites = sites; len(sites) == 0 {
			return nil
		}
		write := way.Back
		if each {
			write = way.BackOfEach
		}
		var ok bool
		if one.code, ok = write(one.name, "r"); !ok {
			return nil
		}
		body := one.code[strings.IndexByte(one.code, '('):]
		if same, twice := written[body]; twice {
			one.name = same
		} else {
			written[body] = one.name
			fmt.Fprintf(&tail, "\n%s\n%s\n", comment(given, way.String(), one.name), one.code)
		}
		parts = append(parts, one)
		score := way.Score
		if len(f.worlds) == 1 {
			score = max(score, way.Joint)
		}
		if made.score = min(made.score, score); score < clearScore {
			made.doubts = append(made.doubts, fmt.Sprintf("nothing but a likeness says that %s", way))
		}
		made.doubts = append(made.doubts, way.Doubts()...)
		made.extra = append(made.extra, fmt.Sprintf("%s is put back into its old shape: %s", label(given.Source), clip(way.String(), 200)))
		for _, site := range one.sites {
			if !slices.Contains(order, site) {
				order = append(order, site)
			}
		}
	}
	var edits []script.Edit
	for _, site := range order {
		through, more, ok := v.through(site, parts, written)
		wrapped, err := wrapEntry(v.source, site, through)
		if !ok || err != nil {
			return nil
		}
		tail.WriteString(more)
		edits = append(edits, wrapped...)
	}
	if len(edits) == 0 {
		return nil
	}
	code, err := script.Apply(v.source.Code, edits)
	if err != nil {
		return nil
	}
	code = strings.TrimRight(code, " \t\r\n") + "\n" + tail.String()
	if made.source, err = script.Parse(code); err != nil || len(code) > maxScript {
		return nil
	}
	return made
}

// through writes the call by which what comes in at a place is put back: by each function whose values come in there. Where these
// cannot be told apart by themselves, the address that was asked for tells, by one more function.
func (v *view) through(site ast.Node, parts []*part, taken map[string]string) (call func(value string) string, more string, ok bool) {
	var here []*part
	var names []string
	for _, one := range parts {
		if slices.Contains(one.sites, site) {
			if here = append(here, one); !slices.Contains(names, one.name) {
				names = append(names, one.name)
			}
		}
	}
	if !v.mixed(site, here) {
		return func(value string) string {
			for _, name := range names {
				value = name + "(" + value + ")"
			}
			return value
		}, "", true
	}
	address := addressAt(v.source, site)
	if address == "" {
		return nil, "", false
	}
	name := v.freeName("answerAsBefore", taken)
	taken[name] = name
	var b strings.Builder
	fmt.Fprintf(&b, "\n// %s puts back what comes from one of several addresses.\nfunction %s(r, address) {\n", name, name)
	slices.SortStableFunc(here, func(a, b *part) int {
		return strings.Count(a.given.Source, "*") - strings.Count(b.given.Source, "*")
	})
	for _, one := range here {
		pattern := addressOf(one.given.Source)
		if pattern == "" {
			return nil, "", false
		}
		fmt.Fprintf(&b, "  if (%s.test(address)) return %s(r);\n", pattern, one.name)
	}
	b.WriteString("  return r;\n}\n")
	return func(value string) string { return name + "(" + value + ", " + address + ")" }, b.String(), true
}

// mixed says that something else comes in at a place that would be taken for what one of the functions there puts back.
func (v *view) mixed(site ast.Node, here []*part) bool {
	return slices.ContainsFunc(append([]*trace{v.failing}, v.successes...), func(t *trace) bool {
		return slices.ContainsFunc(t.roots, func(r root) bool {
			if !r.known || v.siteOf(r) != site {
				return false
			}
			owner := ""
			for _, one := range here {
				if one.given.Has(r.value) {
					owner = one.name
				}
			}
			return slices.ContainsFunc(here, func(one *part) bool { return one.name != owner && one.way.Discriminators(r.value) })
		})
	})
}

// addressOf is a pattern in JavaScript of the addresses of a kind of call, empty if they are not known.
func addressOf(source string) string {
	words := strings.Fields(source)
	if len(words) != 3 {
		return ""
	}
	_, path, found := strings.Cut(words[2], "/")
	if !found {
		return ""
	}
	steps := strings.Split(path, "/")
	for i, step := range steps {
		if steps[i] = regexp.QuoteMeta(step); step == "*" {
			steps[i] = "[^/?#]+"
		}
	}
	return `/\/` + strings.Join(steps, `\/`) + `\/?(?:[?#]|$)/`
}

// addressAt writes the address of which the answer comes in at a call, empty if that cannot be written there.
func addressAt(s *script.Source, site ast.Node) string {
	call, _ := site.(*ast.CallExpression)
	if call == nil {
		return ""
	}
	from := script.MemberObject(call.Callee)
	switch {
	case asks(s, call):
		return spelledOut(s, call)
	case script.Callee(call) == "JSON.parse" && len(call.ArgumentList) > 0:
		from = script.Bare(call.ArgumentList[0])
		if variable := s.Scopes.Bindings[from]; variable != nil && variable.Init != nil {
			from = script.Bare(variable.Init)
		}
		if waits, ok := from.(*ast.AwaitExpression); ok {
			from = script.Bare(waits.Argument)
		}
		if text, ok := from.(*ast.CallExpression); ok {
			from = script.MemberObject(text.Callee)
		} else {
			from = script.MemberObject(from)
		}
	}
	if waits, ok := from.(*ast.AwaitExpression); ok {
		from = script.Bare(waits.Argument)
	}
	switch of := from.(type) {
	case *ast.Identifier:
		return of.Name.String() + ".url"
	case *ast.CallExpression:
		if asks(s, of) {
			return spelledOut(s, of)
		}
	}
	return ""
}

// asks says that a call asks an address.
func asks(s *script.Source, call *ast.CallExpression) bool {
	return hostcall.Of(s.Tool(call)).Request != nil
}

// spelledOut is the address in a call, if it may be written twice.
func spelledOut(s *script.Source, call *ast.CallExpression) string {
	if len(call.ArgumentList) == 0 {
		return ""
	}
	text := s.Text(call.ArgumentList[0])
	if strings.Contains(strings.ReplaceAll(text, "encodeURIComponent(", ""), "(") || strings.ContainsAny(text, "=;") && !strings.ContainsAny(text, "'`\"") {
		return ""
	}
	return text
}

// entries are the places where a source's values come into the script: calls, or nil for the input. If each is set, the
// elements of its lists come in one by one.
func (v *view) entries(given gate.Given) (found []ast.Node, each bool) {
	element := func(value any) bool {
		return slices.ContainsFunc(given.Values, func(one any) bool {
			list, _ := one.([]any)
			return slices.ContainsFunc(list, func(one any) bool { return payload.Equal(one, value) })
		})
	}
	for _, is := range []func(any) bool{given.Has, element} {
		for _, t := range append([]*trace{v.failing}, v.successes...) {
			for _, r := range t.roots {
				if (r.kind == "input") != (given.Source == "input") || !r.known || empty(r.value) || !is(r.value) {
					continue
				}
				site := v.siteOf(r)
				if !slices.Contains(found, site) {
					found = append(found, site)
				}
			}
		}
		if len(found) > 0 {
			return found, each
		}
		each = true
	}
	return nil, false
}

// siteOf is the call that brings a root in, nil for the input.
func (v *view) siteOf(r root) ast.Node {
	if r.kind == "input" {
		return nil
	}
	if call := v.source.CallFrom(v.source.OffsetOf(r.at.Line, r.at.Column)); call != nil {
		return call
	}
	return nil
}

// empty says that a value could be anything's.
func empty(value any) bool {
	list, isList := value.([]any)
	return value == nil || isList && len(list) == 0
}

// wrapEntry puts a value through a call where it comes in.
func wrapEntry(s *script.Source, site ast.Node, through func(value string) string) ([]script.Edit, error) {
	if through == nil {
		return nil, errNoPlace
	}
	if site == nil {
		return inputEdits(s, through)
	}
	call := site.(*ast.CallExpression)
	start, end := s.Span(call)
	if awaited, ok := s.Parents[call].(*ast.AwaitExpression); ok {
		start, end = s.Span(awaited)
	} else if script.Callee(call) != "JSON.parse" {
		then := "(answer) => " + through("answer")
		if name, plain := strings.CutSuffix(through("answer"), "(answer)"); plain && script.PlainKey.MatchString(name) {
			then = name
		}
		return []script.Edit{script.Insert(end, ".then("+then+")")}, nil
	}
	before, after, _ := strings.Cut(through("\x00"), "\x00")
	return []script.Edit{script.Insert(start, before), script.Insert(end, after)}, nil
}

// adapterName is a name for the function that puts a source back, which neither the script nor another one has.
func (v *view) adapterName(source string, taken map[string]string) string {
	words := []string{"answer"}
	if source == "input" {
		words = []string{"input"}
	}
	place, _, _ := strings.Cut(source, "?")
	steps := strings.Split(place[strings.LastIndexByte(place, ' ')+1:], "/")
	for i := len(steps) - 1; i > 0; i-- {
		if found := payload.Words(steps[i]); len(found) > 0 && steps[i] != "*" && script.PlainKey.MatchString(strings.Join(found, "")) {
			words = found
			break
		}
	}
	base := ""
	for i, word := range append(slices.Clone(words), "as", "before") {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		base += word
	}
	return v.freeName(base, taken)
}

// freeName is a name that neither the script nor a function has that is written.
func (v *view) freeName(base string, taken map[string]string) string {
	name := base
	for i := 2; v.source.Scopes.Taken(name) || slices.Contains(slices.Collect(maps.Values(taken)), name); i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	return name
}

// label names a source for people.
func label(source string) string {
	if source == "input" {
		return "the input"
	}
	parts := strings.Fields(source)
	if len(parts) > 2 {
		parts = parts[1:3]
	}
	return "the answer of " + strings.Join(parts, " ")
}

// comment says above an adapter what changed.
func comment(given gate.Given, changed, name string) string {
	text := label(given.Source)
	return fmt.Sprintf("// %s has another shape now:\n// %s.\n// %s gives the one that this script was written for.", strings.ToUpper(text[:1])+text[1:], clip(changed, 300), name)
}
