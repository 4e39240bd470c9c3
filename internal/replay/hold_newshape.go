package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// missedNewShape holds a fix that looks past a change: an object that the failing run was
// given lost a member that the script reads and that every recorded object at this place had,
// gained one that no recorded object had, and the fix reads none of those that are new. What
// the script wants is then likely to be there, under another name.
func missedNewShape(_ context.Context, q *inquiry) ([]string, error) {
	if q.gate.old == nil || len(q.successes) == 0 {
		return nil, nil
	}
	recorded := map[string]*members{}
	for i := range q.successes {
		for _, a := range q.successes[i].answered() {
			collectMembers(a.source, a.value, recorded)
		}
	}
	now := map[string]*members{}
	for _, a := range q.failing.answered() {
		collectMembers(a.source, a.value, now)
	}
	var found []string
	for _, path := range slices.Sorted(maps.Keys(now)) {
		before := recorded[path]
		if before == nil || before.objects == 0 {
			continue
		}
		lost := q.lostMembers(before, now[path])
		gained := now[path].notIn(before)
		if len(lost) == 0 || len(gained) == 0 || slices.ContainsFunc(gained, q.reads) {
			continue
		}
		found = append(found, fmt.Sprintf("new shape ignored: %s has %s in place of %s, and the fix does not read it",
			path, strings.Join(gained, ", "), strings.Join(lost, ", ")))
	}
	return found, nil
}

// reads says that the candidate spells a member's name.
func (q *inquiry) reads(member string) bool { return q.candidate.words[member] > 0 }

// lostMembers are the members that every recorded object had, that the old code reads, and
// that some object of the failing run does not have.
func (q *inquiry) lostMembers(before, now *members) []string {
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(before.count)) {
		if before.count[name] == before.objects && now.count[name] < now.objects && q.gate.old.words[name] > 0 {
			lost = append(lost, name)
		}
	}
	return lost
}

// members counts the members of the objects at one place.
type members struct {
	objects int
	count   map[string]int // of members that are not null
}

// notIn are members that no object before had.
func (m *members) notIn(before *members) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m.count)) {
		if _, known := before.count[name]; !known {
			names = append(names, name)
		}
	}
	return names
}

// collectMembers visits all objects in a value. Items share the path of their array with [*].
func collectMembers(path string, value any, into map[string]*members) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			collectMembers(path+"[*]", item, into)
		}
	case map[string]any:
		at := into[path]
		if at == nil {
			at = &members{count: map[string]int{}}
			into[path] = at
		}
		at.objects++
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if v[key] != nil {
				at.count[key]++
			}
			collectMembers(path+memberPath(key), v[key], into)
		}
	}
}
