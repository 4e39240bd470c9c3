package thread

import "time"

// State is a thread, folded from its stream. The zero State is a thread that nobody has opened.
type State struct {
	Thread   string
	Workflow string
	Kind     string
	Task     string
	Title    string

	Claim      int    // the newest
	Node       string // whose it is
	LeaseUntil time.Time

	Messages   int
	Candidates int
	Pending    []string // tool calls without an answer
	Missing    *Missing // why there is no answer of the model; nil after an answer

	Closed  bool
	Outcome string
	Tokens  int64 // of all models' answers
	CostUSD float64
}

// Missing is a model that does not answer.
type Missing struct {
	Model   string
	Kind    string
	Detail  string
	Tries   int
	Since   time.Time
	RetryAt time.Time
}

// Opened says that the thread exists.
func (s State) Opened() bool { return s.Thread != "" }
