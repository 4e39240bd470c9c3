package workflow

// Status is where a workflow stands.
type Status string

// The statuses. A workflow that does not exist has none.
const (
	StatusNone        Status = ""
	StatusDraft       Status = "draft"
	StatusActive      Status = "active"
	StatusMaintenance Status = "maintenance"
	StatusHeld        Status = "held"
	StatusWaiting     Status = "waiting"
	StatusEscalated   Status = "escalated"
	StatusPaused      Status = "paused"
	StatusArchived    Status = "archived"
)
