package workflow

// WorkflowDeleted takes away for good what the events of an archived workflow say: those of its stream before this one, of its
// runs and its conversations. Their digests stay.
type WorkflowDeleted struct {
	ID    string `json:"id"`
	Owner string `json:"owner,omitempty"`
	// How much there is of it.
	Payloads int64 `json:"payloads"`
	Runs     int   `json:"runs"`
	Threads  int   `json:"threads,omitempty"`
	// Used is what it used, which is paid for and counted against limits whether it is there or not.
	Used []Used `json:"used,omitempty"`
}

// Used is what a workflow used on a day.
type Used struct {
	Day    string `json:"day"` // 2026-03-01, in the workflow's time zone
	Runs   int    `json:"runs,omitempty"`
	Failed int    `json:"failed,omitempty"` // of the runs
	RunMS  int64  `json:"run_ms,omitempty"`
	Calls  int    `json:"calls,omitempty"`
	Tokens int64  `json:"tokens,omitempty"` // of models
	Micros int64  `json:"micros,omitempty"` // that agents cost, in millionths of a US dollar
}

// WorkflowErased says that it is done: nothing of what was said is in the log any more. It repeats what is still needed.
type WorkflowErased struct {
	Owner    string `json:"owner,omitempty"`
	Payloads int64  `json:"payloads"`
	Used     []Used `json:"used,omitempty"`
}
