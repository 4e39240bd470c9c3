package plan

// Command asks something of a plan. It is sealed.
type Command interface{ command() }

// Start begins a plan.
type Start struct {
	ID                string
	Definition        Definition
	BaseCommit        string
	IntegrationCommit string
	Place             string
}

// Cancel ends a plan before all is merged. Cancelling what is cancelled is nothing.
type Cancel struct{ Reason string }

// StartJob records that a job has a worktree.
type StartJob struct {
	Job, Base, Branch, Worktree string
	Guarded                     map[string]string
}

// StartStep records that the next program of a job is about to be launched.
type StartStep struct {
	Job    string
	Step   Step
	Launch string
}

// EndStep records how a program ended. It is refused if the program is no longer under way.
type EndStep struct {
	Job    string
	Launch string
	Result Outcome
	// After is a commit with what init left, and Changed are its files.
	After   string
	Changed []string
	// Outside are files of the person's checkout that changed while the program was at work.
	Outside []string
}

// EndHealing records what a healing came to.
type EndHealing HealingEnded

// FailJob holds a job that cannot go on for a reason that is not its agent's: its worktree cannot be made or read.
type FailJob struct {
	Job    string
	Status JobStatus // in which it failed
	Reason string
}

// Change is a file that differs from what the job began with.
type Change struct {
	Path, From string
	Kind       string // added, modified, deleted, renamed, mode or type
	Symlink    string // what it leads to now, if it is one
	Repository bool   // it is a repository of its own now
	Submodule  bool   // … and was one before
	Wrong      string // what is wrong with it, whatever the patterns say
	// Same says that it is as it was when a person let it pass.
	Same bool
}

// CheckJob has the changes of a job judged.
type CheckJob struct {
	Job     string
	Commit  string // has all that is in the worktree
	Since   string // what it is compared with
	Changes []Change
	Ignored []string
	// Guarded are digests of the repository's own files.
	Guarded map[string]string
	Moved   []Moved
}

// Moved is a reference that a job moved, and the commit where it was; empty if that is not known.
type Moved struct{ Ref, Was string }

// StartMerge records a merge that is to be verified, or the files that are in conflict. Changes are what it would bring.
type StartMerge struct {
	Job, Onto, Commit string
	Conflicts         []string
	Changes           []Change
}

// RefuseMerge holds a job because the integration branch is not where it has to be.
type RefuseMerge struct{ Job, Reason string }

// CompleteMerge records that the integration branch is at the merge.
type CompleteMerge struct{ Job, Commit string }

// Accept lets exactly the violations of a checkpoint pass, or says that nothing was to be done. Checkpoint 0 is that at which the job is held.
type Accept struct {
	Job        string
	Checkpoint int
	Reason     string
}

// Relaunch has the agent correct its work.
type Relaunch struct {
	Job        string
	Checkpoint int
	Note       string
}

// Retry has the branch checked again, which a person repaired.
type Retry struct {
	Job        string
	Checkpoint int
	Note       string
}

// Stop has what runs for a job end, and holds the job.
type Stop struct{ Job, Reason string }

// Drop takes a job out of a plan; what runs for it is ended. Dropping what is dropped is nothing.
type Drop struct{ Job, Reason string }

// Add adds a job to a plan that is running.
type Add struct{ Job Job }

// Take records that the integration branch was merged into another.
type Take struct {
	Into   string // the branch
	Commit string // where it is now
	Taken  string // where the integration branch was
}

func (Start) command()         {}
func (Stop) command()          {}
func (Drop) command()          {}
func (Add) command()           {}
func (Take) command()          {}
func (Cancel) command()        {}
func (StartJob) command()      {}
func (StartStep) command()     {}
func (EndStep) command()       {}
func (EndHealing) command()    {}
func (FailJob) command()       {}
func (CheckJob) command()      {}
func (StartMerge) command()    {}
func (RefuseMerge) command()   {}
func (CompleteMerge) command() {}
func (Accept) command()        {}
func (Relaunch) command()      {}
func (Retry) command()         {}
