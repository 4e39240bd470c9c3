package installation

import "time"

// Command asks the installation for something. It is sealed.
type Command interface{ command() }

// StopRepairs stops all repairs. Stopping what is stopped is nothing.
type StopRepairs struct{ Reason string }

// ResumeRepairs ends that.
type ResumeRepairs struct{ Reason string }

// ChangeSpendCap changes what agents may spend. Nil leaves a cap as it is, 0 takes it away.
type ChangeSpendCap struct {
	PerDayUSD   *float64
	PerMonthUSD *float64
	PerFixUSD   *float64
}

// ReportSpend hands in what agents have spent so far in the periods of this moment.
type ReportSpend struct{ Spent Spent }

// ReportStoreMended hands in what of the event log's tables was put back.
type ReportStoreMended struct{ Found []string }

// AcknowledgeNotice records that the operator has seen a notification.
type AcknowledgeNotice struct{ Notification string }

// ChangeDraftArchiving says whether an owner's drafts that nobody touches go to the archive by themselves.
type ChangeDraftArchiving struct {
	Owner string
	On    bool
}

// ChangeEgress closes places to all scripts, opens private ones to a tenant's workflows, or takes entries off the policy. An empty
// owner stands for all.
type ChangeEgress struct {
	Close, Open, Remove []string
	Owner               string
}

// ChooseTimeline keeps what somebody wants to see of timelines.
type ChooseTimeline struct {
	Viewer       string
	Significance []string
	Kinds        []string
}

// CreateToken lets somebody in from outside. Only the hash of what they show is kept.
type CreateToken struct {
	ID      string
	Hash    string
	Name    string
	Person  string
	Holder  Holder
	Scopes  []Scope
	Owner   string
	Expires time.Time
	Parent  string
	Account Account
}

// RevokeToken shuts a token out, and every session that was begun with it.
type RevokeToken struct {
	ID     string
	Reason string
}

// NoteSecret records that a secret was set, or removed if it has no hosts. The vault holds it.
type NoteSecret struct {
	Name     string
	Workflow string
	Hosts    []string
}

// ReportStalled hands in that a piece of work fails again and again: it is recorded once, until it goes on.
type ReportStalled struct {
	Stall   Stall
	Problem string
	Tries   int
}

// ReportResumed hands in that it goes on.
type ReportResumed struct{ Stall Stall }

func (ReportStalled) command()        {}
func (ReportResumed) command()        {}
func (NoteSecret) command()           {}
func (CreateToken) command()          {}
func (RevokeToken) command()          {}
func (StopRepairs) command()          {}
func (ResumeRepairs) command()        {}
func (ChangeSpendCap) command()       {}
func (ChangeEgress) command()         {}
func (ReportSpend) command()          {}
func (AcknowledgeNotice) command()    {}
func (ChangeDraftArchiving) command() {}
func (ChooseTimeline) command()       {}
func (ReportStoreMended) command()    {}
