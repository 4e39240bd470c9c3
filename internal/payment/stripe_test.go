package payment_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payment"
)

const endpointSecret = "whsec_test"

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// recorded is a server that answers one after the other, as Stripe's reference says that it does, and keeps what it was asked.
type recorded struct {
	answers []answer
	asked   []asked
}

type answer struct {
	status int
	body   string
}

type asked struct {
	call, key, auth string
	form            url.Values
}

func (r *recorded) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	form, _ := url.ParseQuery(string(body))
	r.asked = append(r.asked, asked{request.Method + " " + request.URL.Path, request.Header.Get("Idempotency-Key"), request.Header.Get("Authorization"), form})
	next := r.answers[0]
	r.answers = r.answers[1:]
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(next.status)
	_, _ = io.WriteString(w, next.body)
}

func serve(t *testing.T, answers ...answer) (*payment.Stripe, *recorded) {
	t.Helper()
	outside := &recorded{answers: answers}
	server := httptest.NewServer(outside)
	t.Cleanup(server.Close)
	stripe, err := payment.NewStripe(server.URL, func(context.Context) (string, error) { return "sk_test_1", nil }, func() time.Time { return now })
	require.NoError(t, err)
	return stripe, outside
}

const (
	openSession = `{"id":"cs_1","object":"checkout.session","url":"https://checkout.stripe.com/c/pay/cs_1","status":"open","payment_status":"unpaid",
		"amount_total":2500,"currency":"usd","expires_at":1772452800,"payment_intent":null,"client_reference_id":"ann","metadata":{"kintsugi_account":"ann"}}`
	paidSession = `{"id":"cs_1","object":"checkout.session","url":null,"status":"complete","payment_status":"paid",
		"amount_total":2500,"currency":"usd","expires_at":1772452800,"payment_intent":"pi_1","client_reference_id":"ann","metadata":{"kintsugi_account":"ann"}}`
)

var order = payment.Order{Account: "ann", Micros: 25_000_000, Currency: "usd", Description: "Agents", Return: "https://example.com/done", Key: "k-1"}

// A link is asked for under one key, however often the provider has to be asked.
func TestALinkIsAskedForOnce(t *testing.T) {
	t.Parallel()
	stripe, outside := serve(t, answer{503, `{"error":{"type":"api_error","message":"try again"}}`}, answer{200, openSession})
	started, err := stripe.Start(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, payment.Session{
		ID: "cs_1", Account: "ann", Link: "https://checkout.stripe.com/c/pay/cs_1", Micros: 25_000_000, Currency: "usd", Until: time.Unix(1772452800, 0).UTC(),
	}, started)
	require.Len(t, outside.asked, 2)
	for _, one := range outside.asked {
		require.Equal(t, "POST /v1/checkout/sessions", one.call)
		require.Equal(t, "k-1", one.key)
		require.Equal(t, "Bearer sk_test_1", one.auth)
		require.Equal(t, "2500", one.form.Get("line_items[0][price_data][unit_amount]"))
		require.Equal(t, "payment", one.form.Get("mode"))
		require.Equal(t, "https://example.com/done", one.form.Get("success_url"))
		require.Equal(t, "ann", one.form.Get("payment_intent_data[metadata][kintsugi_account]"))
	}
}

// A refusal is told as the provider says it, and not repeated.
func TestARefusalIsTold(t *testing.T) {
	t.Parallel()
	stripe, outside := serve(t, answer{401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key provided"}}`})
	_, err := stripe.Start(t.Context(), order)
	refused, is := errors.AsType[*payment.Error](err)
	require.True(t, is, "%v", err)
	require.Equal(t, payment.Error{Status: 401, Code: "invalid_request_error", Message: "Invalid API Key provided"}, *refused)
	require.Len(t, outside.asked, 1)
	for _, wrong := range []payment.Order{{Micros: 25_001, Currency: "usd"}, {Micros: 0, Currency: "usd"}, {Micros: 10_000, Currency: "eur"}} {
		_, err := stripe.Start(t.Context(), wrong)
		require.ErrorContains(t, err, "whole number of cents")
	}
}

// The key is sent where it belongs and nowhere in the clear.
func TestTheKeyIsNotSentInTheClear(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"http://api.stripe.com", "http://10.0.0.1", "ftp://127.0.0.1", "api.stripe.com", ""} {
		_, err := payment.NewStripe(base, nil, nil)
		require.Error(t, err, base)
	}
	stripe, err := payment.NewStripe(payment.StripeURL, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "api.stripe.com", stripe.Host())
}

// How a session stands is looked up.
func TestASessionIsLookedUp(t *testing.T) {
	t.Parallel()
	stripe, outside := serve(t, answer{200, openSession}, answer{200, paidSession}, answer{200, `{"id":"cs_1","status":"expired","payment_status":"unpaid","amount_total":2500,"currency":"usd"}`},
		answer{200, `{"id":"cs_1","payment_status":"paid","amount_total":2500,"currency":"jpy"}`}, answer{200, `<html>`})
	open, err := stripe.Look(t.Context(), "cs_1")
	require.NoError(t, err)
	require.False(t, open.Paid || open.Lapsed)
	paid, err := stripe.Look(t.Context(), "cs_1")
	require.NoError(t, err)
	require.True(t, paid.Paid)
	require.Equal(t, "pi_1", paid.Charge)
	lapsed, err := stripe.Look(t.Context(), "cs_1")
	require.NoError(t, err)
	require.True(t, lapsed.Lapsed)
	_, err = stripe.Look(t.Context(), "cs_1")
	require.ErrorContains(t, err, `amounts in "jpy"`)
	require.Equal(t, "GET /v1/checkout/sessions/cs_1", outside.asked[0].call)
}

func signed(body, secret string, at time.Time) string {
	sum := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(sum, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s,v0=00", at.Unix(), hex.EncodeToString(sum.Sum(nil)))
}

func notice(kind, object string) string {
	return `{"id":"evt_1","object":"event","type":"` + kind + `","data":{"object":` + object + `}}`
}

// A notice counts only as it was signed: by the provider, now, byte for byte.
func TestOnlySignedNoticesCount(t *testing.T) {
	t.Parallel()
	stripe, _ := serve(t)
	body := notice("checkout.session.completed", paidSession)
	good := signed(body, endpointSecret, now)
	for name, header := range map[string]string{
		"as it is":                good,
		"a little old":            signed(body, endpointSecret, now.Add(-5*time.Minute)),
		"while a secret changes":  good[:13] + "v1=ab,v1=zz," + good[13:],
		"with spaces after comma": signed(body, endpointSecret, now)[:13] + " " + good[13:],
	} {
		told, err := stripe.Notice(t.Context(), []byte(body), header, endpointSecret)
		require.NoError(t, err, "%s: %s", name, header)
		require.Equal(t, "evt_1", told.ID)
		require.Equal(t, int64(25_000_000), told.Paid.Micros)
		require.Equal(t, "ann", told.Paid.Account)
	}
	for name, header := range map[string]string{
		"none":              "",
		"another secret":    signed(body, "whsec_other", now),
		"of long ago":       signed(body, endpointSecret, now.Add(-6*time.Minute)),
		"of the future":     signed(body, endpointSecret, now.Add(6*time.Minute)),
		"of another body":   signed(body+" ", endpointSecret, now),
		"another time":      "t=1" + good[2:],
		"an older scheme":   "t=1772366400,v0=" + good[16:],
		"no time":           good[13:],
		"no hexadecimals":   "t=1772366400,v1=zz",
		"only the scheme":   "t=1772366400,v1=",
		"with other spaces": "t = 1772366400, v1 = " + good[16:],
	} {
		_, err := stripe.Notice(t.Context(), []byte(body), header, endpointSecret)
		require.ErrorIs(t, err, payment.ErrSignature, name)
	}
	_, err := stripe.Notice(t.Context(), []byte(body), signed(body, "", now), "")
	require.ErrorIs(t, err, payment.ErrSignature, "without a secret anybody could sign")
}

// Payments, refunds and disputes are told with their account; everything else is no matter.
func TestNoticesAreRead(t *testing.T) {
	t.Parallel()
	intent := answer{200, `{"id":"pi_1","object":"payment_intent","metadata":{"kintsugi_account":"ann"}}`}
	stripe, outside := serve(t, intent, intent, answer{200, `{"id":"pi_2","metadata":{}}`})
	read := func(kind, object string) payment.Notice {
		body := notice(kind, object)
		told, err := stripe.Notice(t.Context(), []byte(body), signed(body, endpointSecret, now), endpointSecret)
		require.NoError(t, err)
		return told
	}
	require.Equal(t, "cs_1", read("checkout.session.async_payment_succeeded", paidSession).Paid.ID)
	require.Nil(t, read("checkout.session.completed", openSession).Paid, "it is complete, and the money comes later")
	require.Nil(t, read("checkout.session.completed", `{"id":"cs_9","payment_status":"paid","amount_total":5,"currency":"usd"}`).Paid, "not sold here")
	require.Equal(t, payment.Notice{ID: "evt_1"}, read("customer.created", `{}`))
	charge := `{"id":"ch_1","object":"charge","amount":2500,"amount_refunded":1000,"currency":"usd","payment_intent":"pi_1","metadata":{"kintsugi_account":"ann"}}`
	require.Equal(t, &payment.Reversal{ID: "ch_1", Account: "ann", Kind: "refund", Charge: "pi_1", TotalMicros: 10_000_000, Currency: "usd"}, read("charge.refunded", charge).Reversed)
	dispute := `{"id":"dp_1","object":"dispute","amount":2500,"currency":"usd","charge":"ch_1","payment_intent":"pi_1","reason":"fraudulent","status":"needs_response"}`
	want := &payment.Reversal{ID: "dp_1", Account: "ann", Kind: "dispute", Charge: "pi_1", TotalMicros: 25_000_000, Currency: "usd", Reason: "fraudulent"}
	require.Equal(t, want, read("charge.dispute.funds_withdrawn", dispute).Reversed)
	want.TotalMicros = 0
	require.Equal(t, want, read("charge.dispute.funds_reinstated", dispute).Reversed)
	require.Nil(t, read("charge.dispute.funds_withdrawn", `{"id":"dp_2","payment_intent":"pi_2","currency":"usd"}`).Reversed, "not sold here")
	require.Equal(t, "GET /v1/payment_intents/pi_1", outside.asked[0].call)
}
