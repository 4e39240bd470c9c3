package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/migration"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// resolution is one explanation of an anomaly: where the value is now, or what to take
// for it if it is nowhere.
type resolution struct {
	anomaly *anomaly
	from    payload.Location // unset if the value is where it was
	moved   bool
	convert *conversion // nil if the value is as it was
	// mask says that the resolution hides an absence; fallback is its default, as source text.
	mask     bool
	fallback string
	score    float64
	doubts   []string
	template string
}

// Scores of explanations, 0 to 1.
const (
	clearScore     = 0.62 // good enough to be applied without asking
	plausibleScore = 0.45 // good enough to be shown beside a better one
	clearMargin    = 0.1  // how much better the best must be than the next
)

// resolutions lists explanations of an anomaly, best first; those that find the value,
// not those that hide its absence.
func (a *anomaly) resolutions() []*resolution {
	var found []*resolution
	if a.how == isChanged && a.key != "[]" {
		for _, c := range conversions(a.before, a.after, a.label()) {
			score := min(1, 0.25+0.75*c.fit)
			if a.key != "" {
				score = min(1, score+0.05)
			}
			found = append(found, &resolution{anomaly: a, convert: c, score: score, doubts: slices.Clone(c.doubts), template: "drift/1"})
		}
	}
	if len(a.lacking) > 0 && a.key != "" && a.key != "[]" {
		found = append(found, a.relocations()...)
	}
	slices.SortStableFunc(found, func(x, y *resolution) int {
		return cmp.Or(cmp.Compare(y.score, x.score), x.from.Distance()-y.from.Distance())
	})
	found = slices.DeleteFunc(found, func(r *resolution) bool { return r.score < plausibleScore })
	if len(found) > 1 {
		if rival := a.rival(found); rival != nil {
			found[0].doubts = append(found[0].doubts, fmt.Sprintf("%s and %s could both stand for %s", found[0].where(), rival.where(), a.label()))
		}
	}
	return found
}

// rival is another explanation that is nearly as good as the best, nil if there is none.
func (a *anomaly) rival(found []*resolution) *resolution {
	for _, other := range found[1:] {
		if a.keptName(found[0]) && !a.keptName(other) && a.belongsToAnother(other) {
			continue
		}
		if other.score > found[0].score-clearMargin && (other.moved != found[0].moved || !slices.Equal(other.from.Path, found[0].from.Path) || other.from.Up != found[0].from.Up) {
			return other
		}
	}
	return nil
}

// keptName says that the value only moved: it has the name that it had.
func (a *anomaly) keptName(r *resolution) bool {
	return r.moved && len(r.from.Path) > 0 && r.from.Path[len(r.from.Path)-1] == a.key
}

// belongsToAnother says that a place bears the name of another member of the old object:
// both moved there.
func (a *anomaly) belongsToAnother(r *resolution) bool {
	return r.moved && len(r.from.Path) > 0 && slices.Contains(payload.KeysOf(objectsOf(a.oldInstances())), r.from.Path[len(r.from.Path)-1])
}

// label is the anomaly's field as people would call it.
func (a *anomaly) label() string {
	switch {
	case a.key == "[]" && len(a.path) > 0:
		return a.path[len(a.path)-1]
	case a.key == "[]" || a.key == "":
		if a.group.kind == "input" {
			return "input"
		}
		return "the answer"
	}
	return a.key
}

// where names the place of the value for people.
func (r *resolution) where() string {
	if !r.moved {
		if r.convert != nil {
			return r.anomaly.label() + " " + r.convert.says
		}
		return r.anomaly.label()
	}
	if len(r.from.Path) == 0 {
		return r.convert.says
	}
	name := strings.ReplaceAll(strings.Join(r.from.Path, "."), ".[0]", "[0]")
	if r.convert != nil && r.convert.name != "" {
		return name + " (" + r.convert.says + ")"
	}
	return name
}

// describe says in one line what the resolution does.
func (r *resolution) describe() string {
	switch {
	case r.mask && r.fallback == "":
		return "null entries of " + r.anomaly.label() + " are left out"
	case r.mask:
		return "a missing " + r.anomaly.label() + " counts as " + fallbackName(r.fallback)
	case r.moved:
		return r.anomaly.label() + " is read from " + r.where() + " where it is missing"
	}
	return r.anomaly.label() + " is read " + r.convert.says
}

func fallbackName(text string) string {
	switch text {
	case "[]":
		return "an empty list"
	case "''":
		return "empty"
	case "({})":
		return "an empty object"
	}
	return text
}

// relocations looks for the value elsewhere: where the payloads as a whole say that it went, else under another name, deeper,
// or further out.
func (a *anomaly) relocations() []*resolution {
	if a.before.Seen == 0 {
		return nil
	}
	old := a.oldInstances()
	found := a.inferred(old)
	inferred := len(found) > 0
	for _, place := range a.locations() {
		if r := a.relocate(place, old, inferred); r != nil {
			found = append(found, r)
		}
	}
	return found
}

// oldInstances are objects of the earlier payloads at the anomaly's path, some of each.
func (a *anomaly) oldInstances() []payload.Instance {
	var old []payload.Instance
	for _, value := range a.group.before {
		places := payload.Instances(value, a.oldPath)
		old = append(old, places[:min(len(places), maxLookedAt)]...)
	}
	return old
}

// vanished are the keys that the object had and has no more.
func (a *anomaly) vanished(old []payload.Instance) []string {
	was, is := objectsOf(old), objectsOf(a.lacking)
	now := payload.KeysOf(is)
	return slices.DeleteFunc(payload.KeysOf(was), func(key string) bool { return slices.Contains(now, key) })
}

func objectsOf(places []payload.Instance) []*orderedjson.Object {
	var objects []*orderedjson.Object
	for _, place := range places {
		if o, ok := place.Value().(*orderedjson.Object); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

// Bounds of the search for a moved value.
const (
	maxDown     = 4
	maxUp       = 4
	maxPlaces   = 400
	maxLookedAt = 200
)

// locations lists where values are around the objects that lack the key.
func (a *anomaly) locations() []payload.Location {
	var places []payload.Location
	seen := map[string]bool{}
	add := func(l payload.Location) {
		id := fmt.Sprint(l.Up, l.Path)
		if !seen[id] && len(places) < maxPlaces {
			seen[id] = true
			places = append(places, l)
		}
	}
	for i, place := range a.lacking {
		if i >= 50 {
			break
		}
		walkDown(place.Value(), nil, maxDown, true, func(path []string) {
			if !slices.Equal(path, []string{a.key}) && (len(path) < 1 || path[0] != a.key || len(path) > 1) {
				add(payload.Location{Path: path})
			}
		})
		for up := 1; up <= maxUp && up < len(place.Chain); up++ {
			outer, ok := place.Chain[len(place.Chain)-1-up].(*orderedjson.Object)
			if !ok {
				continue
			}
			from := place.Path[len(place.Path)-up]
			walkDown(outer, nil, maxDown-1, false, func(path []string) {
				if path[0] != from {
					add(payload.Location{Up: up, Path: path})
				}
			})
		}
	}
	return places
}

func walkDown(value any, path []string, depth int, lists bool, visit func([]string)) {
	if depth == 0 {
		return
	}
	switch v := value.(type) {
	case *orderedjson.Object:
		for _, key := range v.Keys {
			next := append(slices.Clip(path), key)
			visit(next)
			walkDown(v.Fields[key], next, depth-1, lists, visit)
		}
	case []any:
		if lists && len(path) > 0 && len(v) > 0 {
			next := append(slices.Clip(path), "[0]")
			visit(next)
			walkDown(v[0], next, depth, lists, visit)
		}
	}
}

// relocate judges a place that no explanation of the payloads as a whole names: in a list, outside of a list, where only
// some of the objects have it, or where the same value always was. Nil if the value cannot have come to be there.
func (a *anomaly) relocate(place payload.Location, old []payload.Instance, inferred bool) *resolution {
	alias, taken := a.wasThere(place, old)
	if !alias && (taken || inferred) {
		return nil
	}
	after, coverage := a.standing(place)
	name := a.likeness(place)
	if coverage < 0.5 || name < 0.3 && !alias {
		return nil
	}
	r, e := a.resolve(place, after)
	if e.Fit < payload.Implausible && !alias || a.before.Kind() == "boolean" && name < 0.6 && !alias {
		return nil
	}
	r.score = 0.55*name + 0.45*e.Fit
	if place.Up == 0 && len(place.Path) == 1 && len(a.having) > 0 && !slices.ContainsFunc(a.having, func(one payload.Instance) bool { return payload.KindOf(place.Find(one)) != "undefined" }) {
		r.score += 0.08 // either one or the other
	}
	if e.Strong {
		r.score = max(r.score, 0.74+0.2*name)
	}
	if alias {
		r.template, r.score = "alias/1", max(r.score, 0.86)
	}
	r.score -= 0.03 * float64(place.Distance()-1)
	r.score = min(1, r.score*(0.6+0.4*coverage))
	if !alias {
		r.doubts = append(r.doubts, a.namingDoubts(place, e, false)...)
	}
	if longest := a.longestList(place); longest > 1 {
		r.doubts = append(r.doubts, fmt.Sprintf("%s is in a list of up to %d: the first may not be the one meant", place.Path[len(place.Path)-1], longest))
	}
	return r
}

// standing is what stands at a place of the objects that lack the key, and in how many of them something does.
func (a *anomaly) standing(place payload.Location) (after *payload.Profile, coverage float64) {
	var values []any
	for _, lacking := range a.lacking[:min(len(a.lacking), maxLookedAt)] {
		if value := place.Find(lacking); payload.KindOf(value) != "undefined" {
			values = append(values, value)
		}
	}
	return payload.ProfileOf(values), float64(len(values)) / float64(min(len(a.lacking), maxLookedAt))
}

// resolve reads the value from a place, converted where that fits better, and says how well it fits.
func (a *anomaly) resolve(place payload.Location, after *payload.Profile) (*resolution, payload.Match) {
	r := &resolution{anomaly: a, from: place, moved: true, template: "moved/1"}
	if place.Up == 0 && len(place.Path) == 1 {
		r.template = "renamed/1"
	}
	e := payload.Match{}
	if after.Seen == 0 || a.before.Kinds[after.Kind()] > 0 {
		e = payload.Compare(a.before, after, strings.Join(place.Path, "."))
		if a.likeness(place) >= 0.75 && !payload.ClosedSet(a.before.Texts) {
			// So few constants were seen that new ones are no surprise under nearly the same name.
			e.Doubts = slices.DeleteFunc(e.Doubts, func(doubt string) bool { return strings.HasPrefix(doubt, "none of the values") })
		}
	}
	if c := a.conversionFor(after, place); c != nil && e.Fit < 0.6 && 0.75*c.fit > e.Fit {
		r.convert, e = c, payload.Match{Fit: 0.75 * c.fit, Doubts: c.doubts}
	}
	r.doubts = slices.Clone(e.Doubts)
	return r, e
}

// inferred are the places where the value stands now by what the payloads show as a whole: of the object that lacks it, or
// of one around it.
func (a *anomaly) inferred(old []payload.Instance) []*resolution {
	for up := 0; up <= min(maxUp, len(a.path), len(a.oldPath)); up++ {
		member := append(slices.Clone(a.oldPath[len(a.oldPath)-up:]), a.key)
		if slices.Contains(member, "[]") {
			break
		}
		around := func(places []payload.Instance) (objects []any) {
			for _, place := range places[:min(len(places), maxLookedAt)] {
				objects = append(objects, place.Chain[len(place.Chain)-1-up])
			}
			return objects
		}
		var found []*resolution
		ways := migration.Infer(a.group.keys, around(old), around(a.lacking))
		for _, way := range ways {
			to, score, alone, ok := way.To(member)
			if !ok || len(to) == 0 {
				continue
			}
			place := payload.Location{Up: up, Path: to}
			after, _ := a.standing(place)
			r, e := a.resolve(place, after)
			alone = e.Fit >= 0.8 && (alone || len(ways) == 1 && a.before.Kind() == "array")
			r.doubts = append(r.doubts, a.namingDoubts(place, e, alone)...)
			if r.score = score; alone || e.Strong { // the same values are all that speaks for it, and enough
				r.score = max(score, 0.7)
			}
			if r.score < clearScore {
				r.doubts = append(r.doubts, fmt.Sprintf("only that %s came when %s went speaks for it", strings.Join(to, "."), a.key))
			}
			found = append(found, r)
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func (a *anomaly) conversionFor(after *payload.Profile, place payload.Location) *conversion {
	for _, c := range conversions(a.before, after, strings.Join(place.Path, ".")) {
		// A conversion of inner members belongs to their own places.
		if !strings.HasPrefix(c.name, "inside") && c.inner == nil && c.name != "stringify" {
			return c
		}
	}
	return nil
}

// longestList is how long the lists on the way to a place are.
func (a *anomaly) longestList(place payload.Location) int {
	longest := 0
	for i, part := range place.Path {
		for _, lacking := range a.lacking[:min(len(a.lacking), maxLookedAt)] {
			if list, ok := (payload.Location{Up: place.Up, Path: place.Path[:i]}).Find(lacking).([]any); ok && part == "[0]" {
				longest = max(longest, len(list))
			}
		}
	}
	return longest
}

// wasThere says that earlier payloads had something at a place; alias, that it was always
// the same as the field itself.
func (a *anomaly) wasThere(place payload.Location, old []payload.Instance) (alias, taken bool) {
	same, telling := 0, true
	distinct := map[string]bool{}
	for _, one := range slices.Concat(old, a.having) {
		other := place.Find(one)
		if _, gone := other.(payload.Absent); gone {
			continue
		}
		taken = true
		mine := payload.Property(one.Value(), a.key)
		if _, gone := mine.(payload.Absent); gone {
			continue
		}
		if !payload.Equal(mine, other) {
			return false, true
		}
		same++
		distinct[fmt.Sprint(mine)] = true
		if text, ok := mine.(string); !ok || len(text) < 3 {
			telling = false
		}
	}
	// Two texts are rarely equal by chance; two numbers are, total and subtotal for one.
	enough := 6
	switch {
	case telling && a.likeness(place) >= 0.3:
		enough = 2
	case telling:
		enough = 3
	}
	return same >= enough && len(distinct) >= min(enough, 4), taken
}

// likeness is how much the name of a place sounds like the anomaly's field.
func (a *anomaly) likeness(place payload.Location) float64 {
	mine := payload.Words(a.key)
	var steps []string
	for _, step := range place.Path {
		if step != "[0]" {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	last := steps[len(steps)-1]
	var all, telling []string
	for i, step := range steps {
		all = append(all, payload.Words(step)...)
		if i == len(steps)-1 || !payload.Wrappers[payload.Squeeze(step)] {
			telling = append(telling, payload.Words(step)...)
		}
	}
	best := max(payload.Likeness(mine, telling), payload.Likeness(mine, all))
	outer := ""
	if len(a.path) > 0 {
		outer = a.path[len(a.path)-1]
	}
	if outer != "" && outer != "[]" {
		qualified := append(payload.Words(outer), mine...)
		best = max(best, payload.Likeness(qualified, all))
	}
	if len(steps) > 1 {
		// The same name below an object with a name of its own: likely for telling names,
		// chance for such as id or name.
		same := payload.Likeness(mine, payload.Words(last))
		switch {
		case strings.HasPrefix(payload.Squeeze(steps[len(steps)-2]), payload.Squeeze(a.key)): // time_details.time
			same *= 0.92
		case weakName(mine):
			same *= 0.6
		default:
			same *= 0.88
		}
		best = max(best, same)
	}
	if place.Up > 0 {
		best *= 0.95
	}
	return best
}

func weakName(name []string) bool {
	return !slices.ContainsFunc(name, func(word string) bool {
		return !payload.Weak[word] && word != "title" && word != "text" && word != "status"
	})
}

// namingDoubts are reasons in the names to think that the meaning changed.
func (a *anomaly) namingDoubts(place payload.Location, e payload.Match, paired bool) []string {
	steps := slices.DeleteFunc(slices.Clone(place.Path), func(step string) bool { return step == "[0]" })
	return payload.NamingDoubts(append(slices.Clone(a.path), a.key), steps, a.before, e, paired, func() bool { return a.movedAlone(place) })
}

// movedAlone says that no other key that vanished from the object went to the same place.
func (a *anomaly) movedAlone(place payload.Location) bool {
	holder := payload.Location{Up: place.Up, Path: place.Path[:len(place.Path)-1]}
	vanished := a.vanished(a.oldInstances())
	moved := 0
	for _, key := range vanished {
		for _, lacking := range a.lacking[:min(len(a.lacking), maxLookedAt)] {
			inner, ok := holder.Find(lacking).(*orderedjson.Object)
			if !ok {
				continue
			}
			if slices.ContainsFunc(inner.Keys, func(other string) bool { return payload.Likeness(payload.Words(key), payload.Words(other)) >= 0.8 }) {
				moved++
				break
			}
		}
	}
	return moved < 2
}

// shift says that below the new place is what was below the old one.
func (r *resolution) shift() (shift, bool) {
	a := r.anomaly
	if r.mask || a.key == "[]" && r.convert == nil || r.moved && len(r.from.Path) == 0 {
		return shift{}, false
	}
	from, to := slices.Clone(a.oldPath), slices.Clone(a.path)
	if r.moved {
		to = slices.Clone(a.path[:len(a.path)-r.from.Up])
		for _, part := range r.from.Path {
			if part == "[0]" {
				part = "[]"
			}
			to = append(to, part)
		}
		from = append(from, a.key)
	} else if a.key != "" && a.key != "[]" {
		from, to = append(from, a.key), append(to, a.key)
	}
	if r.convert != nil {
		to = append(to, r.convert.inner...)
	}
	return shift{group: a.group.id(), from: from, to: to}, true
}
