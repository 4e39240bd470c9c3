package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// heavy keeps n values of 20 KB.
const heavy = `async function main(input) {
  for (let i = 0; i < input.n; i++) await kv.set('k' + i, 'x'.repeat(20000));
  return { kept: input.n };
}`

// A file that may not grow: the run ends with an error that says so, nothing that was
// acknowledged is lost, and with room again the run goes on where it was.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Heavy", "--script", h.file("heavy.js", heavy))
	h.ok("workflow", "run", "--repair", "Heavy", "--input", `{"n":1}`)
	limited := h.command("workflow", "run", "--repair", "Heavy", "--input", `{"n":90}`)
	limited.Args = append([]string{"sh", "-c", `ulimit -f 1600; exec "$0" "$@"`, limited.Path}, limited.Args[1:]...)
	shell, err := exec.LookPath("sh")
	require.NoError(t, err)
	limited.Path = shell
	output, err := limited.CombinedOutput()
	require.Error(t, err, string(output))
	require.Equal(t, terminal.ExitFailure, limited.ProcessState.ExitCode(), string(output))
	require.Contains(t, string(output), "goes on with the next 'kintsugi dev' or 'kintsugi workflow run'")
	require.Contains(t, string(output), "Nothing that was acknowledged is lost")
	h.recovers()
}

// recovers checks what an interrupted run of [heavy] left, with room again.
func (h *home) recovers() {
	h.t.Helper()
	runs := h.objects("run", "list")
	require.Len(h.t, runs, 2)
	require.Equal(h.t, "running", runs[0]["status"])
	require.Equal(h.t, "succeeded", runs[1]["status"])
	kept := h.returned(runs[0])
	require.Positive(h.t, kept, "calls were acknowledged before")
	require.Less(h.t, kept, 90)
	require.Contains(h.t, h.ends(terminal.ExitOK, "history", "Heavy", "--verify").err, "streams are whole")

	require.Contains(h.t, h.ok("workflow", "run", "--repair", "Heavy", "--input", `{"n":2}`), `{"kept":2}`)
	runs = h.objects("run", "list", "--status", "succeeded")
	require.Len(h.t, runs, 3, "the interrupted one too")
	require.Equal(h.t, 90, h.returned(runs[1]))
}

// returned is how many calls of a run came back.
func (h *home) returned(run map[string]any) int {
	h.t.Helper()
	count := 0
	for _, call := range h.object("run", "show", run["id"].(string))["calls"].([]any) {
		if call.(map[string]any)["returned"] == true {
			count++
		}
	}
	return count
}

// onSmallDisk has the test binary run TestFullDisk in a place where mounts are its own.
const onSmallDisk = "KINTSUGI_TEST_ON_SMALL_DISK"

// A real disk that is full: commands say so and end with 1, the server says so and waits, and so do commands that
// wait for it. With room again everything goes on by itself. Where the system gives us no disk of our own,
// TestFileSizeLimit alone guards the rule.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getenv(onSmallDisk) != "" {
		fullDisk(t)
		return
	}
	inside := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	inside.Env = append(os.Environ(), onSmallDisk+"=1")
	inside.SysProcAttr = ownMounts()
	output, err := inside.CombinedOutput()
	if inside.ProcessState == nil || inside.ProcessState.ExitCode() == exitNoMount {
		t.Logf("no disk of our own to be had here: %v %s", err, output)
		return
	}
	require.NoError(t, err, string(output))
}

// exitNoMount says that mounts are not allowed.
const exitNoMount = 77

func fullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := mountSmall(disk, "32m"); err != nil {
		t.Log(err)
		os.Exit(exitNoMount)
	}
	t.Cleanup(func() { require.NoError(t, unmount(disk)) })
	h := newHome(t)
	h.dir = filepath.Join(disk, "data")
	h.ok("workflow", "create", "Heavy", "--script", h.file("heavy.js", heavy))
	h.ok("workflow", "run", "--repair", "Heavy", "--input", `{"n":1}`)
	ballast := filepath.Join(disk, "ballast")
	fill := func(leave int64) {
		t.Helper()
		require.NoError(t, os.WriteFile(ballast, make([]byte, freeBytes(t, disk)-leave), 0o600))
	}

	fill(1 << 20)
	r := h.ends(terminal.ExitFailure, "workflow", "run", "--repair", "Heavy", "--input", `{"n":90}`)
	require.Contains(t, r.err, "The disk is full. Nothing that was acknowledged is lost")
	require.Contains(t, r.err, "no space left where the log is stored")
	require.NoError(t, os.Remove(ballast))
	h.recovers()

	// The server outlives it.
	server := h.dev()
	fill(1 << 20)
	waits := h.start("workflow", "run", "--repair", "Heavy", "--input", `{"n":90}`)
	server.says("no space left where the log is stored")
	waits.says("The server cannot write: the disk is full.")
	require.NoError(t, os.Remove(ballast))
	require.Equal(t, terminal.ExitOK, waits.wait(), waits.err)
	require.Len(t, h.objects("run", "list", "--status", "succeeded"), 4)
	server.says("there is room on the disk again")
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait())
	require.Contains(t, h.ends(terminal.ExitOK, "history", "Heavy", "--verify").err, "streams are whole")
}
