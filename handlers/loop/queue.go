package loop

// queue gives out first what came first.
type queue[T any] struct {
	items []T
	taken int // of items
}

func (q *queue[T]) len() int { return len(q.items) - q.taken }

func (q *queue[T]) push(item T) { q.items = append(q.items, item) }

// pop takes the oldest of a queue that is not empty.
func (q *queue[T]) pop() T {
	var none T
	oldest := q.items[q.taken]
	q.items[q.taken] = none // let go of it
	q.taken++
	if 2*q.taken >= len(q.items) { // moving the rest costs no more than it took to come here
		n := copy(q.items, q.items[q.taken:])
		clear(q.items[n:])
		q.items, q.taken = q.items[:n], 0
	}
	return oldest
}
