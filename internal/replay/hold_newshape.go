package replay

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
)

// missedNewShape holds a fix that looks past a change: an object that the failing run was
// given lacks a member that the script reads and that every recorded object at this place
// had; it has one that no recorded object had and that looks like the same thing under
// another name; and the mended run reads no such member. What the script wants is then
// likely to be there, and the fix goes on without it.
func missedNewShape(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || len(q.successes) == 0 {
		return nil, nil
	}
	recorded, now := q.places()
	type change struct {
		path, lost string
		gained     []string
	}
	var losses []change
	for _, path := range slices.Sorted(maps.Keys(now)) {
		before := recorded[path]
		if before == nil {
			continue
		}
		for _, lost := range slices.Sorted(maps.Keys(before.values)) {
			if gained := replacements(path, before, now[path], lost); len(gained) > 0 {
				losses = append(losses, change{path, lost, gained})
			}
		}
	}
	if len(losses) == 0 {
		return nil, nil
	}
	wanted, read, err := q.reads(ctx)
	if err != nil || read == nil {
		return nil, err
	}
	var found []string
	for _, l := range losses {
		if !wanted[memberRead(l.path, l.lost)] {
			continue
		}
		if slices.ContainsFunc(l.gained, func(member string) bool { return read[memberRead(l.path, member)] }) {
			continue
		}
		found = append(found, fmt.Sprintf("new shape ignored: %s has %s in place of %s, and the fix does not read it",
			strings.ReplaceAll(l.path, "\n", "."), strings.Join(l.gained, ", "), l.lost))
	}
	return found, nil
}

// reads are the members that the old script reads in recorded runs, and those that the fix reads
// in the mended run; nil if that cannot be told.
func (q *inquiry) reads(ctx context.Context) (wanted, read map[string]bool, err error) {
	if wanted, err = q.gate.oldReads(ctx); err != nil {
		return nil, nil, err
	}
	read, err = q.gate.trace(ctx, q.candidate, &q.gate.subject.Failed, q.outcome)
	return wanted, read, err
}

// place is the objects that were seen at one path.
type place struct {
	objects []map[string]any
	values  map[string][]any // of each member, nulls left out
	named   map[string]bool  // members that are there, even if null
}

// places are the objects that recorded runs were given, and those that the failing run was, by where they stand.
func (q *inquiry) places() (recorded, now map[string]*place) {
	recorded, now = map[string]*place{}, map[string]*place{}
	for i := range q.successes {
		for _, a := range q.successes[i].answered() {
			collectPlaces(a.source, a.value, recorded)
		}
	}
	for _, a := range q.seen.answered() {
		collectPlaces(a.source, a.value, now)
	}
	return recorded, now
}

// collectPlaces visits all objects in a value. Items share the path of their list with [*].
func collectPlaces(path string, value any, into map[string]*place) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			collectPlaces(path+"[*]", item, into)
		}
	case map[string]any:
		at := into[path]
		if at == nil {
			at = &place{values: map[string][]any{}, named: map[string]bool{}}
			into[path] = at
		}
		at.objects = append(at.objects, v)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at.named[key] = true
			if v[key] != nil {
				at.values[key] = append(at.values[key], v[key])
			}
			collectPlaces(memberRead(path, key), v[key], into)
		}
	}
}

// replacements are the members that stand where every recorded object had lost, and that
// look like it.
func replacements(path string, before, now *place, lost string) []string {
	if len(before.values[lost]) != len(before.objects) {
		return nil // it was not always there
	}
	sameName := func(key string) bool { return flatName(key) == flatName(lost) }
	gained := map[string][]any{}
	absent, lacking := 0, 0
	for _, object := range now.objects {
		value, there := object[lost]
		if value != nil {
			continue
		}
		lacking++
		if !there {
			absent++
		}
		for key, value := range object {
			if value != nil && !before.named[key] {
				gained[key] = append(gained[key], value)
			}
		}
	}
	var found []string
	if keys := slices.Collect(maps.Keys(gained)); slices.ContainsFunc(keys, sameName) {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(gained)), func(key string) bool { return !sameName(key) })
	}
	for _, key := range slices.Sorted(maps.Keys(gained)) {
		swapped := !strings.HasSuffix(path, "\nheaders") && absent == len(now.objects) && len(gained) == 1 && len(gained[key]) == lacking
		likely := alike(lost, key) || sameThing(before.values[lost], gained[key])
		if !aboutTheAnswer.MatchString(key) {
			likely = likely || holdsMember(gained[key], lost) || swapped && sameScalars(before.values[lost], gained[key])
		}
		if likely {
			found = append(found, key)
		}
	}
	return found
}

// aboutTheAnswer are members that say something of the answer itself. They appear when a
// list is left out because it is empty, and are not the list.
var aboutTheAnswer = regexp.MustCompile(`(?i)^(errors?|warnings?|messages?|info|details?|meta|links?|paging|pagination|next|previous|prev|cursor|status|code|reason|title|hint|request_?id|trace_?id)$`)

var nameParts = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)

// identifier is what the last word of a name is that tells things apart.
var identifier = regexp.MustCompile(`(?i)^(id|gid|uid|uuid|guid|identifier)$`)

// flatName is a name however it is cased: first_name and firstName are the same.
func flatName(name string) string {
	return strings.ToLower(strings.Join(nameParts.FindAllString(name, -1), ""))
}

// alike says that two names have much in common: one holds the other, they share a word
// that says something, or both are the thing's own id.
func alike(a, b string) bool {
	if identifier.MatchString(a) && identifier.MatchString(b) {
		return true
	}
	x, y := flatName(a), flatName(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) >= 3 && strings.Contains(y, x) {
		return true
	}
	words := map[string]bool{}
	for _, part := range nameParts.FindAllString(a, -1) {
		words[singular(part)] = true
	}
	for _, part := range nameParts.FindAllString(b, -1) {
		if word := singular(part); len(word) >= 4 && words[word] {
			return true
		}
	}
	return false
}

func singular(word string) string { return strings.TrimSuffix(strings.ToLower(word), "s") }

// sameThing says that new values look like the recorded ones: the same texts, or objects
// with many of the same members.
func sameThing(before, now []any) bool {
	known := map[string]bool{}
	keys := map[string]bool{}
	for _, value := range before {
		if text, ok := value.(string); ok && text != "" {
			known[text] = true
		}
		deepKeys(value, keys)
	}
	texts, same := 0, 0
	newKeys := map[string]bool{}
	for _, value := range now {
		if text, ok := value.(string); ok {
			texts++
			if known[text] {
				same++
			}
		}
		deepKeys(value, newKeys)
	}
	if texts > 0 && 2*same >= texts {
		return true
	}
	shared := 0
	for key := range keys {
		if newKeys[key] {
			shared++
		}
	}
	return shared >= 2 && 5*shared >= 2*len(keys)
}

func deepKeys(value any, into map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			deepKeys(item, into)
		}
	case map[string]any:
		for key, member := range v {
			into[key] = true
			deepKeys(member, into)
		}
	}
}

// holdsMember says that the values are objects which have, somewhere, a member of that name.
func holdsMember(values []any, name string) bool {
	keys := map[string]bool{}
	for _, value := range values {
		deepKeys(value, keys)
	}
	return keys[name]
}

// sameScalars says that all values are of one kind that is no object or list.
func sameScalars(before, now []any) bool {
	kind := payload.KindOf(before[0])
	if kind == "object" || kind == "array" {
		return false
	}
	for _, value := range slices.Concat(before, now) {
		if payload.KindOf(value) != kind {
			return false
		}
	}
	return true
}
