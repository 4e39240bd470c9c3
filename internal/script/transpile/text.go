package transpile

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// text is a text made of a script, which knows of each of its bytes where in the script it comes from.
type text struct {
	s      string
	pieces []piece // in order, without gaps
}

// piece is a part of a text: copied from the script, or added at a place of it.
type piece struct {
	at     int // in the text
	from   int // in the script
	copied bool
}

func textOf(code string) text {
	return text{s: code, pieces: []piece{{copied: true}}}
}

// edit replaces a part of a text.
type edit struct {
	start, end int
	with       string
}

// apply makes edits that do not overlap; those at one place keep their order.
func (t text) apply(edits []edit) text {
	if len(edits) == 0 {
		return t
	}
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var made text
	var out strings.Builder
	copyTo := func(start, end int) {
		for start < end {
			i := t.pieceAt(start)
			stop := end
			if i+1 < len(t.pieces) {
				stop = min(end, t.pieces[i+1].at)
			}
			made.pieces = append(made.pieces, piece{out.Len(), t.source(start), t.pieces[i].copied})
			out.WriteString(t.s[start:stop])
			start = stop
		}
	}
	at := 0
	for _, e := range sorted {
		if e.start < at {
			continue // inside one that was made
		}
		copyTo(at, e.start)
		if e.with != "" {
			made.pieces = append(made.pieces, piece{out.Len(), t.source(e.start), false})
			out.WriteString(e.with)
		}
		at = e.end
	}
	copyTo(at, len(t.s))
	if len(made.pieces) == 0 {
		made.pieces = []piece{{copied: true}}
	}
	made.s = out.String()
	return made
}

func (t text) pieceAt(pos int) int {
	return max(sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].at > pos })-1, 0)
}

// source is the place in the script that a place in the text comes from.
func (t text) source(pos int) int {
	p := t.pieces[t.pieceAt(pos)]
	if !p.copied {
		return p.from
	}
	return p.from + pos - p.at
}

// plain is the script with blanks in the place of what is not in the text: as long as the script.
func (t text) plain(length int) string {
	plain := []byte(strings.Repeat(" ", length))
	for i, p := range t.pieces {
		end := len(t.s)
		if i+1 < len(t.pieces) {
			end = t.pieces[i+1].at
		}
		if p.copied && p.from < length {
			copy(plain[p.from:], t.s[p.at:end])
		}
	}
	return string(plain)
}
