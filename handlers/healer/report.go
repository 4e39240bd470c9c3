package healer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
)

// ReportPath is where the trajectory of a healing is written when it has ended.
func (h *Healer) ReportPath(id string, healing int) string {
	return filepath.Join(h.place(id), fmt.Sprintf("healing-%d.trajectory.json", healing))
}

// report writes a healing as a trajectory, so that other tools can read it beside the one that it is linked to.
func (h *Healer) report(ctx context.Context, id string, healing int) error {
	var recorded []event.Recorded
	for one, err := range h.config.Commands.History(ctx, []string{session.Stream(id)}) {
		if err != nil {
			return err
		}
		recorded = append(recorded, one)
	}
	var text bytes.Buffer
	if err := atif.Write(&text, Trajectory(id, healing, recorded)); err != nil {
		return err
	}
	path := h.ReportPath(id, healing)
	if err := os.WriteFile(path+".new", text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("healer: write the report: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("healer: write the report: %w", err)
	}
	return nil
}

// Trajectory is a healing as others read it. Its first step refers to the trajectory that failed.
func Trajectory(id string, healing int, recorded []event.Recorded) atif.Trajectory {
	t := atif.Trajectory{
		SessionID: id, TrajectoryID: fmt.Sprintf("%s-healing-%d", id, healing), Agent: atif.Agent{Name: "kintsugi-healer", Version: "1"},
		Extra: map[string]any{"session": id, "healing": healing},
	}
	byRules := 0
	step := func(at time.Time, source, message string) *atif.Step {
		t.Steps = append(t.Steps, atif.Step{Timestamp: &atif.Time{Time: at}, Source: source, Message: atif.Text(message)})
		return &t.Steps[len(t.Steps)-1]
	}
	call := func(cast int) string { return fmt.Sprintf("cast-%d", cast) }
	for _, one := range recorded {
		at := one.Metadata.RecordedAt
		switch e := one.Event.(type) {
		case session.HealerInvoked:
			if e.Healing != healing {
				continue
			}
			made := step(at, atif.User, fmt.Sprintf("%s: %s %s\n%s", e.Failure.Trigger, e.Failure.Check.Name, e.Failure.Says, e.Failure.Tail))
			if e.Failure.Trajectory != "" {
				made.Observation = &atif.Observation{Results: []atif.Result{{
					Content: "what failed", Agents: []atif.Reference{{SessionID: e.Failure.TrajectoryID, Path: e.Failure.Trajectory}},
				}}}
				t.Extra["heals"] = map[string]any{"session_id": e.Failure.TrajectoryID, "trajectory_path": e.Failure.Trajectory}
			}
		case session.SpellStarted:
			if e.Healing != healing {
				continue
			}
			arguments, err := json.Marshal(map[string]string{"note": e.Note})
			if err != nil {
				arguments = json.RawMessage("{}") // no text is refused
			}
			made := step(at, atif.Doer, e.Note)
			made.Extra = map[string]any{"by": e.By}
			if e.By == session.Rules {
				made.Inferences = &byRules
			}
			made.ToolCalls = []atif.ToolCall{{ID: call(e.Cast), Function: string(e.Spell), Arguments: arguments}}
		case session.SpellApplied:
			if e.Healing == healing && len(t.Steps) > 0 {
				made := &t.Steps[len(t.Steps)-1]
				made.Observation = &atif.Observation{Results: []atif.Result{{Call: call(e.Cast), Content: atif.Text(e.Detail)}}}
				made.Extra = map[string]any{"by": made.Extra["by"], "applied": e.Applied, "changed": e.Changed, "kept": e.Kept, "undo": e.Undo}
			}
		case session.HealerAdvised:
			if e.Healing == healing {
				step(at, atif.Doer, e.Says)
			}
		case session.CheckRan:
			if e.Healing == healing {
				made := step(at, atif.System, fmt.Sprintf("The server ran %s: %s", e.Check.Name, e.Says))
				made.Observation = &atif.Observation{Results: []atif.Result{{Content: atif.Text(e.Tail)}}}
				made.Extra = map[string]any{"passed": e.Passed, "head": e.Head, "clean": e.Clean}
			}
		case session.HealerConcluded:
			if e.Healing == healing {
				step(at, atif.System, fmt.Sprintf("%s: %s", e.Outcome, e.Reason))
				t.Extra["outcome"], t.Extra["flaky"] = e.Outcome, e.Flaky
			}
		}
	}
	return t
}
