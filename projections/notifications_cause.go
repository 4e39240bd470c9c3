package projections

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Cause is what a person would mend once: a key that has expired, a service that is down, an error that many scripts
// stumble over. Notifications with one cause are shown as one.
type Cause struct {
	// ID names the cause, whichever notifications it has just now.
	ID        string    `json:"id"`
	Sentence  string    `json:"sentence"`
	Count     int       `json:"count"` // of notifications
	Workflows int       `json:"workflows"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
	Actions   []string  `json:"actions"` // two at most, that which is most likely wanted first
}

// CausePrefix begins the id of a cause, and of no notification.
const CausePrefix = "cause-"

// mostActions is how many actions a cause offers at once.
const mostActions = 2

// causeOf is the id of what a notification is told with: the same for those that are mended together.
func (n *notifier) causeOf(one *Notification) string {
	var failed causeRun
	id := one.Run
	if task := causeTasks.Get(n.tx, one.Task); id == "" && task != nil {
		id = task.Run
	}
	if found := causeRuns.Get(n.tx, id); found != nil {
		failed = *found
	}
	sum := sha256.Sum256([]byte(cmp.Or(one.cause(failed), one.ID)))
	return CausePrefix + hex.EncodeToString(sum[:8])
}

// cause is what a notification of a failed run has in common with others; empty for one that stands by itself.
func (n *Notification) cause(failed causeRun) string {
	kind, _, _ := strings.Cut(n.About, " ")
	switch {
	case n.Type == NotifyError && failed.Host != "" && (kind == aboutAuth || kind == aboutNetwork):
		return kind + " " + failed.Host // one key or one service, whatever the scripts
	case n.Type == NotifyDraft:
		return n.About // all of one owner
	case n.Type == NotifyScriptMessage:
		return "message " + n.Workflow + " " + n.Title
	case failed.Loose == "" || !slices.Contains(grouping, n.Type):
		return ""
	}
	return string(n.Type.toldAs()) + " " + failed.Host + " " + failed.Loose
}

// toldAs is the type that a cause with notifications of this type has: a failed maintenance is told with escalations.
func (t NotificationType) toldAs() NotificationType {
	if t == NotifyMaintenanceFailed {
		return NotifyEscalated
	}
	return t
}

// mixed says that a cause may also have notifications of another type.
func (t NotificationType) mixed() bool { return t == NotifyEscalated || t == NotifyMaintenanceFailed }

// Open notifications are kept by cause, so that a page of it takes as long with a million open ones as with ten: once for
// everybody and once for the owner of the workflows, who must neither count nor see those of others. Where a cause has
// notifications of several types it is kept for each of them, too.
type (
	// openCause is a cause with open notifications.
	openCause struct {
		Owner     string           `col:"owner,key"`   // empty for everybody
		Only      NotificationType `col:"of_type,key"` // empty for all types
		Cause     string           `col:"cause,key"`
		Type      NotificationType `col:"type"`
		Internal  bool             `col:"internal"`
		Newest    string           `col:"newest"` // notification
		Number    int64            `col:"number"` // of the newest
		Notices   int              `col:"notices"`
		Workflows int              `col:"workflows"`
		First     time.Time        `col:"first"`
		Last      time.Time        `col:"last"`
	}
	// openNotice is the place of a notification in a cause: whichever goes, its neighbours are known.
	openNotice struct {
		Owner        string           `col:"owner,key"`
		Only         NotificationType `col:"of_type,key"`
		Notification string           `col:"notification,key"`
		Cause        string           `col:"cause"`
		Workflow     string           `col:"workflow"`
		Number       int64            `col:"number"`
		At           time.Time        `col:"at"`
		Newer        string           `col:"newer"`
		Older        string           `col:"older"`
	}
	// openWorkflow is how many notifications a workflow has in a cause.
	openWorkflow struct {
		Owner    string           `col:"owner,key"`
		Only     NotificationType `col:"of_type,key"`
		Cause    string           `col:"cause,key"`
		Workflow string           `col:"workflow,key"`
		Notices  int              `col:"notices"`
	}
)

var (
	openCauses = readmodel.NewTable[openCause]("open_cause", readmodel.Index("owner", "of_type", "number"),
		readmodel.Index("owner", "of_type", "internal", "number"), readmodel.Index("owner", "of_type", "type", "number"))
	openNotices   = readmodel.NewTable[openNotice]("open_notice", readmodel.Lookup("notification", "notification"), readmodel.Index("owner", "of_type", "cause", "number"))
	openWorkflows = readmodel.NewTable[openWorkflow]("open_workflow")
)

// join adds a new notification to what is open of its cause.
func (n *notifier) join(told *Notification) {
	owners, types := []string{""}, []NotificationType{""}
	if owner := ownerOf(n.tx, told.Workflow); owner != "" {
		owners = append(owners, owner)
	}
	if told.Type.mixed() {
		types = append(types, told.Type)
	}
	for _, owner := range owners {
		for _, only := range types {
			n.joinOf(owner, only, told)
		}
	}
}

func (n *notifier) joinOf(owner string, only NotificationType, told *Notification) {
	of := openCauses.Edit(n.tx, owner, only, told.CauseID)
	if of == nil {
		openCauses.Insert(n.tx, openCause{
			Owner: owner, Only: only, Cause: told.CauseID, Type: told.Type.toldAs(), Internal: told.Type == NotifyInternal, First: told.At,
		})
		of = openCauses.Edit(n.tx, owner, only, told.CauseID)
	}
	if before := openNotices.Edit(n.tx, owner, only, of.Newest); before != nil {
		before.Newer = told.ID
	}
	openNotices.Insert(n.tx, openNotice{
		Owner: owner, Only: only, Notification: told.ID, Cause: told.CauseID, Workflow: told.Workflow, Number: told.Number, At: told.At, Older: of.Newest,
	})
	of.Newest, of.Number, of.Last = told.ID, told.Number, told.At
	of.Notices++
	if told.Workflow == "" {
		return
	}
	if has := openWorkflows.Edit(n.tx, owner, only, told.CauseID, told.Workflow); has != nil {
		has.Notices++
		return
	}
	openWorkflows.Insert(n.tx, openWorkflow{Owner: owner, Only: only, Cause: told.CauseID, Workflow: told.Workflow, Notices: 1})
	of.Workflows++
}

// leave takes a notification out of what is open, if it is.
func (n *notifier) leave(id string) {
	for _, one := range openNotices.Where(n.tx, "notification", id) {
		n.leaveOf(*one)
	}
}

func (n *notifier) leaveOf(gone openNotice) {
	openNotices.Delete(n.tx, gone.Owner, gone.Only, gone.Notification)
	of := openCauses.Edit(n.tx, gone.Owner, gone.Only, gone.Cause)
	of.Notices--
	if has := openWorkflows.Edit(n.tx, gone.Owner, gone.Only, gone.Cause, gone.Workflow); has != nil {
		if has.Notices--; has.Notices == 0 {
			openWorkflows.Delete(n.tx, gone.Owner, gone.Only, gone.Cause, gone.Workflow)
			of.Workflows--
		}
	}
	newer, older := openNotices.Edit(n.tx, gone.Owner, gone.Only, gone.Newer), openNotices.Edit(n.tx, gone.Owner, gone.Only, gone.Older)
	switch {
	case newer == nil && older == nil:
		openCauses.Delete(n.tx, gone.Owner, gone.Only, gone.Cause)
		return
	case newer == nil:
		of.Newest, of.Number, of.Last = older.Notification, older.Number, older.At
	case older == nil:
		of.First = newer.At
	}
	if newer != nil {
		newer.Older = gone.Older
	}
	if older != nil {
		older.Newer = gone.Newer
	}
}

// mostAlso is how many of the others with its cause a notification names.
const mostAlso = 5

// byCause is what is open by cause: the newest notification stands for all, and names the next ones.
func byCause(query *readmodel.Query, filter NotificationFilter) ([]Notification, error) {
	only := NotificationType("")
	if filter.Type.mixed() {
		only = filter.Type
	}
	var chosen conditions
	chosen.add("open_cause.owner = ? AND open_cause.of_type = ?", filter.Owner, only)
	switch {
	case filter.Type != "" && only == "":
		chosen.add("open_cause.type = ?", filter.Type)
	case filter.Type == "" && !filter.Operator:
		chosen.add("open_cause.internal = ?", false)
	}
	if filter.Before != "" {
		chosen.add("open_cause.number < (SELECT number FROM notification WHERE id = ?)", filter.Before)
	}
	statement := "SELECT " + notifications.Columns() + `, coalesce(workflow.title, '') AS workflow_title, open_cause.cause AS cause_id,
			open_cause.notices AS notices, open_cause.workflows AS workflows, open_cause.first AS cause_first, open_cause.last AS cause_last
		FROM open_cause JOIN notification ON notification.id = open_cause.newest LEFT JOIN workflow ON workflow.id = notification.workflow` +
		chosen.where() + " ORDER BY open_cause.number DESC"
	statement = chosen.limit(statement, filter.Limit)
	list, err := readmodel.Collect(query.Rows(statement, chosen.args...), func(row readmodel.Row) (Notification, error) {
		one, err := scanNotification(row)
		one.Cause = &Cause{
			ID: row.Text("cause_id"), Count: row.Int("notices"), Workflows: row.Int("workflows"),
			First: row.Time("cause_first"), Last: row.Time("cause_last"), Actions: firstActions(one.Actions),
		}
		one.Cause.Sentence = one.Cause.sentence(one)
		return one, err
	})
	if err != nil {
		return nil, err
	}
	return list, addAlso(query, list, filter.Owner, only)
}

// addAlso names, for each of a list, the next ones that it stands for.
func addAlso(query *readmodel.Query, list []Notification, owner string, only NotificationType) error {
	at := map[string]*Notification{}
	var causes []any
	for i := range list {
		if list[i].Cause.Count > 1 {
			at[list[i].CauseID] = &list[i]
			causes = append(causes, list[i].CauseID)
		}
	}
	for some := range slices.Chunk(causes, mostArguments) {
		if err := addAlsoOf(query, at, owner, only, some); err != nil {
			return err
		}
	}
	for _, lead := range at {
		slices.SortFunc(lead.Also, func(a, b Told) int { return cmp.Compare(b.number, a.number) })
	}
	return nil
}

func addAlsoOf(query *readmodel.Query, at map[string]*Notification, owner string, only NotificationType, causes []any) error {
	// SQLite keeps the order of a CROSS JOIN: else it would go through all that is open, and look for the cause of each.
	rows := query.Rows(selectTold+`, open_notice.cause AS cause_id FROM open_cause CROSS JOIN open_notice
		`+joinTold+` WHERE open_cause.owner = ? AND open_cause.of_type = ? AND open_cause.cause IN (?`+strings.Repeat(", ?", len(causes)-1)+`)
			AND open_notice.owner = open_cause.owner AND open_notice.of_type = open_cause.of_type AND open_notice.cause = open_cause.cause
			AND open_notice.number < open_cause.number AND open_notice.number >= coalesce((
				SELECT next.number FROM open_notice next
				WHERE next.owner = open_cause.owner AND next.of_type = open_cause.of_type AND next.cause = open_cause.cause
				ORDER BY next.number DESC LIMIT 1 OFFSET `+strconv.Itoa(mostAlso)+`), 0)`, append([]any{owner, only}, causes...)...)
	for row, err := range rows {
		if err != nil {
			return err
		}
		lead := at[row.Text("cause_id")]
		lead.Also = append(lead.Also, scanTold(row))
	}
	return nil
}

const (
	selectTold = `SELECT open_notice.notification AS id, open_notice.number AS number, open_notice.workflow AS workflow, open_notice.at AS at,
		coalesce(workflow.title, '') AS workflow_title, notification.run AS run, notification.proposal AS proposal,
		notification.title AS title, notification.text AS text`
	joinTold = `JOIN notification ON notification.id = open_notice.notification LEFT JOIN workflow ON workflow.id = open_notice.workflow`
)

func scanTold(row readmodel.Row) Told {
	return Told{
		ID: row.Text("id"), Workflow: row.Text("workflow"), WorkflowTitle: row.Text("workflow_title"),
		Run: row.Text("run"), Proposal: row.Text("proposal"), Title: row.Text("title"), Text: row.Text("text"), At: row.Time("at"), number: row.Int64("number"),
	}
}

// StandsFor are all open notifications that one stands for, the newest first, of the workflows of an owner or, if that
// is empty, of everybody: none, if it is not the newest of its cause.
func (q *Queries) StandsFor(ctx context.Context, owner, id string) ([]Told, error) {
	return collect(ctx, q, func(row readmodel.Row) (Told, error) { return scanTold(row), nil },
		selectTold+` FROM notification newest JOIN open_cause ON open_cause.owner = ? AND open_cause.of_type = '' AND open_cause.cause = newest.cause AND open_cause.newest = newest.id
		JOIN open_notice ON open_notice.owner = open_cause.owner AND open_notice.of_type = '' AND open_notice.cause = open_cause.cause AND open_notice.number < open_cause.number
		`+joinTold+` WHERE newest.id = ? ORDER BY open_notice.number DESC`, owner, id)
}

// NewestOf is the open notification that stands for a cause.
func (q *Queries) NewestOf(ctx context.Context, owner, cause string) (string, error) {
	return one(ctx, q, fault.New(fault.NotFound, "nothing is open of cause %q: see 'kintsugi notification list'", cause),
		func(row readmodel.Row) (string, error) { return row.Text("newest"), nil },
		"SELECT newest FROM open_cause WHERE owner = ? AND of_type = '' AND cause = ?", owner, cause)
}

// firstActions are those of a notification that are most likely wanted.
func firstActions(of []string) []string {
	actions := slices.DeleteFunc(slices.Clone(of), func(action string) bool { return action == ActionCorrect || action == ActionRecheck })
	return actions[:min(len(actions), mostActions)]
}

// sentence says what is the matter, of the notification that stands for it.
func (c *Cause) sentence(newest Notification) string {
	switch {
	case newest.Workflow == "":
		return newest.Title
	case c.Workflows > 1 && newest.Type.mixed(): // each for a reason of its own
		return fmt.Sprintf("%d workflows need you because of one error", c.Workflows)
	case c.Workflows > 1:
		return fmt.Sprintf("%s, in %d workflows", newest.Title, c.Workflows)
	case c.Count > 1:
		return fmt.Sprintf("%s: %s, %d times", newest.WorkflowTitle, newest.Title, c.Count)
	}
	return newest.WorkflowTitle + ": " + newest.Title
}
