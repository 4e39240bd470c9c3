package repair

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// group is all values that came to the script at one place: the payloads of the recorded
// successes beside those of the failing run.
type group struct {
	kind   string // input, call, parse
	tool   string
	at     script.Position
	before []any
	after  []any
	// beforeRoots are the group's roots in each success trace, afterRoots in the failing one.
	beforeRoots map[*trace]map[int]bool
	afterRoots  map[int]bool
	afterIndex  map[int]int // of a root, in after
	keys        payload.Keys
	given       *payload.Schema // before
}

// groups pairs what the failing run received with what the successes received. A name that the script spells is no key of a map.
func (v *view) groups() []*group {
	var groups []*group
	keys := payload.Keys{Spelled: payload.Spelled(v.source.Plain)}
	for index, r := range v.failing.roots {
		if !r.known {
			continue
		}
		made := &group{given: payload.NewSchema(), keys: keys, kind: r.kind, tool: r.tool, at: r.at, beforeRoots: map[*trace]map[int]bool{}, afterRoots: map[int]bool{index: true}, afterIndex: map[int]int{index: 0}}
		for _, same := range []func(root) bool{
			func(old root) bool { return old.at == r.at && old.about == r.about },
			func(old root) bool { return old.at == r.at },
			func(old root) bool { return old.about == r.about && r.about != "" },
		} {
			made.take(v.successes, func(old root) bool { return old.kind == r.kind && old.tool == r.tool && same(old) })
			if len(made.before) > 0 {
				break
			}
		}
		made.after = []any{r.value}
		if twin := slices.IndexFunc(groups, func(g *group) bool { return g.sameAs(made) }); twin >= 0 {
			groups[twin].afterIndex[index] = len(groups[twin].after)
			groups[twin].after = append(groups[twin].after, r.value)
			groups[twin].afterRoots[index] = true
			continue
		}
		groups = append(groups, made)
	}
	return groups
}

func (g *group) take(successes []*trace, same func(root) bool) {
	for _, t := range successes {
		for index, old := range t.roots {
			if old.known && same(old) {
				if g.beforeRoots[t] == nil {
					g.beforeRoots[t] = map[int]bool{}
				}
				g.beforeRoots[t][index] = true
				g.before = append(g.before, old.value)
				g.given.Add(t.run.ID, old.value, nil)
			}
		}
	}
}

// folds has the reads of these roots go through maps by no key of its own: the keys of another day are others.
func (g *group) folds(t *trace, roots map[int]bool) {
	read := g.given.Read(g.keys)
	for i, r := range t.reads {
		if !roots[r.root] {
			continue
		}
		path := make([]string, 0, len(r.path))
		for _, key := range r.path {
			if read.IsMap(path) && !g.keys.Spelled[key] {
				key = payload.AnyKey
			}
			path = append(path, key)
		}
		t.reads[i].path = path
	}
}

// sameAs says that two groups have the same past.
func (g *group) sameAs(other *group) bool {
	if g.kind != other.kind || g.tool != other.tool || g.at != other.at || len(g.beforeRoots) != len(other.beforeRoots) {
		return false
	}
	for t, roots := range g.beforeRoots {
		if len(roots) != len(other.beforeRoots[t]) {
			return false
		}
		for index := range roots {
			if !other.beforeRoots[t][index] {
				return false
			}
		}
	}
	return true
}

// The ways in which a payload parts from the earlier ones where the script reads it.
const (
	isMissing = "missing" // was always there, now is not
	isNull    = "null"    // never was null, now is
	isChanged = "changed" // is of another type
)

// anomaly is a place of a payload that the script reads and that is not as it always was.
type anomaly struct {
	group *group
	path  []string // to the object that is read
	// oldPath is where that object was in the earlier payloads: path, unless an edit that was
	// made before moved it.
	oldPath []string
	// key is the property; "[]" for the elements of a list, "" for the payload itself.
	key    string
	how    string
	before *payload.Profile // of the values earlier
	after  *payload.Profile // of the values now
	// lacking are the objects of the failing run that do not have it, having those that still do.
	lacking []payload.Instance
	having  []payload.Instance
	sites   []ast.Node // where the script reads it: member expressions and pattern properties
	unseen  bool       // it is also read where no site could be found
	// left are those where the failing run read it and the script does not provide for its absence.
	left []ast.Node
	soft bool // wherever the failing run read it, the script provides for its absence
	last int  // order of the failing run's last such read
}

// id names the place, the same for every version of the script.
func (a *anomaly) id() string {
	return a.group.kind + " " + a.group.tool + " " + strings.Join(a.path, ".") + " " + a.key + " " + a.how
}

// shift says that what is below one path of a payload is what was below another.
type shift struct {
	group    string
	from, to []string
}

// origin is where an object was in the earlier payloads.
func (g *group) origin(path []string, shifts []shift) []string {
	for i := len(shifts) - 1; i >= 0; i-- {
		if s := shifts[i]; s.group == g.id() && len(path) >= len(s.to) && slices.Equal(path[:len(s.to)], s.to) {
			path = slices.Concat(s.from, path[len(s.to):])
		}
	}
	return path
}

func (g *group) id() string { return g.kind + " " + g.tool }

// anomalies compares the failing run's reads with the successes' values there, the last read first: the read just
// before the failure most likely caused it.
func (v *view) anomalies(shifts []shift) []*anomaly {
	var found []*anomaly
	s, failing, successes := v.source, v.failing, v.successes
	for _, g := range v.groups() {
		if len(g.before) == 0 {
			continue
		}
		g.folds(failing, g.afterRoots)
		for t, roots := range g.beforeRoots {
			g.folds(t, roots)
		}
		var inner []string // where the script begins to read
		if a := g.rootAnomaly(); a != nil {
			found = append(found, a)
			if inner = g.unwrapped(shifts); inner == nil {
				continue
			}
		}
		seen := map[string]bool{}
		for _, r := range failing.reads {
			place := strings.Join(r.path, "\x00") + "\x00\x00" + r.key
			if !g.afterRoots[r.root] || seen[place] || len(r.path) < len(inner) || !slices.Equal(r.path[:len(inner)], inner) {
				continue
			}
			seen[place] = true
			a := g.anomalyAt(g.origin(r.path, shifts), r.path, r.key, failing, successes)
			if a == nil || a.how == isMissing && g.given.Read(g.keys).IsMap(r.path) && !g.keys.Spelled[r.key] {
				continue // keys of a map come and go
			}
			a.locate(s, failing, successes)
			if len(a.sites) > 0 || a.unseen || r.key == "[]" {
				found = append(found, a)
			}
		}
		if inner == nil {
			found = append(found, g.copied(s, successes, seen)...)
		}
	}
	slices.SortStableFunc(found, func(a, b *anomaly) int { return b.last - a.last })
	return found
}

// copied finds keys that built-in functions read for the script (a spread, Object.assign),
// that are missing now, and that the script names somewhere.
func (g *group) copied(s *script.Source, successes []*trace, seen map[string]bool) []*anomaly {
	var found []*anomaly
	for _, t := range successes {
		for _, r := range t.reads {
			place := strings.Join(r.path, "\x00") + "\x00\x00" + r.key
			if !g.beforeRoots[t][r.root] || seen[place] || r.key == "[]" || s.SiteOf(r.at, r.key) != nil {
				continue
			}
			seen[place] = true
			a := g.anomalyAt(r.path, r.path, r.key, nil, nil)
			if a == nil || a.how != isMissing || !s.Names(r.key) {
				continue
			}
			a.unseen = true
			found = append(found, a)
		}
	}
	return found
}

func (g *group) rootAnomaly() *anomaly {
	before, after := payload.ProfileOf(g.before), payload.ProfileOf(g.after)
	how := difference(before, after, false, false)
	if before.Kind() == "object" && after.Kind() == "object" && after.Nulls == 0 {
		if key, _ := enveloped(before.Objects, after.Objects); key != "" {
			how = isChanged
		}
	}
	if how != isChanged { // nothing can be read from a null
		return nil
	}
	return &anomaly{group: g, how: how, before: before, after: after}
}

// unwrapped is where an edit takes the whole payload from, nil if none does.
func (g *group) unwrapped(shifts []shift) []string {
	for _, s := range shifts {
		if s.group == g.id() && len(s.from) == 0 && len(s.to) > 0 {
			return s.to
		}
	}
	return nil
}

// difference says how the new values are not as they always were, "" if they are.
func difference(before, after *payload.Profile, missing, hadGaps bool) string {
	for kind := range after.Kinds {
		if before.Seen > 0 && before.Kinds[kind] == 0 {
			return isChanged
		}
	}
	switch {
	case missing && !hadGaps && before.Seen > 0:
		return isMissing
	case after.Nulls > 0 && before.Nulls == 0 && before.Seen > 0:
		return isNull
	case before.Kind() == "string" && after.Kind() == "string" && textChange(before.Texts, after.Texts) != nil:
		return isChanged
	}
	return ""
}

// anomalyAt compares one key of the objects at a path. With traces, what counts is what
// the script read there, not what it passed over; without, every object counts.
func (g *group) anomalyAt(oldPath, path []string, key string, failing *trace, successes []*trace) *anomaly {
	a := &anomaly{group: g, path: path, oldPath: oldPath, key: key}
	var before, after []any
	hadGaps, hadNulls := false, false
	for _, value := range g.before {
		for _, place := range payload.Instances(value, oldPath) {
			values, ok := readKey(place.Value(), key)
			if !ok {
				continue
			}
			before = append(before, values...)
			hadGaps = hadGaps || len(values) == 0 && key != "[]"
			hadNulls = hadNulls || slices.Contains(values, nil)
		}
	}
	if absent, null, read := g.readBefore(oldPath, key, successes); read {
		hadGaps, hadNulls = absent, null
	}
	missing := false
	lacks := g.lacking(path, key, failing)
	// An error stops the reading, so objects like those that were read count as well.
	alike := map[string]bool{}
	for index, value := range g.after {
		for _, place := range payload.Instances(value, path) {
			if lacks[exactly(index, place)] {
				alike[signature(place.Value())] = true
			}
		}
	}
	for _, value := range g.after {
		for _, place := range payload.Instances(value, path) {
			values, ok := readKey(place.Value(), key)
			if !ok {
				continue
			}
			nothing := len(values) == 0 && key != "[]" || len(values) == 1 && values[0] == nil
			switch {
			case nothing && lacks != nil && !alike[signature(place.Value())]:
				// Passed over: the script did not read it here.
			case nothing:
				a.lacking = append(a.lacking, place)
				missing = missing || len(values) == 0
				after = append(after, values...)
			default:
				a.having = append(a.having, place)
				after = append(after, values...)
			}
		}
	}
	a.before, a.after = payload.ProfileOf(before), payload.ProfileOf(after)
	if hadNulls {
		a.before.Nulls = max(a.before.Nulls, 1)
	} else {
		a.before.Nulls = 0
	}
	a.how = difference(a.before, a.after, missing, hadGaps)
	if a.how == "" || key == "[]" && len(path) > 0 && path[len(path)-1] == "[]" {
		return nil
	}
	return a
}

// readBefore says whether the successes read a key at a path, and found it absent or null.
func (g *group) readBefore(path []string, key string, successes []*trace) (absent, null, read bool) {
	for _, t := range successes {
		for _, r := range t.reads {
			if r.key == key && g.beforeRoots[t][r.root] && slices.Equal(r.path, path) {
				read = true
				absent = absent || r.kinds["undefined"] > 0
				null = null || r.kinds["null"] > 0
			}
		}
	}
	return absent, null, read
}

// lacking are the exact places where the failing run read a key and found nothing; nil if
// that is not known.
func (g *group) lacking(path []string, key string, failing *trace) map[string]bool {
	if failing == nil {
		return nil
	}
	found := map[string]bool{}
	for _, r := range failing.reads {
		if r.key != key || !g.afterRoots[r.root] || !slices.Equal(r.path, path) {
			continue
		}
		if len(r.nothing) >= maxTracedNothing {
			return nil
		}
		index := g.afterIndex[r.root]
		for _, where := range r.nothing {
			found[exact(index, where)] = true
		}
	}
	return found
}

// signature is the kind of an object: its keys, and its type if it says one.
func signature(value any) string {
	o, ok := value.(*orderedjson.Object)
	if !ok {
		return payload.KindOf(value)
	}
	var text strings.Builder
	for _, key := range slices.Sorted(slices.Values(o.Keys)) {
		text.WriteString(key + " ")
	}
	for _, key := range []string{"type", "kind", "object", "event"} {
		if name, ok := o.Fields[key].(string); ok {
			text.WriteString("=" + name)
		}
	}
	return text.String()
}

func exact(index int, where []string) string {
	return strconv.Itoa(index) + "\x00" + strings.Join(where, "\x00")
}

func exactly(index int, place payload.Instance) string { return exact(index, place.Where) }

// readKey is what a read of a key finds in a value: nothing if it is absent; not ok if the
// value is not of a kind that has such keys.
func readKey(value any, key string) (values []any, ok bool) {
	if key == "[]" {
		list, ok := value.([]any)
		return list, ok
	}
	if _, ok := value.(*orderedjson.Object); !ok {
		return nil, false
	}
	found := payload.Property(value, key)
	if _, gone := found.(payload.Absent); gone {
		return nil, true
	}
	return []any{found}, true
}

// locate finds where the script reads the place, in any run.
func (a *anomaly) locate(s *script.Source, failing *trace, successes []*trace) {
	hard, reached := false, false
	path, oldPath, key := a.path, a.oldPath, a.key
	if key == "[]" && len(path) > 0 && len(oldPath) > 0 {
		// Elements change where the script takes the list.
		path, oldPath, key = path[:len(path)-1], oldPath[:len(oldPath)-1], path[len(path)-1]
	}
	add := func(r read, now bool) {
		at := oldPath
		if now {
			at = path
		}
		if r.key != key || !slices.Equal(r.path, at) {
			return
		}
		if now {
			a.last = max(a.last, r.last)
		}
		if r.native || key == "[]" {
			return
		}
		site := s.SiteOf(r.at, r.key)
		if site == nil {
			a.unseen = true
			hard = hard || now
			return
		}
		if !slices.Contains(a.sites, site) {
			a.sites = append(a.sites, site)
		}
		if now {
			reached = true
			if !guarded(s, site) && (a.how != isChanged || !anyKind(s, site)) {
				hard = true
				a.left = append(a.left, site)
			}
		}
	}
	for _, r := range failing.reads {
		if a.group.afterRoots[r.root] {
			add(r, true)
		}
	}
	for _, t := range successes {
		for _, r := range t.reads {
			if a.group.beforeRoots[t][r.root] {
				add(r, false)
			}
		}
	}
	a.soft = reached && !hard && a.key != "[]"
	if len(a.sites) > 0 {
		a.addTwins(s, key, append(slices.Clone(successes), failing))
	}
}

// addTwins adds reads of the same key that no run has reached: of the same variable, and,
// if all reads of that key by any run were here, of any.
func (a *anomaly) addTwins(s *script.Source, key string, all []*trace) {
	reached := map[ast.Node]bool{}
	only := true
	for _, t := range all {
		for _, r := range t.reads {
			if r.key != key {
				continue
			}
			if site := s.SiteOf(r.at, r.key); site != nil {
				reached[site] = true
				only = only && slices.Contains(a.sites, site)
			}
		}
	}
	variables := map[*script.Binding]bool{}
	for _, site := range a.sites {
		if base, ok := script.MemberObject(site).(*ast.Identifier); ok {
			variables[s.Scopes.Bindings[base]] = true
		}
	}
	for _, node := range s.Nodes {
		name, constant := script.MemberKey(node)
		if !constant || name != key || reached[node] || s.Assigned(node) || slices.Contains(a.sites, node) || !script.Repeatable(script.MemberObject(node)) {
			continue
		}
		if call, ok := s.Parents[node].(*ast.CallExpression); ok && call.Callee == node {
			continue // a method of that name
		}
		base := s.Scopes.Bindings[script.MemberObject(node)]
		if base != nil && (variables[base] || only) {
			a.sites = append(a.sites, node)
		}
	}
}

// varies says that the script reads it only by computed keys: keys of a table come and go.
func (a *anomaly) varies() bool {
	return len(a.sites) > 0 && !slices.ContainsFunc(a.sites, func(site ast.Node) bool {
		bracket, ok := site.(*ast.BracketExpression)
		if !ok {
			return true
		}
		_, constant := script.MemberKey(bracket)
		return constant
	})
}

// guarded says that the script provides for the absence of what it reads here: x || y,
// x ?? y, x?.y, if (x), { x = y }.
func guarded(s *script.Source, node ast.Node) bool {
	switch property := node.(type) {
	case *ast.PropertyShort:
		if property.Initializer != nil {
			return true
		}
	case *ast.PropertyKeyed:
		_, hasDefault := property.Value.(*ast.AssignExpression)
		return hasDefault
	}
	switch parent := s.Parents[node].(type) {
	case *ast.Optional:
		return true
	case *ast.OptionalChain:
		return guarded(s, parent)
	case *ast.BinaryExpression:
		switch parent.Operator {
		case token.LOGICAL_OR, token.COALESCE, token.LOGICAL_AND:
			return parent.Left == node || guarded(s, parent)
		case token.EQUAL, token.NOT_EQUAL, token.STRICT_EQUAL, token.STRICT_NOT_EQUAL:
			return isNothing(parent.Left) || isNothing(parent.Right)
		}
	case *ast.IfStatement:
		return parent.Test == node
	case *ast.ConditionalExpression:
		return parent.Test == node
	case *ast.UnaryExpression:
		return parent.Operator == token.NOT || parent.Operator == token.TYPEOF
	case *ast.CallExpression:
		return slices.Contains([]string{"Boolean", "Array.isArray"}, script.Callee(parent))
	}
	return false
}

// anyKind says that the script does not mind of what type the value is that it reads here:
// it converts it, or asks for its type.
func anyKind(s *script.Source, node ast.Node) bool { return anyKindWithin(s, node, 4) }

// anyKindWithin follows a value into so many variables and parameters: they may be recursive.
func anyKindWithin(s *script.Source, node ast.Node, steps int) bool {
	follow := func(variable *script.Binding) bool {
		return variable != nil && steps > 0 && slices.ContainsFunc(variable.Uses, func(use ast.Node) bool { return anyKindWithin(s, use, steps-1) })
	}
	if target, _, err := patternTarget(s, node); err == nil {
		return follow(s.Scopes.Bindings[target])
	}
	switch parent := s.Parents[node].(type) {
	case *ast.CallExpression:
		if slices.Contains([]string{"String", "Number", "parseFloat", "parseInt", "Boolean", "Array.isArray", "JSON.stringify"}, script.Callee(parent)) {
			return parent.Callee != node
		}
		return follow(s.ParameterFor(parent, node))
	case *ast.UnaryExpression:
		return parent.Operator == token.TYPEOF
	case *ast.Binding: // const x = o.x
		return follow(s.Scopes.Bindings[parent.Target])
	}
	return false
}

func isNothing(node ast.Node) bool {
	if _, ok := node.(*ast.NullLiteral); ok {
		return true
	}
	return script.NameOf(node) == "undefined"
}
