package subscription

import "time"

// Command asks something of a subscription. It is sealed.
type Command interface{ command() }

// Add begins a subscription.
type Add struct {
	Definition
	From Place
}

// Change changes what a subscription is, and keeps its place. Members that are nil stay as they are.
type Change struct {
	Target        *string
	Types         *[]string
	Workflows     *[]string
	Payload       *Payload
	Lanes         *Lanes
	GiveUpSeconds *int64
	AllowPrivate  *bool
	Binary        *bool
	Headers       *[]string
	Rate          *string
	// OAuth without an address of tokens is none.
	OAuth             *OAuth
	ClientCertificate *string
	ClientKey         *string
	Filter            *string
	Transform         *string
}

// Pause stops deliveries until they are resumed. Pausing what is paused is nothing.
type Pause struct{ Reason string }

// Resume ends that.
type Resume struct{}

// Replay has everything after a place delivered, what came before as well.
type Replay struct{ From Place }

// Advance records how far deliveries of an epoch are. The same place again is nothing.
type Advance struct {
	Epoch int
	Place Place
	Lanes map[string]LanePlace
	// LeftOut is as in [SubscriptionAdvanced].
	LeftOut int64
}

// FindPlace records that deliveries go on after a place, as the one that was kept is not of this log.
type FindPlace struct{ Lost, Place Place }

// Remove ends a subscription.
type Remove struct{}

// GiveUp records that an event could not be delivered. The same event again is nothing.
type GiveUp struct {
	Event    Place
	Type     string
	Lane     string
	Attempts int
	Reason   string
}

// Retried records that a dead letter was delivered after all.
type Retried struct{ EventID string }

// Drop does without the delivery of a dead letter.
type Drop struct {
	EventID string
	Reason  string
}

// RotateKey records that there is a new key, and until when the one before signs, too.
type RotateKey struct{ Until time.Time }

// NoteFailing records that an event has not been taken for so long that people should know. While a subscription fails, it is nothing.
type NoteFailing struct {
	Event     Place
	Type      string
	Lane      string
	Since     time.Time
	Attempts  int
	Reason    string
	GivesUpAt time.Time
}

// NoteRecovered records that events are taken again. It is nothing for a subscription that does not fail.
type NoteRecovered struct{}

// Redeliver records that a person has one event delivered again, or what failed since a time tried at once.
type Redeliver struct {
	EventID string
	Since   time.Time
}

// NoteTargetSecret records that what the target is shown was replaced. The vault holds it.
type NoteTargetSecret struct{}

func (Add) command()       {}
func (Change) command()    {}
func (Pause) command()     {}
func (Resume) command()    {}
func (Replay) command()    {}
func (Advance) command()   {}
func (FindPlace) command() {}
func (Remove) command()    {}
func (GiveUp) command()    {}
func (Retried) command()   {}
func (Drop) command()      {}
func (RotateKey) command() {}
func (Redeliver) command() {}

func (NoteFailing) command()   {}
func (NoteRecovered) command() {}

func (NoteTargetSecret) command() {}
