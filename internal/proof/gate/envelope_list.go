package gate

import (
	"maps"
	"slices"
)

// Reads are the hosts that the envelope lets a script read from, sorted.
func (e *Envelope) Reads() []string { return slices.Sorted(maps.Keys(e.hosts)) }

// Writes are the places that it lets a script write to, sorted: a method, a host and up to two
// segments of the path, without the method where any will do.
func (e *Envelope) Writes() []string {
	places := slices.Collect(maps.Keys(e.places))
	places = slices.AppendSeq(places, maps.Keys(e.spelled))
	slices.Sort(places)
	return places
}
