package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/internal/payment"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfOwner names an owner.
type OfOwner struct {
	Owner string `path:"owner" maxLength:"200"`
}

// mostNotice is the size of what a payment provider says by itself, in bytes.
const mostNotice = 64 << 10

// StartedPayment is where somebody pays.
type StartedPayment struct {
	Payment string `json:"payment"`
	Link    string `json:"link"`
}

func (s *Server) usage() {
	query(s, op{path: "/usage", id: "getUsage", summary: "What was used and what it cost, by day and workflow", tag: "usage", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Limit    int    `query:"limit" minimum:"1" maximum:"500" default:"500" doc:"The most rows of a day and a workflow to have"`
			After    string `query:"after" maxLength:"200" doc:"The next of the page before"`
			Workflow string `query:"workflow"`
			Owner    string `query:"owner"`
			From     string `query:"from" doc:"The first day, like 2026-03-01; default that of this month"`
			To       string `query:"to" doc:"The last day; default today"`
		}) (app.UsageReport, error) {
			filter := projections.UsageFilter{Workflow: in.Workflow, Owner: in.Owner, From: in.From, To: in.To, Limit: in.Limit, After: in.After}
			var err error
			if filter.Owner, err = callOf(ctx).OwnerAsked(in.Owner); err != nil {
				return app.UsageReport{}, err
			}
			return s.node.Owners.Usage(ctx, filter)
		})
	query(s, op{path: "/accounts/{owner}", id: "getAccount", summary: "What agents may spend for an owner, and whether they wait", tag: "usage", scope: installation.Read},
		func(ctx context.Context, in *OfOwner) (app.Account, error) {
			if !callOf(ctx).Sees(in.Owner) {
				return app.Account{}, wholeInstallation(callOf(ctx))
			}
			return s.node.Owners.Account(ctx, in.Owner)
		})
	command(s, op{method: http.MethodPut, path: "/accounts/{owner}/limit", id: "putLimit", summary: "Limit what agents may spend for an owner in a month", tag: "usage", scope: installation.Admin},
		func(ctx context.Context, c *call, in *struct {
			OfOwner
			Body struct {
				PerMonth string `json:"per_month" doc:"US dollars, like 20 or 0.50; 0 for no limit"`
			}
		}) (app.Account, error) {
			return s.onAccount(ctx, c, in.Owner, in.Body.PerMonth, func(micros int64) (commands.Result, error) {
				return s.node.Commands.SetLimit(ctx, in.Owner, account.SetLimit{PerMonthMicros: micros, Currency: money.USD}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/accounts/{owner}/top-up", id: "topUp", summary: "Add to an owner's balance what was paid; a reference is counted once", tag: "usage", scope: installation.Admin},
		func(ctx context.Context, c *call, in *struct {
			OfOwner
			Body struct {
				Amount    string `json:"amount" doc:"US dollars"`
				Reference string `json:"reference" minLength:"1" doc:"What the payment is called in the books"`
			}
		}) (app.Account, error) {
			return s.onAccount(ctx, c, in.Owner, in.Body.Amount, func(micros int64) (commands.Result, error) {
				return s.node.Owners.TopUp(ctx, c.Actor(), in.Owner, in.Body.Reference, micros, money.USD)
			})
		})
	s.payments()
}

// onAccount changes an account by an amount, and answers with it.
func (s *Server) onAccount(ctx context.Context, c *call, owner, amount string, command func(micros int64) (commands.Result, error)) (app.Account, error) {
	micros, err := money.Parse(amount)
	if err != nil {
		return app.Account{}, err
	}
	result, err := command(micros)
	if err != nil {
		return app.Account{}, err
	}
	if err := s.see(ctx, c, result); err != nil {
		return app.Account{}, err
	}
	return s.node.Owners.Account(ctx, owner)
}

func (s *Server) payments() {
	command(s, op{method: http.MethodPost, path: "/accounts/{owner}/payments", id: "startPayment", summary: "Get a link at which somebody pays into an owner's balance", tag: "usage", scope: installation.Edit, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *struct {
			OfOwner
			Body struct {
				Amount    string `json:"amount" doc:"US dollars"`
				ReturnURL string `json:"return_url" doc:"Where the browser goes afterwards"`
			}
		}) (StartedPayment, error) {
			if !c.Sees(in.Owner) {
				return StartedPayment{}, wholeInstallation(c)
			}
			micros, err := money.Parse(in.Body.Amount)
			if err != nil {
				return StartedPayment{}, err
			}
			if at, err := url.Parse(in.Body.ReturnURL); err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
				return StartedPayment{}, fault.New(fault.Invalid, "return_url: name where the person's browser goes afterwards, like https://…")
			}
			stripe, err := s.node.Owners.Stripe(s.provider())
			if err != nil {
				return StartedPayment{}, err
			}
			session, err := s.node.Owners.StartPayment(ctx, c.meta(), stripe, in.Owner, micros, money.USD, in.Body.ReturnURL)
			return StartedPayment{Payment: session.ID, Link: session.Link}, err
		})
	command(s, op{method: http.MethodPost, path: "/accounts/{owner}/payments/check", id: "checkPayments", summary: "Look whether open payments were made, and count those that were", tag: "usage", scope: installation.Edit},
		func(ctx context.Context, c *call, in *OfOwner) (app.Account, error) {
			if !c.Sees(in.Owner) {
				return app.Account{}, wholeInstallation(c)
			}
			stripe, err := s.node.Owners.Stripe(s.provider())
			if err != nil {
				return app.Account{}, err
			}
			if err := s.node.Owners.CheckPayments(ctx, c.Actor(), stripe, in.Owner); err != nil {
				return app.Account{}, err
			}
			return s.node.Owners.Account(ctx, in.Owner)
		})
	s.mux.HandleFunc("POST /hooks/payments/stripe", s.paymentNotice)
}

// provider is where payments are asked for.
func (s *Server) provider() string {
	if s.config.PaymentsAt != "" {
		return s.config.PaymentsAt
	}
	return payment.StripeURL
}

// paymentNotice takes what the payment provider says by itself: it shows no token, what it says is signed.
func (s *Server) paymentNotice(w http.ResponseWriter, r *http.Request) {
	const operation = "paymentNotice"
	body, err := s.received(w, r, mostNotice)
	if err != nil {
		s.fail(w, r, operation, err)
		return
	}
	stripe, err := s.node.Owners.Stripe(s.provider())
	if err == nil {
		err = s.node.Owners.PaymentNotice(r.Context(), stripe, body, r.Header.Get("Stripe-Signature"))
	}
	if err != nil {
		s.fail(w, r, operation, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
