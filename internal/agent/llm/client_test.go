package llm_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

var hello = llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "You mend."}, {Role: llm.User, Text: "Hello"}}, Temperature: 0.1}

// chat asks a server once, and wants an answer.
func chat(t *testing.T, request llm.Request, steps ...llmtest.Step) (llm.Answer, *llmtest.Server) {
	t.Helper()
	server := llmtest.Serve(t, steps...)
	answer, err := server.Model().Chat(t.Context(), request)
	require.NoError(t, err)
	return answer, server
}

// refused asks a server, and wants an error of the provider.
func refused(t *testing.T, steps ...llmtest.Step) (*llm.Error, *llmtest.Server) {
	t.Helper()
	server := llmtest.Serve(t, steps...)
	_, err := server.Model().Chat(t.Context(), hello)
	failed, is := errors.AsType[*llm.Error](err)
	require.True(t, is, "%v", err)
	require.Len(t, server.Requests(), len(steps), "each step is for one attempt: %v", err)
	return failed, server
}

func TestAnAnswer(t *testing.T) {
	t.Parallel()
	answer, server := chat(t, hello, llmtest.Text("Hi.").WithUsage(&llmtest.Usage{Input: 2000, Cached: 1024, Output: 7}))
	require.Equal(t, llm.Answer{Text: "Hi.", Model: llmtest.ModelName, Usage: llm.Usage{Input: 2000, Cached: 1024, Output: 7}}, answer)
	request := server.Request(0)
	require.Equal(t, hello.Messages, request.Messages)
	require.Equal(t, llmtest.ModelName, request.Model)
	require.InDelta(t, 0.1, *request.Temperature, 0)
	require.Equal(t, int64(llm.DefaultMaxTokens), request.MaxTokens)
	require.Equal(t, "Bearer "+llmtest.Key, request.Header.Get("Authorization"))
}

// The whole conversation goes out each time, with tools and their answers.
func TestAConversation(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"code":{"type":"string"}},"required":["code"]}`)
	request := llm.Request{
		Messages: []llm.Message{
			{Role: llm.User, Text: "Mend it."},
			{Role: llm.Assistant, Text: "So.", Calls: []llm.Call{{ID: "a", Tool: "fix", Arguments: `{"code":"1"}`}, {ID: "b", Tool: "fix", Arguments: `{"code":`}}},
			{Role: llm.ToolRole, Call: "a", Text: "no"}, {Role: llm.ToolRole, Call: "b", Text: "no JSON"},
			{Role: llm.Assistant, Calls: []llm.Call{{ID: "c", Tool: "fix", Arguments: ``}}}, {Role: llm.ToolRole, Call: "c", Text: "no"},
			{Role: llm.Assistant, Text: "Hm."},
		},
		Tools:     []llm.Tool{{Name: "fix", Description: "Proposes.", Schema: schema}, {Name: "history"}},
		MaxTokens: 77,
	}
	_, server := chat(t, request, llmtest.Text("ok"))
	got := server.Request(0)
	want := request.Messages
	want[1].Calls[1].Arguments = `{"malformed":"{\"code\":"}`
	want[4].Calls[0].Arguments = `{"malformed":""}`
	require.Equal(t, want, got.Messages, "arguments that are no object are sent as one: some servers parse them")
	require.Equal(t, int64(77), got.MaxTokens)
	require.Equal(t, []string{"fix", "history"}, got.ToolNames())
	require.JSONEq(t, string(schema), string(got.Tools[0].Schema))
	require.Equal(t, "Proposes.", got.Tools[0].Description)
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	server := llmtest.Serve(t)
	for name, request := range map[string]llm.Request{
		"role":   {Messages: []llm.Message{{Role: "narrator"}}},
		"schema": {Messages: hello.Messages, Tools: []llm.Tool{{Name: "x", Schema: json.RawMessage(`[]`)}}},
	} {
		_, err := server.Model().Chat(t.Context(), request)
		failed, is := errors.AsType[*llm.Error](err)
		require.True(t, is, name)
		require.Equal(t, llm.Invalid, failed.Kind)
	}
	require.Empty(t, server.Requests())
}

func TestCalls(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, llmtest.TextAndCalls("Let me see.", llmtest.ToolCall{Tool: "fix", Args: map[string]any{"code": "x"}}, llmtest.ToolCall{Tool: "eval", Args: llmtest.Raw(`{"code":`)}))
	require.Equal(t, "Let me see.", answer.Text)
	require.Equal(t, []llm.Call{{ID: "call_0", Tool: "fix", Arguments: `{"code":"x"}`}, {ID: "call_1", Tool: "eval", Arguments: `{"code":`}}, answer.Calls)
}

// completion is an answer of which a test writes the message.
func completion(finish, message string) llmtest.Step {
	return llmtest.Body(fmt.Sprintf(`{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":%q,"message":%s}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, finish, message))
}

// Some servers say "stop" and call; others say "tool_calls" and do not.
func TestCallsAreBelievedAndFinishReasonIsNot(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, completion("stop", `{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"fix","arguments":"{}"}}]}`))
	require.Equal(t, []llm.Call{{ID: "x", Tool: "fix", Arguments: "{}"}}, answer.Calls)
	answer, _ = chat(t, hello, completion("tool_calls", `{"role":"assistant","content":"nothing"}`))
	require.Empty(t, answer.Calls)
	require.Equal(t, "nothing", answer.Text)
}

func TestArgumentsAsAnObjectAreTheirText(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, completion("stop", `{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"fix","arguments":{"code":"a"}}}]}`))
	require.Len(t, answer.Calls, 1)
	require.JSONEq(t, `{"code":"a"}`, answer.Calls[0].Arguments)
}

// Missing arguments stay missing: the tool answers that they are wrong, and never runs with {}.
func TestMissingArgumentsStayMissing(t *testing.T) {
	t.Parallel()
	for _, function := range []string{`{"name":"fix"}`, `{"name":"fix","arguments":null}`, `{"name":"fix","arguments":""}`} {
		answer, _ := chat(t, hello, completion("tool_calls", `{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":`+function+`}]}`))
		require.Len(t, answer.Calls, 1)
		require.Empty(t, answer.Calls[0].Arguments, function)
	}
}

// Calls are told apart by their ids, in the whole conversation, whatever the server gives.
func TestCallsHaveIdsOfTheirOwn(t *testing.T) {
	t.Parallel()
	request := hello
	request.Messages = append(request.Messages[:2:2],
		llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "x", Tool: "fix", Arguments: "{}"}}}, llm.Message{Role: llm.ToolRole, Call: "x", Text: "no"})
	one := func(id string) string {
		return `{"id":` + id + `,"type":"function","function":{"name":"fix","arguments":"{}"}}`
	}
	again, _ := chat(t, request, completion("stop", `{"tool_calls":[`+strings.Join([]string{one(`"x"`), one(`""`), one(`"y"`), one(`"y"`), one(`null`)}, ",")+`]}`))
	seen := map[string]bool{"x": true}
	for _, call := range again.Calls {
		require.NotEmpty(t, call.ID)
		require.False(t, seen[call.ID], "%+v", again.Calls)
		seen[call.ID] = true
	}
	require.Equal(t, "y", again.Calls[2].ID, "an id that is fine is kept")
}

func TestCustomToolCallsAreCalls(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, completion("stop", `{"tool_calls":[{"id":"x","type":"custom","custom":{"name":"fix","input":"code"}}]}`))
	require.Equal(t, []llm.Call{{ID: "x", Tool: "fix", Arguments: "code"}}, answer.Calls)
}

func TestContentInPartsIsJoined(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, completion("stop", `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"…"},{"type":"text","text":"b"}]}`))
	require.Equal(t, "ab", answer.Text)
}

func TestARefusalIsItsText(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, completion("stop", `{"role":"assistant","content":null,"refusal":"I won't."}`))
	require.Equal(t, "I won't.", answer.Text)
}

func TestAnAnswerThatWasCut(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, llmtest.CutOff("half a"))
	require.True(t, answer.Cut)
}

// An error that is nothing is none.
func TestAnEmptyErrorIsNone(t *testing.T) {
	t.Parallel()
	for _, nothing := range []string{`null`, `""`, `{}`, `[]`, `false`} {
		step := llmtest.Text("Hi.")
		step.Body = strings.Replace(step.Body, `{`, `{"error":`+nothing+`,`, 1)
		answer, _ := chat(t, hello, step)
		require.Equal(t, "Hi.", answer.Text, nothing)
	}
}

// JSON that says it is something else is read all the same.
func TestJSONAsPlainText(t *testing.T) {
	t.Parallel()
	answer, _ := chat(t, hello, llmtest.Text("Hi.").WithHeader("Content-Type", "text/plain; charset=utf-8"))
	require.Equal(t, "Hi.", answer.Text)
}

// An error in the body of a 200 is an error, whatever shape it has.
func TestABodyLevelErrorIsAnError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]llm.Error{
		`{"error":{"code":402,"message":"Insufficient credits"}}`:                             {Kind: llm.Quota, Status: 200, Code: "402", Detail: "Insufficient credits"},
		`{"error":{"code":401,"message":"No auth"}}`:                                          {Kind: llm.Refused, Status: 200, Code: "401", Detail: "No auth"},
		`{"error":{"code":"insufficient_quota","message":"m"},"choices":[]}`:                  {Kind: llm.Quota, Status: 200, Code: "insufficient_quota", Detail: "m"},
		`{"error":{"code":null,"type":"invalid_request_error","message":"too long"}}`:         {Kind: llm.Invalid, Status: 200, Code: "invalid_request_error", Detail: "too long"},
		`{"object":"error","message":"context is 4096","type":"BadRequestError","code":400}`:  {Kind: llm.Invalid, Status: 200, Code: "BadRequestError", Detail: "context is 4096"},
		`[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]`: {Kind: llm.Refused, Status: 200, Code: "400", Detail: "API key not valid."},
	} {
		failed, _ := refused(t, llmtest.Body(body))
		require.Equal(t, want, *failed, body)
	}
	// A failure that may pass is tried again.
	for _, body := range []string{`{"error":{"code":502,"message":"Upstream"}}`, `{"error":"try later"}`, `{"error":{"code":429,"message":"slow down"}}`} {
		failed, _ := refused(t, llmtest.Body(body), llmtest.Body(body), llmtest.Body(body))
		require.Equal(t, llm.Unavailable, failed.Kind, body)
	}
}

// An error inside a choice, as routers put it there, is one too.
func TestAChoiceThatIsAnError(t *testing.T) {
	t.Parallel()
	body := llmtest.Body(`{"choices":[{"finish_reason":"error","error":{"code":402,"message":"no credit"},"message":{"role":"assistant","content":""}}]}`)
	failed, _ := refused(t, body)
	require.Equal(t, llm.Quota, failed.Kind)
	require.Contains(t, failed.Detail, "no credit")
}

// packed is a step as gzip: a few kilobytes, whatever comes out of them.
func packed(step llmtest.Step) llmtest.Step {
	var small strings.Builder
	w := gzip.NewWriter(&small)
	_, _ = w.Write([]byte(step.Body))
	_ = w.Close()
	step.Body = small.String()
	return step.WithHeader("Content-Encoding", "gzip")
}

func TestMalformedAnswersAreErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		step   llmtest.Step
		detail string
	}{
		"zero choices":           {llmtest.Body(`{"choices":[]}`), "no choices"},
		"no choices":             {llmtest.Body(`{}`), "no choices"},
		"HTML":                   {llmtest.Body("<!doctype html><title>Sign in</title>").WithHeader("Content-Type", "text/html"), "is the base URL that of an API?"},
		"HTML as JSON":           {llmtest.Body("<html>"), "no JSON object came back"},
		"nothing":                {llmtest.Body(""), "no JSON object came back"},
		"truncated":              {llmtest.Body(`{"choices":[{"message":{"content":"a`), "no chat completion"},
		"a list":                 {llmtest.Body(`[]`), "no JSON object came back"},
		"wrong types":            {llmtest.Body(`{"choices":7}`), ""},
		"an endless answer":      {llmtest.Broken(llmtest.Endless), "larger than 4194304 bytes"},
		"a large answer, packed": {packed(llmtest.Text(strings.Repeat("a", 5<<20))), "larger than 4194304 bytes"},
		"a large answer":         {llmtest.Text(strings.Repeat("a", 5<<20)), "larger than 4194304 bytes"},
	} {
		failed, _ := refused(t, test.step)
		require.Equal(t, llm.Malformed, failed.Kind, name)
		require.Equal(t, 200, failed.Status, name)
		require.Contains(t, failed.Detail, test.detail, name)
	}
}

func TestErrorsByStatus(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		step llmtest.Step
		want llm.Kind
	}{
		"wrong key":     {llmtest.Fail(401, "invalid_api_key", "Incorrect API key provided"), llm.Refused},
		"no right":      {llmtest.Fail(403, "forbidden", "no"), llm.Refused},
		"unknown model": {llmtest.Fail(404, "model_not_found", "no such model"), llm.Refused},
		"… as 400":      {llmtest.Fail(400, "model_not_found", "no such model"), llm.Refused},
		"no such path":  {llmtest.Step{Status: 404, Body: "404 page not found"}, llm.Refused},
		"too long":      {llmtest.Fail(400, "context_length_exceeded", "8192 tokens"), llm.Invalid},
		"too large":     {llmtest.Fail(413, "request_too_large", "big"), llm.Invalid},
		"validation":    {llmtest.Step{Status: 422, Body: `{"detail":[{"loc":["body"],"msg":"field required"}]}`}, llm.Invalid},
		"no money":      {llmtest.Fail(402, "payment_required", "pay"), llm.Quota},
		"a tool's name": {llmtest.Fail(400, "invalid_request_error", "the tool billing-report is unknown"), llm.Invalid},
		"a redirect":    {llmtest.Step{Status: 302, Body: ""}.WithHeader("Location", "http://127.0.0.1:1/"), llm.Refused},
		"an empty 400":  {llmtest.Step{Status: 400}, llm.Invalid},
	} {
		failed, _ := refused(t, test.step)
		require.Equal(t, test.want, failed.Kind, "%s: %v", name, failed)
		require.NotZero(t, failed.Status, name)
	}
}

// Money does not come back by asking again: neither as 429 nor in words only.
func TestQuotaIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for _, step := range []llmtest.Step{
		llmtest.Fail(429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
		llmtest.Fail(429, "", "You exceeded your current quota"),
		llmtest.Fail(429, "billing_hard_limit_reached", "Billing hard limit has been reached"),
		llmtest.Fail(400, "invalid_request_error", "Your credit balance is too low to access the API."),
		llmtest.Fail(429, "insufficient_quota", "x").WithHeader("X-Should-Retry", "true"),
	} {
		failed, _ := refused(t, step)
		require.Equal(t, llm.Quota, failed.Kind, failed)
	}
}

func TestAPassingFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]llmtest.Step{
		"rate limit": llmtest.Fail(429, "rate_limit_exceeded", "slow down"), "5xx": llmtest.Fail(503, "overloaded", "later"),
		"a proxy's 502": {Status: 502, Body: "<html>bad gateway</html>"}, "408": llmtest.Fail(408, "", ""), "409": llmtest.Fail(409, "", ""),
		"cut before": llmtest.Broken(llmtest.CutBefore), "cut inside": llmtest.Broken(llmtest.CutInside),
	} {
		answer, _ := chat(t, hello, step, step, llmtest.Text("there"))
		require.Equal(t, "there", answer.Text, name)
		failed, _ := refused(t, step, step, step)
		require.Equal(t, llm.Unavailable, failed.Kind, name)
	}
}

// A provider that says not to come back is left alone.
func TestAProviderMayForbidAnotherTry(t *testing.T) {
	t.Parallel()
	failed, _ := refused(t, llmtest.Fail(503, "down", "for the day").WithHeader("X-Should-Retry", "false"))
	require.Equal(t, llm.Unavailable, failed.Kind)
}

// waits is a configuration that keeps how long it would wait.
func waits(server *llmtest.Server) (llm.Config, *[]time.Duration) {
	var waited []time.Duration
	config := server.Config()
	config.Wait = func(_ context.Context, d time.Duration) error {
		waited = append(waited, d)
		return nil
	}
	return config, &waited
}

func TestWaitsAreWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	later := llmtest.Fail(429, "rate_limit", "later")
	for name, test := range map[string]struct {
		header, value string
		want          time.Duration
	}{
		"seconds":      {"Retry-After", "7", 7 * time.Second},
		"milliseconds": {"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		"a time ago":   {"Retry-After", time.Unix(0, 0).UTC().Format(http.TimeFormat), 0},
		"a fraction":   {"Retry-After", "0.25", 250 * time.Millisecond},
		"at once":      {"Retry-After", "0", 0},
	} {
		server := llmtest.Serve(t, later.WithHeader(test.header, test.value), llmtest.Text("ok"))
		config, waited := waits(server)
		client, err := llm.New(config)
		require.NoError(t, err)
		_, err = client.Chat(t.Context(), hello)
		require.NoError(t, err)
		require.Equal(t, []time.Duration{test.want}, *waited, name)
	}
}

// A time is one of the provider's clock, which may be another one than ours.
func TestATimeToWaitUntilIsOfTheProvidersClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	later := llmtest.Fail(503, "", "").WithHeader("Date", at.Format(http.TimeFormat)).WithHeader("Retry-After", at.Add(9*time.Second).Format(http.TimeFormat))
	server := llmtest.Serve(t, later, llmtest.Text("ok"))
	config, waited := waits(server)
	client, err := llm.New(config)
	require.NoError(t, err)
	_, err = client.Chat(t.Context(), hello)
	require.NoError(t, err)
	require.Equal(t, []time.Duration{9 * time.Second}, *waited)
}

// Nobody waits for minutes inside a call: the caller decides when to come back.
func TestALongWaitIsGivenUpAtOnce(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"21", "60", "86400", "1e300", "1e400", "+Inf", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)} {
		server := llmtest.Serve(t, llmtest.Fail(429, "rate_limit", "later").WithHeader("Retry-After", value))
		config, waited := waits(server)
		client, err := llm.New(config)
		require.NoError(t, err)
		_, err = client.Chat(t.Context(), hello)
		failed, is := errors.AsType[*llm.Error](err)
		require.True(t, is)
		require.Equal(t, llm.Unavailable, failed.Kind)
		require.Empty(t, *waited, value)
	}
}

// Without a word from the provider, waits grow and stay short.
func TestWaitsGrow(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "soon", "-5", "NaN"} {
		later := llmtest.Fail(500, "", "").WithHeader("Retry-After", value)
		server := llmtest.Serve(t, later, later, later)
		config, waited := waits(server)
		client, err := llm.New(config)
		require.NoError(t, err)
		_, err = client.Chat(t.Context(), hello)
		require.Error(t, err)
		require.Len(t, *waited, 2)
		require.InDelta(t, 437, (*waited)[0].Milliseconds(), 63, value)
		require.InDelta(t, 875, (*waited)[1].Milliseconds(), 125, value)
	}
}

// A provider that says nothing is asked once more, and not three times: it may be paid for each request,
// and each counts, as if the whole answer had been written.
func TestAfterATimeOutOneNewRequestIsMadeAndEachCounts(t *testing.T) {
	t.Parallel()
	hanging := []llmtest.Step{llmtest.Broken(llmtest.HangInside), llmtest.Broken(llmtest.Hang), llmtest.Text("late").WithDelay(time.Hour)}
	server := llmtest.ServeWith(t, llmtest.RespondFunc(func(llmtest.Request) llmtest.Step {
		if len(hanging) == 0 {
			return llmtest.Text("in time")
		}
		defer func() { hanging = hanging[1:] }()
		return hanging[0]
	}))
	config := server.Config()
	// Long enough for the server to see each request, also on a busy machine.
	config.Timeout, config.Prices = 2*time.Second, llm.Prices{llmtest.ModelName: {Input: 1, Output: 1}}
	client, err := llm.New(config)
	require.NoError(t, err)
	_, err = client.Chat(t.Context(), hello)
	failed, is := errors.AsType[*llm.Error](err)
	require.True(t, is, "%v", err)
	require.Equal(t, llm.Unavailable, failed.Kind)
	require.Equal(t, "no answer within 2s", failed.Detail)
	require.Eventually(t, func() bool { return len(server.Requests()) >= 2 }, time.Minute, time.Millisecond)
	require.Len(t, server.Requests(), 2)
	one := int64(6 + llm.DefaultMaxTokens)
	require.Equal(t, 2*one, failed.Usage.Input+failed.Usage.Output)
	require.InDelta(t, float64(2*one)/1e6, failed.Usage.CostUSD, 1e-9)
	require.Eventually(t, func() bool { // a loaded machine may need more than one try
		before := len(server.Requests())
		answer, err := client.Chat(t.Context(), hello)
		if err != nil {
			return false
		}
		lost := int64(len(server.Requests()) - before - 1)
		require.Equal(t, "in time", answer.Text)
		require.Equal(t, lost > 0, answer.Usage.Estimated)
		require.Equal(t, 110+lost*one, answer.Usage.Input+answer.Usage.Output, "what was lost before the answer counts with it")
		return true
	}, time.Minute, time.Millisecond)
}

// An answer that goes on takes as long as it takes: the time-out is for silence.
func TestOnlySilenceIsTimedOut(t *testing.T) {
	t.Parallel()
	pieces := slices.Repeat([]string{`{"choices":[{"index":0,"delta":{"content":"a"}}]}`}, 20)
	flow := slices.Concat(pieces, []string{`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`})
	step := llmtest.Flow(flow...)
	step.Every = 200 * time.Millisecond
	server := llmtest.Serve(t, step)
	config := server.Config()
	config.Timeout = 3 * time.Second // less than the whole answer takes, and much more than one piece of it
	client, err := llm.New(config)
	require.NoError(t, err)
	answer, err := client.Chat(t.Context(), hello)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("a", 20), answer.Text)
}

// An address at which nobody takes the request is not paid for.
func TestAnUnsentRequestCostsNothing(t *testing.T) {
	t.Parallel()
	config := llmtest.Serve(t).Config()
	config.BaseURL = llmtest.Nobody(t)
	client, err := llm.New(config)
	require.NoError(t, err)
	_, err = client.Chat(t.Context(), hello)
	failed, is := errors.AsType[*llm.Error](err)
	require.True(t, is)
	require.Zero(t, failed.Usage)
}

// A caller may stop waiting, and gets its own reason as the error.
func TestTheContextEndsARequest(t *testing.T) {
	t.Parallel()
	reason := errors.New("the server stops")
	for name, ending := range map[string]func(cancel func()) llm.Config{
		"while asking": func(cancel func()) llm.Config {
			server := llmtest.ServeWith(t, llmtest.RespondFunc(func(llmtest.Request) llmtest.Step {
				cancel()
				return llmtest.Broken(llmtest.Hang)
			}))
			return server.Config()
		},
		"while waiting": func(cancel func()) llm.Config {
			config := llmtest.Serve(t, llmtest.Fail(500, "", "")).Config()
			config.Wait = func(ctx context.Context, _ time.Duration) error {
				cancel()
				return context.Cause(ctx)
			}
			return config
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		client, err := llm.New(ending(func() { cancel(reason) }))
		require.NoError(t, err)
		_, err = client.Chat(ctx, hello)
		require.ErrorIs(t, err, reason, name)
		_, provider := errors.AsType[*llm.Error](err)
		require.False(t, provider, "%s: nothing is the provider's fault", name)
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	config := llmtest.Serve(t).Config()
	config.BaseURL = llmtest.Nobody(t)
	client, err := llm.New(config)
	require.NoError(t, err)
	_, err = client.Chat(t.Context(), hello)
	failed, is := errors.AsType[*llm.Error](err)
	require.True(t, is)
	require.Equal(t, llm.Unavailable, failed.Kind)
	require.Contains(t, failed.Detail, "refused")
}

// Newer models of OpenAI take neither max_tokens nor a temperature; they are asked again without, and
// from then on at once.
func TestARefusedParameterIsLeftOut(t *testing.T) {
	t.Parallel()
	tokens := llmtest.Step{Status: 400, Body: `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`}
	temperature := llmtest.Step{Status: 400, Body: `{"error":{"message":"Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`}
	server := llmtest.Serve(t, tokens, temperature, llmtest.Text("one"), llmtest.Text("two"), tokens)
	model := server.Model()
	for _, want := range []string{"one", "two"} {
		answer, err := model.Chat(t.Context(), hello)
		require.NoError(t, err)
		require.Equal(t, want, answer.Text)
	}
	for i, request := range server.Requests() {
		require.Equal(t, i == 0, strings.Contains(string(request.Body), `"max_tokens"`), i)
		require.Equal(t, i < 2, request.Temperature != nil, i)
		require.Equal(t, int64(llm.DefaultMaxTokens), request.MaxTokens)
	}
	_, err := model.Chat(t.Context(), hello)
	require.ErrorContains(t, err, "Unsupported parameter", "a server that takes neither name is not asked for ever")
}

// No request has settings that the SDK would take from the environment.
func TestTheEnvironmentIsNotRead(t *testing.T) { //nolint:paralleltest // it sets the environment
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "env-key", "OPENAI_BASE_URL": llmtest.Nobody(t), "OPENAI_ORG_ID": "env-org", "OPENAI_PROJECT_ID": "env-project",
		"OPENAI_CUSTOM_HEADERS": "X-Env: env-header", "OPENAI_ADMIN_KEY": "env-admin",
	} {
		t.Setenv(name, value)
	}
	server := llmtest.Serve(t, llmtest.Text("ok"), llmtest.Text("ok"))
	config := server.Config()
	for _, key := range []llm.Key{llmtest.Key, ""} {
		config.Key = key
		client, err := llm.New(config)
		require.NoError(t, err)
		_, err = client.Chat(t.Context(), hello)
		require.NoError(t, err)
	}
	require.Equal(t, "Bearer "+llmtest.Key, server.Request(0).Header.Get("Authorization"))
	require.Empty(t, server.Request(1).Header.Get("Authorization"), "a local server wants no key, and is sent none")
	for _, request := range server.Requests() {
		for name, values := range request.Header {
			require.NotContains(t, strings.Join(values, " "), "env-", name)
		}
	}
}

// The key goes to the configured address only.
func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := llmtest.Serve(t)
	failed, _ := refused(t, llmtest.Step{Status: http.StatusTemporaryRedirect}.WithHeader("Location", elsewhere.URL+"/chat/completions"))
	require.Contains(t, failed.Detail, "redirects")
	require.Empty(t, elsewhere.Requests())
}

// No error and no way of printing shows the key, also if the provider repeats it.
func TestTheKeyNeverShows(t *testing.T) {
	t.Parallel()
	const key = "sk-canary-0123456789"
	echo := "Incorrect API key provided: " + key
	long := strings.Repeat("x", 490) + key // cut in the middle of it
	for _, step := range []llmtest.Step{
		llmtest.Fail(401, key, echo), llmtest.Fail(400, "x", long), {Status: 400, Body: echo}, llmtest.Body(echo), llmtest.Body(`{"error":"` + echo + `"}`),
		llmtest.Body(`{"choices":[{"finish_reason":"error","error":{"message":"` + key + `","code":401}}]}`), {Status: 302, Header: http.Header{"Location": {"http://" + key}}},
		llmtest.Body(`{"choices":"` + key), {Status: 200, Body: `{"` + key}, {Header: http.Header{"Content-Type": {key}}, Body: "no"},
	} {
		config := llmtest.ServeWith(t, llmtest.RespondFunc(func(llmtest.Request) llmtest.Step { return step })).Config()
		config.Key = key
		client, err := llm.New(config)
		require.NoError(t, err)
		_, err = client.Chat(t.Context(), hello)
		require.Error(t, err)
		var logged strings.Builder
		slog.New(slog.NewJSONHandler(&logged, nil)).Error("x", "error", err, "client", client, "config", config)
		slog.New(slog.NewTextHandler(&logged, nil)).Error("x", "error", err, "client", client, "config", config)
		marshalled, marshalErr := json.Marshal(map[string]any{"error": err, "key": config.Key})
		require.NoError(t, marshalErr)
		shown := fmt.Sprintf("%v %+v %#v %s %v %+v %#v %v %+v %#v %q", err, err, err, err, config, config, config, config.Key, config.Key, config.Key, config.Key) + fmt.Sprintf("%v %+v %#v %s", client, client, client, client) + logged.String() + string(marshalled)
		require.NotContains(t, shown, "canary", step.Body)
	}
}

func TestConfigurationsThatCannotWork(t *testing.T) {
	t.Parallel()
	good := llm.Config{Model: "m", BaseURL: "https://host/v1"}
	_, err := llm.New(good)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		change func(*llm.Config)
		says   string
	}{
		"no model":       {func(c *llm.Config) { c.Model = "" }, "no model"},
		"no address":     {func(c *llm.Config) { c.BaseURL = "localhost:11434" }, "no address"},
		"a path":         {func(c *llm.Config) { c.BaseURL = "/v1" }, "no address"},
		"another scheme": {func(c *llm.Config) { c.BaseURL = "ftp://host/v1" }, "no address"},
		"control":        {func(c *llm.Config) { c.BaseURL = "http://ho\x7fst/" }, "no address"},
		"a password":     {func(c *llm.Config) { c.BaseURL = "https://u:canary@host/v1" }, "has a password"},
		"a query":        {func(c *llm.Config) { c.BaseURL = "https://host/v1?key=canary" }, "a query"},
		"a line end":     {func(c *llm.Config) { c.Key = "canary\n" }, "no header takes"},
		"a negative":     {func(c *llm.Config) { c.Timeout = -1 }, "negative"},
	} {
		config := good
		test.change(&config)
		_, err := llm.New(config)
		require.ErrorContains(t, err, test.says, name)
		require.NotContains(t, err.Error(), "canary", name)
	}
}

// The address may end in a slash or not, and as the documentation of a provider has it.
func TestBaseURLs(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "/", "/chat/completions"} {
		server := llmtest.Serve(t, llmtest.Text("ok"))
		config := server.Config()
		config.BaseURL += suffix
		client, err := llm.New(config)
		require.NoError(t, err)
		require.Equal(t, server.URL, client.BaseURL())
		require.Equal(t, llmtest.ModelName, client.Name())
		_, err = client.Chat(t.Context(), hello)
		require.NoError(t, err)
	}
	client, err := llm.New(llm.Config{Model: "m"})
	require.NoError(t, err)
	require.Equal(t, llm.DefaultBaseURL, client.BaseURL())
}

// A deployment of Azure has the version of its API behind its address, and the key in a header of its own.
func TestClassicAddressesOfAzure(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/openai/deployments/mine", "/openai/deployments/mine/chat/completions"} {
		server := llmtest.Serve(t, llmtest.Text("ok"))
		config := server.Config()
		config.BaseURL = strings.TrimSuffix(server.URL, "/v1") + path + "?api-version=2024-10-21"
		client, err := llm.New(config)
		require.NoError(t, err)
		_, err = client.Chat(t.Context(), hello)
		require.NoError(t, err)
		request := server.Request(0)
		require.Equal(t, "/openai/deployments/mine/chat/completions?api-version=2024-10-21", request.Address)
		require.Equal(t, llmtest.Key, request.Header.Get("Api-Key"))
		require.Empty(t, request.Header.Get("Authorization"), "there it is for another kind of key")
		require.False(t, server.Sees(llmtest.Key))
	}
}
