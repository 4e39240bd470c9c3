package projections_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/projections"
)

// The waterfall is the run's stream: when each call went out and for how long, what it was about without its
// secrets, how large, how often it was tried before, and what became of it.
func TestCallsOfARun(t *testing.T) {
	t.Parallel()
	var history []event.Recorded
	at := func(ms int64, events ...event.Event) {
		for _, one := range events {
			history = append(history, event.Recorded{Event: one, Metadata: event.Metadata{RecordedAt: noon.Add(time.Duration(ms) * time.Millisecond)}})
		}
	}
	called := func(seq int, tool, args string) run.ToolCalled {
		return run.ToolCalled{Seq: seq, Tool: tool, Args: json.RawMessage(args), Effect: run.EffectRead}
	}
	fetch := `["https://API.example.test/orders?key={{secret:SHOP}}",{"method":"head","headers":{"x":"{{secret:SHOP}} {{secret:OTHER}}"}}]`
	at(0, run.RunStarted{Run: "r", Workflow: "w"})
	refused := &run.CallError{Class: failure.Network, Name: "NetworkError", Message: "busy", Status: 503}
	at(400, called(1, "web.fetch", fetch), run.ToolReturned{Seq: 1, Error: refused, MS: 300}) // a read is journaled when it came back
	at(600, called(2, "web.fetch", fetch), run.ToolReturned{Seq: 2, Result: json.RawMessage(`{"status":204,"body":""}`), MS: 100})
	at(700, run.ToolCalled{Seq: 3, Tool: "web.postJSON", Args: json.RawMessage(`["https://api.example.test",{"method":"PUT"}]`), Effect: run.EffectWrite, Key: "k"})
	at(900, run.ToolReturned{Seq: 3, Text: `{"id":`, More: true}, run.ToolReturned{Seq: 3, Part: 1, Text: `7}`, MS: 200})
	at(900, run.ToolCalled{Seq: 4, Tool: "kv.set", Args: json.RawMessage(`["cursor",{"day":3}]`), Effect: run.EffectWrite, From: "earlier"},
		run.ToolReturned{Seq: 4, Result: json.RawMessage(`null`), MS: 50})
	at(1000, called(5, "ask", `["Go on?\nReally"]`), run.AnswerAwaited{Seq: 5, Question: "Go on?"})
	at(5000, run.RunLeaseExtended{})

	calls := projections.CallsOf(history)
	require.Equal(t, int64(5000), calls.MS)
	require.False(t, calls.Ended)
	require.Equal(t, []projections.Call{
		{
			Seq: 1, Tool: "web.fetch", Effect: "read", Method: "HEAD", Host: "api.example.test", Path: "/orders?key=(SHOP)", StartMS: 100, TookMS: 300,
			State: projections.CallFailed, Status: 503, Class: failure.Network, Problem: "NetworkError: busy", Sent: len(fetch), Secrets: []string{"SHOP", "OTHER"},
		},
		{
			Seq: 2, Tool: "web.fetch", Effect: "read", Method: "HEAD", Host: "api.example.test", Path: "/orders?key=(SHOP)", StartMS: 500, TookMS: 100,
			State: projections.CallAnswered, Status: 204, Sent: len(fetch), Received: 24, Retries: 1, Secrets: []string{"SHOP", "OTHER"},
		},
		{
			Seq: 3, Tool: "web.postJSON", Effect: "write", Method: "POST", Host: "api.example.test", Path: "/", StartMS: 700, TookMS: 200,
			State: projections.CallAnswered, Sent: 45, Received: 8,
		},
		{Seq: 4, Tool: "kv.set", Effect: "write", Target: "cursor", StartMS: 900, TookMS: 50, State: projections.CallAnswered, Sent: 20, Received: 4, From: "earlier"},
		{Seq: 5, Tool: "ask", Effect: "read", Target: "Go on?", StartMS: 1000, TookMS: 4000, State: projections.CallAsking, Sent: 18},
	}, calls.Calls)

	at(6000, run.AnswerGiven{Seq: 5, Answer: json.RawMessage(`"yes"`), MS: 5000}, run.RunEnded{})
	calls = projections.CallsOf(history)
	require.True(t, calls.Ended)
	require.Equal(t, projections.CallAnswered, calls.Calls[4].State)
	require.Equal(t, []int64{1000, 5000}, []int64{calls.Calls[4].StartMS, calls.Calls[4].TookMS})
	require.Empty(t, projections.CallsOf(nil).Calls)
	require.NotNil(t, projections.CallsOf(nil).Calls)
}
