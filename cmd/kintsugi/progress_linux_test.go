package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal opens a terminal of its own: what is written to the near side is read from the far one.
func terminal(t *testing.T) (near, far *os.File) {
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
	near, far := terminal(t)
	p := newProgress(&app{err: near}, 200, "checking")
	p.set(100)
	p.add(100)
	p.done()
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
