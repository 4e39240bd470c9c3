package healer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// timedOut is how a program ended that took too long, as its launch says it.
var timedOut = launch.Ended{Reason: launch.TimedOut}.String()

// fromTrajectory adds what an agent's own record of its session says.
func fromTrajectory(path string, f *session.Failure) error {
	trajectory, err := readTrajectory(path)
	if err != nil {
		return fault.New(fault.Invalid, "%s: %w", path, err)
	}
	f.Trajectory, f.TrajectoryID, f.Repeated = path, trajectory.SessionID, trajectory.FailedTools()
	// Only what lies beside it is read: an agent names these files.
	f.Subagents = trajectory.FailedAgents(func(other string) (atif.Trajectory, error) { return readBeside(path, other) })
	if f.AgentSession == "" {
		f.AgentSession = trajectory.SessionID
	}
	return nil
}

func readTrajectory(path string) (atif.Trajectory, error) {
	return readBeside(path, filepath.Base(path))
}

// readBeside reads a trajectory in the directory of another, and nothing that is not in there.
func readBeside(path, name string) (t atif.Trajectory, err error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return t, err
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() { // a pipe of the agent's would be waited for
		return t, cmp.Or(err, errors.New("it is no file"))
	}
	file, err := root.Open(name)
	if err != nil {
		return t, err
	}
	defer file.Close()
	return atif.Read(file)
}

// The bounds of the parts of a prompt, in bytes.
const (
	maxProgress = 4 << 10
	maxStatus   = 4 << 10
	lastSteps   = 12
	maxStep     = 1200
)

// caseText is all that is known about a failure, for a model: texts of others are in blocks that they cannot leave.
func (h *Healer) caseText(ctx context.Context, state session.State, healing session.Healing) (string, error) {
	f := healing.Failure
	var text strings.Builder
	fmt.Fprintf(&text, "Trigger: %s. It looks like: %s.\n", f.Trigger, f.Kind)
	if f.Subtask != "" {
		fmt.Fprintf(&text, "Subtask: %s\n", f.Subtask)
	}
	fmt.Fprintf(&text, "The check: %s %s. It ended: %s\n", f.Check.Name, f.Check.Command, f.Says)
	if healing.Same {
		text.WriteString("It failed exactly like this before in this session.\n")
	}
	_, tree, err := h.open(ctx, state)
	if err != nil {
		return "", err
	}
	status, err := tree.Status(ctx)
	if err != nil {
		return "", err
	}
	// Uncommitted work may be why it fails where it passed.
	if status == "" && flaky(state, healing) {
		text.WriteString("This check has both passed and failed on the same commit: it may be flaky.\n")
	}
	for _, tool := range f.Repeated {
		fmt.Fprintf(&text, "The agent's tool %s failed three times in a row or more.\n", tool)
	}
	for _, agent := range f.Subagents {
		fmt.Fprintf(&text, "A sub-agent of it failed: %s.\n", oneLine(agent))
	}
	if f.Unread != "" {
		fmt.Fprintf(&text, "What the agent did is not known: %s\n", oneLine(f.Unread))
	}
	for _, one := range state.Healings {
		if one.Ended != nil {
			fmt.Fprintf(&text, "Healing %d (%s): %s. %s\n", one.Healing, one.Failure.Trigger, one.Ended.Outcome, oneLine(one.Ended.Reason))
		}
	}
	fmt.Fprintf(&text, "Policy: %s, clean %t, hard_reset %t.\n\n", state.Policy.Mode, state.Policy.Clean, state.Policy.HardReset)
	text.WriteString(llm.Fence("output", f.Tail) + "\n")
	text.WriteString(llm.Fence("git status", head(status, maxStatus)) + "\n")
	progress, err := progressOf(state)
	if err != nil {
		return "", err
	}
	if progress != "" {
		text.WriteString(llm.Fence("progress file", progress) + "\n")
	}
	if f.Trajectory != "" {
		if trajectory, err := readTrajectory(f.Trajectory); err == nil { // it may be gone by now
			text.WriteString(llm.Fence("the agent's last steps", lastOf(trajectory)) + "\n")
		}
	}
	return text.String(), nil
}

// flaky says that the check that failed had passed on the same commit.
func flaky(state session.State, healing session.Healing) bool {
	return slices.ContainsFunc(state.Green, func(green session.CheckRan) bool {
		return green.Check == healing.Failure.Check && green.Head == healing.Head
	})
}

// progressOf is the end of the progress file.
func progressOf(state session.State) (string, error) {
	root, err := os.OpenRoot(state.Worktree)
	if err != nil {
		return "", fmt.Errorf("healer: %w", err)
	}
	defer root.Close()
	text, err := root.ReadFile(state.Policy.Progress)
	if err != nil { // there is none, or it leads out of the repository
		return "", nil
	}
	return strings.ToValidUTF8(string(text[max(0, len(text)-maxProgress):]), "�"), nil
}

func head(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// lastOf tells the end of a trajectory.
func lastOf(t atif.Trajectory) string {
	var text strings.Builder
	for _, step := range t.Steps[max(0, len(t.Steps)-lastSteps):] {
		fmt.Fprintf(&text, "%d %s: %s\n", step.ID, step.Source, head(string(step.Message), maxStep))
		for _, call := range step.ToolCalls {
			fmt.Fprintf(&text, "  %s %s\n", call.Function, head(string(call.Arguments), maxStep))
		}
		if step.Observation != nil {
			for _, result := range step.Observation.Results {
				fmt.Fprintf(&text, "  -> %s\n", head(string(result.Content), maxStep))
			}
		}
	}
	return text.String()
}
