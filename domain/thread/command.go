package thread

import (
	"encoding/json"
	"time"
)

// Command asks a thread for something. It is sealed. Where a command has a Claim, it is that of
// the node which works on the thread, and refused once another one does; 0 is for everybody else.
type Command interface{ command() }

// Open starts a thread.
type Open struct {
	Thread   string
	Workflow string
	Kind     string // maintainer or planner
	Task     string
	Title    string
}

// Claim lets a node work on the thread, unless another one holds it. Alone says that there is no other.
type Claim struct {
	Node       string
	LeaseUntil time.Time
	Alone      bool
}

// ExtendLease keeps the thread, or, with a time that has passed, gives it away.
type ExtendLease struct {
	Claim int
	Until time.Time
}

// AppendMessage adds a message, in Markdown. One that no append could hold is cut.
type AppendMessage struct {
	Claim int
	Role  string // system, user, assistant
	Text  string
}

// AppendAnswer adds a model's turn: what it said, what it took, and what it calls.
type AppendAnswer struct {
	Claim int
	Text  string
	Extra json.RawMessage // an object of the provider's own, or nil
	Usage Usage
	Calls []InvokeTool
}

// InvokeTool records a tool call of the agent.
type InvokeTool struct {
	Call string
	Tool string
	Args json.RawMessage
	// Extra is as in AppendAnswer.
	Extra json.RawMessage
}

// ReturnTool records the answer to a tool call.
type ReturnTool struct {
	Claim  int
	Call   string
	Result json.RawMessage
	Error  string
	End    bool
}

// JudgeCandidate records a fixer's candidate and the gate's verdict on it. Its number is counted.
type JudgeCandidate struct {
	Claim      int
	Fixer      string
	Comment    string
	Diff       string
	Verdict    string
	Divergence string
	Diverges   string
	Reasons    []string
}

// MissModel records that a provider gave no answer, and when it is asked again.
type MissModel struct {
	Claim   int
	Model   string
	Kind    string
	Status  int
	Code    string
	Detail  string
	RetryAt time.Time
	Usage   *Usage // of what nobody heard the end
}

// Close ends the thread. Its cost is at least what its messages say.
type Close struct {
	Claim   int
	Outcome string
	Tokens  int64
	CostUSD float64
}

func (Open) command()           {}
func (Claim) command()          {}
func (ExtendLease) command()    {}
func (AppendMessage) command()  {}
func (AppendAnswer) command()   {}
func (InvokeTool) command()     {}
func (ReturnTool) command()     {}
func (JudgeCandidate) command() {}
func (MissModel) command()      {}
func (Close) command()          {}

// claimed is the claim of who asks, 0 for nobody's.
func claimed(c Command) int {
	switch c := c.(type) {
	case ExtendLease:
		return c.Claim
	case AppendMessage:
		return c.Claim
	case AppendAnswer:
		return c.Claim
	case ReturnTool:
		return c.Claim
	case JudgeCandidate:
		return c.Claim
	case MissModel:
		return c.Claim
	case Close:
		return c.Claim
	}
	return 0
}
