// Package atif reads and writes trajectories in the Agent Trajectory Interchange Format: what an agent was told, said, called
// and saw, as one JSON document. It is read leniently, for each agent writes its own dialect of it, and written as version 1.7
// has it. The lines that Claude Code writes of a session are read, too.
//
//	trajectory, err := atif.Read(file)
//	failed := trajectory.FailedTools()
package atif

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Version is the version that is written.
const Version = "ATIF-v1.7"

// maxSize bounds what is read, in bytes.
const maxSize = 64 << 20

// Trajectory is what an agent did in a session.
type Trajectory struct {
	SchemaVersion string         `json:"schema_version"`
	SessionID     string         `json:"session_id,omitempty"`    // of the work, which may have several trajectories
	TrajectoryID  string         `json:"trajectory_id,omitempty"` // of this one
	Agent         Agent          `json:"agent"`
	Steps         []Step         `json:"steps"`
	Notes         string         `json:"notes,omitempty"`
	FinalMetrics  *Metrics       `json:"final_metrics,omitempty"`
	Extra         map[string]any `json:"extra,omitempty"`
	Subagents     []Trajectory   `json:"subagent_trajectories,omitempty"`
}

// Agent is who did it.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Model   string `json:"model_name,omitempty"`
}

// Metrics sum up a trajectory.
type Metrics struct {
	Steps int `json:"total_steps"`
}

// The sources of a step.
const (
	System = "system"
	User   = "user"
	Doer   = "agent"
)

// Step is one step.
type Step struct {
	ID          int          `json:"step_id"` // from 1
	Timestamp   *Time        `json:"timestamp,omitempty"`
	Source      string       `json:"source"`
	Model       string       `json:"model_name,omitempty"`
	Message     Text         `json:"message"`
	Reasoning   string       `json:"reasoning_content,omitempty"`
	ToolCalls   []ToolCall   `json:"tool_calls,omitempty"`
	Observation *Observation `json:"observation,omitempty"`
	// Inferences is how often a model was asked for the step; 0 for a step of the agent that followed from rules.
	Inferences *int `json:"llm_call_count,omitempty"`
	// Extra is for what the format has no name for.
	Extra map[string]any `json:"extra,omitempty"`
}

// Time is when a step was: UTC if it names no zone, as other programs write it, and the zero time if it is none.
type Time struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Time) UnmarshalJSON(b []byte) error {
	var text string
	_ = json.Unmarshal(b, &text) // one that is no text is no time, and no reason to refuse all else
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.DateTime} {
		if at, err := time.Parse(form, text); err == nil {
			t.Time = at
			break
		}
	}
	return nil
}

// MarshalJSON implements [json.Marshaler]: to the millisecond, in UTC, which every reader of ISO 8601 knows.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// ToolCall is a call of a tool.
type ToolCall struct {
	ID        string          `json:"tool_call_id"`
	Function  string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Observation is what came back.
type Observation struct {
	Results []Result `json:"results"`
}

// Result is what came back of one call, or of something that no call asked for.
type Result struct {
	Call    string         `json:"source_call_id,omitempty"`
	Content Text           `json:"content,omitempty"`
	IsError bool           `json:"is_error,omitempty"` // as some agents say it; it is in no version of the format
	Agents  []Reference    `json:"subagent_trajectory_ref,omitempty"`
	Extra   map[string]any `json:"extra,omitempty"`
}

// Reference names another trajectory.
type Reference struct {
	TrajectoryID string         `json:"trajectory_id,omitempty"` // of one in the same document
	SessionID    string         `json:"session_id,omitempty"`
	Path         string         `json:"trajectory_path,omitempty"`
	Extra        map[string]any `json:"extra,omitempty"`
}

// Text is a text; of later versions, which have parts, those that are text.
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(b []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &parts) == nil {
		var all []string
		for _, part := range parts {
			all = append(all, part.Text)
		}
		*t = Text(strings.Join(all, "\n"))
		return nil
	}
	var text *string
	switch isText := json.Unmarshal(b, &text) == nil; {
	case !isText:
		*t = Text(b) // an object of somebody's own
	case text != nil:
		*t = Text(*text)
	}
	return nil
}

// Read reads a trajectory.
func Read(from io.Reader) (Trajectory, error) {
	var t Trajectory
	text, err := io.ReadAll(io.LimitReader(from, maxSize+1))
	switch {
	case err != nil:
		return t, fmt.Errorf("atif: %w", err)
	case len(text) > maxSize:
		return t, fmt.Errorf("atif: the trajectory is larger than %d MiB", maxSize>>20)
	}
	if err := json.Unmarshal(text, &t); err != nil || len(t.Steps) == 0 {
		if lines, is := readClaudeCode(text); is {
			return lines, nil
		}
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("atif: this is no trajectory: %w", err)
	}
	if !strings.HasPrefix(t.SchemaVersion, "ATIF-v") && len(t.Steps) == 0 {
		return t, fmt.Errorf("atif: this is no trajectory: schema_version is %q and there are no steps", t.SchemaVersion)
	}
	return t, nil
}

// Counted is a trajectory as it is written: of the version of the format that this package writes, its steps counted.
func (t Trajectory) Counted() Trajectory {
	t.SchemaVersion, t.FinalMetrics = Version, &Metrics{Steps: len(t.Steps)}
	t.Steps = slices.Clone(t.Steps)
	for i := range t.Steps {
		t.Steps[i].ID = i + 1
	}
	return t
}

// Write writes a trajectory, its steps counted.
func Write(to io.Writer, t Trajectory) error {
	t = t.Counted()
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(t); err != nil {
		return fmt.Errorf("atif: %w", err)
	}
	return nil
}

// repeatedly is how often a tool fails in a row before it is told of.
const repeatedly = 3

// FailedTools are tools whose calls failed three times in a row or more, in the order of the calls.
func (t Trajectory) FailedTools() []string {
	var failed []string
	names, row := map[string]string{}, map[string]int{}
	for _, step := range t.Steps {
		for _, call := range step.ToolCalls {
			names[call.ID] = call.Function
		}
		if step.Observation == nil {
			continue
		}
		for _, result := range step.Observation.Results {
			name, known := names[result.Call]
			if !known {
				continue
			}
			if !result.failed() {
				row[name] = 0
				continue
			}
			if row[name]++; row[name] >= repeatedly && !slices.Contains(failed, name) {
				failed = append(failed, name)
			}
		}
	}
	return failed
}

// maxAgents is how many sub-agents are named.
const maxAgents = 20

// FailedAgents are the sub-agents that did not come to a good end, in the order of their calls: by the result of the call, or by the
// last call that they made themselves. open reads the trajectory of one that is in another file; nil reads none.
func (t Trajectory) FailedAgents(open func(path string) (Trajectory, error)) []string {
	var failed []string
	for _, step := range t.Steps {
		if step.Observation == nil {
			continue
		}
		for _, result := range step.Observation.Results {
			for _, ref := range result.Agents {
				name, bad := cmp.Or(ref.TrajectoryID, ref.SessionID, ref.Path), result.failed()
				at := slices.IndexFunc(t.Subagents, func(one Trajectory) bool { return one.TrajectoryID != "" && one.TrajectoryID == ref.TrajectoryID })
				switch {
				case at >= 0:
					name, bad = t.Subagents[at].called(name), bad || t.Subagents[at].endsBadly()
				case ref.Path != "" && open != nil:
					if other, err := open(ref.Path); err == nil { // without it only the result counts
						name, bad = other.called(name), bad || other.endsBadly()
					}
				}
				if bad && name != "" && !slices.Contains(failed, name) && len(failed) < maxAgents {
					failed = append(failed, name)
				}
			}
		}
	}
	return failed
}

// called is what the agent of a trajectory is called, with what it is referred to by.
func (t Trajectory) called(by string) string {
	if t.Agent.Name == "" || t.Agent.Name == by {
		return by
	}
	return t.Agent.Name + " (" + by + ")"
}

// endsBadly says that the last call of a trajectory failed, or that one did again and again.
func (t Trajectory) endsBadly() bool {
	for _, step := range slices.Backward(t.Steps) {
		if step.Observation != nil && len(step.Observation.Results) > 0 {
			return step.Observation.Results[len(step.Observation.Results)-1].failed() || len(t.FailedTools()) > 0
		}
	}
	return false
}

// failed says that a call failed: by the word of its result, or as tools put it whose agents have no word for it.
func (r Result) failed() bool {
	if is, said := r.Extra["is_error"].(bool); said {
		return is
	}
	start := strings.ToLower(strings.TrimSpace(string(r.Content)))
	return r.IsError || strings.HasPrefix(start, "error") || strings.HasPrefix(start, "<error>") || strings.HasPrefix(start, "traceback (most recent call last)") ||
		strings.HasPrefix(start, "exit code: ") && !strings.HasPrefix(start, "exit code: 0")
}
