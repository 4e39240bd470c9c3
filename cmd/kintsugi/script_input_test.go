package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// Rule: what main takes follows from its types; people and agents are shown it, and an input that does not fit is refused
// with the field's name before anything is recorded. A script without types takes what it took.
func TestInputOfAScript(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	typed := h.file("typed.ts", "export async function main({ day, limit = 10 }: { day: string; limit?: number }) {\n  return day + limit;\n}\n")
	checked := h.ok("script", "check", typed)
	require.Contains(t, checked, "  input    day: a text\n           limit: a number, default 10\n")
	h.ok("workflow", "create", "Typed", "--script", typed)
	require.Equal(t, map[string]any{
		"type": "object", "required": []any{"day"},
		"properties": map[string]any{"day": map[string]any{"type": "string"}, "limit": map[string]any{"type": "number", "default": 10.0}},
	}, h.object("script", "show", "Typed")["input_schema"])
	require.Contains(t, h.ok("script", "show", "Typed", "--input"), `"default": 10`)

	for _, command := range [][]string{
		{"workflow", "run", "--repair", "Typed", "--input", `{"day": 3}`},
		{"workflow", "dry-run", "Typed", "--input", `{"day": 3}`},
		{"workflow", "schedule", "Typed", "@daily", "--input", `{"day": 3}`},
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, command...).err, "input.day is 3: main takes a text there", command)
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "run", "--repair", "Typed").err, "input.day is missing: main takes a text there")
	require.Empty(t, h.objects("run", "list"))
	require.Contains(t, h.ok("workflow", "run", "--repair", "Typed", "--input", `{"day": "x"}`), "x10")

	h.create("Untyped", "async function main(input) { return input }")
	require.NotContains(t, h.object("script", "show", "Untyped"), "input_schema")
	require.Contains(t, h.ok("script", "show", "Untyped", "--input"), "does not say what main takes")
	h.ok("workflow", "run", "--repair", "Untyped", "--input", `[1]`)
}
