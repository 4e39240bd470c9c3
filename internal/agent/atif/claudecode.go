package atif

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// claudeLine is a line of the file in which Claude Code keeps a session.
type claudeLine struct {
	SessionID string `json:"sessionId"`
	Version   string `json:"version"`
	Timestamp *Time  `json:"timestamp"`
	Sidechain bool   `json:"isSidechain"` // of a sub-agent, whose end the call that began it has
	Message   struct {
		Role    string          `json:"role"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// claudePart is a part of a message.
type claudePart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	Of       string          `json:"tool_use_id"`
	Content  Text            `json:"content"`
	IsError  bool            `json:"is_error"`
}

// readClaudeCode reads the lines that Claude Code writes. False says that they are none of it. A last line that is torn, for the agent
// was ended while it wrote, is left out.
func readClaudeCode(text []byte) (Trajectory, bool) {
	t := Trajectory{SchemaVersion: Version, Agent: Agent{Name: "claude-code"}}
	calls := map[string]int{} // the step of each call
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for i, line := range lines {
		var one claudeLine
		if err := json.Unmarshal(line, &one); err != nil {
			if i == len(lines)-1 && i > 0 {
				break
			}
			return t, false
		}
		t.SessionID, t.Agent.Version = cmp.Or(t.SessionID, one.SessionID), cmp.Or(t.Agent.Version, one.Version)
		if one.Sidechain || one.Message.Role == "" {
			continue
		}
		t.Agent.Model = cmp.Or(t.Agent.Model, one.Message.Model)
		t.add(one, calls)
	}
	return t, t.SessionID != "" && len(t.Steps) > 0
}

// add adds what a line says: a step, or results of an earlier one.
func (t *Trajectory) add(line claudeLine, calls map[string]int) {
	step := Step{ID: len(t.Steps) + 1, Timestamp: line.Timestamp, Source: User}
	if line.Message.Role == "assistant" {
		step.Source, step.Model = Doer, line.Message.Model
	}
	var parts []claudePart
	if json.Unmarshal(line.Message.Content, &parts) != nil {
		_ = json.Unmarshal(line.Message.Content, &step.Message) // a text; of anything else it keeps the JSON
	}
	results := false
	for _, part := range parts {
		switch part.Type {
		case "text":
			step.Message = join(step.Message, part.Text)
		case "thinking":
			step.Reasoning = string(join(Text(step.Reasoning), part.Thinking))
		case "tool_use":
			step.ToolCalls = append(step.ToolCalls, ToolCall{ID: part.ID, Function: part.Name, Arguments: part.Input})
			calls[part.ID] = len(t.Steps)
		case "tool_result":
			at, known := calls[part.Of]
			if results = true; !known {
				continue
			}
			of := &t.Steps[at]
			if of.Observation == nil {
				of.Observation = &Observation{}
			}
			of.Observation.Results = append(of.Observation.Results, Result{
				Call: part.Of, Content: part.Content, Agents: subagentOf(of.ToolCalls, part.Of), Extra: map[string]any{"is_error": part.IsError},
			})
		}
	}
	if !results || step.Message != "" {
		t.Steps = append(t.Steps, step)
	}
}

// subagentOf names the sub-agent that a call gave work to; nothing for other calls.
func subagentOf(calls []ToolCall, id string) []Reference {
	for _, call := range calls {
		var given struct {
			Kind string `json:"subagent_type"`
		}
		if call.ID == id && json.Unmarshal(call.Arguments, &given) == nil && given.Kind != "" {
			return []Reference{{TrajectoryID: given.Kind}}
		}
	}
	return nil
}

func join(text Text, more string) Text {
	if text == "" {
		return Text(more)
	}
	return text + "\n" + Text(more)
}
