package workflow

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow/internal/table"
)

// State is a workflow, folded from its stream. The zero State is a workflow that does not exist.
// Reactions derive from it what is to be done. It is a value: [Evolve] never changes what an
// earlier State holds, so states may be kept, cached and read at the same time.
type State struct {
	ID     string
	Title  string
	Owner  string
	Zone   string
	Intent string
	// IntentImported says that the intent is a bundle's: no person has said it here.
	IntentImported bool `json:",omitempty"`

	// Status is what people see, and what decides; see the table in status.go.
	Status   Status
	Settings Settings // as saved; use Settings.WithDefaults to act on them
	Schedule Schedule
	// SlotsUntil is the newest slot that has its outcome: every slot up to it has.
	SlotsUntil time.Time

	Active        Version  // zero before the first save
	Versions      []Script // in the order they were saved
	Packages      []string `json:",omitempty"` // digests of those that are kept
	LastConfirmed Version  // where Active goes when unconfirmed fixes are withdrawn
	Fixes         []Fix    // in force on the active major, oldest first

	Admitted     map[string]RunInfo      // runs that may start or are running: admitted, not settled
	Retries      map[string]Retry        // failed runs that wait to be tried again, by run
	Triggers     map[string]EventTrigger `json:",omitempty"` // workflows that this one starts on, by id
	Queue        []QueuedInput           `json:",omitempty"` // inputs that wait, in the order in which they came
	Unfinished   map[string]Unfinished   `json:",omitempty"` // half-done runs that nothing has gone on with, by run
	Continuation *Continuation           // the failed run that goes on with the fixed version; nil once admitted
	AdmittedAt   []time.Time             // of the newest runs, as many as the setting runs_per_hr counts
	Failing      int                     // failed runs since the last success
	FixCount     int                     // fixes since the budget was last whole
	RepairTimes  []time.Time             // when maintenance was entered, the newest few

	Maintenance *Maintenance // the one open maintainer task
	Over        *TaskOver    // the newest maintainer task that is over
	Undecided   []string     // proposals that were proposed and not judged, also of tasks that were left
	Waiting     *Waiting     // an auth or permission error that a person must answer
	Escalation  *Escalation  // what was handed to a person
	Outage      *Outage      `json:",omitempty"` // the other side does not answer
	Claims      []Claim      `json:",omitempty"` // who is at work, where there is no run or thread that says so
	Planner     *Planner     // the one open planner task
	Questions   []Question   // asked, not answered
	Answers     []Answer     // to the questions of the tasks that are open
	Trusted     []string     `json:",omitempty"` // keys of suspects that people called right
	Commits     int          `json:",omitempty"` // how many [RunCommitted] there were
	Draft       Draft        `json:",omitzero"`  // zero once it was activated, and of one that is no draft now

	Deleted *WorkflowDeleted `json:",omitempty"` // for good: of everything else only the id and the owner are known then
	Erased  bool             `json:",omitempty"` // and what its events said is gone

	activated bool
	paused    bool
	archived  bool
	dropNoted bool // that inputs are dropped, since it was archived

	kinds       map[string]int         // of inputs, and how often runs of them succeeded
	arrivals    int                    // inputs and slots that were taken in, so far
	settledRuns int                    // how many
	lastFailed  *failedRun             // of the newest RunFailed, for the events that follow it
	told        map[string]bool        // strict fingerprints whose exhausted retries were told
	runs        table.Table[Settled]   // settled runs
	exempted    table.Table[struct{}]  // successes that are declared wrong
	suspected   table.Table[Suspicion] // what the guard suspected of runs
	marked      []Marked               // successes that count for nothing, the oldest first
	proposals   table.Table[Proposal]  // all proposals ever
	tasks       table.Table[leftTask]  // maintainer tasks that were left
	seen        table.Table[int]       // strict fingerprints of this major, how often
}

// Schedule is when a workflow runs; an empty Spec means by hand only.
type Schedule struct {
	Spec    string
	Zone    string
	Input   json.RawMessage
	From    time.Time // slots after it count
	Overlap Overlap
	CatchUp CatchUp
	Window  time.Duration
	Jitter  time.Duration
}

// Script is a saved version.
type Script struct {
	ScriptID string
	Version  Version
	Code     string
	SHA256   string
	Comment  string
	Summary  string
	Diagram  string
	Origin   Origin
	Task     string
	Proposal string
	Restored *Version
	Imported bool `json:",omitempty"`
}

// Fix is an applied or accepted fix. It is unconfirmed until the run that it was made for succeeds.
type Fix struct {
	Version   Version
	Proposal  string
	Run       string // the failed run
	Strict    string // of that run's failure
	Loose     string
	Confirmed bool
	Regressed bool // the run that was to confirm it failed again
}

// RunInfo is what an admitted run is to execute.
type RunInfo struct {
	Run       string
	Version   Version
	Trigger   Trigger
	Origin    Trigger // of the first run in a chain of retries and continuations
	Input     json.RawMessage
	Slot      *time.Time
	Continues string
	Attempt   int // of a retry, from 1; 0 for a run that is none
	// Fresh says that the reads of the continued run must be made again: only its writes
	// answer from its journal.
	Fresh bool
	// Regardless says that keys and files may have changed since that one's journal.
	Regardless bool `json:",omitempty"`
	Fork       *Fork
	Aside      bool `json:",omitempty"` // see [RunAdmitted]
	Beside     bool `json:",omitempty"` // see [RunAdmitted]
	Committed  int  `json:",omitempty"` // the last of its calls whose write to keys and files counts, of those that it held back
	// Source is the outcome of another workflow that led to it, or to the run that it goes on with.
	Source *Source `json:",omitempty"`
	Kind   string  `json:",omitempty"` // of its input
	Labels Labels  `json:",omitempty"`
	Key    string  `json:",omitempty"` // that its input is about

	Priority int `json:",omitempty"` // of its input
	Number   int `json:"-"`          // of the arrival of its input or slot; 0 for a run by hand
	Writes   int `json:",omitempty"` // that it found made, and once it failed, had made
	// Fix is the unconfirmed version that this run confirms or regresses, if it runs on it. Zero for none.
	Fix Version
}

// Retry is a failed run that is to be tried again.
type Retry struct {
	Run     string
	Attempt int // the attempt to come
	At      time.Time
	Fresh   bool
	Info    RunInfo // of the failed run

	Regardless bool `json:",omitempty"`
}

// Continuation is a failed run that is to go on with the fixed version.
type Continuation struct {
	Run     string
	Version Version
	Info    RunInfo // of the failed run
}

// Settled is what became of a run.
type Settled struct {
	Version   Version
	Succeeded bool
	Trigger   Trigger
	Hops      int     `json:",omitempty"` // see [Source]
	Fix       Version `json:",omitzero"`  // that a run that succeeded tried; zero for none
	Aside     bool    `json:",omitempty"` // see [RunAdmitted]
	Cancelled bool    `json:",omitempty"` // by a person: its input has its outcome, and nothing follows

	// These are set if the run failed.
	Class     failure.Class `json:",omitempty"`
	Origin    Trigger       `json:",omitempty"`
	Writes    int           `json:",omitempty"` // that it had made
	Continued bool          `json:",omitempty"` // another one went on with it, or began it again
	GivenUp   bool          `json:",omitempty"` // its input has its outcome: the run goes on only if a person wants it to
}

// Maintenance is an open maintainer task. Work is to be done on it unless [Maintenance.Held] is set.
type Maintenance struct {
	Task      string
	Thread    string
	Item      string
	Run       string // the failed run
	Base      Version
	Attempt   int
	Budget    int
	Failure   failure.Failure
	Info      RunInfo  // of the failed run
	Attached  []string // further failed runs
	Proposals []string // ids, in order; see [State.Proposal]
	Held      *Held
	// Corrections are what a person asked of held fixes, oldest first: the newest is what the maintainer works on.
	Corrections []Correction
}

// TaskOver is a maintainer task that is over. Its thread remains to be closed.
type TaskOver struct {
	Task    string
	Thread  string
	Run     string
	Outcome string // in a word: the verdict on its last proposal, what became of that, or why it was left
}

// Held is the fix that waits for a person.
type Held struct {
	Proposal     string
	Reasons      []string
	Alternatives []Alternative
	Unheard      string    // see [FixHeld]
	Since        time.Time `json:",omitzero"` // see [EvolveAt]
	Rehearsed    time.Time `json:",omitzero"` // by the clock, the last time
	For          string    `json:",omitzero"` // whom it was given to, see [DecisionDelegated]
	Reminded     bool      `json:",omitzero"` // that half of the time is over
}

// Correction sends the maintainer back to work.
type Correction struct {
	Proposal string
	Note     string
}

// ProposalState is what became of a proposal.
type ProposalState string

// The states of a proposal.
const (
	ProposalProposed  ProposalState = "proposed"
	ProposalHeld      ProposalState = "held"
	ProposalApplied   ProposalState = "applied"
	ProposalAccepted  ProposalState = "accepted"
	ProposalDifferent ProposalState = "different"
	ProposalStale     ProposalState = "stale"
	ProposalDeclined  ProposalState = "declined"
	ProposalCorrected ProposalState = "corrected"
)

// Proposal is a submitted fix.
type Proposal struct {
	ID           string
	Task         string
	Run          string
	Base         Version
	Code         string
	Comment      string
	Fixer        Fixer
	State        ProposalState
	Verification *Verification // the newest; nil before the first
}

// Waiting is why the workflow waits for a person's access.
type Waiting struct {
	Run   string
	Class failure.Class
}

// Escalation is why the workflow was handed to a person.
type Escalation struct {
	Reason      string
	Explanation string
	Run         string
	Task        string
	Since       time.Time       `json:",omitzero"` // see [EvolveAt]
	Rehearsed   time.Time       `json:",omitzero"` // by the clock, the last time
	Failure     failure.Failure `json:",omitzero"` // of the run, and
	Info        RunInfo         `json:",omitzero"` // what was known of it
}

// Planner is the open planner task.
type Planner struct {
	Task    string
	Thread  string
	Ask     string
	Chat    bool     // see [PlannerTaskOpened]
	Waiting bool     // for a person: it is not running
	Told    []string // what a person said since, in order
}

// Question is asked and not answered.
type Question struct {
	ID      string
	Task    string
	Text    string
	Options []string
	For     string `json:",omitzero"` // whom it was given to, see [DecisionDelegated]
}

// Answer is what a person said to a question.
type Answer struct {
	Question string
	Task     string
	Text     string
	// Offered is the question, if the answer is one of the options that it came with: then these are the words of the
	// agent that asked, not of the person.
	Offered string `json:",omitempty"`
}

// failedRun is the newest RunFailed with what was known of the run.
type failedRun struct {
	failure failure.Failure
	info    RunInfo
}

// leftTask is a maintainer task that was left.
type leftTask struct {
	base Version
	run  string
	why  string
}

// SettledRuns is how many runs have been settled.
func (s State) SettledRuns() int { return s.settledRuns }

// Exists says that the workflow was created.
func (s State) Exists() bool { return s.ID != "" }

// Script gives a saved version.
func (s State) Script(v Version) (Script, bool) {
	for _, script := range slices.Backward(s.Versions) {
		if script.Version == v {
			return script, true
		}
	}
	return Script{}, false
}

// FirstOfMajor gives the script that opened a major version.
func (s State) FirstOfMajor(major int) (Script, bool) {
	return s.Script(Version{Major: major})
}

// Proposal gives a submitted fix by its id.
func (s State) Proposal(id string) (Proposal, bool) { return s.proposals.Get(id) }

// Run gives what became of a settled run.
func (s State) Run(id string) (Settled, bool) { return s.runs.Get(id) }

// Exempted says that a person declared a recorded success wrong.
func (s State) Exempted(run string) bool {
	_, exempted := s.exempted.Get(run)
	return exempted
}

// Unconfirmed are the versions of the fixes that no continued run has confirmed, oldest first.
func (s State) Unconfirmed() []Version {
	var versions []Version
	for _, fix := range s.Fixes {
		if !fix.Confirmed {
			versions = append(versions, fix.Version)
		}
	}
	return versions
}

// Answer gives a person's answer to a question of an open task.
func (s State) Answer(question string) (text string, answered bool) {
	for _, a := range s.Answers {
		if a.Question == question {
			return a.Text, true
		}
	}
	return "", false
}

// PlannerRunning says that the maintainer has to wait. A planner that waits for a person is not running.
func (s State) PlannerRunning() bool { return s.Planner != nil && !s.Planner.Waiting }

// MaintainerWanted says that an open task has work to do now: no fix of it is held, and the planner is not at work.
func (s State) MaintainerWanted() bool {
	return s.Maintenance != nil && s.Maintenance.Held == nil && !s.PlannerRunning()
}

// BetterWanted says that a better fix than the held one is still looked for: a fixer that may have one could not be
// asked.
func (s State) BetterWanted() bool {
	return s.Maintenance != nil && s.Maintenance.Held != nil && s.Maintenance.Held.Unheard != "" && !s.PlannerRunning()
}
