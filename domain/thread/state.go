package thread

// State is a thread, folded from its stream. The zero State is a thread that nobody has opened.
type State struct {
	Thread   string
	Workflow string
	Kind     string
	Task     string
	Title    string

	Messages   int
	Candidates int
	Pending    []string // tool calls without an answer

	Closed  bool
	Outcome string
	Tokens  int64
	CostUSD float64
}

// Opened says that the thread exists.
func (s State) Opened() bool { return s.Thread != "" }
