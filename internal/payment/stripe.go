package payment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// StripeURL is where Stripe's API is.
const StripeURL = "https://api.stripe.com"

// stripeVersion is the version of the API whose answers this adapter reads.
const stripeVersion = "2024-06-20"

const (
	answerWithin = 30 * time.Second
	maxAnswer    = 1 << 20
	attempts     = 3
	firstPause   = 200 * time.Millisecond
)

// accountKey is what the account is called in the metadata of everything that is made here.
const accountKey = "kintsugi_account"

// Stripe speaks Stripe's API.
type Stripe struct {
	base   *url.URL
	key    func(ctx context.Context) (string, error)
	client *http.Client
	now    func() time.Time
}

// NewStripe speaks to a base address, [StripeURL] as a rule. The key is asked for with each call, and goes nowhere else.
func NewStripe(base string, key func(ctx context.Context) (string, error), now func() time.Time) (*Stripe, error) {
	at, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("payment: %q is no address of a provider", base)
	}
	if ip := net.ParseIP(at.Hostname()); at.Scheme != "https" && (at.Scheme != "http" || !ip.IsLoopback()) {
		return nil, fmt.Errorf("payment: %q would send the key in the clear: use https", base)
	}
	return &Stripe{base: at, key: key, now: now, client: &http.Client{
		Timeout:       answerWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Host is where the key is sent.
func (s *Stripe) Host() string { return s.base.Host }

// session is a Checkout Session as the API has it.
type session struct {
	ID            string            `json:"id"`
	URL           string            `json:"url"`
	Status        string            `json:"status"`
	PaymentStatus string            `json:"payment_status"`
	AmountTotal   int64             `json:"amount_total"`
	Currency      string            `json:"currency"`
	ExpiresAt     int64             `json:"expires_at"`
	PaymentIntent string            `json:"payment_intent"`
	Metadata      map[string]string `json:"metadata"`
}

func (s session) read() (Session, error) {
	micros, err := microsOf(s.AmountTotal, s.Currency)
	if err != nil {
		return Session{}, err
	}
	if s.ID == "" {
		return Session{}, errors.New("payment: the provider's answer is no session")
	}
	return Session{
		ID: s.ID, Account: s.Metadata[accountKey], Link: s.URL, Micros: micros, Currency: s.Currency, Until: time.Unix(s.ExpiresAt, 0).UTC(),
		Paid: s.PaymentStatus == "paid", Lapsed: s.Status == "expired", Charge: s.PaymentIntent,
	}, nil
}

// microsPerCent is what the API's smallest unit is in micros, of the currencies that have cents.
const microsPerCent = 10_000

func microsOf(cents int64, currency string) (int64, error) {
	if currency != "usd" {
		return 0, fmt.Errorf("payment: amounts in %q are not taken, only in usd", currency)
	}
	if cents < 0 || cents > 1<<40 {
		return 0, fmt.Errorf("payment: %d cents are no amount", cents)
	}
	return cents * microsPerCent, nil
}

// Start asks for a link at which a person pays.
func (s *Stripe) Start(ctx context.Context, order Order) (Session, error) {
	if order.Currency != "usd" || order.Micros <= 0 || order.Micros%microsPerCent != 0 {
		return Session{}, errors.New("payment: what is paid is a whole number of cents, in usd")
	}
	form := url.Values{
		"mode":                                          {"payment"},
		"success_url":                                   {order.Return},
		"client_reference_id":                           {order.Account},
		"metadata[" + accountKey + "]":                  {order.Account},
		"line_items[0][quantity]":                       {"1"},
		"line_items[0][price_data][currency]":           {order.Currency},
		"line_items[0][price_data][unit_amount]":        {strconv.FormatInt(order.Micros/microsPerCent, 10)},
		"line_items[0][price_data][product_data][name]": {order.Description},
		// Later notices about the payment name the account, too.
		"payment_intent_data[metadata][" + accountKey + "]": {order.Account},
	}
	var made session
	if err := s.call(ctx, http.MethodPost, "/v1/checkout/sessions", form, order.Key, &made); err != nil {
		return Session{}, err
	}
	return made.read()
}

// Look says how a session stands.
func (s *Stripe) Look(ctx context.Context, id string) (Session, error) {
	var found session
	if err := s.call(ctx, http.MethodGet, "/v1/checkout/sessions/"+url.PathEscape(id), nil, "", &found); err != nil {
		return Session{}, err
	}
	return found.read()
}

// Notice reads a message that the provider sends by itself, if it is signed with the secret of this endpoint. A
// repeated message has the same id, so that the caller counts it once.
func (s *Stripe) Notice(ctx context.Context, body []byte, signature, secret string) (Notice, error) {
	if err := verify(body, signature, secret, s.now()); err != nil {
		return Notice{}, err
	}
	var told struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Data struct {
			Object json.RawMessage `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return Notice{}, fmt.Errorf("payment: a notice that cannot be read: %w", err)
	}
	notice := Notice{ID: told.ID}
	var err error
	switch told.Type {
	case "checkout.session.completed", "checkout.session.async_payment_succeeded":
		notice.Paid, err = paid(told.Data.Object)
	case "charge.refunded":
		notice.Reversed, err = refunded(told.Data.Object)
	case "charge.dispute.funds_withdrawn":
		notice.Reversed, err = s.disputed(ctx, told.Data.Object, true)
	case "charge.dispute.funds_reinstated":
		notice.Reversed, err = s.disputed(ctx, told.Data.Object, false)
	}
	return notice, err
}

// paid is nil for a session that is complete and not paid: some ways of paying take days, and are told then.
func paid(object []byte) (*Session, error) {
	var told session
	if err := json.Unmarshal(object, &told); err != nil {
		return nil, fmt.Errorf("payment: a session that cannot be read: %w", err)
	}
	if told.Metadata[accountKey] == "" { // somebody else's, of the same seller
		return nil, nil
	}
	read, err := told.read()
	if err != nil || !read.Paid {
		return nil, err
	}
	return &read, nil
}

func refunded(object []byte) (*Reversal, error) {
	var charge struct {
		ID             string            `json:"id"`
		AmountRefunded int64             `json:"amount_refunded"`
		Currency       string            `json:"currency"`
		PaymentIntent  string            `json:"payment_intent"`
		Metadata       map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(object, &charge); err != nil {
		return nil, fmt.Errorf("payment: a charge that cannot be read: %w", err)
	}
	if charge.Metadata[accountKey] == "" {
		return nil, nil
	}
	micros, err := microsOf(charge.AmountRefunded, charge.Currency)
	if err != nil {
		return nil, err
	}
	return &Reversal{
		ID: charge.ID, Account: charge.Metadata[accountKey], Kind: "refund", Charge: charge.PaymentIntent, TotalMicros: micros, Currency: charge.Currency,
	}, nil
}

// disputed asks whose payment it was: a dispute does not say.
func (s *Stripe) disputed(ctx context.Context, object []byte, withdrawn bool) (*Reversal, error) {
	var dispute struct {
		ID            string `json:"id"`
		Amount        int64  `json:"amount"`
		Currency      string `json:"currency"`
		PaymentIntent string `json:"payment_intent"`
		Reason        string `json:"reason"`
	}
	if err := json.Unmarshal(object, &dispute); err != nil {
		return nil, fmt.Errorf("payment: a dispute that cannot be read: %w", err)
	}
	if dispute.PaymentIntent == "" { // nothing that was made here is without
		return nil, nil
	}
	var of struct {
		Metadata map[string]string `json:"metadata"`
	}
	if err := s.call(ctx, http.MethodGet, "/v1/payment_intents/"+url.PathEscape(dispute.PaymentIntent), nil, "", &of); err != nil {
		return nil, err
	}
	if of.Metadata[accountKey] == "" {
		return nil, nil
	}
	micros, err := microsOf(dispute.Amount, dispute.Currency)
	if err != nil {
		return nil, err
	}
	if !withdrawn {
		micros = 0
	}
	return &Reversal{
		ID: dispute.ID, Account: of.Metadata[accountKey], Kind: "dispute", Charge: dispute.PaymentIntent, TotalMicros: micros,
		Currency: dispute.Currency, Reason: dispute.Reason,
	}, nil
}

// call asks the API, again if it does not answer: a GET changes nothing, and a POST has its key.
func (s *Stripe) call(ctx context.Context, method, path string, form url.Values, key string, into any) error {
	secret, err := s.key(ctx)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		err := s.once(ctx, method, path, form, secret, key, into)
		refused, answered := errors.AsType[*Error](err)
		again := err != nil && !answered || answered && (refused.Status == http.StatusTooManyRequests || refused.Status == http.StatusConflict || refused.Status >= 500)
		if !again || attempt == attempts || method == http.MethodPost && key == "" {
			return err
		}
		timer := time.NewTimer(firstPause << (attempt - 1))
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}

func (s *Stripe) once(ctx context.Context, method, path string, form url.Values, secret, key string, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, s.base.String()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("payment: %s %s: %w", method, path, err)
	}
	request.Header.Set("Authorization", "Bearer "+secret)
	request.Header.Set("Stripe-Version", stripeVersion)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return fmt.Errorf("payment: %s %s: %w", method, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("payment: %s %s: %w", method, path, err)
	}
	if response.StatusCode != http.StatusOK {
		var told struct {
			Error struct {
				Type    string `json:"type"`
				Code    string `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		_ = json.Unmarshal(body, &told) // a proxy may answer anything
		return &Error{Status: response.StatusCode, Code: strings.TrimSpace(told.Error.Type + " " + told.Error.Code), Message: told.Error.Message}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("payment: %s %s: the answer cannot be read: %w", method, path, err)
	}
	return nil
}
