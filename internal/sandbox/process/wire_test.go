package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var wireExecution = sandbox.Execution{
	Code: "function main() {}", Input: json.RawMessage(`{"a":1}`), Seed: "r1",
	Clock: time.Date(2026, 3, 2, 7, 0, 0, 5, time.UTC), Zone: "Europe/Berlin", Around: "(main) => main",
	Limits: sandbox.Limits{Wall: time.Second, CPU: 2, Memory: 3, Calls: 4, LogBytes: 5, ResultBytes: 6},
	Journal: []sandbox.Entry{
		{Tool: "web.getJSON", Args: json.RawMessage(`["u"]`), Effect: sandbox.Read, Result: json.RawMessage(`null`), MS: 7},
		{Tool: "notify", Args: json.RawMessage(`[]`), Effect: sandbox.Write, Error: &sandbox.Error{
			Class: sandbox.ClassNetwork, Name: "n", Code: "c", Message: "m", Stack: "s", Tool: "t", Status: -1, Body: "b", Host: "h",
			RetryAfterMS: 9, Strict: "x", Loose: "y", Frames: []sandbox.Frame{{Function: "f", Line: 1, Column: 2}, {Line: 3, Column: 4}},
		}},
	},
}

// Rule: what one end sends is what the other gets.
func TestWire(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	frame := newFrame(frameExecute)
	frame.execution(&wireExecution, wireExecution.Code)
	require.NoError(t, writeFrame(&pipe, frame))
	kind, payload, err := readFrame(&pipe)
	require.NoError(t, err)
	require.Equal(t, frameExecute, kind)
	require.Equal(t, wireExecution, payload.execution())
	require.NoError(t, payload.end())

	reply := sandbox.Reply{Result: json.RawMessage(`1`), MS: 3, Opaque: true, Error: &sandbox.Error{Class: "x"}}
	stop := &sandbox.Error{Class: sandbox.ClassInternal, Code: sandbox.CodeUnanswerable}
	for _, stop := range []*sandbox.Error{nil, stop} {
		frame = newFrame(frameAnswer)
		frame.answer(reply, stop)
		gotReply, gotStop := (&decoder{b: frame.b[5:]}).answer()
		require.Equal(t, reply, gotReply)
		require.Equal(t, stop, gotStop)
	}

	live := sandbox.Reply{Result: json.RawMessage(`"live"`)}
	outcome := sandbox.Outcome{
		Output: json.RawMessage(`{}`), Error: &sandbox.Error{Class: sandbox.ClassLogic}, VirtualMS: 5,
		Calls: []sandbox.TracedCall{
			{Call: sandbox.Call{Seq: 1, Tool: "web.getJSON", Args: json.RawMessage(`["u"]`), Effect: sandbox.Read, Line: 3, Column: 7}, Reply: wireExecution.Journal[0].Reply(), Journal: 0},
			{Call: sandbox.Call{Seq: 3, Tool: "notify", Args: json.RawMessage(`[ ]`), Effect: sandbox.Write, At: 9}, Reply: wireExecution.Journal[1].Reply(), Journal: 1},
			{Call: sandbox.Call{Seq: 2, Tool: "kv.get", Args: json.RawMessage(`[]`), Effect: sandbox.Read, Line: 3, Column: 7}, Reply: live, Journal: -1},
		},
	}
	frame = newFrame(frameOutcome)
	frame.outcome(outcome, wireExecution.Journal)
	got, err := (&decoder{b: frame.b[5:]}).outcome(sandbox.DefaultLimits, wireExecution.Journal)
	require.NoError(t, err)
	reads := newReadScheduler(nil)
	_, err = reads.complete(slices.Clone(got.Calls))
	require.ErrorIs(t, err, errFrame, "the worker lies about what was answered")
	reads.note(outcome.Calls[2])
	got.Calls, err = reads.complete(got.Calls)
	require.NoError(t, err)
	require.Equal(t, outcome, got)

	told := engine.News{More: true, Heard: []engine.Heard{{Seq: 3, Reply: reply}, {Seq: 1, Stop: stop}}}
	frame = newFrame(frameAnswer)
	frame.news(told)
	require.Equal(t, told, (&decoder{b: frame.b[5:]}).news())

	// However much the calls of a run carried, its end fits into a frame.
	big := sandbox.TracedCall{Call: sandbox.Call{Seq: 1, Tool: "kv.set", Args: make(json.RawMessage, 1<<20), Effect: sandbox.Write, Line: 3, Column: 7}, Journal: -1}
	frame = newFrame(frameOutcome)
	frame.outcome(sandbox.Outcome{Calls: []sandbox.TracedCall{big}}, nil)
	require.Less(t, len(frame.b), 100)
	frame = newFrame(frameOutcome)
	frame.outcome(outcome, wireExecution.Journal)

	// A worker that lies about how much there was is found out.
	for _, lie := range []struct {
		limits  sandbox.Limits
		journal []sandbox.Entry
	}{
		{sandbox.DefaultLimits, nil},
		{sandbox.Limits{Calls: 2, ResultBytes: 100}, wireExecution.Journal},
		{sandbox.Limits{Calls: 3, ResultBytes: 1}, wireExecution.Journal},
	} {
		_, err := (&decoder{b: frame.b[5:]}).outcome(lie.limits, lie.journal)
		require.ErrorIs(t, err, errFrame)
	}

	for _, output := range []string{"nonsense", strings.Repeat("[", sandbox.MaxNesting+1) + strings.Repeat("]", sandbox.MaxNesting+1)} {
		frame = newFrame(frameOutcome)
		frame.outcome(sandbox.Outcome{Output: json.RawMessage(output)}, nil)
		_, err := (&decoder{b: frame.b[5:]}).outcome(sandbox.DefaultLimits, nil)
		require.ErrorIs(t, err, errFrame)
	}

	// Nor does the log get longer than the worker should have let it.
	talk := conversation{limits: sandbox.Limits{LogBytes: 30}}
	line := newFrame(frameLog)
	line.line(sandbox.LogLine{Level: "warn", Text: "ab"})
	require.NoError(t, talk.logged(&decoder{b: line.b[5:]}))
	require.Equal(t, []sandbox.LogLine{{Level: "warn", Text: "ab"}}, talk.log)
	require.ErrorIs(t, talk.logged(&decoder{b: line.b[5:]}), errFrame)
	require.ErrorIs(t, talk.logged(&decoder{b: line.b[5:8]}), errFrame)

	require.Error(t, writeFrame(io.Discard, &encoder{b: make([]byte, maxFrame+5)}))
	for _, broken := range []string{"", "\x00\x00\x00", "\x00\x00\x00\x00X", "\xff\xff\xff\xffX", "\x00\x00\x00\x09Xabc"} {
		_, _, err := readFrame(bytes.NewBufferString(broken))
		require.Error(t, err)
	}
}

// FuzzWire feeds both ends with anything: neither may panic, or make much of little.
func FuzzWire(f *testing.F) {
	frame := newFrame(frameExecute)
	frame.execution(&wireExecution, wireExecution.Code)
	f.Add(frame.b[5:])
	frame = newFrame(frameOutcome)
	frame.outcome(sandbox.Outcome{Calls: []sandbox.TracedCall{{Journal: -1}}, Error: &sandbox.Error{}}, nil)
	f.Add(frame.b[5:])
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &decoder{b: data}
		x := d.execution()
		if d.end() == nil {
			again := newFrame(frameExecute)
			again.execution(&x, x.Code)
			second := &decoder{b: again.b[5:]}
			require.Equal(t, x, second.execution())
			require.NoError(t, second.end())
		}
		if outcome, err := (&decoder{b: data}).outcome(sandbox.DefaultLimits, x.Journal); err == nil {
			require.LessOrEqual(t, len(outcome.Calls), len(data))
		}
		(&decoder{b: data}).answer()
		(&decoder{b: data}).call()
		(&decoder{b: data}).news()
		if kind, payload, err := readFrame(bytes.NewReader(data)); err == nil {
			require.LessOrEqual(t, len(payload.b), len(data), "kind %q", kind)
		}
	})
}

// Rule: a worker that was taken over begins no calls, and goes ahead of none, that have to be waited for.
func TestOnlyWhatMayBeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	methods := func(args json.RawMessage) sandbox.Effect {
		if string(args) == `["POST"]` {
			return sandbox.Write
		}
		return sandbox.Read
	}
	known := sandbox.NewBindings([]sandbox.Binding{{Name: "web.fetch", Effect: methods, Overlaps: true}, {Name: "kv.get", Effect: methods}, {Name: "kv.set", Silent: true}})
	for _, tt := range []struct {
		kind frameKind
		call sandbox.Call
		may  bool
	}{
		{frameBegin, sandbox.Call{Tool: "web.fetch", Args: json.RawMessage(`["GET"]`), Effect: sandbox.Read}, true},
		{frameBegin, sandbox.Call{Tool: "web.fetch", Args: json.RawMessage(`["POST"]`), Effect: sandbox.Read}, false},
		{frameBegin, sandbox.Call{Tool: "web.fetch", Args: json.RawMessage(`["GET"]`), Effect: sandbox.Write}, false},
		{frameBegin, sandbox.Call{Tool: "kv.get", Args: json.RawMessage(`["GET"]`), Effect: sandbox.Read}, false},
		{frameBegin, sandbox.Call{Tool: "web.none", Args: json.RawMessage(`["GET"]`), Effect: sandbox.Read}, false},
		{frameAhead, sandbox.Call{Tool: "kv.set", Args: json.RawMessage(`[]`), Effect: sandbox.Write}, true},
		{frameAhead, sandbox.Call{Tool: "kv.get", Args: json.RawMessage(`[]`), Effect: sandbox.Read}, false},
		{frameAhead, sandbox.Call{Tool: "none", Args: json.RawMessage(`[]`), Effect: sandbox.Write}, false},
	} {
		frame := newFrame(tt.kind)
		frame.call(tt.call)
		var pipe bytes.Buffer
		require.NoError(t, writeFrame(&pipe, frame))
		kind, payload, err := readFrame(bufio.NewReader(&pipe))
		require.NoError(t, err)
		asked := 0
		host := sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) { asked++; return sandbox.Reply{}, nil })
		talk := conversation{known: known, reads: newReadScheduler(host), turn: &cpuSlot{of: &cpuSlots{free: 1}}, limits: sandbox.DefaultLimits}
		_, err = talk.answer(t.Context(), kind, payload)
		if tt.may {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, errFrame, "%s %s", tt.call.Tool, tt.call.Args)
		}
		require.Equal(t, tt.may, asked == 1, "%s %s", tt.call.Tool, tt.call.Args)
	}
}
