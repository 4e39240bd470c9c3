package account

import (
	"fmt"

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
	switch e := e.(type) {
	case LimitSet:
		if e.PerMonthMicros < 0 {
			return "a limit is not below 0"
		}
	case BalanceOpened:
		if !s.Opened.IsZero() {
			return "the balance is open already"
		}
	case PaymentStarted:
		if _, paid := s.paid[e.Payment]; paid || e.Micros <= 0 {
			return "the payment was made already, or is of nothing"
		}
	case PaymentLapsed:
		if _, open := s.Started[e.Payment]; !open {
			return "nobody was to pay it"
		}
	case ToppedUp:
		_, again := s.paid[e.Payment]
		switch {
		case s.Opened.IsZero():
			return "there is no balance"
		case again:
			return "the payment was counted already"
		case e.Micros <= 0:
			return "a payment is more than 0"
		}
	case PaymentReversed:
		if s.reversed[e.Reversal]+e.Micros < 0 {
			return "more is given again than was taken back"
		}
	case LimitReached:
		of, known := map[Limit]int64{LimitBalance: s.PaidMicros, LimitMonth: s.PerMonthMicros}[e.Limit]
		switch {
		case !known:
			return fmt.Sprintf("%q is no limit", e.Limit)
		case e.Micros != of:
			return fmt.Sprintf("the limit is %d micros", of)
		case e.SpentMicros < e.Micros:
			return "less was spent than the limit"
		}
	default:
		return "it does not belong in the stream of an account"
	}
	return ""
}
