package main

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A service manager that waits for it is told when the server serves, and when it stops.
func TestTheServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	short, err := os.MkdirTemp("", "k") // the name of a socket has a hundred bytes
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(short)) })
	socket := filepath.Join(short, "s")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, manager.Close()) })
	told := func() string {
		require.NoError(t, manager.SetReadDeadline(time.Now().Add(patience)))
		text := make([]byte, 100)
		n, err := manager.Read(text)
		require.NoError(t, err)
		return string(text[:n])
	}
	command := h.command("serve", "--node-id", "a")
	command.Env = append(command.Env, "NOTIFY_SOCKET="+socket)
	p := h.started(command)
	require.Equal(t, "READY=1", told())
	p.interrupt()
	require.Equal(t, "STOPPING=1", told())
	require.Equal(t, terminal.ExitOK, p.wait())
}
