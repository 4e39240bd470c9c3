package subscription

import "time"

// Place is an event as a checkpoint names it, found again in any copy of the log. The zero Place is the start of the log.
type Place struct {
	Position string `json:"position,omitempty"`
	Stream   string `json:"stream,omitempty"`
	Revision int64  `json:"revision,omitempty"`
	EventID  string `json:"event_id,omitempty"`
}

// Definition is what a subscription is.
type Definition struct {
	// Target is where events go: a scheme and what it needs, as webhook:https://… or exec:/path. No secret is in it.
	Target string `json:"target"`
	// Types are the wanted types of events; none means everything that happens to a workflow itself.
	Types []string `json:"types,omitempty"`
	// Owner is whose workflows events are told of, with what is spent for them; of no others, and nothing of the installation. Empty for all.
	Owner string `json:"owner,omitempty"`
	// Workflows are the wanted ones, by id; none means all.
	Workflows []string `json:"workflows,omitempty"`
	Payload   Payload  `json:"payload"`
	Lanes     Lanes    `json:"lanes"`
	// GiveUpSeconds is for how long an event is tried before it becomes a dead letter.
	GiveUpSeconds int64 `json:"give_up_seconds"`
	// AllowPrivate says that a person lets the target be an address that is not public.
	AllowPrivate bool `json:"allow_private,omitempty"`
	// Binary has a webhook sent the payload as the body, and the rest of the event in headers.
	Binary bool `json:"binary,omitempty"`
	// Headers are the names of what a webhook is sent beside its own headers. No event has their values.
	Headers []string `json:"headers,omitempty"`
	// Rate is how many events are sent at most, as 10/s, 60/m or 1000/h; empty for no bound.
	Rate string `json:"rate,omitempty"`
	// OAuth is where a token comes from that a webhook is shown; nil for none.
	OAuth *OAuth `json:"oauth,omitempty"`
	// ClientCertificate and ClientKey are the names of secrets: what the target is shown over TLS, and its key. Empty for none.
	ClientCertificate string `json:"client_certificate,omitempty"`
	ClientKey         string `json:"client_key,omitempty"`
	// Filter is an expression in JavaScript over event, which is delivered if it gives what is true. Empty for all.
	Filter string `json:"filter,omitempty"`
	// Transform is an expression in JavaScript over event, whose value is sent in its place. Empty for the event itself.
	Transform string `json:"transform,omitempty"`
}

// OAuth is a provider that gives tokens by client credentials (RFC 6749, section 4.4).
type OAuth struct {
	TokenURL string `json:"token_url"`
	ClientID string `json:"client_id"`
	// Secret is the name of the secret that the client shows; no event has its value.
	Secret   string   `json:"secret"`
	Scopes   []string `json:"scopes,omitempty"`
	Audience string   `json:"audience,omitempty"`
}

// Payload is how much of an event is delivered.
type Payload string

// The payloads.
const (
	Full       Payload = "full"
	NoCode     Payload = "no-code"
	References Payload = "references"
)

// Lanes is what becomes of the events of a workflow behind one that could not be delivered.
type Lanes string

// The policies.
const (
	Block Lanes = "block" // they wait until a person decides
	Skip  Lanes = "skip"  // they are delivered
)

// SubscriptionAdded begins a subscription. Deliveries begin after From.
type SubscriptionAdded struct {
	Definition
	From Place `json:"from"`
}

// SubscriptionChanged says that a subscription is another one from now on. Deliveries go on where they were.
type SubscriptionChanged struct {
	Before Definition `json:"before"`
	Now    Definition `json:"now"`
}

// SubscriptionPaused stops deliveries; where they are is kept.
type SubscriptionPaused struct {
	Reason string `json:"reason,omitempty"`
}

// SubscriptionResumed lets them go on.
type SubscriptionResumed struct{}

// SubscriptionReplayed begins deliveries anew, after From.
type SubscriptionReplayed struct {
	From Place `json:"from"`
}

// SubscriptionRemoved ends a subscription. One of the same name may be added later.
type SubscriptionRemoved struct{}

// SubscriptionAdvanced says how far deliveries are, now and then: it is where they go on if nothing is kept beside the log, or
// what is kept is of another log.
type SubscriptionAdvanced struct {
	Epoch int   `json:"epoch"`
	Place Place `json:"place"` // every event up to it was taken, but for those of Lanes
	// Lanes are those that are elsewhere, by workflow.
	Lanes map[string]LanePlace `json:"lanes,omitempty"`
	// LeftOut is how many events of this epoch the filter has left out.
	LeftOut int64 `json:"left_out,omitempty"`
}

// LanePlace is how far one workflow is.
type LanePlace struct {
	After Place `json:"after"`
	// Failures is how often its next event was not taken, in a row, and Since is when that began.
	Failures int       `json:"failures,omitempty"`
	Since    time.Time `json:"since,omitzero"`
}

// SubscriptionPlaceFound says that the place that was kept is not of this log, which was restored or copied, and that
// deliveries go on after another one: later events may come a second time, with the same ids.
type SubscriptionPlaceFound struct {
	Lost  Place `json:"lost,omitzero"` // nothing if none was kept
	Place Place `json:"place"`
}

// SubscriptionFailing says that the target has not taken an event since a time, while there is time left before it becomes a dead
// letter. Until the subscription recovers it is not said again.
type SubscriptionFailing struct {
	Event     Place     `json:"event"`
	Type      string    `json:"type"`
	Lane      string    `json:"lane"` // the workflow, as a subject
	Since     time.Time `json:"since"`
	Attempts  int       `json:"attempts"`
	Reason    string    `json:"reason"`
	GivesUpAt time.Time `json:"gives_up_at"` // when the event becomes a dead letter
}

// SubscriptionRecovered says that the target takes events again, which it did not since a time.
type SubscriptionRecovered struct {
	Since time.Time `json:"since"`
}

// DeadLettered says that an event could not be delivered for so long that it was given up.
type DeadLettered struct {
	Event    Place  `json:"event"`
	Type     string `json:"type"`
	Lane     string `json:"lane"` // the workflow, as a subject
	Attempts int    `json:"attempts"`
	Reason   string `json:"reason"`
}

// DeadLetterRetried says that a person had the event delivered after all.
type DeadLetterRetried struct {
	EventID string `json:"event_id"`
}

// DeadLetterDropped says that a person does without its delivery.
type DeadLetterDropped struct {
	EventID string `json:"event_id"`
	Reason  string `json:"reason,omitempty"`
}

// RedeliveryAsked says that a person has an event delivered once more, or what was not taken since a time tried at once.
type RedeliveryAsked struct {
	EventID string    `json:"event_id,omitempty"`
	Since   time.Time `json:"since,omitzero"`
}

// SigningKeyRotated says that deliveries are signed with a new key, and with the one before, too, until a time.
type SigningKeyRotated struct {
	Until time.Time `json:"until"`
}

// TargetSecretSet records that a person replaced what the target is shown, as its password. It is in no event.
type TargetSecretSet struct{}
