package handlers_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Killed between any two appends, also in the middle of a conversation, the next life comes to the
// same end. No call that was answered is made again, no turn that was kept is asked for again.
// In every run of the tests at every eleventh place, in a campaign (KINTSUGI_CAMPAIGN) at each.
func TestACrashAnywhereInAConversation(t *testing.T) {
	t.Parallel()
	stride := int64(11)
	if os.Getenv("KINTSUGI_CAMPAIGN") != "" {
		stride = 1
	}
	for survived := int64(3); ; survived += stride {
		if whole := crashInConversation(t, survived); whole {
			require.Greater(t, survived, int64(20), "there are as many places to die at")
			return
		}
	}
}

func crashInConversation(t *testing.T, survived int64) (whole bool) {
	t.Helper()
	w := newWorld(t)
	n := w.open(nil)
	id := n.tallied(workflow.Settings{})
	n.outside.answer("/docs", 200, `{"amounts":"are texts"}`)
	base := w.outside.server.URL
	// The answer follows from the turns so far, so that a resumed conversation gets the same.
	server := llmtest.ServeWith(t, responder(func(r llmtest.Request) llmtest.Step {
		turns := 0
		for _, message := range r.Messages {
			if message.Role == llm.Assistant {
				turns++
			}
		}
		signed := map[string]any{"extra_content": map[string]any{"thought_signature": fmt.Sprintf("of turn %d", turns)}}
		for i := range turns { // it refuses a conversation that has lost what it added, as Gemini does
			if !r.Has(fmt.Sprintf(`"extra_content":{"thought_signature":"of turn %d"}`, i)) {
				return llmtest.Fail(400, "invalid_argument", "Function call is missing a thought_signature")
			}
		}
		switch turns {
		case 0:
			return llmtest.Calls(llmtest.ToolCall{Tool: "fetch", Args: map[string]string{"url": base + "/docs"}}, llmtest.ToolCall{Tool: "history", Args: map[string]string{}}).WithExtra(nil, signed)
		case 1:
			return fixCall(n.outside.local(tally)+"\n// nothing", "A slip").WithExtra(nil, signed)
		}
		return fixCall(n.mendedTally(), "Amounts are texts").WithExtra(nil, signed)
	}))
	n.admit(id, `{"day":"2026-03-09"}`)
	n.close()

	ctx, die := context.WithCancel(t.Context())
	defer die()
	var doomed *mortal
	n = w.open(func(log eventlog.Log) eventlog.Log {
		doomed = &mortal{Log: log, die: die}
		doomed.left.Store(survived)
		return doomed
	})
	n.model(server.Model())
	_ = n.settle(ctx) // ends as a killed process does: in the middle
	whole = doomed.left.Load() >= 0
	n.close()

	kept := map[string]bool{} // what the first life was answered, by thread and call
	keptTurns := 0
	n = w.open(nil)
	defer n.close()
	n.model(server.Model())
	fetched, asked := n.outside.count("GET /docs"), len(server.Requests())
	if m := n.state(id).Maintenance; m != nil {
		for recorded, err := range n.commands.History(t.Context(), []string{thread.Stream(m.Thread)}) {
			require.NoError(t, err)
			switch e := recorded.Event.(type) {
			case thread.ToolResulted:
				kept[e.Call] = true
			case thread.MessageAppended:
				if e.Usage != nil {
					keptTurns++
				}
			}
		}
	}
	require.NoError(t, n.settle(t.Context()))
	if n.resolve(id, run.ResolvedHappened) > 0 { // killed while a write was out
		require.NoError(t, n.settle(t.Context()))
	}
	at := fmt.Sprintf("killed after %d appends", survived)
	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed), at)
	require.Equal(t, workflow.StatusActive, n.state(id).Status, at)
	require.LessOrEqual(t, n.outside.count("POST /done"), 4, at)
	if len(kept) > 0 {
		require.Equal(t, fetched, n.outside.count("GET /docs"), "%s: the live fetch was answered, and is not repeated", at)
	}
	require.LessOrEqual(t, n.outside.count("GET /docs"), 2, at)
	if keptTurns > 0 {
		require.Equal(t, 3-keptTurns, len(server.Requests())-asked, "%s: a turn that was kept is not asked for again", at)
	}
	told, entries := n.said(id)
	require.Equal(t, 3, told.Turns, at)
	require.EqualValues(t, 330, told.Tokens, at)
	results := map[string]int{}
	for _, entry := range entries {
		if entry.Resulted != nil {
			results[entry.Resulted.Call]++
		}
	}
	require.Len(t, results, 4, at)
	for call, times := range results {
		require.Equal(t, 1, times, "%s: call %s", at, call)
	}
	return whole
}

// diesBefore is a process that is killed right before it appends an event of a type.
type diesBefore struct {
	eventlog.Log
	name string
	die  context.CancelFunc
	dead atomic.Bool
}

func (d *diesBefore) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if slices.ContainsFunc(events, func(e eventlog.Event) bool { return e.Type == d.name }) {
		d.dead.Store(true)
	}
	if d.dead.Load() {
		d.die()
		return eventlog.Appended{}, errCrashed
	}
	return d.Log.Append(ctx, stream, expected, events)
}

// Killed after the model had the gate's word, and before its fix was handed in, the next life hands in
// that fix, and asks nobody again.
func TestAFixThatPassedIsHandedInByTheNextLife(t *testing.T) {
	t.Parallel()
	for _, name := range []string{workflow.TypeFixProposed, thread.TypeThreadClosed, workflow.TypeFixVerified} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			n := w.open(nil)
			id := n.tallied(workflow.Settings{})
			server := llmtest.Serve(t, fixCall(n.mendedTally(), "Amounts are texts"))
			n.admit(id, `{"day":"2026-03-09"}`)
			n.close()
			ctx, die := context.WithCancel(t.Context())
			defer die()
			n = w.open(func(log eventlog.Log) eventlog.Log { return &diesBefore{Log: log, name: name, die: die} })
			n.model(server.Model())
			_ = n.settle(ctx)
			require.Error(t, ctx.Err(), "it was killed")
			n.close()

			n = w.open(nil)
			defer n.close()
			n.model(server.Model())
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
			require.Len(t, server.Requests(), 1)
		})
	}
}

// Two nodes never work on one thread. One that lapsed is gone on with elsewhere, and the node that
// wakes up late can say nothing more.
func TestAThreadIsClaimedByOneNode(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	ctx, by := t.Context(), commands.Meta{Actor: "maintainer:t"}
	_, err := n.commands.OpenThread(ctx, thread.Open{Thread: "th", Workflow: "w", Kind: thread.KindMaintainer, Task: "t"}, by)
	require.NoError(t, err)
	place := func(node string) agents.Place {
		return agents.Place{Node: node, Lease: time.Hour, Now: n.clock.now}
	}
	first, err := agents.Claim(ctx, n.commands, "th", place("a"), by)
	require.NoError(t, err)
	require.NoError(t, first.Begin(ctx, "You mend.", "Mend this."))
	require.NoError(t, first.Answered(ctx, llm.Answer{Text: "I look.", Model: "m", Usage: llm.Usage{Input: 10, Output: 2, CostUSD: 0.5}, Calls: []llm.Call{
		{ID: "c1", Tool: "look", Arguments: `{"path":"a"}`}, {ID: "c2", Tool: "look", Arguments: "no \"JSON\""},
	}}))
	_, err = agents.Claim(ctx, n.commands, "th", place("b"), by)
	var wait *loop.Wait
	require.ErrorAs(t, err, &wait)
	require.WithinDuration(t, n.clock.now().Add(time.Hour), wait.Until, 10*time.Minute)

	n.clock.advance(2 * time.Hour)
	second, err := agents.Claim(ctx, n.commands, "th", place("b"), by)
	require.NoError(t, err)
	for _, late := range []error{
		first.Returned(ctx, llm.Call{ID: "c1"}, agent.Result{Value: []byte(`1`)}, ""), first.Answered(ctx, llm.Answer{Text: "late"}),
		first.Say(ctx, llm.User, "late", ""), first.Judged(ctx, thread.JudgeCandidate{}, "late"), first.Close(ctx, "late"),
		first.Missed(ctx, "m", &llm.Error{Kind: llm.Quota}, n.clock.now()),
	} {
		require.ErrorAs(t, late, &wait)
	}

	conversation, begun, err := second.Conversation(ctx)
	require.NoError(t, err)
	require.True(t, begun)
	require.Equal(t, agent.Conversation{
		Messages: []llm.Message{
			{Role: llm.System, Text: "You mend."}, {Role: llm.User, Text: "Mend this."},
			{Role: llm.Assistant, Text: "I look.", Calls: []llm.Call{{ID: "c1", Tool: "look", Arguments: `{"path":"a"}`}, {ID: "c2", Tool: "look", Arguments: "no \"JSON\""}}},
		},
		Spent: agent.Spent{Turns: 1, Tokens: 12, CostUSD: 0.5},
	}, conversation)
	require.NoError(t, second.Returned(ctx, llm.Call{ID: "c1"}, agent.Result{Value: []byte(`{"seen":1}`)}, ""))
	require.NoError(t, second.Returned(ctx, llm.Call{ID: "c2"}, agent.Result{End: true}, "not JSON"))
	conversation, _, err = second.Conversation(ctx)
	require.NoError(t, err)
	require.True(t, conversation.Ended)
	require.Equal(t, []llm.Message{{Role: llm.ToolRole, Call: "c1", Text: `{"seen":1}`}, {Role: llm.ToolRole, Call: "c2", Text: "Error: not JSON"}}, conversation.Messages[3:])

	// A node that ends gives its thread away at once.
	_, stop := second.Keep(ctx)
	stop()
	third, err := agents.Claim(ctx, n.commands, "th", place("a"), by)
	require.NoError(t, err)
	require.NoError(t, third.Begin(ctx, "You mend again."))
	_, begun, err = third.Conversation(ctx)
	require.NoError(t, err)
	require.False(t, begun, "it was cut short before the task was told")
	require.NoError(t, third.Close(ctx, "done"))
	state, err := third.State(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 12, state.Tokens)
	fourth, err := agents.Claim(ctx, n.commands, "th", place("b"), by)
	require.NoError(t, err)
	require.True(t, fourth.Closed())
	require.NoError(t, fourth.Say(ctx, llm.User, "too late", ""), "what comes after the end is let go")
}
