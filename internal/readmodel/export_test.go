package readmodel

// Limit makes transactions and the cache so small that everything happens that they do.
func (s *Store) Limit(events, cached int) {
	s.most, s.limit = events, events
	s.unit.most = cached
}

// Cached is how many rows are in memory, and how much memory they are said to take.
func (s *Store) Cached() (rows, size int) {
	for _, r := range s.unit.tables {
		if r != nil {
			rows += len(r.kept)
		}
	}
	return rows, s.unit.size
}
