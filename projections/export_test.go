package projections

// Few sets how many workflows are read to be sorted: with less, a search goes through the list.
func (q *Queries) Few(most int) { q.few = most }
