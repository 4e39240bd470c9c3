package thread_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/thread"
)

// Two nodes never work on one thread, and one that wakes up late can say nothing more.
func TestAThreadIsOneNodesAtATime(t *testing.T) {
	t.Parallel()
	until := scenario.Start.Add(time.Minute)
	first := ThreadClaimed{Claim: 1, Node: "a", LeaseUntil: until}
	given(t, opened).When(Claim{}).ThenRefused(fault.Invalid, "none is named")
	held := given(t, opened).When(Claim{Node: "a", LeaseUntil: until}).Then(first)
	require.True(t, held.State().HeldBy("b", scenario.Start))
	require.False(t, held.State().HeldBy("a", scenario.Start))
	require.False(t, held.State().HeldBy("b", until), "the lease has lapsed")

	held.When(Claim{Node: "b", LeaseUntil: until}).ThenRefused(fault.Conflict, `held by node "a"`)
	held.When(ExtendLease{Claim: 1, Until: until.Add(time.Minute)}).Then(ThreadLeaseExtended{Until: until.Add(time.Minute)})
	held.When(ExtendLease{Until: until}).ThenRefused(fault.Invalid, "by who claimed it")

	again := held.When(Claim{Node: "a", LeaseUntil: until}).Then(ThreadClaimed{Claim: 2, Node: "a", LeaseUntil: until})
	alone := held.When(Claim{Node: "b", LeaseUntil: until, Alone: true}).Then(ThreadClaimed{Claim: 2, Node: "b", LeaseUntil: until})
	given := held.When(ExtendLease{Claim: 1, Until: scenario.Start}).Then(ThreadLeaseExtended{Until: scenario.Start})
	given.When(Claim{Node: "b", LeaseUntil: until}).Then(ThreadClaimed{Claim: 2, Node: "b", LeaseUntil: until})

	for _, later := range []scenario.Given[State, Command]{again, alone} {
		for _, late := range []Command{
			ExtendLease{Claim: 1, Until: until}, AppendMessage{Claim: 1, Role: "user"}, AppendAnswer{Claim: 1}, ReturnTool{Claim: 1, Call: "c"},
			JudgeCandidate{Claim: 1}, MissModel{Claim: 1}, Close{Claim: 1},
		} {
			later.When(late).ThenRefused(fault.Conflict, ErrLost.Error())
		}
		later.When(AppendMessage{Role: "user", Text: "a person's"}).Then(MessageAppended{Role: "user", Text: "a person's"})
	}
	_, err := Decide(again.State(), Close{Claim: 1}, scenario.Start)
	require.ErrorIs(t, err, ErrLost)
}

// A model's turn is one append: no crash comes between what it said and what it calls.
func TestAnAnswerIsOneAppend(t *testing.T) {
	t.Parallel()
	usage := Usage{Model: "m-1", Input: 100, Cached: 50, Output: 10, CostUSD: 0.25}
	g := given(t, opened).When(AppendAnswer{Text: "I look.", Usage: usage, Calls: []InvokeTool{
		{Call: "c1", Tool: "inspect", Args: []byte(`{}`)}, {Call: "c2", Tool: "eval", Args: []byte(`"no JSON"`)},
	}}).Then(
		MessageAppended{Role: "assistant", Text: "I look.", Usage: &usage},
		ToolInvoked{Call: "c1", Tool: "inspect", Args: []byte(`{}`)}, ToolInvoked{Call: "c2", Tool: "eval", Args: []byte(`"no JSON"`)},
	)
	require.Equal(t, []string{"c1", "c2"}, g.State().Pending)
	require.EqualValues(t, 110, g.State().Tokens)
	g.When(AppendAnswer{Calls: []InvokeTool{{Call: "c2", Tool: "x"}}}).ThenRefused(fault.Conflict, "waits for its answer already")
	g.When(AppendAnswer{Calls: []InvokeTool{{Call: "c3", Tool: "x"}, {Call: "c3", Tool: "x"}}}).ThenRefused(fault.Conflict, "waits for its answer already")
	g.When(AppendAnswer{Calls: make([]InvokeTool, 65)}).ThenRefused(fault.Invalid, "65 calls")
	ended := g.When(ReturnTool{Call: "c1", Result: []byte(`1`), End: true}).Then(ToolResulted{Call: "c1", Result: []byte(`1`), End: true})
	ended.When(Close{Outcome: "identical"}).Then(ThreadClosed{Outcome: "identical", Tokens: 110, CostUSD: 0.25})
	ended.When(Close{Outcome: "identical", Tokens: 200, CostUSD: 1}).Then(ThreadClosed{Outcome: "identical", Tokens: 200, CostUSD: 1})
}

// How long a model has not answered is known, whatever node asks, and forgotten when it answers.
func TestFailuresOfTheProviderAreCounted(t *testing.T) {
	t.Parallel()
	at := scenario.Start.Add(time.Minute)
	miss := MissModel{Model: "m", Kind: "quota", Status: 429, Code: "insufficient_quota", Detail: "no money", RetryAt: at}
	first := ModelUnavailable{Model: "m", Kind: "quota", Status: 429, Code: "insufficient_quota", Detail: "no money", Try: 1, Since: scenario.Start, RetryAt: at}
	second := first
	second.Try = 2
	g := given(t, opened).When(miss).Then(first).When(miss).Then(second)
	require.Equal(t, &Missing{Model: "m", Kind: "quota", Detail: "no money", Tries: 2, Since: scenario.Start, RetryAt: at}, g.State().Missing)
	g = g.When(AppendMessage{Role: "user", Text: "a person's"}).Then(MessageAppended{Role: "user", Text: "a person's"})
	require.NotNil(t, g.State().Missing)
	g = g.When(AppendAnswer{Text: "here"}).Then(MessageAppended{Role: "assistant", Text: "here", Usage: &Usage{}})
	require.Nil(t, g.State().Missing)
	g.When(miss).Then(first)
}
