package commands

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// LoadSubscription is a subscription as it is now; one that does not Exist if there is none.
func (c Deliveries) LoadSubscription(ctx context.Context, name string) (subscription.State, error) {
	loaded, _, err := state(ctx, c.core, subscriptionKind(c.core, name), subscription.Stream(name))
	return loaded, err
}

// onSubscription carries out a command on a subscription's stream.
func (c Deliveries) onSubscription(ctx context.Context, name string, command subscription.Command, meta Meta) (Result, error) {
	return execute(ctx, c.core, subscriptionKind(c.core, name), subscription.Stream(name), command, meta)
}

func subscriptionKind(c *core, name string) kind[subscription.State, subscription.Command] {
	return kind[subscription.State, subscription.Command]{
		kept:    true,
		evolve:  untimed(subscription.Evolve),
		subject: func(subscription.State, subscription.Command) string { return subscription.Subject(name) },
		decide: func(s subscription.State, command subscription.Command, now time.Time) ([]event.Event, error) {
			if err := subscription.CheckName(name); err != nil {
				return nil, err
			}
			var types []string
			switch command := command.(type) {
			case subscription.Add:
				types = command.Types
			case subscription.Change:
				types = command.Apply(subscription.Definition{}).Types
			}
			if err := c.checkTypes(types); err != nil {
				return nil, err
			}
			return subscription.Decide(s, command, now)
		},
	}
}

// checkTypes refuses types of events that there are none of, and those of subscriptions but for [subscription.ForOthers]: each delivery that failed would be
// another event to deliver.
func (c *core) checkTypes(types []string) error {
	own := event.NewRegistry()
	subscription.Register(own)
	for _, one := range types {
		if own.Version(one) > 0 && !slices.Contains(subscription.ForOthers, one) {
			return fault.New(fault.Invalid, "%s is an event of subscriptions themselves, of which only %s are delivered: see 'kintsugi subscription list'", one, strings.Join(subscription.ForOthers, " and "))
		}
		if c.codec.Version(one) > 0 {
			continue
		}
		for _, known := range c.codec.Types() {
			if strings.EqualFold(known, one) {
				return fault.New(fault.Invalid, "there is no type of event called %q: did you mean %s?", one, known)
			}
		}
		return fault.New(fault.Invalid, "there is no type of event called %q: 'kintsugi history WORKFLOW --all' shows what types there are", one)
	}
	return nil
}

// Subscriptions are all that exist, by name. It reads the streams of all, and of the log only those.
func (c Deliveries) Subscriptions(ctx context.Context) (map[string]subscription.State, error) {
	all := map[string]subscription.State{}
	for record, err := range c.log.All(ctx, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{subscription.StreamPrefix}}) {
		if err != nil {
			return nil, err
		}
		recorded, err := c.open(record)
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(record.Stream, subscription.StreamPrefix)
		all[name] = subscription.Evolve(all[name], recorded.Event)
	}
	for name, one := range all {
		if !one.Exists {
			delete(all, name)
		}
	}
	return all, nil
}

// AddSubscription begins to tell an external system of events.
func (c Deliveries) AddSubscription(ctx context.Context, name string, command subscription.Add, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// ChangeSubscription changes what a subscription is, and keeps its place.
func (c Deliveries) ChangeSubscription(ctx context.Context, name string, command subscription.Change, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// PauseSubscription stops deliveries until they are resumed.
func (c Deliveries) PauseSubscription(ctx context.Context, name string, command subscription.Pause, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// ResumeSubscription ends that.
func (c Deliveries) ResumeSubscription(ctx context.Context, name string, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, subscription.Resume{}, meta)
}

// ReplaySubscription has everything after a place delivered again.
func (c Deliveries) ReplaySubscription(ctx context.Context, name string, command subscription.Replay, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// RemoveSubscription ends a subscription.
func (c Deliveries) RemoveSubscription(ctx context.Context, name string, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, subscription.Remove{}, meta)
}

// NotePlace records how far deliveries are.
func (c Deliveries) NotePlace(ctx context.Context, name string, command subscription.Advance, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// NotePlaceFound records that deliveries go on after a place, as the one that was kept is not of this log.
func (c Deliveries) NotePlaceFound(ctx context.Context, name string, command subscription.FindPlace, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// GiveUpDelivery makes an event that could not be delivered a dead letter.
func (c Deliveries) GiveUpDelivery(ctx context.Context, name string, command subscription.GiveUp, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// SettleRetried records that a dead letter was delivered after all.
func (c Deliveries) SettleRetried(ctx context.Context, name string, command subscription.Retried, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// DropDeadLetter does without the delivery of a dead letter.
func (c Deliveries) DropDeadLetter(ctx context.Context, name string, command subscription.Drop, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// NoteFailing records that an event has not been taken for so long that people should know.
func (c Deliveries) NoteFailing(ctx context.Context, name string, command subscription.NoteFailing, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// NoteRecovered records that events are taken again.
func (c Deliveries) NoteRecovered(ctx context.Context, name string, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, subscription.NoteRecovered{}, meta)
}

// AskForRedelivery records that a person has one event delivered again, or what failed since a time tried at once.
func (c Deliveries) AskForRedelivery(ctx context.Context, name string, command subscription.Redeliver, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}

// NoteTargetSecret records that what the target is shown was replaced.
func (c Deliveries) NoteTargetSecret(ctx context.Context, name string, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, subscription.NoteTargetSecret{}, meta)
}

// RotateSigningKey records that deliveries are signed with a new key.
func (c Deliveries) RotateSigningKey(ctx context.Context, name string, command subscription.RotateKey, meta Meta) (Result, error) {
	return c.onSubscription(ctx, name, command, meta)
}
