package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// script is a model that says what it was told to say, and keeps what it was asked.
type script struct {
	answers []llm.Answer
	err     error // after the answers
	asked   []llm.Request
	before  func()
}

func (*script) Name() string { return "scripted" }

func (s *script) Chat(ctx context.Context, request llm.Request) (llm.Answer, error) {
	s.asked = append(s.asked, request)
	if s.before != nil {
		s.before()
	}
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, err
	}
	if len(s.asked) > len(s.answers) {
		if s.err == nil {
			return llm.Answer{Text: "I have nothing more to say."}, nil
		}
		return llm.Answer{}, s.err
	}
	return s.answers[len(s.asked)-1], nil
}

// notes is a journal in memory, which survives a crash. It dies at the entry of that number.
type notes struct {
	conversation agent.Conversation
	dieAt        int
	entries      int
}

var errDied = errors.New("the process was killed")

func (n *notes) keep(message llm.Message) error {
	if n.entries++; n.entries == n.dieAt {
		return errDied
	}
	n.conversation.Messages = append(n.conversation.Messages, message)
	return nil
}

func (n *notes) Answered(_ context.Context, answer llm.Answer) error {
	if err := n.keep(llm.Message{Role: llm.Assistant, Text: answer.Text, Calls: answer.Calls}); err != nil {
		return err
	}
	n.conversation.Spent.Turns++
	n.conversation.Spent.Tokens += answer.Usage.Input + answer.Usage.Output
	n.conversation.Spent.CostUSD += answer.Usage.CostUSD
	return nil
}

func (n *notes) Returned(_ context.Context, call llm.Call, result agent.Result, problem string) error {
	err := n.keep(llm.Message{Role: llm.ToolRole, Call: call.ID, Text: agent.Text(result.Value, problem)})
	n.conversation.Ended = n.conversation.Ended || (err == nil && result.End)
	return err
}

func (n *notes) Said(_ context.Context, message llm.Message) error { return n.keep(message) }

// bench is an agent with two tools, and what they were called with.
type bench struct {
	config agent.Config
	model  *script
	notes  *notes
	ran    []string
}

func setup(t *testing.T, answers ...llm.Answer) *bench {
	t.Helper()
	b := &bench{model: &script{answers: answers}, notes: &notes{conversation: agent.Conversation{
		Messages: []llm.Message{{Role: llm.System, Text: "You mend."}, {Role: llm.User, Text: "Mend this."}},
	}}}
	b.config = agent.Config{Model: b.model, Journal: b.notes, Tools: []agent.Tool{
		{
			Tool: llm.Tool{Name: "look", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","minLength":1}},"required":["path"],"additionalProperties":false}`)},
			Run: func(_ context.Context, call string, args json.RawMessage) (agent.Result, error) {
				b.ran = append(b.ran, "look "+string(args))
				return agent.Result{Value: json.RawMessage(fmt.Sprintf(`{"seen":%d}`, len(b.ran)))}, nil
			},
		},
		{
			Tool: llm.Tool{Name: "finish", Schema: json.RawMessage(`{"type":"object"}`)},
			Run: func(context.Context, string, json.RawMessage) (agent.Result, error) {
				b.ran = append(b.ran, "finish")
				return agent.Result{Value: json.RawMessage(`"finished"`), End: true}, nil
			},
		},
	}}
	return b
}

func (b *bench) run(t *testing.T) agent.Ended {
	t.Helper()
	ended, err := agent.Run(t.Context(), b.config, b.notes.conversation)
	require.NoError(t, err)
	b.everyCallIsAnswered(t)
	return ended
}

// everyCallIsAnswered: providers refuse a conversation with an orphan.
func (b *bench) everyCallIsAnswered(t *testing.T) {
	t.Helper()
	open := map[string]bool{}
	for _, message := range b.notes.conversation.Messages {
		for _, call := range message.Calls {
			require.False(t, open[call.ID], "two calls are named %q", call.ID)
			open[call.ID] = true
		}
		if message.Role == llm.ToolRole {
			require.True(t, open[message.Call])
			delete(open, message.Call)
		}
	}
	require.Empty(t, open)
}

func (b *bench) lastAnswer() string {
	m := b.notes.conversation.Messages
	return m[len(m)-1].Text
}

func calls(pairs ...string) llm.Answer {
	answer := llm.Answer{Usage: llm.Usage{Input: 100, Output: 10, CostUSD: 0.01}}
	for i := 0; i < len(pairs); i += 2 {
		answer.Calls = append(answer.Calls, llm.Call{ID: fmt.Sprint(i), Tool: pairs[i], Arguments: pairs[i+1]})
	}
	return answer
}

func TestAToolEndsTheAgent(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("look", `{"path":"a"}`), calls("finish", `{}`, "look", `{"path":"b"}`))
	b.model.answers[1].Text = "That is it."
	ended := b.run(t)
	require.Equal(t, agent.Ended{Why: agent.Done, Message: "That is it.", Spent: agent.Spent{Turns: 2, Tokens: 220, CostUSD: 0.02}}, ended)
	require.Equal(t, []string{`look {"path":"a"}`, "finish", `look {"path":"b"}`}, b.ran, "the whole batch is carried out")
	require.Equal(t, ended.Spent, b.notes.conversation.Spent)
	require.Len(t, b.model.asked[0].Tools, 2)
	require.Equal(t, `{"seen":1}`, b.model.asked[1].Messages[3].Text)
}

func TestATextWithoutCallsEndsTheAgent(t *testing.T) {
	t.Parallel()
	b := setup(t, llm.Answer{Text: "It cannot be mended."})
	ended := b.run(t)
	require.Equal(t, agent.Silent, ended.Why)
	require.Equal(t, "It cannot be mended.", ended.Message)
}

// A malformed call is answered with what is wrong and the schema, and never carried out.
func TestMalformedArgumentsAreToldAndNeverRun(t *testing.T) {
	t.Parallel()
	for arguments, fault := range map[string]string{
		"":                           `missing property 'path'`,
		" ":                          `missing property 'path'`,
		"look at a":                  "not JSON",
		`{"path":"a"`:                "not JSON",
		`{"path":"a"} {}`:            "not JSON",
		`{"path":"a"}}`:              "not JSON",
		`"{\"path\":\"a\"}"`:         "not a JSON object",
		`["a"]`:                      "not a JSON object",
		`null`:                       `missing property 'path'`,
		`{}`:                         `missing property 'path'`,
		`{"path":""}`:                "at '/path': minLength: got 0, want 1",
		`{"path":1}`:                 "at '/path': got number, want string",
		`{"path":null}`:              "at '/path': got null, want string",
		`{"path":"a","run":"other"}`: `additional properties 'run' not allowed`,
	} {
		t.Run(arguments, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("look", arguments))
			require.Equal(t, agent.Silent, b.run(t).Why)
			require.Empty(t, b.ran)
			told := b.model.asked[1].Messages
			require.Contains(t, told[3].Text, fault)
			require.Contains(t, told[3].Text, `"minLength":1`, "the schema")
			require.Contains(t, told[3].Text, arguments)
			require.True(t, json.Valid([]byte(told[2].Calls[0].Arguments)), "what goes back to the provider is JSON")
			require.Equal(t, arguments, b.notes.conversation.Messages[2].Calls[0].Arguments, "what the model wrote is kept")
		})
	}
}

func TestEchoesAreCut(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("look", strings.Repeat("é", 5000)))
	b.run(t)
	require.Equal(t, 800, strings.Count(b.model.asked[1].Messages[3].Text, "é"))
}

func TestUnknownToolsAreToldWhatThereIs(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("save", `{"code":"x"}`))
	b.run(t)
	require.Empty(t, b.ran)
	require.Contains(t, b.model.asked[1].Messages[3].Text, `there is no tool "save": the tools are look, finish`)
}

// A warning is ignored by models that loop: the third time is the end.
func TestIdenticalBatchesStop(t *testing.T) {
	t.Parallel()
	same, spelled := calls("look", `{"path":"a"}`), calls("look", "{ \"path\" : \"\\u0061\" }")
	b := setup(t, same, spelled, same, same)
	ended := b.run(t)
	require.Equal(t, agent.Repeating, ended.Why)
	require.Len(t, b.ran, 2, "the third is not carried out")
	require.Contains(t, b.lastAnswer(), "the same calls came 3 times")
	require.Len(t, b.model.asked, 3)
}

func TestTheSameCallsWithTheSameAnswersStopAlsoApart(t *testing.T) {
	t.Parallel()
	a, c := calls("lost", `{"path":"a"}`), calls("look", `{"path":"c"}`)
	b := setup(t, a, c, a, c, a)
	require.Equal(t, agent.Repeating, b.run(t).Why)
	require.Len(t, b.ran, 2)

	// Asking again after something changed is no loop.
	b = setup(t, calls("look", `{"path":"a"}`), calls("look", `{"path":"b"}`), calls("look", `{"path":"a"}`), calls("look", `{"path":"c"}`), calls("look", `{"path":"a"}`))
	require.Equal(t, agent.Silent, b.run(t).Why)
	require.Len(t, b.ran, 5)
}

func endless(n int) []llm.Answer {
	answers := make([]llm.Answer, n)
	for i := range answers {
		answers[i] = calls("look", fmt.Sprintf(`{"path":"%d"}`, i))
	}
	return answers
}

func TestBudgetsEndTheAgent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		budget agent.Budget
		detail string
		turns  int
	}{
		"turns by default": {agent.Budget{}, "6 turns", 6},
		"turns":            {agent.Budget{Turns: 20}, "20 turns", 20},
		"tokens":           {agent.Budget{Turns: 20, Tokens: 400}, "400 tokens", 4},
		"money":            {agent.Budget{Turns: 20, CostUSD: 0.03}, "0.03 USD", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, endless(30)...)
			b.config.Budget = test.budget
			ended := b.run(t)
			require.Equal(t, agent.OutOf, ended.Why)
			require.Equal(t, test.detail, ended.Detail)
			require.Equal(t, test.turns, ended.Spent.Turns)

			again := *b
			again.model = &script{}
			again.config.Model = again.model
			require.Equal(t, agent.OutOf, again.run(t).Why, "a resumed conversation keeps what it spent")
			require.Empty(t, again.model.asked)
		})
	}
}

// Budgets are looked at between turns, so one turn may not take more than is left.
func TestAnAnswerMayNotTakeMoreThanIsLeft(t *testing.T) {
	t.Parallel()
	b := setup(t, endless(2)...)
	b.config.Budget.Tokens = 1000
	b.run(t)
	require.LessOrEqual(t, b.model.asked[0].MaxTokens, int64(1000))
	require.Less(t, b.model.asked[1].MaxTokens, int64(900))
	b = setup(t)
	b.run(t)
	require.EqualValues(t, 8192, b.model.asked[0].MaxTokens)
}

func TestLongResultsAreCut(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("look", `{"path":"a"}`))
	b.config.Tools[0].Run = func(context.Context, string, json.RawMessage) (agent.Result, error) {
		long, err := json.Marshal("<begin>" + strings.Repeat("ü", 100_000) + "<end>")
		return agent.Result{Value: long}, err
	}
	b.run(t)
	told := b.model.asked[1].Messages[3].Text
	require.LessOrEqual(t, len(told), agent.MaxResult)
	require.Contains(t, told, "<begin>")
	require.Contains(t, told, "<end>", "a fence is closed")
	require.Contains(t, told, "200012 bytes in all")
}

// The errors of tools are for the model, but ours are not.
func TestErrorsOfTools(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("look", `{"path":"a"}`))
	b.config.Tools[0].Run = func(context.Context, string, json.RawMessage) (agent.Result, error) {
		return agent.Result{}, errors.New("there is no path a")
	}
	b.run(t)
	require.Equal(t, "Error: there is no path a", b.model.asked[1].Messages[3].Text)

	for name, run := range map[string]func(context.Context, string, json.RawMessage) (agent.Result, error){
		"fatal": func(context.Context, string, json.RawMessage) (agent.Result, error) {
			return agent.Result{}, fmt.Errorf("deep: %w", &agent.Fatal{Err: errDied})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("look", `{"path":"a"}`))
			b.config.Tools[0].Run = run
			_, err := agent.Run(t.Context(), b.config, b.notes.conversation)
			require.ErrorAs(t, err, new(*agent.Fatal))
			require.ErrorContains(t, err, errDied.Error())
			require.Len(t, b.model.asked, 1)
		})
	}
}

// A tool that panics is told to the model, which may go on without it; the second time the agent ends, and says why.
func TestPanicsOfTools(t *testing.T) {
	t.Parallel()
	for panics, end := range map[int]agent.End{1: agent.Done, 2: agent.Broken} {
		b := setup(t, calls("look", `{"path":"a"}`), calls("look", `{"path":"b"}`), calls("finish", `{}`))
		run, left := b.config.Tools[0].Run, panics
		b.config.Tools[0].Run = func(ctx context.Context, call string, args json.RawMessage) (agent.Result, error) {
			if left--; left >= 0 {
				panic("a tool broke")
			}
			return run(ctx, call, args)
		}
		ended := b.run(t)
		require.Equal(t, end, ended.Why)
		require.Contains(t, b.model.asked[1].Messages[3].Text, "the tool look failed with panic: a tool broke (agent_test.go:")
		if end == agent.Broken {
			require.Contains(t, ended.Detail, "the tool look failed")
		}
	}
}

func TestErrorsOfTheProviderAreReturnedAsTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t, endless(1)...)
	b.model.err = &llm.Error{Kind: llm.Quota, Status: 429}
	ended, err := agent.Run(t.Context(), b.config, b.notes.conversation)
	provider, is := errors.AsType[*llm.Error](err)
	require.True(t, is)
	require.Equal(t, llm.Quota, provider.Kind)
	require.Equal(t, 1, ended.Spent.Turns, "what was spent is known")
}

// A crash after any entry: the next life goes on, and nothing that was answered is done again.
func TestACrashAnywhereResumes(t *testing.T) {
	t.Parallel()
	whole := []llm.Answer{calls("look", `{"path":"a"}`, "look", `{"path":"b"}`), calls("look", `{"path":"c"}`, "finish", `{}`)}
	for dieAt := 1; dieAt <= 6; dieAt++ {
		b := setup(t, whole...)
		b.notes.dieAt = dieAt
		_, err := agent.Run(t.Context(), b.config, b.notes.conversation)
		require.ErrorIs(t, err, errDied)
		require.Len(t, b.notes.conversation.Messages, dieAt-1+2)
		answered := b.notes.conversation.Spent.Turns
		before := len(b.ran)

		b.model.answers, b.model.asked = whole[answered:], nil
		ended := b.run(t)
		require.Equal(t, agent.Done, ended.Why)
		require.Equal(t, 2, ended.Spent.Turns)
		require.Len(t, b.model.asked, 2-answered, "no turn is asked for twice")
		repeated := 0
		if dieAt != 1 && dieAt != 4 { // the call whose answer was not kept
			repeated = 1
		}
		require.Len(t, b.ran, 4+repeated, "died at %d after %d calls", dieAt, before)
	}

	b := setup(t, whole...)
	b.run(t)
	b.model.asked = nil
	require.Equal(t, agent.Done, b.run(t).Why, "what has ended stays ended")
	require.Empty(t, b.model.asked)
}

func TestProvidersIdsAreMadeUnique(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("look", `{"path":"a"}`, "look", `{"path":"b"}`), calls("look", `{"path":"c"}`), llm.Answer{Calls: []llm.Call{
		{Tool: "look", Arguments: `{"path":"d"}`}, {Tool: "look", Arguments: `{"path":"e"}`}, {ID: strings.Repeat("x", 500), Tool: "look", Arguments: `{"path":"f"}`},
	}})
	b.run(t)
	require.Len(t, b.ran, 6)
}

func TestATextMayStandForACall(t *testing.T) {
	t.Parallel()
	b := setup(t, llm.Answer{Text: "look at a"})
	b.config.Implied = func(text string) (llm.Call, bool) {
		path, is := strings.CutPrefix(text, "look at ")
		return llm.Call{Tool: "look", Arguments: fmt.Sprintf(`{"path":%q}`, path)}, is
	}
	require.Equal(t, agent.Silent, b.run(t).Why)
	require.Equal(t, []string{`look {"path":"a"}`}, b.ran)
}

// Nothing is written where nothing is needed: that costs no turn.
func TestEmptyArgumentsAreNone(t *testing.T) {
	t.Parallel()
	for _, nothing := range []string{"", " ", "null", "{}"} {
		b := setup(t, calls("finish", nothing))
		require.Equal(t, agent.Done, b.run(t).Why, "%q", nothing)
		require.Len(t, b.model.asked, 1, "%q", nothing)
	}
}

// A model's thoughts are neither its answer nor shown to people, and a call in them is not carried out.
func TestThoughtsAreNotSaid(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"<think>Is it sum?\n```js\nlook\n```</think>\n\nIt is sum.":   "It is sum.",
		"Well. <thinking>Hm.</thinking>It is sum.":                    "Well. It is sum.",
		"the mark that opens it was in the prompt</think> It is sum.": "It is sum.",
		"It is sum. <THINK>and here the answer was cut at its limit":  "It is sum.",
		"Compare a<b and c>d; I think it is sum.":                     "Compare a<b and c>d; I think it is sum.",
	} {
		b := setup(t, llm.Answer{Text: said})
		b.config.Implied = func(text string) (llm.Call, bool) { return llm.Call{}, strings.Contains(text, "```js") }
		require.Equal(t, want, b.run(t).Message)
		require.Empty(t, b.ran)
	}
	b := setup(t, llm.Answer{Text: "<think>only that</think>"}, calls("finish", `{}`))
	require.Equal(t, agent.Done, b.run(t).Why)
	require.Contains(t, b.model.asked[1].Messages[3].Text, "was empty")
}

func TestAccidentsAreAskedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, llm.Answer{Text: "The field was", Cut: true}, llm.Answer{Text: " "}, calls("finish", `{}`))
	require.Equal(t, agent.Done, b.run(t).Why)
	require.Contains(t, b.model.asked[1].Messages[3].Text, "cut at the limit")
	require.Contains(t, b.model.asked[2].Messages[5].Text, "was empty")

	b = setup(t, make([]llm.Answer, 10)...)
	require.Equal(t, agent.Silent, b.run(t).Why)
	require.Len(t, b.model.asked, 3)
}

func TestAFloodOfCallsIsBounded(t *testing.T) {
	t.Parallel()
	var flood []string
	for i := range 50 {
		flood = append(flood, "look", fmt.Sprintf(`{"path":"%d"}`, i))
	}
	b := setup(t, calls(flood...))
	b.run(t)
	require.Len(t, b.ran, 16)
	require.Contains(t, b.notes.conversation.Messages[len(b.notes.conversation.Messages)-2].Text, "at most 16 calls")
}

func TestTheContextEndsTheAgent(t *testing.T) {
	t.Parallel()
	b := setup(t, endless(3)...)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.model.before = func() { cancel(errDied) }
	_, err := agent.Run(ctx, b.config, b.notes.conversation)
	require.ErrorIs(t, err, errDied)
}

func TestASchemaThatCannotBeCheckedIsAMistake(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `{"type":"string"}`, `{"type":"object","oneOf":[]}`} {
		b := setup(t)
		b.config.Tools[0].Schema = json.RawMessage(text)
		_, err := agent.Run(t.Context(), b.config, b.notes.conversation)
		require.ErrorAs(t, err, new(*agent.Fatal))
	}
}

// A resumed conversation that had ended ends the same way, and no model is asked for it.
func TestEndsAreKept(t *testing.T) {
	t.Parallel()
	same := calls("look", `{"path":"a"}`)
	for why, answers := range map[agent.End][]llm.Answer{
		agent.Silent:    {{Text: "It cannot be mended."}},
		agent.Repeating: {same, same, same},
	} {
		b := setup(t, answers...)
		require.Equal(t, why, b.run(t).Why)
		b.model.asked = nil
		require.Equal(t, why, b.run(t).Why)
		require.Empty(t, b.model.asked)

		b.notes.conversation.Messages = append(b.notes.conversation.Messages, llm.Message{Role: llm.User, Text: "Try again."})
		b.config.Budget.Turns = 20
		b.run(t)
		require.NotEmpty(t, b.model.asked, "a person's word goes on")
	}
}

// Rule: every answer of a provider can be kept.
func TestAnswersAreKeptWithinBounds(t *testing.T) {
	t.Parallel()
	long := llm.Answer{Text: "a\x00b\xffc\x1b[31m"}
	for range 200 {
		long.Calls = append(long.Calls, llm.Call{Tool: strings.Repeat("t\x00", 1000), Arguments: strings.Repeat("\x01", 1<<20) + strings.Repeat("x", 10<<10)})
	}
	b := setup(t, long)
	b.run(t)
	kept := b.notes.conversation.Messages[2]
	require.Equal(t, "ab\ufffdc[31m", kept.Text)
	require.Len(t, kept.Calls, 64)
	bytes := 0
	for _, call := range kept.Calls {
		bytes += len(call.Tool) + len(call.Arguments)
	}
	require.Less(t, bytes, 200<<10)
}

// Proxies put a model's thoughts into the ids of its calls, and look for them when the ids come back; other members
// that a provider adds go back with its turn. A member that is too large for the journal is left out.
func TestLongIdsComeBackUnchanged(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("signature_", 200)
	first := calls("look", `{"path":"a"}`)
	first.Calls[0].ID, first.Calls[0].Extra, first.Extra = id, json.RawMessage(`{"s":1}`), json.RawMessage(`{"thoughts":"x"}`)
	second := calls("look", `{"path":"b"}`)
	second.Extra = json.RawMessage(`"` + strings.Repeat("x", 300<<10) + `"`)
	third := calls("finish", `{}`)
	b := setup(t, first, second, third)
	b.run(t)
	sent := b.model.asked[2].Messages
	require.Equal(t, id, sent[2].Calls[0].ID)
	require.Equal(t, id, sent[3].Call)
	require.JSONEq(t, `{"s":1}`, string(sent[2].Calls[0].Extra))
	require.JSONEq(t, `{"thoughts":"x"}`, string(sent[2].Extra))
	require.Nil(t, sent[4].Extra)
}
