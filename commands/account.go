package commands

import (
	"context"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// LoadAccount is an owner's account; the zero State if nothing was ever said of it.
func (c Accounts) LoadAccount(ctx context.Context, owner string) (account.State, error) {
	loaded, _, err := state(ctx, c.core, accountKind(owner), account.Stream(owner))
	return loaded, err
}

// onAccount carries out a command on an owner's stream.
func (c Accounts) onAccount(ctx context.Context, owner string, command account.Command, meta Meta) (Result, error) {
	return execute(ctx, c.core, accountKind(owner), account.Stream(owner), command, meta)
}

func accountKind(owner string) kind[account.State, account.Command] {
	return kind[account.State, account.Command]{
		kept:    true,
		evolve:  untimed(account.Evolve),
		subject: func(account.State, account.Command) string { return account.Subject(owner) },
		decide: func(s account.State, command account.Command, now time.Time) ([]event.Event, error) {
			if strings.TrimSpace(owner) == "" {
				return nil, fault.New(fault.Invalid, "an account is of an owner: name who")
			}
			return account.Decide(s, command, now)
		},
	}
}

// SetLimit says what agents may spend on an owner's workflows in a month.
func (c Accounts) SetLimit(ctx context.Context, owner string, command account.SetLimit, meta Meta) (Result, error) {
	return c.onAccount(ctx, owner, command, meta)
}

// StartPayment records the link that a person pays at.
func (c Accounts) StartPayment(ctx context.Context, owner string, command account.StartPayment, meta Meta) (Result, error) {
	return c.onAccount(ctx, owner, command, meta)
}

// LapsePayment records that nobody paid.
func (c Accounts) LapsePayment(ctx context.Context, owner string, command account.LapsePayment, meta Meta) (Result, error) {
	return c.onAccount(ctx, owner, command, meta)
}

// TopUp adds a payment to an owner's balance, once.
func (c Accounts) TopUp(ctx context.Context, owner string, command account.TopUp, meta Meta) (Result, error) {
	return c.onAccount(ctx, owner, command, meta)
}

// ReversePayment takes back what a payment had added.
func (c Accounts) ReversePayment(ctx context.Context, owner string, command account.ReversePayment, meta Meta) (Result, error) {
	return c.onAccount(ctx, owner, command, meta)
}

// ReportOwnerSpend hands in what agents have spent on an owner's workflows; a limit that it reaches is recorded once.
func (c Accounts) ReportOwnerSpend(ctx context.Context, owner string, command account.ReportSpend, meta Meta) (Result, error) {
	return c.onAccount(ctx, owner, command, meta)
}
