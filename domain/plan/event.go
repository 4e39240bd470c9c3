package plan

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// PlanStarted begins a plan.
type PlanStarted struct {
	ID         string     `json:"id"`
	Definition Definition `json:"definition"`
	BaseCommit string     `json:"base_commit"`
	// Integration is where the integration branch was, the base if it was made for the plan.
	IntegrationCommit string `json:"integration_commit"`
	// Place is the directory that has the worktrees and launches.
	Place string `json:"place"`
}

// PlanCompleted says that all jobs are merged or dropped.
type PlanCompleted struct {
	Commit string `json:"commit"` // of the integration branch
}

// PlanCancelled ends a plan before all of its jobs are done. Merged changes stay merged, and all branches and
// worktrees are kept.
type PlanCancelled struct {
	Reason string `json:"reason"`
}

// PlanTaken says that a person merged the integration branch into another.
type PlanTaken struct {
	Into   string `json:"into"`   // the branch
	Commit string `json:"commit"` // where it is since
	Taken  string `json:"taken"`  // where the integration branch was
}

// JobAdded adds a job to a plan that is running.
type JobAdded struct {
	Job        string `json:"job"`
	Definition Job    `json:"definition"`
}

// JobStopped says that a person wants what runs for a job to end. The job is held when it has ended.
type JobStopped struct {
	Job    string `json:"job"`
	Reason string `json:"reason"`
}

// JobDropped takes a job out of a plan: what it did stays on its branch, and is not merged.
type JobDropped struct {
	Job    string `json:"job"`
	Reason string `json:"reason"`
}

// JobStarted says that a job has a worktree.
type JobStarted struct {
	Job      string `json:"job"`
	Base     string `json:"base"` // the commit that it begins with
	Branch   string `json:"branch"`
	Worktree string `json:"worktree"`
	// Guarded are digests of the repository's own files (configuration, hooks) as they were.
	Guarded map[string]string `json:"guarded,omitempty"`
}

// Phase is what a step is for.
type Phase string

// The phases.
const (
	PhaseInit   Phase = "init"
	PhaseAgent  Phase = "agent"
	PhaseVerify Phase = "verify"
)

// Step is one program that is run for a job.
type Step struct {
	Phase Phase `json:"phase"`
	Index int   `json:"index"` // among those of its phase
}

// StepStarted says that a program is launched. It comes before the launch: Launch names its directory, which is launched once.
type StepStarted struct {
	Job     string `json:"job"`
	Attempt int    `json:"attempt"`
	Step    Step   `json:"step"`
	Launch  string `json:"launch"`
}

// StepEnded says how it ended.
type StepEnded struct {
	Job    string  `json:"job"`
	Step   Step    `json:"step"`
	Launch string  `json:"launch"`
	Result Outcome `json:"result"`
	// After has what init left that git does not ignore, as a commit whose parent is what was there before. It is init's, and no
	// change of the job's. Changed are the first of these files.
	After   string   `json:"after,omitempty"`
	Changed []string `json:"changed,omitempty"`
	// Outside are the first files of the person's checkout that changed while an agent without a wall was at work: by it, or by somebody else.
	Outside []string `json:"outside,omitempty"`
}

// Outcome is how a program ended.
type Outcome struct {
	OK     bool   `json:"ok"`
	Says   string `json:"says"`
	Code   int    `json:"code"`
	Reason string `json:"reason,omitempty"` // why it ended, in one word
	Tail   string `json:"tail,omitempty"`   // the end of its output
	Bytes  int64  `json:"bytes,omitempty"`  // of the whole output, which is in its launch's directory
	Millis int64  `json:"millis"`
	Left   int    `json:"left,omitempty"`   // processes that it had left running, and that were ended
	Walled bool   `json:"walled,omitempty"` // it was behind the plan's wall
	// Ending is what the agent said of its end, if its profile knows these words.
	Ending *Ending `json:"ending,omitempty"`
	// Fingerprint is the same for what failed the same way.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Why a program ended, as far as it matters here.
const (
	ReasonTimeout  = "timeout"
	ReasonUnable   = "unable"   // it could not be started
	ReasonLost     = "lost"     // it is gone without a word
	ReasonSignaled = "signaled" // somebody else ended it
)

// JobDelayed says that the agent of a job cannot go on before a time, as it said itself or for a while: no attempt is used up, and it is
// launched again by itself.
type JobDelayed struct {
	Job     string    `json:"job"`
	Attempt int       `json:"attempt"`
	Step    int       `json:"step"` // among those of its work, from 0: where it goes on
	Until   time.Time `json:"until"`
	Ending  Ending    `json:"ending"`
}

// JobChecked says that all that a job changed is in its touch set.
type JobChecked struct {
	Job     string   `json:"job"`
	Attempt int      `json:"attempt"`
	Commit  string   `json:"commit"`
	Changed int      `json:"changed"`
	Files   []string `json:"files,omitempty"`   // the first of them
	Ignored []string `json:"ignored,omitempty"` // the first of what is there and in no commit
}

// JobReady says that a job's verification passed; it waits for its merge.
type JobReady struct {
	Job    string `json:"job"`
	Commit string `json:"commit"`
}

// Kind is why a job is held.
type Kind string

// The kinds.
const (
	KindTouchset      Kind = "touchset"
	KindMergeConflict Kind = "merge_conflict"
	KindTestFailure   Kind = "test_failure"
	KindJobFailed     Kind = "job_failed"
	// KindNoChange says that the job is over, and that nothing was changed: most headless agents fail so.
	KindNoChange Kind = "no_change"
	// KindStopped says that a person had it stopped.
	KindStopped Kind = "stopped"
)

// Violation is a change that a job was not to make.
type Violation struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // of a rename
	Change string `json:"change"`
	Why    string `json:"why"`
}

// HealingStarted says that the Healer is called for a job that failed. It comes before the call; Session is the stream
// in which it is told what was done, and Healing counts up within the job.
type HealingStarted struct {
	Job     string          `json:"job"`
	Attempt int             `json:"attempt"`
	Healing int             `json:"healing"`
	Session string          `json:"session"`
	Trigger session.Trigger `json:"trigger"`
	Subtask string          `json:"subtask"`
	// Kind, Reason and Commit are what the job would have been held with.
	Kind   Kind   `json:"kind"`
	Reason string `json:"reason"`
	Commit string `json:"commit,omitempty"`
}

// HealingEnded says what that came to. Only if it was resolved the job goes on, and is checked again as if nobody had
// healed it.
type HealingEnded struct {
	Job     string          `json:"job"`
	Session string          `json:"session"`
	Number  int             `json:"number"` // of the healing in its session
	Outcome session.Outcome `json:"outcome"`
	Reason  string          `json:"reason"`
	Flaky   bool            `json:"flaky,omitempty"` // the check that failed passed when it was run again, with nothing done in between
	// Kept are references that hold what was taken out of the job's worktree.
	Kept []string `json:"kept,omitempty"`
}

// JobHeld is a checkpoint: the job stands still until a person answers.
type JobHeld struct {
	Job        string `json:"job"`
	Checkpoint int    `json:"checkpoint"` // counts up within the plan
	Kind       Kind   `json:"kind"`
	Attempt    int    `json:"attempt"`
	Reason     string `json:"reason"`
	// Violations are the first of so many as Count; for a merge conflict the files that are in conflict.
	Violations []Violation `json:"violations,omitempty"`
	Count      int         `json:"count,omitempty"`
	Allowed    []string    `json:"allowed"`
	MayCreate  []string    `json:"may_create,omitempty"`
	// Commit has all that the job made, Since what it is compared with.
	Commit  string            `json:"commit,omitempty"`
	Since   string            `json:"since,omitempty"`
	Guarded map[string]string `json:"guarded,omitempty"`
	// Healing is what the Healer came to before, if it was called.
	Healing *HealingEnded `json:"healing,omitempty"`
}

// JobAccepted says that a person lets exactly the violations of one checkpoint pass, or says that nothing was to be done.
type JobAccepted struct {
	Job        string `json:"job"`
	Checkpoint int    `json:"checkpoint"`
	Commit     string `json:"commit"`
	Count      int    `json:"count"`
	Reason     string `json:"reason"`
}

// JobRelaunched says that the agent is launched once more in the same worktree, with a prompt that says what was wrong.
type JobRelaunched struct {
	Job        string `json:"job"`
	Checkpoint int    `json:"checkpoint,omitempty"` // 0: by itself, because attempts were left
	Attempt    int    `json:"attempt"`
	Step       int    `json:"step"` // among those of its work, from 0: where it goes on
	Prompt     string `json:"prompt"`
	Note       string `json:"note,omitempty"`
	// Merge is the merge whose verification failed: it is put into the worktree before, so that the agent sees what fails.
	Merge string `json:"merge,omitempty"`
}

// JobRetried says that a person repaired the branch, and that it is to be checked again.
type JobRetried struct {
	Job        string `json:"job"`
	Checkpoint int    `json:"checkpoint"`
	Note       string `json:"note,omitempty"`
	// Init says that it was init that failed, before any agent: it is run again, and the work begins.
	Init bool `json:"init,omitempty"`
}

// MergeStarted says that a job's commit is merged, as a commit that nothing refers to yet.
type MergeStarted struct {
	Job    string `json:"job"`
	Onto   string `json:"onto"`
	Commit string `json:"commit"`
}

// JobMerged says that the integration branch is at the merge.
type JobMerged struct {
	Job    string `json:"job"`
	Commit string `json:"commit"`
}
