package projections

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// What notifications of the installation are about: each is told once until it is resolved.
const aboutStopped = "repairs_stopped"

func aboutCap(period installation.Period) string { return "spend_cap " + string(period) }

// capReached tells the operator. The same cap in an earlier period is past.
func (n notifier) capReached(e installation.SpendCapReached) {
	n.resolve(about(aboutCap(e.Period)))
	n.add(Notification{
		Type: NotifyInternal, Title: fmt.Sprintf("Agents have spent what they may this %s: $%.2f", e.Period, e.CapUSD),
		Text: fmt.Sprintf("No repair starts, and no model is asked, until the %s after %s begins in UTC or the cap is raised. Open tasks wait; failures are recorded.",
			e.Period, e.From.UTC().Format("2006-01-02")),
		Actions: []string{ActionRaiseCap},
	}, aboutCap(e.Period))
}

func aboutLimit(limit account.Limit, owner string) string {
	return "account " + string(limit) + " " + owner
}

// limitReached tells an owner. The same limit of an earlier month is past.
func (n notifier) limitReached(e account.LimitReached) {
	owner := account.Owner(n.recorded.Stream)
	of := aboutLimit(e.Limit, owner)
	n.resolve(about(of))
	told := Notification{
		Type: NotifyBalance, Owner: owner, Title: "The balance of " + owner + " is used up: " + money.Text(e.Micros, e.Currency),
		Text: "Agents on the owner's workflows wait until there is a top-up: nothing is repaired or planned. Runs go on, and failures are recorded.", Actions: []string{ActionTopUp},
	}
	if e.Limit == account.LimitMonth {
		told.Title = fmt.Sprintf("Agents have spent what %s lets them in a month: %s", owner, money.Text(e.Micros, e.Currency))
		told.Text = "Agents on the owner's workflows wait until the next month begins in UTC or the limit is raised: nothing is repaired or planned. Runs go on, and failures are recorded."
		told.Actions = []string{ActionRaiseLimit}
	}
	n.add(told, of)
}

// stalled tells of what Kintsugi cannot do: of a workflow with what that one has to tell.
func (n notifier) stalled(e installation.WorkStalled) {
	what, task, _ := strings.Cut(e.Work, " ")
	title, again := fmt.Sprintf("Kintsugi itself fails: its %s for %s %s", what, e.Kind, e.ID), "is tried on, less and less often ("+cmp.Or(task, what)+")"
	ends := ""
	switch e.Kind {
	case "workflow":
		n.workflow, title = e.ID, "Kintsugi itself fails here: its "+what
		ends = "; a saved script, a rollback or the archive ends what is under way"
	case installation.Server:
		title, again = "Kintsugi itself fails at "+e.Work, "is tried on"
	}
	n.add(Notification{
		Type: NotifyInternal, Title: title,
		Text: fmt.Sprintf("%s\nIt failed %s and %s. If it does not end by itself, 'kintsugi doctor' says what is wrong with this installation, and the server's log says more, "+
			"which is worth a report if this is a fault of the program%s.", e.Problem, times(e.Tries), again, ends),
	}, stalledOf(e.Kind, e.ID, e.Work))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// storeMended tells the operator each time: it is theirs to acknowledge, and until then a verification ends with an error.
func (n notifier) storeMended(e installation.StoreMended) {
	n.add(Notification{
		Type: NotifyInternal, Title: "Somebody changed the event log's store past the program",
		Text: fmt.Sprintf("Found, and put back: %s. Nothing kept the history from being changed meanwhile: 'kintsugi verify --deep' says whether it was, with --checkpoint also whether "+
			"newest events are missing. It ends with 20 until this is acknowledged.", strings.Join(e.Found, "; ")),
	}, "")
}

// stalledOf is what the notice of stalled work is about. That of a workflow is told with what else it has to tell.
func stalledOf(kind, id, work string) string {
	if kind == "workflow" {
		return "stalled " + work
	}
	return "stalled " + kind + " " + id + " " + work
}

func (n notifier) resumed(e installation.WorkResumed) {
	if e.Kind == "workflow" {
		n.workflow = e.ID
	}
	n.resolve(about(stalledOf(e.Kind, e.ID, e.Work)))
}

func (n notifier) acknowledged(id string) {
	if one := notifications.Get(n.tx, id); one != nil && one.Workflow == n.workflow && one.Acknowledged.IsZero() {
		one = notifications.Edit(n.tx, id)
		one.Acknowledged, one.Acknowledger = n.recorded.Metadata.RecordedAt, n.recorded.Metadata.Actor
		if !one.StandsStill {
			n.leave(id)
		}
	}
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
	n.add(Notification{Type: NotifyInternal, Title: title, Text: text}, "unreadable "+aside.Stream)
	return nil
}
