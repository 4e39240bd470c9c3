package session

// SessionOpened begins a session: where it works, and what the Healer may do there.
type SessionOpened struct {
	ID         string `json:"id"`
	Repository string `json:"repository"` // the top of its main worktree
	Worktree   string `json:"worktree"`
	Host       string `json:"host"`            // the machine that has it
	Place      string `json:"place,omitempty"` // the data directory of the node that heals it; empty for any of the machine
	Plan       string `json:"plan,omitempty"`  // whose job Job this is; empty for no plan
	Job        string `json:"job,omitempty"`
	Policy     Policy `json:"policy"`
}

// FailureKind is what a failure looks like.
type FailureKind string

// The kinds of failure.
const (
	KindTypecheck   FailureKind = "typecheck"
	KindTest        FailureKind = "test"
	KindEnvironment FailureKind = "environment"
	KindTimeout     FailureKind = "timeout"
	KindDirty       FailureKind = "dirty"
	KindOther       FailureKind = "other"
)

// Failure is what the Healer is called for, as the server saw it.
type Failure struct {
	Trigger Trigger     `json:"trigger"`
	Subtask string      `json:"subtask,omitempty"` // or job
	Task    string      `json:"task,omitempty"`    // what the agent had been told
	Check   Check       `json:"check"`             // that failed, and that is run again
	Kind    FailureKind `json:"kind"`
	Says    string      `json:"says"` // how it ended
	Code    int         `json:"code"`
	Tail    string      `json:"tail,omitempty"` // the end of its output
	// Agent says that an agent failed, and not the check: that alone does not show that it is mended.
	Agent bool `json:"agent,omitempty"`
	// Fingerprint is the same for what failed the same way.
	Fingerprint string   `json:"fingerprint"`
	Files       []string `json:"files,omitempty"` // that the output names
	// AgentSession is the agent's own id of its session, Trajectory the file with what it did.
	AgentSession string `json:"agent_session,omitempty"`
	Trajectory   string `json:"trajectory,omitempty"`
	TrajectoryID string `json:"trajectory_id,omitempty"`
	// Repeated are tools that failed again and again, Subagents agents to whom it gave work and who failed.
	Repeated  []string `json:"repeated,omitempty"`
	Subagents []string `json:"subagents,omitempty"`
	// Unread is why nothing is known of what the agent did: its trajectory cannot be read.
	Unread string `json:"unread,omitempty"`
}

// Planner is who chooses the spells.
type Planner string

// The planners.
const (
	Rules Planner = "rules"
	Model Planner = "model"
)

// HealerInvoked says that the Healer was called.
type HealerInvoked struct {
	Healing int     `json:"healing"` // counts up within the session
	Failure Failure `json:"failure"`
	Planner Planner `json:"planner"`
	Head    string  `json:"head"`           // the commit that the worktree was on
	Branch  string  `json:"branch"`         // empty for none
	Same    bool    `json:"same,omitempty"` // it failed like this before
}

// SpellStarted says that a spell is about to be applied. If the server dies now it is applied again, which every spell bears.
type SpellStarted struct {
	Healing int     `json:"healing"`
	Cast    int     `json:"cast"` // counts up within the healing
	Spell   Spell   `json:"spell"`
	By      Planner `json:"by"`
	Note    string  `json:"note,omitempty"` // why the rules or the model chose it
	Call    string  `json:"call,omitempty"` // the model's, so that it is carried out once
}

// Kept is a reference that holds what would be lost otherwise.
type Kept struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
}

// UndoKind is how a spell is undone.
type UndoKind string

// The ways.
const (
	UndoNothing  UndoKind = "nothing"       // it changed nothing
	UndoFiles    UndoKind = "restore_files" // the files of a reference are put back
	UndoHead     UndoKind = "move_head"     // the branch goes back to a reference
	UndoBlock    UndoKind = "unblock"       // a person unblocks the subtask
	UndoProgress UndoKind = "restore_progress"
)

// Undo says how a spell is undone.
type Undo struct {
	Kind UndoKind `json:"kind"`
	Ref  string   `json:"ref,omitempty"`
}

// SpellApplied says what became of a spell.
type SpellApplied struct {
	Healing int   `json:"healing"`
	Cast    int   `json:"cast"`
	Spell   Spell `json:"spell"`
	// Applied is false if its precondition did not hold, or if what it did was taken back.
	Applied bool   `json:"applied"`
	Changed bool   `json:"changed"`          // files or the branch
	Failed  bool   `json:"failed,omitempty"` // the agent that it launched did not end well
	Detail  string `json:"detail"`
	Kept    []Kept `json:"kept,omitempty"`
	Undo    Undo   `json:"undo"`
	// Followup is what a person is asked, of [MarkBlocked].
	Followup string `json:"followup,omitempty"`
}

// HealerAdvised says that a model chose nothing more. Its words are for people and change nothing.
type HealerAdvised struct {
	Healing int    `json:"healing"`
	Says    string `json:"says"`
	// Unavailable says that it gave no answer, and that the rules choose.
	Unavailable bool `json:"unavailable,omitempty"`
}

// CheckRan says what the server saw when it ran a check.
type CheckRan struct {
	Healing     int    `json:"healing"` // 0: not for one
	Check       Check  `json:"check"`
	Passed      bool   `json:"passed"`
	Says        string `json:"says"`
	Code        int    `json:"code"`
	Tail        string `json:"tail,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Head        string `json:"head"`
	Clean       bool   `json:"clean"` // nothing but the progress file differs from head
	// Lost are references of this healing that do not hold what they were made for.
	Lost   []string `json:"lost,omitempty"`
	Millis int64    `json:"millis"`
}

// Outcome is what a healing came to.
type Outcome string

// The outcomes.
const (
	Resolved   Outcome = "resolved"   // the check that failed passes
	Contained  Outcome = "contained"  // the tree is clean, the work is kept, the subtask is blocked with its follow-up
	Unresolved Outcome = "unresolved" // neither
	Skipped    Outcome = "skipped"    // the policy says no
)

// Outcomes are all of them.
var Outcomes = []Outcome{Resolved, Contained, Unresolved, Skipped}

// HealerConcluded ends a healing.
type HealerConcluded struct {
	Healing int     `json:"healing"`
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
	// Continue gives control back to the work; else it stops and is blocked.
	Continue bool `json:"continue"`
	// Flaky says that the check which had failed passed when it was run again, with nothing done in between.
	Flaky bool `json:"flaky,omitempty"`
	// Stopped says that somebody ended it before its end.
	Stopped bool `json:"stopped,omitempty"`
	// Subtask is what was healed, Plan and Job whose it is.
	Subtask string `json:"subtask,omitempty"`
	Plan    string `json:"plan,omitempty"`
	Job     string `json:"job,omitempty"`
}

// SpellUndone says that a spell's effect was undone because a person wanted it. The files and commits that it
// replaced are kept.
type SpellUndone struct {
	Healing int    `json:"healing"`
	Cast    int    `json:"cast"`
	Spell   Spell  `json:"spell"`
	Detail  string `json:"detail"`
	Kept    []Kept `json:"kept,omitempty"`
}

// TaskUnblocked says that a person lets a subtask go on.
type TaskUnblocked struct {
	Subtask string `json:"subtask"`
	Reason  string `json:"reason"`
}
