package launch_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// Rule: behind a wall a program and what it starts read and change what the wall names, and nothing else: not a file beside it, not
// through a symlink, not the environment of a process outside, and no process outside can be ended.
func TestWall(t *testing.T) {
	t.Parallel()
	launcher, dir := setup(t)
	if !launch.Walls() {
		spec := shell("true")
		spec.Wall = &launch.Wall{}
		ended, _ := run(t, launcher, dir, spec)
		require.True(t, ended.OK() && !ended.Walled, "without walls a program runs, and it is said: %s", ended)
		t.Log("this kernel has no landlock: the wall itself was not tried")
		return
	}
	place := t.TempDir()
	for _, name := range []string{"inside/deep", "shown", "hidden"} {
		require.NoError(t, os.MkdirAll(filepath.Join(place, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(place, name, "file"), []byte(name+"\n"), 0o600))
	}
	everything, err := launch.Everything(place)
	require.NoError(t, err)
	spec := shell(fmt.Sprintf(`
		no() { if sh -c "$1" 2>/dev/null; then echo "could: $1"; fi; }
		yes() { sh -c "$1" || echo "could not: $1"; }
		yes 'cat ../shown/file'; yes 'echo x >made; mkdir d; mv deep/file d/file; rm made; ln d/file hard; ln -s ../hidden link; echo x >/dev/null'
		no 'cat ../hidden/file'; no 'cat link/file'; no 'ls ..'; no 'ls ../hidden'
		no 'echo x >../shown/file'; no 'echo x >../new'; no 'rm ../hidden/file'; no 'mv d/file ../hidden/moved'; no 'mv ../hidden/file d/taken'
		no 'echo x >>/etc/hosts'; no 'cat /proc/%[1]d/environ >got'; no 'kill -CONT %[1]d'
		echo "$KINTSUGI_LAUNCH_WALL$1"`, os.Getpid()))
	spec.Argv, spec.Dir = append(spec.Argv, "sh", "end"), filepath.Join(place, "inside")
	spec.Wall = &launch.Wall{Read: append(everything, filepath.Join(place, "shown"), filepath.Join(place, "missing")), Write: []string{spec.Dir}, Connect: []uint16{1}}
	ended, output := run(t, launcher, dir, spec)
	require.True(t, ended.OK() && ended.Walled, "%s", ended)
	require.Equal(t, "shown\nend\n", output)

	t.Run("unreadable program", func(t *testing.T) {
		t.Parallel()
		launcher, dir := setup(t)
		spec := spec
		spec.Argv = []string{filepath.Join(place, "hidden", "program")}
		require.NoError(t, os.WriteFile(spec.Argv[0], []byte("#!/bin/sh\ntrue\n"), 0o700))
		ended, output := run(t, launcher, dir, spec)
		require.Equal(t, 126, ended.Code, "%s", ended)
		require.Contains(t, output, "it could not be started: "+spec.Argv[0])
	})
}

// Rule: the ports that a wall names are those that a program behind it can connect to.
func TestWallOfPorts(t *testing.T) {
	t.Parallel()
	bash := "/bin/bash" // it can connect without another program
	if _, err := os.Stat(bash); err != nil || !launch.Walls() {
		t.Log("this kernel has no landlock, or there is no bash: the wall was not tried")
		return
	}
	var ports []uint16
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		ports = append(ports, uint16(listener.Addr().(*net.TCPAddr).Port)) //nolint:gosec // a port is one
	}
	launcher, dir := setup(t)
	spec := shell(fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%d && echo first; exec 4<>/dev/tcp/127.0.0.1/%d && echo second`, ports[0], ports[1]))
	spec.Argv[0] = bash
	spec.Wall = &launch.Wall{Read: []string{"/"}, Connect: ports[:1]}
	_, output := run(t, launcher, dir, spec)
	require.Contains(t, output, "first\n")
	require.NotContains(t, output, "second\n")
}
