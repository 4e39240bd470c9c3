package drift_test

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/measure/drift"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/testdata"
)

// InProcess reads the time zone of the process.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	goleak.VerifyTestMain(m)
}

func runner() sandbox.Runner { return process.InProcess{Bindings: hostcall.Bindings()} }

// everything is all automations that the project ships, generated and recorded.
func everything(t testing.TB) []drift.Automation {
	t.Helper()
	files, err := fs.Sub(testdata.Automations, "automations")
	require.NoError(t, err)
	compact, err := fs.Sub(files, "compact")
	require.NoError(t, err)
	all, err := drift.Load(compact)
	require.NoError(t, err)
	slugs, err := automation.Slugs(files)
	require.NoError(t, err)
	for _, slug := range slugs {
		a, err := automation.Load(files, slug)
		require.NoError(t, err)
		all = append(all, drift.Recorded(a))
	}
	return all
}

// TestFaults breaks every automation in every way and holds what the templates and the
// gate make of it against days that neither has seen. The full set (`make faults`) prints
// the tables of docs/benchmarks.md; every test run takes a small share of it.
//
// Every second automation is held back: nothing was looked at there while templates and
// gate were worked on.
func TestFaults(t *testing.T) {
	t.Parallel()
	most, seed, share := 1, uint64(1), 21
	full := os.Getenv("KINTSUGI_FAULTS") != ""
	if full {
		share = 1
		_, err := fmt.Sscan(os.Getenv("KINTSUGI_FAULTS")+" 1", &most, &seed)
		require.NoError(t, err)
	}
	all := everything(t)
	require.GreaterOrEqual(t, len(all), 40)
	details := os.Getenv("KINTSUGI_FAULTS_DETAILS")
	var mu sync.Mutex
	var wrong []string
	halves := [2]map[string]drift.Count{{}, {}}
	var group sync.WaitGroup
	limit := make(chan struct{}, 2)
	for i, a := range all {
		if i%share != 0 {
			continue
		}
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			scene, err := drift.Prepare(t.Context(), runner(), a, seed)
			if err != nil {
				t.Error(err)
				return
			}
			for n, fault := range scene.Faults(drift.Kinds(), most) {
				if !full && n%3 != 0 {
					continue
				}
				m, err := scene.Measure(t.Context(), fault)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				count := halves[i%2][fault.Kind.Name]
				count.Add(m)
				halves[i%2][fault.Kind.Name] = count
				line := fmt.Sprintf("%s | %s | %s | %s", a.Name, fault.Kind.Name, fault.Place, describe(m))
				if m.Applied == drift.Wrong {
					wrong = append(wrong, line)
				}
				mu.Unlock()
				if i%2 == 0 && details != "" && (strings.Contains(line, details) || details == "all") {
					t.Log(line)
				}
			}
		})
	}
	group.Wait()
	if full {
		for half, name := range []string{"worked on", "held back"} {
			var text strings.Builder
			require.NoError(t, drift.WriteTable(&text, halves[half]))
			t.Logf("the half that was %s\n%s", name, text.String())
		}
	}
	require.Empty(t, wrong, "%d wrong repairs: %s", len(wrong), strings.Join(wrong, "\n"))
}

func describe(m drift.Measured) string {
	text := fmt.Sprintf("%s applied=%s held=%s ungated=%s", m.Effect, m.Applied, m.Held, m.Ungated)
	if e := m.Failed.Outcome.Error; e != nil {
		text += " (" + e.Name + ": " + e.Message + ")"
	}
	if best := m.Result.Best; best != nil {
		text += " " + best.Candidate.Comment + " [" + best.Judgement.Verdict + ", score " + strconv.FormatFloat(best.Candidate.Score, 'f', 2, 64) + "] " + strings.Join(m.Result.Reasons, "; ")
	} else if m.Effect == drift.Detected {
		text += " NONE: " + strings.ReplaceAll(m.Result.Explanation, "\n", " ")
	}
	return text
}
