package handlers_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// Rule 9: the planner saves 2.0 while the model of 1.0 is at work. The fix is stale: recorded,
// never applied, never escalated.
func TestAModelThatIsOvertaken(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	server := llmtest.ServeWith(t, responder(func(llmtest.Request) llmtest.Step {
		_, err := n.commands.SaveScript(t.Context(), id, workflow.SaveScript{
			ScriptID: uuid.NewString(), Code: "async function main() { return 2 }", Comment: "planned anew", Origin: workflow.OriginPlanner,
		}, commands.Meta{Actor: "planner:p1"})
		require.NoError(t, err)
		return fixCall(n.mendedTally(), "Amounts are texts")
	}))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	state := n.state(id)
	require.Equal(t, "2.0", state.Active.String(), n.events(id, workflow.TypeRunFailed))
	require.Equal(t, workflow.StatusActive, state.Status)
	events := n.events(id, workflow.TypeRunFailed)
	require.Contains(t, events, workflow.TypeFixRejectedStale)
	require.NotContains(t, events, workflow.TypeFixApplied)
	require.NotContains(t, events, workflow.TypeEscalated)
	require.Len(t, server.Requests(), 1)
}

// Rule 8: while a planner is at work the maintainer waits, and no model is asked on its behalf.
func TestAModelWaitsForThePlanner(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	_, err := n.commands.OpenPlannerTask(t.Context(), id, workflow.OpenPlannerTask{Task: "p1", Thread: "pt1", Ask: "more"}, person())
	require.NoError(t, err)
	server := llmtest.Serve(t, fixCall(n.mendedTally(), "Amounts are texts"))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, workflow.StatusMaintenance, n.state(id).Status)
	require.Empty(t, server.Requests())
	_, err = n.commands.ClosePlannerTask(t.Context(), id, workflow.ClosePlannerTask{Task: "p1", Outcome: "nothing"}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, "1.1", n.state(id).Active.String())
}

// The modes: what a proven fix of a model leads to.
func TestModesDecideWhatBecomesOfAModelsFix(t *testing.T) {
	t.Parallel()
	for mode, want := range map[workflow.Mode]workflow.Status{
		workflow.ModeAuto: workflow.StatusActive, workflow.ModeProven: workflow.StatusActive,
		workflow.ModePropose: workflow.StatusHeld, workflow.ModeOff: workflow.StatusEscalated,
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			id := n.tallied(workflow.Settings{AutoFix: mode})
			server := llmtest.ServeWith(t, responder(func(llmtest.Request) llmtest.Step { return fixCall(n.mendedTally(), "Amounts are texts") }))
			n.model(server.Model())
			n.runs(id, `{"day":"2026-03-09"}`)
			require.Equal(t, want, n.state(id).Status)
			if mode == workflow.ModeOff {
				require.Empty(t, server.Requests(), "nobody is asked")
				require.Equal(t, workflow.EscalatedAutoFixOff, n.state(id).Escalation.Reason)
			}
		})
	}
}

// A model that improves is not held for what it tried before: its first fix, which the gate holds, does
// not stand in the way of the second, which nothing holds.
func TestAModelThatImprovesIsNotHeld(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	doubtful := strings.NewReplacer("split(' ')[1])", "split(' ')[1]) * 2", "total += amount;", "try { total += amount; } catch (e) {}").Replace(n.mendedTally())
	server := llmtest.Serve(t, fixCall(doubtful, "Amounts are texts, perhaps"), fixCall(n.mendedTally(), "Amounts are texts"))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Contains(t, server.Request(1).Messages[3].Text, "a person would have to look at it")
	require.Equal(t, "1.1", n.state(id).Active.String(), n.events(id, workflow.TypeRunFailed))
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
}

// Rule 11: whatever a maintainer's model calls, it changes code only: there is no tool for more.
func TestAModelChangesCodeOnly(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	before := n.state(id)
	server := llmtest.Serve(t,
		llmtest.Calls(
			llmtest.ToolCall{Tool: "save", Args: map[string]string{"code": n.mendedTally(), "comment": "mine"}},
			llmtest.ToolCall{Tool: "schedule", Args: map[string]string{"spec": "* * * * *"}},
			llmtest.ToolCall{Tool: "settings", Args: map[string]any{"allowed_hosts": []string{"evil.example"}}},
			llmtest.ToolCall{Tool: "fix", Args: map[string]string{"code": n.mendedTally(), "comment": "x", "intent": "something else", "title": "Mine"}},
			llmtest.ToolCall{Tool: "fix", Args: llmtest.Raw(`{"code": "unfinished`)},
		),
		fixCall(n.mendedTally(), "Amounts are texts"),
	)
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	for _, answer := range server.Request(1).Messages[3:6] {
		require.True(t, strings.HasPrefix(answer.Text, "Error: there is no tool"), answer.Text)
	}
	after := n.state(id)
	require.Equal(t, "1.1", after.Active.String())
	require.Equal(t, []any{before.Title, before.Intent, before.Settings, before.Schedule}, []any{after.Title, after.Intent, after.Settings, after.Schedule})
	require.Len(t, after.Versions, 2)
}

// A model that goes in circles, or uses up its turns, is stopped, and a person reads why.
func TestAModelThatGoesNowhereIsStopped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		says   func(turn int) llmtest.Step
		why    string
		turns  int
		answer string
	}{
		"circles": {
			says: func(int) llmtest.Step { return llmtest.Call("inspect", map[string]string{"path": "failed.input"}) },
			why:  "the same calls came 3 times", turns: 3,
		},
		"wanders": {
			says: func(turn int) llmtest.Step {
				return llmtest.TextAndCalls("I look on.", llmtest.ToolCall{Tool: "inspect", Args: map[string]string{"path": "success[" + string(rune('0'+turn)) + "]"}})
			},
			why: "its budget is used up (6 turns)", turns: 6,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			id := n.tallied(workflow.Settings{})
			turn := 0
			server := llmtest.ServeWith(t, responder(func(llmtest.Request) llmtest.Step { turn++; return test.says(turn - 1) }))
			n.model(server.Model())
			n.runs(id, `{"day":"2026-03-09"}`)
			require.Len(t, server.Requests(), test.turns)
			require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
			require.Contains(t, n.state(id).Escalation.Explanation, test.why)
		})
	}
}
