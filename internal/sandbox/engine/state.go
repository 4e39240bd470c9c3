package engine

import (
	"reflect"
)

// State is what a builtin or a library keeps for one run: the zero value of T at first, then always the same one.
func State[T any](r *Run) *T {
	key := reflect.TypeFor[T]()
	if kept, ok := r.states[key].(*T); ok {
		return kept
	}
	if r.states == nil {
		r.states = map[reflect.Type]any{}
	}
	kept := new(T)
	r.states[key] = kept
	return kept
}
