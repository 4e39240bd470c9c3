package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// pty opens a terminal of its own: what is written to the near side is read from the far one.
func pty(t *testing.T) (near, far *os.File) {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = far.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(far.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	near, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = near.Close() })
	return near, far
}

// A person at a terminal sees how far it is, and nothing of it is left on the line.
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	near, far := pty(t)
	p := terminal.NewProgress(&terminal.CLI{Err: near}, 200, "checking")
	p.Set(100)
	p.Add(100)
	p.Done()
	fmt.Fprint(near, "the end")
	require.NoError(t, near.Close())
	shown, _ := io.ReadAll(far) // Linux ends it with EIO
	require.Contains(t, string(shown), "checking")
	_, after, found := strings.Cut(string(shown), "\x1b[2K")
	require.True(t, found, "%q", shown)
	last := after[strings.LastIndexByte(after, '\r')+1:]
	require.Equal(t, "the end", last[len(last)-len("the end"):])
	require.NotContains(t, last, "checking")
}

// A person at a terminal reads what the planner says as it says it, and once.
func TestPlanOnATerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t,
		llmtest.TextAndCalls("I write it down.", llmtest.ToolCall{Tool: "save", Args: map[string]any{"code": greeting, "comment": "greets", "diagram": "flowchart LR\n  a --> b"}}),
		llmtest.Text("It greets, every time that it runs."),
	)
	near, far := pty(t)
	read := make(chan string, 1)
	go func() {
		shown, _ := io.ReadAll(far) // Linux ends it with EIO
		read <- string(shown)
	}()
	command := h.command(h.asks(server, "plan", "hello", "greet me", "--create")...)
	command.Stdout, command.Stderr = near, near
	require.NoError(t, command.Run())
	require.NoError(t, near.Close())
	shown := <-read
	for _, said := range []string{"I write it down.", "It greets, every time that it runs.", "· save", "Saved version 1.0."} {
		require.Equal(t, 1, strings.Count(shown, said), "%s in %q", said, shown)
	}
	require.Less(t, strings.Index(shown, "It greets"), strings.Index(shown, "Saved version"))
}
