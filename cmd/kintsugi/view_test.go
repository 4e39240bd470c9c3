package main

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A view is shown as it is and as it was at every position and time, and the views in use do not notice.
func TestViewsAsTheyWere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "First", "--script", h.file("one.js", "function main() {\n  return 1;\n}\n"))
	h.ok("workflow", "run", "--repair", "First")
	whole := decodeAs[[]struct {
		Position string
		Type     string
		Metadata struct {
			RecordedAt time.Time `json:"recorded_at"`
		}
	}](t, h.ok("history", "First", "-o", "json"))
	require.Contains(t, h.ok("view"), "workflow")
	type rowsShown struct {
		Position string
		Columns  []struct{ Name string }
		Rows     [][]any
	}
	was := func(at ...string) map[string]any {
		shown := decodeAs[rowsShown](t, h.ok(append([]string{"view", "workflow", "-o", "json"}, at...)...))
		if len(shown.Rows) == 0 {
			return nil
		}
		row := map[string]any{}
		for i, column := range shown.Columns {
			row[column.Name] = shown.Rows[0][i]
		}
		return row
	}
	require.InDelta(t, 1, was()["succeeded"], 0)
	for i, one := range whole {
		switch one.Type {
		case "WorkflowCreated":
			require.Equal(t, "draft", was("--at", one.Position)["status"])
		case "WorkflowActivated":
			require.Equal(t, "draft", was("--at", whole[i-1].Position)["status"])
			require.Equal(t, "active", was("--at", one.Position)["status"])
			require.Equal(t, "active", was("--at", one.Metadata.RecordedAt.Format(exactly))["status"])
		}
	}
	require.Nil(t, was("--at", "2001-01-01"))
	require.Nil(t, was("--where", "status=draft"))
	require.Equal(t, "active", was("--where", "status=active", "--where", "paused=false", "--limit", "1")["status"])
	require.Contains(t, h.ok("view", "workflow", "--at", "1"), "workflow as it was at 1: after position 1, recorded at")
	require.Contains(t, h.ends(terminal.ExitNotFound, "view", "nothing").err, "there are ")
	require.Contains(t, h.ends(terminal.ExitUsage, "view", "workflow", "--where", "nothing=1").err, "the view has no such column; it has id, title, ")
	require.Contains(t, h.ends(terminal.ExitUsage, "view", "workflow", "--where", "runs").err, "write COLUMN=VALUE")
	require.Contains(t, h.ends(terminal.ExitUsage, "view", "workflow", "--at", "yesterday").err, "neither a position")
}

// The timeline tells what matters, opens what is folded, and shows what its viewer chose.
func TestTimeline(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	type pageShown struct {
		Entries []struct {
			Number       int
			Significance string
			Kind         string
			Text         string
			Version      string
		}
		Next int
	}
	page := func(more ...string) pageShown {
		return decodeAs[pageShown](t, h.ok(append([]string{"workflow", "timeline", "Orders", "-o", "json"}, more...)...))
	}
	all := page()
	require.Equal(t, "Runs succeed again.", all.Entries[0].Text)
	require.Zero(t, all.Next)
	folded := 0
	for _, one := range all.Entries {
		if one.Significance == "routine" {
			folded = one.Number
		}
	}
	require.Positive(t, folded)
	opened := page("--open", strconv.Itoa(folded))
	require.Contains(t, opened.Entries[0].Text, "A run succeeded on version 1.")
	first := page("--limit", "1")
	require.Equal(t, all.Entries[1], page("--limit", "1", "--before", strconv.Itoa(first.Next)).Entries[0])
	fixes := page("--kind", "fix", "--remember")
	require.NotEmpty(t, fixes.Entries)
	require.Equal(t, fixes, page(), "the choice is remembered")
	require.Equal(t, all, page("--remember"), "and forgotten")
	require.Contains(t, h.ok("workflow", "timeline", "Orders"), "was applied as version 1.1")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "timeline", "Orders", "--kind", "x").err, "choose from")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "timeline", "Orders", "--open", strconv.Itoa(all.Entries[0].Number)).err, "is not folded")
}
