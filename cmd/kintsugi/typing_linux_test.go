package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// A person who talks with the planner through a server types as they do beside the data directory: each line when its
// question was shown, and the output is the same.
func TestTypingThroughAServer(t *testing.T) {
	t.Parallel()
	talk := func(h *home, command *exec.Cmd) result {
		near, far := pty(t)
		var out, errs lockedBuffer
		command.Stdin, command.Stdout, command.Stderr = near, &out, &errs
		require.NoError(t, command.Start())
		for _, line := range []struct{ after, text string }{{"> ", "greet me"}, {"2  evenings", "2"}, {"What else?", "/quit"}} {
			require.Eventually(t, func() bool { return strings.Contains(out.String()+errs.String(), line.after) }, patience, 5*time.Millisecond, line.after)
			fmt.Fprintln(far, line.text)
		}
		require.NoError(t, command.Wait(), errs.String())
		require.Equal(t, "1.0", h.object("workflow", "show", "hello")["version"])
		return result{out: out.String(), err: errs.String()}
	}
	model := func() *llmtest.Server {
		return llmtest.Serve(t,
			llmtest.Call("ask", map[string]any{"question": "When?", "options": []string{"mornings", "evenings"}}),
			llmtest.Call("save", map[string]any{"code": greeting, "comment": "greets"}),
			llmtest.Text("Saved. What else?"),
		)
	}
	here, there := newHome(t), newHome(t)
	beside := talk(here, here.command(here.asks(model(), "chat", "hello", "--create")...))
	e := there.serveRemote(there.asks(model())...)
	command := there.command("chat", "hello", "--create", "--server", e.url)
	command.Env = append(command.Env, terminal.TokenVariable+"="+e.token)
	require.Equal(t, beside, talk(there, command))
	require.Contains(t, beside.out, "Saved. What else?")
}

// Times are where the reader is: read and written there, whatever the clock of the server says.
func TestTimesAreThoseOfTheReader(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	e := h.serveRemote() // its zone is UTC
	at, err := time.Parse(time.RFC3339, h.object("token", "create", "short", "--expires", "24h")["expires"].(string))
	require.NoError(t, err)
	h.create("W", "function main() {}")
	for zone, hours := range map[string]time.Duration{"Asia/Tokyo": 9, "UTC": 0, "Etc/GMT+7": -7} {
		ask := func(args ...string) string {
			command := h.command(append(args, "--server", e.url)...)
			command.Env = append(command.Env, terminal.TokenVariable+"="+e.token, "TZ="+zone)
			out, err := command.CombinedOutput()
			require.NoError(t, err, string(out))
			return string(out)
		}
		there := at.Add(hours * time.Hour).UTC()
		require.Contains(t, ask("token", "list"), there.Format(time.DateTime), zone)
		created := h.objects("history", "W")[0]["metadata"].(map[string]any)["recorded_at"].(string)
		made, err := time.Parse(time.RFC3339, created)
		require.NoError(t, err)
		clock := made.Add(hours * time.Hour).UTC().Format("2006-01-02 15:04:05")
		require.Contains(t, ask("history", "W"), clock, zone)
		require.Contains(t, ask("history", "W", "--at", clock), clock, "a time that was read there is understood there")
	}
}
