package account

import (
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/money"
)

// maxText bounds what people and providers write.
const maxText = 1 << 10

// Decide says what happens when a command meets a state: the events of one append, none if there is nothing to do, or a
// refusal (see package fault). It is pure: now is the caller's clock.
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	switch c := c.(type) {
	case SetLimit:
		return s.setLimit(c)
	case StartPayment:
		return s.startPayment(c)
	case LapsePayment:
		if _, open := s.Started[c.Payment]; !open {
			return nil, nil
		}
		return []event.Event{PaymentLapsed(c)}, nil
	case TopUp:
		return s.topUp(c, now)
	case ReversePayment:
		return s.reverse(c)
	case ReportSpend:
		return s.reportSpend(c, now), nil
	}
	return nil, fault.New(fault.Internal, "account: no decision for %T: add it to Decide", c)
}

// takes refuses a currency in which nothing can be compared with what agents spend.
func takes(currency string) error {
	if currency != money.USD {
		return fault.New(fault.Invalid, "money in %q cannot be compared with what agents spend, which is counted in US dollars: use %s", currency, money.USD)
	}
	return nil
}

func (s State) setLimit(c SetLimit) ([]event.Event, error) {
	if err := takes(c.Currency); err != nil {
		return nil, err
	}
	if c.PerMonthMicros < 0 {
		return nil, fault.New(fault.Invalid, "a limit is not below 0: name an amount, or 0 for no limit")
	}
	if c.PerMonthMicros == s.PerMonthMicros {
		return nil, nil
	}
	return []event.Event{LimitSet(c)}, nil
}

func paying(payment string, micros int64, currency string) error {
	if err := takes(currency); err != nil {
		return err
	}
	if strings.TrimSpace(payment) == "" || len(payment) > maxText {
		return fault.New(fault.Invalid, "a payment needs an id of its own, by which it is counted once")
	}
	if micros <= 0 {
		return fault.New(fault.Invalid, "a payment is more than 0")
	}
	return nil
}

func (s State) startPayment(c StartPayment) ([]event.Event, error) {
	if err := paying(c.Payment, c.Micros, c.Currency); err != nil {
		return nil, err
	}
	_, started := s.Started[c.Payment]
	if _, paid := s.paid[c.Payment]; started || paid {
		return nil, nil
	}
	return []event.Event{PaymentStarted(c)}, nil
}

func (s State) topUp(c TopUp, now time.Time) ([]event.Event, error) {
	if err := paying(c.Payment, c.Micros, c.Currency); err != nil {
		return nil, err
	}
	if paid, again := s.paid[c.Payment]; again {
		if paid != c.Micros {
			return nil, fault.New(fault.Conflict, "payment %s was counted already, with %s: a further one needs an id of its own", c.Payment, money.Text(paid, s.Currency))
		}
		return nil, nil
	}
	c.Reference = failure.Cut(c.Reference, maxText)
	var events []event.Event
	if s.Opened.IsZero() {
		events = append(events, BalanceOpened{From: now.UTC(), Currency: c.Currency})
	}
	return append(events, ToppedUp(c)), nil
}

func (s State) reverse(c ReversePayment) ([]event.Event, error) {
	if err := takes(c.Currency); err != nil {
		return nil, err
	}
	if c.Reversal == "" || c.TotalMicros < 0 {
		return nil, fault.New(fault.Invalid, "a reversal needs an id, and an amount that is not below 0")
	}
	change := c.TotalMicros - s.reversed[c.Reversal]
	if change == 0 || c.Notice != "" && s.notices[c.Notice] {
		return nil, nil
	}
	return []event.Event{PaymentReversed{
		Reversal: c.Reversal, Kind: c.Kind, Reference: failure.Cut(c.Reference, maxText), Micros: change, Currency: c.Currency,
		Reason: failure.Cut(c.Reason, maxText), Notice: c.Notice,
	}}, nil
}

// reportSpend records once for each period that a limit is reached. Many agents find the limit reached and report it,
// so it has to ignore repetitions.
func (s State) reportSpend(c ReportSpend, now time.Time) []event.Event {
	reached := s.Reached(c.Spent, now)
	if reached == nil {
		return nil
	}
	if told, was := s.told[reached.Limit]; was && told.From.Equal(reached.From) {
		return nil
	}
	return []event.Event{LimitReached{
		Limit: reached.Limit, From: reached.From, Micros: reached.Micros, SpentMicros: reached.SpentMicros, Currency: reached.Currency,
	}}
}
