package run_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/run"
)

var started = RunStarted{
	Run: "r1", Workflow: "w", Version: "1.0", Trigger: "manual", Input: json.RawMessage(`{"day":1}`), Seed: "r1",
	Clock: scenario.Start, Zone: "UTC", LeaseUntil: scenario.Start.Add(time.Minute), Node: "n1",
}

func given(t *testing.T, events ...event.Event) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(events...)
}

func fold(events ...event.Event) State {
	var s State
	for _, e := range events {
		s = Evolve(s, e)
	}
	return s
}

func called(seq int, tool, args string, effect string) ToolCalled {
	return ToolCalled{Seq: seq, Tool: tool, Args: json.RawMessage(args), Effect: effect}
}

func returned(seq int, result string) ToolReturned {
	return ToolReturned{Seq: seq, Result: json.RawMessage(result)}
}

// heldBack is [started] of a run that others may be beside.
var heldBack = func() RunStarted { s := started; s.HoldsBack = true; return s }()

// A script that begins again has made no calls, and what was made outside is done until it comes again: in its order, and counted once.
func TestAScriptThatBeginsAgainKeepsWhatItDidOutside(t *testing.T) {
	t.Parallel()
	given(t, started).When(BeginAgain{}).ThenRefused(fault.Invalid, "does not hold its writes back")
	post := called(2, "web.postJSON", `["u",1]`, EffectWrite)
	post.Key = "k"
	g := given(t, heldBack, called(1, "kv.get", `["n"]`, EffectRead), returned(1, `0`), post, returned(2, `null`),
		called(3, "web.getJSON", `["u"]`, EffectRead), returned(3, `7`), called(4, "kv.set", `["n",1]`, EffectWrite), returned(4, `null`))
	g.When(BeginAgain{Keep: []int{5}}).ThenRefused(fault.Invalid, "call 5, which has not returned")
	again := g.When(BeginAgain{Moved: []string{`key "n"`}, Keep: []int{2, 3}}).Then(RunBegunAgain{Moved: []string{`key "n"`}, Keep: []int{2, 3}}).State()
	require.Empty(t, again.Calls)
	require.Equal(t, g.State().Calls[1:3], again.Before)
	require.Equal(t, 1, again.Writes())
	repeated := post
	repeated.Seq, repeated.From = 1, "r1"
	on := Evolve(Evolve(again, repeated), returned(1, `null`))
	require.Equal(t, g.State().Calls[2:3], on.Before)
	require.Equal(t, 1, on.Writes())
	twice := Evolve(on, RunBegunAgain{Keep: []int{1}})
	require.Len(t, twice.Before, 2)
	require.Equal(t, 1, twice.Writes())
}

func TestStartTakesARunOnce(t *testing.T) {
	t.Parallel()
	g := given(t).When(Start(started)).Then(started)
	require.True(t, g.State().Started())
	g.When(Start(started)).ThenRefused(fault.Conflict, `started already, on node "n1"`)
	given(t).When(Start{Run: "r"}).ThenRefused(fault.Invalid, "a workflow and a version")
	for _, command := range []Command{RecordCall{Seq: 1}, RecordReturn{Seq: 1}, WriteLog{}, End{}} {
		given(t).When(command).ThenRefused(fault.NotFound, "has not been started")
	}
}

func TestCallsAreJournaledInOrder(t *testing.T) {
	t.Parallel()
	g := given(t, started).When(RecordCall{Seq: 1, Tool: "kv.get", Args: json.RawMessage(`["a"]`), Effect: EffectRead}).
		Then(called(1, "kv.get", `["a"]`, EffectRead)).
		When(RecordReturn{Seq: 1, Result: json.RawMessage(`7`), MS: 3}).Then(ToolReturned{Seq: 1, Result: json.RawMessage(`7`), MS: 3})
	require.Equal(t, []*Call{{Seq: 1, Tool: "kv.get", Args: json.RawMessage(`["a"]`), Effect: EffectRead, Returned: true, Result: json.RawMessage(`7`), MS: 3}}, g.State().Calls)
	g.When(RecordCall{Seq: 1, Effect: EffectRead}).ThenRefused(fault.Conflict, "the next is 2")
	g.When(RecordCall{Seq: 3, Effect: EffectRead}).ThenRefused(fault.Conflict, "the next is 2")
	g.When(RecordCall{Seq: 2, Effect: "none"}).ThenRefused(fault.Invalid, "only reads and writes")
	g.When(RecordReturn{Seq: 1}).ThenRefused(fault.Conflict, "returned already")
	g.When(RecordReturn{Seq: 2}).ThenRefused(fault.Conflict, "has made no call 2")
}

// A call that was answered before it was journaled is one event, which comes to the same as the two; a large one is more.
func TestACallAndItsAnswerAreJournaledTogether(t *testing.T) {
	t.Parallel()
	refused := CallError{Class: failure.Network, Name: "NetworkError", Message: "refused", Host: "a.test"}
	long := json.RawMessage(`"` + strings.Repeat("x", 128<<10) + `"`)
	for name, c := range map[string]struct {
		call   RecordCall
		back   RecordReturn
		events []string
	}{
		"an answer": {RecordCall{Tool: "kv.set", Args: json.RawMessage(`["a",1]`), Effect: EffectWrite, Key: "k"}, RecordReturn{Result: json.RawMessage(`7`), MS: 3, Hosts: []string{"b"}}, []string{TypeToolAnswered}},
		"an error":  {RecordCall{Tool: "web.getJSON", Args: json.RawMessage(`["u"]`), Effect: EffectRead, From: "r0"}, RecordReturn{Error: &refused}, []string{TypeToolAnswered}},
		"long arguments": {RecordCall{Tool: "files.write", Args: long, Effect: EffectWrite}, RecordReturn{Result: json.RawMessage(`null`)},
			[]string{TypeToolCalled, TypeToolReturned}},
		"a long answer": {RecordCall{Tool: "web.fetch", Args: json.RawMessage(`["u"]`), Effect: EffectRead}, RecordReturn{Result: json.RawMessage(`"` + strings.Repeat("x", 513<<10) + `"`)},
			[]string{TypeToolCalled, TypeToolReturned, TypeToolReturned}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.call.Seq, c.back.Seq = 1, 1
			together := given(t, started).When(RecordAnswered{Call: c.call, Return: c.back}).ThenTypes(c.events...).State()
			one := given(t, started).When(c.call).Events()
			other := given(t, append([]event.Event{started}, one...)...).When(c.back).Events()
			require.Equal(t, fold(slices.Concat([]event.Event{started}, one, other)...), together)
		})
	}
	g := given(t, started)
	g.When(RecordAnswered{Call: RecordCall{Seq: 2, Effect: EffectRead}}).ThenRefused(fault.Conflict, "the next is 1")
	g.When(RecordAnswered{Call: RecordCall{Seq: 1, Effect: "none"}}).ThenRefused(fault.Invalid, "only reads and writes")
}

func TestATypedErrorIsAnAnswer(t *testing.T) {
	t.Parallel()
	refused := CallError{Class: failure.Network, Name: "NetworkError", Message: "refused", Host: "a.test", RetryAfterMS: 5}
	g := given(t, started, called(1, "web.getJSON", `["u"]`, EffectRead)).When(RecordReturn{Seq: 1, Error: &refused}).
		Then(ToolReturned{Seq: 1, Error: &refused})
	require.True(t, g.State().Calls[0].Returned)
	long := refused
	long.Message = strings.Repeat("x", 1<<20)
	events := given(t, started, called(1, "x", `[]`, EffectRead)).When(RecordReturn{Seq: 1, Error: &long}).Events()
	require.Less(t, len(events[0].(ToolReturned).Error.Message), 16<<10)
	require.Len(t, long.Message, 1<<20, "the command is left as it was")
}

// A large result becomes parts that each fit in an append, and comes back whole.
func TestALargeResultIsSplitAndJoined(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{"plain": "abcdefgh", "wide": "ä€𝄞", "quotes": `\"\\`, "separators": "\u2028x"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := json.RawMessage(`["` + strings.Repeat(unit, (5<<18)/len(unit)) + `"]`)
			require.True(t, json.Valid(result))
			g := given(t, started, called(1, "web.fetch", `["u"]`, EffectRead))
			when := g.When(RecordReturn{Seq: 1, Result: result, MS: 9})
			events := when.Events()
			require.GreaterOrEqual(t, len(events), 3)
			for i, e := range events {
				payload, err := event.Marshal(e)
				require.NoError(t, err)
				require.Less(t, len(payload), 600<<10)
				require.Equal(t, i < len(events)-1, e.(ToolReturned).More)
			}
			s := fold(append([]event.Event{started, called(1, "web.fetch", `["u"]`, EffectRead)}, throughTheLog(t, events)...)...)
			require.Equal(t, string(result), string(s.Calls[0].Result))
			require.Equal(t, int64(9), s.Calls[0].MS)
			require.True(t, s.Calls[0].Returned)
		})
	}
}

// throughTheLog encodes and decodes, so that the stored form is folded.
func throughTheLog(t *testing.T, events []event.Event) []event.Event {
	t.Helper()
	r := event.NewRegistry()
	Register(r)
	decoded := make([]event.Event, len(events))
	for i, e := range events {
		name, version, payload, err := r.Encode(e)
		require.NoError(t, err)
		decoded[i], err = r.Decode(name, version, payload)
		require.NoError(t, err)
	}
	return decoded
}

// A crash between two parts leaves a call that has not returned; it may be recorded again.
func TestABrokenOffAnswerIsNone(t *testing.T) {
	t.Parallel()
	part := func(n int, text string, more bool) ToolReturned {
		return ToolReturned{Seq: 1, Part: n, Text: text, More: more}
	}
	g := given(t, started, called(1, "web.fetch", `["u"]`, EffectRead), part(0, `["a`, true))
	require.False(t, g.State().Calls[0].Returned)
	again := g.And(part(0, `["b`, true), part(1, `c"]`, false))
	require.Equal(t, `["bc"]`, string(again.State().Calls[0].Result))
	whole := g.When(RecordReturn{Seq: 1, Result: json.RawMessage(`1`)}).ThenTypes(TypeToolReturned)
	require.Equal(t, `1`, string(whole.State().Calls[0].Result))
	gap := given(t, started, called(1, "x", `[]`, EffectRead), part(0, `[`, true), part(2, `]`, false))
	require.False(t, gap.State().Calls[0].Returned, "a part is missing")
}

func TestLogLinesArePacked(t *testing.T) {
	t.Parallel()
	line := LogLine{Level: "info", Text: "12 refunds"}
	given(t, started).When(WriteLog{Lines: []LogLine{line, line}}).Then(LogWritten{Lines: []LogLine{line, line}})
	given(t, started).When(WriteLog{}).ThenNothing()
	var lines []LogLine
	for i := range 200 {
		lines = append(lines, LogLine{Level: "info", Text: fmt.Sprint(i) + strings.Repeat("<", 20<<10)})
	}
	when := given(t, started).When(WriteLog{Lines: lines})
	require.Greater(t, len(when.Events()), 5)
	for _, e := range when.Events() {
		payload, err := event.Marshal(e)
		require.NoError(t, err)
		require.Less(t, len(payload), 600<<10)
	}
	require.Equal(t, lines, fold(append([]event.Event{started}, when.Events()...)...).Log)
	huge := given(t, started).When(WriteLog{Lines: []LogLine{{Level: "info", Text: strings.Repeat("x", 2<<20)}}}).Events()
	require.Len(t, huge[0].(LogWritten).Lines[0].Text, 512<<10)
}

func TestEndClosesTheStream(t *testing.T) {
	t.Parallel()
	usage := Usage{WallMS: 5, Calls: 1}
	g := given(t, started).When(End{Output: json.RawMessage(`{"n":1}`), Usage: usage, Local: &Local{Files: map[string]string{"a": "b"}}}).
		Then(RunEnded{Output: json.RawMessage(`{"n":1}`), Usage: usage})
	require.True(t, g.State().Ended)
	for _, command := range []Command{RecordCall{Seq: 1, Effect: EffectRead}, RecordReturn{Seq: 1}, WriteLog{}, End{}} {
		g.When(command).ThenRefused(fault.Conflict, "has ended")
	}
	g.When(Start(started)).ThenRefused(fault.Conflict, "started already")
}

func TestAFailedRunKeepsItsKeysAndFiles(t *testing.T) {
	t.Parallel()
	f := failure.Failure{Class: failure.Logic, Name: "TypeError", Message: "x", Strict: "s"}
	small := &Local{KV: map[string]json.RawMessage{"k": json.RawMessage(`1`)}, Files: map[string]string{"a.csv": "1,2"}}
	given(t, started).When(End{Failure: &f, Local: small}).Then(RunEnded{Failure: &f, Local: small})
	// Too large for one append: the failure is recorded without them.
	large := &Local{Files: map[string]string{"a.csv": strings.Repeat("x", 1<<20)}}
	given(t, started).When(End{Failure: &f, Local: large}).Then(RunEnded{Failure: &f})
	given(t, started).When(End{Failure: &failure.Failure{Class: "odd"}}).ThenRefused(fault.Invalid, `class "odd"`)
	loud := f
	loud.Message = strings.Repeat("m", 5<<20)
	events := given(t, started).When(End{Failure: &loud}).Events()
	require.Less(t, len(events[0].(RunEnded).Failure.Message), 16<<10)
}

// Leases and doubts are decoded and folded; who appends them comes with resuming.
func TestLeasesAndDoubtsFold(t *testing.T) {
	t.Parallel()
	until := scenario.Start.Add(time.Hour)
	s := fold(started, called(1, "web.postJSON", `["u"]`, EffectWrite), RunLeaseExtended{Until: until})
	require.Equal(t, until, s.LeaseUntil)
	s = Evolve(s, RunResumed{Node: "n2", LeaseUntil: until.Add(time.Hour)})
	require.Equal(t, "n2", s.Node)
	doubt := Evolve(s, EffectInDoubt{Seq: 1})
	require.True(t, doubt.Calls[0].Doubt)
	require.False(t, s.Calls[0].Doubt, "an earlier state keeps its own")
	happened := Evolve(doubt, EffectResolved{Seq: 1, How: ResolvedHappened, Result: json.RawMessage(`{"id":1}`)})
	require.True(t, happened.Calls[0].Returned)
	require.False(t, happened.Calls[0].Doubt)
	didNot := Evolve(doubt, EffectResolved{Seq: 1, How: ResolvedDidNot})
	require.False(t, didNot.Calls[0].Returned)
	for _, e := range []event.Event{ToolReturned{Seq: 7}, EffectInDoubt{Seq: 0}, EffectResolved{Seq: -1}} {
		require.Equal(t, s, Evolve(s, e), "about a call that was never made")
	}
}

func TestEvolveNeverChangesTheStateItWasGiven(t *testing.T) {
	t.Parallel()
	history := []event.Event{
		started, called(1, "kv.set", `["a",1]`, EffectWrite), returned(1, `null`), called(2, "kv.get", `["a"]`, EffectRead),
		LogWritten{Lines: []LogLine{{Level: "info", Text: "a"}}},
	}
	trunk, untouched := fold(history...), fold(history...)
	for _, e := range []event.Event{
		called(3, "x", `[]`, EffectRead), returned(2, `1`), ToolReturned{Seq: 2, Text: "x", More: true}, EffectInDoubt{Seq: 2},
		EffectResolved{Seq: 2, How: ResolvedHappened}, LogWritten{Lines: []LogLine{{Text: "b"}}}, RunEnded{}, RunResumed{}, RunLeaseExtended{}, started,
	} {
		alone := Evolve(fold(history...), e)
		branch := Evolve(trunk, e)
		Evolve(trunk, called(3, "other", `[]`, EffectWrite))
		Evolve(trunk, LogWritten{Lines: []LogLine{{Text: "c"}}})
		require.Equal(t, alone, branch, "%s", e.EventType())
		require.Equal(t, untouched, trunk, "%s", e.EventType())
	}
}

// Lists with room to grow are where two futures of one state could meet.
func TestEvolveBranchesWithoutSharingRoom(t *testing.T) {
	t.Parallel()
	trunk := fold(started)
	for i := range 5 {
		left := Evolve(Evolve(trunk, called(i+1, "left", `[]`, EffectRead)), LogWritten{Lines: []LogLine{{Text: "left"}}})
		Evolve(Evolve(trunk, called(i+1, "right", `[]`, EffectRead)), LogWritten{Lines: []LogLine{{Text: "right"}}})
		require.Equal(t, "left", left.Calls[i].Tool)
		require.Equal(t, "left", left.Log[i].Text)
		trunk = left
	}
}

// FuzzRecordReturn: any JSON string comes back through parts and the stored form as it was.
func FuzzRecordReturn(f *testing.F) {
	f.Add("a\"b\\c\u2028€", uint16(3))
	f.Add(strings.Repeat("x", 700<<10), uint16(1))
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		repeat := min(int(times), (2<<20)/max(len(text), 1))
		result, err := event.Marshal(strings.Repeat(text, repeat))
		if err != nil {
			t.Fatal(err)
		}
		s := fold(started, called(1, "web.fetch", `[]`, EffectRead))
		events, err := Decide(s, RecordReturn{Seq: 1, Result: result}, scenario.Start)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range throughTheLog(t, events) {
			s = Evolve(s, e)
		}
		if !s.Calls[0].Returned || string(s.Calls[0].Result) != string(result) {
			t.Fatalf("%d bytes in %d events came back as %d bytes", len(result), len(events), len(s.Calls[0].Result))
		}
	})
}

// BenchmarkFold folds a run with as many calls as its limits allow by default.
func BenchmarkFold(b *testing.B) {
	events := []event.Event{started}
	for i := range 1000 {
		events = append(events, called(i+1, "kv.get", `["a"]`, EffectRead), returned(i+1, `1`))
	}
	for b.Loop() {
		fold(events...)
	}
}

// A write counts as made if it was answered well, and also if it may have happened.
func TestWritesAreThoseThatWereMadeOrMayHaveBeen(t *testing.T) {
	t.Parallel()
	var s State
	for _, call := range []struct {
		effect, key, resolved string
		returned, failed      bool
	}{
		{effect: EffectRead, returned: true},
		{effect: EffectWrite, key: "a", returned: true},
		{effect: EffectWrite, key: "b", returned: true, failed: true},
		{effect: EffectWrite, key: "c"},
		{effect: EffectWrite, key: "c", returned: true}, // sent again with its key
		{effect: EffectWrite, key: "d", resolved: ResolvedDidNot},
		{effect: EffectWrite, returned: true}, // a question, which has no key
		{effect: EffectWrite, returned: true},
	} {
		made := &Call{Effect: call.effect, Key: call.key, Returned: call.returned, Resolved: call.resolved}
		if call.failed {
			made.Error = &CallError{Name: "LogicError"}
		}
		s.Calls = append(s.Calls, made)
	}
	require.Equal(t, 4, s.Writes())
}
