package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const notificationSchema = `
CREATE TABLE notification (
  number       INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE, -- of the event it tells of
  workflow     TEXT NOT NULL,
  type         TEXT NOT NULL,
  at           INTEGER NOT NULL,
  title        TEXT NOT NULL,
  text         TEXT NOT NULL,
  run          TEXT NOT NULL,
  task         TEXT NOT NULL,
  question     TEXT NOT NULL, -- of an agent
  call         INTEGER NOT NULL, -- of the run, that asks or is in doubt; 0 for none
  proposal     TEXT NOT NULL,
  version      TEXT NOT NULL,
  actions      TEXT NOT NULL, -- JSON
  about        TEXT NOT NULL, -- what is told once until it is resolved
  resolved     INTEGER,
  acknowledged INTEGER,
  acknowledger TEXT NOT NULL DEFAULT ''
);
CREATE INDEX notification_workflow ON notification (workflow, number);
CREATE TABLE notification_failure ( -- the newest failed run of each workflow
  workflow TEXT PRIMARY KEY,
  run      TEXT NOT NULL,
  failure  TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE notification_fix (
  proposal  TEXT PRIMARY KEY,
  workflow  TEXT NOT NULL,
  version   TEXT NOT NULL DEFAULT '', -- that it became
  task      TEXT NOT NULL,
  comment   TEXT NOT NULL,
  verdict   TEXT NOT NULL DEFAULT '',
  identical INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE notification_import (
  run TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE notification_call (
  run  TEXT NOT NULL,
  seq  INTEGER NOT NULL,
  args TEXT NOT NULL,
  PRIMARY KEY (run, seq)
) WITHOUT ROWID;
`

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
)

// The actions that a waiting fix offers; those of an escalation are the workflow's own.
const (
	ActionAccept  = "accept"
	ActionCorrect = "correct"
	ActionRecheck = "recheck"
	ActionDecline = "decline"
)

// What the operator can do about stopped agents.
const (
	ActionResumeRepairs = "resume_repairs"
	ActionRaiseCap      = "raise_cap"
)

// ActionSetSecret is what a refused sign-in offers: another key.
const ActionSetSecret = "set_secret"

// ActionAnswer is what a question offers.
const ActionAnswer = "answer"

// What can become of an unfinished run.
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

// toolNotify is the host call that sends a message to the workflow's person.
const toolNotify = "notify"

func applyNotification(tx *readmodel.Tx, recorded event.Recorded) error {
	n := notifier{tx: tx, recorded: recorded, workflow: workflowOf(recorded)}
	switch e := recorded.Event.(type) {
	case workflow.RunFailed:
		return exec(tx, `INSERT INTO notification_failure (workflow, run, failure) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET run = excluded.run, failure = excluded.failure`,
			n.workflow, e.Run, readmodel.JSON(withWords(e.Failure)))
	case workflow.AuthErrorClassified:
		return n.failed(NotifyError, e.Run, "auth", "Access was refused", ActionSetSecret, workflow.ActionActivate)
	case workflow.PermissionErrorClassified:
		return n.failed(NotifyError, e.Run, "permission", "Something is not permitted", workflow.ActionActivate)
	case workflow.InternalErrorClassified:
		return n.failed(NotifyInternal, e.Run, "internal "+e.Strict, "Kintsugi itself failed")
	case workflow.RetriesExhausted:
		return n.failed(NotifyError, e.Run, "network "+e.Strict, fmt.Sprintf("No answer after %d tries", e.Attempts))
	case workflow.Recovered:
		return n.resolve("type IN (?, ?)", NotifyError, NotifyInternal)
	case workflow.WorkflowActivated:
		return n.resolve("type IN (?, ?, ?)", NotifyError, NotifyEscalated, NotifyMaintenanceFailed)
	case workflow.ScriptSaved:
		if e.Proposal != "" { // of an alternative, the comment is its own
			if err := exec(tx, `UPDATE notification_fix SET version = ?, comment = ? WHERE proposal = ?`, versionText(e.Version), e.Comment, e.Proposal); err != nil {
				return err
			}
		}
		if e.Origin == workflow.OriginRollback {
			if err := n.resolve("type = ?", NotifyFixed); err != nil {
				return err
			}
		}
		return n.resolve("type IN (?, ?)", NotifyEscalated, NotifyMaintenanceFailed)
	case workflow.MaintenanceExited:
		return n.resolve("type = ? OR type = ? AND task = ?", NotifyFixWaiting, NotifyQuestion, e.Task)
	case workflow.QuestionAsked:
		asked := question(e.Text, e.Options)
		asked.Task, asked.Question = e.Task, e.Question
		return n.add(asked, aboutQuestion+e.Question)
	case workflow.QuestionAnswered:
		return n.resolve("about = ?", aboutQuestion+e.Question)
	case workflow.PlannerTaskOpened:
		return n.resolve("type = ?", NotifyPlannerStopped)
	case workflow.PlannerTaskClosed:
		if e.Stopped {
			told := Notification{Type: NotifyPlannerStopped, Title: "The planner stopped", Text: e.Outcome, Task: e.Task, Actions: []string{}}
			if err := n.add(told, ""); err != nil {
				return err
			}
		}
		return n.resolve("type = ? AND task = ?", NotifyQuestion, e.Task)
	case workflow.FixCorrectionRequested:
		return n.resolve("type = ?", NotifyFixWaiting)
	case workflow.FixProposed:
		return exec(tx, `INSERT INTO notification_fix (proposal, workflow, task, comment) VALUES (?, ?, ?, ?)`, e.Proposal, n.workflow, e.Task, e.Comment)
	case workflow.FixVerified:
		return n.verified(e.Proposal, e.Verification)
	case workflow.FixRechecked:
		if err := exec(tx, `UPDATE notification SET text = ? WHERE type = ? AND proposal = ? AND resolved IS NULL`,
			strings.Join(e.Reasons, "\n"), NotifyFixWaiting, e.Proposal); err != nil {
			return err
		}
		return n.verified(e.Proposal, e.Verification)
	case workflow.FixRejectedStale:
		return n.resolve("type = ? AND proposal = ?", NotifyFixWaiting, e.Proposal)
	case workflow.FixConfirmed:
		return n.fixed(e.Version)
	case workflow.FixHeld:
		return n.held(e)
	case workflow.Escalated:
		return n.escalated(e)
	case workflow.NotificationAcknowledged:
		return n.acknowledged(e.Notification)
	case installation.RepairsStopped:
		return n.add(Notification{
			Type: NotifyInternal, Title: "Repairs are switched off on all workflows", Text: e.Reason, Actions: []string{ActionResumeRepairs},
		}, aboutStopped)
	case installation.RepairsResumed:
		return n.resolve("about = ?", aboutStopped)
	case installation.SpendCapReached:
		return n.capReached(e)
	case installation.SpendCapChanged:
		return n.resolve("about IN (?, ?)", aboutCap(installation.Day), aboutCap(installation.Month))
	case installation.NoticeAcknowledged:
		return n.acknowledged(e.Notification)
	case thread.ModelUnavailable:
		return n.modelMissing(e)
	case thread.MessageAppended:
		if e.Usage == nil {
			return nil
		}
		return n.modelAnswered()
	case workflow.InputSkipped:
		return n.inputSkipped(e)
	case workflow.TriggerSet, workflow.TriggerRemoved:
		return n.resolve("about = ?", "inputs "+workflow.SkippedHops)
	case workflow.RunUnfinished:
		return n.unfinished(e)
	case workflow.DriftSuspected:
		return n.suspected(e)
	case workflow.RunTrusted:
		return n.resolve("run = ? AND type = ?", e.Run, NotifySuspected)
	case workflow.RunExempted:
		return n.resolve("run = ? AND type = ?", e.Run, NotifySuspected)
	case workflow.RetryScheduled:
		return n.resolve("about = ?", aboutUnfinished+e.Run)
	case workflow.RunLeft:
		return n.resolve("about = ?", aboutUnfinished+e.Run)
	case workflow.RunAdmitted:
		if e.Restarts != "" {
			return n.resolve("about = ?", aboutUnfinished+e.Restarts)
		}
		if e.Trigger == workflow.TriggerWebhook || e.Trigger == workflow.TriggerEvent {
			return n.resolve("about = ?", "inputs "+workflow.SkippedFull)
		}
	case run.RunStarted:
		if e.Trigger == string(workflow.TriggerImport) {
			return exec(tx, `INSERT INTO notification_import (run) VALUES (?)`, e.Run)
		}
	case run.ToolCalled:
		// What an earlier run's journal answers was said by that run.
		if e.Tool == toolNotify && e.From == "" {
			return exec(tx, `INSERT INTO notification_call (run, seq, args) SELECT ?1, ?2, ?3
				WHERE NOT EXISTS (SELECT * FROM notification_import WHERE run = ?1)`, runOf(recorded), e.Seq, e.Args)
		}
	case run.ToolReturned:
		return n.said(e)
	case run.EffectInDoubt:
		if !e.LookUpAt.IsZero() {
			return nil // the other side is asked before a person is
		}
		why := ""
		if e.Status != 0 {
			why = fmt.Sprintf(" What came back was status %d.", e.Status)
		}
		return n.inDoubt(e.Seq, e.Tool, e.Target, why)
	case run.EffectLookedUp:
		if e.Found != run.LookedUpNothing || !e.Next.IsZero() {
			return nil
		}
		return n.inDoubt(e.Seq, e.Tool, e.Target, fmt.Sprintf(" The other side was asked %d times and does not say: %s.", e.Attempt, e.Detail))
	case run.AnswerAwaited:
		id := runOf(recorded)
		asked := question(e.Question, e.Options)
		asked.Run, asked.Call = id, e.Seq
		return n.add(asked, fmt.Sprintf("%s%s %d", aboutQuestion, id, e.Seq))
	case run.AnswerGiven:
		return n.resolve("about = ?", fmt.Sprintf("%s%s %d", aboutQuestion, runOf(recorded), e.Seq))
	case run.EffectResolved:
		return n.resolve("about = ?", fmt.Sprintf("in_doubt %s %d", runOf(recorded), e.Seq))
	case run.RunEnded:
		if err := exec(tx, `DELETE FROM notification_call WHERE run = ?`, runOf(recorded)); err != nil {
			return err
		}
		return exec(tx, `DELETE FROM notification_import WHERE run = ?`, runOf(recorded))
	}
	return nil
}

// aboutQuestion begins what a question is about: then comes its id, or the run and the call that asks.
const aboutQuestion = "question "

// question tells of a question as a whole, with the answers to choose from.
func question(text string, options []string) Notification {
	_, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(options) > 0 {
		rest += "\nChoose one: " + strings.Join(options, ", ")
	}
	return Notification{Type: NotifyQuestion, Title: firstLine(text), Text: strings.TrimSpace(rest), Actions: []string{ActionAnswer}}
}

// notifier makes notifications of one event.
type notifier struct {
	tx       *readmodel.Tx
	recorded event.Recorded
	workflow string
}

func (n notifier) add(told Notification, about string) error {
	if about != "" {
		_, open, err := readmodel.First(n.tx.Rows(`SELECT id FROM notification WHERE workflow = ? AND about = ? AND resolved IS NULL`,
			n.workflow, about), func(row readmodel.Row) (string, error) { return row.Text("id"), nil })
		if err != nil || open {
			return err
		}
	}
	if told.Actions == nil {
		told.Actions = []string{}
	}
	return exec(n.tx, `INSERT INTO notification (id, workflow, type, at, title, text, run, task, question, call, proposal, version, actions, about)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n.recorded.Metadata.EventID, n.workflow, told.Type, n.recorded.Metadata.RecordedAt, told.Title, told.Text,
		told.Run, told.Task, told.Question, told.Call, told.Proposal, told.Version, readmodel.JSON(told.Actions), about)
}

func (n notifier) resolve(which string, args ...any) error {
	return exec(n.tx, "UPDATE notification SET resolved = ? WHERE workflow = ? AND resolved IS NULL AND ("+which+")",
		append([]any{n.recorded.Metadata.RecordedAt, n.workflow}, args...)...)
}

// aboutUnfinished begins what a half-done run is about: then comes its id.
const aboutUnfinished = "unfinished "

// unfinished asks a person what is to become of a half-done run. Only an answer ends it.
func (n notifier) unfinished(e workflow.RunUnfinished) error {
	return n.add(Notification{
		Type: NotifyUnfinished, Title: "A run stopped half done, after " + counted(e.Writes, "write"), Run: e.Run, Version: e.Version.String(),
		Text: e.Problem + "\nIt can go on with the version that is active now, if that repeats what was written; start again from the beginning, " +
			"which writes all of it again; or stay as it is.",
		Actions: []string{ActionContinue, ActionRestart, ActionLeave},
	}, aboutUnfinished+e.Run)
}

// suspected tells once, until it is answered, of runs that succeeded and look wrong. One that was stopped failed, and
// what follows from that is told.
func (n notifier) suspected(e workflow.DriftSuspected) error {
	if e.Stopped {
		return nil
	}
	var text strings.Builder
	about := "suspected"
	for _, one := range e.Suspects {
		text.WriteString(one.Text + "\n")
		about += " " + one.Key
	}
	text.WriteString("The run is no evidence for repairs until you say that it is right, or that it was wrong.")
	return n.add(Notification{
		Type: NotifySuspected, Title: "A run succeeded, and looks wrong", Run: e.Run, Version: e.Version.String(),
		Text: text.String(), Actions: []string{ActionTrust, ActionExempt},
	}, about)
}

// counted is a number with its noun.
func counted(number int, noun string) string {
	if number == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", number, noun)
}

// inDoubt asks a person what became of a write.
func (n notifier) inDoubt(seq int, tool, target, why string) error {
	id := runOf(n.recorded)
	return n.add(Notification{
		Type: NotifyInDoubt, Title: fmt.Sprintf("Did this happen? %s %s", tool, target), Run: id, Call: seq,
		Text:    fmt.Sprintf("Write %d of the run went out, and no answer says whether it happened, so it is not sent again.%s Find out what became of it, and say so.", seq, why),
		Actions: []string{ActionHappened, ActionDidNot, ActionSkip},
	}, fmt.Sprintf("in_doubt %s %d", id, seq))
}

// failed tells of a failure that a person has to hear of, once until it is resolved.
func (n notifier) failed(kind NotificationType, id, about, title string, actions ...string) error {
	why, _, err := readmodel.First(n.tx.Rows(`SELECT failure FROM notification_failure WHERE workflow = ? AND run = ?`, n.workflow, id),
		func(row readmodel.Row) (found failure.Failure, err error) {
			err = row.JSON("failure", &found)
			return found, err
		})
	if err != nil {
		return err
	}
	if why.Host != "" && kind == NotifyError {
		title += ": " + why.Host
	}
	text := why.Message
	if kind == NotifyError && why.Body != "" {
		text += "\n" + HostSays + why.Body
	}
	return n.add(Notification{Type: kind, Title: title, Text: text, Run: id, Actions: actions}, about)
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

func (n notifier) verified(proposal string, v workflow.Verification) error {
	return exec(n.tx, `UPDATE notification_fix SET verdict = ?, identical = ? WHERE proposal = ?`, v.Verdict, v.Identical, proposal)
}

// toldFix is what notifications say about a proposal.
type toldFix struct {
	task, comment, verdict string
	identical              int
}

func (n notifier) fix(proposal string) (toldFix, error) {
	found, _, err := readmodel.First(n.tx.Rows(`SELECT * FROM notification_fix WHERE proposal = ?`, proposal),
		func(row readmodel.Row) (toldFix, error) {
			return toldFix{task: row.Text("task"), comment: row.Text("comment"), verdict: row.Text("verdict"), identical: row.Int("identical")}, nil
		})
	return found, err
}

// fixed tells of a fix when the run that it was made for has succeeded with it, not before.
func (n notifier) fixed(v workflow.Version) error {
	proposal, known, err := readmodel.First(n.tx.Rows(`SELECT proposal FROM notification_fix WHERE workflow = ? AND version = ?`, n.workflow, versionText(v)),
		func(row readmodel.Row) (string, error) { return row.Text("proposal"), nil })
	if err != nil || !known {
		return err
	}
	fix, err := n.fix(proposal)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Version %s, verdict %s.", v, fix.verdict)
	if fix.identical > 0 {
		text = fmt.Sprintf("Version %s, verdict %s: %d recorded runs give the same as before.", v, fix.verdict, fix.identical)
	}
	return n.add(Notification{
		Type: NotifyFixed, Title: "Fixed: " + firstLine(fix.comment), Text: text, Task: fix.task, Proposal: proposal, Version: v.String(),
	}, "")
}

func (n notifier) held(e workflow.FixHeld) error {
	fix, err := n.fix(e.Proposal)
	if err != nil {
		return err
	}
	return n.add(Notification{
		Type: NotifyFixWaiting, Title: "A fix waits for you: " + firstLine(fix.comment), Text: strings.Join(e.Reasons, "\n"),
		Task: fix.task, Proposal: e.Proposal, Actions: []string{ActionAccept, ActionCorrect, ActionRecheck, ActionDecline},
	}, "")
}

func (n notifier) escalated(e workflow.Escalated) error {
	told := Notification{
		Type: NotifyEscalated, Title: "Needs you: " + reasonText(e.Reason), Text: e.Explanation,
		Run: e.Run, Task: e.Task, Version: versionText(e.Active), Actions: e.Actions,
	}
	if e.Reason == workflow.EscalatedSameError { // what was told to be mended is not
		if err := n.resolve("type = ?", NotifyFixed); err != nil {
			return err
		}
	}
	if e.Reason == workflow.EscalatedUnfixable {
		told.Type = NotifyMaintenanceFailed
	}
	return n.add(told, "")
}

func reasonText(reason string) string {
	switch reason {
	case workflow.EscalatedBudget:
		return "the fixes so far did not last"
	case workflow.EscalatedUnfixable:
		return "no fix was found"
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
	case workflow.EscalatedSuspected:
		return "it would have written what it never did"
	case workflow.EscalatedWithdrawn:
		return "the fixes were taken back"
	}
	return reason
}

// said tells what a script said to its person, when the call came back.
func (n notifier) said(e run.ToolReturned) error {
	id := runOf(n.recorded)
	encoded, made, err := readmodel.First(n.tx.Rows(`SELECT args FROM notification_call WHERE run = ? AND seq = ?`, id, e.Seq),
		func(row readmodel.Row) ([]byte, error) { return row.Bytes("args"), nil })
	if err != nil || !made {
		return err
	}
	if err := exec(n.tx, `DELETE FROM notification_call WHERE run = ? AND seq = ?`, id, e.Seq); err != nil || e.Error != nil {
		return err
	}
	var args []*string
	if err := json.Unmarshal(encoded, &args); err != nil {
		return fmt.Errorf("arguments of %s: %w", toolNotify, err)
	}
	said := Notification{Type: NotifyScriptMessage, Run: id}
	for i, into := range []*string{&said.Title, &said.Text} {
		if i < len(args) && args[i] != nil {
			*into = *args[i]
		}
	}
	return n.add(said, "")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// Notification is something that people (or the operator) have to hear.
type Notification struct {
	ID            string           `json:"id"`
	Workflow      string           `json:"workflow"`
	WorkflowTitle string           `json:"workflow_title"`
	Type          NotificationType `json:"type"`
	At            time.Time        `json:"at"`
	Title         string           `json:"title"` // one line
	Text          string           `json:"text,omitempty"`
	Run           string           `json:"run,omitempty"`
	Task          string           `json:"task,omitempty"`
	Question      string           `json:"question,omitempty"` // of an agent; a script's is found by its run
	Call          int              `json:"call,omitempty"`     // of the run, that asks or is in doubt
	Proposal      string           `json:"proposal,omitempty"`
	Version       string           `json:"version,omitempty"`
	Actions       []string         `json:"actions"`           // what can be done about it
	Resolved      time.Time        `json:"resolved,omitzero"` // when it ceased to matter
	Acknowledged  time.Time        `json:"acknowledged,omitzero"`
	Acknowledger  string           `json:"acknowledger,omitempty"`
	// Also are those of other workflows with the same cause that this one stands for.
	Also []Told `json:"also,omitempty"`
	// Candidate is the best that the maintainer had, of an escalation.
	Candidate *Candidate `json:"candidate,omitempty"`

	host, loose string // the cause
}

func scanNotification(row readmodel.Row) (Notification, error) {
	found := Notification{
		ID: row.Text("id"), Workflow: row.Text("workflow"), WorkflowTitle: row.Text("workflow_title"),
		Type: NotificationType(row.Text("type")), At: row.Time("at"), Title: row.Text("title"), Text: row.Text("text"),
		Run: row.Text("run"), Task: row.Text("task"), Question: row.Text("question"), Call: row.Int("call"), Proposal: row.Text("proposal"), Version: row.Text("version"),
		Resolved: row.Time("resolved"), Acknowledged: row.Time("acknowledged"), Acknowledger: row.Text("acknowledger"),
		host: row.Text("host"), loose: row.Text("loose"),
	}
	err := row.JSON("actions", &found.Actions)
	return found, err
}

// NotificationFilter chooses notifications; zero fields choose all that are for people.
type NotificationFilter struct {
	Workflow string
	Type     NotificationType
	// Open leaves out what was acknowledged or is resolved. Without a Workflow, one stands for all
	// that are of its type and have the same cause.
	Open bool
	// Operator includes those for the operator of the installation.
	Operator bool
	// Limit is the most notifications to return, the newest; 0 for no limit.
	Limit int
}

const selectNotification = `SELECT notification.*, coalesce(workflow.title, '') AS workflow_title,
		coalesce(cause_run.host, '') AS host, coalesce(cause_run.loose, '') AS loose
	FROM notification LEFT JOIN workflow ON workflow.id = notification.workflow
	LEFT JOIN cause_task ON cause_task.task = notification.task
	LEFT JOIN cause_run ON cause_run.run = coalesce(nullif(notification.run, ''), cause_task.run)`

// Notifications are the notifications chosen, the newest first.
func (q *Queries) Notifications(ctx context.Context, filter NotificationFilter) ([]Notification, error) {
	var chosen conditions
	chosen.equal("notification.workflow", filter.Workflow)
	chosen.equal("type", string(filter.Type))
	if filter.Type == "" && !filter.Operator {
		chosen.add("type <> ?", NotifyInternal)
	}
	if filter.Open {
		chosen.add("acknowledged IS NULL AND resolved IS NULL")
	}
	list, err := collect(ctx, q, scanNotification, selectNotification+chosen.where()+" ORDER BY number DESC", chosen.args...)
	if err != nil {
		return nil, err
	}
	if filter.Open && filter.Workflow == "" {
		list = joined(list)
	}
	if filter.Limit > 0 {
		list = list[:min(len(list), filter.Limit)]
	}
	return q.withCandidates(ctx, list)
}

// Notification is one notification.
func (q *Queries) Notification(ctx context.Context, id string) (Notification, error) {
	return one(ctx, q, fault.New(fault.NotFound, "there is no notification %q: see the list of notifications", id),
		scanNotification, selectNotification+` WHERE notification.id = ?`, id)
}
