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
