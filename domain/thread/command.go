package thread

import "encoding/json"

// Command asks a thread for something. It is sealed.
type Command interface{ command() }

// Open starts a thread.
type Open struct {
	Thread   string
	Workflow string
	Kind     string // maintainer or planner
	Task     string
	Title    string
}

// AppendMessage adds a message, in Markdown. One that no append could hold is cut.
type AppendMessage struct {
	Role string // system, user, assistant
	Text string
}

// InvokeTool records a tool call of the agent.
type InvokeTool struct {
	Call string
	Tool string
	Args json.RawMessage
}

// ReturnTool records the answer to a tool call.
type ReturnTool struct {
	Call   string
	Result json.RawMessage
	Error  string
}

// JudgeCandidate records a fixer's candidate and the gate's verdict on it. Its number is counted.
type JudgeCandidate struct {
	Fixer      string
	Comment    string
	Diff       string
	Verdict    string
	Divergence string
	Reasons    []string
}

// Close ends the thread.
type Close struct {
	Outcome string
	Tokens  int64
	CostUSD float64
}

func (Open) command()           {}
func (AppendMessage) command()  {}
func (InvokeTool) command()     {}
func (ReturnTool) command()     {}
func (JudgeCandidate) command() {}
func (Close) command()          {}
