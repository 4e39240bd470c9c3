package repair

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // the sandbox's worker does the same
	goleak.VerifyTestMain(m)
}

func runner() sandbox.Runner { return process.InProcess{Bindings: hostcall.Bindings()} }

// answer is what the outside gives a call: the first whose text is in the URL (or key).
type answer struct {
	to   string
	body string // JSON
}

// world is one recorded run's outside.
type world struct {
	input   string // JSON, default {}
	answers []answer
	kv      map[string]string // JSON by key
	files   map[string]string
}

// record runs a script in a world and writes down what happened, as a server would.
func record(t *testing.T, code, id string, w world) gate.Run {
	t.Helper()
	run := gate.Run{ID: id, Trigger: "schedule", Input: json.RawMessage(`{}`), Seed: id, Clock: time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC), Overlap: true, Calls: []gate.Call{}}
	if w.input != "" {
		run.Input = json.RawMessage(w.input)
	}
	kv := map[string]json.RawMessage{}
	for key, value := range w.kv {
		kv[key] = json.RawMessage(value)
	}
	state := hostcall.NewMemory(kv, w.files, run.Clock.UnixMilli())
	host := sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		if found, ok := hostcall.Lookup(call.Tool); ok && found.Local {
			return hostcall.ApplyLocal(state, call, run.Clock.UnixMilli()), nil
		}
		for _, one := range w.answers {
			if !strings.Contains(string(call.Args), one.to) {
				continue
			}
			if call.Tool == "web.fetch" {
				body, err := json.Marshal(map[string]any{"status": 200, "headers": map[string]string{}, "body": one.body})
				return sandbox.Reply{Result: body}, err
			}
			return sandbox.Reply{Result: json.RawMessage(one.body)}, nil
		}
		if call.Tool == "notify" || call.Effect == sandbox.Write {
			return sandbox.Reply{}, nil
		}
		return sandbox.Reply{Error: &sandbox.Error{Class: "logic", Name: "LogicError", Message: "GET " + string(call.Args) + ": status 404", Status: 404}}, nil
	})
	outcome, err := runner().Run(t.Context(), sandbox.Execution{Code: code, Input: run.Input, Seed: run.Seed, Clock: run.Clock, Overlap: run.Overlap}, host)
	require.NoError(t, err)
	for _, call := range outcome.Calls {
		run.Calls = append(run.Calls, gate.CallOf(call))
	}
	if run.Outcome = gate.OutcomeOf(&outcome); outcome.Error != nil {
		run.Local = &gate.Local{KV: kv, Files: w.files}
	}
	return run
}

// scenario is a script, worlds in which it works, and a changed one in which it breaks.
type scenario struct {
	name  string
	code  string
	old   []world
	fresh world
	// want is the outcome of the failing run after a right repair: the output as JSON.
	// Empty: nothing may be applied; heldOnly says that a held candidate is expected then.
	want     string
	writes   []string // tool and arguments, if they matter
	heldOnly bool
	// unproven: the repaired run goes on to calls that were never recorded, so only a
	// rehearsal can prove it.
	unproven bool
	// waits says that nothing recorded proves the repair, so that a person decides.
	waits bool
}

func (s scenario) evidence(t *testing.T) Evidence {
	t.Helper()
	e := Evidence{Title: s.name, Code: s.code, Version: "1.0"}
	for i, w := range s.old {
		run := record(t, s.code, fmt.Sprintf("r%d", i+1), w)
		require.Equal(t, "succeeded", run.Outcome.Status, "%s: run %d: %+v", s.name, i+1, run.Outcome.Error)
		e.Successes = append(e.Successes, run)
	}
	e.Failed = record(t, s.code, "failed", s.fresh)
	require.Equal(t, "failed", e.Failed.Outcome.Status, "%s: the new world must break the script: %s", s.name, e.Failed.Outcome.Output)
	return e
}

func openGate(t testing.TB, e Evidence) *gate.Gate {
	t.Helper()
	opened, err := gate.Open(t.Context(), runner(), gate.Subject{Code: e.Code, Version: e.Version, Failed: e.Failed, Successes: e.Successes}, gate.Options{})
	require.NoError(t, err)
	return opened
}

func mend(t testing.TB, e Evidence) Result {
	t.Helper()
	result, err := Mend(t.Context(), openGate(t, e), e, Templates{Runner: runner()})
	require.NoError(t, err)
	return result
}

// show prints a result for a person reading a failed test.
func show(r Result) string {
	var text strings.Builder
	fmt.Fprintf(&text, "held=%v reasons=%q tried=%d alternatives=%d\n", r.Held, r.Reasons, len(r.Tried), len(r.Alternatives))
	for _, one := range r.Tried {
		j := one.Judgement
		fmt.Fprintf(&text, "-- %.2f %s masking=%v %s %q doubts=%q gate=%q failing=%s %+v div=%+v\n", one.Candidate.Score, one.Candidate.Template, one.Candidate.Masking, j.Verdict, one.Candidate.Comment, one.Candidate.Doubts, j.Reasons, j.FailingRun.Status, j.FailingRun.Error, j.Divergence)
	}
	if r.Best != nil {
		text.WriteString(r.Best.Candidate.Code + "\n" + string(r.Best.Judgement.FailingRun.Output) + "\n")
	}
	return text.String() + r.Explanation
}

func loadBundle(t testing.TB, path string) Evidence {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	bundle, err := gate.ReadBundle(file)
	require.NoError(t, err)
	e := Evidence{Title: bundle.Workflow.Title, Intent: bundle.Workflow.Intent, Code: bundle.Script.Code, Version: bundle.Script.Version}
	for _, run := range bundle.Runs {
		if run.Outcome.Status == "failed" {
			e.Failed = run
		} else {
			e.Successes = append(e.Successes, run)
		}
	}
	return e
}
