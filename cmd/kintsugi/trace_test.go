package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// otlpReceiver takes spans over OTLP/HTTP, as a collector does.
type otlpReceiver struct {
	t      *testing.T
	server *httptest.Server
	mu     sync.Mutex
	spans  map[string]*otlp.Span // by id
	bodies []string
}

func newOTLPReceiver(t *testing.T) *otlpReceiver {
	t.Helper()
	r := &otlpReceiver{t: t, spans: map[string]*otlp.Span{}}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var sent collector.ExportTraceServiceRequest
		if err != nil || request.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies = append(r.bodies, string(body))
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					r.spans[string(span.SpanId)] = span
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(r.server.Close)
	return r
}

// dev starts a server that exports to the receiver.
func (r *otlpReceiver) dev(h *home, args ...string) *runningCommand {
	command := h.command(append([]string{"dev"}, args...)...)
	command.Env = append(command.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+r.server.URL)
	p := h.started(command)
	p.says("Stop with Ctrl-C")
	return p
}

// await waits for so many spans of a name, and gives them in the order they began.
func (r *otlpReceiver) await(name string, count int) []*otlp.Span {
	r.t.Helper()
	var found []*otlp.Span
	require.Eventually(r.t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		found = nil
		for _, span := range r.spans {
			if strings.HasPrefix(span.Name, name) {
				found = append(found, span)
			}
		}
		return len(found) >= count
	}, patience, 10*time.Millisecond, "waiting for %d spans %q", count, name)
	require.Len(r.t, found, count)
	return found
}

func attributesOf(span *otlp.Span) map[string]string {
	found := map[string]string{}
	for _, one := range span.Attributes {
		found[one.Key] = one.Value.GetStringValue()
	}
	return found
}

// A run, its calls, its maintenance, the fix and the run that goes on are one trace, although the server was killed
// between the failure and the repair; and nothing of what they said is in it.
func TestARepairIsOneTrace(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.ok("autofix", "off", "--all")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	receiver := newOTLPReceiver(t)
	killed := receiver.dev(h)
	h.ends(terminal.ExitRunFailed, "workflow", "run", "--repair", "Orders", "--input", day(9))
	failed := receiver.await("run", 1)[0]
	require.NoError(t, killed.command.Process.Kill())
	<-killed.ended

	h.ok("autofix", "on", "--all")
	again := receiver.dev(h)
	task := receiver.await("maintenance", 1)[0]
	fix := receiver.await("fix", 1)[0]
	runs := receiver.await("run", 2)
	calls := receiver.await("web.getJSON", 1)
	again.interrupt()
	require.Equal(t, terminal.ExitOK, again.wait())

	require.Empty(t, failed.ParentSpanId, "the trace begins with it")
	require.Equal(t, otlp.Status_STATUS_CODE_ERROR, failed.Status.Code)
	require.Equal(t, "logic", attributesOf(failed)["error.type"])
	require.Equal(t, failed.SpanId, task.ParentSpanId)
	require.Equal(t, task.SpanId, fix.ParentSpanId)
	require.Equal(t, "identical", attributesOf(fix)["kintsugi.verdict"])
	require.Equal(t, "applied", attributesOf(fix)["kintsugi.outcome"])
	for _, one := range append(append(runs, calls...), task, fix) {
		require.Equal(t, failed.TraceId, one.TraceId, one.Name)
		require.LessOrEqual(t, one.StartTimeUnixNano, one.EndTimeUnixNano, one.Name)
		if one.Name == "run" && string(one.SpanId) != string(failed.SpanId) {
			require.Equal(t, failed.SpanId, one.ParentSpanId, "it continues the failed one")
			require.Equal(t, otlp.Status_STATUS_CODE_UNSET, one.Status.GetCode())
		}
	}
	require.Equal(t, failed.SpanId, calls[0].ParentSpanId)
	require.Equal(t, "GET", attributesOf(calls[0])["http.request.method"])
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	require.NotContains(t, strings.Join(receiver.bodies, ""), "amount", "payloads are not exported")
}

// The trace of a task has the model's answers, its calls of tools, and their cost.
func TestAgentsAreTraced(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t, llmtest.Call("save", map[string]any{"code": greeting, "comment": "greets"}), llmtest.Text("It greets."))
	h.ok("workflow", "create", "hello")
	receiver := newOTLPReceiver(t)
	p := receiver.dev(h, h.asks(server)...)
	h.ok(h.asks(server, "plan", "hello", "greet me", "--detach")...)
	plan := receiver.await("plan", 1)[0]
	chats := receiver.await("chat ", 2)
	tool := receiver.await("execute_tool save", 1)[0]
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait())
	for _, one := range append(chats, tool) {
		require.Equal(t, plan.TraceId, one.TraceId)
		require.Equal(t, plan.SpanId, one.ParentSpanId)
		require.Equal(t, "planner", attributesOf(one)["gen_ai.agent.name"])
	}
	require.Equal(t, "chat", attributesOf(chats[0])["gen_ai.operation.name"])
	require.NotEmpty(t, attributesOf(chats[0])["gen_ai.response.model"])
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	require.NotContains(t, strings.Join(receiver.bodies, ""), "greet", "what was said is not exported")
}

// A collector that is away holds nothing up, and gets what it missed when it is back.
func TestACollectorThatIsAway(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Once", "function main() { return 1 }")
	receiver := newOTLPReceiver(t)
	var refuse sync.Mutex
	refused := 0
	taking := receiver.server.Config.Handler
	receiver.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse.Lock()
		refused++
		away := refused <= 3
		refuse.Unlock()
		if away {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		taking.ServeHTTP(w, r)
	})
	p := receiver.dev(h)
	h.ok("workflow", "run", "--repair", "Once")
	receiver.await("run", 1)
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait())
}
