package loop

// heap is a binary heap whose items know their place in it, so that any of them can be taken out.
type heap[T any] struct {
	before func(a, b T) bool
	moved  func(item T, place int) // from 1; 0 for one that was taken out
	items  []T
}

func (h *heap[T]) len() int { return len(h.items) }

func (h *heap[T]) first() T { return h.items[0] }

func (h *heap[T]) push(item T) {
	h.items = append(h.items, item)
	h.up(len(h.items))
}

// remove takes out the item at a place.
func (h *heap[T]) remove(place int) {
	var none T
	h.moved(h.items[place-1], 0)
	last := len(h.items)
	h.items[place-1] = h.items[last-1]
	h.items[last-1] = none
	h.items = h.items[:last-1]
	if place < last {
		h.up(place)
		h.down(place)
	}
}

func (h *heap[T]) up(place int) {
	item := h.items[place-1]
	for place > 1 && h.before(item, h.items[place/2-1]) {
		h.set(place, h.items[place/2-1])
		place /= 2
	}
	h.set(place, item)
}

func (h *heap[T]) down(place int) {
	item := h.items[place-1]
	for 2*place <= len(h.items) {
		child := 2 * place
		if child < len(h.items) && h.before(h.items[child], h.items[child-1]) {
			child++
		}
		if !h.before(h.items[child-1], item) {
			break
		}
		h.set(place, h.items[child-1])
		place = child
	}
	h.set(place, item)
}

func (h *heap[T]) set(place int, item T) {
	h.items[place-1] = item
	h.moved(item, place)
}
