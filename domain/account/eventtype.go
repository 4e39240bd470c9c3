package account

import "github.com/kintsugi-run/kintsugi/domain/event"

var events event.Types

// The events of an owner's stream, under the names by which they are stored: these never change, Go names may.
// A schema version begins with an upcaster from the one before it.
var (
	TypeLimitSet        = event.Declare[LimitSet](&events, "LimitSet")
	TypeBalanceOpened   = event.Declare[BalanceOpened](&events, "BalanceOpened")
	TypePaymentStarted  = event.Declare[PaymentStarted](&events, "PaymentStarted")
	TypePaymentLapsed   = event.Declare[PaymentLapsed](&events, "PaymentLapsed")
	TypeToppedUp        = event.Declare[ToppedUp](&events, "ToppedUp")
	TypePaymentReversed = event.Declare[PaymentReversed](&events, "PaymentReversed")
	TypeLimitReached    = event.Declare[LimitReached](&events, "LimitReached")
)

// Register adds every event of an owner's stream to a codec.
func Register(r *event.Registry) { events.Register(r) }

// EventType implements [event.Event].
func (LimitSet) EventType() string { return TypeLimitSet }

// EventType implements [event.Event].
func (BalanceOpened) EventType() string { return TypeBalanceOpened }

// EventType implements [event.Event].
func (PaymentStarted) EventType() string { return TypePaymentStarted }

// EventType implements [event.Event].
func (PaymentLapsed) EventType() string { return TypePaymentLapsed }

// EventType implements [event.Event].
func (ToppedUp) EventType() string { return TypeToppedUp }

// EventType implements [event.Event].
func (PaymentReversed) EventType() string { return TypePaymentReversed }

// EventType implements [event.Event].
func (LimitReached) EventType() string { return TypeLimitReached }
