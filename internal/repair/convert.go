package repair

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// conversion turns a value of the new kind into one of the old kind. In both texts $ is the value.
type conversion struct {
	name   string
	test   string // is true for values of the new kind only
	result string
	says   string // for people: "as a number"
	// inner is the way from the new value to what the old one was, if it is inside.
	inner  []string
	fit    float64
	doubts []string
}

// on writes the conversion of an expression that may still have a value of the old kind.
func (c *conversion) on(expression string, twice bool) string {
	body := strings.ReplaceAll(c.test, "$", "v") + " ? " + strings.ReplaceAll(c.result, "$", "v") + " : v"
	if !twice {
		return "((v) => (" + body + "))(" + expression + ")"
	}
	return "(" + strings.ReplaceAll(c.test, "$", expression) + " ? " + strings.ReplaceAll(c.result, "$", expression) + " : " + expression + ")"
}

// always writes the conversion of an expression that has a value of the new kind, or none.
func (c *conversion) always(expression string, twice bool) string {
	if twice || strings.Count(c.result, "$") == 1 {
		return strings.ReplaceAll(c.result, "$", expression)
	}
	return "((v) => (" + strings.ReplaceAll(c.result, "$", "v") + "))(" + expression + ")"
}

// conversions lists ways from the new values to the old kind, best first. None is needed
// if the first has an empty name.
func conversions(before, after *payload.Profile, name string) []*conversion {
	var found []*conversion
	add := func(c *conversion) {
		if c != nil {
			found = append(found, c)
		}
	}
	if other := after.Without(before); other != nil {
		after = other // only some values are of another kind
	}
	kind := after.Kind()
	switch {
	case kind == "" || before.Seen == 0:
		return nil
	case before.Kinds[kind] > 0:
		add(sameKind(before, after, kind))
	case kind == "string":
		add(fromText(before, after, name))
	case kind == "number" && before.Kind() == "array":
		add(intoList(before, after))
	case kind == "array":
		add(fromList(before, after, name))
	case kind == "object":
		found = append(found, fromObject(before, after, name)...)
	}
	slices.SortStableFunc(found, func(a, b *conversion) int { return cmp.Compare(b.fit, a.fit) })
	return found
}

// sameKind converts values that changed their format but not their type.
func sameKind(before, after *payload.Profile, kind string) *conversion {
	switch kind {
	case "string":
		return textChange(before.Texts, after.Texts)
	case "object":
		if key, mark := enveloped(before.Objects, after.Objects); key != "" {
			return &conversion{
				name: "in " + key, test: "$" + script.SafeChain(key) + " !== undefined && $" + script.Chain(mark) + " === undefined",
				result: "$" + script.Chain(key), says: "from its " + key, fit: 0.9, inner: []string{key},
			}
		}
	}
	return nil
}

// enveloped finds the one member that holds what the whole object was before, and a member
// of old that tells the two apart. Empty if there is none.
func enveloped(old, now []*orderedjson.Object) (key, mark string) {
	always := slices.DeleteFunc(payload.KeysOf(old), func(key string) bool {
		return slices.ContainsFunc(old, func(o *orderedjson.Object) bool { _, has := o.Fields[key]; return !has })
	})
	share := func(objects []*orderedjson.Object) float64 {
		kept := 0
		for _, key := range always {
			if !slices.ContainsFunc(objects, func(o *orderedjson.Object) bool { _, has := o.Fields[key]; return !has }) {
				kept++
			}
		}
		return float64(kept) / float64(max(1, len(always)))
	}
	if len(always) == 0 || share(now) > 0.25 {
		return "", ""
	}
	for _, candidate := range payload.KeysOf(now) {
		var inner []*orderedjson.Object
		for _, o := range now {
			if found, ok := o.Fields[candidate].(*orderedjson.Object); ok {
				inner = append(inner, found)
			}
		}
		if len(inner) == len(now) && share(inner) >= 0.75 {
			at := slices.IndexFunc(always, func(key string) bool { return !slices.Contains(payload.KeysOf(now), key) })
			if at < 0 {
				return "", ""
			}
			return candidate, always[at]
		}
	}
	return "", ""
}

func fromText(before, after *payload.Profile, name string) *conversion {
	isText := "typeof $ === 'string'"
	switch isJSON := after.Format() == payload.FormatJSON; before.Kind() {
	case "number":
		numbers, ok := parseNumbers(after.Texts)
		if !ok || payload.EpochUnit(before.Numbers) != "" && payload.EpochUnit(before.Numbers) != payload.EpochUnit(numbers) {
			return nil
		}
		return &conversion{name: "number", test: isText, result: "Number($)", says: "as a number", fit: 0.9, doubts: payload.CompareNumbers(before.Numbers, numbers, name).Doubts}
	case "object", "array":
		if isJSON {
			return &conversion{name: "parse", test: isText, result: "JSON.parse($)", says: "parsed from JSON text", fit: 0.9}
		}
		if before.Kind() == "array" {
			return intoList(before, after)
		}
	}
	return nil
}

func parseNumbers(texts []string) ([]float64, bool) {
	var numbers []float64
	for _, text := range texts {
		var n float64
		if json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(text), "+")), &n) != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers, len(numbers) > 0
}

// intoList makes the list that a single value now stands for.
func intoList(before, after *payload.Profile) *conversion {
	elements := payload.ProfileOf(before.Elements())
	if after.Kind() == "string" && elements.Kind() == "string" {
		return &conversion{
			name: "split", test: "typeof $ === 'string'", result: "($ ? $.split(/\\s*,\\s*/) : [])", says: "split at commas", fit: 0.8,
		}
	}
	e := payload.Compare(elements, after, "the value")
	if elements.Seen == 0 || elements.Kinds[after.Kind()] == 0 || e.Fit < 0.5 {
		return nil
	}
	return &conversion{name: "list of one", test: "!Array.isArray($)", result: "[$]", says: "as a list of one", fit: 0.8 * e.Fit, doubts: e.Doubts}
}

func fromList(before, after *payload.Profile, name string) *conversion {
	isList := "Array.isArray($)"
	elements := payload.ProfileOf(after.Elements())
	longest := 0
	for _, list := range after.Lists {
		longest = max(longest, len(list))
	}
	if before.Kind() == "string" && elements.Kind() == "string" {
		for _, comma := range []string{", ", ","} {
			if slices.ContainsFunc(before.Texts, func(t string) bool { return strings.Contains(t, comma) }) {
				return &conversion{name: "join", test: isList, result: "$.join('" + comma + "')", says: "joined with commas", fit: 0.85}
			}
		}
		if before.Format() == payload.FormatJSON {
			return &conversion{name: "stringify", test: isList, result: "JSON.stringify($)", says: "as JSON text", fit: 0.85}
		}
	}
	if before.Format() == payload.FormatJSON && before.Kind() == "string" {
		return &conversion{name: "stringify", test: isList, result: "JSON.stringify($)", says: "as JSON text", fit: 0.85}
	}
	if before.Kind() == "string" && elements.Kind() == "object" {
		return fromParts(before, elements, name, longest)
	}
	return nil
}

// fromParts makes a text out of a list of objects that each hold a part of it.
func fromParts(before, elements *payload.Profile, name string, longest int) *conversion {
	for _, inside := range fromObject(before, elements, name) {
		part := strings.TrimPrefix(inside.name, "inside ")
		if part == inside.name {
			continue
		}
		read := strings.Replace(inside.result, "$", "e", 1)
		c := &conversion{name: "parts", test: "Array.isArray($)", says: "from the " + part + " of its parts", fit: inside.fit, doubts: inside.doubts}
		c.result = "$.map((e) => " + read + " ?? '').join('')"
		inLanguages := slices.ContainsFunc(payload.KeysOf(elements.Objects), func(key string) bool { return strings.HasPrefix(key, "lang") || key == "locale" })
		if longest > 1 && (inLanguages || part != "text" && part != "content" && part != "plain_text") {
			c.doubts = append(c.doubts, fmt.Sprintf("%s is now a list of up to %d", name, longest))
		}
		return c
	}
	return nil
}

func fromObject(before, after *payload.Profile, name string) []*conversion {
	isObject := "$ !== null && typeof $ === 'object'"
	var found []*conversion
	if before.Kind() == "array" {
		isNoList := "$ != null && !Array.isArray($)" // what is missing is missing as before
		if c := listInside(before, after, name); c != nil {
			c.test = isNoList
			found = append(found, c)
		}
		if elements := payload.ProfileOf(before.Elements()); elements.Kind() == "object" {
			if fit := payload.CompareKeys(elements.Objects, after.Objects); fit >= 0.55 {
				found = append(found, &conversion{name: "list of one", test: isNoList, result: "[$]", says: "as a list of one", fit: 0.85 * fit})
			}
			var values []*orderedjson.Object
			all := true
			for _, one := range after.Objects {
				for _, key := range one.Keys {
					inner, ok := one.Fields[key].(*orderedjson.Object)
					all = all && ok
					if ok {
						values = append(values, inner)
					}
				}
			}
			if fit := payload.CompareKeys(elements.Objects, values); all && len(values) > 0 && fit >= 0.55 {
				found = append(found, &conversion{name: "values", test: isNoList, result: "Object.values($)", says: "as the values of an object", fit: 0.85 * fit})
			}
		}
		return found
	}
	type inside struct {
		path []string
		e    payload.Match
		like float64
	}
	var places []inside
	for _, path := range pathsInside(after.Objects, 3) {
		var values []any
		for _, one := range after.Objects {
			var value any = one
			for _, part := range path {
				value = payload.Property(value, part)
			}
			values = append(values, value)
		}
		p := payload.ProfileOf(values)
		if p.Seen+p.Nulls < len(after.Objects) || before.Kinds[p.Kind()] == 0 {
			continue
		}
		e := payload.Compare(before, p, name)
		if e.Fit < 0.4 {
			continue
		}
		like := max(payload.Likeness(payload.Words(name), payload.Words(path[len(path)-1])), naming(path[len(path)-1]))
		places = append(places, inside{path, e, like})
	}
	rank := func(p inside) float64 {
		score := 0.5*p.e.Fit + 0.5*p.like - 0.05*float64(len(p.path)-1)
		if p.e.Strong {
			score = max(score, 0.85)
		}
		return score
	}
	slices.SortStableFunc(places, func(a, b inside) int {
		switch {
		case rank(a) > rank(b):
			return -1
		case rank(a) < rank(b):
			return 1
		}
		return 0
	})
	for i, p := range places {
		if i == 2 {
			break
		}
		c := &conversion{
			name: "inside " + strings.Join(p.path, "."), test: isObject, result: "$" + script.SafeChain(p.path...),
			says: "from its " + strings.Join(p.path, "."), fit: rank(p), doubts: p.e.Doubts,
		}
		if i == 0 && len(places) > 1 && rank(places[1]) > rank(p)-0.1 {
			c.doubts = append(c.doubts, "both "+strings.Join(p.path, ".")+" and "+strings.Join(places[1].path, ".")+" could stand for "+name)
		}
		found = append(found, c)
	}
	if before.Kind() == "string" && before.Format() == payload.FormatJSON && len(found) == 0 {
		found = append(found, &conversion{name: "stringify", test: isObject, result: "JSON.stringify($)", says: "as JSON text", fit: 0.85})
	}
	return found
}

// naming is how much a key inside an object that replaced a plain value sounds like that value.
func naming(key string) float64 {
	switch strings.ToLower(key) {
	case "value", "name", "text", "amount", "display_name", "displayname", "login", "content", "raw", "rendered", "plain_text", "label", "total":
		return 0.8
	case "id", "title", "key", "code", "count", "href", "url":
		return 0.6
	}
	return 0.1
}

// listInside finds the list of the old elements inside the object that replaced it.
func listInside(before, after *payload.Profile, name string) *conversion {
	elements := payload.ProfileOf(before.Elements())
	var best []string
	fit, rival := 0.0, 0.0
	for _, path := range pathsInside(after.Objects, 2) {
		var lists []any
		for _, one := range after.Objects {
			var value any = one
			for _, part := range path {
				value = payload.Property(value, part)
			}
			if list, ok := value.([]any); ok {
				lists = append(lists, list)
			}
		}
		if len(lists) < len(after.Objects) {
			continue
		}
		inner := payload.ProfileOf(payload.ProfileOf(lists).Elements())
		score := 0.5
		if inner.Seen > 0 && elements.Seen > 0 {
			if inner.Kind() != elements.Kind() {
				continue
			}
			score = payload.Compare(elements, inner, name).Fit
		}
		score -= 0.05 * float64(len(path)-1)
		switch {
		case score > fit:
			best, fit, rival = path, score, fit
		case score > rival:
			rival = score
		}
	}
	if best == nil || fit < 0.45 {
		return nil
	}
	c := &conversion{
		name: "list in " + strings.Join(best, "."), result: "$" + script.Chain(best...), says: "from the list in its " + strings.Join(best, "."), fit: max(fit, 0.75), inner: best,
	}
	if rival > fit-0.15 && rival >= 0.45 {
		c.fit = fit
		c.doubts = append(c.doubts, "the object that replaced the list "+name+" holds several lists")
	}
	return c
}

// pathsInside lists the key paths inside objects, breadth first.
func pathsInside(objects []*orderedjson.Object, depth int) [][]string {
	var paths [][]string
	level := objects
	prefix := [][]string{nil}
	for range depth {
		var next [][]string
		for _, path := range prefix {
			var here []*orderedjson.Object
			for _, one := range level {
				var value any = one
				for _, part := range path {
					value = payload.Property(value, part)
				}
				if inner, ok := value.(*orderedjson.Object); ok {
					here = append(here, inner)
				}
			}
			for _, key := range payload.KeysOf(here) {
				next = append(next, append(slices.Clone(path), key))
			}
		}
		paths = append(paths, next...)
		prefix = next
	}
	return paths
}
