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
	StatusDeleted     Status = "deleted" // for good
)

// admission is which runs a status lets start.
type admission int

const (
	admitNone         admission = iota
	admitByHand                 // a person's runs, and what continues them
	admitContinuation           // only what tries the newest fix
	admitOnHold                 // as the setting on_hold says, by trigger
	admitOnEscalation           // as the setting on_escalation says
	admitAll
)

// answer is what a status says to a command: do it, nothing to do, or why not.
type answer struct {
	already bool
	refusal string
}

var (
	yes     = answer{}
	already = answer{already: true}
)

func no(refusal string) answer { return answer{refusal: refusal} }

// statusRow is a line of the status table.
type statusRow struct {
	admits admission
	// meanwhile says why a run cannot start and what to do about it.
	meanwhile string
	activate  answer
	pause     answer
	archive   answer
	restore   answer
	// edit is any save, rollback, and change of what the workflow is.
	edit answer
}

var (
	notArchived = no("is not archived")
	gone        = no("was deleted for good")
)

// statusTable decides what may happen where. How a workflow gets from one status to
// another follows from its events: see [State.status].
var statusTable = map[Status]statusRow{
	StatusDraft: {
		admits: admitByHand, meanwhile: "is a draft, so runs start by hand only: activate it first",
		activate: yes, pause: no("is a draft: nothing starts by itself that could be paused"), archive: yes, restore: notArchived, edit: yes,
	},
	StatusActive: {
		admits:   admitAll,
		activate: already, pause: yes, archive: yes, restore: notArchived, edit: yes,
	},
	StatusMaintenance: {
		admits: admitContinuation, meanwhile: "is being repaired: wait for the fix, or save or roll back the script",
		activate: no("is being repaired: wait for the fix, or save or roll back the script"),
		pause:    yes, archive: yes, restore: notArchived, edit: yes,
	},
	StatusHeld: {
		admits: admitOnHold, meanwhile: "has a fix that waits for you: accept, correct or decline it first",
		activate: no("has a fix that waits for you: accept, correct or decline it"),
		pause:    yes, archive: yes, restore: notArchived, edit: yes,
	},
	StatusWaiting: {
		admits: admitNone, meanwhile: "waits for access: renew what it signs in with, then activate it",
		activate: yes, pause: yes, archive: yes, restore: notArchived, edit: yes,
	},
	StatusEscalated: {
		admits: admitOnEscalation, meanwhile: "was handed to you: save or roll back the script, or activate it as it is",
		activate: yes, pause: yes, archive: yes, restore: notArchived, edit: yes,
	},
	StatusPaused: {
		admits: admitNone, meanwhile: "is paused: activate it first",
		activate: yes, pause: already, archive: yes, restore: notArchived, edit: yes,
	},
	StatusArchived: {
		admits: admitNone, meanwhile: "is archived: restore it first",
		activate: no("is archived: restore it first"), pause: no("is archived: restore it first"),
		archive: already, restore: yes, edit: no("is archived: restore it first"),
	},
	StatusDeleted: {
		admits: admitNone, meanwhile: "was deleted for good",
		activate: gone, pause: gone, archive: gone, restore: gone, edit: gone,
	},
}

// status derives the status. A person's command outranks the machinery's, and an open task outranks the status that
// follows it.
func (s State) status() Status {
	switch {
	case s.ID == "":
		return StatusNone
	case s.Deleted != nil:
		return StatusDeleted
	case s.archived:
		return StatusArchived
	case s.paused:
		return StatusPaused
	case s.Escalation != nil:
		return StatusEscalated
	case s.Maintenance != nil && s.Maintenance.Held != nil:
		return StatusHeld
	case s.Maintenance != nil:
		return StatusMaintenance
	case s.Waiting != nil:
		return StatusWaiting
	case s.activated:
		return StatusActive
	}
	return StatusDraft
}
