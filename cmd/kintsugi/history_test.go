package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// exactly names a nanosecond, and no more.
const exactly = "2006-01-02T15:04:05.000000000Z07:00"

type eventLine struct {
	Stream   string `json:"stream"`
	Revision int    `json:"revision"`
	Type     string `json:"type"`
	Metadata struct {
		EventID    string    `json:"event_id"`
		RecordedAt time.Time `json:"recorded_at"`
	} `json:"metadata"`
}

type momentShown struct {
	State, Now struct {
		Status  string `json:"status"`
		Version string `json:"version"`
	}
	Diff   string      `json:"diff"`
	Events []eventLine `json:"events"`
}

// types are the events of the workflow's own stream.
func types(lines []eventLine) []string {
	var names []string
	for _, one := range lines {
		if strings.HasPrefix(one.Stream, "workflow-") {
			names = append(names, one.Type)
		}
	}
	return names
}

// The history is everything that happened, in order; --at is the workflow as it was.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	whole := decodeAs[[]eventLine](t, h.ok("history", "Orders", "-o", "json"))
	names := types(whole)
	require.Equal(t, "WorkflowCreated", names[0])
	require.Equal(t, []string{"RunSucceeded", "FixConfirmed", "Recovered"}, names[len(names)-3:])
	require.Greater(t, len(whole), len(names)+20, "runs and the thread belong to it")
	text := h.ok("history", "Orders")
	require.Equal(t, len(names)+1, strings.Count(text, "\n"), "a line for each event, and the header")
	require.Greater(t, strings.Count(h.ok("history", "Orders", "--all"), "\n"), len(whole))
	require.Equal(t, len(whole), strings.Count(h.ok("history", "Orders", "-o", "jsonl"), "\n"))

	t.Run("at a version", func(t *testing.T) {
		t.Parallel()
		then := decodeAs[momentShown](t, h.ok("history", "Orders", "--at", "1.1", "-o", "json"))
		require.Equal(t, "active", then.State.Status)
		require.Equal(t, "1.1", then.State.Version)
		names := types(then.Events)
		require.Equal(t, []string{"FixApplied", "ScriptSaved", "MaintenanceExited"}, names[len(names)-3:], "the whole append that made it active")
		first := decodeAs[momentShown](t, h.ok("history", "Orders", "--at", "1.0", "-o", "json"))
		require.Equal(t, "draft", first.State.Status)
		require.Equal(t, "1.1", first.Now.Version)
		require.Contains(t, first.Diff, "-    total += order.amount_total.value;")
		shown := h.ok("history", "Orders", "--at", "1.0")
		require.Contains(t, shown, "At 1.0\n")
		require.Contains(t, shown, "1.0 → 1.1")
		require.Contains(t, shown, "-    total += order.amount_total.value;")
		require.NotContains(t, shown, "RunAdmitted")
		require.Contains(t, h.ends(terminal.ExitNotFound, "history", "Orders", "--at", "4.2").err, "version 4.2 was never active")
	})
	t.Run("at an event", func(t *testing.T) {
		t.Parallel()
		for _, one := range whole {
			if one.Type != "MaintenanceEntered" {
				continue
			}
			then := decodeAs[momentShown](t, h.ok("history", "Orders", "--at", strconv.Itoa(one.Revision), "-o", "json"))
			require.Equal(t, "maintenance", then.State.Status)
			require.Equal(t, one, then.Events[len(then.Events)-1])
		}
		require.Contains(t, h.ends(terminal.ExitNotFound, "history", "Orders", "--at", "4711").err, "no revision 4711")
	})
	t.Run("between two moments", func(t *testing.T) {
		t.Parallel()
		type changeShown struct {
			Before, After struct{ Version string }
			Words         []string
			Diff          string
			Counts        map[string]int
		}
		change := decodeAs[changeShown](t, h.ok("history", "Orders", "--diff", "1.0..1.1", "-o", "json"))
		require.Equal(t, "1.0", change.Before.Version)
		require.Equal(t, "1.1", change.After.Version)
		require.Contains(t, change.Diff, "-    total += order.amount_total.value;")
		require.Contains(t, change.Words, "function changed: main")
		require.Equal(t, 1, change.Counts["failed"])
		shown := h.ok("history", "Orders", "--diff", "1.0..")
		require.Contains(t, shown, "From 1.0 to now, in")
		require.Contains(t, shown, "status     draft → active")
		require.Contains(t, shown, "1 failed, ")
		require.Contains(t, h.ok("history", "Orders", "--diff", "1.1..1.1"), "Nothing of the workflow itself changed.")
		require.Equal(t, h.ok("history", "Orders", "--at", "2"), h.ok("history", "Orders", "--at-revision", "2"))
		require.Contains(t, h.ends(terminal.ExitUsage, "history", "Orders", "--diff", "1.0").err, "write FROM..TO")
		require.Contains(t, h.ends(terminal.ExitUsage, "history", "Orders", "--diff", "1.0..", "--at", "1.0").err, "exclude each other")
	})
	t.Run("at a time", func(t *testing.T) {
		t.Parallel()
		for i, one := range whole {
			if one.Type != "MaintenanceEntered" {
				continue
			}
			at := one.Metadata.RecordedAt
			then := decodeAs[momentShown](t, h.ok("history", "Orders", "--at", at.Format(exactly), "-o", "json"))
			require.Equal(t, whole[:i+1], then.Events, "up to that time, and it included")
			require.Equal(t, "maintenance", then.State.Status)
			before := decodeAs[momentShown](t, h.ok("history", "Orders", "--at", at.Add(-time.Nanosecond).Format(exactly), "-o", "json"))
			require.Less(t, len(before.Events), len(then.Events))
			require.Equal(t, "active", before.State.Status)
		}
		last := whole[len(whole)-1].Metadata.RecordedAt
		all := decodeAs[momentShown](t, h.ok("history", "Orders", "--at", last.Format(time.DateOnly), "-o", "json"))
		require.Equal(t, whole, all.Events, "a day is until its end")
		require.Contains(t, h.ends(terminal.ExitNotFound, "history", "Orders", "--at", "2001-01-01 08:00").err, "did not exist then")
		require.Contains(t, h.ends(terminal.ExitUsage, "history", "Orders", "--at", "yesterday").err, `--at "yesterday" is not a version`)
	})
}

// A changed byte of the record is found and named, and the rest of the program still works as far as it can.
func TestChangedHistoryIsFound(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	require.Contains(t, h.ends(terminal.ExitOK, "history", "Orders", "--verify").err, "streams are whole")

	// In the middle of the file, as a disk or an editor would change it.
	path := filepath.Join(h.dir, app.LogFile)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	at := strings.LastIndex(string(content), "counted 2 orders")
	require.Positive(t, at)
	content[at+len("counted ")] = '3'
	require.NoError(t, os.WriteFile(path, content, 0o600))

	r := h.ends(terminal.ExitBroken, "history", "Orders", "--verify")
	require.Contains(t, r.err, "the history was changed")
	require.Regexp(t, `stream run-\S+ is broken at revision \d+ \(LogWritten, event [0-9a-f-]{36}\)`, r.err)
	require.Empty(t, r.out, "nothing is shown that is not true")
	require.Contains(t, h.ok("workflow", "list"), "Orders")
}

// Every change of a workflow's own event is found too, when the views are not there yet
// and have to be made from the changed log.
func TestChangedHistoryIsFoundWithoutViews(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	id := h.objects("workflow", "list")[0]["id"].(string)
	h.change("UPDATE event SET payload = CAST(replace(CAST(payload AS TEXT), 'manual', 'MANUAL') AS BLOB) WHERE type = 'RunAdmitted' AND revision = 4")
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, "views")))
	shown := h.ends(terminal.ExitBroken, "history", id)
	require.Contains(t, shown.out, "RunAdmitted", "what is there is shown, and that it is not what was recorded")
	require.Contains(t, shown.err, "is broken at revision 4")
	r := h.ends(terminal.ExitBroken, "history", id, "--verify")
	require.Regexp(t, `stream workflow-`+id+` is broken at revision 4 \(RunAdmitted, event [0-9a-f-]{36}\)`, r.err)

	// An event that cannot even be decoded costs that workflow, and no list.
	h.change("UPDATE event SET payload = CAST('[]' AS BLOB) WHERE type = 'RunAdmitted' AND revision = 4")
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, "views")))
	require.Contains(t, h.ends(terminal.ExitBroken, "history", id, "--verify").err, "stream workflow-"+id+" is broken at revision 4 (RunAdmitted, event ")
	require.Contains(t, h.ends(terminal.ExitBroken, "workflow", "run", "--repair", id).err, "stream workflow-"+id+" is broken at revision 4 (RunAdmitted, event ")
	require.Contains(t, h.ok("workflow", "list"), "Orders")
}

// change edits the log behind the program's back, and leaves its guards as they were.
func (h *home) change(statement string) {
	h.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(h.dir, app.LogFile), sqlite.OpenReadWrite)
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, conn.Close()) }()
	guards := map[string]string{}
	require.NoError(h.t, sqlitex.ExecuteTransient(conn, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", &sqlitex.ExecOptions{
		ResultFunc: func(row *sqlite.Stmt) error {
			guards[row.ColumnText(0)] = row.ColumnText(1)
			return nil
		},
	}))
	for guard := range guards {
		require.NoError(h.t, sqlitex.ExecuteTransient(conn, "DROP TRIGGER "+guard, nil))
	}
	require.NoError(h.t, sqlitex.ExecuteTransient(conn, statement, nil))
	require.Positive(h.t, conn.Changes())
	for _, made := range guards {
		require.NoError(h.t, sqlitex.ExecuteTransient(conn, made, nil))
	}
}
