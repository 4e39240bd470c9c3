package installation

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// The stored names of the events. They never change; Go names may.
const (
	TypeRepairsStopped     = "RepairsStopped"
	TypeRepairsResumed     = "RepairsResumed"
	TypeSpendCapChanged    = "SpendCapChanged"
	TypeSpendCapReached    = "SpendCapReached"
	TypeNoticeAcknowledged = "NoticeAcknowledged"
)

// RepairsStopped stops all repairs of all workflows, on every node. Failures are still recorded,
// and open maintainer tasks wait.
type RepairsStopped struct {
	Reason string `json:"reason,omitempty"`
}

// RepairsResumed ends that: tasks that waited are worked on.
type RepairsResumed struct {
	Reason string `json:"reason,omitempty"`
}

// SpendCapChanged says what agents may spend from now on, in US dollars. 0 is no cap.
type SpendCapChanged struct {
	PerDayUSD   float64 `json:"per_day_usd"`
	PerMonthUSD float64 `json:"per_month_usd"`
	// PerFixUSD is for one repair, in all its rounds.
	PerFixUSD float64 `json:"per_fix_usd,omitempty"`
}

// SpendCapReached records, once for a period and a cap, that agents have spent what they may.
type SpendCapReached struct {
	Period   Period    `json:"period"`
	From     time.Time `json:"from"` // the beginning of the period
	CapUSD   float64   `json:"cap_usd"`
	SpentUSD float64   `json:"spent_usd"`
}

// NoticeAcknowledged records that the operator has seen a notification that is of no workflow.
type NoticeAcknowledged struct {
	Notification string `json:"notification"`
}

// EventType implements [event.Event].
func (RepairsStopped) EventType() string { return TypeRepairsStopped }

// EventType implements [event.Event].
func (RepairsResumed) EventType() string { return TypeRepairsResumed }

// EventType implements [event.Event].
func (SpendCapChanged) EventType() string { return TypeSpendCapChanged }

// EventType implements [event.Event].
func (SpendCapReached) EventType() string { return TypeSpendCapReached }

// EventType implements [event.Event].
func (NoticeAcknowledged) EventType() string { return TypeNoticeAcknowledged }

// Register adds every event of the stream to a codec.
func Register(r *event.Registry) {
	event.Register[RepairsStopped](r, 1)
	event.Register[RepairsResumed](r, 1)
	event.Register[SpendCapChanged](r, 1)
	event.Register[SpendCapReached](r, 1)
	event.Register[NoticeAcknowledged](r, 1)
}
