package subscription

import (
	"maps"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
)

// State is a subscription, folded from its stream. The zero State is one that was never added.
type State struct {
	Definition
	Exists bool
	Paused bool
	Reason string // why it is paused
	From   Place
	// Epoch rises whenever deliveries begin anew: a kept position is of one epoch.
	Epoch int
	// Advanced is how far deliveries of this epoch were when that was recorded last.
	Advanced *SubscriptionAdvanced
	// Failing is since when, and why, the target takes no events; nil if it does, as far as is known.
	Failing *SubscriptionFailing
	// Asked is how often a person had what failed tried at once.
	Asked int
	// Letters are the dead letters of this epoch, by event.
	Letters map[string]Letter
}

// Letter is an event that could not be delivered.
type Letter struct {
	DeadLettered
	Settled bool // it was delivered after all, or a person does without it
}

// Active says that events are delivered.
func (s State) Active() bool { return s.Exists && !s.Paused }

// Open is how many dead letters wait for a person.
func (s State) Open() int {
	open := 0
	for _, letter := range s.Letters {
		if !letter.Settled {
			open++
		}
	}
	return open
}

// Evolve is the state after an event. It never fails and never validates; the given state stays as it was.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case SubscriptionAdded:
		return State{Definition: e.Definition, Exists: true, From: e.From, Epoch: s.Epoch + 1}
	case SubscriptionChanged:
		s.Definition, s.Failing = e.Now, nil // the target of now has not failed yet
	case SubscriptionPaused:
		s.Paused, s.Reason, s.Failing = true, e.Reason, nil
	case SubscriptionResumed:
		s.Paused, s.Reason = false, ""
	case SubscriptionReplayed:
		s.From, s.Epoch, s.Advanced, s.Failing = e.From, s.Epoch+1, nil, nil
		s.Letters = maps.Clone(s.Letters)
		maps.DeleteFunc(s.Letters, func(_ string, letter Letter) bool { return letter.Event.Position > e.From.Position }) // they come again
	case SubscriptionRemoved:
		return State{Epoch: s.Epoch}
	case SubscriptionAdvanced:
		s.Advanced = &e
	case RedeliveryAsked:
		if e.EventID == "" {
			s.Asked++
		}
	case SubscriptionFailing:
		s.Failing = &e
	case SubscriptionRecovered:
		s.Failing = nil
	case DeadLettered:
		s.Letters = persistent.With(s.Letters, e.Event.EventID, Letter{DeadLettered: e})
	case DeadLetterRetried:
		return s.settled(e.EventID)
	case DeadLetterDropped:
		return s.settled(e.EventID)
	}
	return s
}

func (s State) settled(id string) State {
	letter := s.Letters[id]
	letter.Settled = true
	s.Letters = persistent.With(s.Letters, id, letter)
	return s
}
