package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
)

// ReplayedRun is what a script makes of a run that has ended.
type ReplayedRun struct {
	Run     string `json:"run"`
	Version string `json:"version,omitempty"` // that it was replayed on, empty for a script that is none
	// Same says that it comes out as it did; else Divergence is the first difference in words.
	Same       bool            `json:"same"`
	Divergence string          `json:"divergence,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	Failure    string          `json:"failure,omitempty"`
	// Unknown says that it needs an answer that was never recorded, so that nobody knows how it would go on.
	Unknown bool         `json:"unknown,omitempty"`
	Writes  []gate.Write `json:"writes"` // that the script makes of it; none went out
	Diff    string       `json:"diff,omitempty"`
}

// Replay runs a run that has ended again, on a version of its workflow's script (empty for its own) or on other code.
// Every call answers from its journal.
func (r *Runs) Replay(ctx context.Context, logger *slog.Logger, id, version, code string) (ReplayedRun, error) {
	recorded, zone, err := r.ended(ctx, id)
	if err != nil {
		return ReplayedRun{}, err
	}
	if code == "" {
		version = cmp.Or(version, recorded.Version)
		script, err := r.Scripts.Version(ctx, recorded.Workflow, []string{version})
		if err != nil {
			return ReplayedRun{}, err
		}
		code = script.Code
	}
	var again gate.Reproduction
	if err := r.Scripts.Explore(ctx, logger, func(e *rehearsal.Explorer) error {
		again, err = e.Replay(ctx, zone, code, recorded)
		return err
	}); err != nil {
		return ReplayedRun{}, err
	}
	return replayedOf(recorded, version, again), nil
}

func replayedOf(recorded run.State, version string, again gate.Reproduction) ReplayedRun {
	shown := ReplayedRun{
		Run: recorded.Run, Version: version, Same: again.Reproduced, Divergence: rehearsal.DivergenceText(again.Divergence),
		Output: again.Outcome.Output, Writes: []gate.Write{},
	}
	for _, call := range again.Outcome.Calls {
		if call.Effect == sandbox.Write {
			shown.Writes = append(shown.Writes, gate.Write{Tool: call.Tool, Args: call.Args})
		}
	}
	if e := again.Outcome.Error; e != nil {
		shown.Failure = fmt.Sprintf("%s (%s): %s", e.Name, e.Class, e.Message)
		shown.Unknown = e.Code == sandbox.CodeUnanswerable
	}
	was := ""
	if f := recorded.Failure; f != nil {
		was = fmt.Sprintf("%s (%s): %s", f.Name, f.Class, f.Message)
	}
	before := whatItDid(recorded.Output, was, rehearsal.WritesOf(recorded))
	shown.Diff = udiff.Unified("as it was", "replayed", before, whatItDid(shown.Output, shown.Failure, shown.Writes))
	return shown
}

// FailureValues are what the names had where a run failed, the failing statement's first; none if its record does not
// lead there again.
func (r *Runs) FailureValues(ctx context.Context, logger *slog.Logger, id string) ([]gate.Value, error) {
	recorded, zone, err := r.ended(ctx, id)
	if err != nil {
		return nil, err
	}
	if recorded.Failure == nil {
		return nil, fault.New(fault.Conflict, "run %s did not fail", id)
	}
	script, err := r.Scripts.Version(ctx, recorded.Workflow, []string{recorded.Version})
	if err != nil {
		return nil, err
	}
	var values []gate.Value
	return values, r.Scripts.Explore(ctx, logger, func(e *rehearsal.Explorer) error {
		values, err = e.ValuesAtFailure(ctx, zone, script.Code, recorded)
		return err
	})
}

// ended is a run that has ended, with its workflow's zone.
func (r *Runs) ended(ctx context.Context, id string) (run.State, string, error) {
	recorded, err := r.Commands.LoadRun(ctx, id)
	if err != nil {
		return recorded, "", err
	}
	if !recorded.Ended {
		return recorded, "", fault.New(fault.Conflict, "run %s has not ended: its record is not whole yet", id)
	}
	of, err := r.Commands.LoadWorkflow(ctx, recorded.Workflow)
	return recorded, of.Zone, err
}

// Reached is one of the things that a workflow's runs call.
type Reached struct {
	// Host is of web calls; Tool says what else it is, and Target which, if all calls were to the same.
	Host   string `json:"host,omitempty"`
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"`
	Effect string `json:"effect" enum:"read,write"`
	Runs   int    `json:"runs"`  // of those looked at, that called it
	Calls  int    `json:"calls"` // all together
	Failed int    `json:"failed"`
}

// Reach is what a workflow's last runs called, in the order in which they came to it.
type Reach struct {
	Workflow string    `json:"workflow"`
	Runs     int       `json:"runs"` // that were looked at
	Reached  []Reached `json:"reached"`
}

// Reach looks at the calls of a workflow's last runs.
func (r *Runs) Reach(ctx context.Context, id string, last int) (Reach, error) {
	reach := Reach{Workflow: id, Reached: []Reached{}}
	runs, err := r.Queries.Runs(ctx, projections.RunFilter{Workflow: id, Limit: last})
	if err != nil {
		return reach, err
	}
	for _, one := range slices.Backward(runs) {
		calls, err := r.Calls(ctx, one.ID)
		if err != nil {
			return reach, err
		}
		reach.Runs++
		reach.add(calls.Calls)
	}
	return reach, nil
}

func (r *Reach) add(calls []projections.Call) {
	seen := map[int]bool{}
	for _, call := range calls {
		tool := call.Tool
		if call.Host != "" {
			tool, _, _ = strings.Cut(tool, ".")
		}
		at := slices.IndexFunc(r.Reached, func(one Reached) bool { return one.Host == call.Host && one.Tool == tool && one.Effect == call.Effect })
		if at < 0 {
			at = len(r.Reached)
			r.Reached = append(r.Reached, Reached{Host: call.Host, Tool: tool, Target: call.Target, Effect: call.Effect})
		}
		one := &r.Reached[at]
		one.Calls++
		if call.State == projections.CallFailed {
			one.Failed++
		}
		if one.Target != call.Target {
			one.Target = ""
		}
		if !seen[at] {
			seen[at] = true
			one.Runs++
		}
	}
}
