package projections

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// NotificationType says what a notification is about.
type NotificationType string

// The types. Internal ones are for the operator of the installation, all others for people.
const (
	NotifyError             NotificationType = "error"
	NotifyFixed             NotificationType = "fixed"
	NotifyFixWaiting        NotificationType = "fix_waiting"
	NotifyEscalated         NotificationType = "escalated"
	NotifyMaintenanceFailed NotificationType = "maintenance_failed"
	NotifyScriptMessage     NotificationType = "script_message"
	NotifyInternal          NotificationType = "internal"
	NotifyInDoubt           NotificationType = "in_doubt"
	NotifyQuestion          NotificationType = "question"
	NotifyPlannerStopped    NotificationType = "planner_stopped"
	NotifyUnfinished        NotificationType = "unfinished"
	NotifySuspected         NotificationType = "suspected"
	NotifyBalance           NotificationType = "balance"
	NotifyDraft             NotificationType = "draft"
	NotifyHealing           NotificationType = "healing"
	NotifyHeldJob           NotificationType = "held_job"
	NotifyPlanDone          NotificationType = "plan_done"
	NotifyCheckoutChanged   NotificationType = "checkout_changed"
)

// The actions that a waiting fix offers; those of an escalation are the workflow's own.
const (
	ActionAccept  = "accept"
	ActionCorrect = "correct"
	ActionRecheck = "recheck"
	ActionDecline = "decline"
)

// Actions of the operator on stopped agents.
const (
	ActionResumeRepairs = "resume_repairs"
	ActionRaiseCap      = "raise_cap"
)

// Actions that let agents of an owner's workflows go on.
const (
	ActionTopUp      = "top_up"
	ActionRaiseLimit = "raise_limit"
)

// ActionSetSecret is what a refused sign-in offers: another key.
const ActionSetSecret = "set_secret"

// ActionAllowHost is what an address that scripts may not reach offers: to allow it.
const ActionAllowHost = "allow_host"

// AccessActions are what a person can do about a failure of access. To try again helps only where the other side may
// have been set right.
func AccessActions(f failure.Failure) []string {
	switch {
	case f.Class == failure.Auth:
		return []string{ActionSetSecret, workflow.ActionActivate}
	case f.Code == hostcall.CodeAddressRefused:
		return []string{ActionAllowHost}
	case f.Code == hostcall.CodeSecretUnbound:
		return []string{ActionSetSecret}
	case f.Code == hostcall.CodeSecretMisplaced:
		return []string{workflow.ActionEdit}
	}
	return []string{workflow.ActionActivate}
}

// ActionAnswer is what a question offers.
const ActionAnswer = "answer"

// Ways to end an unfinished run.
const (
	ActionContinue = "continue"
	ActionRestart  = "restart"
	ActionLeave    = "leave"
)

// The answers to a success that looks wrong.
const (
	ActionTrust  = "trust"
	ActionExempt = "exempt"
)

// The answers to a write in doubt.
const (
	ActionHappened = "happened"
	ActionDidNot   = "did_not"
	ActionSkip     = "skip"
)

// The answers to the question about a draft that nobody touches.
const (
	ActionKeepDraft    = "keep"
	ActionArchiveDraft = "archive"
)

// ActionUnblock is what a blocked subtask of a coding agent offers.
const ActionUnblock = "unblock"

// judgedFix is what people are told about a proposal: what it does, and if something proves it.
type judgedFix struct {
	Proposal  string           `col:"proposal,key"`
	Workflow  string           `col:"workflow"`
	Version   string           `col:"version"` // that it became
	Task      string           `col:"task"`
	Comment   string           `col:"comment"`
	Verdict   workflow.Verdict `col:"verdict"`
	Identical int              `col:"identical"`
}

// notificationRun is a run under way that is imported, and so tells nobody anything, or that is about to tell something.
type notificationRun struct {
	Run      string          `col:"run,key"`
	Imported bool            `col:"imported"`
	Seq      int             `col:"seq"`
	Tool     string          `col:"tool"`
	Args     json.RawMessage `col:"args"`
}

var (
	notifications = readmodel.NewTable[Notification]("notification",
		readmodel.Index("number"), readmodel.Index("workflow", "number"), readmodel.Index("workflow", "type", "number"), readmodel.Index("type", "number"),
		readmodel.Index("workflow_owner", "number"), readmodel.Index("workflow_owner", "type", "number"), readmodel.Index("delegated_to", "number"), readmodel.Lookup("open", "open", "workflow"))
	notificationFailures = readmodel.NewTable[newestFailure]("notification_failure")
	notificationFixes    = readmodel.NewTable[judgedFix]("notification_fix", readmodel.Lookup("version", "version", "workflow"))
	notificationRuns     = readmodel.NewTable[notificationRun]("notification_run")
)

func applyNotification(tx *readmodel.Tx, recorded event.Recorded) error {
	noteFix(tx, notificationFixes, recorded)
	notify := table[recorded.Event.EventType()].notify
	if notify == nil {
		return nil
	}
	n := notifier{tx: tx, recorded: recorded, workflow: workflowOf(recorded)}
	notify(&n, recorded.Event)
	return n.err
}

// worksAgain tells that a workflow that waited for a person goes on as it is.
func worksAgain(run string) Notification {
	return Notification{
		Type: NotifyFixed, Title: "It works again as it was, and goes on", Run: run,
		Text: "What it failed with is over: the same script was tried without writing, and succeeded. Inputs that waited are carried out now, in order.",
	}
}

// aboutQuestion begins what a question is about: then comes its id, or the run and the call that asks.
const aboutQuestion = "question "

// question tells of a question as a whole; the answers to choose from stand beside it.
func question(text string, options []string) Notification {
	_, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Notification{Type: NotifyQuestion, Title: firstLine(text), Text: strings.TrimSpace(rest), Options: options, Actions: []string{ActionAnswer}}
}

// notifier makes notifications of one event.
type notifier struct {
	tx       *readmodel.Tx
	recorded event.Recorded
	workflow string
	err      error // of the event, which cannot be told
}

// add tells something, once until it is resolved, if it is about something.
func (n *notifier) add(told Notification) {
	if told.About != "" && slices.ContainsFunc(n.open(), about(told.About)) {
		return
	}
	told.ID, told.Number, told.Workflow, told.At = n.recorded.Metadata.EventID, n.tx.Next("notification"), n.workflow, n.recorded.Metadata.RecordedAt
	told.Unresolved, told.WorkflowOwner = unresolved, ownerOf(n.tx, n.workflow)
	if told.Actions == nil {
		told.Actions = []string{}
	}
	told.StandsStill = standsStill(told.Type, told.About)
	told.Text = n.withWaits(&told)
	n.leave(told.ID) // of an event that is there twice
	told.CauseID = n.causeOf(&told)
	notifications.Insert(n.tx, told)
	n.join(&told)
}

// standsStill says that a workflow, a run or an agent waits for the answer to a notification.
func standsStill(told NotificationType, of string) bool {
	switch told {
	case NotifyFixWaiting, NotifyEscalated, NotifyMaintenanceFailed, NotifyInDoubt, NotifyQuestion, NotifyUnfinished, NotifyHealing, NotifyHeldJob:
		return true
	case NotifyError:
		return of == aboutAuth || of == aboutPermission
	}
	return false
}

// open is what is told of the workflow and is not resolved.
func (n *notifier) open() []*Notification {
	return notifications.Where(n.tx, "open", unresolved, n.workflow)
}

// resolve ends what is told of the workflow, as far as it is chosen.
func (n *notifier) resolve(chosen func(*Notification) bool) {
	for _, one := range n.open() {
		if chosen(one) {
			one = notifications.Edit(n.tx, one.ID)
			one.Resolved, one.Unresolved, one.Actions, one.StandsStill = n.recorded.Metadata.RecordedAt, "", nil, false
			n.leave(one.ID)
		}
	}
}

func (n *notifier) acknowledged(id string) {
	if one := notifications.Get(n.tx, id); one != nil && one.Workflow == n.workflow && one.Acknowledged.IsZero() {
		one = notifications.Edit(n.tx, id)
		one.Acknowledged, one.Acknowledger = n.recorded.Metadata.RecordedAt, n.recorded.Metadata.Actor
		if !one.StandsStill {
			n.leave(id)
		}
	}
}

func ofType(types ...NotificationType) func(*Notification) bool {
	return func(one *Notification) bool { return slices.Contains(types, one.Type) }
}

func about(what ...string) func(*Notification) bool {
	return func(one *Notification) bool { return slices.Contains(what, one.About) }
}

// Beginnings of the text of a failure for a person.
const (
	aboutAuth       = "auth"
	aboutPermission = "permission"
	aboutNetwork    = "network"
)

// aboutUnfinished begins what a half-done run is about: then comes its id.
const aboutUnfinished = "unfinished "

// unfinished asks a person what is to become of a half-done run. Only an answer ends it.
func (n *notifier) unfinished(e workflow.RunUnfinished) Notification {
	return Notification{
		Type: NotifyUnfinished, Title: "A run stopped half done, after " + counted(e.Writes, "write"), Run: e.Run, Version: e.Version.String(),
		Text: e.Problem + "\nIt can go on with the version that is active now, if that repeats what was written; start again from the beginning, " +
			"which writes all of it again; or stay as it is.",
		Actions: []string{ActionContinue, ActionRestart, ActionLeave}, About: aboutUnfinished + e.Run,
	}
}

// suspected tells once, until it is answered, of runs that succeeded and look wrong. One that was stopped failed, and
// what follows from that is told.
func (n *notifier) suspected(e workflow.DriftSuspected) Notification {
	if e.Stopped {
		return Notification{}
	}
	var text strings.Builder
	of := "suspected"
	for _, one := range e.Suspects {
		text.WriteString(one.Text + "\n")
		of += " " + one.Key
	}
	text.WriteString("The run is no evidence for repairs until you say that it is right, or that it was wrong.")
	return Notification{
		Type: NotifySuspected, Title: "A run succeeded, and looks wrong", Run: e.Run, Version: e.Version.String(),
		Text: text.String(), Actions: []string{ActionTrust, ActionExempt}, About: of,
	}
}

// suspectedRun chooses what is told of a run that looks wrong.
func suspectedRun(run string) func(*Notification) bool {
	return func(one *Notification) bool { return one.Type == NotifySuspected && one.Run == run }
}

// reviewed tells once of all marked runs on which a later version comes to something else.
func (n *notifier) reviewed(e workflow.MarkedRunsReviewed) Notification {
	if len(e.Differ) == 0 {
		return Notification{}
	}
	var text strings.Builder
	for _, one := range e.Differ[:min(len(e.Differ), 5)] {
		text.WriteString(one.Text + "\n")
	}
	if more := len(e.Differ) - 5; more > 0 {
		fmt.Fprintf(&text, "and %s more\n", counted(more, "run"))
	}
	text.WriteString("They stay out of the evidence. Say that they were wrong, one by one or all since a day, to list what they wrote; or that one is right.")
	return Notification{
		Type: NotifySuspected, Title: fmt.Sprintf("Version %s comes to something else on %s that looked wrong", e.Version, counted(len(e.Differ), "run")),
		Run: e.Differ[0].Run, Version: e.Version.String(), Text: text.String(), Actions: []string{ActionExempt, ActionTrust}, About: "marked differ",
	}
}

// inDoubt asks a person what became of a write.
func (n *notifier) inDoubt(seq int, tool, target, why string) Notification {
	return Notification{
		Type: NotifyInDoubt, Title: "Did this happen? " + written(tool, target), Run: runOf(n.recorded), Call: seq,
		Text:    fmt.Sprintf("Write %d of the run went out, and no answer says whether it happened, so it is not sent again.%s Find out what became of it, and say so.", seq, why),
		Actions: []string{ActionHappened, ActionDidNot, ActionSkip}, About: n.aboutCall(aboutDoubt, seq),
	}
}

// written is what people read of a write, of which its tool and its first argument are known.
func written(tool, target string) string {
	if hostcall.Of(tool).Request != nil {
		if address, err := url.Parse(target); err == nil && address.Host != "" {
			return "A write to " + address.Host + address.Path
		}
	}
	return tool + " " + target
}

// aboutDoubt begins what the notice of a write in doubt is about: then come the run and the call.
const aboutDoubt = "in_doubt "

// aboutCall is what the notice of a call of a run is about.
func (n *notifier) aboutCall(begins string, seq int) string {
	return fmt.Sprintf("%s%s %d", begins, runOf(n.recorded), seq)
}

// failed tells of a failure that a person has to hear of, once until it is resolved.
func (n *notifier) failed(kind NotificationType, id, of, title string, actions ...string) Notification {
	why := n.why(id)
	if why.Host != "" && kind == NotifyError {
		title += ": " + why.Host
	}
	text := why.Message
	if kind == NotifyError && why.Body != "" {
		text += "\n" + HostSays + why.Body
	}
	return Notification{Type: kind, Title: title, Text: text, Run: id, Actions: actions, About: of}
}

// why is the newest failure of the workflow, if it is that run's.
func (n *notifier) why(id string) (f failure.Failure) {
	if newest := notificationFailures.Get(n.tx, n.workflow); newest != nil && newest.Run == id {
		f = newest.Failure
	}
	return f
}

// withWords is a failure whose body is what the host says in it, if that is for people.
func withWords(f failure.Failure) failure.Failure {
	words := hostWords(f.Body)
	f = *brief(f)
	f.Body = words
	return f
}

// HostSays begins, in the text of a notification, what the host that refused said.
const HostSays = "The host says: "

// mostWords is how much a host may say, in bytes.
const mostWords = 300

// hostWords is what a body says to people: the message in it, or the text that it is. A page is nothing.
func hostWords(body string) string {
	text := strings.TrimSpace(body)
	if strings.HasPrefix(text, "<") {
		return ""
	}
	for range 2 { // {"error": {"message": …}}
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &members) != nil {
			break
		}
		for _, name := range []string{"message", "error_description", "detail", "error", "title", "reason"} {
			said, found := members[name]
			if !found {
				continue
			}
			if json.Unmarshal(said, &text) != nil {
				text = string(said)
			}
			break
		}
	}
	return failure.Cut(strings.Join(strings.Fields(text), " "), mostWords)
}

// noteFix keeps what proposals say and how they are judged.
func noteFix(tx *readmodel.Tx, fixes *readmodel.Table[judgedFix], recorded event.Recorded) {
	edit := func(proposal string, change func(*judgedFix)) {
		if fix := fixes.Edit(tx, proposal); fix != nil {
			change(fix)
		}
	}
	judged := func(v workflow.Verification) func(*judgedFix) {
		return func(fix *judgedFix) { fix.Verdict, fix.Identical = v.Verdict, v.Identical }
	}
	switch e := recorded.Event.(type) {
	case workflow.FixProposed:
		fixes.Insert(tx, judgedFix{Proposal: e.Proposal, Workflow: workflowOf(recorded), Task: e.Task, Comment: e.Comment})
	case workflow.FixVerified:
		edit(e.Proposal, judged(e.Verification))
	case workflow.FixRechecked:
		edit(e.Proposal, judged(e.Verification))
	case workflow.ScriptSaved:
		if e.Proposal != "" { // of an alternative, the comment is its own
			edit(e.Proposal, func(fix *judgedFix) { fix.Version, fix.Comment = versionText(e.Version), e.Comment })
		}
	}
}

// proof says what proves a fix, in a sentence.
func (f judgedFix) proof() string {
	switch {
	case f.Verdict == workflow.VerdictIdentical && f.Identical > 0:
		return fmt.Sprintf("It is proved: %s before.", gives(f.Identical))
	case f.Verdict == workflow.VerdictIdentical:
		return "It is proved on the run that failed."
	}
	return "The recorded runs do not prove it."
}

func gives(runs int) string {
	if runs == 1 {
		return "1 recorded run gives the same as"
	}
	return fmt.Sprintf("%d recorded runs give the same as", runs)
}

// fixed tells of a fix when the run that it was made for has succeeded with it, not before.
func (n *notifier) fixed(v workflow.Version) Notification {
	made := notificationFixes.Where(n.tx, "version", versionText(v), n.workflow)
	if len(made) == 0 {
		return Notification{}
	}
	fix := made[0]
	return Notification{
		Type: NotifyFixed, Title: "Fixed: " + firstLine(fix.Comment), Text: fmt.Sprintf("Version %s. %s", v, fix.proof()),
		Task: fix.Task, Proposal: fix.Proposal, Version: v.String(),
	}
}

func (n *notifier) held(e workflow.FixHeld) Notification {
	fix := cmp.Or(notificationFixes.Get(n.tx, e.Proposal), &judgedFix{})
	due, onDeadline := n.due(n.recorded.Metadata.RecordedAt)
	return Notification{
		Type: NotifyFixWaiting, Title: "A fix waits for you: " + firstLine(fix.Comment), Text: strings.Join(e.Reasons, "\n"),
		Due: due, OnDeadline: onDeadline, Task: fix.Task, Proposal: e.Proposal, Actions: []string{ActionAccept, ActionCorrect, ActionRecheck, ActionDecline},
	}
}

func (n *notifier) escalated(e workflow.Escalated) Notification {
	told := Notification{
		Type: NotifyEscalated, Title: strings.ToUpper(reasonText(e.Reason)[:1]) + reasonText(e.Reason)[1:], Text: e.Explanation,
		Run: e.Run, Task: e.Task, Version: versionText(e.Active), Actions: e.Actions,
	}
	if e.Reason == workflow.EscalatedUnfixable {
		told.Type = NotifyMaintenanceFailed
	}
	if of := runs.Get(n.tx, e.Run); of != nil && of.Status == RunFailed && len(of.Suspected) > 0 { // the guard stopped it
		told.Actions = append([]string{ActionTrust}, told.Actions...)
	}
	return told
}

// rechecked puts the new reasons in the place of the old ones.
func (n *notifier) rechecked(e workflow.FixRechecked) {
	for _, one := range n.open() {
		if one.Type == NotifyFixWaiting && one.Proposal == e.Proposal {
			one, text := notifications.Edit(n.tx, one.ID), strings.Join(e.Reasons, "\n")
			if at := strings.Index(one.Text, missed); at >= 0 {
				text += "\n" + withoutWaits(one.Text[at:])
			}
			one.Text = text
			one.Text = n.withWaits(one)
		}
	}
}

func reasonText(reason string) string {
	switch reason {
	case workflow.EscalatedBudget:
		return "the fixes so far did not last"
	case workflow.EscalatedUnfixable:
		return "no fix was found"
	case workflow.EscalatedInternal:
		return "Kintsugi itself failed at the repair"
	case workflow.EscalatedSameError:
		return "the fix did not help"
	case workflow.EscalatedRateLimit:
		return "it breaks too often"
	case workflow.EscalatedAutoFixOff:
		return "it broke, and fixes are off"
	case workflow.EscalatedDeclined:
		return "the fix was declined"
	case workflow.EscalatedDiverged:
		return "the fixed script does not repeat what was already done"
	case workflow.EscalatedRetired:
		return "the service has retired what it asks"
	case workflow.EscalatedSuspected:
		return "it would have written what it never did"
	case workflow.EscalatedWithdrawn:
		return "the fixes were taken back"
	}
	return reason
}

// says keeps a message to people until its call has come back. A message that the journal of an earlier run answers was told by that run.
func (n *notifier) says(e run.ToolCalled) {
	if e.From != "" || hostcall.Of(e.Tool).Message == nil {
		return
	}
	if under := notificationRuns.Get(n.tx, runOf(n.recorded)); under == nil || !under.Imported {
		notificationRuns.Insert(n.tx, notificationRun{Run: runOf(n.recorded), Seq: e.Seq, Tool: e.Tool, Args: e.Args})
	}
}

// said tells what a script said to its person, when the call came back.
func (n *notifier) said(e run.ToolReturned) {
	id := runOf(n.recorded)
	made := notificationRuns.Get(n.tx, id)
	if made == nil || made.Imported || made.Seq != e.Seq {
		return
	}
	notificationRuns.Delete(n.tx, id)
	if e.Error != nil {
		return
	}
	title, text, err := hostcall.Of(made.Tool).Message(made.Args)
	if err != nil {
		n.err = fmt.Errorf("arguments of %s: %w", made.Tool, err)
		return
	}
	n.add(Notification{Type: NotifyScriptMessage, Run: id, Title: title, Text: text})
}

// Notification is something that people (or the operator) have to hear.
type Notification struct {
	ID            string           `json:"id" col:"id,key"` // of the event it tells of
	Workflow      string           `json:"workflow" col:"workflow"`
	WorkflowTitle string           `json:"workflow_title"`
	Type          NotificationType `json:"type" col:"type"`
	At            time.Time        `json:"at" col:"at"`
	Title         string           `json:"title" col:"title"` // one line
	Text          string           `json:"text,omitempty" col:"text"`
	Run           string           `json:"run,omitempty" col:"run"`
	Task          string           `json:"task,omitempty" col:"task"`
	Question      string           `json:"question,omitempty" col:"question"` // of an agent; a script's is found by its run
	Call          int              `json:"call,omitempty" col:"call"`         // of the run, that asks or is in doubt
	Proposal      string           `json:"proposal,omitempty" col:"proposal"`
	Version       string           `json:"version,omitempty" col:"version"`
	Owner         string           `json:"owner,omitempty" col:"owner"` // of the account that it is of
	Plan          string           `json:"plan,omitempty" col:"plan"`   // of coding agents, that has the job
	Job           string           `json:"job,omitempty" col:"job"`     // or subtask
	Checkpoint    int              `json:"checkpoint,omitempty" col:"checkpoint"`
	Session       string           `json:"session,omitempty" col:"session"`      // of a coding agent
	Healing       int              `json:"healing,omitempty" col:"healing"`      // of it
	Options       []string         `json:"options,omitempty" col:"options,json"` // the answers that a question offers; its text has them, too
	Actions       []string         `json:"actions" col:"actions,json"`           // what can be done about it
	Resolved      time.Time        `json:"resolved,omitzero" col:"resolved"`     // when it ceased to matter
	Acknowledged  time.Time        `json:"acknowledged,omitzero" col:"acknowledged"`
	Acknowledger  string           `json:"acknowledger,omitempty" col:"acknowledger"`
	// StandsStill says that something does not go on until it is decided: it stays open also when it was seen.
	StandsStill bool `json:"stands_still,omitempty" col:"stands_still"`
	// DelegatedTo is a person, or group: and the subscription whose readers they are, for whom it is to decide now.
	DelegatedTo    string    `json:"delegated_to,omitempty" col:"delegated_to"`
	DelegatedBy    string    `json:"delegated_by,omitempty" col:"delegated_by"`
	Delegated      time.Time `json:"delegated,omitzero" col:"delegated"`
	DelegationNote string    `json:"delegation_note,omitempty" col:"delegation_note"`
	// Due is when it is decided without its person, OnDeadline what is done then, and Reminded when half of the time was over.
	Due        time.Time `json:"due,omitzero" col:"due"`
	OnDeadline string    `json:"on_deadline,omitempty" col:"on_deadline"`
	Reminded   time.Time `json:"reminded,omitzero" col:"reminded"`
	// Cause is what this one stands for, in a list of what is open, and Also are the others that have it.
	Cause *Cause `json:"cause,omitempty"`
	Also  []Told `json:"also,omitempty"`
	// Candidate is the best that the maintainer had, of an escalation.
	Candidate *Candidate `json:"candidate,omitempty"`

	Number        int64  `json:"-" col:"number"`
	About         string `json:"-" col:"about"` // what is told once until it is resolved
	Unresolved    string `json:"-" col:"open"`  // [unresolved] as long as it is
	CauseID       string `json:"-" col:"cause"` // that it is told with, also when nobody is told any more
	WorkflowOwner string `json:"-" col:"workflow_owner"`
}

// unresolved is what the column says of a notification that still matters.
const unresolved = "open"

func scanNotification(row readmodel.Row) (Notification, error) {
	found, err := notifications.Scan(row)
	found.WorkflowTitle = row.Text("workflow_title")
	return found, err
}

// NotificationFilter chooses notifications; zero fields choose all that are for people.
type NotificationFilter struct {
	Workflow string
	Owner    string // of the workflow
	Type     NotificationType
	// DelegatedTo chooses those that were given to that person or group, each by itself.
	DelegatedTo string
	// Open leaves out what is resolved, and what was acknowledged unless something stands still for it. Without a Workflow, one stands for all
	// that have the same [Cause].
	Open bool
	// Operator includes those for the operator of the installation.
	Operator bool
	// Limit is the most notifications to return, the newest; 0 for no limit.
	Limit int
	// Before leaves out that notification and those after it: it is the last one of the page before.
	Before string
}

var selectNotification = "SELECT " + notifications.Columns() + `, coalesce(workflow.title, '') AS workflow_title
	FROM notification LEFT JOIN workflow ON workflow.id = notification.workflow`

// Notifications are the notifications chosen, the newest first.
func (q *Queries) Notifications(ctx context.Context, filter NotificationFilter) (list []Notification, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		if filter.Open && filter.Workflow == "" && filter.DelegatedTo == "" {
			list, err = byCause(query, filter)
		} else {
			list, err = oneByOne(query, filter)
		}
		if err != nil {
			return err
		}
		return addCandidates(query, list)
	})
	return list, err
}

// oneByOne are the notifications chosen, each by itself.
func oneByOne(query *readmodel.Query, filter NotificationFilter) ([]Notification, error) {
	var chosen conditions
	chosen.of("notification", filter.Workflow, filter.Owner)
	chosen.equal("notification.type", string(filter.Type))
	chosen.equal("notification.delegated_to", filter.DelegatedTo)
	if filter.Type == "" && !filter.Operator {
		chosen.add("notification.type <> ?", NotifyInternal)
	}
	if filter.Open {
		chosen.add("notification.open = ? AND notification.open <> '' AND (notification.acknowledged IS NULL OR notification.stands_still = ?)", unresolved, true)
	}
	if filter.Before != "" {
		chosen.add("notification.number < (SELECT number FROM notification WHERE id = ?)", filter.Before)
	}
	statement := chosen.limit(selectNotification+chosen.where()+" ORDER BY notification.number DESC", filter.Limit)
	return readmodel.Collect(query.Rows(statement, chosen.args...), scanNotification)
}

// Notification is one notification.
func (q *Queries) Notification(ctx context.Context, id string) (Notification, error) {
	return one(ctx, q, fault.New(fault.NotFound, "there is no notification %q: see the list of notifications", id),
		scanNotification, selectNotification+" WHERE notification.id = ?", id)
}

// tellAside tells the operator, once, that a stream cannot be read. It is theirs to acknowledge, not the workflow's,
// whose own stream may be the one. Its id is of the stream: that of the event may be told of already. It is gone when the stream can be read again.
func tellAside(tx *readmodel.Tx, record eventlog.Record, aside readmodel.Aside) error {
	n := notifier{tx: tx, recorded: event.Recorded{Metadata: event.Metadata{EventID: "aside-" + aside.Stream, RecordedAt: record.RecordedAt}}}
	text := fmt.Sprintf("%s at revision %d, event %s: %s. Lists and repairs are without what came after; everything else goes on. "+
		"'kintsugi verify' says whether somebody changed it. It ends by itself when a program that can read the event, or a restored log, is there.",
		aside.Type, aside.Revision, aside.EventID, aside.Reason)
	title := "A history cannot be read and is set aside: " + aside.Stream
	if id, is := strings.CutPrefix(aside.Stream, workflow.StreamPrefix); is {
		title = "A workflow stands still, its history cannot be read: " + id
	}
	n.add(Notification{Type: NotifyInternal, Title: title, Text: text, About: "unreadable " + aside.Stream})
	return nil
}
