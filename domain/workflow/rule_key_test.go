package workflow_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

func about(run, input string) OfferInput {
	return OfferInput{Run: run, Trigger: TriggerWebhook, Input: json.RawMessage(input)}
}

var keyed = SettingsChanged{Settings: Settings{MaxActive: 4, ConcurrencyKey: "customer.id"}}

// Rule 4: runs about the same come one after the other, in the order of their inputs; others do not wait for them.
func TestRule04RunsAboutTheSameAreOneAtATime(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(keyed)...)
	first := g.When(about("a1", `{"customer":{"id":7},"n":1}`))
	require.Len(t, first.Events()[0].(RunAdmitted).Key, 32)
	busy := g.And(first.Events()...)
	queued := busy.When(about("a2", `{"customer":{"id":7.0},"n":2}`)).Events()
	require.Contains(t, queued[0].(InputQueued).Reason, "run a1 under way, which is about the same (setting concurrency_key: customer.id)")
	busy = busy.And(queued...)
	other := busy.When(about("b1", `{"customer":{"id":8}}`)).Events()
	require.Equal(t, TypeRunAdmitted, other[0].EventType(), "it is about something else, and waits for nobody")
	busy = busy.And(other...)
	busy.When(AdmitRun{Run: "by hand", Trigger: TriggerManual, Input: json.RawMessage(`{"customer":{"id":7}}`)}).ThenRefused(fault.Conflict, "run a1 under way")
	busy.When(AdmitRun{Run: "a2", Trigger: TriggerWebhook}).ThenRefused(fault.Conflict, "not only for its turn")
	_, _, ok := busy.State().NextInput(scenario.Start)
	require.False(t, ok)

	free := busy.And(RunSucceeded{Run: "a1", Version: v10})
	free.When(about("a3", `{"customer":{"id":7}}`)).ThenTypes(TypeInputQueued) // it comes behind the one that waits
	next, at, ok := free.State().NextInput(scenario.Start)
	require.True(t, ok)
	require.Zero(t, at)
	require.Equal(t, "a2", next.Run)
	free.When(next).ThenTypes(TypeRunAdmitted)

	// One that has failed and is tried again is under way, and goes on before others.
	later := scenario.Start.Add(time.Minute)
	retrying := busy.And(RunFailed{Run: "a1", Version: v10, Failure: refused}, RetryScheduled{Run: "a1", Attempt: 1, At: later})
	_, _, ok = retrying.State().NextInput(scenario.Start)
	require.False(t, ok)
	again := retrying.After(time.Hour).When(AdmitRun{Run: "a1 again", Trigger: TriggerRetry, Continues: "a1"}).Events()[0].(RunAdmitted)
	require.Equal(t, first.Events()[0].(RunAdmitted).Key, again.Key)
	_, _, ok = retrying.And(again).State().NextInput(later.Add(time.Hour))
	require.False(t, ok)

	// A person's look at another course of things waits for nobody.
	busy.When(AdmitRun{Run: "fork", Trigger: TriggerFork, Input: json.RawMessage(`{"customer":{"id":7}}`), Fork: &Fork{Run: "a1", FromCall: 1}}).ThenTypes(TypeRunAdmitted)
	// Inputs that say nothing of it are about nothing that another is.
	for i, input := range []string{`{}`, `1`, `{"customer":7}`, `{"customer":{"id":null}}`, `{"customer":{"id":{"a":1}}}`, `{"customer":{"id":[7]}}`} {
		for _, twin := range []string{"x", "y"} {
			e := g.When(about(fmt.Sprint(twin, i), input)).Events()[0].(RunAdmitted)
			require.Empty(t, e.Key, input)
		}
	}
	key := func(setting, input string) string {
		return given(t, active.and(SettingsChanged{Settings: Settings{ConcurrencyKey: setting}})...).When(about("k", input)).Events()[0].(RunAdmitted).Key
	}
	require.Equal(t, key("id", `{"id":"\u00e9"}`), key("id", `{"id":"é"}`))
	require.NotEqual(t, key("id", `{"id":"7"}`), key("id", `{"id":7}`))
	require.NotEqual(t, key("id", `{"id":7}`), key("no", `{"no":7}`), "another setting speaks of something else")
	require.NotEqual(t, key("id", `{"id":12345678901234567890}`), key("id", `{"id":12345678901234567891}`))
	require.NotContains(t, key("id", `{"id":"ann@example.com"}`), "ann")
	for _, wrong := range []string{".", "a.", ".a", "a..b", "a\n", strings.Repeat("a", 201)} {
		given(t, active...).When(ChangeSettings{Settings: Settings{ConcurrencyKey: wrong}}).ThenRefused(fault.Invalid, "like customer.id")
	}
}

// Rule 4: whatever comes and ends in which order, no two runs about the same are under way, and each input becomes a run in its order.
func TestRule04KeysHoldWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := fold(active.and(keyed)...)
		now, n := scenario.Start, 0
		did := func(c Command) []event.Event {
			events, err := Decide(state, c, now)
			if err != nil {
				require.Equal(t, fault.Conflict, fault.KindOf(err), "%v", err)
			}
			for _, e := range events {
				var err error
				state, err = Follow(state, e)
				require.NoError(t, err)
			}
			seen := map[string]bool{}
			for _, info := range state.Admitted {
				require.False(t, info.Key != "" && seen[info.Key], "two runs about the same")
				seen[info.Key] = true
			}
			return events
		}
		started := map[string][]int{}
		start := func(events []event.Event) {
			for _, e := range events {
				if e, is := e.(RunAdmitted); is && e.Trigger == TriggerWebhook {
					var input struct {
						Customer struct{ ID string }
						N        int
					}
					require.NoError(t, json.Unmarshal(e.Input, &input))
					started[input.Customer.ID] = append(started[input.Customer.ID], input.N)
				}
			}
		}
		next := func() bool {
			admit, at, ok := state.NextInput(now)
			if !ok || at.After(now) {
				return false
			}
			if admit.Run == "" {
				n++
				admit.Run = fmt.Sprint("again", n)
			}
			start(did(admit))
			return true
		}
		end := func() {
			runs := []string{}
			for run := range state.Admitted {
				runs = append(runs, run)
			}
			if len(runs) == 0 {
				return
			}
			slices.Sort(runs)
			run := rapid.SampledFrom(runs).Draw(t, "ends")
			did(SettleRun{Run: run})
		}
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1, 2:
				n++
				customer := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "customer")
				start(did(about(fmt.Sprint("r", n), fmt.Sprintf(`{"customer":{"id":%q},"n":%d}`, customer, n))))
			case 3:
				end()
			case 4:
				next()
			case 5:
				now = now.Add(time.Minute)
			}
		}
		for range 1000 {
			if end(); !next() && len(state.Admitted) == 0 {
				break
			}
		}
		require.Empty(t, state.Queue, "nothing is left behind")
		for customer, order := range started {
			require.True(t, slices.IsSorted(order), "%s: %v", customer, order)
		}
	})
}

// Rule 22: of the inputs that wait for their turn the most urgent comes first, and of equally urgent ones the first; those about the same keep
// their order, and an input keeps what it said when its run failed and it waits again.
func TestRule22UrgentInputsComeFirst(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{PriorityKey: "order.priority", ConcurrencyKey: "customer.id"}})...)
	g = g.And(g.When(about("first", `{}`)).Events()...)
	for _, input := range []struct {
		run, input string
		priority   int
	}{
		{"plain", `{"order":{}}`, 0},
		{"text", `{"order":{"priority":"9"}}`, 0},
		{"low", `{"order":{"priority":-3}}`, -3},
		{"a high", `{"order":{"priority":5.9},"customer":{"id":"a"}}`, 5},
		{"a higher", `{"order":{"priority":1e9},"customer":{"id":"a"}}`, 1000},
		{"high", `{"order":{"priority":5}}`, 5},
		{"lowest", `{"order":{"priority":-1e9}}`, -1000},
	} {
		events := g.When(about(input.run, input.input)).Events()
		require.Equal(t, input.priority, events[0].(InputQueued).Priority, input.run)
		g = g.And(events...)
	}
	before := "first"
	for _, want := range []string{"a high", "a higher", "high", "plain", "text", "low", "lowest"} {
		g = g.And(RunSucceeded{Run: before, Version: v10})
		next, at, ok := g.State().NextInput(scenario.Start)
		require.True(t, ok)
		require.Zero(t, at)
		require.Equal(t, want, next.Run)
		before = want
		events := g.When(next).Events()
		g = g.And(events...)
	}
	g = given(t, active.and(SettingsChanged{Settings: Settings{PriorityKey: "p"}})...)
	urgent := g.When(about("urgent", `{"p":7}`)).Events()
	require.Equal(t, 7, urgent[0].(RunAdmitted).Priority)
	g = g.And(urgent...).And(RunFailed{Run: "urgent", Version: v10, Failure: refused}, RetryScheduled{Run: "urgent", Attempt: 1, At: scenario.Start.Add(time.Minute)})
	again := g.After(time.Hour).When(AdmitRun{Run: "urgent again", Trigger: TriggerRetry, Continues: "urgent"}).Events()[0].(RunAdmitted)
	require.Equal(t, 7, again.Priority)
	given(t, active...).When(ChangeSettings{Settings: Settings{PriorityKey: "a..b"}}).ThenRefused(fault.Invalid, "setting priority_key")
}

// Rule 22: an input waits for a newer one about the same, which takes its place; the newest becomes a run when none came for as long as the
// setting says, or when ten times that have passed since the first. Each that gave way has an outcome of its own.
func TestRule22ANewerInputTakesThePlace(t *testing.T) {
	t.Parallel()
	const pause = 10 * time.Second
	g := given(t, active.and(SettingsChanged{Settings: Settings{DebounceMS: pause.Milliseconds(), ConcurrencyKey: "id", MaxActive: 9}})...)
	offer := func(run, input string) []event.Event {
		events := g.When(about(run, input)).Events()
		g = g.And(events...)
		return events
	}
	first := offer("a1", `{"id":"a"}`)
	require.Len(t, first, 1)
	require.Equal(t, scenario.Start.Add(pause), first[0].(InputQueued).At)
	offer("b1", `{"id":"b"}`)
	require.IsType(t, RunAdmitted{}, offer("none", `{}`)[0], "it is about nothing that another is")

	g = g.After(pause / 2)
	second := offer("a2", `{"id":"a"}`)
	require.Equal(t, InputSkipped{Run: "a1", Trigger: TriggerWebhook, Why: SkippedDebounced, Reason: "a newer input about the same came, of run a2 (setting debounce_ms)"}, second[0])
	require.Equal(t, scenario.Start.Add(pause/2+pause), second[1].(InputQueued).At)
	next, at, ok := g.State().NextInput(scenario.Start.Add(pause / 2))
	require.True(t, ok)
	require.Equal(t, "b1", next.Run)
	require.Equal(t, scenario.Start.Add(pause), at)
	g.When(next).ThenRefused(fault.Conflict, "to be tried again at")
	next, at, ok = g.State().NextInput(scenario.Start.Add(pause))
	require.True(t, ok)
	require.Zero(t, at)
	g = g.After(pause / 2)
	g = g.And(g.When(next).Events()...)

	// One that only waits for its turn does not give way any more.
	require.Len(t, offer("b2", `{"id":"b"}`), 1)
	g = g.After(pause)
	require.Len(t, offer("b3", `{"id":"b"}`), 1)
	// A sender that never stops is heard, too.
	begun := g.Now()
	offer("c0", `{"id":"c"}`)
	for i := range 60 {
		g = g.After(pause / 4)
		for _, q := range g.State().Queue {
			if q.Run == fmt.Sprint("c", i) && !g.Now().Before(q.At) {
				require.Equal(t, begun.Add(10*pause), q.At)
				return
			}
		}
		offer(fmt.Sprint("c", i+1), `{"id":"c"}`)
	}
	require.Fail(t, "the input of c never became a run")
}

// Rule 22: without a concurrency key all inputs are about the same, and the setting has bounds.
func TestRule22DebounceWithoutAKey(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{DebounceMS: 1000}})...)
	g = g.And(g.When(about("a", `{"id":1}`)).Events()...)
	g.When(about("b", `{"id":2}`)).ThenTypes(TypeInputSkipped, TypeInputQueued)
	for _, wrong := range []int64{-1, time.Hour.Milliseconds() + 1} {
		given(t, active...).When(ChangeSettings{Settings: Settings{DebounceMS: wrong}}).ThenRefused(fault.Invalid, "setting debounce_ms")
	}
}
