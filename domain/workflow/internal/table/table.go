// Package table is a map that is a value: putting an entry leaves every earlier copy as it was.
package table

import "maps"

// Table maps keys to values. The zero Table is empty. It keeps small immutable levels
// of doubling size instead of one map, so that putting n entries costs O(n log n)
// and not the O(n²) of copying one map each time.
type Table[V any] struct {
	levels []map[string]V // newest first; immutable
}

// levelSize is how many entries the newest level takes before it is merged into an older one.
const levelSize = 32

// Get returns the value of a key.
func (t Table[V]) Get(key string) (V, bool) {
	for _, level := range t.levels {
		if value, there := level[key]; there {
			return value, true
		}
	}
	var zero V
	return zero, false
}

// Put returns a Table that also has this entry.
func (t Table[V]) Put(key string, value V) Table[V] {
	if len(t.levels) == 0 {
		return Table[V]{levels: []map[string]V{{key: value}}}
	}
	newest, older := t.levels[0], t.levels[1:]
	if len(newest) < levelSize {
		newest = maps.Clone(newest)
		newest[key] = value
		return Table[V]{levels: append([]map[string]V{newest}, older...)}
	}
	merged := newest
	for len(older) > 0 && len(older[0]) < 2*len(merged) {
		both := make(map[string]V, len(older[0])+len(merged))
		maps.Copy(both, older[0])
		maps.Copy(both, merged)
		merged, older = both, older[1:]
	}
	return Table[V]{levels: append([]map[string]V{{key: value}, merged}, older...)}
}
