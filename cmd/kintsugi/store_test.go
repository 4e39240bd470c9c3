package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// at is another data directory with the same outside.
func (h *home) at(dir string) *home {
	other := *h
	other.dir = dir
	return &other
}

// A copied log in a new directory is the same installation: its lists, its history, what it goes on to do.
func TestStoreCopy(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	copied := h.at(filepath.Join(t.TempDir(), "new", "data"))
	said := h.ok("store", "copy", "--to", copied.dir)
	require.Contains(t, said, "read back and are the same")
	require.Contains(t, said, "Copied ")
	for _, args := range [][]string{
		{"workflow", "list"}, {"run", "list"}, {"fix", "list"}, {"notification", "list", "--all"}, {"history", "Orders", "--verify", "--all"},
	} {
		require.Equal(t, h.objects(args...), copied.objects(args...), args)
	}
	require.Equal(t, h.object("store", "info")["newest"], copied.object("store", "info")["newest"])

	// It may be copied again, whole and after more happened; the copy goes on by itself then.
	again := h.object("store", "copy", "--to", copied.dir)
	require.InDelta(t, 0, again["copied"], 0)
	require.Equal(t, again["present"], again["events"])
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(8))
	more := h.object("store", "copy", "--from", h.dir, "--to", filepath.Join(copied.dir, "events.db"))
	require.Positive(t, more["copied"])
	require.Equal(t, false, more["grown"])
	require.Equal(t, h.object("store", "info")["newest"], more["target"])
	require.Contains(t, copied.ok("workflow", "run", "--repair", "Orders", "--input", day(9)), "succeeded")
	require.Len(t, copied.objects("run", "list"), len(h.objects("run", "list"))+1)
	require.Contains(t, h.ends(terminal.ExitConflict, "store", "copy", "--to", copied.dir).err, "and the source ends before it")
}

// A store that cannot be copied, or not to there, is refused with the reason, and nothing is written.
func TestStoreCopyRefuses(t *testing.T) {
	t.Parallel()
	h, other := newHome(t), newHome(t)
	h.create("W", "function main() { return 1 }")
	other.create("Other", "function main() { return 1 }")
	before := other.object("store", "info")

	require.Contains(t, h.ends(terminal.ExitConflict, "store", "copy", "--to", other.dir).err, "choose an empty target")
	require.Equal(t, before, other.object("store", "info"))
	for _, same := range []string{h.dir, filepath.Join(h.dir, "events.db"), filepath.Join(h.dir, "..", "data")} {
		require.Contains(t, h.ends(terminal.ExitUsage, "store", "copy", "--to", same).err, "both the source and the target")
	}
	require.Contains(t, h.ends(terminal.ExitNotFound, "store", "copy", "--from", "nowhere", "--to", t.TempDir()).err, "there is no event log at nowhere")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "copy", "--to", "mysql://db/k").err, `"mysql://" are not known`)
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "copy").err, `"to" not set`)
	file := h.file("file", strings.Repeat("not a log\n", 100))
	require.Contains(t, h.ends(terminal.ExitBroken, "store", "copy", "--to", file).err, "not an event log")
	require.Contains(t, h.ends(terminal.ExitBroken, "store", "copy", "--from", file, "--to", t.TempDir()).err, "open the source")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "copy", "--to", filepath.Join(file, "below")).err, "not a directory")

	// A server of the target; one of the source does not matter.
	lock, err := app.LockServer(h.dir, "kintsugi dev")
	require.NoError(t, err)
	require.Contains(t, other.ends(terminal.ExitConflict, "store", "copy", "--to", h.dir).err, "has a server already")
	h.ok("store", "copy", "--to", filepath.Join(t.TempDir(), "copy.db"))
	require.NoError(t, lock.Release())

	// A history that was changed.
	h.change("UPDATE event SET payload = CAST(replace(CAST(payload AS TEXT), 'W', 'X') AS BLOB) WHERE pos = 1")
	target := filepath.Join(t.TempDir(), "copy.db")
	require.Contains(t, h.ends(terminal.ExitBroken, "store", "copy", "--to", target).err, "nothing was copied: the history in "+filepath.Join(h.dir, app.LogFile)+" was changed")
	require.Equal(t, "start", strings.Fields(h.ok("store", "info", "--data-dir", h.copyTo(target)))[5], "nothing was written")
}

// copyTo puts a log file into a data directory of its own.
func (h *home) copyTo(file string) string {
	h.t.Helper()
	dir := h.t.TempDir()
	content, err := os.ReadFile(file)
	require.NoError(h.t, err)
	require.NoError(h.t, os.WriteFile(filepath.Join(dir, app.LogFile), content, 0o600))
	return dir
}

// A position is found again in another store as that of the same event, by its number or by its checkpoint.
func TestStorePosition(t *testing.T) {
	t.Parallel()
	h, other := newHome(t), newHome(t)
	h.create("W", "function main() { return 1 }")
	other.create("W2", "function main() { return 1 }")
	copied := filepath.Join(t.TempDir(), "data")
	h.ok("store", "copy", "--to", copied)
	newest := h.object("store", "info")["newest"].(map[string]any)
	number, err := strconv.ParseInt(newest["position"].(string), 10, 64)
	require.NoError(t, err)
	text := strings.TrimPrefix(strings.Split(h.ok("store", "info"), "\n")[2], "Newest   ")

	require.Equal(t, "2\n", h.ok("store", "position", "2", "--to", copied))
	require.Equal(t, "2\n", h.ok("store", "position", "0000000000000000002", "--from", copied))
	require.Equal(t, "0\n", h.ok("store", "position", "0", "--to", copied))
	beyond := h.object("store", "position", "99999", "--to", copied)
	require.InDelta(t, number, beyond["number"], 0, "the newest before it")
	require.Equal(t, newest, beyond["to"])
	require.Equal(t, fmt.Sprintln(number), h.ok("store", "position", text, "--to", copied))
	require.Equal(t, fmt.Sprintln(number), h.ok(append([]string{"store", "position"}, strings.Fields(text)...)...))

	require.Contains(t, h.ends(terminal.ExitNotFound, "store", "position", "2", "--to", other.dir).err, "it is another log, or it was cut or restored from an older copy")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "position", "2").err, "name one of them with --from or --to")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "position", "x", "--to", copied).err, "is not a checkpoint")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "position", strings.Repeat("9", 30), "--to", copied).err, "is not a position")
	require.Contains(t, h.ends(terminal.ExitNotFound, "store", "position", "2", "--to", "nowhere").err, "there is no event log at nowhere")
}

// A backup that is made beside a server is the log as it was then, and is restored by putting it in its place.
func TestStoreBackup(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	told := filepath.Join(h.dir, "told")
	tell := filepath.Join(h.dir, "tell")
	require.NoError(t, os.WriteFile(tell, fmt.Appendf(nil, "#!/bin/sh\ncat >/dev/null; echo x >> '%s'\n", told), 0o700))
	h.ok("subscription", "add", "audit", "--to", "exec:"+tell, "--from", "start")
	arrived := func(more int) (all int) {
		require.Eventually(t, func() bool {
			one := h.object("subscription", "show", "audit")
			content, _ := os.ReadFile(told) // afterwards: what came while it was shown is counted
			all = strings.Count(string(content), "x")
			return one["lag"] == 0.0 && one["last_error"] == nil && all >= more
		}, patience, 50*time.Millisecond)
		return all
	}
	p := h.dev()
	arrived(1)
	file := filepath.Join(t.TempDir(), "backup.db")
	require.Contains(t, h.ok("store", "backup", file), "Backed up "+filepath.Join(h.dir, app.LogFile)+" to "+file)
	before := h.objects("history", "Orders", "--all")
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(8))
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait())
	restored := h.at(h.copyTo(file))
	require.Equal(t, before, restored.objects("history", "Orders", "--all", "--verify"))

	// In the place of a log that had gone on: what is seen goes back with it.
	for _, name := range []string{app.LogFile, app.LogFile + "-wal", app.LogFile + "-shm"} {
		require.NoError(t, os.RemoveAll(filepath.Join(h.dir, name)))
	}
	require.NoError(t, os.Rename(file, filepath.Join(h.dir, app.LogFile)))
	require.Equal(t, restored.objects("run", "list"), h.objects("run", "list"))
	require.Contains(t, h.ok("workflow", "run", "--repair", "Orders", "--input", day(9)), "succeeded")

	// Subscribers go on where the backup says they were, and in a copy, too.
	already, err := os.ReadFile(told)
	require.NoError(t, err)
	p = h.dev()
	all := arrived(strings.Count(string(already), "x") + 1)
	require.Contains(t, h.ok("subscription", "show", "audit"), "SubscriptionPlaceFound")
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait())
	copied := h.at(filepath.Join(t.TempDir(), "data"))
	h.ok("store", "copy", "--to", copied.dir)
	require.Zero(t, copied.object("subscription", "show", "audit")["lag"], "nothing of it is to be delivered")
	require.Equal(t, all, arrived(all))

	require.Contains(t, h.ends(terminal.ExitConflict, "store", "backup", filepath.Join(h.dir, app.LogFile)).err, "a backup overwrites nothing")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "backup", filepath.Join(t.TempDir(), "no", "backup.db")).err, "no such file or directory")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "backup", "x", "--store", "postgres://ann:s3cret@db/k").err, "(postgres://ann:xxxxx@db/k): back the database up with pg_dump")
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "backup", "x", "--store", "esdb://db").err, "by its own means")
	require.Contains(t, newHome(t).ends(terminal.ExitNotFound, "store", "backup", "x").err, "there is no event log")
}

// A command that only looks at a store makes none.
func TestStoreInfoOfNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitNotFound, "store", "info").err, "there is no event log at "+filepath.Join(h.dir, app.LogFile))
	require.NoDirExists(t, h.dir)
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "info", "--store", "oracle://ann:s3cret@db").err, `"oracle://" are not known`)
	require.Contains(t, h.ends(terminal.ExitUsage, "store", "postgres://ann:s3cret@db").err, "postgres://ann:xxxxx@db")
	fromEnvironment := h.command("workflow", "list")
	fromEnvironment.Env = append(fromEnvironment.Env, "KINTSUGI_STORE=postgres://ann:s3cret@127.0.0.1:1/k")
	output, err := fromEnvironment.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "postgres://ann:xxxxx@127.0.0.1:1/k: eventlog: the backend cannot be reached")
	require.NotContains(t, string(output), "s3cret")
	require.Contains(t, h.ends(terminal.ExitUsage, "demo", "--store", "postgres://db/k").err, "leave --store out")
}
