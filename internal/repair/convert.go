package repair

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
	"github.com/kintsugi-run/kintsugi/internal/pattern"
	"github.com/kintsugi-run/kintsugi/internal/payload"
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

// reads are the keys that the script reads below a value, with what it found there.
type reads map[string]*payload.Profile

// conversions lists ways from the new values to the old kind, best first. None is needed
// if the first has an empty name.
func conversions(before, after *payload.Profile, name string, below reads) []*conversion {
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
		add(fromText(before, after, name, below))
	case kind == "number":
		add(fromNumber(before, after, name))
		add(intoObject(before, after, below))
		if before.Kind() == "array" {
			add(intoList(before, after))
		}
	case kind == "boolean":
		if before.Kind() == "string" && !slices.ContainsFunc(before.Texts, func(t string) bool { return t != "true" && t != "false" }) {
			add(&conversion{name: "text", test: "typeof $ === 'boolean'", result: "String($)", says: "as text", fit: 0.9})
		}
	case kind == "array":
		add(fromList(before, after, name, below))
		add(intoObject(before, after, below))
	case kind == "object":
		found = append(found, fromObject(before, after, name)...)
	}
	slices.SortStableFunc(found, func(a, b *conversion) int { return cmp.Compare(b.fit, a.fit) })
	return found
}

// sameKind converts values that changed their format but not their type.
func sameKind(before, after *payload.Profile, kind string) *conversion {
	switch kind {
	case "number":
		switch payload.EpochUnit(before.Numbers) + " " + payload.EpochUnit(after.Numbers) {
		case "s ms":
			return &conversion{name: "seconds", test: "$ > 1e11", result: "Math.floor($ / 1000)", says: "in seconds", fit: 0.8}
		case "ms s":
			return &conversion{name: "milliseconds", test: "$ < 1e11", result: "($ * 1000)", says: "in milliseconds", fit: 0.8}
		}
	case "string":
		switch before.Format() + " " + after.Format() {
		case payload.FormatDate + " " + payload.FormatDateTime:
			return &conversion{name: "day", test: "$.length > 10", result: "$.slice(0, 10)", says: "as a day", fit: 0.75}
		case payload.FormatDateTime + " " + payload.FormatHTTPDate:
			if c := isoFormat(before.Texts, "new Date($)"); c != "" {
				return &conversion{name: "iso", test: "!/^\\d{4}-/.test($)", result: c, says: "as an ISO time", fit: 0.8}
			}
		}
		return textChange(before.Texts, after.Texts)
	case "array":
		old, now := payload.ProfileOf(before.Elements()), payload.ProfileOf(after.Elements())
		if old.Seen == 0 || now.Seen == 0 || old.Kinds[now.Kind()] > 0 && now.Kind() != "object" {
			return nil
		}
		return elementwise(old, now, nil)
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
func enveloped(old, now []*ordered.Object) (key, mark string) {
	always := slices.DeleteFunc(payload.KeysOf(old), func(key string) bool {
		return slices.ContainsFunc(old, func(o *ordered.Object) bool { _, has := o.Fields[key]; return !has })
	})
	share := func(objects []*ordered.Object) float64 {
		kept := 0
		for _, key := range always {
			if !slices.ContainsFunc(objects, func(o *ordered.Object) bool { _, has := o.Fields[key]; return !has }) {
				kept++
			}
		}
		return float64(kept) / float64(max(1, len(always)))
	}
	if len(always) == 0 || share(now) > 0.25 {
		return "", ""
	}
	for _, candidate := range payload.KeysOf(now) {
		var inner []*ordered.Object
		for _, o := range now {
			if found, ok := o.Fields[candidate].(*ordered.Object); ok {
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

// elementwise converts lists whose elements changed.
func elementwise(old, now *payload.Profile, below reads) *conversion {
	if now.Kind() == "object" && old.Kind() == "object" {
		if payload.CompareKeys(old.Objects, now.Objects) >= 0.4 {
			return nil
		}
		key, fit := unwrapping(old.Objects, now.Objects)
		if key == "" {
			return nil
		}
		return &conversion{
			name: "unwrap elements", test: "Array.isArray($)", result: "$.map((e) => e" + script.Chain(key) + " ?? e)",
			says: "with its elements taken out of " + key, fit: fit, inner: []string{"[]", key},
		}
	}
	inner := conversions(old, now, "", below)
	if len(inner) == 0 {
		return nil
	}
	c := inner[0]
	return &conversion{
		name: "elements: " + c.name, test: "Array.isArray($)", says: c.says, fit: c.fit, doubts: c.doubts,
		result: "$.map((e) => (" + strings.ReplaceAll(c.test, "$", "e") + " ? " + strings.ReplaceAll(c.result, "$", "e") + " : e))",
	}
}

// unwrapping is the one key below which each new object has what the old object was.
func unwrapping(old, now []*ordered.Object) (key string, fit float64) {
	for _, candidate := range payload.KeysOf(now) {
		var inner []*ordered.Object
		for _, one := range now {
			if found, ok := one.Fields[candidate].(*ordered.Object); ok {
				inner = append(inner, found)
			}
		}
		if len(inner) < len(now) || len(inner) == 0 {
			continue
		}
		if score := payload.CompareKeys(old, inner); score > fit && score >= 0.6 {
			key, fit = candidate, score
		}
	}
	return key, fit
}

func fromText(before, after *payload.Profile, name string, below reads) *conversion {
	isText := "typeof $ === 'string'"
	switch before.Kind() {
	case "number":
		switch format := after.Format(); format {
		case payload.FormatInteger, payload.FormatDecimal, "":
			numbers, ok := parseNumbers(after.Texts)
			if !ok {
				return nil
			}
			e := payload.CompareNumbers(before.Numbers, numbers, name)
			if unit, other := payload.EpochUnit(before.Numbers), payload.EpochUnit(numbers); unit != other && unit != "" {
				return nil
			}
			return &conversion{name: "number", test: isText, result: "Number($)", says: "as a number", fit: 0.9, doubts: e.Doubts}
		case payload.FormatDate, payload.FormatDateTime, payload.FormatHTTPDate:
			var doubts []string
			if format == payload.FormatDateTime && slices.ContainsFunc(after.Texts, func(text string) bool { return !zoned.MatchString(text) }) {
				doubts = append(doubts, "the times of "+name+" do not say in which zone they are")
			}
			switch payload.EpochUnit(before.Numbers) {
			case "s":
				return &conversion{name: "seconds", test: isText, result: "Math.floor(Date.parse($) / 1000)", says: "in seconds", fit: 0.85, doubts: doubts}
			case "ms":
				return &conversion{name: "milliseconds", test: isText, result: "Date.parse($)", says: "in milliseconds", fit: 0.85, doubts: doubts}
			}
		}
	case "boolean":
		if !slices.ContainsFunc(after.Texts, func(t string) bool { return t != "true" && t != "false" }) {
			return &conversion{name: "flag", test: isText, result: "($ === 'true')", says: "as true or false", fit: 0.9}
		}
	case "object":
		if after.Format() == payload.FormatJSON {
			return &conversion{name: "parse", test: isText, result: "JSON.parse($)", says: "parsed from JSON text", fit: 0.9}
		}
		return intoObject(before, after, below)
	case "array":
		if after.Format() == payload.FormatJSON {
			return &conversion{name: "parse", test: isText, result: "JSON.parse($)", says: "parsed from JSON text", fit: 0.9}
		}
		return intoList(before, after)
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

func fromNumber(before, after *payload.Profile, name string) *conversion {
	isNumber := "typeof $ === 'number'"
	if before.Kind() != "string" {
		return nil
	}
	switch before.Format() {
	case payload.FormatDateTime, payload.FormatDate:
		source := map[string]string{"s": "new Date($ * 1000)", "ms": "new Date($)"}[payload.EpochUnit(after.Numbers)]
		if source == "" {
			return nil
		}
		if before.Format() == payload.FormatDate {
			return &conversion{name: "day", test: isNumber, result: source + ".toISOString().slice(0, 10)", says: "as a day", fit: 0.85}
		}
		if result := isoFormat(before.Texts, source); result != "" {
			return &conversion{name: "iso", test: isNumber, result: result, says: "as an ISO time", fit: 0.85}
		}
	case payload.FormatInteger, payload.FormatDecimal:
		numbers, ok := parseNumbers(before.Texts)
		if !ok {
			return nil
		}
		places := decimalPlaces(before.Texts)
		c := &conversion{name: "text", test: isNumber, result: "String($)", says: "as text", fit: 0.85}
		if places > 0 {
			c.result = fmt.Sprintf("$.toFixed(%d)", places)
			if payload.Whole(after.Numbers) && !payload.Whole(numbers) {
				c.doubts = append(c.doubts, "the values of "+name+" are whole numbers now, before they had decimals: perhaps another unit")
			}
		}
		for _, doubt := range payload.CompareNumbers(numbers, after.Numbers, name).Doubts {
			if strings.Contains(doubt, "size") && places > 0 {
				c.doubts = append(c.doubts, doubt)
			}
		}
		return c
	}
	return nil
}

// decimalPlaces is how many decimals all texts have, -1 if they differ.
func decimalPlaces(texts []string) int {
	places := -2
	for _, text := range texts {
		_, decimals, _ := strings.Cut(text, ".")
		if places != -2 && places != len(decimals) {
			return -1
		}
		places = len(decimals)
	}
	return places
}

var (
	zoned      = pattern.New(`(Z|[-+]\d\d:?\d\d)$`)
	isoMillis  = pattern.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	isoSeconds = pattern.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|\+00:00|\+0000)$`)
)

// isoFormat writes a Date as the old texts were written, "" if they follow no known form.
func isoFormat(texts []string, date string) string {
	if !slices.ContainsFunc(texts, func(t string) bool { return !isoMillis.MatchString(t) }) {
		return date + ".toISOString()"
	}
	ending := ""
	for _, text := range texts {
		found := isoSeconds.FindStringSubmatch(text)
		if found == nil || ending != "" && ending != found[1] {
			return ""
		}
		ending = found[1]
	}
	return "(" + date + ".toISOString().slice(0, 19) + '" + ending + "')"
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

// intoObject makes the object that a plain value now stands for, if the script read only
// one thing from that object and the value can be that.
func intoObject(before, after *payload.Profile, below reads) *conversion {
	if before.Kind() != "object" || len(below) != 1 {
		return nil
	}
	for key, inner := range below {
		if inner.Kind() != after.Kind() {
			return nil
		}
		e := payload.Compare(inner, after, key)
		if e.Fit < 0.4 {
			return nil
		}
		test := "typeof $ !== 'object'"
		if after.Kind() == "array" {
			test = "Array.isArray($)"
		}
		return &conversion{
			name: "object of " + key, test: test, result: "{ " + script.QuoteKey(key) + ": $ }",
			says: "as an object with that " + key, fit: 0.85 * max(e.Fit, 0.7), doubts: e.Doubts,
		}
	}
	return nil
}

func fromList(before, after *payload.Profile, name string, below reads) *conversion {
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
	e := payload.Compare(before, elements, name)
	if before.Kind() == "string" && elements.Kind() == "object" {
		return fromParts(before, elements, name, longest)
	}
	if elements.Seen == 0 || e.Fit < 0.5 {
		if c := intoObject(before, after, below); c != nil {
			c.test = isList
			return c
		}
		return keyed(before, after)
	}
	c := &conversion{name: "first", test: isList, result: "$[0]", says: "as the first of its list", fit: 0.85 * max(e.Fit, 0.8), doubts: e.Doubts, inner: []string{"[]"}}
	if longest > 1 {
		c.doubts = append(c.doubts, fmt.Sprintf("%s is now a list of up to %d: the first may not be the one meant", name, longest))
	}
	return c
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

// keyed makes an object by key out of a list, if one field of the elements is the old key.
func keyed(before, after *payload.Profile) *conversion {
	if before.Kind() != "object" {
		return nil
	}
	var values []any
	keys := map[string]bool{}
	for _, one := range before.Objects {
		for _, key := range one.Keys {
			keys[key] = true
			values = append(values, one.Fields[key])
		}
	}
	old, elements := payload.ProfileOf(values), payload.ProfileOf(after.Elements())
	if elements.Kind() != "object" {
		return nil
	}
	for _, field := range payload.KeysOf(elements.Objects) {
		known, total := 0, 0
		for _, element := range elements.Objects {
			text, _ := element.Fields[field].(string)
			total++
			if keys[text] {
				known++
			}
		}
		if known*2 < total || known == 0 {
			continue
		}
		if old.Kind() == "object" && payload.CompareKeys(old.Objects, elements.Objects) >= 0.6 {
			return &conversion{
				name: "by " + field, test: "Array.isArray($)", result: "Object.fromEntries($.map((e) => [e" + script.Chain(field) + ", e]))", says: "by its " + field, fit: 0.8,
			}
		}
		best, fit, rival := "", 0.0, 0.0
		for _, other := range payload.KeysOf(elements.Objects) {
			var theirs []any
			for _, element := range elements.Objects {
				theirs = append(theirs, payload.Property(element, other))
			}
			switch e := payload.Compare(old, payload.ProfileOf(theirs), other); {
			case other == field || e.Fit < 0.5:
			case e.Fit > fit:
				best, fit, rival = other, e.Fit, fit
			case e.Fit > rival:
				rival = e.Fit
			}
		}
		if best != "" && fit > rival {
			return &conversion{
				name: "by " + field, test: "Array.isArray($)", says: "as " + best + " by " + field, fit: 0.8 * max(fit, 0.8),
				result: "Object.fromEntries($.map((e) => [e" + script.Chain(field) + ", e" + script.Chain(best) + "]))",
			}
		}
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
			var values []*ordered.Object
			all := true
			for _, one := range after.Objects {
				for _, key := range one.Keys {
					inner, ok := one.Fields[key].(*ordered.Object)
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
func pathsInside(objects []*ordered.Object, depth int) [][]string {
	var paths [][]string
	level := objects
	prefix := [][]string{nil}
	for range depth {
		var next [][]string
		for _, path := range prefix {
			var here []*ordered.Object
			for _, one := range level {
				var value any = one
				for _, part := range path {
					value = payload.Property(value, part)
				}
				if inner, ok := value.(*ordered.Object); ok {
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
