package script

import (
	"fmt"
	"slices"
	"strings"
)

// Edit replaces code[start:end] by text.
type Edit struct {
	Start, End int
	Text       string
}

// Replace is an edit of a range.
func Replace(start, end int, text string) Edit { return Edit{start, end, text} }

// Insert is an edit that adds text at a place.
func Insert(at int, text string) Edit { return Edit{at, at, text} }

// Apply applies edits that do not overlap; insertions at one place keep their order.
func Apply(code string, edits []Edit) (string, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	var text strings.Builder
	at := 0
	for _, e := range sorted {
		if e.Start < at {
			return "", fmt.Errorf("script: edits overlap at offset %d", e.Start)
		}
		if e.End < e.Start || e.End > len(code) {
			return "", fmt.Errorf("script: an edit of %d to %d of %d bytes", e.Start, e.End, len(code))
		}
		text.WriteString(code[at:e.Start])
		text.WriteString(e.Text)
		at = e.End
	}
	text.WriteString(code[at:])
	return text.String(), nil
}

// Moved says where an offset is after edits were made one set after the other; not ok if
// one of them replaced it.
func Moved(steps [][]Edit, at int) (int, bool) {
	for _, step := range steps {
		by := 0
		for _, e := range step {
			switch {
			case e.End <= at:
				by += len(e.Text) - (e.End - e.Start)
			case e.Start <= at:
				return 0, false
			}
		}
		at += by
	}
	return at, true
}
