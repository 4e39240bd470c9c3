// Package persistent has maps that are changed by copying: an earlier state of a fold keeps its own.
package persistent

import "maps"

// With is the map with another value for a key.
func With[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	changed := make(map[K]V, len(m)+1)
	maps.Copy(changed, m)
	changed[key] = value
	return changed
}

// Without is the map without a key.
func Without[K comparable, V any](m map[K]V, key K) map[K]V {
	if _, there := m[key]; !there {
		return m
	}
	changed := maps.Clone(m)
	delete(changed, key)
	return changed
}
