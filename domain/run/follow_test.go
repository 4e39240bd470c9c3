package run_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/run"
)

// Every decided event may follow the events before it, also after an answer in parts that broke off.
func TestDecidedEventsFollow(t *testing.T) {
	t.Parallel()
	large := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	rapid.Check(t, func(t *rapid.T) {
		var state State
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			seq := len(state.Calls) + rapid.IntRange(-1, 1).Draw(t, "seq")
			commands := []Command{
				Start(heldBack), RecordCall{Seq: seq, Tool: "x", Effect: EffectRead}, RecordReturn{Seq: seq, Result: json.RawMessage(`1`)},
				RecordReturn{Seq: seq, Result: large}, RecordReturn{Seq: seq, Error: &CallError{Class: failure.Network}},
				WriteLog{Lines: []LogLine{{Level: "info", Text: "x"}}}, End{}, Cancel{Run: "r1", Workflow: "w1"},
				RecordCall{Seq: seq, Tool: "x", Effect: EffectWrite}, ExtendLease{}, Resume{Node: "n2", Alone: true},
				BeginAgain{Moved: []string{`key "n"`}, Keep: []int{seq}}, BeginAgain{Moved: []string{`key "n"`}},
				AwaitAnswer{Seq: seq, Question: "?", Timeout: 1}, GiveAnswer{Answer: "x"}, TimeOutAnswer{}, DoubtEffect{Seq: seq}, ResolveEffect{Seq: seq, How: ResolvedHappened}, ResolveEffect{Seq: seq, How: ResolvedDidNot},
			}
			events, err := Decide(state, commands[rapid.IntRange(0, len(commands)-1).Draw(t, "command")], scenario.Start.Add(time.Second))
			if err != nil {
				continue
			}
			if rapid.Bool().Draw(t, "breaks off") {
				events = events[:len(events)/2]
			}
			for _, happened := range events {
				after, err := Follow(state, happened)
				require.NoError(t, err)
				require.Equal(t, Evolve(state, happened), after)
				state = after
			}
		}
	})
}

func TestImpossibleEventsDoNotFollow(t *testing.T) {
	t.Parallel()
	calling := []event.Event{started, called(1, "x", `[]`, EffectWrite)}
	for name, test := range map[string]struct {
		before []event.Event
		then   event.Event
		why    string
	}{
		"never started":        {nil, RunEnded{}, "never started"},
		"started twice":        {[]event.Event{started}, started, "run r1 was started already"},
		"started as nothing":   {nil, RunStarted{Run: "r1"}, "names no run or no workflow"},
		"ended twice":          {[]event.Event{started, RunEnded{}}, RunEnded{}, "run r1 has ended"},
		"called after its end": {[]event.Event{started, RunEnded{}}, called(1, "x", `[]`, EffectRead), "has ended"},
		"a call left out":      {[]event.Event{started}, called(2, "x", `[]`, EffectRead), "it is call 2, and the next is 1"},
		"a call twice":         {calling, called(1, "x", `[]`, EffectRead), "it is call 1, and the next is 2"},
		"returned, not called": {[]event.Event{started}, returned(1, `1`), "call 1 was never made"},
		"returned twice":       {append(calling[:2:2], returned(1, `1`)), returned(1, `1`), "call 1 has returned already"},
		"doubt of nothing":     {[]event.Event{started}, EffectInDoubt{Seq: 1}, "call 1 was never made"},
		"doubt of an answer":   {append(calling[:2:2], returned(1, `1`)), EffectInDoubt{Seq: 1}, "has returned already"},
		"resolved, no doubt":   {calling, EffectResolved{Seq: 1}, "call 1 is not in doubt"},
		"asked by no call":     {[]event.Event{started}, AnswerAwaited{Seq: 1}, "call 1 was never made"},
		"asked twice":          {append(calling[:2:2], AnswerAwaited{Seq: 1}), AnswerAwaited{Seq: 1}, "call 1 has asked already"},
		"answered, not asked":  {calling, AnswerGiven{Seq: 1}, "call 1 waits for no answer of a person"},
		"a stranger":           {[]event.Event{started}, strange{}, "does not belong in the stream of a run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Follow(fold(test.before...), test.then)
			require.ErrorAs(t, err, new(*event.ImpossibleError))
			require.ErrorContains(t, err, test.why)
		})
	}
	for _, happened := range []event.Event{EffectInDoubt{Seq: 1}, RunLeaseExtended{}, RunResumed{}, LogWritten{}} {
		_, err := Follow(fold(calling...), happened)
		require.NoError(t, err, happened.EventType())
	}
	_, err := Follow(fold(append(calling[:2:2], EffectInDoubt{Seq: 1})...), EffectResolved{Seq: 1, How: ResolvedDidNot})
	require.NoError(t, err)
}

// No event of a run is strange to Follow, or a run that came to it would be called forged.
func TestEveryEventBelongs(t *testing.T) {
	t.Parallel()
	codec := event.NewRegistry()
	Register(codec)
	for _, name := range codec.Types() {
		happened, err := codec.Decode(name, codec.Version(name), []byte(`{}`))
		require.NoError(t, err)
		if _, err := Follow(fold(started), happened); err != nil {
			require.NotContains(t, err.Error(), "does not belong", "add %s to Follow", name)
		}
	}
}

// strange is an event of no stream.
type strange struct{}

func (strange) EventType() string { return "Strange" }
