package field_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
)

// TestField plays the cases through the whole program: its own server, sandbox, log, templates, gate and guard, and
// services over HTTP. The full set (`make field`) prints what became of them; every test run takes three cases.
func TestField(t *testing.T) {
	t.Parallel()
	if os.Getenv("KINTSUGI_FIELD_ONLY") == "check" {
		return
	}
	half, only, full := asked()
	atOnce, ordinary := 2, 12
	if full {
		atOnce, ordinary = 3, 30
	}
	w := newWorld(t)
	f := newField(t, w)
	f.gateOnly = os.Getenv("KINTSUGI_FIELD_ONLY") == "gate"
	var mu sync.Mutex
	var all []played
	var group sync.WaitGroup
	limit := make(chan struct{}, atOnce)
	add := func(play func() played) {
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			one := play()
			mu.Lock()
			defer mu.Unlock()
			all = append(all, one)
		})
	}
	for _, dir := range cases(t, half, only) {
		c, err := w.load(t.Context(), half, dir)
		require.NoError(t, err)
		if !f.gateOnly {
			add(func() played { return f.ordinary(t.Context(), c, ordinary) })
		}
		for i := range c.Changes {
			if full || i == 0 {
				add(func() played { return f.play(t.Context(), c, &c.Changes[i], full) })
			}
		}
	}
	group.Wait()
	slices.SortFunc(all, func(a, b played) int { return strings.Compare(a.Case+"\x00"+a.Change, b.Case+"\x00"+b.Change) })
	for _, one := range all {
		if one.Fault != "" {
			t.Errorf("%s, %q cannot be played: %s", one.Case, one.Change, one.Fault)
		}
	}
	if !full {
		return
	}
	if out := os.Getenv("KINTSUGI_FIELD_OUT"); out != "" {
		write(t, out, all)
	}
	if os.Getenv("KINTSUGI_FIELD_CASE") != "" {
		for _, one := range all {
			text, err := json.MarshalIndent(one, "", "  ")
			require.NoError(t, err)
			fmt.Println(string(text))
		}
	}
	fmt.Println(table(all))
}

// write writes a line of JSON for each.
func write(t *testing.T, out string, all []played) {
	t.Helper()
	var lines []byte
	for _, one := range all {
		line, err := json.Marshal(one)
		require.NoError(t, err)
		lines = append(append(lines, line...), '\n')
	}
	require.NoError(t, os.WriteFile(out, lines, 0o600))
}

// table is what became of all of them.
func table(all []played) string {
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.DiscardEmptyColumns)
	percent := func(n, of int) string {
		if of == 0 {
			return "–\t–"
		}
		return fmt.Sprintf("%d\t%s %%", n, strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64))
	}
	kinds := []string{"loud, value there", "silent, value there", "loud, value lost", "silent, value lost"}
	kindOf := func(one played) string {
		kind := "silent"
		for _, effect := range one.Effect { // the first day on which it shows
			if effect != harmless {
				if strings.HasPrefix(effect, "loud") {
					kind = "loud"
				}
				break
			}
		}
		if one.Lost {
			return kind + ", value lost"
		}
		return kind + ", value there"
	}
	counts, sums := map[string]map[string]int{}, map[string]int{}
	gate, gates, waited := map[string]map[string]int{}, map[string]int{}, []int64{}
	days, stops, marks, faults, named := 0, 0, 0, 0, map[string]bool{}
	for _, one := range all {
		named[one.Case] = true
		if one.Fault != "" {
			faults++
			continue
		}
		if one.Change == "" {
			days, stops, marks = days+one.Ordinary, stops+len(one.Stops), marks+len(one.Marks)
			continue
		}
		kind := kindOf(one)
		if counts[kind] == nil {
			counts[kind] = map[string]int{}
		}
		counts[kind][one.Became]++
		sums[kind]++
		for _, v := range one.Gate {
			waited = append(waited, v.MS)
			row := "wrong, something recorded tells"
			switch {
			case v.Right:
				row = "right"
			case !v.Told:
				row = "wrong, nothing recorded tells"
			}
			if gate[row] == nil {
				gate[row] = map[string]int{}
			}
			gate[row][v.Became]++
			gates[row]++
		}
	}
	half := ""
	if len(all) > 0 {
		half = all[0].Half
	}
	fmt.Fprintf(out, "%s half: %d cases\t", half, len(named))
	for _, kind := range kinds {
		fmt.Fprintf(out, "%s\t%d\t", kind, sums[kind])
	}
	fmt.Fprintln(out)
	for _, became := range []string{mendedRight, mendedInPart, mendedWrong, heldRight, heldWrong, escalatedTold, escalated, markedWrong, silentWrote, silentOnly, harmless, waits, refusedInput, stoppedBefore} {
		fmt.Fprintf(out, "%s\t", became)
		for _, kind := range kinds {
			fmt.Fprintf(out, "%s\t", percent(counts[kind][became], sums[kind]))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	fmt.Fprintf(out, "the gate on\t")
	rows := []string{"right", "wrong, something recorded tells", "wrong, nothing recorded tells"}
	for _, row := range rows {
		fmt.Fprintf(out, "%s\t%d\t", row, gates[row])
	}
	fmt.Fprintln(out)
	for _, became := range []string{plainly, rehearsed, held, refused} {
		fmt.Fprintf(out, "%s\t", became)
		for _, row := range rows {
			fmt.Fprintf(out, "%s\t", percent(gate[row][became], gates[row]))
		}
		fmt.Fprintln(out)
	}
	_ = out.Flush() // to memory
	slices.Sort(waited)
	if len(waited) > 0 {
		fmt.Fprintf(&text, "\nthe gate took %d ms for half of the candidates, %d ms for all but one in twenty\n", waited[len(waited)/2], waited[len(waited)*19/20])
	}
	fmt.Fprintf(&text, "ordinary days %d: false stops %d, false marks %d\n", days, stops, marks)
	if faults > 0 {
		fmt.Fprintf(&text, "NOT PLAYED: %d\n", faults)
	}
	return text.String()
}
