// Package lru is a cache that is never emptied and has a bound: the value that was not used for longest makes room.
package lru

import (
	"container/list"
	"sync"
)

// Cache keeps the values of the keys that were used last. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
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
func New[K comparable, V any](most int) *Cache[K, V] {
	return &Cache[K, V]{most: most, byKey: map[K]*list.Element{}}
}

// Get is the value of a key, which counts as used.
func (c *Cache[K, V]) Get(key K) (value V, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, found := c.byKey[key]
	if !found {
		return value, false
	}
	c.used.MoveToFront(at)
	return at.Value.(entry[K, V]).value, true
}

// Put keeps a value, in the place of the one that has not been used for longest if there are too many.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(c.byKey[key])
	if c.used.Len() >= c.most {
		c.forget(c.used.Back())
	}
	c.byKey[key] = c.used.PushFront(entry[K, V]{key, value})
}

// Delete forgets a key.
func (c *Cache[K, V]) Delete(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(c.byKey[key])
}

func (c *Cache[K, V]) forget(at *list.Element) {
	if at != nil {
		delete(c.byKey, c.used.Remove(at).(entry[K, V]).key)
	}
}
