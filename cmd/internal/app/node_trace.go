package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Traces are made from the log when something has come to its end: times are those of the events, and ids follow from
// the ids of runs and tasks. So a trace goes on after a crash, on another node, or weeks later when a person answers,
// and what is sent twice has the same id. Nothing that a script, a model or a person wrote is in it, but for names of
// hosts and tools.

// Tracing says whether traces are wanted: the variables are those of OpenTelemetry, and so are all others that say how.
func Tracing() bool {
	return os.Getenv("OTEL_SDK_DISABLED") != "true" &&
		(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "")
}

const (
	traceGroup     = "telemetry/traces" // in which nodes share the work, and keep how far it is
	traceExporters = 4                  // exports under way at once
	// traceAge is after how long what could not be exported is left out: who looks for it then finds it in the log.
	traceAge = time.Hour
	// traceCalls is how many calls of a run have a span.
	traceCalls = 500
)

// traceTypes are the events that end something that has a span.
var traceTypes = []string{run.TypeRunEnded, run.TypeExecutionCancelled, workflow.TypeMaintenanceExited, workflow.TypePlannerTaskClosed, thread.TypeMessageAppended, thread.TypeToolResulted}

// traces exports what comes to its end from now on, until ctx ends; where none are wanted it does nothing.
func (n *Node) traces(ctx context.Context) (err error) {
	if !Tracing() {
		<-ctx.Done()
		return nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})) // the group tries again
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exporter.Shutdown(context.WithoutCancel(ctx))) }()
	of, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "kintsugi"), attribute.String("service.instance.id", n.Name),
	), resource.WithFromEnv())
	if err != nil {
		return err
	}
	groups, err := n.State.open(ctx)
	if err != nil {
		return err
	}
	at, err := eventlog.CheckpointAt(ctx, n.Log, eventlog.End)
	if err != nil {
		return err
	}
	lease := 10 * time.Second
	if n.Address.Backend == SQLite { // no other node is there that could wake up late
		lease = time.Second
	}
	subscriber, err := watermillsub.New(watermillsub.Config{
		Log: n.Log, Groups: groups, Group: traceGroup, From: at.Position, Lease: lease, Logger: n.Logger,
		Fares:  func(ctx context.Context, err error) { n.upkeep.After(ctx, "reading for traces", err, false) },
		Noted:  func(context.Context) (*watermillsub.Place, error) { return &watermillsub.Place{Read: at}, nil }, // of a log that was restored, what happens from here on
		Filter: func(string) eventlog.Filter { return eventlog.Filter{Types: traceTypes} },
		Lane: func(_ context.Context, record eventlog.Record) (string, bool, error) {
			return record.Stream, domain.OwnStream(record.Stream), nil
		},
		Message: func(record eventlog.Record) (*message.Message, error) {
			made := message.NewMessage(record.ID, nil)
			made.Metadata = message.Metadata{"stream": record.Stream, "revision": strconv.FormatInt(record.Revision, 10)}
			return made, nil
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, subscriber.Close()) }()
	messages, err := subscriber.Subscribe(ctx, "spans")
	if err != nil {
		return err
	}
	tracer := &tracer{n: n, resource: of}
	var work sync.WaitGroup
	for range traceExporters {
		work.Go(func() {
			for one := range messages {
				err := panics.Guard(func() error { return tracer.export(ctx, exporter, one.Metadata) })
				if err == nil {
					one.Ack()
				} else {
					one.Nack()
				}
				if ctx.Err() == nil {
					n.upkeep.After(ctx, "exporting spans", err, false)
				}
				if err != nil && ctx.Err() == nil {
					n.Logger.Warn("a span is not exported, trying again", "stream", one.Metadata["stream"], "error", err)
				}
			}
		})
	}
	work.Wait()
	return nil
}

// tracer makes spans of events.
type tracer struct {
	n        *Node
	resource *resource.Resource
}

func (t *tracer) export(ctx context.Context, to sdk.SpanExporter, place message.Metadata) error {
	revision, err := strconv.ParseInt(place["revision"], 10, 64)
	if err != nil {
		return err
	}
	for recorded, err := range t.events(t.n.Log.Stream(ctx, place["stream"], revision)) {
		if err != nil {
			return err
		}
		if t.n.Now().Sub(recorded.Metadata.RecordedAt) > traceAge {
			return nil
		}
		spans, err := t.spans(ctx, recorded)
		if err != nil || len(spans) == 0 {
			return err
		}
		return to.ExportSpans(ctx, spans.Snapshots())
	}
	return nil
}

// events decodes; what cannot be read is left out, as it is by all who show it.
func (t *tracer) events(records func(func(eventlog.Record, error) bool)) func(func(event.Recorded, error) bool) {
	return func(yield func(event.Recorded, error) bool) {
		for record, err := range records {
			if err != nil {
				yield(event.Recorded{}, err)
				return
			}
			recorded, err := t.n.Commands.Show(record)
			if err != nil {
				continue
			}
			if !yield(recorded, nil) {
				return
			}
		}
	}
}

// spans are those that end with an event.
func (t *tracer) spans(ctx context.Context, ended event.Recorded) (tracetest.SpanStubs, error) {
	switch e := ended.Event.(type) {
	case run.RunEnded, run.ExecutionCancelled:
		return t.runSpans(ctx, ended)
	case workflow.MaintenanceExited:
		return t.maintenanceSpans(ctx, ended, e)
	case workflow.PlannerTaskClosed:
		return t.plannerSpan(ctx, ended, e)
	case thread.MessageAppended:
		if e.Usage == nil {
			return nil, nil
		}
		return t.chatSpan(ctx, ended, e)
	case thread.ToolResulted:
		return t.toolSpan(ctx, ended, e)
	}
	return nil, nil
}

// spanID of something is always the same.
func spanID(kind, of string) (id trace.SpanID) {
	sum := sha256.Sum256([]byte("kintsugi/span/" + kind + "/" + of))
	copy(id[:], sum[:])
	return id
}

// traceID of what began with a run, or with a task that no run led to.
func traceID(root string) (id trace.TraceID) {
	sum := sha256.Sum256([]byte("kintsugi/trace/" + root))
	copy(id[:], sum[:])
	return id
}

func contextOf(in trace.TraceID, id trace.SpanID) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: in, SpanID: id, TraceFlags: trace.FlagsSampled})
}

// span is one of a trace; a zero parent is none.
func (t *tracer) span(in trace.TraceID, id, parent trace.SpanID, name string, from, to time.Time, attributes ...attribute.KeyValue) tracetest.SpanStub {
	made := tracetest.SpanStub{
		Name: name, SpanContext: contextOf(in, id), SpanKind: trace.SpanKindInternal, StartTime: from, EndTime: to, Attributes: attributes,
		Resource: t.resource, InstrumentationScope: instrumentation.Scope{Name: "github.com/kintsugi-run/kintsugi"},
	}
	if parent.IsValid() {
		made.Parent = contextOf(in, parent)
	}
	return made
}

func failed(span *tracetest.SpanStub, kind string) {
	span.Status = sdk.Status{Code: codes.Error, Description: kind}
	span.Attributes = append(span.Attributes, attribute.String("error.type", kind))
}

// longestChain is how many continuations of one run are followed back.
const longestChain = 1000

// rootOf is what a trace began with: of a run the one that it continues, and so on; of anything else itself.
func (t *tracer) rootOf(ctx context.Context, id string) (string, error) {
	for range longestChain {
		before := ""
		for recorded, err := range t.events(t.n.Log.Stream(ctx, run.Stream(id), 0)) {
			if err != nil {
				return "", err
			}
			if e, is := recorded.Event.(run.RunStarted); is {
				before = e.Continues
			}
			break
		}
		if before == "" {
			break
		}
		id = before
	}
	return id, nil
}

func (t *tracer) traceOf(ctx context.Context, id string) (trace.TraceID, error) {
	root, err := t.rootOf(ctx, id)
	return traceID(root), err
}

func (t *tracer) runSpans(ctx context.Context, ended event.Recorded) (tracetest.SpanStubs, error) {
	var history []event.Recorded
	for recorded, err := range t.events(t.n.Log.Stream(ctx, ended.Stream, 0)) {
		if err != nil {
			return nil, err
		}
		if history = append(history, recorded); recorded.Revision == ended.Revision {
			break
		}
	}
	if len(history) == 0 {
		return nil, nil
	}
	started, is := history[0].Event.(run.RunStarted)
	if !is || workflow.Trigger(started.Trigger) == workflow.TriggerImport {
		return nil, nil // it ran elsewhere
	}
	in, err := t.traceOf(ctx, started.Run)
	if err != nil {
		return nil, err
	}
	calls := projections.CallsOf(history)
	var parent trace.SpanID
	if started.Continues != "" {
		parent = spanID("run", started.Continues)
	}
	own := t.span(in, spanID("run", started.Run), parent, "run", calls.Started, ended.Metadata.RecordedAt,
		attribute.String("kintsugi.workflow.id", started.Workflow), attribute.String("kintsugi.run.id", started.Run),
		attribute.String("kintsugi.version", started.Version), attribute.String("kintsugi.trigger", started.Trigger))
	if e, is := ended.Event.(run.RunEnded); is && e.Failure != nil {
		failed(&own, string(e.Failure.Class))
	}
	spans := tracetest.SpanStubs{own}
	for _, call := range calls.Calls[:min(len(calls.Calls), traceCalls)] {
		if call.From != "" {
			continue // it was made by the run before
		}
		spans = append(spans, t.callSpan(in, started.Run, calls.Started, call))
	}
	return spans, nil
}

func (t *tracer) callSpan(in trace.TraceID, of string, began time.Time, call projections.Call) tracetest.SpanStub {
	from := began.Add(time.Duration(call.StartMS) * time.Millisecond)
	span := t.span(in, spanID("call", of+"/"+strconv.Itoa(call.Seq)), spanID("run", of), call.Tool, from, from.Add(time.Duration(call.TookMS)*time.Millisecond),
		attribute.String("kintsugi.call.effect", call.Effect), attribute.String("kintsugi.call.state", string(call.State)), attribute.Int("kintsugi.call.seq", call.Seq))
	if call.Host != "" {
		span.SpanKind = trace.SpanKindClient
		span.Attributes = append(span.Attributes, attribute.String("http.request.method", call.Method), attribute.String("server.address", call.Host))
	}
	if call.Status != 0 {
		span.Attributes = append(span.Attributes, attribute.Int("http.response.status_code", call.Status))
	}
	if call.State == projections.CallFailed {
		failed(&span, string(call.Class))
	}
	return span
}

// maintenanceSpans are a maintenance and the fixes that were proposed in it.
func (t *tracer) maintenanceSpans(ctx context.Context, ended event.Recorded, exit workflow.MaintenanceExited) (tracetest.SpanStubs, error) {
	var between []event.Recorded // from its beginning
	var entered *workflow.MaintenanceEntered
	for recorded, err := range t.events(t.n.Log.StreamBackward(ctx, ended.Stream, ended.Revision)) {
		if err != nil {
			return nil, err
		}
		between = append(between, recorded)
		if e, is := recorded.Event.(workflow.MaintenanceEntered); is && e.Task == exit.Task {
			entered = &e
			break
		}
	}
	if entered == nil {
		return nil, nil
	}
	slices.Reverse(between)
	in, err := t.traceOf(ctx, entered.Run)
	if err != nil {
		return nil, err
	}
	task := spanID("task", exit.Task)
	own := t.span(in, task, spanID("run", entered.Run), "maintenance", between[0].Metadata.RecordedAt, ended.Metadata.RecordedAt,
		attribute.String("kintsugi.workflow.id", strings.TrimPrefix(ended.Stream, workflow.StreamPrefix)), attribute.String("kintsugi.task.id", exit.Task),
		attribute.String("kintsugi.version", entered.Base.String()), attribute.Int("kintsugi.attempt", entered.Attempt), attribute.String("kintsugi.outcome", exit.Why))
	if exit.Why == "escalated" {
		failed(&own, exit.Why)
	}
	return append(tracetest.SpanStubs{own}, t.fixSpans(in, task, exit.Task, between)...), nil
}

// fixSpans are the fixes of a task, each from its proposal to what was said of it last.
func (t *tracer) fixSpans(in trace.TraceID, parent trace.SpanID, task string, history []event.Recorded) tracetest.SpanStubs {
	var spans tracetest.SpanStubs
	at := map[string]int{}
	says := func(proposal string, when time.Time, key, value string) {
		if i, known := at[proposal]; known {
			spans[i].EndTime = when
			spans[i].Attributes = append(spans[i].Attributes, attribute.String(key, value))
		}
	}
	for _, one := range history {
		when := one.Metadata.RecordedAt
		switch e := one.Event.(type) {
		case workflow.FixProposed:
			if e.Task == task {
				at[e.Proposal] = len(spans)
				spans = append(spans, t.span(in, spanID("fix", e.Proposal), parent, "fix", when, when,
					attribute.String("kintsugi.fix.id", e.Proposal), attribute.String("kintsugi.fixer", e.Fixer.Kind)))
			}
		case workflow.FixVerified:
			says(e.Proposal, when, "kintsugi.verdict", string(e.Verification.Verdict))
		case workflow.FixHeld:
			says(e.Proposal, when, "kintsugi.held", "true")
		case workflow.FixApplied:
			says(e.Proposal, when, "kintsugi.outcome", "applied")
		case workflow.FixAccepted:
			says(e.Proposal, when, "kintsugi.outcome", "accepted")
		case workflow.FixDeclined:
			says(e.Proposal, when, "kintsugi.outcome", "declined")
		case workflow.FixRejectedDifferent:
			says(e.Proposal, when, "kintsugi.outcome", "different")
		case workflow.FixRejectedStale:
			says(e.Proposal, when, "kintsugi.outcome", "stale")
		}
	}
	return spans
}

func (t *tracer) plannerSpan(ctx context.Context, ended event.Recorded, closed workflow.PlannerTaskClosed) (tracetest.SpanStubs, error) {
	for recorded, err := range t.events(t.n.Log.StreamBackward(ctx, ended.Stream, ended.Revision)) {
		if err != nil {
			return nil, err
		}
		if e, is := recorded.Event.(workflow.PlannerTaskOpened); is && e.Task == closed.Task {
			return tracetest.SpanStubs{t.span(traceID(closed.Task), spanID("task", closed.Task), trace.SpanID{}, "plan", recorded.Metadata.RecordedAt, ended.Metadata.RecordedAt,
				attribute.String("kintsugi.workflow.id", strings.TrimPrefix(ended.Stream, workflow.StreamPrefix)), attribute.String("kintsugi.task.id", closed.Task))}, nil
		}
	}
	return nil, nil
}

// ofThread is the thread that an event is in, and the trace of its task.
func (t *tracer) ofThread(ctx context.Context, recorded event.Recorded) (opened thread.ThreadOpened, in trace.TraceID, err error) {
	for first, err := range t.events(t.n.Log.Stream(ctx, recorded.Stream, 0)) {
		if err != nil {
			return opened, in, err
		}
		e, is := first.Event.(thread.ThreadOpened)
		if !is {
			return opened, in, fmt.Errorf("app: %s does not begin with %s", recorded.Stream, thread.TypeThreadOpened)
		}
		opened = e
		break
	}
	in = traceID(opened.Task)
	if opened.Kind == projections.KindMaintainer {
		in, err = t.traceOf(ctx, recorded.Metadata.CorrelationID) // the failed run
	}
	return opened, in, err
}
