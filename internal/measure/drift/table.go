package drift

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Count is how often each thing happened.
type Count struct {
	Changes, Harmless, Silent, Other, Detected int
	// Outcomes of the detected changes: applied by the mode auto, held, or no fix; and, without the gate, of applying
	// the first candidate that lets the failing run pass.
	Right, Incomplete, Wrong                      int
	HeldRight, HeldOther, None                    int
	UngatedRight, UngatedIncomplete, UngatedWrong int
}

// Add counts one fault.
func (c *Count) Add(m Measured) {
	c.Changes++
	switch m.Effect {
	case Harmless:
		c.Harmless++
		return
	case Silent:
		c.Silent++
		return
	case Other:
		c.Other++
		return
	}
	c.Detected++
	switch {
	case m.Applied == Right:
		c.Right++
	case m.Applied == Incomplete:
		c.Incomplete++
	case m.Applied == Wrong:
		c.Wrong++
	case m.Held == Right:
		c.HeldRight++
	case m.Held != Nothing:
		c.HeldOther++
	default:
		c.None++
	}
	switch m.Ungated {
	case Right:
		c.UngatedRight++
	case Incomplete:
		c.UngatedIncomplete++
	case Wrong:
		c.UngatedWrong++
	}
}

// Sum is the sum of counts.
func Sum(counts ...Count) Count {
	var sum Count
	for _, c := range counts {
		sum.Changes += c.Changes
		sum.Harmless += c.Harmless
		sum.Silent += c.Silent
		sum.Other += c.Other
		sum.Detected += c.Detected
		sum.Right += c.Right
		sum.Incomplete += c.Incomplete
		sum.Wrong += c.Wrong
		sum.HeldRight += c.HeldRight
		sum.HeldOther += c.HeldOther
		sum.None += c.None
		sum.UngatedRight += c.UngatedRight
		sum.UngatedIncomplete += c.UngatedIncomplete
		sum.UngatedWrong += c.UngatedWrong
	}
	return sum
}

// WriteTable prints counts by the name of the kind, with sums of the kinds that keep what
// was there and of those that lose it.
func WriteTable(w io.Writer, counts map[string]Count) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tchanges\tharmless\tsilent\tother class\tdetected\t| right\tincomplete\twrong\t| held, right\theld, other\tnone\t| ungated: right\tincomplete\twrong\t")
	row := func(name string, c Count) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t| %d\t%d\t%d\t| %d\t%d\t%d\t| %d\t%d\t%d\t\n", name, c.Changes, c.Harmless, c.Silent, c.Other, c.Detected,
			c.Right, c.Incomplete, c.Wrong, c.HeldRight, c.HeldOther, c.None, c.UngatedRight, c.UngatedIncomplete, c.UngatedWrong)
	}
	kinds := Kinds()
	lossy := func(name string) bool {
		return slices.ContainsFunc(kinds, func(k Kind) bool { return k.Name == name && k.Lossy })
	}
	var kept, lost Count
	for _, name := range sortedKeys(counts) {
		row(name, counts[name])
		if lossy(name) {
			lost = Sum(lost, counts[name])
		} else {
			kept = Sum(kept, counts[name])
		}
	}
	row("all that keep the value", kept)
	row("all that lose it", lost)
	row("all", Sum(kept, lost))
	return table.Flush()
}
