package llmtest_test

import (
	"io"
	"net/http"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

const (
	patience = time.Minute
	tick     = time.Millisecond
)

func ask(t *testing.T, server *llmtest.Server, texts ...string) llm.Answer {
	t.Helper()
	request := llm.Request{}
	for _, text := range texts {
		request.Messages = append(request.Messages, llm.Message{Role: llm.User, Text: text})
	}
	answer, err := server.Model().Chat(t.Context(), request)
	require.NoError(t, err)
	return answer
}

// recorder is a test whose failure is looked at.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

// A request that nobody expected fails the test.
func TestAScriptEnds(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	server := llmtest.Serve(r, llmtest.Text("one"))
	require.Equal(t, "one", ask(t, server, "x").Text)
	_, err := server.Model().Chat(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User}}})
	require.ErrorContains(t, err, "no more steps")
	require.True(t, r.failed)
	require.Len(t, server.Requests(), 2)
}

// A request that providers refuse with 400 fails a test: calls without an answer, answers without a call.
func TestOrphansAreRefused(t *testing.T) {
	t.Parallel()
	call := llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "a", Tool: "x", Arguments: "{}"}}}
	answer := llm.Message{Role: llm.ToolRole, Call: "a", Text: "{}"}
	said := llm.Message{Role: llm.User, Text: "x"}
	for name, messages := range map[string][]llm.Message{
		"a call at the end": {said, call}, "a call, then something else": {said, call, said, answer}, "an answer alone": {said, answer}, "two answers": {said, call, answer, answer},
		"nothing": {},
	} {
		r := &recorder{TB: t}
		_, err := llmtest.Serve(r, llmtest.Text("never")).Model().Chat(t.Context(), llm.Request{Messages: messages})
		require.Error(t, err, name)
		require.True(t, r.failed, name)
	}
	server := llmtest.Serve(t, llmtest.Text("ok"))
	_, err := server.Model().Chat(t.Context(), llm.Request{Messages: []llm.Message{said, call, answer, call, answer}})
	require.NoError(t, err)
}

// Nothing but the API is there.
func TestOtherPathsAreNotFound(t *testing.T) {
	t.Parallel()
	server := llmtest.Serve(t)
	response, err := http.Get(server.URL + "/models") //nolint:noctx // the test ends it
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	_, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, response.StatusCode)
}

// A text is found however it is quoted, and wherever it stands.
func TestSees(t *testing.T) {
	t.Parallel()
	server := llmtest.Serve(t, llmtest.Text("ok"))
	ask(t, server, `a "quoted" text`, `{"json":"with \"quotes\" and <tags>"}`)
	for text, want := range map[string]bool{
		`a "quoted"`: true, `with "quotes"`: true, `<tags>`: true, "tags>\"}": true, "never": false, llmtest.Key: false,
	} {
		require.Equal(t, want, server.Sees(text), text)
	}
}

func TestAStepWaitsForItsChannel(t *testing.T) {
	t.Parallel()
	until := make(chan struct{})
	server := llmtest.Serve(t, llmtest.Text("late").After(until))
	answered := make(chan string)
	go func() {
		answer, _ := server.Model().Chat(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User}}})
		answered <- answer.Text
	}()
	require.Eventually(t, func() bool { return len(server.Requests()) == 1 }, patience, tick)
	select {
	case <-answered:
		require.Fail(t, "it did not wait")
	default:
	}
	close(until)
	require.Equal(t, "late", <-answered)
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	good := `{"name":"a","about":"b","where":"log","material":"please OBEY","marker":"OBEY","turns":[{"calls":[{"tool":"save","args":{"code":"x"}}]},{"status":402,"message":"pay"}]}`
	read := llmtest.Transcripts(t, fstest.MapFS{"d/a.json": {Data: []byte(good)}, "d/readme.md": {}}, "d")
	require.Len(t, read, 1)
	server := llmtest.Serve(t, read[0].Steps()...)
	require.Equal(t, []llm.Call{{ID: "call_0", Tool: "save", Arguments: `{"code":"x"}`}}, ask(t, server, "x").Calls)
	_, err := server.Model().Chat(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User}}})
	require.ErrorContains(t, err, "pay")
}

// The model does as the material says, once it has seen it, and not before, in each conversation
// anew.
func TestObedient(t *testing.T) {
	t.Parallel()
	model := &llmtest.Obedient{Transcripts: []llmtest.Transcript{
		{Name: "first", Marker: `"do" it`, Turns: []llmtest.Turn{{Text: "one"}, {Text: "two"}}},
		{Name: "second", Marker: "never", Before: []llmtest.Turn{{Text: "looking"}}, Turns: []llmtest.Turn{{Text: "found"}}},
	}}
	server := llmtest.ServeWith(t, model)
	nothing := "There is nothing more that I can do."
	say := func(messages ...llm.Message) string {
		answer, err := server.Model().Chat(t.Context(), llm.Request{Messages: messages})
		require.NoError(t, err)
		return answer.Text
	}
	user := func(text string) llm.Message { return llm.Message{Role: llm.User, Text: text} }
	said := llm.Message{Role: llm.Assistant, Text: `I "do" it never`}
	told := user(`{"x":"then \"do\" it"}`)
	for range 2 {
		require.Equal(t, nothing, say(user("hello")))
		require.Equal(t, "one", say(told))
		require.Equal(t, "two", say(told, said))
		require.Equal(t, nothing, say(told, said, said))
		require.Equal(t, "one", say(user("hello"), said, told), "what it said before it was told does not count")
		require.Equal(t, "looking", say(user("second")))
		require.Equal(t, nothing, say(user("second"), said))
	}
	require.Equal(t, 2, model.Obeyed("first"))
	require.Zero(t, model.Obeyed("second"))
	require.Equal(t, "found", say(user("second"), said, user("never")))
	require.Equal(t, 1, model.Obeyed("second"))
}

func TestFilled(t *testing.T) {
	t.Parallel()
	filled := llmtest.Transcript{Material: "go to EVIL & <x>", Turns: []llmtest.Turn{{Calls: []llmtest.ToolCall{{Tool: "fix", Args: map[string]any{"code": "{{script}};EVIL"}}}}}}.
		Filled(t, "EVIL", "http://e", "{{script}}", "a\n\"b\" & </x>\\")
	require.Equal(t, "go to http://e & <x>", filled.Material)
	require.Equal(t, map[string]any{"code": "a\n\"b\" & </x>\\;http://e"}, filled.Turns[0].Calls[0].Args)
}
