package repair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/replay"
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
	spelled := payload.Spelled(v.source.Code)
	for i, world := range worlds {
		for _, only := range []map[string]bool{spelled, nil} {
			made := f.adapted(v, world, only)
			if made == nil || f.seen[made.source.Code] {
				continue
			}
			f.seen[made.source.Code] = true
			passed, err := f.submit(ctx, made)
			if err != nil {
				return false, err
			}
			if i == 0 {
				f.refuted = !passed
			}
			if passed {
				clear = len(made.doubts) == 0
				break
			}
		}
	}
	return clear && len(worlds) == 1, nil
}

// adapted is the script with an adapter for each source that changed, nil if it cannot be made. The members that are not
// named are left as they are, unless none are named.
func (f *finder) adapted(v *view, world []replay.Given, named map[string]bool) *proposal {
	made := &proposal{template: adapterTemplate, resolved: map[string]bool{}, score: 1}
	sites := map[ast.Node][]string{}
	var order []ast.Node
	written := map[string]string{} // functions, by their bodies
	var tail strings.Builder
	var edits []script.Edit
	for _, given := range world {
		way := given.Way
		if named != nil {
			way = way.For(named)
		}
		if !way.Changed() {
			continue
		}
		found, each := v.entries(given)
		if len(found) == 0 || v.others(found, given, way.Marks) {
			return nil
		}
		name := v.adapterName(given.Source, written)
		write := way.Back
		if each {
			write = way.BackOfEach
		}
		code, ok := write(name, "r")
		if !ok {
			return nil
		}
		body := code[strings.IndexByte(code, '('):]
		if same, twice := written[body]; twice {
			name = same
		} else {
			written[body] = name
			fmt.Fprintf(&tail, "\n%s\n%s\n", comment(given, way.String(), name), code)
		}
		score := way.Score
		if len(f.worlds) == 1 {
			score = max(score, way.Joint)
		}
		if made.score = min(made.score, score); score < clearScore {
			made.doubts = append(made.doubts, fmt.Sprintf("nothing but a likeness says that %s", way))
		}
		made.doubts = append(made.doubts, way.Doubts()...)
		made.extra = append(made.extra, fmt.Sprintf("%s is put back into its old shape: %s", label(given.Source), clip(way.String(), 200)))
		for _, site := range found {
			if !slices.Contains(order, site) {
				order = append(order, site)
			}
			if !slices.Contains(sites[site], name) {
				sites[site] = append(sites[site], name)
			}
		}
	}
	for _, site := range order {
		made, err := wrapEntry(v.source, site, sites[site])
		if err != nil {
			return nil
		}
		edits = append(edits, made...)
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

// entries are the places where a source's values come into the script: calls, or nil for the input. If each is set, the
// elements of its lists come in one by one.
func (v *view) entries(given replay.Given) (found []ast.Node, each bool) {
	whole := func(value any) bool {
		return slices.ContainsFunc(given.Values, func(one any) bool { return payload.Equal(one, value) })
	}
	element := func(value any) bool {
		return slices.ContainsFunc(given.Values, func(one any) bool {
			list, _ := one.([]any)
			return slices.ContainsFunc(list, func(one any) bool { return payload.Equal(one, value) })
		})
	}
	for _, is := range []func(any) bool{whole, element} {
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

// others says that something else comes in at these places that would be taken for it.
func (v *view) others(sites []ast.Node, given replay.Given, marks func(any) bool) bool {
	return slices.ContainsFunc(append([]*trace{v.failing}, v.successes...), func(t *trace) bool {
		return slices.ContainsFunc(t.roots, func(r root) bool {
			return r.known && marks(r.value) && slices.Contains(sites, v.siteOf(r)) &&
				!slices.ContainsFunc(given.Values, func(one any) bool { return payload.Equal(one, r.value) })
		})
	})
}

// empty says that a value could be anything's.
func empty(value any) bool {
	list, isList := value.([]any)
	return value == nil || isList && len(list) == 0
}

// wrapEntry puts a value through functions where it comes in.
func wrapEntry(s *script.Source, site ast.Node, functions []string) ([]script.Edit, error) {
	before, after := "", ""
	for _, name := range functions {
		before, after = name+"("+before, after+")"
	}
	if site == nil {
		return inputEdits(s, func(name string) string { return before + name + after })
	}
	call := site.(*ast.CallExpression)
	start, end := s.Span(call)
	if awaited, ok := s.Parents[call].(*ast.AwaitExpression); ok {
		start, end = s.Span(awaited)
	} else if script.Callee(call) != "JSON.parse" {
		then := functions[0]
		if len(functions) > 1 {
			then = "(answer) => " + before + "answer" + after
		}
		return []script.Edit{script.Insert(end, ".then("+then+")")}, nil
	}
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
func comment(given replay.Given, changed, name string) string {
	text := label(given.Source)
	return fmt.Sprintf("// %s has another shape now:\n// %s.\n// %s gives the one that this script was written for.", strings.ToUpper(text[:1])+text[1:], clip(changed, 300), name)
}
