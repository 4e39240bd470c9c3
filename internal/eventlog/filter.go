package eventlog

import (
	"slices"
	"strings"
)

// Filter selects events of the whole log: those whose stream begins with one of the prefixes
// (any stream if there is none) and whose type is one of the types (any type if there is none).
type Filter struct {
	StreamPrefixes []string
	Types          []string
}

// Everything is the filter that every event passes.
var Everything = Filter{}

// Passes says whether an event of this type in this stream is selected.
func (f Filter) Passes(stream, eventType string) bool {
	if len(f.Types) > 0 && !slices.Contains(f.Types, eventType) {
		return false
	}
	return len(f.StreamPrefixes) == 0 ||
		slices.ContainsFunc(f.StreamPrefixes, func(prefix string) bool { return strings.HasPrefix(stream, prefix) })
}
