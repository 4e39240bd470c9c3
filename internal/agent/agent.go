package agent

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Tool is what an agent may do. Run gets arguments that its schema allows. An error that Run returns
// is told to the model, as the answer to its call; a [*Fatal] one ends the agent. A panic is told, too, and the second one ends it.
type Tool struct {
	llm.Tool
	Run func(ctx context.Context, call string, args json.RawMessage) (Result, error)
}

// Result answers a tool call.
type Result struct {
	// Value is what the model is told: a JSON string as its text, anything else as JSON.
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

// Journal keeps what is said, durably, before the loop goes on. Its errors end the agent.
type Journal interface {
	// Answered keeps the model's turn: its text, its calls and what it cost. The ids of the calls
	// are unique in the conversation.
	Answered(ctx context.Context, answer llm.Answer) error
	// Returned keeps the answer to a tool call; with a problem there is no value.
	Returned(ctx context.Context, call llm.Call, result Result, problem string) error
	// Said keeps a message that the loop adds by itself, such as "your answer was cut".
	Said(ctx context.Context, message llm.Message) error
}

// Budget bounds one conversation, over all its lives, in what it does and not in how long that takes: a slow model is no worse one.
// A model that gives no answer at all ends by itself (internal/agent/llm). Zero values are the defaults.
type Budget struct {
	Turns   int     // answers of the model, default 6
	Tokens  int64   // input and output, of all turns, default 60,000
	CostUSD float64 // 0 for no bound in money
}

// Or is the budget with what was left zero taken from another one.
func (b Budget) Or(other Budget) Budget {
	return Budget{
		Turns: cmp.Or(b.Turns, other.Turns), Tokens: cmp.Or(b.Tokens, other.Tokens),
		CostUSD: cmp.Or(b.CostUSD, other.CostUSD),
	}
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
	// Ended says that a tool ended the agent in an earlier life: nothing is left to be done but
	// calls without an answer.
	Ended bool
}

// End is why an agent stopped.
type End string

// The ends.
const (
	Done      End = "done"      // a tool said so
	Silent    End = "silent"    // the model had nothing more to call
	OutOf     End = "budget"    // turns, tokens or money are used up: see Ended.Detail
	Repeating End = "repeating" // the same batch of calls three times
	Broken    End = "broken"    // tools panicked: see Ended.Detail
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
	// MaxTokens bounds one answer of the model, default 8192. Budgets are looked at between
	// turns only, so this is what one turn can add.
	MaxTokens int64
	// Implied is the call that a text without calls stands for: models that do not know how to
	// call a tool write down what they would have called it with. Nil for none.
	Implied func(text string) (llm.Call, bool)
}

// The default bounds of one conversation.
const (
	defaultTurns     = 6
	defaultTokens    = 60_000
	defaultMaxTokens = 8192

	// MaxResult is how many bytes of a tool's answer a model gets to see.
	MaxResult = 8 << 10
	// maxProblem is how many bytes of what went wrong it gets to see.
	maxProblem = 3 << 10
	// maxToldOfCall is how many bytes of it people get to see where that ended the agent.
	maxToldOfCall = 500
	// maxEcho is how much of malformed arguments is repeated, in characters.
	maxEcho = 800
	// maxBatch is how many calls of one answer are carried out, and maxKept how many are kept.
	maxBatch = 16
	maxKept  = 64
	// maxArguments is how many bytes of arguments one answer may have, in all its calls.
	maxArguments = 128 << 10
	// mostPanics is how many calls may panic.
	mostPanics = 2
	// sameBatches is how often the same calls may come: not more than twice.
	sameBatches = 3
)

func (c *Config) setDefaults() {
	c.Budget = c.Budget.Or(Budget{Turns: defaultTurns, Tokens: defaultTokens})
	if c.MaxTokens == 0 {
		c.MaxTokens = defaultMaxTokens
	}
}
