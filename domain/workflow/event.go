package workflow

import (
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// WorkflowCreated opens the stream of a workflow.
type WorkflowCreated struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Owner  string `json:"owner"`
	Zone   string `json:"zone"`   // IANA time zone
	Intent string `json:"intent"` // what the person wants, in their words
	// Imported says that title and intent came with a bundle: they are nobody's word here.
	Imported bool `json:"imported,omitempty"`
}

// IntentChanged records what the person wants now. Title is empty if it stays.
type IntentChanged struct {
	Title  string `json:"title,omitempty"`
	Intent string `json:"intent"`
	// ByAgent says that an agent wrote it, so that it is no person's word.
	ByAgent bool `json:"by_agent,omitempty"`
}

// Origin says who made a script version.
type Origin string

// The origins.
const (
	OriginPlanner    Origin = "planner"
	OriginMaintainer Origin = "maintainer"
	OriginPerson     Origin = "person"
	OriginRollback   Origin = "rollback"
	OriginAgent      Origin = "agent"   // a coding agent, of its own
	OriginProgram    Origin = "program" // a pipeline: people decide before it what it saves
)

// ScriptSaved records a new version. It is immutable, and active from now on.
type ScriptSaved struct {
	ScriptID string   `json:"script_id"`
	Version  Version  `json:"version"`
	Code     string   `json:"code"`
	SHA256   string   `json:"sha256"` // hex, of the code's bytes
	Comment  string   `json:"comment"`
	Summary  string   `json:"summary,omitempty"`
	Diagram  string   `json:"diagram,omitempty"`
	Origin   Origin   `json:"origin"`
	Task     string   `json:"task,omitempty"`
	Proposal string   `json:"proposal,omitempty"` // of a fix
	Restored *Version `json:"restored,omitempty"` // of a rollback
	Imported bool     `json:"imported,omitempty"` // the code came with a bundle: a person took it in, and did not write it
}

// PackagesKept keeps the text of packages that versions of the script take, for all of them that name its digest.
type PackagesKept struct {
	SHA256 string   `json:"sha256"` // hex, of the text
	Names  []string `json:"names"`  // of the packages, each with its version
	Packed string   `json:"packed"` // the text, gzip in base64
}

// ScheduleChanged records when the workflow runs; an empty spec means by hand only.
type ScheduleChanged struct {
	Spec  string          `json:"spec"` // see package domain/schedule
	Zone  string          `json:"zone,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// From is when it was decided: slots count from then. Zero in events of schema version 1,
	// when slots were not run yet.
	From     time.Time `json:"from,omitzero"`
	Overlap  Overlap   `json:"overlap,omitempty"`
	CatchUp  CatchUp   `json:"catch_up,omitempty"`
	WindowMS int64     `json:"window_ms,omitempty"` // of catch-up all
	JitterMS int64     `json:"jitter_ms,omitempty"`
}

// Overlap is what becomes of a slot that is due while as many runs are active as may be
// (setting max_active).
type Overlap string

// The overlap policies. The default is to skip.
const (
	OverlapSkip  Overlap = "skip"
	OverlapQueue Overlap = "queue" // one slot waits, the newest; with catch-up all, all of them
)

// CatchUp is what becomes of slots that nobody was there to run.
type CatchUp string

// The catch-up policies. The default is the last one.
const (
	CatchUpNone CatchUp = "none"
	CatchUpLast CatchUp = "last"
	CatchUpAll  CatchUp = "all" // all within a window, one after the other
)

// Mode is how far a fix may go without a person.
type Mode string

// The modes, from the freest to the strictest.
const (
	ModeAuto    Mode = "auto"
	ModeProven  Mode = "proven"
	ModePropose Mode = "propose"
	ModeOff     Mode = "off"
)

// Limits bound one run. Zero means the default.
type Limits struct {
	WallMS      int64 `json:"wall_ms,omitempty"`
	CPUMS       int64 `json:"cpu_ms,omitempty"`
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	Calls       int   `json:"calls,omitempty"`
	LogBytes    int   `json:"log_bytes,omitempty"`
	ResultBytes int   `json:"result_bytes,omitempty"`
	FetchBytes  int64 `json:"fetch_bytes,omitempty"`  // from the web, all answers together
	StoredBytes int64 `json:"stored_bytes,omitempty"` // the workflow's keys and files
}

// Settings are what a person decides about a workflow. Zero fields mean the default.
type Settings struct {
	AutoFix      Mode   `json:"auto_fix,omitempty"`       // default auto
	Budget       int    `json:"budget,omitempty"`         // fixes before escalation, default 3
	RepairsPerHr int    `json:"repairs_per_hr,omitempty"` // default 6
	MaxActive    int    `json:"max_active,omitempty"`     // runs at once, default 1
	RunsPerHr    int    `json:"runs_per_hr,omitempty"`    // default no limit
	OnHold       string `json:"on_hold,omitempty"`        // block or continue
	// OnEscalation is what runs do while the workflow is handed to its person: block (default), or continue with the version that is active.
	OnEscalation string   `json:"on_escalation,omitempty"`
	AllowedHosts []string `json:"allowed_hosts,omitempty"` // host or host:port that web may reach though private
	// IdempotentHosts (host or host:port) tell a repeated write by its idempotency key: one
	// that was not answered is sent again.
	IdempotentHosts []string `json:"idempotent_hosts,omitempty"`
	// AtomicHosts (host or host:port) do all of a write or nothing: one that they answer with 500 did not
	// happen, and is sent again.
	AtomicHosts []string `json:"atomic_hosts,omitempty"`
	// Reconcile says how to ask hosts what became of a write that was never answered.
	Reconcile    []Reconcile `json:"reconcile,omitempty"`
	QueuedInputs int         `json:"queued_inputs,omitempty"` // that may wait while no run can start, default 100
	Fixers       []string    `json:"fixers,omitempty"`        // order and use; default templates, model
	Limits       Limits      `json:"limits,omitzero"`
	// Locale (a BCP 47 tag, like de-DE) is what agents write for people in. Empty is the language
	// of the intent.
	Locale string `json:"locale,omitempty"`
	// Input is that of a run which is given none. Empty is {}.
	Input json.RawMessage `json:"input,omitempty"`
	// Unfinished is what becomes of a half-done run that nothing goes on with: ask (default), continue or leave.
	Unfinished string `json:"unfinished,omitempty"`
	// Guard is what is done with a run that does not fail and looks wrong: off, notice or stop. Empty is to stop it if
	// what it was answered shows that, and to notice it if only what it would write does.
	Guard string `json:"guard,omitempty"`
	// DecideWithinMS is how long a person has for a fix that waits, 0 for ever; OnDeadline is what is done then: decline (default) or
	// accept_if_proven.
	DecideWithinMS int64  `json:"decide_within_ms,omitempty"`
	OnDeadline     string `json:"on_deadline,omitempty"`
	// OutageAfterMS is how long the other side may not answer, while runs are tried again, before people hear of it; default 30 minutes.
	OutageAfterMS int64 `json:"outage_after_ms,omitempty"`
	// Hooks are addresses at which the outside starts the workflow, by name, with how a sender proves itself there.
	Hooks map[string]HookStyle `json:"hooks,omitempty"`
	// HookAnswersMS are the hooks that answer with what the run returns, by name, and how long their sender waits for it at most.
	HookAnswersMS map[string]int64 `json:"hook_answers_ms,omitempty"`
	// Labels are what the workflow is found by, and its runs.
	Labels Labels `json:"labels,omitempty"`
	// ConcurrencyKey is where a run's input says what it is about, as names of members with dots between (customer.id): of runs about the
	// same, one is under way at a time, and max_active says how many are in all.
	ConcurrencyKey string `json:"concurrency_key,omitempty"`
	// PriorityKey is where a run's input says how urgent it is, as ConcurrencyKey: of the inputs that wait, the one with the greatest number
	// there comes first. Without a number it is 0. Those about the same keep their order.
	PriorityKey string `json:"priority_key,omitempty"`
	// DebounceMS is how long an input waits for a newer one about the same (ConcurrencyKey; any, if that is empty), which takes its place.
	DebounceMS int64 `json:"debounce_ms,omitempty"`
}

// SettingsChanged records all settings as they are from now on.
type SettingsChanged struct {
	Settings Settings `json:"settings"`
}

// WorkflowActivated lets runs be admitted. It also answers an escalation, a wait and a pause.
type WorkflowActivated struct{}

// WorkflowPaused stops new runs at a person's word.
type WorkflowPaused struct {
	Reason string `json:"reason,omitempty"`
}

// WorkflowArchived retires the workflow; everything is kept.
type WorkflowArchived struct {
	Reason string `json:"reason,omitempty"`
}

// WorkflowRestored takes the workflow out of the archive, paused, or as the draft that it was.
type WorkflowRestored struct{}

// Trigger says why a run started.
type Trigger string

// The triggers.
const (
	TriggerManual       Trigger = "manual"
	TriggerSchedule     Trigger = "schedule"
	TriggerWebhook      Trigger = "webhook"
	TriggerEvent        Trigger = "event"
	TriggerRetry        Trigger = "retry"        // continues a run that failed for a passing reason
	TriggerContinuation Trigger = "continuation" // continues a failed run on the version that was to mend it
	TriggerFork         Trigger = "fork"         // begins in the middle of another run
	TriggerImport       Trigger = "import"       // happened elsewhere; its stream is history
)

// RunAdmitted is the one place that decides whether a run may start.
type RunAdmitted struct {
	Run       string          `json:"run"`
	Version   Version         `json:"version"`
	Trigger   Trigger         `json:"trigger"`
	Input     json.RawMessage `json:"input,omitempty"`
	Slot      *time.Time      `json:"slot,omitempty"`
	Continues string          `json:"continues,omitempty"` // the failed run it goes on with
	Restarts  string          `json:"restarts,omitempty"`  // the unfinished run that it starts again
	Attempt   int             `json:"attempt,omitempty"`   // of a retry, from 1
	// Fresh says that the reads of the continued run are made again: only its writes
	// answer from its journal. So it is when what it read was the trouble, and is no more.
	Fresh bool `json:"fresh,omitempty"`
	// Regardless says that it goes on though later runs have changed keys and files that its journal
	// speaks of: its person said so.
	Regardless bool  `json:"regardless,omitempty"`
	Fork       *Fork `json:"fork,omitempty"`
	// At is when it was admitted, if runs are counted by the hour.
	At time.Time `json:"at,omitzero"`
	// Source is the outcome of another workflow that led to it, of trigger event.
	Source *Source `json:"source,omitempty"`
	// Kind is what the input, of trigger webhook, says that it is: its member type, event, action or kind.
	Kind string `json:"kind,omitempty"`
	// Aside says that a person tries something by hand: a failure is the run's, and changes nothing of the workflow.
	Aside bool `json:"aside,omitempty"`
	// Beside says that other runs may execute at the same time, so that it holds back what it writes to keys and files.
	Beside bool `json:"beside,omitempty"`
	// Labels are those of the workflow, of the run that it goes on with, and its own.
	Labels Labels `json:"labels,omitempty"`
	// Key stands for what its input is about, by the setting concurrency_key. The run that it goes on with has the same.
	Key string `json:"key,omitempty"`
	// Priority is how urgent its input is, by the setting priority_key: -1000 to 1000. It counts if it has to wait again.
	Priority int `json:"priority,omitempty"`
}

// RunCommitted says that from here on the writes to keys and files count that a run held back. Nobody else has committed since the
// state that it compared with what it had read.
type RunCommitted struct {
	Run     string `json:"run"`
	Through int    `json:"through"` // the last of its calls that counts
}

// Fork begins a run where another one was before a call: the earlier calls are not made again, and are answered from
// its journal.
type Fork struct {
	Run      string          `json:"run"`
	FromCall int             `json:"from_call"`        // the first call that is made anew, from 1
	Result   json.RawMessage `json:"result,omitempty"` // what that call answers instead
}

// RunSucceeded settles an admitted run.
type RunSucceeded struct {
	Run     string  `json:"run"`
	Version Version `json:"version"`
}

// RunFailed settles an admitted run.
type RunFailed struct {
	Run     string          `json:"run"`
	Version Version         `json:"version"`
	Failure failure.Failure `json:"failure"`
	// Writes is how many writes it had made, those included that it took over from runs which it continues.
	Writes int `json:"writes,omitempty"`
}

// RunCancelled records that a person cancelled a run: one that was under way, which settles it, or one that had failed and waited for
// its retry, a fix, access or its turn. It is no failure, and no success: nothing follows from it.
type RunCancelled struct {
	Run     string  `json:"run"`
	Version Version `json:"version"`
	Reason  string  `json:"reason,omitempty"`
	Writes  int     `json:"writes,omitempty"` // as in RunFailed; one that was never answered may have happened, and counts
	Waited  bool    `json:"waited,omitempty"` // it was not under way: it had failed, and waited
}

// RunUnfinished records that a failed run is half done and nothing goes on with it by itself: its
// person decides, or the setting unfinished has.
type RunUnfinished struct {
	Run     string  `json:"run"`
	Version Version `json:"version"`
	Writes  int     `json:"writes"` // as in RunFailed
	Problem string  `json:"problem"`
}

// RunLeft records that a failed run stays as it is: it was unfinished, or waited for its retry.
type RunLeft struct {
	Run  string `json:"run"`
	Note string `json:"note,omitempty"`
}

// SlotSkipped records that a schedule slot, or all from one to another, or an input did not
// become a run.
type SlotSkipped struct {
	Slot    *time.Time `json:"slot,omitempty"`
	Through *time.Time `json:"through,omitempty"` // the last of several
	Reason  string     `json:"reason"`
	Status  Status     `json:"status,omitempty"` // of the workflow, if that is why a slot was skipped
}

// Classified is what all classification events say.
type Classified struct {
	Run      string `json:"run"`
	Strict   string `json:"strict"`
	Loose    string `json:"loose"`
	Seen     int    `json:"seen"` // how often this strict fingerprint was seen before in this major
	Evidence string `json:"evidence"`
}

// LogicErrorClassified and its siblings record the class of a failed run.
type (
	LogicErrorClassified      struct{ Classified }
	NetworkErrorClassified    struct{ Classified }
	AuthErrorClassified       struct{ Classified }
	PermissionErrorClassified struct{ Classified }
	LimitErrorClassified      struct{ Classified }
	InternalErrorClassified   struct{ Classified }
)

// NotReproduced records that the failing run works now in rehearsal: no maintenance, no budget spent. If the failure
// was handed to a person, or a fix waits for one, the workflow goes on with its script as it is.
type NotReproduced struct {
	Run string `json:"run"`
}

// StillFails records that what was handed to a person, or waits for one, was rehearsed by the clock and does not work yet.
type StillFails struct {
	Run string    `json:"run"`
	At  time.Time `json:"at"` // the decider's clock: the next rehearsal follows from it
}

// WorkClaimed says who does something that has neither a run nor a thread: nobody else does it until then. Said again it is a sign of
// life, and without a time it gives the work away.
type WorkClaimed struct {
	Work  string    `json:"work"`
	By    string    `json:"by"` // an id of its own for each try
	Until time.Time `json:"until,omitzero"`
}

// RetryScheduled records when a failed run is to be continued.
type RetryScheduled struct {
	Run     string    `json:"run"`
	Attempt int       `json:"attempt"` // the attempt to come, from 1
	At      time.Time `json:"at"`
	// Fresh and Regardless are as of RunAdmitted.
	Fresh      bool `json:"fresh,omitempty"`
	Regardless bool `json:"regardless,omitempty"`
}

// RetriesExhausted records that a passing failure did not pass, and that the run is not tried on: the person is told once per
// fingerprint, the workflow stays active, the next trigger tries again.
type RetriesExhausted struct {
	Run      string `json:"run"`
	Strict   string `json:"strict"`
	Attempts int    `json:"attempts"`
}

// Recovered records the first success after failures.
type Recovered struct {
	Run string `json:"run"`
}

// MaintenanceEntered opens exactly one maintainer task, with its own thread and inbox item.
type MaintenanceEntered struct {
	Task    string  `json:"task"`
	Thread  string  `json:"thread"`
	Item    string  `json:"item"` // inbox item
	Run     string  `json:"run"`
	Base    Version `json:"base"`
	Attempt int     `json:"attempt"` // fix attempt n …
	Budget  int     `json:"budget"`  // … of N
	// At is the decider's clock: how many repairs an hour saw is part of the state.
	At time.Time `json:"at"`
}

// RepairAsked records that a person wants the workflow mended of a failure that was its run's alone. The run is
// evidence from now on: a task is opened for it, or the open one takes it.
type RepairAsked struct {
	Run     string          `json:"run"`
	Version Version         `json:"version"`
	Failure failure.Failure `json:"failure"`
	Writes  int             `json:"writes,omitempty"` // as in RunFailed
	Input   json.RawMessage `json:"input,omitempty"`
}

// FailureAttached joins a further failure to the open task.
type FailureAttached struct {
	Task string `json:"task"`
	Run  string `json:"run"`
}

// Fixer says who proposed a fix, precisely enough to reproduce it.
type Fixer struct {
	Kind    string `json:"kind"`             // templates, model, command, person
	Version string `json:"version"`          // template id, or model and prompt hash
	Detail  string `json:"detail,omitempty"` // what it changed, in one line
}

// FixProposed records a submitted fix.
type FixProposed struct {
	Proposal string  `json:"proposal"`
	Task     string  `json:"task"`
	Run      string  `json:"run"`
	Base     Version `json:"base"`
	Code     string  `json:"code"`
	Comment  string  `json:"comment"`
	Fixer    Fixer   `json:"fixer"`
}

// Verdict is the gate's.
type Verdict string

// The verdicts.
const (
	VerdictIdentical    Verdict = "identical"
	VerdictDifferent    Verdict = "different"
	VerdictUnverifiable Verdict = "unverifiable"
)

// Alternative is a candidate that passed beside the proposed one but leads elsewhere.
type Alternative struct {
	Code    string          `json:"code"`
	Comment string          `json:"comment"`
	Output  json.RawMessage `json:"output,omitempty"`
	Writes  json.RawMessage `json:"writes,omitempty"`
	Widens  *Widening       `json:"widens,omitempty"`
}

// Widening is what a fix needs beyond where its major version has been: what accepting it allows.
type Widening struct {
	Hosts   []string    `json:"hosts,omitempty"`   // as URLs have them
	Writes  []string    `json:"writes,omitempty"`  // method host/first/second
	Secrets []SecretUse `json:"secrets,omitempty"` // that were never sent there
}

// SecretUse is a secret that is sent to a host.
type SecretUse struct {
	Name string `json:"name"`
	Host string `json:"host"`
}

// Rehearsal is a dry run with live reads and captured writes.
type Rehearsal struct {
	Succeeded bool            `json:"succeeded"`
	Output    json.RawMessage `json:"output,omitempty"`
	Writes    json.RawMessage `json:"writes,omitempty"`
	Problem   string          `json:"problem,omitempty"`
	Assumed   []string        `json:"assumed,omitempty"`  // answers of writes, as recorded successes had them
	Invented  []string        `json:"invented,omitempty"` // answers of writes that no recorded success made
}

// Verification is everything the gate found about a proposal.
type Verification struct {
	Verdict    Verdict         `json:"verdict"`
	FailingRun string          `json:"failing_run"` // its outcome on the proposed code, in words
	Output     json.RawMessage `json:"output,omitempty"`
	Writes     json.RawMessage `json:"writes,omitempty"`
	Replayed   int             `json:"replayed"`
	Identical  int             `json:"identical"`
	Excluded   int             `json:"excluded"`
	Missing    int             `json:"missing"`
	Divergence string          `json:"divergence,omitempty"`
	Diverges   string          `json:"diverges,omitempty"`   // the recorded run that comes out differently
	Reasons    []string        `json:"reasons,omitempty"`    // to hold
	Doubts     []string        `json:"doubts,omitempty"`     // those of Reasons that are the fixer's own: no gate lifts them
	Unverified []string        `json:"unverified,omitempty"` // recorded successes that needed an answer that was never recorded
	Widens     *Widening       `json:"widens,omitempty"`
	Assumed    []string        `json:"assumed,omitempty"` // answers of writes of the failing run, as recorded successes had them
	Rehearsal  *Rehearsal      `json:"rehearsal,omitempty"`
	// Runs are the recorded successes that the gate was given, oldest first, and Exempted how many it was not given,
	// so that the fix can be judged again.
	Runs        []string `json:"runs,omitempty"`
	Exempted    int      `json:"exempted,omitempty"`
	GateVersion string   `json:"gate_version"`
	Certificate string   `json:"certificate"` // hex SHA-256 of the certificate document
}

// FixVerified records the gate's verdict.
type FixVerified struct {
	Proposal     string        `json:"proposal"`
	Verification Verification  `json:"verification"`
	Alternatives []Alternative `json:"alternatives,omitempty"`
}

// FixApplied records that a proposal became a version. Its ScriptSaved is in the same append.
type FixApplied struct {
	Proposal string  `json:"proposal"`
	Version  Version `json:"version"`
}

// Why a fix is stale.
const (
	StaleReplanned  = "replanned"
	StaleRolledBack = "rolled_back"
	StaleEscalated  = "escalated"
	StaleArchived   = "archived"
	StaleFixed      = "fixed"    // another proposal of the same task was applied
	StaleTrusted    = "trusted"  // a person says that the run was right as it was
	StaleWorks      = "works"    // the version that it was to mend works again
	StaleReplaced   = "replaced" // it waited for a person, and a better one of the same task came first
)

// Why maintenance was left.
const (
	ExitFixed      = "fixed"
	ExitStale      = "stale"
	ExitEscalated  = "escalated"
	ExitReplanned  = "replanned"
	ExitRolledBack = "rolled_back"
	ExitArchived   = "archived"
	ExitTrusted    = "trusted" // a person says that the run was right
	ExitWorks      = "works"   // the version works again
)

// FixRejectedStale records a fix that was overtaken. It is never applied and never escalated.
type FixRejectedStale struct {
	Proposal string  `json:"proposal"`
	Base     Version `json:"base"`
	Current  Version `json:"current"`
	Why      string  `json:"why"`
}

// FixRejectedDifferent records a fix that changes what used to work.
type FixRejectedDifferent struct {
	Proposal   string `json:"proposal"`
	Divergence string `json:"divergence"`
}

// FixHeld records a fix that needs a person.
type FixHeld struct {
	Proposal     string        `json:"proposal"`
	Reasons      []string      `json:"reasons"`
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Unheard says, in words, that a fixer was not heard which is asked on: until a person answers, a
	// better fix takes this one's place.
	Unheard string `json:"unheard,omitempty"`
}

// FixAccepted records that a person applies a held fix. Its ScriptSaved is in the same append.
type FixAccepted struct {
	Proposal string  `json:"proposal"`
	Version  Version `json:"version"`
	Reason   string  `json:"reason,omitempty"`
	// Alternative is which of the held alternatives was taken, from 1; 0 is the fix itself.
	Alternative int `json:"alternative,omitempty"`
	// AllowHosts are the hosts that this widened the allow-list by. The SettingsChanged is in the same append.
	AllowHosts []string `json:"allow_hosts,omitempty"`
	// BindSecrets are the secrets that it needs at hosts which were never sent them.
	BindSecrets []SecretUse `json:"bind_secrets,omitempty"`
}

// FixDeclined records that a person refuses a held fix.
type FixDeclined struct {
	Proposal string `json:"proposal"`
	Reason   string `json:"reason,omitempty"`
}

// FixCorrectionRequested relaunches the maintainer with the violations and the person's note.
type FixCorrectionRequested struct {
	Proposal string `json:"proposal"`
	Note     string `json:"note"`
}

// FixRechecked records a new verdict on a held fix after the person changed something, or after the
// fixer was heard that was asked on, and had no better one.
type FixRechecked struct {
	Proposal     string       `json:"proposal"`
	Verification Verification `json:"verification"`
	// Reasons are why it still needs a person: what the gate found, and what follows from the mode.
	Reasons []string `json:"reasons,omitempty"`
	// Alternatives are all that there are now; none says that they are as they were.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	Unheard      string        `json:"unheard,omitempty"` // see [FixHeld]
}

// FixConfirmed records that the continued run succeeded on the fixed version.
type FixConfirmed struct {
	Version Version `json:"version"`
	Run     string  `json:"run"`
}

// FixRegressed records that the continued run failed with a logic or limit error.
type FixRegressed struct {
	Version Version `json:"version"`
	Run     string  `json:"run"`
}

// RunExempted records that a person declares a recorded success wrong: the gate leaves it out.
type RunExempted struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}

// MaintenanceExited closes a maintainer task.
type MaintenanceExited struct {
	Task string `json:"task"`
	Why  string `json:"why"` // fixed, stale, escalated, replanned, rolled_back, archived
}

// The reasons of an escalation.
const (
	EscalatedBudget     = "budget"
	EscalatedUnfixable  = "unfixable"
	EscalatedSameError  = "same_error_after_fix"
	EscalatedRateLimit  = "rate_limit"
	EscalatedAutoFixOff = "auto_fix_off"
	EscalatedDeclined   = "declined"
	EscalatedDiverged   = "continuation_diverged" // the new code does not repeat the writes that already happened
	EscalatedWithdrawn  = "withdrawn"             // a person took the fixes back
	EscalatedInternal   = "internal"              // Kintsugi itself failed at the repair
	EscalatedRetired    = "retired"               // the service says that what the script asks is no more
	EscalatedSuspected  = "suspected"             // a run was stopped because of what it would have written alone
)

// The actions that a person can answer an escalation with.
const (
	ActionReplan   = "replan"
	ActionEdit     = "edit"
	ActionRollback = "rollback"
	ActionActivate = "activate"
)

// Escalated hands the workflow to a person.
type Escalated struct {
	Reason      string    `json:"reason"`
	Explanation string    `json:"explanation"`
	Run         string    `json:"run,omitempty"`
	Task        string    `json:"task,omitempty"`
	Actions     []string  `json:"actions"`             // replan …
	Withdrawn   []Version `json:"withdrawn,omitempty"` // unconfirmed fixes taken back
	Active      Version   `json:"active"`              // the version that is active now
}

// PlannerTaskOpened records that the planner is at work; its maintainer waits.
type PlannerTaskOpened struct {
	Task   string `json:"task"`
	Thread string `json:"thread"`
	Ask    string `json:"ask"`
	// Chat says that the planner waits for the person's next words when it has nothing more
	// to do; else its task is closed then.
	Chat bool `json:"chat,omitempty"`
}

// PlannerTaskWaiting records that the planner waits for a person: it is not running.
type PlannerTaskWaiting struct {
	Task string `json:"task"`
}

// PlannerTold records what a person says to a planner that waits: it goes on.
type PlannerTold struct {
	Task string `json:"task"`
	Text string `json:"text"`
}

// PlannerTaskClosed ends a planner task.
type PlannerTaskClosed struct {
	Task    string `json:"task"`
	Outcome string `json:"outcome"`
	// Stopped says that it ended before the planner was done: its budget is used up, or no model answers.
	Stopped bool `json:"stopped,omitempty"`
}

// QuestionAsked records a question to the person.
type QuestionAsked struct {
	Question string   `json:"question"` // id
	Task     string   `json:"task"`
	Text     string   `json:"text"`
	Options  []string `json:"options,omitempty"`
}

// QuestionAnswered records the person's answer.
type QuestionAnswered struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// NotificationAcknowledged records that the person has seen a notification.
type NotificationAcknowledged struct {
	Notification string `json:"notification"`
}
