package llm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// Every response gives an answer that can be used or an error of the provider, and never a panic.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `null`, `7`, `{"choices":null}`, `{"choices":[null]}`, `{"choices":[{}]}`, `{"error":null}`, `{"error":{"code":{}}}`, `{"error":[]}`,
		`{"choices":[{"message":{"content":[{"text":7}],"tool_calls":[{"function":{"arguments":[1]}}]}}],"usage":{"prompt_tokens":-1}}`,
		`{"choices":[{"finish_reason":"error"}]}`, `{"choices":[{"message":{"content":{"a":1},"tool_calls":{}}}]}`, `{"usage":{"prompt_tokens":1e99}}`,
		llmtest.Text("hello").Body, llmtest.Call("fix", map[string]any{"code": "x"}).Body, llmtest.Fail(400, "code", "message").Body,
	} {
		f.Add(200, body)
	}
	f.Add(429, `{"error":{"code":"insufficient_quota"}}`)
	f.Add(302, ``)
	var step llmtest.Step
	var asked int
	server := llmtest.ServeWith(f, llmtest.RespondFunc(func(llmtest.Request) llmtest.Step { asked++; return step }))
	model := server.Model()
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 || status == 204 || status == 304 {
			return // these have no body, or cannot be sent
		}
		step, asked = llmtest.Step{Status: status, Body: body}, 0
		answer, err := model.Chat(t.Context(), hello)
		if err != nil {
			failed, is := errors.AsType[*llm.Error](err)
			require.True(t, is, "%v", err)
			require.NotEmpty(t, failed.Kind)
			require.LessOrEqual(t, len(failed.Detail), 700)
			require.LessOrEqual(t, asked, 5)
			return
		}
		require.Equal(t, 200, status)
		require.Positive(t, answer.Usage.Input)
		require.GreaterOrEqual(t, answer.Usage.Output, int64(0))
		require.GreaterOrEqual(t, answer.Usage.CostUSD, 0.0)
		ids := map[string]bool{}
		for _, call := range answer.Calls {
			require.NotEmpty(t, call.ID)
			require.False(t, ids[call.ID])
			ids[call.ID] = true
		}
	})
}
