// Package kept remembers what was used last, for caches that are never emptied otherwise.
package kept

import (
	"container/list"
	"sync"
)

// Newest keeps the values of the keys that were used last. It is safe for concurrent use.
type Newest[K comparable, V any] struct {
	most int

	mu    sync.Mutex
	byKey map[K]*list.Element
	used  list.List // of entries, the one that was used last in front
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns one that keeps at most so many values, at least one.
func New[K comparable, V any](most int) *Newest[K, V] {
	return &Newest[K, V]{most: most, byKey: map[K]*list.Element{}}
}

// Get is the value of a key, which counts as used.
func (n *Newest[K, V]) Get(key K) (value V, found bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	at, found := n.byKey[key]
	if !found {
		return value, false
	}
	n.used.MoveToFront(at)
	return at.Value.(entry[K, V]).value, true
}

// Put keeps a value, in the place of the one that has not been used for longest if there are too many.
func (n *Newest[K, V]) Put(key K, value V) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget(n.byKey[key])
	if n.used.Len() >= n.most {
		n.forget(n.used.Back())
	}
	n.byKey[key] = n.used.PushFront(entry[K, V]{key, value})
}

// Delete forgets a key.
func (n *Newest[K, V]) Delete(key K) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget(n.byKey[key])
}

func (n *Newest[K, V]) forget(at *list.Element) {
	if at != nil {
		delete(n.byKey, n.used.Remove(at).(entry[K, V]).key)
	}
}
