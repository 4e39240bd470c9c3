package field_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// smoke are the cases of every `make test`.
const smoke = "hours-by-project|stock-csv|chat-events"

// asked is what `make field` was asked for: a half, cases by name, and whether only Node is to run.
func asked() (half, only string, full bool) {
	half, only = os.Getenv("KINTSUGI_FIELD"), os.Getenv("KINTSUGI_FIELD_CASE")
	if half == "" {
		return "open", smoke, false
	}
	return half, only, true
}

// Each case is what it says: its script runs on all days, its right fixes are right, its wrong ones are wrong, and each
// of its changes makes a difference.
func TestFieldCases(t *testing.T) {
	t.Parallel()
	half, only, full := asked()
	dirs := cases(t, half, only)
	require.NotEmpty(t, dirs, "no such case in testdata/field/%s", half)
	w := newWorld(t)
	var mu sync.Mutex
	for _, dir := range dirs {
		t.Run(dir[strings.LastIndex(dir, "/")+1:], func(t *testing.T) {
			said, faults := check(t, w, half, dir)
			mu.Lock()
			defer mu.Unlock()
			if full && os.Getenv("KINTSUGI_FIELD_CASE") != "" {
				fmt.Println(said)
			}
			for _, fault := range faults {
				t.Error(fault)
			}
		})
	}
}

func check(t *testing.T, w *world, half, dir string) (said string, faults []string) {
	t.Helper()
	var told strings.Builder
	c, err := w.load(t.Context(), half, dir)
	require.NoError(t, err)
	faults = c.Faults
	wrong := func(format string, with ...any) { faults = append(faults, fmt.Sprintf(format, with...)) }
	if err := process.Check(c.Script); err != nil {
		wrong("the script cannot be saved: %v", err)
	}
	fmt.Fprintf(&told, "%s (%s, %d lines): %s\n", c.Name, c.File, strings.Count(c.Script, "\n"), c.Says)
	days, err := w.truth(t.Context(), c, 30)
	require.NoError(t, err)
	ends := map[string]bool{}
	for i, d := range days {
		if d.Status != "succeeded" {
			wrong("day %d fails: %s", i, d.Error)
		}
		for _, one := range d.Unknown {
			wrong("day %d asks for %s, which has no route", i, one)
		}
		ends[d.End] = true
		if i < recorded+after {
			fmt.Fprintf(&told, "  day %d: %.300s\n", i, d.End)
		}
	}
	if len(ends) < 6 {
		wrong("30 days come to %d different ends only", len(ends))
	}
	if len(c.Changes) < 3 {
		wrong("it has %d changes, fewer than 3", len(c.Changes))
	}
	for _, change := range c.Changes {
		effect, err := w.effect(t.Context(), c, change.Name)
		require.NoError(t, err)
		fmt.Fprintf(&told, "  change %s (%s): %s\n", change.Name, change.Happened, strings.Join(effect, "; "))
		if strings.Join(effect, "") == "harmlessharmlessharmless" {
			wrong("change %s makes no difference on the days after it", change.Name)
		}
		if !change.Lost && len(change.Right) < 3 {
			wrong("change %s has %d right fixes, fewer than 3", change.Name, len(change.Right))
		}
		if change.Lost && len(change.Right) > 0 {
			wrong("change %s loses the value, and has right fixes", change.Name)
		}
		if len(change.Wrong) < 3 {
			wrong("change %s has %d wrong fixes, fewer than 3", change.Name, len(change.Wrong))
		}
		for _, one := range change.Right {
			became, err := w.try(t.Context(), c, change.Name, one.Code)
			require.NoError(t, err)
			if !became.right() {
				wrong("change %s: the right fix %q is wrong on days recorded %v, carried %v, after %v: %s", change.Name, one.Name, became.Recorded, became.Carried, became.After, became.Told)
			}
		}
		for _, one := range change.Wrong {
			became, err := w.try(t.Context(), c, change.Name, one.Code)
			require.NoError(t, err)
			if became.right() {
				wrong("change %s: the wrong fix %q is right on all days", change.Name, one.Name)
			}
			fmt.Fprintf(&told, "    wrong: %s: recorded %v, carried %v, after %v\n", one.Name, became.Recorded, became.Carried, became.After)
		}
	}
	return told.String(), faults
}
