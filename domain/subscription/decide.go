package subscription

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Bounds of what people and receivers write.
const (
	maxText   = 1 << 10
	maxTarget = 2 << 10
)

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// CheckName refuses a name that no subscription has.
func CheckName(text string) error {
	if !name.MatchString(text) {
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
	case Remove:
		return []event.Event{SubscriptionRemoved{}}, nil
	case GiveUp:
		if _, known := s.Letters[c.Event.EventID]; known {
			return nil, nil
		}
		c.Reason = failure.Cut(c.Reason, maxText)
		return []event.Event{DeadLettered(c)}, nil
	case Retried:
		return s.settle(c.EventID, DeadLetterRetried(c))
	case Drop:
		c.Reason = failure.Cut(c.Reason, maxText)
		return s.settle(c.EventID, DeadLetterDropped(c))
	case RotateKey:
		return []event.Event{SigningKeyRotated(c)}, nil
	}
	return nil, fault.New(fault.Internal, "subscription: no decision for %T: add it to Decide", c)
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
	switch {
	case !slices.Contains([]Payload{Full, NoCode, References}, c.Payload):
		return nil, fault.New(fault.Invalid, "the payload is %s, %s or %s, not %q", Full, NoCode, References, c.Payload)
	case !slices.Contains([]Lanes{Block, Skip}, c.Lanes):
		return nil, fault.New(fault.Invalid, "behind a dead letter the policy is %s or %s, not %q", Block, Skip, c.Lanes)
	case c.GiveUpSeconds < 1:
		return nil, fault.New(fault.Invalid, "an event is tried for at least a second before it is given up")
	}
	if err := checkTarget(c.Target, c.AllowPrivate); err != nil {
		return nil, err
	}
	return []event.Event{SubscriptionAdded(c)}, nil
}

// GiveUpAfter is for how long an event is tried, unless a subscription says otherwise.
const GiveUpAfter = 3 * 24 * time.Hour

// later are schemes that are planned.
var later = []string{"nats", "kafka", "amqp", "redis", "smtp", "slack"}

func checkTarget(target string, private bool) error {
	scheme, rest, _ := strings.Cut(target, ":")
	if len(target) > maxTarget || strings.ContainsFunc(target, unicode.IsControl) {
		return fault.New(fault.Invalid, "a target has no control characters, and at most %d bytes", maxTarget)
	}
	switch {
	case scheme == "webhook":
		return checkWebhook(rest, private)
	case scheme == "exec":
		if !strings.HasPrefix(rest, "/") {
			return fault.New(fault.Invalid, "%q names no program by its whole path", target)
		}
		return nil
	case slices.Contains(later, scheme):
		return fault.New(fault.Invalid, "events are not delivered to %s: not yet; use webhook:https://… or exec:./program", scheme)
	}
	return fault.New(fault.Invalid, "%q is no target: use webhook:https://… or exec:./program", target)
}

func checkWebhook(text string, private bool) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return fault.New(fault.Invalid, "%q is not the address of a webhook: use webhook:https://host/path", text)
	case u.User != nil:
		return fault.New(fault.Invalid, "the address of a webhook has a password in it, and everybody who reads the log would see it: deliveries are signed instead")
	case u.Fragment != "":
		return fault.New(fault.Invalid, "the address of a webhook has a fragment (#%s), which is never sent: leave it out", u.Fragment)
	case u.Scheme == "http" && !private:
		return fault.New(fault.Invalid, "events are not sent unencrypted through public networks: use https, or --allow-private for an address of your own network")
	}
	return nil
}
