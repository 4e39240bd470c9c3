package drift_test

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/measure/drift"
)

// TestSilent breaks automations in ways that they do not notice, ten days long, and leaves them alone on days that
// are only unusual. Runs that the guard stopped are mended, and the mended script is tried on the later days. The
// full set (`make silent`) prints the table of docs/benchmarks.md; every test run takes a small share of it.
func TestSilent(t *testing.T) {
	t.Parallel()
	full := os.Getenv("KINTSUGI_SILENT")
	many, changes, quiet := 2, 6, 4
	seed := uint64(1)
	if full != "" {
		many, changes, quiet = 12, 20, 10
		if at := strings.LastIndexByte(full, ' '); at >= 0 {
			if n, err := strconv.ParseUint(full[at+1:], 10, 64); err == nil {
				full, seed = full[:at], n
			}
		}
	}
	var chosen []drift.Automation
	for i, a := range everything(t) {
		if (i%2 == 0) == (full != "held back") && len(chosen) < many {
			chosen = append(chosen, a)
		}
	}
	details := os.Getenv("KINTSUGI_SILENT_DETAILS")
	var mu sync.Mutex
	rows := map[string]*drift.Days{}
	var mends drift.Mends
	var wrong []string
	count := func(name string, d drift.Days) {
		mu.Lock()
		defer mu.Unlock()
		if rows[name] == nil {
			rows[name] = &drift.Days{}
		}
		rows[name].Add(d)
	}
	var group sync.WaitGroup
	limit := make(chan struct{}, 2)
	for _, a := range chosen {
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			scene, err := drift.Prepare(t.Context(), runner(), a, seed)
			if err != nil {
				t.Error(err)
				return
			}
			days, err := scene.QuietDays(t.Context(), quiet)
			if err != nil {
				t.Error(err)
				return
			}
			watch := func(name string, change func(automation.Run) automation.Run, right bool) (stop *drift.Stop) {
				for _, guarded := range []bool{false, true} {
					d, err := scene.Watch(t.Context(), days, change, right, guarded)
					if err != nil {
						t.Error(err)
						return nil
					}
					stop = d.First
					if details != "" && guarded && (d.Wrote+d.Noticed > 0 && strings.Contains(details, "missed") || d.Stopped > 0 && strings.Contains(details, "caught") || d.Alarms+d.Marks > 0 && strings.Contains(details, "alarms")) {
						t.Logf("%s | %s: days %d same %d loud %d stopped %d noticed %d wrote %d silent %d alarms %d marks %d\n    %s", a.Name, name, d.Days, d.Same, d.Loud, d.Stopped, d.Noticed, d.Wrote, d.Silent, d.Alarms, d.Marks, strings.Join(d.Told, "\n    "))
					}
					kind, _, _ := strings.Cut(name, " | ")
					if guarded {
						count(kind+" | on", d)
					} else {
						count(kind+" | off", d)
					}
				}
				return stop
			}
			for _, sort := range drift.Ordinary() {
				watch("ordinary: "+sort, drift.Quiet(sort, seed), true)
			}
			faults, err := scene.Effective(t.Context(), days, changes)
			if err != nil {
				t.Error(err)
				return
			}
			for _, fault := range faults {
				stop := watch("changed: "+fault.Kind.Name+" | "+fault.Place, fault.On, false)
				if stop == nil {
					continue
				}
				became, told, err := scene.Mend(t.Context(), fault, *stop)
				if err != nil {
					t.Error(err)
					return
				}
				line := fmt.Sprintf("%s | %s | %s | %s", a.Name, fault.Kind.Name, fault.Place, told)
				mu.Lock()
				mends.Add(became)
				if became.Wrong > 0 {
					wrong = append(wrong, line)
				}
				mu.Unlock()
				if strings.Contains(details, "mended") {
					t.Log(line)
				}
			}
		})
	}
	group.Wait()
	sum := map[string]*drift.Days{}
	for name, d := range rows {
		head, _, _ := strings.Cut(name, ":")
		key := head + name[strings.LastIndex(name, " | "):]
		if sum[key] == nil {
			sum[key] = &drift.Days{}
		}
		sum[key].Add(*d)
	}
	if full != "" {
		var text strings.Builder
		table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "\tdays\tright\tloud\tstopped\tmarked\twrong, wrote\twrong, only returned\tfalse stops\tfalse marks\t")
		print := func(rows map[string]*drift.Days) {
			var names []string
			for name := range rows {
				names = append(names, name)
			}
			sort.Strings(names)
			for _, name := range names {
				d := rows[name]
				fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, d.Days, d.Same, d.Loud, d.Stopped, d.Noticed, d.Wrote, d.Silent, d.Alarms, d.Marks)
			}
		}
		print(rows)
		print(sum)
		require.NoError(t, table.Flush())
		t.Logf("\n%s\nof the first stopped run of each change, and on all later days: mended right %d, in part %d, wrong on a later day %d; held and right %d, held and not right %d; nothing found %d; tried again later %d",
			text.String(), mends.Right, mends.Partly, mends.Wrong, mends.Held, mends.Others, mends.None, mends.Passing)
	}
	changed, ordinary := sum["changed | on"], sum["ordinary | on"]
	require.LessOrEqual(t, changed.Wrote*100, changed.Days, "silent wrong successes that wrote something")
	require.LessOrEqual(t, ordinary.Alarms*200, ordinary.Days, "false alarms on ordinary days: %q", ordinary.Told)
	require.Empty(t, wrong, "stopped runs that were mended wrong")
}
