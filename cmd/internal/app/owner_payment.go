package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/payment"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// Payments is whom money is asked of.
type Payments interface {
	// Host is where its key is sent.
	Host() string
	Start(ctx context.Context, order payment.Order) (payment.Session, error)
	Look(ctx context.Context, id string) (payment.Session, error)
	Notice(ctx context.Context, body []byte, signature, secret string) (payment.Notice, error)
}

var _ Payments = (*payment.Stripe)(nil)

// providerStripe is what payments of Stripe's are kept under.
const providerStripe = "stripe"

// The vault's names for what is kept of a provider. No workflow can have the name of the scope, so no script can use it.
const (
	paymentScope         = "payments provider"
	paymentKey           = "STRIPE_KEY"
	paymentWebhookSecret = "STRIPE_WEBHOOK_SECRET"
)

// Stripe speaks to a provider with Stripe's API, with the key of the vault.
func (o *Owners) Stripe(base string) (*payment.Stripe, error) {
	at, err := url.Parse(base)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%q is no address of a provider", base)
	}
	made, err := payment.NewStripe(base, func(ctx context.Context) (string, error) { return o.paymentSecret(ctx, paymentKey, at.Host) }, o.Now)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	return made, nil
}

func (o *Owners) paymentSecret(ctx context.Context, name, host string) (string, error) {
	missing := fault.New(fault.Invalid, "there is no %s for %s here: set it with 'kintsugi usage key'", name, host)
	v, err := o.Secrets.Vault(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		return "", missing
	}
	if err != nil {
		return "", err
	}
	value, found, err := v.Value(ctx, paymentScope, name, host)
	if err == nil && !found {
		err = missing
	}
	return value, err
}

// SetPaymentKey keeps the key of a provider, or what it signs its notices with, for its host.
func (o *Owners) SetPaymentKey(ctx context.Context, host, value string, webhook bool) error {
	v, err := o.Secrets.Vault(ctx, true)
	if err != nil {
		return err
	}
	name := paymentKey
	if webhook {
		name = paymentWebhookSecret
	}
	if err := v.Set(ctx, vault.Binding{Name: name, Workflow: paymentScope, Hosts: []string{host}}, value, o.Now()); err != nil {
		return fault.New(fault.Invalid, "%w", err)
	}
	return nil
}

// StartPayment asks for a link at which a person pays into an owner's balance, and keeps it.
func (o *Owners) StartPayment(ctx context.Context, meta commands.Meta, with Payments, owner string, micros int64, currency, back string) (payment.Session, error) {
	session, err := with.Start(ctx, payment.Order{
		Account: owner, Micros: micros, Currency: currency, Description: "Agents for the workflows of " + owner, Return: back, Key: meta.CommandID,
	})
	if err != nil {
		return session, fmt.Errorf("ask for a link to pay at: %w", err)
	}
	_, err = o.Commands.StartPayment(ctx, owner, account.StartPayment{
		Payment: session.ID, Provider: providerStripe, Link: session.Link, Micros: session.Micros, Currency: session.Currency, Until: session.Until,
	}, meta)
	return session, err
}

// CheckPayments looks how the open payments of an owner stand: what was paid is counted, and what has lapsed is let go.
func (o *Owners) CheckPayments(ctx context.Context, actor string, with Payments, owner string) error {
	state, err := o.Commands.LoadAccount(ctx, owner)
	if err != nil {
		return err
	}
	for _, open := range state.Started {
		session, err := with.Look(ctx, open.Payment)
		if err != nil {
			return fmt.Errorf("look at payment %s: %w", open.Payment, err)
		}
		switch {
		case session.Account != owner:
			return fault.New(fault.Internal, "payment %s is of %q, and was started for %q: nothing is counted", open.Payment, session.Account, owner)
		case session.Paid:
			err = o.paid(ctx, actor, session)
		case session.Lapsed:
			_, err = o.Commands.LapsePayment(ctx, owner, account.LapsePayment{Payment: open.Payment}, By(actor))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// paid counts a payment, once, however often it is told: its id is that of the payment.
func (o *Owners) paid(ctx context.Context, actor string, session payment.Session) error {
	_, err := o.Commands.TopUp(ctx, session.Account, account.TopUp{
		Payment: session.ID, Provider: providerStripe, Reference: session.Charge, Micros: session.Micros, Currency: session.Currency,
	}, commands.Meta{Actor: actor, CommandID: commands.DerivedID(providerStripe, "paid", session.ID)})
	return err
}

// PaymentNotice takes what the provider says by itself: body and signature are those of its request, as they came. A
// notice that is not signed is a forbidden fault; the same one again changes nothing. It is the whole handler of the
// provider's webhook: whoever serves HTTP answers 200 for nil, and the provider sends it again for anything else.
func (o *Owners) PaymentNotice(ctx context.Context, with Payments, body []byte, signature string) error {
	secret, err := o.paymentSecret(ctx, paymentWebhookSecret, with.Host())
	if err != nil {
		return err
	}
	notice, err := with.Notice(ctx, body, signature, secret)
	if errors.Is(err, payment.ErrSignature) {
		return fault.New(fault.Forbidden, "%w", err)
	}
	if err != nil {
		return err
	}
	const actor = "system:payments"
	switch {
	case notice.Paid != nil:
		state, err := o.Commands.LoadAccount(ctx, notice.Paid.Account)
		if err != nil || !state.Asked(notice.Paid.ID) { // another installation of the same seller
			return err
		}
		return o.paid(ctx, actor, *notice.Paid)
	case notice.Reversed != nil:
		r := notice.Reversed
		state, err := o.Commands.LoadAccount(ctx, r.Account)
		switch {
		case err != nil:
			return err
		case !state.Charged(r.Charge) && len(state.Started) > 0:
			return fault.New(fault.Conflict, "what is taken back may not be counted yet: say it again later")
		case !state.Charged(r.Charge): // another installation of the same seller
			return nil
		}
		_, err = o.Commands.ReversePayment(ctx, r.Account, account.ReversePayment{
			Reversal: r.ID, Kind: r.Kind, Reference: r.Charge, TotalMicros: r.TotalMicros, Currency: r.Currency, Reason: r.Reason, Notice: notice.ID,
		}, commands.Meta{Actor: actor, CommandID: commands.DerivedID(providerStripe, "notice", notice.ID)})
		return err
	}
	return nil
}
