package projections

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// What notifications of the installation are about: each is told once until it is resolved.
const aboutStopped = "repairs_stopped"

func aboutCap(period installation.Period) string { return "spend_cap " + string(period) }

// capReached tells the operator. The same cap in an earlier period is past.
func (n notifier) capReached(e installation.SpendCapReached) error {
	about := aboutCap(e.Period)
	if err := n.resolve("about = ?", about); err != nil {
		return err
	}
	return n.add(Notification{
		Type: NotifyInternal, Title: fmt.Sprintf("Agents have spent what they may this %s: $%.2f", e.Period, e.CapUSD),
		Text: fmt.Sprintf("No repair starts, and no model is asked, until the %s after %s begins in UTC or the cap is raised. Open tasks wait; failures are recorded.",
			e.Period, e.From.UTC().Format("2006-01-02")),
		Actions: []string{ActionRaiseCap},
	}, about)
}

func (n notifier) acknowledged(id string) error {
	return exec(n.tx, `UPDATE notification SET acknowledged = ?, acknowledger = ? WHERE workflow = ? AND id = ? AND acknowledged IS NULL`,
		n.recorded.Metadata.RecordedAt, n.recorded.Metadata.Actor, n.workflow, id)
}
