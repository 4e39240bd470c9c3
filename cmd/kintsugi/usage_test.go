package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// An owner's limit and balance can be set, paid and shown; a payment is counted once.
func TestOwnersHaveALimitAndABalance(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Contains(t, h.ok("usage", "balance", "ann"), "This month  $0.00, no limit\nBalance     none")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "limit", "ann").err, "name the limit")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "limit", "ann", "--per-month", "1e3").err, "is not an amount")
	require.Contains(t, h.ok("usage", "limit", "ann", "--per-month", "20"), "limit $20.00")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "top-up", "ann", "5").err, "--reference")
	topped := h.object("usage", "top-up", "ann", "5", "--reference", "invoice 1")
	require.InDelta(t, 5_000_000, topped["left_micros"], 0)
	require.InDelta(t, 5_000_000, h.object("usage", "top-up", "ann", "5", "--reference", "invoice 1")["left_micros"], 0)
	require.Contains(t, h.ends(terminal.ExitConflict, "usage", "top-up", "ann", "6", "--reference", "invoice 1").err, "counted already")
	require.Contains(t, h.ok("usage", "balance", "ann"), "Balance     $5.00: $5.00 paid, $0.00 spent since")
	require.InDelta(t, 20_000_000, h.object("usage", "balance", "ann")["limit_micros"], 0)
	require.NotContains(t, h.ok("usage", "limit", "ann", "--per-month", "0"), "limit $")
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}

// A person pays at a link of the provider's. The payment is counted once, by the provider's notice or by our
// question, the first that says so.
func TestABalanceIsPaidAtALink(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	var asked []string
	status, paid := "open", "unpaid"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		fmt.Fprintf(w, `{"id":"cs_1","url":"https://checkout.example/cs_1","status":%q,"payment_status":%q,"amount_total":2500,"currency":"usd",
			"expires_at":4102444800,"payment_intent":"pi_1","metadata":{"kintsugi_account":"Ann M"}}`, status, paid)
	}))
	t.Cleanup(server.Close)
	pay := []string{"usage", "pay", "Ann M", "25", "--provider-url", server.URL}
	require.Contains(t, h.ends(terminal.ExitUsage, pay...).err, "--return-url")
	pay = append(pay, "--return-url", "https://example.com")
	require.Contains(t, h.ends(terminal.ExitUsage, pay...).err, "kintsugi usage key")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "check", "Ann M", "--provider-url", "http://provider.example").err, "in the clear")
	require.Equal(t, terminal.ExitOK, h.runWith("sk_test_secret_1\n", "usage", "key", "--provider-url", server.URL).code)
	require.Equal(t, terminal.ExitOK, h.runWith("whsec_secret_1\n", "usage", "key", "--webhook", "--provider-url", server.URL).code)
	require.NotContains(t, h.ok("secret", "list"), "sk_test_secret_1")
	require.Empty(t, asked)

	require.Contains(t, h.ok(pay...), "Pay $25.00 at https://checkout.example/cs_1")
	require.Contains(t, h.ok("usage", "balance", "Ann M"), "To pay      $25.00 until 2100-01-01 00:00: https://checkout.example/cs_1")
	check := []string{"usage", "check", "Ann M", "--provider-url", server.URL}
	require.Contains(t, h.ok(check...), "Balance     none")
	status, paid = "complete", "paid"
	require.Contains(t, h.ok(check...), "Balance     $25.00: $25.00 paid")
	require.Contains(t, h.ok(check...), "Balance     $25.00: $25.00 paid")
	require.Equal(t, []string{
		"POST /v1/checkout/sessions Bearer sk_test_secret_1", "GET /v1/checkout/sessions/cs_1 Bearer sk_test_secret_1", "GET /v1/checkout/sessions/cs_1 Bearer sk_test_secret_1",
	}, asked, "what was paid is not looked at again")

	// The same payment is told by the provider, and a refund: notices count as they are signed.
	n, err := app.Open(t.Context(), h.dir, app.FileAddress(filepath.Join(h.dir, app.LogFile)), app.ViewsPlace{}, time.Second, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer func() { require.NoError(t, n.Close()) }()
	stripe, err := n.Owners.Stripe(server.URL)
	require.NoError(t, err)
	tell := func(body, secret string) error {
		at := time.Now().Unix()
		sum := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(sum, "%d.%s", at, body)
		return n.Owners.PaymentNotice(t.Context(), stripe, []byte(body), fmt.Sprintf("t=%d,v1=%x", at, sum.Sum(nil)))
	}
	session := `{"id":"evt_1","type":"checkout.session.completed","data":{"object":{"id":"cs_1","payment_status":"paid","amount_total":2500,"currency":"usd","metadata":{"kintsugi_account":"Ann M"}}}}`
	refund := `{"id":"evt_2","type":"charge.refunded","data":{"object":{"id":"ch_1","amount_refunded":1000,"currency":"usd","payment_intent":"pi_1","metadata":{"kintsugi_account":"Ann M"}}}}`
	require.Equal(t, fault.Forbidden, fault.KindOf(tell(session, "another")))
	for _, other := range []string{strings.Replace(session, "cs_1", "cs_of_another_installation", 1), strings.Replace(refund, "pi_1", "pi_2", 1)} {
		require.NoError(t, tell(other, "whsec_secret_1"))
	}
	require.Contains(t, h.ok("usage", "balance", "Ann M"), "$25.00 paid")
	require.NoError(t, tell(session, "whsec_secret_1"))
	for range 2 {
		require.NoError(t, tell(refund, "whsec_secret_1"))
	}
	require.Contains(t, h.ok("usage", "balance", "Ann M"), "Balance     $15.00: $15.00 paid")
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}

// Usage is shown by day and workflow, with totals.
func TestUsageIsShownByDayAndWorkflow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", `async function main() { await web.getJSON('BASE/orders'); await kv.set('k', 1); }`)
	require.Contains(t, h.ok("usage", "list"), "Nothing was used from ")
	h.outside.answer("/orders", 200, `[]`)
	for range 2 {
		h.ok("workflow", "run", "--repair", "Orders")
	}
	require.Regexp(t, `(?s)^DAY +WORKFLOW +RUNS +FAILED +TIME +CALLS +TOKENS +COST\s+\d{4}-\d\d-\d\d +Orders +2 +0 +\S+ +4 +0 +\$0.00.*total +2 +0`, h.ok("usage", "list", "--workflow", "Orders"))
	total := h.object("usage", "list", "--owner", "")["total"].(map[string]any)
	require.InDelta(t, 2, total["runs"], 0)
	require.Equal(t, "usd", total["currency"])
	require.Empty(t, h.object("usage", "list", "--to", "2020-01-01", "--from", "2019-01-01")["days"])
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "list", "--from", "March").err, "is not a day")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "spent").err, "there is no command")
}
