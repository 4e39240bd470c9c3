package workflow

import (
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
)

// Command asks a workflow for something. It is sealed: the structs of this package are all there are.
// Ids in commands are given by the caller, so that deciding stays pure.
type Command interface{ command() }

// Create opens a workflow. Zone is an IANA time zone, empty for UTC.
type Create struct {
	ID     string
	Title  string
	Owner  string
	Zone   string
	Intent string
	// Imported says that a bundle has the title and the intent, or an agent: they are no person's words.
	Imported bool
}

// ChangeIntent says what the person wants now. An empty Title stays as it is.
type ChangeIntent struct {
	Title   string
	Intent  string
	ByAgent bool
}

// SaveScript is a save by the planner, a person, an agent or a program: the next major version, active from now on.
type SaveScript struct {
	ScriptID string
	Code     string
	Comment  string
	Summary  string
	Diagram  string
	Origin   Origin // planner, person, agent or program
	Task     string // the planner's, if any
	Imported bool   // a bundle has the code
	// Packages are those that the code names, if they are not kept yet.
	Packages *PackagesKept
}

// Rollback saves an earlier version's script again, as the next major version.
type Rollback struct {
	To       Version
	ScriptID string
	Comment  string // default "Roll back to 1.0"
	// Exempt are recorded successes that are declared wrong with it, and why: all of them, or nothing is done.
	Exempt       []string
	ExemptReason string
}

// ChangeSchedule says when the workflow runs; an empty Spec means by hand only.
// A Zone is an IANA name; empty means the workflow's own.
type ChangeSchedule struct {
	Spec    string
	Zone    string
	Input   json.RawMessage
	Overlap Overlap
	CatchUp CatchUp
	Window  time.Duration // how far back catch-up all goes, default a day
	Jitter  time.Duration // a slot's run starts up to this much later, always the same for the same slot
	// Due is the schedule that is in force until then, in its zone: it tells which slots wait. Zero for none.
	Due schedule.Schedule
}

// ChangeSettings replaces all settings.
type ChangeSettings struct{ Settings Settings }

// Activate lets runs be admitted. It also answers a pause, a wait and an escalation,
// and gives the maintainer its whole budget again.
type Activate struct {
	// Seen is the version that the person has looked at. If another one is active meanwhile the command is refused. Zero is any.
	Seen Version
	// Retry has the run that was refused tried again at once, if it is over: a person hears what becomes of the access they gave.
	Retry bool
}

// Pause stops new runs. A repair that is under way may finish.
type Pause struct{ Reason string }

// Archive retires the workflow.
type Archive struct {
	Reason string
	// Untouched retires it only if it is a draft that nobody touched after then: a listed draft may be none any more.
	// Zero retires it in any state.
	Untouched time.Time
	Due       schedule.Schedule // as of [ChangeSchedule]
}

// Restore takes the workflow out of the archive, paused, or as the draft that it was.
type Restore struct {
	// Ends are the newest revisions of the workflows that it starts on: outcomes up to there do not count.
	Ends map[string]int64
}

// Delete takes away for good what an archived workflow's events say. How much that is, and what of it is still counted, is for who
// asks to find out.
type Delete struct {
	Payloads int64
	Runs     int
	Threads  int
	Used     []Used
}

// EndDeletion records that this is done.
type EndDeletion struct{}

// AdmitRun asks whether a run may start. With [TriggerRetry] and [TriggerContinuation],
// Continues names the failed run; its input, slot and attempt are known and left out.
type AdmitRun struct {
	Run       string
	Trigger   Trigger
	Input     json.RawMessage
	Slot      *time.Time
	FoundBy   time.Time // the From of the schedule that the slot is of; zero for any
	Continues string
	Restarts  string // the unfinished run that it starts again, with its input; of [TriggerManual]
	Repair    bool   // of [TriggerManual]: a failure is the workflow\'s, as of a run that starts by itself
	Fork      *Fork  // of [TriggerFork]
	Labels    Labels // beside those of the workflow
	// Version is for [TriggerImport] only: what the run ran on elsewhere. Zero means the active one.
	Version Version
}

// OfferInput brings an input from outside: it becomes a run, waits its turn, or is skipped. Offered
// again, nothing more comes of it.
type OfferInput struct {
	Run     string  // that it becomes; derived from what makes the input the same one
	Trigger Trigger // webhook or event
	Input   json.RawMessage
	Source  *Source // of event
}

// RetryInputs has all inputs whose runs failed be tried again, in order.
type RetryInputs struct{}

// SetTrigger starts the workflow on outcomes of another one that come after a revision of its stream.
type SetTrigger struct {
	Source   string
	Outcomes []Outcome
	After    int64
}

// RemoveTrigger takes that back.
type RemoveTrigger struct{ Source string }

// SkipSlot records that a schedule slot, or all through another one, or an input did not become a run.
type SkipSlot struct {
	Slot    *time.Time
	Through *time.Time
	FoundBy time.Time // as of [AdmitRun]
	Reason  string
	Status  Status // that lets no run of a slot start: see [State.Rehearsable]
}

// Rehearsed is what came of running the old code again, with live reads and captured writes.
type Rehearsed string

// The outcomes of a rehearsal.
const (
	RehearsedNone       Rehearsed = "" // not done: see [NeedsRehearsal]
	RehearsedReproduced Rehearsed = "reproduced"
	RehearsedWorks      Rehearsed = "works"
)

// CommitRun makes count what a run beside others has written to keys and files.
type CommitRun struct {
	Run     string
	Through int // the last of its calls
	Seen    int // how many commits there were in the state that was compared with what it read
}

// SettleRun closes an admitted run with what became of it, and decides what follows.
type SettleRun struct {
	Run       string
	Failure   *failure.Failure // nil for a success
	Writes    int              // that it had made and found made, if it failed
	Rehearsed Rehearsed
	Evidence  string // why the failure has its class, in one line
	// Refused says what of the input the types of main do not take, if that tells this one from those that succeeded.
	Refused string
	// Suspects are what the guard suspects, and Write is the write that it stopped.
	Suspects []Suspect
	Write    json.RawMessage
	// Task, Thread and Item are the ids of the maintainer task that may have to be
	// opened. Needed with a logic or limit failure only.
	Task   string
	Thread string
	Item   string
}

// FindWorking says that the active version, run again with live reads and captured writes, works on what was handed to a person
// or has a fix that waits for one; see [State.Rehearsable].
type FindWorking struct{ Run string }

// RepairRun asks for a repair of a failure that was its run's alone, see [RunAdmitted]. The caller reads the failure
// from the run's own stream.
type RepairRun struct {
	Run     string
	Failure failure.Failure
	Writes  int
	Input   json.RawMessage
	// Task, Thread and Item are the ids of the task that may have to be opened.
	Task   string
	Thread string
	Item   string
}

// ProposeFix submits a fix of the open task. A task that was left makes it stale at once.
type ProposeFix struct {
	Proposal string
	Task     string
	Code     string
	Comment  string
	Fixer    Fixer
}

// JudgeFix hands in the gate's verdict on a proposal and decides what becomes of it.
// The Verification may be left zero for a proposal that is stale already.
type JudgeFix struct {
	Proposal     string
	ScriptID     string // of the version it may become
	Verification Verification
	Alternatives []Alternative // candidates that pass and lead elsewhere; any means that a person decides
	// Unheard says, in words, that a fixer was not heard and is asked on, see [FixHeld].
	Unheard string
}

// SuggestFix submits a fix from outside, of a coding agent or a person, with the gate's verdict on it: for the open task,
// or for the failure that was handed to a person, which is then worked on again. One that changes what used to work
// is refused.
type SuggestFix struct {
	Proposal string
	ScriptID string  // of the version that it may become
	Base     Version // that it was made of
	Code     string
	Comment  string
	By       string // who suggests it, as events name actors
	// Verification was made on Run, the failed run that [State.Suggestible] gave.
	Verification Verification
	Run          string
	// Task, Thread and Item are the ids of the task that may have to be opened.
	Task   string
	Thread string
	Item   string
}

// EndMaintenance ends a task that found no fix: the workflow is escalated.
type EndMaintenance struct {
	Task        string
	Explanation string // the maintainer's last message
	Broken      bool   // it failed itself, which says nothing about the script
}

// AcceptFix makes a held fix the next minor version, at a person's word.
type AcceptFix struct {
	Proposal    string
	ScriptID    string
	Alternative int      // 0 for the fix itself, n for the n-th alternative beside it
	AllowHosts  []string // hosts that the fix needs beyond the allow-list
	Reason      string
}

// DeclineFix refuses a held fix: the workflow is escalated.
type DeclineFix struct {
	Proposal string
	Reason   string
}

// CorrectFix sends the maintainer back to work on a held fix, with a note.
type CorrectFix struct {
	Proposal string
	Note     string
}

// RecheckFix hands in a new verdict on a held fix, which stays held: the person decides.
type RecheckFix struct {
	Proposal     string
	Verification Verification
	// Heard says that the fixer was heard which was asked on, and that it had no better one, but
	// perhaps Alternatives.
	Heard        bool
	Alternatives []Alternative
}

// TrustRun says of a suspected run that it is right. One that was stopped goes on.
type TrustRun struct {
	Run  string
	Note string
}

// ReviewMarkedRuns says what the active version makes of the recorded answers of marked successes that came before it;
// see [State.ToReview].
type ReviewMarkedRuns struct {
	Version Version
	Agreed  []string
	Differ  []Reviewed
	Silent  []string
}

// ExemptRun declares a recorded success wrong: the gate leaves it out.
type ExemptRun struct {
	Run    string
	Reason string
}

// ContinueRun has an unfinished run go on with the active version, which must repeat what was written; and
// one that waits for its retry try now.
type ContinueRun struct{ Run string }

// CancelRun ends a run that is under way, and gives up one that has failed and waits for its retry, a fix, access or its turn, or an
// input that waits. The run's own stream is closed first.
type CancelRun struct {
	Run    string
	Reason string
	Writes int  // that the run made, or may have made
	Ended  bool // its stream has another end already
}

// LeaveRun leaves an unfinished run as it is, one that waits for its retry, or an input that waits.
type LeaveRun struct {
	Run  string
	Note string
}

// WithdrawFixes takes all unconfirmed fixes back, at a person's word.
type WithdrawFixes struct{ Reason string }

// OpenPlannerTask records that the planner is at work.
type OpenPlannerTask struct {
	Task   string
	Thread string
	Ask    string
	Chat   bool // see [PlannerTaskOpened]
}

// WaitPlannerTask records that the planner waits for a person.
type WaitPlannerTask struct{ Task string }

// TellPlanner is what a person says to the planner while it waits, and asks nothing.
type TellPlanner struct {
	Task string
	Text string
}

// ClosePlannerTask ends a planner task.
type ClosePlannerTask struct {
	Task    string
	Outcome string
	Stopped bool // before the planner was done
}

// AskQuestion asks the person something on behalf of an open task.
type AskQuestion struct {
	Question string
	Task     string
	Text     string
	Options  []string
}

// AnswerQuestion is the person's answer.
type AnswerQuestion struct {
	Question string
	Answer   string
}

// AcknowledgeNotification records that the person has seen a notification.
type AcknowledgeNotification struct{ Notification string }

// DelegateDecision gives what waits for a person to another one, or to a group; see [DecisionDelegated].
type DelegateDecision struct {
	Notification string
	Proposal     string // of the fix that waits, or
	Question     string // of an agent, or
	Run          string // whose script asks, in a call; none of them for what else asks somebody to do something
	Call         int
	To           string
	Note         string
}

// RemindOfDecision reminds the person who has to decide about a fix, once, when half of the time is over.
type RemindOfDecision struct{}

// NoteRehearsal says that what waits for a person was rehearsed, and does not work yet.
type NoteRehearsal struct{ Run string }

// ClaimWork says that somebody is at some work until then, or with no time that they are not any more.
type ClaimWork struct {
	Work  string
	By    string
	Until time.Time
}

// ReportOutage has people hear of an outage that lasts, see [State.OutageDue].
type ReportOutage struct{}

// DecideOverdue decides about a fix that waited longer than the settings let it: nobody else did.
type DecideOverdue struct{ ScriptID string } // of the version that it may become

// TendDraft looks after a draft that nobody touches: it prompts its owner, or archives it if they opted in and
// were told. The rules are in draft.go.
type TendDraft struct{ Archive bool } // the owner opted in

// KeepDraft says that a person goes on with a draft.
type KeepDraft struct{}

func (Create) command()                  {}
func (ChangeIntent) command()            {}
func (Delete) command()                  {}
func (EndDeletion) command()             {}
func (SaveScript) command()              {}
func (Rollback) command()                {}
func (ChangeSchedule) command()          {}
func (ChangeSettings) command()          {}
func (Activate) command()                {}
func (Pause) command()                   {}
func (Archive) command()                 {}
func (Restore) command()                 {}
func (AdmitRun) command()                {}
func (SkipSlot) command()                {}
func (OfferInput) command()              {}
func (RetryInputs) command()             {}
func (SetTrigger) command()              {}
func (RemoveTrigger) command()           {}
func (CommitRun) command()               {}
func (SettleRun) command()               {}
func (RepairRun) command()               {}
func (FindWorking) command()             {}
func (ProposeFix) command()              {}
func (JudgeFix) command()                {}
func (SuggestFix) command()              {}
func (EndMaintenance) command()          {}
func (AcceptFix) command()               {}
func (DeclineFix) command()              {}
func (CorrectFix) command()              {}
func (RecheckFix) command()              {}
func (ExemptRun) command()               {}
func (TrustRun) command()                {}
func (ReviewMarkedRuns) command()        {}
func (ContinueRun) command()             {}
func (CancelRun) command()               {}
func (LeaveRun) command()                {}
func (WithdrawFixes) command()           {}
func (OpenPlannerTask) command()         {}
func (WaitPlannerTask) command()         {}
func (TellPlanner) command()             {}
func (ClosePlannerTask) command()        {}
func (AskQuestion) command()             {}
func (AnswerQuestion) command()          {}
func (AcknowledgeNotification) command() {}
func (TendDraft) command()               {}
func (DelegateDecision) command()        {}
func (RemindOfDecision) command()        {}
func (DecideOverdue) command()           {}
func (NoteRehearsal) command()           {}
func (ClaimWork) command()               {}
func (ReportOutage) command()            {}
func (KeepDraft) command()               {}
