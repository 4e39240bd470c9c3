package loop

// line is a queue: who came first is taken first.
type line[T any] struct {
	items []T
	taken int // of items
}

func (l *line[T]) len() int { return len(l.items) - l.taken }

func (l *line[T]) push(item T) { l.items = append(l.items, item) }

// pop takes the oldest of a line that is not empty.
func (l *line[T]) pop() T {
	var none T
	oldest := l.items[l.taken]
	l.items[l.taken] = none // let go of it
	l.taken++
	if 2*l.taken >= len(l.items) { // moving the rest costs no more than it took to come here
		n := copy(l.items, l.items[l.taken:])
		clear(l.items[n:])
		l.items, l.taken = l.items[:n], 0
	}
	return oldest
}
