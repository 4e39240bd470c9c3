package subscription

import (
	"reflect"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Follow is [Evolve] for a history that is doubted: it returns an [*event.ImpossibleError] for an event that nobody can
// have come to in this state.
func Follow(s State, e event.Event) (State, error) {
	if why := s.refuses(e); why != "" {
		return s, event.Impossible(e, "%s", why)
	}
	return Evolve(s, e), nil
}

// refuses says why an event cannot have happened, nothing if it can.
func (s State) refuses(e event.Event) string {
	if added, is := e.(SubscriptionAdded); is {
		switch {
		case s.Exists:
			return "the subscription is there already"
		case added.GiveUpSeconds < 1:
			return "nothing is given up before it was tried"
		}
		return ""
	}
	if !s.Exists {
		return "the subscription was not added"
	}
	switch e := e.(type) {
	case SubscriptionChanged:
		if !reflect.DeepEqual(e.Before, s.Definition) {
			return "it was another one before"
		}
	case SubscriptionPaused:
		if s.Paused {
			return "it is paused already"
		}
	case SubscriptionResumed:
		if !s.Paused {
			return "it was not paused"
		}
	case SubscriptionAdvanced:
		if e.Epoch != s.Epoch {
			return "it is of deliveries that are over"
		}
	case SubscriptionFailing:
		if s.Failing != nil {
			return "it fails already"
		}
	case SubscriptionRecovered:
		if s.Failing == nil {
			return "it did not fail"
		}
	case DeadLettered:
		if _, known := s.Letters[e.Event.EventID]; known {
			return "the event is a dead letter already"
		}
	case DeadLetterRetried:
		return s.unsettled(e.EventID)
	case DeadLetterDropped:
		return s.unsettled(e.EventID)
	case SubscriptionReplayed, SubscriptionPlaceFound, SubscriptionRemoved, SigningKeyRotated, TargetSecretSet, RedeliveryAsked:
	default:
		return "it does not belong in the stream of a subscription"
	}
	return ""
}

func (s State) unsettled(id string) string {
	if letter, known := s.Letters[id]; !known || letter.Settled {
		return "no such dead letter waits"
	}
	return ""
}
