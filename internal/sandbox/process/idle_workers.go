package process

import (
	"slices"
	"time"
)

// idleWorkers holds the workers that wait for the next execution of their affinity. One that came
// for the first time in a while has its worker kept among a few such: ten thousand that run once an
// hour all at once are not worth a worker each, and do not drive out those of the busy ones.
type idleWorkers struct {
	limit int // of all

	// Both least recently used first.
	busy []*process // of those that came again
	new  []*process // of others

	seen, before map[string]struct{} // the affinities that came lately, and those before
}

// newKept is how many workers are kept for affinities that may never come again.
const newKept = 8

// take gives the worker of an affinity that was used last, nil if there is none.
func (s *idleWorkers) take(affinity string) *process {
	for _, list := range []*[]*process{&s.busy, &s.new} {
		for i, worker := range slices.Backward(*list) {
			if worker.affinity == affinity {
				*list = slices.Delete(*list, i, i+1)
				return worker
			}
		}
	}
	return nil
}

// has says whether there is a worker of an affinity.
func (s *idleWorkers) has(affinity string) bool {
	return slices.ContainsFunc(slices.Concat(s.busy, s.new), func(worker *process) bool { return worker.affinity == affinity })
}

// put keeps a worker of an affinity, and gives those back that are too many.
func (s *idleWorkers) put(affinity string, worker *process, now time.Time) (gone []*process) {
	worker.affinity, worker.since = affinity, now
	if s.came(affinity) {
		s.busy = append(s.busy, worker)
	} else {
		s.new = append(s.new, worker)
	}
	for len(s.new) > min(newKept, s.limit) {
		gone, s.new = append(gone, s.new[0]), s.new[1:]
	}
	for s.len() > s.limit {
		from := &s.new
		if len(s.new) == 0 {
			from = &s.busy
		}
		gone, *from = append(gone, (*from)[0]), (*from)[1:]
	}
	return gone
}

// came remembers an affinity, and says whether it came before, not too many others ago.
func (s *idleWorkers) came(affinity string) bool {
	_, lately := s.seen[affinity]
	_, before := s.before[affinity]
	if s.seen == nil || len(s.seen) >= 4*s.limit {
		s.before, s.seen = s.seen, map[string]struct{}{}
	}
	s.seen[affinity] = struct{}{}
	return lately || before
}

// expire gives back the workers that have waited since a time before.
func (s *idleWorkers) expire(before time.Time) (gone []*process) {
	for _, list := range []*[]*process{&s.busy, &s.new} {
		n := 0
		for n < len(*list) && (*list)[n].since.Before(before) {
			n++
		}
		gone, *list = append(gone, (*list)[:n]...), (*list)[n:]
	}
	return gone
}

// clear gives back all.
func (s *idleWorkers) clear() []*process {
	all := slices.Concat(s.busy, s.new)
	s.busy, s.new = nil, nil
	return all
}

func (s *idleWorkers) len() int { return len(s.busy) + len(s.new) }
