package installation

import (
	"time"
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

// EgressChanged says where scripts may not go from now on, and which private places are open to workflows of tenants.
type EgressChanged Egress

// DraftArchivingChanged says whether drafts of an owner that nobody touches go to the archive by themselves. They do
// not, unless their owner opted in.
type DraftArchivingChanged struct {
	Owner string `json:"owner"`
	On    bool   `json:"on"`
}

// TimelineChosen records what somebody wants to see of timelines until they choose again. Empty lists are everything.
type TimelineChosen struct {
	Viewer       string   `json:"viewer"`
	Significance []string `json:"significance,omitempty"`
	Kinds        []string `json:"kinds,omitempty"`
}

// TokenCreated lets somebody in from outside: a caller with the token of this hash acts as the person, within the
// scopes.
type TokenCreated struct {
	ID   string `json:"id"`
	Hash string `json:"hash"` // SHA-256 of the token, in hex
	Name string `json:"name,omitempty"`
	// Person is who acts with it, as the history names them.
	Person string `json:"person"`
	// Holder is who holds it, if that is not the person.
	Holder Holder  `json:"holder,omitempty"`
	Scopes []Scope `json:"scopes"`
	// Owner limits it to the workflows of one owner; empty is all.
	Owner string `json:"owner,omitempty"`
	// Expires is when it lets nobody in any more; zero is never.
	Expires time.Time `json:"expires,omitzero"`
	// Parent is the token that a session was begun with; without it the session ends, too.
	Parent string `json:"parent,omitempty"`
	// Account is the organisation's account that a session was begun with.
	Account Account `json:"account,omitzero"`
}

// Account is one in the directory of an organisation. Names change and are given again; an account is named by these two for good.
type Account struct {
	Issuer  string `json:"issuer"`  // the provider that vouches for it
	Subject string `json:"subject"` // how the provider names it
}

// TokenRevoked shuts a token out.
type TokenRevoked struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// Server is the kind of work that a server does beside the reactions: nothing of one workflow.
const Server = "server"

// WorkStalled records that something Kintsugi has to do by itself fails again and again. It is tried on.
type WorkStalled struct {
	Kind    string `json:"kind"` // what it is to be done for: workflow, plan, session; or the server itself
	ID      string `json:"id"`   // which one
	Work    string `json:"work"` // the reaction, and what it does
	Problem string `json:"problem"`
	Tries   int    `json:"tries"` // so far
}

// WorkResumed records that it was done, or is not to be done any more.
type WorkResumed struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Work string `json:"work"`
}

// StoreMended records that the tables of the event log were not as this program makes them, and what of them was put back: somebody
// changed the store past the program.
type StoreMended struct {
	Found []string `json:"found"`
}

// NoticeAcknowledged records that the operator has seen a notification that is of no workflow.
type NoticeAcknowledged struct {
	Notification string `json:"notification"`
}

// SecretSet records that a person set a secret, or replaced it. Its value is in no event.
type SecretSet struct {
	Name     string   `json:"name"`
	Workflow string   `json:"workflow,omitempty"` // that may use it; empty for all
	Hosts    []string `json:"hosts"`              // that it may be sent to
}

// SecretRemoved records that a person removed a secret.
type SecretRemoved struct {
	Name     string `json:"name"`
	Workflow string `json:"workflow,omitempty"`
}
