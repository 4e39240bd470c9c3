package loop

// timers is a heap of lanes by when they are to be looked at, for [container/heap]. Each lane knows its
// place, so that any of them can be taken out.
type timers []*lane

// Len implements [heap.Interface].
func (t timers) Len() int { return len(t) }

// Less implements [heap.Interface].
func (t timers) Less(i, j int) bool { return t[i].wakeAt.Before(t[j].wakeAt) }

// Swap implements [heap.Interface].
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].timer, t[j].timer = i+1, j+1
}

// Push implements [heap.Interface].
func (t *timers) Push(of any) {
	*t = append(*t, of.(*lane))
	(*t)[len(*t)-1].timer = len(*t)
}

// Pop implements [heap.Interface].
func (t *timers) Pop() any {
	last := len(*t) - 1
	of := (*t)[last]
	(*t)[last], *t = nil, (*t)[:last]
	of.timer = 0
	return of
}
