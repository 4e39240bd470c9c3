package repair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// mask is the resolution that hides an absence: an empty list, an empty text. It is nil
// if there is no value that could stand for nothing.
func (a *anomaly) mask(below []*belowRead) *resolution {
	if a.how != isMissing && a.how != isNull || a.key == "" {
		return nil
	}
	if len(a.having) == 0 && len(a.appearedAround()) > 0 {
		return nil // it may be in what appeared
	}
	r := &resolution{anomaly: a, score: 0.5, mask: true, template: "guard/1", doubts: a.maskDoubts()}
	if a.key == "[]" {
		// Elements that are null: leave them out.
		r.convert = &conversion{name: "null elements", test: "Array.isArray($)", result: "$.filter((e) => e !== null)", says: "without its null entries"}
		return r
	}
	r.fallback = fallbackFor(a.before)
	if r.fallback == "" {
		return nil
	}
	if a.before.Kind() == "object" {
		r.doubts = append(r.doubts, leafDoubts(below, a.how == isMissing && len(a.having) > 0)...)
	} else {
		r.doubts = append(r.doubts, valueDoubts(a.label(), a.before)...)
	}
	return r
}

// maskDoubts are reasons to think that a value is not absent but elsewhere, or that its
// absence means something that only a person can tell.
func (a *anomaly) maskDoubts() []string {
	var doubts []string
	if news := a.appearedAround(); len(news) > 0 {
		doubts = append(doubts, fmt.Sprintf("%s is missing where %s appeared: it may be there", a.label(), strings.Join(news, ", ")))
	}
	if a.how == isMissing && len(a.having) == 0 && a.before.Kind() != "array" {
		doubts = append(doubts, a.label()+" is gone from everything in this payload")
	}
	if a.how == isNull && len(a.having) == 0 {
		doubts = append(doubts, a.label()+" is null everywhere in this payload")
	}
	if a.before.Kind() == "array" && a.key != "[]" {
		doubts = append(doubts, a.listDoubts()...)
	}
	if a.before.Kind() == "array" && a.key != "[]" {
		switch field, n := a.countBeside(); {
		case field == "" && len(doubts) == 0:
			doubts = append(doubts, "nothing says that a missing "+a.label()+" is an empty one")
		case n > 0:
			doubts = append(doubts, fmt.Sprintf("%s is missing although %s says %s", a.label(), field, payload.ShowNumber(n)))
		}
	}
	return doubts
}

// listDoubts are reasons to think that a missing list is not an empty one.
func (a *anomaly) listDoubts() []string {
	var doubts []string
	lengths := map[int]bool{}
	for _, list := range a.before.Lists {
		lengths[len(list)] = true
	}
	switch {
	case lengths[0] && len(a.having) == 0:
		doubts = append(doubts, "an empty "+a.label()+" used to be an empty list, now there is none")
	case slices.Contains(a.path, "[]") && len(a.having) == 0:
		doubts = append(doubts, a.label()+" is gone from everything in this payload")
	}
	if len(lengths) == 1 && !lengths[0] && !lengths[1] && len(a.before.Lists) > 2 {
		doubts = append(doubts, fmt.Sprintf("%s always had %d entries", a.label(), len(a.before.Lists[0])))
	}
	return doubts
}

// appearedAround lists keys that no earlier payload had, on the way from the payload to
// the object that lacks the key.
func (a *anomaly) appearedAround() []string {
	var found []string
	for depth := len(a.path); depth >= 0; depth-- {
		if depth < len(a.path) && a.path[depth] == "[]" {
			continue // the list itself has no keys
		}
		var was, is []*orderedjson.Object
		from := a.path[:depth]
		if depth == len(a.path) {
			from = a.oldPath
		} else if !slices.Equal(a.path, a.oldPath) {
			break
		}
		for _, value := range a.group.before {
			for _, place := range payload.Instances(value, from) {
				if o, ok := place.Value().(*orderedjson.Object); ok {
					was = append(was, o)
				}
			}
		}
		for _, lacking := range a.lacking {
			if o, ok := lacking.Chain[depth].(*orderedjson.Object); ok {
				is = append(is, o)
			}
		}
		old := payload.KeysOf(was)
		for _, key := range payload.KeysOf(is) {
			if !slices.Contains(old, key) && len(found) < 5 {
				found = append(found, strings.Join(append(slices.Clone(a.path[:depth]), key), "."))
			}
		}
	}
	return found
}

// countBeside finds a number in the earlier payloads that always was the list's length,
// and what it is now.
func (a *anomaly) countBeside() (field string, now float64) {
	for up := 0; up <= len(a.oldPath); up++ {
		depth := len(a.oldPath) - up
		var candidates []payload.Location
		for _, value := range a.group.before {
			for _, place := range payload.Instances(value, a.oldPath) {
				if outer, ok := place.Chain[depth].(*orderedjson.Object); ok && candidates == nil {
					walkDown(outer, nil, 2, false, func(path []string) { candidates = append(candidates, payload.Location{Up: up, Path: path}) })
				}
			}
		}
		for _, candidate := range candidates {
			if a.countsList(candidate) {
				for _, lacking := range a.lacking {
					if n, ok := candidate.Find(lacking).(float64); ok {
						return strings.Join(candidate.Path, "."), n
					}
				}
			}
		}
	}
	return "", 0
}

func (a *anomaly) countsList(place payload.Location) bool {
	lengths := map[int]bool{}
	for _, value := range a.group.before {
		for _, one := range payload.Instances(value, a.oldPath) {
			list, ok := payload.Property(one.Value(), a.key).([]any)
			if !ok {
				continue
			}
			n, ok := place.Find(one).(float64)
			if !ok || int(n) != len(list) {
				return false
			}
			lengths[len(list)] = true
		}
	}
	return len(lengths) >= 2
}

// leafDoubts collects the doubts about the values taken out of a missing object: nobody
// knows what the script makes of them. Only of an object that is left out here and there,
// lists may well be empty.
func leafDoubts(below []*belowRead, optional bool) []string {
	var doubts []string
	for _, inner := range below {
		switch inner.values.Kind() {
		case "object":
			doubts = append(doubts, leafDoubts(inner.below, optional)...)
		case "array":
			if !optional {
				doubts = append(doubts, "what a missing "+inner.key+" comes to is not clear")
			}
		default:
			doubts = append(doubts, "what a missing "+inner.key+" comes to is not clear")
		}
	}
	return doubts
}

// valueDoubts: an empty text or list says that there is nothing; a zero says something.
func valueDoubts(name string, before *payload.Profile) []string {
	switch before.Kind() {
	case "number":
		return []string{"a missing " + name + " would count as 0"}
	case "boolean":
		return []string{"a missing " + name + " would count as false"}
	case "string":
		if !slices.Contains(before.Texts, "") {
			return []string{"a missing " + name + " would be empty, which it never was"}
		}
	}
	return nil
}
