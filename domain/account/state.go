package account

import (
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
	"github.com/kintsugi-run/kintsugi/domain/money"
)

// State is an owner's account, folded from its stream. The zero State is one of which nothing was ever said: agents
// may spend what the installation lets them.
type State struct {
	Currency       string
	PerMonthMicros int64     // 0 is no limit
	Opened         time.Time // since when a balance pays; zero for none
	PaidMicros     int64     // into the balance altogether, less what was taken back

	Started map[string]PaymentStarted // payments that nobody has heard the end of; read only

	paid     map[string]int64       // by payment
	charges  map[string]bool        // references of what was paid
	reversed map[string]int64       // by reversal, altogether
	notices  map[string]bool        // of the provider
	told     map[Limit]LimitReached // since it was last changed
}

// Limit is what agents may have used up.
type Limit string

// The limits.
const (
	LimitBalance Limit = "balance"
	LimitMonth   Limit = "month"
)

// Spent is what agents have spent on the owner's workflows.
type Spent struct {
	BalanceMicros int64 // since the balance was opened
	MonthMicros   int64 // since the month began
}

// Reached is a limit that is used up.
type Reached struct {
	Limit       Limit
	From        time.Time
	Micros      int64
	SpentMicros int64
	Currency    string
	Until       time.Time // zero if somebody has to decide first
}

// String says it to people.
func (r Reached) String() string {
	spent, of := money.Text(r.SpentMicros, r.Currency), money.Text(r.Micros, r.Currency)
	if r.Limit == LimitBalance {
		return fmt.Sprintf("the balance is used up: agents have spent %s of %s. They go on after a top-up", spent, of)
	}
	return fmt.Sprintf("agents have spent %s this month, and the owner's limit is %s: they go on after %s, or when the limit is raised",
		spent, of, r.Until.Format("2006-01-02 15:04 MST"))
}

// Limited says that there is anything that spending is compared with.
func (s State) Limited() bool { return s.PerMonthMicros > 0 || !s.Opened.IsZero() }

// Reached is the limit that is used up, nil for none. If there are two it is the balance: no month ends that.
func (s State) Reached(spent Spent, now time.Time) *Reached {
	if !s.Opened.IsZero() && spent.BalanceMicros >= s.PaidMicros {
		return &Reached{Limit: LimitBalance, From: s.Opened, Micros: s.PaidMicros, SpentMicros: spent.BalanceMicros, Currency: s.Currency}
	}
	if s.PerMonthMicros > 0 && spent.MonthMicros >= s.PerMonthMicros {
		return &Reached{
			Limit: LimitMonth, From: installation.Month.Start(now), Micros: s.PerMonthMicros, SpentMicros: spent.MonthMicros,
			Currency: s.Currency, Until: installation.Month.End(now),
		}
	}
	return nil
}

// Asked says that a payment was asked for here, whether it was made by now or not.
func (s State) Asked(payment string) bool {
	_, open := s.Started[payment]
	_, paid := s.paid[payment]
	return open || paid
}

// Charged says that a payment with this reference was counted.
func (s State) Charged(reference string) bool { return s.charges[reference] }

// Evolve is the state after an event. It never fails and never validates; the given state stays as it was.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case LimitSet:
		s.PerMonthMicros, s.Currency = e.PerMonthMicros, e.Currency
		s.told = persistent.Without(s.told, LimitMonth) // another limit is reached anew
	case BalanceOpened:
		s.Opened, s.Currency = e.From, e.Currency
	case PaymentStarted:
		s.Started = persistent.With(s.Started, e.Payment, e)
	case PaymentLapsed:
		s.Started = persistent.Without(s.Started, e.Payment)
	case ToppedUp:
		s.PaidMicros += e.Micros
		s.paid, s.Started = persistent.With(s.paid, e.Payment, e.Micros), persistent.Without(s.Started, e.Payment)
		s.charges = persistent.With(s.charges, e.Reference, true)
		s.told = persistent.Without(s.told, LimitBalance)
	case PaymentReversed:
		s.PaidMicros -= e.Micros
		s.reversed = persistent.With(s.reversed, e.Reversal, s.reversed[e.Reversal]+e.Micros)
		s.notices = persistent.With(s.notices, e.Notice, true)
		if e.Micros < 0 {
			s.told = persistent.Without(s.told, LimitBalance)
		}
	case LimitReached:
		s.told = persistent.With(s.told, e.Limit, e)
	}
	return s
}
