package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	llmcheck "github.com/kintsugi-run/kintsugi/cmd/internal/cli/llm"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// capable is a model that does what 'llm check' asks it to.
var capable = []llmtest.Step{
	llmtest.Text("ready"), llmtest.Call("report", map[string]any{"word": "ready"}), llmtest.Text("It is reported."),
}

// checks runs 'llm check' on a server, with its key in a file.
func checks(t *testing.T, h *home, code int, server *llmtest.Server, args ...string) (llmcheck.Checked, string) {
	t.Helper()
	args = append([]string{"llm", "check", "--model", llmtest.ModelName, "--llm-base-url", server.URL, "--llm-key-file", h.file("key", llmtest.Key+"\n")}, args...)
	r := h.ends(code, append(args, "-o", "json")...)
	require.NotContains(t, r.out+r.err, llmtest.Key)
	return decodeAs[llmcheck.Checked](t, r.out), r.err
}

func TestLLMCheck(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t, slices.Concat(capable, capable)...)
	prices := h.file("prices.json", `{"`+llmtest.ModelName+`":{"input":10,"output":20}}`)
	found, errs := checks(t, h, terminal.ExitOK, server, "--llm-prices", prices)
	require.Empty(t, errs)
	require.True(t, found.OK)
	require.True(t, found.UsageReported)
	require.Equal(t, &llm.Price{Input: 10, Output: 20}, found.Price)
	require.Equal(t, int64(330), found.Tokens)
	require.InDelta(t, 0.0036, *found.CostUSD, 1e-9)
	require.Equal(t, []string{"answer", "tool_call", "tool_answer"}, []string{found.Steps[0].Name, found.Steps[1].Name, found.Steps[2].Name})
	for _, step := range found.Steps {
		require.True(t, step.OK)
	}
	last := server.Request(2).Messages
	require.Equal(t, llm.ToolRole, last[len(last)-1].Role, "it sees the answer of its tool")
	require.Equal(t, "Bearer "+llmtest.Key, server.Request(0).Header.Get("Authorization"))
	text := h.ok("llm", "check", "--model", llmtest.ModelName, "--llm-base-url", server.URL)
	require.Contains(t, text, "calls a tool     yes")
	require.Contains(t, text, "price            unknown")
	require.Contains(t, text, "330 tokens, at a price that is unknown.")
	require.NotContains(t, text, "$", "what is unknown is not nothing")
	require.Contains(t, text, "Agents can work with it.")
	require.Empty(t, server.Request(5).Header.Get("Authorization"), "an address of your own may want no key")
	_, err := os.Stat(h.dir)
	require.ErrorIs(t, err, os.ErrNotExist, "it needs no data directory, and makes none")
}

// A provider that does not count is one that agents can work with; that it does not is said.
func TestLLMCheckWithoutUsage(t *testing.T) {
	t.Parallel()
	steps := []llmtest.Step{capable[0], capable[1], capable[2].WithUsage(nil)}
	found, _ := checks(t, newHome(t), terminal.ExitOK, llmtest.Serve(t, steps...))
	require.True(t, found.OK)
	require.False(t, found.UsageReported)
	require.Nil(t, found.Price)
	require.Nil(t, found.CostUSD, "what is unknown is not nothing")
}

// A parameter that a provider refuses by its name is left out, and named. For one that cannot be left out the check
// says what can be done.
func TestLLMCheckNamesTheParameterAtFault(t *testing.T) {
	t.Parallel()
	temperature := llmtest.Fail(400, "", "`temperature` is deprecated for this model.")
	h := newHome(t)
	server := llmtest.Serve(t, append([]llmtest.Step{temperature}, capable...)...)
	r := h.ends(terminal.ExitOK, "llm", "check", "--model", "m", "--llm-base-url", server.URL)
	require.Contains(t, r.out, "left out         temperature (the server refuses it; agents go without)")
	require.Contains(t, r.out, "Agents can work with it.")
	found, _ := checks(t, h, terminal.ExitFailure, llmtest.Serve(t, capable[0], llmtest.Step{Status: 400, Body: `{"error":{"message":"not here","param":"tools"}}`}))
	require.Equal(t, "tools", found.Problem.Param)
	require.Contains(t, found.Problem.Advice, "The server refuses the parameter tools of the request.")
}

// An Ollama says how much context it has, and what to do where that is too little for agents.
func TestLLMCheckOfAnOllamaWithLittleContext(t *testing.T) {
	t.Parallel()
	var steps []llmtest.Step
	for _, step := range capable {
		steps = append(steps, llmtest.Body(strings.Replace(step.Body, `{`, `{"system_fingerprint":"fp_ollama",`, 1)))
	}
	server := llmtest.Serve(t, steps...)
	server.Context = 4096
	r := newHome(t).ends(terminal.ExitOK, "llm", "check", "--model", llmtest.ModelName, "--llm-base-url", server.URL)
	require.Contains(t, r.out, "context          4096 tokens")
	require.Contains(t, r.out, "OLLAMA_CONTEXT_LENGTH")
}

// A model that calls no tools is of no use, however well it talks.
func TestLLMCheckWithoutTools(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]llmtest.Step{
		"words": llmtest.Text("report(ready)"), "no arguments": llmtest.Call("report", llmtest.Raw("")), "another tool": llmtest.Call("save", map[string]any{"word": "ready"}),
	} {
		found, _ := checks(t, newHome(t), terminal.ExitFailure, llmtest.Serve(t, capable[0], step))
		require.False(t, found.OK, name)
		require.Nil(t, found.Problem, name)
		require.Len(t, found.Steps, 2, name)
		require.NotEmpty(t, found.Steps[1].Detail, name)
	}
	h := newHome(t)
	r := h.ends(terminal.ExitFailure, "llm", "check", "--model", "m", "--llm-base-url", llmtest.Serve(t, capable[0], llmtest.Text("no\x1b[2J")).URL)
	require.Contains(t, r.out, "choose another one")
	require.NotContains(t, r.out, "\x1b")
}

// Each failure of the check says what can be done about it.
func TestLLMCheckOfWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for kind, step := range map[llm.Kind]llmtest.Step{
		llm.Refused: llmtest.Fail(401, "invalid_api_key", "Incorrect API key provided: "+llmtest.Key), llm.Quota: llmtest.Fail(429, "insufficient_quota", "no money"),
		llm.Invalid: llmtest.Fail(400, "", "no tools here"), llm.Malformed: llmtest.Body("<html>Sign in</html>"),
		llm.Unavailable: llmtest.Fail(503, "down", "for the day").WithHeader("X-Should-Retry", "false"),
	} {
		found, _ := checks(t, newHome(t), terminal.ExitFailure, llmtest.Serve(t, step))
		require.False(t, found.OK)
		require.False(t, found.UsageReported)
		require.Equal(t, kind, found.Problem.Kind)
		require.Equal(t, llmcheck.Advice[kind], found.Problem.Advice)
		require.NotEmpty(t, found.Problem.Advice, kind)
	}
	r := newHome(t).ends(terminal.ExitFailure, "llm", "check", "--model", "m", "--llm-base-url", llmtest.Serve(t, llmtest.Fail(404, "model_not_found", "no m")).URL)
	require.Contains(t, r.out, "no: llm: refused (HTTP 404) model_not_found: no m")
	require.Contains(t, r.out, "Check the key")
}

func TestLLMOptionsThatCannotWork(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"no model":       {nil, "name one with --model"},
		"no key":         {[]string{"--model", "gpt-5"}, "wants a key"},
		"no key, either": {[]string{"--model", "gpt-5", "--llm-base-url", llm.DefaultBaseURL + "/"}, "wants a key"},
		"no such file":   {[]string{"--model", "m", "--llm-key-file", filepath.Join(t.TempDir(), "none")}, "no such file"},
		"an empty file":  {[]string{"--model", "m", "--llm-key-file", h.file("key", "\n")}, "is empty"},
		"two lines":      {[]string{"--model", "m", "--llm-key-file", h.file("key", "canary\ncanary")}, "no header takes"},
		"no time":        {[]string{"--model", "m", "--llm-base-url", "http://host/v1", "--llm-timeout", "0s"}, "no time"},
		"a password":     {[]string{"--model", "m", "--llm-base-url", "https://u:canary@host/v1"}, "has a password"},
		"no address":     {[]string{"--model", "m", "--llm-base-url", "host"}, "no address"},
		"no prices":      {[]string{"--model", "m", "--llm-base-url", "http://host", "--llm-prices", h.file("p", "canary")}, "--llm-prices"},
	} {
		r := h.ends(terminal.ExitUsage, append([]string{"llm", "check"}, test.args...)...)
		require.Contains(t, r.err, test.says, name)
		require.NotContains(t, r.err, "canary", name)
		require.Empty(t, r.out, name)
	}
	// An address for when there is a model does no harm.
	command := h.command("workflow", "create", "W", "--id", "w", "--script", h.file("s.js", "function main() { return 1 }"))
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	command = h.command("workflow", "run", "--repair", "w")
	command.Env = append(command.Env, app.LLMURLVariable+"=http://127.0.0.1:1/v1", app.LLMKeyVariable+"=k")
	out, err = command.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, args := range [][]string{{"--llm-base-url", "http://host/v1"}, {"--llm-key-file", "key"}} {
		r := h.ends(terminal.ExitUsage, append([]string{"dev"}, args...)...)
		require.Contains(t, r.err, "and no model", args)
	}
}

// The environment says what flags do not; a file can hold the key.
func TestLLMFromTheEnvironment(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t, slices.Concat(capable, capable, capable)...)
	prices := h.file("prices.json", `{"m":{"input":1,"output":1}}`)
	key := llmtest.Key + "-of-the-environment"
	for i, test := range []struct {
		env  []string
		args []string
		want string
	}{
		{[]string{"KINTSUGI_OPENAI_API_KEY=" + key}, nil, key},
		{[]string{"KINTSUGI_OPENAI_API_KEY_FILE=" + h.file("key", key+"\n")}, nil, key},
		{[]string{"KINTSUGI_OPENAI_API_KEY=other", "OPENAI_API_KEY=other"}, []string{"--llm-key-file", h.file("key", key)}, key},
	} {
		command := h.command(append([]string{"llm", "check", "-o", "json"}, test.args...)...)
		command.Env = append(command.Env, append(test.env, "KINTSUGI_MODEL=m", "KINTSUGI_LLM_BASE_URL="+server.URL, "KINTSUGI_LLM_PRICES="+prices)...)
		out, err := command.Output()
		require.NoError(t, err, string(out))
		found := decodeAs[llmcheck.Checked](t, string(out))
		require.Equal(t, &llm.Price{Input: 1, Output: 1}, found.Price)
		require.Equal(t, "Bearer "+test.want, server.Request(3*i).Header.Get("Authorization"))
		require.Equal(t, "m", server.Request(3*i).Model)
	}
}

// No key in a process list, and none in a help text.
func TestTheKeyIsNoFlag(t *testing.T) {
	t.Parallel()
	for name, command := range leaves() {
		require.Nil(t, command.Flag("llm-key"), name)
	}
	command := newHome(t).command("llm", "check", "--help")
	command.Env = append(command.Env, app.LLMKeyVariable+"=canary", app.LLMURLVariable+"=http://canary/")
	out, err := command.CombinedOutput()
	require.NoError(t, err)
	require.NotContains(t, string(out), "canary")
	require.Contains(t, string(out), app.LLMKeyVariable)
}

// A model that thinks for longer than it may is unavailable.
func TestLLMTimeout(t *testing.T) {
	t.Parallel()
	server := llmtest.Serve(t, llmtest.Broken(llmtest.Hang), llmtest.Broken(llmtest.Hang), llmtest.Broken(llmtest.Hang))
	found, _ := checks(t, newHome(t), terminal.ExitFailure, server, "--llm-timeout", "10ms")
	require.Equal(t, llm.Unavailable, found.Problem.Kind)
	require.Equal(t, "no answer within 10ms", found.Problem.Detail)
}

// Ctrl-C ends a check that waits.
func TestLLMCheckIsInterrupted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t, llmtest.Broken(llmtest.Hang))
	p := h.start("llm", "check", "--model", "m", "--llm-base-url", server.URL)
	require.Eventually(t, func() bool { return len(server.Requests()) == 1 }, patience, 5*time.Millisecond)
	p.interrupt()
	require.Equal(t, terminal.ExitInterrupted, p.wait())
}
