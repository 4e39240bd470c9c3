package llm_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// then is what was said after hello.
func then(messages ...llm.Message) []llm.Message { return slices.Concat(hello.Messages, messages) }

// Members that a provider adds to a turn and to its calls go back as they came: Gemini refuses a conversation without
// the signature of its thoughts, DeepSeek one without the thoughts. With and without a stream.
func TestMembersOfTheProviderGoBack(t *testing.T) {
	t.Parallel()
	signature := map[string]any{"extra_content": map[string]any{"google": map[string]any{"thought_signature": "CpQB<&>=="}}}
	thoughts := map[string]any{"reasoning_content": "I look at it. Then I call.", "reasoning_details": []any{map[string]any{"type": "reasoning.encrypted", "data": "x", "index": 0}}}
	streamed := llmtest.Call("fix", map[string]any{"code": "x"}).WithExtra(thoughts, signature)
	atOnce := llmtest.Body(streamed.Body)
	for name, step := range map[string]llmtest.Step{"in pieces": streamed, "at once": atOnce} {
		server := llmtest.Serve(t, step, llmtest.Text("done"))
		model := server.Model()
		answer, err := model.Chat(t.Context(), hello)
		require.NoError(t, err)
		request := hello
		request.Messages = then(llm.Message{Role: llm.Assistant, Text: answer.Text, Calls: answer.Calls, Extra: answer.Extra},
			llm.Message{Role: llm.ToolRole, Call: answer.Calls[0].ID, Text: "ok"})
		_, err = model.Chat(t.Context(), request)
		require.NoError(t, err)
		var sent struct{ Messages []map[string]any }
		require.NoError(t, json.Unmarshal(server.Request(1).Body, &sent))
		said := sent.Messages[2]
		require.Equal(t, thoughts["reasoning_content"], said["reasoning_content"], name)
		details, err := json.Marshal(said["reasoning_details"])
		require.NoError(t, err)
		require.JSONEq(t, `[{"type":"reasoning.encrypted","data":"x","index":0}]`, string(details))
		call := said["tool_calls"].([]any)[0].(map[string]any)
		require.Equal(t, signature["extra_content"], call["extra_content"], name)
		require.Equal(t, "fix", call["function"].(map[string]any)["name"])
	}
	answer, _ := chat(t, hello, completion("stop", `{"role":"assistant","content":"a","refusal":null,"annotations":[],"audio":null}`))
	require.Nil(t, answer.Extra, "what every provider says is none of it")
	// A member inside the function of a call goes back there.
	answer, server := chat(t, hello, completion("stop", `{"tool_calls":[{"id":"x","type":"function","function":{"name":"fix","arguments":"{}","provider_specific_fields":{"a":1}}}]}`))
	require.JSONEq(t, `{"function":{"provider_specific_fields":{"a":1}}}`, string(answer.Calls[0].Extra))
	require.Len(t, server.Requests(), 1)
}

func bad(status int, message, param string) llmtest.Step {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": param}})
	return llmtest.Step{Status: status, Body: string(body)}
}

// Exactly the parameter that a provider names is left out, in whatever words, and never sent again.
func TestExactlyTheParameterThatARefusalNamesIsDropped(t *testing.T) {
	t.Parallel()
	thinking := hello
	thinking.Messages = then(llm.Message{Role: llm.Assistant, Text: "a", Extra: json.RawMessage(`{"reasoning":"r","kept":1}`)}, llm.Message{Role: llm.User, Text: "b"})
	for name, test := range map[string]struct {
		refusal llmtest.Step
		drops   string
	}{
		"Opus":             {bad(400, "`temperature` is deprecated for this model.", ""), "temperature"},
		"OpenAI":           {bad(400, "Unsupported value: 'temperature' does not support 0.1 with this model.", "temperature"), "temperature"},
		"Bedrock":          {bad(400, "temperature may only be set to 1 when thinking is enabled", ""), "temperature"},
		"a framework":      {llmtest.Step{Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`}, "stream_options"},
		"no streams":       {bad(400, "Streaming is not supported with tools: set 'stream' to false", ""), "stream"},
		"Groq":             {bad(400, "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning' is unsupported)]", ""), "reasoning"},
		"Mistral":          {llmtest.Step{Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning"],"msg":"Extra inputs are not permitted"}]}`}, "reasoning"},
		"a path":           {bad(400, "Additional properties are not allowed", "messages[2].reasoning"), "reasoning"},
		"the limit's name": {bad(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"), "max_tokens"},
	} {
		server := llmtest.Serve(t, test.refusal, llmtest.Text("one"), llmtest.Text("two"))
		model := server.Model()
		for _, want := range []string{"one", "two"} {
			answer, err := model.Chat(t.Context(), thinking)
			require.NoError(t, err, name)
			require.Equal(t, want, answer.Text)
		}
		require.Equal(t, []string{test.drops}, model.LeftOut(), name)
		for i, request := range server.Requests() {
			var sent struct {
				Messages []map[string]json.RawMessage `json:"messages"`
			}
			has := map[string]json.RawMessage{}
			require.NoError(t, json.Unmarshal(request.Body, &has))
			require.NoError(t, json.Unmarshal(request.Body, &sent))
			has["reasoning"], has["kept"] = sent.Messages[2]["reasoning"], sent.Messages[2]["kept"]
			for _, parameter := range []string{"temperature", "stream_options", "stream", "reasoning", "kept", "max_tokens"} {
				gone := i > 0 && (parameter == test.drops || test.drops == "stream" && parameter == "stream_options")
				require.Equal(t, gone, has[parameter] == nil, "%s: %s in request %d", name, parameter, i)
			}
		}
	}
}

// A refusal that names nothing which can be left out is the caller's to hear, with the name.
func TestARefusalNamesTheParameter(t *testing.T) {
	t.Parallel()
	for param, step := range map[string]llmtest.Step{
		"tools": bad(400, "tools are not supported by this model", "tools"), "": bad(400, "the conversation is no good", ""),
		"max_completion_tokens": bad(400, "Unsupported parameter", "max_completion_tokens"),
	} {
		failed, _ := refused(t, step)
		require.Equal(t, llm.Invalid, failed.Kind)
		require.Equal(t, param, failed.Param)
	}
}

// Two conversations at once, each refused for the same reason, both go on.
func TestARefusalThatAnotherConversationHeardIsHeardToo(t *testing.T) {
	t.Parallel()
	refusal := bad(400, "`temperature` is deprecated for this model.", "")
	both := make(chan struct{})
	server := llmtest.ServeWith(t, llmtest.RespondFunc(func(r llmtest.Request) llmtest.Step {
		if r.Temperature != nil {
			return refusal.After(both)
		}
		return llmtest.Text("ok")
	}))
	model := server.Model()
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := model.Chat(t.Context(), hello)
			ended <- err
		}()
	}
	require.Eventually(t, func() bool { return len(server.Requests()) == 2 }, time.Minute, time.Millisecond)
	close(both)
	for range 2 {
		require.NoError(t, <-ended)
	}
}

// A limit of the answer that is too long is lowered to what the provider names: for good if it is the
// model's, for this request if it is what the context has left.
func TestALimitThatIsTooLongIsLowered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refusal    llmtest.Step
		then, next int64
	}{
		"OpenAI":     {bad(400, "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.", "max_tokens"), 4096, 4096},
		"Anthropic":  {bad(400, "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022", ""), 4096, 4096},
		"DeepSeek":   {bad(400, "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", ""), 4096, 4096},
		"no number":  {bad(400, "max_tokens is too large", "max_tokens"), 4096, 4096},
		"vLLM":       {bad(400, "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8000 tokens and your request has 3000 input tokens (8192 > 8000 - 3000).", ""), 5000, 8192},
		"older vLLM": {bad(400, "This model's maximum context length is 8000 tokens. However, you requested 11192 tokens (3000 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.", ""), 5000, 8192},
	} {
		server := llmtest.Serve(t, test.refusal, llmtest.Text("one"), llmtest.Text("two"))
		model := server.Model()
		for range 2 {
			_, err := model.Chat(t.Context(), hello)
			require.NoError(t, err, name)
		}
		require.Equal(t, []int64{8192, test.then, test.next}, []int64{server.Request(0).MaxTokens, server.Request(1).MaxTokens, server.Request(2).MaxTokens}, name)
	}
	failed, _ := refused(t, bad(400, "This model's maximum context length is 4096 tokens. However, you requested 12192 tokens (4000 in the messages, 8192 in the completion).", ""))
	require.Equal(t, llm.Invalid, failed.Kind, "what leaves no room for an answer is too long")
	server := llmtest.ServeWith(t, llmtest.RespondFunc(func(llmtest.Request) llmtest.Step { return bad(400, "max_tokens is too large", "max_tokens") }))
	_, err := server.Model().Chat(t.Context(), hello)
	require.Error(t, err)
	require.LessOrEqual(t, len(server.Requests()), 9, "a server that is never content is not asked for ever")
}

// Thoughts that a provider counts in the total only are paid, too.
func TestHiddenThoughtsAreCounted(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, llmtest.Text("x").WithUsage(&llmtest.Usage{Input: 100, Output: 10, Total: 5110}))
	require.Equal(t, llm.Usage{Input: 100, Output: 5010}, answer.Usage)
	answer, _ = chat(t, hello, llmtest.Text("x").WithUsage(&llmtest.Usage{Input: 100, Output: 10, Total: 7}))
	require.Equal(t, llm.Usage{Input: 100, Output: 10}, answer.Usage)
}

// A turn without anything in it is none that every provider takes.
func TestAnEmptyTurnIsNotSentEmpty(t *testing.T) {
	t.Parallel()
	request := hello
	request.Messages = then(llm.Message{Role: llm.Assistant}, llm.Message{Role: llm.User, Text: "Go on."})
	_, server := chat(t, request, llmtest.Text("ok"))
	require.NotEmpty(t, server.Request(0).Messages[2].Text)
}

// Ollama cuts a conversation that does not fit, at the beginning and without a word. So one that it would cut is not
// sent, and an answer to a cut one is refused.
func TestOllamaDoesNotCutASilentConversation(t *testing.T) {
	t.Parallel()
	mark := func(step llmtest.Step) llmtest.Step {
		step.Body = strings.Replace(step.Body, `{`, `{"system_fingerprint":"fp_ollama",`, 1)
		return llmtest.Body(step.Body)
	}
	long := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("word ", 5000)}}}
	server := llmtest.Serve(t, mark(llmtest.Text("cut")), mark(llmtest.Text("short")))
	server.Context = 4096
	model := server.Model()
	for range 2 {
		_, err := model.Chat(t.Context(), long)
		failed, is := errors.AsType[*llm.Error](err)
		require.True(t, is, "%v", err)
		require.Equal(t, llm.Invalid, failed.Kind)
		require.Equal(t, "num_ctx", failed.Param)
		require.Contains(t, failed.Detail, "OLLAMA_CONTEXT_LENGTH")
	}
	require.Len(t, server.Requests(), 1, "once it is known nothing is sent")
	answer, err := model.Chat(t.Context(), hello)
	require.NoError(t, err)
	require.Equal(t, "short", answer.Text)

	server = llmtest.Serve(t, mark(llmtest.Text("ok")))
	_, err = server.Model().Chat(t.Context(), long)
	require.NoError(t, err, "one that does not say what it has loaded is believed")
}

// heard is what somebody saw who watched an answer come.
func heard(t *testing.T, steps ...llmtest.Step) (text string, tools []string, again int, answer llm.Answer) {
	t.Helper()
	request := hello
	request.Heard = func(piece llm.Delta) {
		text += piece.Text
		if piece.Tool != "" {
			tools = append(tools, piece.Tool)
		}
		if piece.Again {
			again++
		}
	}
	answer, _ = chat(t, request, steps...)
	return text, tools, again, answer
}

// An answer is heard as it comes, and is the same in the end.
func TestAnAnswerIsHeardAsItComes(t *testing.T) {
	t.Parallel()
	step := llmtest.TextAndCalls("Let me see what is there.", llmtest.ToolCall{Tool: "fix", Args: map[string]any{"code": "größer"}}, llmtest.ToolCall{Tool: "eval", Args: llmtest.Raw(`{"code":`)})
	text, tools, again, answer := heard(t, step)
	require.Equal(t, "Let me see what is there.", text)
	require.Equal(t, []string{"fix", "eval"}, tools)
	require.Zero(t, again)
	plain, _ := chat(t, hello, llmtest.Body(step.Body))
	require.Equal(t, plain, answer)
	// An answer that breaks off is void, and the listener is told so.
	text, _, again, answer = heard(t, llmtest.Broken(llmtest.CutInside), llmtest.Text("whole"))
	require.Equal(t, 1, again)
	require.True(t, strings.HasSuffix(text, "whole"))
	require.Equal(t, "whole", answer.Text)
	require.True(t, answer.Usage.Estimated, "what broke off may be paid")
}

func piece(delta string) string { return `{"choices":[{"index":0,"delta":` + delta + `}]}` }

// The ways in which servers write streams down come to the same answer.
func TestStreamsOfAllKinds(t *testing.T) {
	t.Parallel()
	end := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`
	fix := llm.Call{ID: "a", Tool: "fix", Arguments: `{"code":"1"}`}
	eval := llm.Call{ID: "b", Tool: "eval", Arguments: `{"x":2}`}
	for name, test := range map[string]struct {
		flow []string
		want []llm.Call
	}{
		"one index for all, whole calls": {[]string{
			piece(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"fix","arguments":"{\"code\":\"1\"}"}}]}`),
			piece(`{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"eval","arguments":"{\"x\":2}"}}]}`), end,
		}, []llm.Call{fix, eval}},
		"no index": {[]string{
			piece(`{"tool_calls":[{"id":"a","function":{"name":"fix","arguments":"{\"code\":"}}]}`), piece(`{"tool_calls":[{"function":{"arguments":"\"1\"}"}}]}`),
			piece(`{"tool_calls":[{"id":"b","function":{"name":"eval","arguments":{"x":2}}}]}`), end,
		}, []llm.Call{fix, eval}},
		"mixed": {[]string{
			piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fix","arguments":""}},{"index":1,"id":"b","function":{"name":"eval","arguments":""}}]}`),
			piece(`{"tool_calls":[{"index":1,"function":{"arguments":"{\"x\":2}"}}]}`), piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fix","arguments":"{\"code\":\"1\"}"}}]}`), end, "[DONE]",
		}, []llm.Call{fix, eval}},
		"no arguments":   {[]string{piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fix"}}]}`), end}, []llm.Call{{ID: "a", Tool: "fix"}}},
		"one message":    {[]string{`{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"fix","arguments":"{\"code\":\"1\"}"}}]}}]}`, "[DONE]"}, []llm.Call{fix}},
		"another choice": {[]string{piece(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"fix","arguments":"{\"code\":\"1\"}"}}]}`), `{"choices":[{"index":1,"delta":{"content":"other"}}]}`, end}, []llm.Call{fix}},
	} {
		answer, _ := chat(t, hello, llmtest.Flow(test.flow...))
		for i := range answer.Calls {
			require.Nil(t, answer.Calls[i].Extra)
		}
		require.Equal(t, test.want, answer.Calls, name)
	}
	answer, _ := chat(t, hello, llmtest.Flow(piece(`{"role":"assistant","content":"a","reasoning_content":"I "}`), piece(`{"role":"assistant","content":"b","reasoning_content":"think","x":{"sig":"s"}}`), end))
	require.Equal(t, "ab", answer.Text)
	require.JSONEq(t, `{"reasoning_content":"I think","x":{"sig":"s"}}`, string(answer.Extra))
	require.Equal(t, llm.Usage{Input: 3, Output: 2}, answer.Usage)
}

// A stream that ends without an end, or in an error, is no answer.
func TestStreamsThatBreak(t *testing.T) {
	t.Parallel()
	begun := piece(`{"content":"half of"}`)
	for name, test := range map[string]struct {
		flow []string
		kind llm.Kind
		says string
	}{
		"no end":     {[]string{begun}, llm.Unavailable, "broke in the middle"},
		"nothing":    {[]string{}, llm.Unavailable, "broke in the middle"},
		"no JSON":    {[]string{begun, "oops"}, llm.Unavailable, "no JSON object"},
		"an error":   {[]string{begun, `{"error":{"message":"overloaded","code":503}}`}, llm.Unavailable, "overloaded"},
		"no credit":  {[]string{begun, `{"error":{"message":"no credit","code":402}}`, "[DONE]"}, llm.Quota, "no credit"},
		"no choices": {[]string{`{"choices":[]}`, "[DONE]"}, llm.Malformed, "no choices"},
	} {
		step := llmtest.Flow(test.flow...)
		step.Header = http.Header{"X-Should-Retry": {"false"}}
		server := llmtest.ServeWith(t, llmtest.RespondFunc(func(llmtest.Request) llmtest.Step { return step }))
		_, err := server.Model().Chat(t.Context(), hello)
		failed, is := errors.AsType[*llm.Error](err)
		require.True(t, is, name)
		require.Equal(t, test.kind, failed.Kind, "%s: %v", name, err)
		require.Contains(t, failed.Detail, test.says, name)
	}
}
