package sandbox

import (
	"encoding/json"
	"slices"
)

// CallKey is the same for two calls if they are the same call.
func CallKey(tool string, args json.RawMessage) string { return tool + "\x00" + Canonical(args) }

// Matches finds the recorded call that answers a call: the one of the same tool with the
// same canonical arguments, and of several the first that was not taken yet.
type Matches struct {
	waiting map[string][]int // indexes of recorded calls
}

// Add makes a recorded call known by its index; calls are added in their order.
func (m *Matches) Add(index int, tool string, args json.RawMessage) {
	if m.waiting == nil {
		m.waiting = map[string][]int{}
	}
	key := CallKey(tool, args)
	m.waiting[key] = append(m.waiting[key], index)
}

// Take returns the recorded call that answers a call, each only once.
func (m *Matches) Take(tool string, args json.RawMessage) (index int, ok bool) {
	return m.TakeIf(tool, args, func(int) bool { return true })
}

// TakeIf takes the recorded call that answers a call if it may be taken now.
func (m *Matches) TakeIf(tool string, args json.RawMessage, may func(index int) bool) (index int, ok bool) {
	key := CallKey(tool, args)
	queue := m.waiting[key]
	if len(queue) == 0 || !may(queue[0]) {
		return 0, false
	}
	m.waiting[key] = queue[1:]
	return queue[0], true
}

// Left are the recorded calls that nothing took, in their order.
func (m *Matches) Left() []int {
	var left []int
	for _, queue := range m.waiting {
		left = append(left, queue...)
	}
	slices.Sort(left)
	return left
}
