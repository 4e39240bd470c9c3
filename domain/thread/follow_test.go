package thread_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/thread"
)

// A decided event follows.
func TestDecidedEventsFollow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var state State
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			call := rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "call")
			commands := []Command{
				Open(opened), AppendMessage{Role: "user"}, InvokeTool{Call: call, Tool: "x"}, ReturnTool{Call: call}, JudgeCandidate{}, Close{},
				Claim{Node: "a", LeaseUntil: scenario.Start}, Claim{Node: "b", LeaseUntil: scenario.Start.Add(1)}, ExtendLease{Claim: state.Claim, Until: scenario.Start},
				MissModel{}, AppendAnswer{Calls: []InvokeTool{{Call: call, Tool: "x"}}},
			}
			events, err := Decide(state, commands[rapid.IntRange(0, len(commands)-1).Draw(t, "command")], scenario.Start)
			if err != nil {
				continue
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
	asked := []event.Event{opened, ToolInvoked{Call: "c1", Tool: "x"}}
	for name, test := range map[string]struct {
		before []event.Event
		then   event.Event
		why    string
	}{
		"never opened":       {nil, MessageAppended{}, "never opened"},
		"opened twice":       {asked, opened, "thread th is open already"},
		"opened as nothing":  {nil, ThreadOpened{}, "names no thread"},
		"after its end":      {append(asked[:2:2], ThreadClosed{}), MessageAppended{}, "thread th is closed"},
		"asked twice":        {asked, ToolInvoked{Call: "c1"}, "waits for its answer already"},
		"answered, unasked":  {asked, ToolResulted{Call: "c2"}, "tool call c2 waits for no answer"},
		"a candidate twice":  {append(asked[:2:2], CandidateJudged{Candidate: 1}), CandidateJudged{Candidate: 1}, "it is candidate 1, and the next is 2"},
		"a candidate unseen": {asked, CandidateJudged{Candidate: 2}, "it is candidate 2, and the next is 1"},
		"a claim again":      {asked, ThreadClaimed{Claim: 2}, "it is claim 2, and the next is 1"},
		"nobody's lease":     {asked, ThreadLeaseExtended{}, "nobody has claimed"},
		"a try left out":     {asked, ModelUnavailable{Try: 2}, "it is try 2, and the next is 1"},
		"a stranger":         {asked, strange{}, "does not belong in the stream of a thread"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var state State
			for _, happened := range test.before {
				state = Evolve(state, happened)
			}
			_, err := Follow(state, test.then)
			require.ErrorAs(t, err, new(*event.ImpossibleError))
			require.ErrorContains(t, err, test.why)
		})
	}
}

// No event of a thread is strange to Follow, or a thread that came to it would be called forged.
func TestEveryEventBelongs(t *testing.T) {
	t.Parallel()
	codec := event.NewRegistry()
	Register(codec)
	for _, name := range codec.Types() {
		happened, err := codec.Decode(name, codec.Version(name), []byte(`{}`))
		require.NoError(t, err)
		if _, err := Follow(Evolve(State{}, opened), happened); err != nil {
			require.NotContains(t, err.Error(), "does not belong", "add %s to Follow", name)
		}
	}
}

// strange is an event of no stream.
type strange struct{}

func (strange) EventType() string { return "Strange" }
