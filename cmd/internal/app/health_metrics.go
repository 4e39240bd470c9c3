package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Events of this process are measured as they happen; the log's content is read from views when somebody asks, so
// that it is the same on every node, and goes on after a restart. No label comes from what people or scripts write,
// but for the names of subscriptions, of which the first are named.

// newAppendTimes measures appends: from a tenth of a millisecond, which is a file, to ten seconds, which is a server that
// is away.
func newAppendTimes() *prometheus.HistogramVec {
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "kintsugi_append_seconds", Help: "How long appends of this process to the event log took.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"outcome"})
	for _, outcome := range []string{"ok", "conflict", "full", "error"} {
		took.WithLabelValues(outcome)
	}
	return took
}

// appendOutcome is what an append came to: a conflict is no trouble, its command decides again.
func appendOutcome(err error) string {
	_, conflict := errors.AsType[*eventlog.ConflictError](err)
	switch {
	case err == nil:
		return "ok"
	case conflict:
		return "conflict"
	case errors.Is(err, eventlog.ErrFull):
		return "full"
	}
	return "error"
}

func newRequestTimes() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "kintsugi_http_request_seconds", Help: "How long requests over HTTP took, by method and status.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "code"})
}

// Measured measures what a handler answers, for [Health.Metrics]. Streams that are kept open are measured to their end.
func (h *Health) Measured(next http.Handler) http.Handler {
	return promhttp.InstrumentHandlerDuration(h.requests, next)
}

// scrapePatience bounds what one request for metrics takes.
const scrapePatience = 5 * time.Second

// Metrics answers in the form of Prometheus.
func (h *Health) Metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector(),
		h.Log.took, h.requests, nodeCollector{h},
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(h.Logger.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 2,
	})
}

// nodeCollector reads what the log says of an installation.
type nodeCollector struct{ *Health }

func metric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("kintsugi_"+name, help, labels, nil)
}

var (
	metricRuns        = metric("runs_total", "Runs that ended, by outcome.", "outcome")
	metricFailures    = metric("run_failures_total", "Runs that failed, by the class of their error.", "class")
	metricVerdicts    = metric("fix_verdicts_total", "What the gate said of fixes, by verdict.", "verdict")
	metricFixes       = metric("fixes_total", "Fixes, by what became of them.", "state")
	metricMaintenance = metric("maintenance_total", "Maintenances, entered and escalated.", "event")
	metricTokens      = metric("model_tokens_total", "Tokens of language models, by agent and direction.", "agent", "direction")
	metricCost        = metric("model_cost_usd_total", "What agents cost in US dollars, where the price is known.", "agent")
	metricRunsOpen    = metric("runs_open", "Runs that have not ended, by status. Admitted ones are due and have not begun.", "status")
	metricTasks       = metric("agent_tasks_open", "Tasks of agents that are not done, by state. Those that work have an agent.", "state")
	metricWorkflows   = metric("workflows_troubled", "Workflows that do not run as they should, by status.", "status")
	metricInputs      = metric("inputs_queued", "Inputs that wait to become a run.")
	metricViewsLive   = metric("views_live", "Whether this node answers questions: 0 while its views are built.")
	metricViewsEvents = metric("views_lag_events", "Events that the views of this node do not show yet, counted up to 1000.")
	metricViewsTime   = metric("views_lag_seconds", "How old the first event is that the views of this node do not show yet.")
	metricAside       = metric("streams_quarantined", "Streams that cannot be read, and are set aside.")
	metricSubLag      = metric("subscription_lag_events", "Events that a subscription has not taken.", "subscription")
	metricSubDead     = metric("subscription_dead_letters", "Events that a subscription gave up, and that wait for a person.", "subscription")
	metricSubFailing  = metric("subscription_failing_workflows", "Workflows with an event that is tried again.", "subscription")
	metricSubLeftOut  = metric("subscription_left_out_events", "Events that the filter of a subscription has left out since its deliveries began.", "subscription")
	metricSubPaused   = metric("subscription_paused", "Whether a subscription is paused.", "subscription")
	metricSubLost     = metric("subscription_lost", "Whether it is not known where a subscription is, so that nothing is delivered to it.", "subscription")
	metricDiskFree    = metric("disk_free_bytes", "Room on the disk of the data directory.")
	metricDiskFull    = metric("storage_full", "Whether appends are refused, as the storage is full.")
	metricScrape      = metric("scrape_success", "Whether a part of these metrics could be read.", "part")
)

// Describe implements [prometheus.Collector].
func (c nodeCollector) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{
		metricRuns, metricFailures, metricVerdicts, metricFixes, metricMaintenance, metricTokens, metricCost, metricRunsOpen, metricTasks,
		metricWorkflows, metricInputs, metricViewsLive, metricViewsEvents, metricViewsTime, metricAside, metricSubLag, metricSubDead,
		metricSubFailing, metricSubLeftOut, metricSubPaused, metricSubLost, metricDiskFree, metricDiskFull, metricScrape,
	} {
		to <- one
	}
}

// Collect implements [prometheus.Collector]. A part that cannot be read is left out, and kintsugi_scrape_success says so: the
// rest is most wanted just then.
func (c nodeCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapePatience)
	defer cancel()
	out := emitter{to}
	for _, part := range []struct {
		name    string
		collect func(context.Context, emitter) error
	}{{"process", c.process}, {"views", c.views}, {"counts", c.counts}, {"subscriptions", c.subscriptions}} {
		err := part.collect(ctx, out)
		out.gauge(metricScrape, truth(err == nil), part.name)
		if err != nil {
			c.Logger.Warn("some metrics cannot be read", "part", part.name, "error", err)
		}
	}
}

type emitter struct{ to chan<- prometheus.Metric }

func (e emitter) gauge(of *prometheus.Desc, value float64, labels ...string) {
	e.to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
}

func (e emitter) count(of *prometheus.Desc, value float64, labels ...string) {
	e.to <- prometheus.MustNewConstMetric(of, prometheus.CounterValue, value, labels...)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (c nodeCollector) process(_ context.Context, out emitter) error {
	out.gauge(metricDiskFull, truth(c.Log.room.isFull()))
	free, _, err := room(c.Dir)
	if err == nil {
		out.gauge(metricDiskFree, float64(free))
	}
	return err
}

// lagCounted is how many events a lag is counted to.
const lagCounted = 1000

func (c nodeCollector) views(ctx context.Context, out emitter) error {
	live, _ := c.Views.Live()
	out.gauge(metricViewsLive, truth(live))
	events, oldest := 0, time.Duration(0)
	for record, err := range c.Log.All(ctx, c.Views.Position(), eventlog.Everything) {
		if err != nil {
			return err
		}
		if events++; events == 1 {
			oldest = max(c.Now().Sub(record.RecordedAt), 0)
		}
		if events == lagCounted {
			break
		}
	}
	out.gauge(metricViewsEvents, float64(events))
	out.gauge(metricViewsTime, oldest.Seconds())
	if !live {
		return nil
	}
	aside, err := c.Views.Aside(ctx)
	if err == nil {
		out.gauge(metricAside, float64(len(aside)))
	}
	return err
}

func (c nodeCollector) counts(ctx context.Context, out emitter) error {
	if live, _ := c.Views.Live(); !live {
		return nil // kintsugi_views_live says so
	}
	tallies, err := c.Queries.Tallies(ctx)
	if err != nil {
		return err
	}
	for kind, of := range map[string]*prometheus.Desc{
		projections.TallyRun: metricRuns, projections.TallyFailure: metricFailures, projections.TallyVerdict: metricVerdicts,
		projections.TallyFix: metricFixes, projections.TallyMaintenance: metricMaintenance,
	} {
		for label, count := range tallies[kind] {
			out.count(of, float64(count), label)
		}
	}
	for label, count := range tallies[projections.TallyTokens] {
		agent, direction, _ := strings.Cut(label, "_")
		out.count(metricTokens, float64(count), agent, direction)
	}
	for agent, micros := range tallies[projections.TallyMicros] {
		out.count(metricCost, float64(micros)/1e6, agent)
	}
	waiting, err := c.Queries.Waiting(ctx)
	if err != nil {
		return err
	}
	for status, count := range waiting.Runs {
		out.gauge(metricRunsOpen, float64(count), string(status))
	}
	for state, count := range waiting.Tasks {
		out.gauge(metricTasks, float64(count), string(state))
	}
	for status, count := range waiting.Workflows {
		out.gauge(metricWorkflows, float64(count), string(status))
	}
	out.gauge(metricInputs, float64(waiting.Inputs))
	return nil
}

// namedSubscriptions is how many subscriptions have metrics of their own; the rest are counted as one.
const (
	namedSubscriptions = 100
	otherSubscriptions = "(others)"
)

func (c nodeCollector) subscriptions(ctx context.Context, out emitter) error {
	all, err := c.Subscriptions.List(ctx)
	if err != nil {
		return err
	}
	var rest Subscription
	paused, lost := 0, 0
	for i, one := range all {
		if i >= namedSubscriptions {
			rest.Lag, rest.DeadLetters, rest.Failing = rest.Lag+one.Lag, rest.DeadLetters+one.DeadLetters, rest.Failing+one.Failing
			rest.LeftOut += one.LeftOut
			if one.State == "paused" {
				paused++
			}
			if one.State == lostPlace {
				lost++
			}
			continue
		}
		subscriptionMetrics(out, one, one.Name, truth(one.State == "paused"), truth(one.State == lostPlace))
	}
	if len(all) > namedSubscriptions {
		subscriptionMetrics(out, rest, otherSubscriptions, float64(paused), float64(lost))
	}
	return nil
}

func subscriptionMetrics(out emitter, one Subscription, name string, paused, lost float64) {
	out.gauge(metricSubLag, float64(one.Lag), name)
	out.gauge(metricSubDead, float64(one.DeadLetters), name)
	out.gauge(metricSubFailing, float64(one.Failing), name)
	out.gauge(metricSubLeftOut, float64(one.LeftOut), name)
	out.gauge(metricSubPaused, paused, name)
	out.gauge(metricSubLost, lost, name)
}
