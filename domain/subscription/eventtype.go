package subscription

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of a subscription's stream, under the names by which they are stored: these never change, Go names may.
// A schema version begins with an upcaster from the one before it.
var (
	TypeSubscriptionAdded      = event.Declare[SubscriptionAdded](&events, "SubscriptionAdded")
	TypeSubscriptionChanged    = event.Declare[SubscriptionChanged](&events, "SubscriptionChanged")
	TypeSubscriptionPaused     = event.Declare[SubscriptionPaused](&events, "SubscriptionPaused")
	TypeSubscriptionResumed    = event.Declare[SubscriptionResumed](&events, "SubscriptionResumed")
	TypeSubscriptionReplayed   = event.Declare[SubscriptionReplayed](&events, "SubscriptionReplayed")
	TypeSubscriptionRemoved    = event.Declare[SubscriptionRemoved](&events, "SubscriptionRemoved")
	TypeSubscriptionAdvanced   = event.Declare[SubscriptionAdvanced](&events, "SubscriptionAdvanced")
	TypeSubscriptionPlaceFound = event.Declare[SubscriptionPlaceFound](&events, "SubscriptionPlaceFound")
	TypeSubscriptionFailing    = event.Declare[SubscriptionFailing](&events, "SubscriptionFailing")
	TypeSubscriptionRecovered  = event.Declare[SubscriptionRecovered](&events, "SubscriptionRecovered")
	TypeDeadLettered           = event.Declare[DeadLettered](&events, "DeadLettered")
	TypeDeadLetterRetried      = event.Declare[DeadLetterRetried](&events, "DeadLetterRetried")
	TypeDeadLetterDropped      = event.Declare[DeadLetterDropped](&events, "DeadLetterDropped")
	TypeRedeliveryAsked        = event.Declare[RedeliveryAsked](&events, "RedeliveryAsked")
	TypeSigningKeyRotated      = event.Declare[SigningKeyRotated](&events, "SigningKeyRotated")
	TypeTargetSecretSet        = event.Declare[TargetSecretSet](&events, "TargetSecretSet")
)

// ForOthers are those of which other subscriptions may be told. Each delivery that failed would be one more of any other to deliver.
var ForOthers = []string{TypeSubscriptionFailing, TypeSubscriptionRecovered}

// Register adds every event of a subscription's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (SubscriptionAdded) EventType() string { return TypeSubscriptionAdded }

// EventType implements [event.Event].
func (SubscriptionChanged) EventType() string { return TypeSubscriptionChanged }

// EventType implements [event.Event].
func (SubscriptionPaused) EventType() string { return TypeSubscriptionPaused }

// EventType implements [event.Event].
func (SubscriptionResumed) EventType() string { return TypeSubscriptionResumed }

// EventType implements [event.Event].
func (SubscriptionReplayed) EventType() string { return TypeSubscriptionReplayed }

// EventType implements [event.Event].
func (SubscriptionRemoved) EventType() string { return TypeSubscriptionRemoved }

// EventType implements [event.Event].
func (SubscriptionAdvanced) EventType() string { return TypeSubscriptionAdvanced }

// EventType implements [event.Event].
func (SubscriptionPlaceFound) EventType() string { return TypeSubscriptionPlaceFound }

// EventType implements [event.Event].
func (SubscriptionFailing) EventType() string { return TypeSubscriptionFailing }

// EventType implements [event.Event].
func (SubscriptionRecovered) EventType() string { return TypeSubscriptionRecovered }

// EventType implements [event.Event].
func (DeadLettered) EventType() string { return TypeDeadLettered }

// EventType implements [event.Event].
func (DeadLetterRetried) EventType() string { return TypeDeadLetterRetried }

// EventType implements [event.Event].
func (DeadLetterDropped) EventType() string { return TypeDeadLetterDropped }

// EventType implements [event.Event].
func (RedeliveryAsked) EventType() string { return TypeRedeliveryAsked }

// EventType implements [event.Event].
func (SigningKeyRotated) EventType() string { return TypeSigningKeyRotated }

// EventType implements [event.Event].
func (TargetSecretSet) EventType() string { return TypeTargetSecretSet }
