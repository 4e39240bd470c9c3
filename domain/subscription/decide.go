package subscription

import (
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// maxText bounds what people and receivers write.
const maxText = 1 << 10

const maxName = 63

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// CheckName refuses a name that no subscription has.
func CheckName(text string) error {
	if len(text) > maxName || !name.MatchString(text) {
		return fault.New(fault.Invalid, "%q is no name of a subscription: 1 to 63 small letters, digits, . _ or -, beginning with a letter or digit", text)
	}
	return nil
}

// Decide says what happens when a command meets a state: the events of one append, none if there is nothing to do, or a
// refusal (see package fault). It is pure: now is the caller's clock.
func Decide(s State, c Command, _ time.Time) ([]event.Event, error) {
	if add, is := c.(Add); is {
		return s.add(add)
	}
	if !s.Exists {
		return nil, fault.New(fault.NotFound, "there is no such subscription: see 'kintsugi subscription list'")
	}
	switch c := c.(type) {
	case Change:
		return s.change(c)
	case Pause:
		if s.Paused {
			return nil, nil
		}
		return []event.Event{SubscriptionPaused{Reason: failure.Cut(c.Reason, maxText)}}, nil
	case Resume:
		if !s.Paused {
			return nil, nil
		}
		return []event.Event{SubscriptionResumed{}}, nil
	case Replay:
		return []event.Event{SubscriptionReplayed(c)}, nil
	case Advance:
		if last := s.Advanced; c.Epoch != s.Epoch || last != nil && reflect.DeepEqual(*last, SubscriptionAdvanced(c)) {
			return nil, nil // they began anew meanwhile, or are where they were
		}
		return []event.Event{SubscriptionAdvanced(c)}, nil
	case FindPlace:
		return []event.Event{SubscriptionPlaceFound(c)}, nil
	case Remove:
		return []event.Event{SubscriptionRemoved{}}, nil
	case GiveUp:
		if _, known := s.Letters[c.Event.EventID]; known {
			return nil, nil
		}
		c.Reason = failure.Cut(c.Reason, maxText)
		return []event.Event{DeadLettered(c)}, nil
	case NoteFailing:
		if s.Failing != nil {
			return nil, nil
		}
		c.Reason = failure.Cut(c.Reason, maxText)
		return []event.Event{SubscriptionFailing(c)}, nil
	case NoteRecovered:
		return s.recovered(), nil
	case Retried:
		settled, err := s.settle(c.EventID, DeadLetterRetried(c))
		if len(settled) > 0 {
			settled = append(settled, s.recovered()...)
		}
		return settled, err
	case Drop:
		c.Reason = failure.Cut(c.Reason, maxText)
		return s.settle(c.EventID, DeadLetterDropped(c))
	case NoteTargetSecret:
		return []event.Event{TargetSecretSet{}}, nil
	case Redeliver:
		return []event.Event{RedeliveryAsked(c)}, nil
	case RotateKey:
		return []event.Event{SigningKeyRotated(c)}, nil
	}
	return nil, fault.New(fault.Internal, "subscription: no decision for %T: add it to Decide", c)
}

// recovered is what is said when the target has taken an event.
func (s State) recovered() []event.Event {
	if s.Failing == nil {
		return nil
	}
	return []event.Event{SubscriptionRecovered{Since: s.Failing.Since}}
}

func (s State) settle(id string, settled event.Event) ([]event.Event, error) {
	letter, known := s.Letters[id]
	switch {
	case !known:
		return nil, fault.New(fault.NotFound, "event %s is no dead letter of this subscription: see 'kintsugi subscription dead-letters list'", id)
	case letter.Settled:
		return nil, nil
	}
	return []event.Event{settled}, nil
}

func (s State) add(c Add) ([]event.Event, error) {
	if s.Exists {
		return nil, fault.New(fault.Conflict, "there is a subscription of this name already: remove it first, or choose another name")
	}
	if c.Payload == "" {
		c.Payload = Full
	}
	if c.Lanes == "" {
		c.Lanes = Block
	}
	if c.GiveUpSeconds == 0 {
		c.GiveUpSeconds = int64(GiveUpAfter / time.Second)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return []event.Event{SubscriptionAdded(c)}, nil
}

// check refuses what no subscription can be.
func (d Definition) check() error {
	switch {
	case !slices.Contains([]Payload{Full, NoCode, References}, d.Payload):
		return fault.New(fault.Invalid, "the payload is %s, %s or %s, not %q", Full, NoCode, References, d.Payload)
	case !slices.Contains([]Lanes{Block, Skip}, d.Lanes):
		return fault.New(fault.Invalid, "behind a dead letter the policy is %s or %s, not %q", Block, Skip, d.Lanes)
	case d.GiveUpSeconds < 1:
		return fault.New(fault.Invalid, "an event is tried for at least a second before it is given up")
	}
	if _, err := ParseRate(d.Rate); err != nil {
		return err
	}
	if err := checkHeaders(d); err != nil {
		return err
	}
	if err := checkIdentity(d); err != nil {
		return err
	}
	if err := checkExpressions(d); err != nil {
		return err
	}
	return checkTarget(d)
}

func (s State) change(c Change) ([]event.Event, error) {
	now := c.Apply(s.Definition)
	if kind(now.Target) != kind(s.Target) {
		return nil, fault.New(fault.Invalid, "%s is another kind of target than %s, and has no use for its key or password: add another subscription, and remove this one", now.Target, s.Target)
	}
	if err := now.check(); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(now, s.Definition) {
		return nil, nil
	}
	return []event.Event{SubscriptionChanged{Before: s.Definition, Now: now}}, nil
}

// Apply gives a definition as it is after the change.
func (c Change) Apply(d Definition) Definition {
	set(&d.Target, c.Target)
	set(&d.Types, c.Types)
	set(&d.Workflows, c.Workflows)
	set(&d.Payload, c.Payload)
	set(&d.Lanes, c.Lanes)
	set(&d.GiveUpSeconds, c.GiveUpSeconds)
	set(&d.AllowPrivate, c.AllowPrivate)
	set(&d.Binary, c.Binary)
	set(&d.Headers, c.Headers)
	set(&d.Rate, c.Rate)
	if c.OAuth != nil {
		if d.OAuth = c.OAuth; c.OAuth.TokenURL == "" {
			d.OAuth = nil
		}
	}
	set(&d.ClientCertificate, c.ClientCertificate)
	set(&d.ClientKey, c.ClientKey)
	set(&d.Filter, c.Filter)
	set(&d.Transform, c.Transform)
	if len(d.Headers) == 0 {
		d.Headers = nil
	}
	if len(d.Types) == 0 {
		d.Types = nil
	}
	if len(d.Workflows) == 0 {
		d.Workflows = nil
	}
	return d
}

func set[T any](member, to *T) {
	if to != nil {
		*member = *to
	}
}

// GiveUpAfter is for how long an event is tried, unless a subscription says otherwise.
const GiveUpAfter = 3 * 24 * time.Hour
