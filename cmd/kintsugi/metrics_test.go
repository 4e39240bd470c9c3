package main

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/secret/statestore"
)

// node opens the data directory as the server does.
func (h *home) node() *app.Node {
	h.t.Helper()
	address, err := app.ParseStore(h.store, h.dir)
	require.NoError(h.t, err)
	n, err := app.Open(h.t.Context(), h.dir, address, app.ViewsPlace{}, app.CommandPatience, slog.New(slog.DiscardHandler))
	require.NoError(h.t, err)
	h.t.Cleanup(func() { require.NoError(h.t, n.Close()) })
	require.NoError(h.t, n.Views.CatchUp(h.t.Context()))
	return n
}

// scraped is what Prometheus reads of a handler, by name with labels.
func scraped(t *testing.T, metrics http.Handler) map[string]float64 {
	t.Helper()
	answer := httptest.NewRecorder()
	metrics.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	found := map[string]float64{}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		at := strings.LastIndexByte(lines.Text(), ' ')
		if strings.HasPrefix(lines.Text(), "#") || at < 0 {
			continue
		}
		value, err := strconv.ParseFloat(lines.Text()[at+1:], 64)
		require.NoError(t, err, lines.Text())
		found[lines.Text()[:at]] = value
	}
	return found
}

// A real run, its failure and its repair move the counters that speak of them, and what a person does after that, too.
func TestMetricsOfARepair(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	n := h.node()
	before := scraped(t, n.Health.Metrics())
	require.InDelta(t, 4, before[`kintsugi_runs_total{outcome="succeeded"}`], 0)
	require.Contains(t, before, `kintsugi_runs_total{outcome="failed"}`, "what has not happened is counted, too")

	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(9))
	lagging := scraped(t, n.Health.Metrics())
	require.Positive(t, lagging["kintsugi_views_lag_events"])
	require.NoError(t, n.Views.CatchUp(t.Context()))
	after := scraped(t, n.Health.Metrics())
	for name, more := range map[string]float64{
		`kintsugi_runs_total{outcome="succeeded"}`:                       1,
		`kintsugi_runs_total{outcome="failed"}`:                          1,
		`kintsugi_run_failures_total{class="logic"}`:                     1,
		`kintsugi_run_failures_total{class="network"}`:                   0,
		`kintsugi_fix_verdicts_total{verdict="identical"}`:               1,
		`kintsugi_fixes_total{state="applied"}`:                          1,
		`kintsugi_fixes_total{state="confirmed"}`:                        1,
		`kintsugi_fixes_total{state="held"}`:                             0,
		`kintsugi_maintenance_total{event="entered"}`:                    1,
		`kintsugi_maintenance_total{event="escalated"}`:                  0,
		`kintsugi_workflows_troubled{status="maintenance"}`:              0,
		`kintsugi_append_seconds_count{outcome="ok"}`:                    0,
		`kintsugi_append_seconds_count{outcome="conflict"}`:              0,
		`kintsugi_model_cost_usd_total{agent="maintainer"}`:              0,
		`kintsugi_runs_open{status="admitted"}`:                          0,
		`kintsugi_agent_tasks_open{state="working"}`:                     0,
		`kintsugi_scrape_success{part="views"}`:                          0,
		`kintsugi_model_tokens_total{agent="planner",direction="input"}`: 0,
	} {
		require.Contains(t, after, name)
		require.InDelta(t, before[name]+more, after[name], 0, name)
	}
	for _, one := range []string{"process", "views", "counts", "subscriptions"} {
		require.InDelta(t, 1, after[`kintsugi_scrape_success{part="`+one+`"}`], 0, one)
	}
	require.InDelta(t, 1, after["kintsugi_views_live"], 0)
	require.Zero(t, after["kintsugi_views_lag_events"])
	require.Positive(t, after["kintsugi_disk_free_bytes"])

	id := h.objects("workflow", "list")[0]["id"].(string)
	_, err := n.Commands.PauseWorkflow(t.Context(), id, workflow.Pause{}, app.By("person:ann"))
	require.NoError(t, err)
	require.InDelta(t, 1, scraped(t, n.Health.Metrics())[`kintsugi_append_seconds_count{outcome="ok"}`], 0, "appends of this process")
}

// Requests are measured by method and status, and by nothing that a caller can make up.
func TestMetricsOfRequests(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	n := h.node()
	served := n.Health.Measured(http.NotFoundHandler())
	for _, method := range []string{http.MethodGet, http.MethodGet, "MADEUP", "INVENTED"} {
		served.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "/nothing", nil))
	}
	found := scraped(t, n.Health.Metrics())
	require.InDelta(t, 2, found[`kintsugi_http_request_seconds_count{code="404",method="get"}`], 0)
	require.InDelta(t, 2, found[`kintsugi_http_request_seconds_count{code="404",method="unknown"}`], 0)
}

// Each subscription has its lag and its dead letters.
func TestMetricsOfSubscriptions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main() { return 1 }")
	h.ok("subscription", "add", "audit", "--to", "exec:/bin/true", "--from", "start")
	h.ok("subscription", "pause", "audit")
	h.ok("subscription", "add", "lost", "--to", "exec:/bin/true", "--from", "start")
	groups, err := statestore.OpenSQLite(t.Context(), filepath.Join(h.dir, app.StateFile))
	require.NoError(t, err)
	claim, _, err := groups.Claim(t.Context(), "subscription/lost/1/events", time.Minute)
	require.NoError(t, err)
	require.NoError(t, errors.Join(groups.Release(t.Context(), "subscription/lost/1/events", claim.Token,
		fmt.Appendf(nil, `{"read":{"position":"%s","stream":"workflow-x","revision":7,"event_id":"%s"}}`, eventlog.PositionOf(9), app.NewID())), groups.Close()))
	found := scraped(t, h.node().Health.Metrics())
	require.Positive(t, found[`kintsugi_subscription_lag_events{subscription="audit"}`])
	require.Contains(t, found, `kintsugi_subscription_dead_letters{subscription="audit"}`)
	require.InDelta(t, 1, found[`kintsugi_subscription_paused{subscription="audit"}`], 0)
	require.InDelta(t, 0, found[`kintsugi_subscription_lost{subscription="audit"}`], 0)
	require.InDelta(t, 1, found[`kintsugi_subscription_lost{subscription="lost"}`], 0, "a place of another log is no place")
	require.Positive(t, found[`kintsugi_subscription_lag_events{subscription="lost"}`], "and is not taken for being up to date")
	listed := h.object("subscription", "show", "lost")
	require.Equal(t, "lost", listed["state"])
	require.Contains(t, listed["last_error"], "kintsugi subscription replay lost --from")
	check := h.examined(terminal.ExitFailure)["subscriptions"]
	require.Equal(t, app.CheckFail, check.Status)
	require.Contains(t, check.Do, "subscription replay NAME --from")
	h.ok("subscription", "replay", "lost", "--from", "now")
	require.Equal(t, app.CheckOK, h.examined(terminal.ExitOK)["subscriptions"].Status)
}
