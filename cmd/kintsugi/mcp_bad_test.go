package main

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// tried is what a tool says to arguments that it cannot do anything with, as a model is told it: a refused call, or an error
// of the protocol.
func (a *agent) tried(name string, arguments any) (text string, failed bool) {
	a.t.Helper()
	result, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

// Rule: whatever a model gives a tool, it is told in a few words what is wrong with it, and the next call is answered.
func TestACodingAgentIsToldWhatIsWrong(t *testing.T) {
	t.Parallel()
	for way, reach := range map[string]func(*home) *agent{
		"by its input": func(h *home) *agent { return h.stdio() },
		"over HTTP":    func(h *home) *agent { e := h.serveRemote(); return e.agent(e.token) },
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.create("Orders", "function main(input) { return input }")
			tellWhatIsWrong(t, reach(h))
		})
	}
}

func tellWhatIsWrong(t *testing.T, agent *agent) {
	tries := 0
	for tool, err := range agent.session.Tools(t.Context(), nil) {
		require.NoError(t, err)
		schema := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		fitting := func() map[string]any {
			given := map[string]any{}
			for _, name := range required {
				given[name.(string)] = map[string]string{"workflow": "Orders", "script": "function main() {}", "run": "run-none", "fix": "fix-none"}[name.(string)]
				if given[name.(string)] == "" {
					given[name.(string)] = "x"
				}
			}
			return given
		}
		bad := map[string]map[string]any{"unknown": fitting()}
		bad["unknown"]["nonsense"] = 1
		for _, name := range required {
			bad["without "+name.(string)] = fitting()
			delete(bad["without "+name.(string)], name.(string))
			if name != "comment" {
				bad["empty "+name.(string)] = fitting()
				bad["empty "+name.(string)][name.(string)] = ""
			}
		}
		for name, property := range properties {
			if kind := property.(map[string]any)["type"]; kind == nil {
				continue // any JSON
			}
			bad["wrong "+name] = fitting()
			bad["wrong "+name][name] = []any{map[string]any{"a": nil}}
			if property.(map[string]any)["type"] == "integer" {
				bad["less "+name] = fitting()
				bad["less "+name][name] = -5
			}
			switch name {
			case "workflow", "run", "fix", "status", "state", "version", "from", "since", "reads", "zone", "path", "key", "name":
				for what, value := range map[string]string{"none": "no such \x00 thing", "huge": strings.Repeat("Ä", 100_000), "flag": "--help"} {
					bad[what+" "+name] = fitting()
					bad[what+" "+name][name] = value
				}
			case "script":
				bad["huge "+name] = fitting()
				bad["huge "+name][name] = strings.Repeat("x;", 200_000)
			}
		}
		for what, arguments := range bad {
			text, failed := agent.tried(tool.Name, arguments)
			require.True(t, failed, "%s %s: %s", tool.Name, what, cut(text))
			require.NotEmpty(t, text)
			require.Less(t, len(text), 5_000, "%s %s: %s", tool.Name, what, cut(text))
			require.NotRegexp(t, `panic|goroutine|0 arguments|arg\(s\)|required flag`, text, "%s %s", tool.Name, what)
			tries++
		}
	}
	require.Greater(t, tries, 200)
	require.JSONEq(t, "[]", agent.ok("list_runs", map[string]any{"workflow": "Orders"}), "nothing came of it")
}

func cut(text string) string { return text[:min(len(text), 300)] }
