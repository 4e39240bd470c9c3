package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Owners answers what owners use, may spend and pay.
type Owners struct {
	Commands       *commands.Commands
	Queries        *projections.Queries
	Now            func() time.Time
	HandlerQueries *HandlerQueries
	Secrets        *Secrets
}

// Account is what an owner may spend on agents, and has spent. Amounts are millionths of the currency.
type Account struct {
	Owner       string    `json:"owner"`
	Currency    string    `json:"currency"`
	MonthMicros int64     `json:"month_micros"`           // spent this month
	LimitMicros int64     `json:"limit_micros,omitempty"` // for a month; 0 is none
	Opened      time.Time `json:"opened,omitzero"`        // since when a balance pays; zero if none does
	PaidMicros  int64     `json:"paid_micros,omitempty"`  // into it, less refunds
	SpentMicros int64     `json:"spent_micros,omitempty"` // of it
	LeftMicros  int64     `json:"left_micros"`
	// Stopped is why agents wait, if they do; runs go on.
	Stopped string                   `json:"stopped,omitempty"`
	Until   time.Time                `json:"until,omitzero"`
	Open    []account.PaymentStarted `json:"open_payments"` // links at which nobody has paid yet
}

// Account is an owner's, as it is now.
func (o *Owners) Account(ctx context.Context, owner string) (Account, error) {
	state, err := o.Commands.LoadAccount(ctx, owner)
	if err != nil {
		return Account{}, err
	}
	now := o.Now()
	shown := Account{
		Owner: owner, Currency: state.Currency, LimitMicros: state.PerMonthMicros, Opened: state.Opened, PaidMicros: state.PaidMicros,
		Open: []account.PaymentStarted{},
	}
	for _, one := range state.Started {
		shown.Open = append(shown.Open, one)
	}
	slices.SortFunc(shown.Open, func(a, b account.PaymentStarted) int { return strings.Compare(a.Payment, b.Payment) })
	if shown.MonthMicros, err = o.HandlerQueries.SpentFor(ctx, owner, installation.Month.Start(now)); err != nil {
		return Account{}, err
	}
	reached, spent, err := agents.OwnerReached(ctx, o.Commands, o.HandlerQueries, owner, now)
	if err != nil {
		return Account{}, err
	}
	shown.SpentMicros = spent.BalanceMicros
	shown.LeftMicros = shown.PaidMicros - shown.SpentMicros
	if reached != nil {
		shown.Stopped, shown.Until = reached.String(), reached.Until
	}
	return shown, nil
}

// TopUp adds what a person says was paid; a reference is counted once.
func (o *Owners) TopUp(ctx context.Context, actor, owner, reference string, micros int64, currency string) (commands.Result, error) {
	return o.Commands.TopUp(ctx, owner, account.TopUp{Payment: reference, Reference: reference, Micros: micros, Currency: currency}, By(actor))
}
