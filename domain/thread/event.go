package thread

import (
	"encoding/json"
	"time"
)

// ThreadOpened starts what an agent says about one task.
type ThreadOpened struct {
	Thread   string `json:"thread"`
	Workflow string `json:"workflow"`
	Kind     string `json:"kind"` // maintainer or planner
	Task     string `json:"task"`
	Title    string `json:"title"`
}

// ThreadClaimed says which node works on the thread from now on. Later words of an earlier claim are
// refused.
type ThreadClaimed struct {
	Claim      int       `json:"claim"` // from 1
	Node       string    `json:"node"`
	LeaseUntil time.Time `json:"lease_until"`
}

// ThreadLeaseExtended is the sign of life of who claimed the thread; one in the past gives it away.
type ThreadLeaseExtended struct {
	Until time.Time `json:"until"`
}

// MessageAppended is one message, in Markdown. A system message begins a conversation: the agent's context and its
// spending are counted from there.
type MessageAppended struct {
	Role string `json:"role"` // system, user, assistant
	Text string `json:"text"`
	// Usage is of a model's answer.
	Usage *Usage `json:"usage,omitempty"`
	// Extra is what else the provider said in it, an object that goes back to it as it came.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// Usage is what a model's answer took.
type Usage struct {
	Model     string  `json:"model"` // as the provider names it
	Input     int64   `json:"input"` // tokens
	Cached    int64   `json:"cached,omitempty"`
	Output    int64   `json:"output"`
	Estimated bool    `json:"estimated,omitempty"`
	CostUSD   float64 `json:"cost_usd,omitempty"`
}

// ToolInvoked is a tool call of the agent. Arguments that are no JSON object are a JSON string of
// what the model wrote.
type ToolInvoked struct {
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Extra is as in MessageAppended.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// ToolResulted is the answer to it.
type ToolResulted struct {
	Call   string          `json:"call"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	// End says that the agent has what it came for.
	End bool `json:"end,omitempty"`
}

// CandidateJudged records a fixer's candidate and the gate's verdict on it.
type CandidateJudged struct {
	Candidate  int      `json:"candidate"` // from 1, in the order they were tried
	Fixer      string   `json:"fixer"`
	Comment    string   `json:"comment"`
	Diff       string   `json:"diff"` // unified, against the base version
	Verdict    string   `json:"verdict"`
	Divergence string   `json:"divergence,omitempty"`
	Diverges   string   `json:"diverges,omitempty"` // the recorded run that comes out differently
	Reasons    []string `json:"reasons,omitempty"`
}

// ModelUnavailable records that a provider gave no answer. It says nothing about the script, and is
// no attempt to mend it.
type ModelUnavailable struct {
	Model  string `json:"model"`
	Kind   string `json:"kind"` // unavailable, quota, refused, malformed
	Status int    `json:"status,omitempty"`
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Try counts the failures since the last answer, from 1; Since is when the first of them was.
	Try     int       `json:"try"`
	Since   time.Time `json:"since"`
	RetryAt time.Time `json:"retry_at"`
	// Usage is what requests took, at most, of which nobody heard the end.
	Usage *Usage `json:"usage,omitempty"`
}

// ThreadClosed ends the thread.
type ThreadClosed struct {
	Outcome string  `json:"outcome"`
	Tokens  int64   `json:"tokens,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"`
}
