package llm

import (
	"context"
	"encoding/json"
)

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role  string
	Text  string
	Calls []Call // of the assistant
	Call  string // of a tool: the id of the call that it answers
	// Extra is what else the provider said in this turn of the assistant, a JSON object or nil. It is
	// sent back as it came.
	Extra json.RawMessage
}

// Call is a tool call as the model wrote it: Arguments may be anything, also no JSON.
type Call struct {
	ID        string
	Tool      string
	Arguments string
	Extra     json.RawMessage // as in [Message]
}

// Tool is what a model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
}

// Request is the whole conversation so far: nothing is kept at the provider.
type Request struct {
	Messages    []Message
	Tools       []Tool
	Temperature float64
	MaxTokens   int64 // of the answer; 0 for the default of the client
	// Heard is told the answer as it comes, one piece after the other; nil to wait for the whole.
	Heard func(Delta)
}

// Delta is a piece of an answer under way. It counts for nothing until the answer is whole.
type Delta struct {
	Text     string // of what the model says
	Tool     string // a call of it begins
	Thinking bool   // it goes on, with nothing to show
	Again    bool   // what was heard is void: the request is sent again
}

// Usage counts tokens. Cached ones are among Input.
type Usage struct {
	Input     int64
	Cached    int64
	Output    int64
	Estimated bool // the provider did not say: counted here, from bytes
	CostUSD   float64
}

// Answer is the model's turn.
type Answer struct {
	Text  string
	Calls []Call
	Model string          // as the provider names it
	Extra json.RawMessage // as in [Message]
	// Cut says that the answer ended at the limit of tokens.
	Cut   bool
	Usage Usage
}

// Model answers requests. Its errors are [*Error], or the context's.
type Model interface {
	// Name is the model's name, as people configured it.
	Name() string
	Chat(ctx context.Context, request Request) (Answer, error)
}

// Kind is why a provider gave no answer.
type Kind string

// The kinds of errors. None of them says anything about a script: none counts as an attempt to mend it.
const (
	Unavailable Kind = "unavailable" // network, time-out, 5xx, overloaded: later it may answer
	Quota       Kind = "quota"       // no money or no quota: a person must act
	Refused     Kind = "refused"     // wrong key, unknown model, no right: a person must act
	Invalid     Kind = "invalid"     // the request cannot be answered: too long, a parameter it does not know
	Malformed   Kind = "malformed"   // what came back is no answer
)

// Error is a provider's failure. It holds nothing of the request's headers: no key.
type Error struct {
	Kind   Kind
	Status int    // of HTTP, 0 if there was none
	Code   string // as the provider names it
	Param  string // what of the request it refuses, if it says so
	Detail string
	// Usage is what requests took that nobody heard the end of: a provider writes on, and is paid.
	Usage Usage
}
