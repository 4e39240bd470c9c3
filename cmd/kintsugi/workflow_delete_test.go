package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// canary stands wherever a workflow keeps something.
const canary = "canary7519"

// keeps writes it into keys, files, the log and the outcome.
const keeps = `async function main(input) {
  kv.set('` + canary + `', input.who);
  files.write('` + canary + `.txt', 'for ' + input.who);
  console.log('` + canary + `');
  return { said: input.who };
}`

// placesOf are the files of a data directory that have a text.
func (h *home) placesOf(text string) (places []string) {
	h.t.Helper()
	require.NoError(h.t, filepath.WalkDir(h.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && (bytes.Contains(content, []byte(text)) || strings.Contains(path, text)) {
			places = append(places, path)
		}
		return err
	}))
	return places
}

// kept makes a workflow that keeps canaries, has a repair behind it, and another one; both were used.
func (h *home) kept() (id string) {
	h.t.Helper()
	h.succeed("Other")
	h.outside.answer("/orders", 200, oldOrders(1))
	h.create("Gone "+canary, keeps)
	for _, one := range h.objects("workflow", "list") {
		if one["title"] == "Gone "+canary {
			id = one["id"].(string)
		}
	}
	h.runWith(canary+"secret", "secret", "set", "SHOP", "--workflow", id, "--host", "api.example.test")
	h.ok("workflow", "run", id, "--input", `{"who":"`+canary+`"}`)
	h.ok("workflow", "run", id, "--input", `{"who":"`+canary+` again"}`)
	h.ok("script", "save", id, "--file", h.file("broken.js", "function main(input) { return input.missing."+canary+".length }"))
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", id, "--input", `{"who":"`+canary+`"}`)
	return id
}

// An archived workflow is deleted for good: nothing that it said is in any file of the data directory; that it was there, who deleted
// it and what it used stays, under chains that verify; everybody who looks is told; its title is free; everything else goes on.
func TestAWorkflowIsDeletedForGood(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := h.kept()
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "delete", id, "--yes").err, "archive it first (kintsugi workflow archive "+id+")")
	used := h.used()
	h.ok("workflow", "archive", id, "--reason", canary)
	before, rest := h.records(), h.objects("run", "list", "--workflow", "Other")
	require.NotEmpty(t, h.placesOf(canary))

	asked := h.ends(terminal.ExitConflict, "workflow", "delete", "Gone "+canary).err
	require.Contains(t, asked, "with 3 runs, 1 conversations of agents, 1 keys and 1 files, and the secrets SHOP")
	require.Contains(t, asked, "cannot be undone. Backups, copies and external systems")
	require.Contains(t, asked, "with --yes it is")
	deleted := h.object("workflow", "delete", "Gone "+canary, "--yes")
	require.InDelta(t, 3, deleted["runs"], 0)

	after := h.records()
	gone := 0
	for i, one := range before {
		if bytes.Equal(one.Payload, after[i].Payload) {
			continue
		}
		require.Equal(t, eventlog.Erased(one.Payload), after[i].Payload)
		one.Payload = after[i].Payload
		require.Equal(t, one, after[i])
		gone++
	}
	require.InDelta(t, deleted["payloads"], gone, 0)
	require.Equal(t, "WorkflowDeleted", after[len(before)].Type)
	require.Empty(t, h.placesOf(canary))

	verified := h.verified("--deep", "--views")
	require.Len(t, verified.Erased, gone)
	require.Contains(t, h.ok("verify"), "The payloads of")
	require.Regexp(t, `WorkflowCreated .*erased on \d{4}-\d\d-\d\d by person:`, h.ok("history", id, "--all", "--verify"))
	require.Contains(t, h.ok("history", id), "deleted for good: what")
	missing := h.ends(terminal.ExitNotFound, "workflow", "show", id).err
	require.Regexp(t, "was deleted for good on .* by ", missing)
	h.ends(terminal.ExitNotFound, "workflow", "restore", id)
	require.Len(t, h.objects("workflow", "list", "--archived"), 1)
	require.Empty(t, h.objects("notification", "list", "--all"))
	require.Equal(t, rest, h.objects("run", "list", "--workflow", "Other"))
	require.Equal(t, used, h.used(), "what was used stays")
	require.Empty(t, h.objects("secret", "list"))

	h.create("Gone "+canary, keeps)
	require.Contains(t, h.ok("workflow", "run", "Gone "+canary, "--input", `{"who":"ada"}`), "succeeded")
	require.Contains(t, h.ok("workflow", "run", "Other", "--input", day(8)), "succeeded")
	copied := h.at(filepath.Join(t.TempDir(), "copy"))
	require.Contains(t, h.ok("store", "copy", "--to", copied.dir), "read back and are the same")
	require.Regexp(t, "was deleted for good on", copied.ends(terminal.ExitNotFound, "workflow", "show", id).err)
	copied.verified("--deep", "--views")
	backup := filepath.Join(t.TempDir(), "backup")
	h.ok("store", "backup", backup)
	h.ok("view", "workflow", "--at", after[len(before)-1].RecordedAt.Format("2006-01-02 15:04:05"))
}

// used is what was used, without titles.
func (h *home) used() map[string]any {
	h.t.Helper()
	used := h.object("usage", "list")
	for _, day := range used["days"].([]any) {
		delete(day.(map[string]any), "workflow_title")
	}
	return used
}

// A deletion that was interrupted is taken up by the next server, wherever it was. Until then the views are not judged by what is left.
func TestADeletionIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := h.kept()
	h.ok("workflow", "archive", id)
	t.Run("a process decides it, and ends before it has erased anything", func(t *testing.T) {
		within := *h
		within.t = t
		n := within.node()
		_, err := n.Commands.DeleteWorkflow(t.Context(), id, nil, app.By("person:ada"))
		require.NoError(t, err)
		within.verified("--deep", "--views")
		log, _ := eventlog.As[eventlog.Eraser](n.Log)
		erased, err := log.Erase(t.Context(), []eventlog.Part{{Stream: workflow.Stream(id), Last: 2}})
		require.NoError(t, err)
		require.Positive(t, erased)
	})
	require.NotEmpty(t, h.placesOf(canary))
	between := h.ends(terminal.ExitConflict, "verify", "--deep", "--views").err
	require.Contains(t, between, "the views cannot be judged while workflow "+id+" is being deleted for good")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "restore", id).err, "deleted for good")

	server := h.dev()
	require.Eventually(t, func() bool {
		records := h.records()
		return records[len(records)-1].Type == "WorkflowErased"
	}, patience, patience/1000)
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
	h.ends(terminal.ExitNotFound, "workflow", "show", id)
	require.Empty(t, h.placesOf(canary))
	h.verified("--deep", "--views")
}

// In PostgreSQL, too, with views and secrets in the same database.
func TestAWorkflowIsDeletedInPostgreSQL(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.store = pgtest.Database(t)
	id := h.kept()
	h.ok("workflow", "archive", id, "--reason", canary)
	deleted := h.object("workflow", "delete", id, "--yes")
	require.Len(t, h.verified("--deep", "--views").Erased, int(deleted["payloads"].(float64)))
	h.ends(terminal.ExitNotFound, "workflow", "show", id)
	require.Empty(t, h.placesOf(canary))
	require.Contains(t, h.ok("history", id), "erased on")
}
