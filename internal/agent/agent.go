package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/llm"
)

// Tool is what an agent may do. Run gets arguments that its schema allows. An error that Run returns
// is told to the model, as the answer to its call; a [*Fatal] one ends the agent.
type Tool struct {
	llm.Tool
	Run func(ctx context.Context, call string, args json.RawMessage) (Result, error)
}

// Result answers a tool call.
type Result struct {
	Value json.RawMessage
	// End ends the agent after this batch: it has what it came for, or waits for a person.
	End bool
}

// Fatal is an error that is none of the model's business: ours, or the context's.
type Fatal struct{ Err error }

// Error implements error.
func (f *Fatal) Error() string { return f.Err.Error() }

// Unwrap gives the cause.
func (f *Fatal) Unwrap() error { return f.Err }

// Journal keeps what is said, durably, before the loop goes on.
type Journal interface {
	// Answered keeps the model's turn: its text, its calls and what it cost.
	Answered(ctx context.Context, answer llm.Answer) error
	// Returned keeps the answer to a tool call.
	Returned(ctx context.Context, call llm.Call, result json.RawMessage, problem string) error
	// Said keeps a message that the loop adds by itself, such as "use a tool".
	Said(ctx context.Context, message llm.Message) error
}

// Budget bounds one conversation, over all its lives. Zero values are the defaults.
type Budget struct {
	Turns   int           // answers of the model
	Tokens  int64         // input and output, of all turns
	CostUSD float64       // 0 for no bound in money
	Time    time.Duration // at work, of this life
}

// Spent is what a conversation has used.
type Spent struct {
	Turns   int
	Tokens  int64
	CostUSD float64
}

// Conversation is what an agent starts from: a system prompt and a task, or, after a crash or a
// person's answer, all that was said before. Calls without an answer are carried out first.
type Conversation struct {
	Messages []llm.Message
	Spent    Spent
}

// End is why an agent stopped.
type End string

// The ends.
const (
	Done      End = "done"      // a tool said so
	Silent    End = "silent"    // the model had nothing more to call
	OutOf     End = "budget"    // turns, tokens, money or time are used up: see Ended.Detail
	Repeating End = "repeating" // the same batch of calls three times
)

// Ended is how a conversation ended. Message is the model's last text, for people.
type Ended struct {
	Why     End
	Detail  string
	Message string
	Spent   Spent
}

// Config is an agent.
type Config struct {
	Model       llm.Model
	Tools       []Tool
	Journal     Journal
	Budget      Budget
	Temperature float64
	Now         func() time.Time
}
