package thread_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/thread"
)

var opened = ThreadOpened{Thread: "th", Workflow: "w", Kind: KindMaintainer, Task: "t1", Title: "TypeError"}

func given(t *testing.T, events ...event.Event) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(events...)
}

func TestAThreadIsOpenedOnce(t *testing.T) {
	t.Parallel()
	given(t).When(Open(opened)).Then(opened).When(Open(opened)).ThenRefused(fault.Conflict, "open already")
	given(t).When(Open{Task: "t", Kind: KindPlanner}).ThenRefused(fault.Invalid, "needs an id")
	given(t).When(Open{Thread: "th", Task: "t", Kind: "gossip"}).ThenRefused(fault.Invalid, `"gossip"`)
	for _, command := range []Command{AppendMessage{Role: "user"}, InvokeTool{Call: "c", Tool: "x"}, ReturnTool{Call: "c"}, JudgeCandidate{}, Close{}} {
		given(t).When(command).ThenRefused(fault.NotFound, "has not been opened")
	}
}

func TestMessagesAreKept(t *testing.T) {
	t.Parallel()
	g := given(t, opened).When(AppendMessage{Role: "assistant", Text: "The field moved."}).Then(MessageAppended{Role: "assistant", Text: "The field moved."})
	require.Equal(t, 1, g.State().Messages)
	g.When(AppendMessage{Role: "narrator"}).ThenRefused(fault.Invalid, `not "narrator"`)
}

// A provider's additions to a turn are kept with it, and what was lost of a request that nobody heard the
// end of counts as spent.
func TestMembersOfAProviderAreKept(t *testing.T) {
	t.Parallel()
	mine, signed := json.RawMessage(`{"reasoning_content":"…"}`), json.RawMessage(`{"extra_content":{"s":"x"}}`)
	used := Usage{Model: "m", Input: 1, Output: 2, CostUSD: 0.25}
	g := given(t, opened).When(AppendAnswer{Text: "a", Usage: used, Extra: mine, Calls: []InvokeTool{{Call: "c", Tool: "x", Args: json.RawMessage(`{}`), Extra: signed}}}).Then(
		MessageAppended{Role: "assistant", Text: "a", Usage: &used, Extra: mine}, ToolInvoked{Call: "c", Tool: "x", Args: json.RawMessage(`{}`), Extra: signed})
	lost := Usage{Model: "m", Input: 100, Output: 1000, Estimated: true, CostUSD: 0.5}
	g = g.When(MissModel{Model: "m", Kind: "unavailable", Usage: &lost}).Then(ModelUnavailable{Model: "m", Kind: "unavailable", Try: 1, Since: scenario.Start, RetryAt: time.Time{}.UTC(), Usage: &lost})
	require.Equal(t, int64(1103), g.State().Tokens)
	require.InDelta(t, 0.75, g.State().CostUSD, 1e-9)
}

func TestToolCallsAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	g := given(t, opened).When(InvokeTool{Call: "c1", Tool: "read_run", Args: json.RawMessage(`{}`)}).
		Then(ToolInvoked{Call: "c1", Tool: "read_run", Args: json.RawMessage(`{}`)})
	require.Equal(t, []string{"c1"}, g.State().Pending)
	g.When(InvokeTool{Call: "c1", Tool: "x"}).ThenRefused(fault.Conflict, "waits for its answer already")
	g.When(InvokeTool{Call: "c2"}).ThenRefused(fault.Invalid, "an id and a tool")
	answered := g.When(ReturnTool{Call: "c1", Result: json.RawMessage(`1`)}).Then(ToolResulted{Call: "c1", Result: json.RawMessage(`1`)})
	require.Empty(t, answered.State().Pending)
	require.Equal(t, []string{"c1"}, g.State().Pending, "an earlier state keeps its own")
	answered.When(ReturnTool{Call: "c1"}).ThenRefused(fault.Conflict, "waits for no answer")
}

func TestCandidatesAreCounted(t *testing.T) {
	t.Parallel()
	judge := JudgeCandidate{Fixer: "templates renamed-field/1", Comment: "c", Diff: "-a\n+b", Verdict: "different", Divergence: "d", Reasons: []string{"r"}}
	want := CandidateJudged{Candidate: 1, Fixer: judge.Fixer, Comment: "c", Diff: "-a\n+b", Verdict: "different", Divergence: "d", Reasons: []string{"r"}}
	second := want
	second.Candidate = 2
	given(t, opened).When(judge).Then(want).When(judge).Then(second)
}

func TestAClosedThreadIsOver(t *testing.T) {
	t.Parallel()
	g := given(t, opened).When(Close{Outcome: "identical", Tokens: 5, CostUSD: 0.01}).Then(ThreadClosed{Outcome: "identical", Tokens: 5, CostUSD: 0.01})
	require.True(t, g.State().Closed)
	for _, command := range []Command{AppendMessage{Role: "user"}, InvokeTool{Call: "c", Tool: "x"}, ReturnTool{Call: "c"}, JudgeCandidate{}, Close{}} {
		g.When(command).ThenRefused(fault.Conflict, "is closed: identical")
	}
}

// Any message of an agent fits in one append.
func TestEverythingFitsOneAppend(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\"\n", 1<<20)
	value, err := json.Marshal(long)
	require.NoError(t, err)
	args, err := json.Marshal(strings.Repeat("\"\n", 60<<10))
	require.NoError(t, err)
	extra, err := json.Marshal(map[string]string{"thoughts": strings.Repeat("\"\n", 60<<10)})
	require.NoError(t, err)
	pending := given(t, opened, ToolInvoked{Call: "c1", Tool: "x"})
	pending.When(AppendAnswer{Extra: extra, Calls: []InvokeTool{{Call: "c4", Tool: "x", Args: args, Extra: extra}}}).ThenRefused(fault.Invalid, "only its provider knows")
	for _, command := range []Command{
		AppendMessage{Role: "user", Text: long}, AppendAnswer{Text: long, Usage: Usage{Model: long}, Extra: extra, Calls: []InvokeTool{{Call: "c3", Tool: long, Args: args}}},
		MissModel{Model: long, Code: long, Detail: long}, InvokeTool{Call: "c2", Tool: "x", Args: value}, ReturnTool{Call: "c1", Result: value, Error: long},
		JudgeCandidate{Fixer: long, Comment: long, Diff: long, Divergence: long, Reasons: []string{long, long}}, Close{Outcome: long},
	} {
		for _, e := range pending.When(command).Events() {
			payload, err := event.Marshal(e)
			require.NoError(t, err)
			require.Less(t, len(payload), 1<<20, "%T", command)
		}
	}
}

func TestEvolveTakesAnyEventInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, e := range []event.Event{ToolResulted{Call: "nobody"}, MessageAppended{}, CandidateJudged{Candidate: 3}, ThreadClosed{}} {
		require.False(t, Evolve(State{}, e).Opened())
	}
}
