package thread

import "encoding/json"

// ThreadOpened starts what an agent says about one task.
type ThreadOpened struct {
	Thread   string `json:"thread"`
	Workflow string `json:"workflow"`
	Kind     string `json:"kind"` // maintainer or planner
	Task     string `json:"task"`
	Title    string `json:"title"`
}

// MessageAppended is one message, in Markdown.
type MessageAppended struct {
	Role string `json:"role"` // system, user, assistant
	Text string `json:"text"`
}

// ToolInvoked is a tool call of the agent.
type ToolInvoked struct {
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// ToolResulted is the answer to it.
type ToolResulted struct {
	Call   string          `json:"call"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// CandidateJudged records a fixer's candidate and the gate's verdict on it.
type CandidateJudged struct {
	Candidate  int      `json:"candidate"` // from 1, in the order they were tried
	Fixer      string   `json:"fixer"`
	Comment    string   `json:"comment"`
	Diff       string   `json:"diff"` // unified, against the base version
	Verdict    string   `json:"verdict"`
	Divergence string   `json:"divergence,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
}

// ThreadClosed ends the thread.
type ThreadClosed struct {
	Outcome string  `json:"outcome"`
	Tokens  int64   `json:"tokens,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"`
}
