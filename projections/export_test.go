package projections

import (
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Few sets how many workflows are read to be sorted: with less, a search goes through the list.
func (q *Queries) Few(most int) { q.few = most }

// TypesWithWords are the types of events that have a row in the table of words, in order.
func TypesWithWords() []string { return slices.Sorted(maps.Keys(table)) }

// TimelineTells is what a timeline tells of an event.
func TimelineTells(recorded event.Recorded) (TimelineEntry, bool) { return told(recorded) }
