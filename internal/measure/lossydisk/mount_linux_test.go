package lossydisk

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// A process of this test binary that uses shared memory in a file.
const shareVariable = "KINTSUGI_LOSSYDISK_SHARE"

func TestMain(m *testing.M) {
	Child()
	if path := os.Getenv(shareVariable); path != "" {
		if err := share(path); err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// mountDisk mounts a disk; nil says that the test is excused.
func mountDisk(t *testing.T) (*Mounted, string) {
	t.Helper()
	dir := t.TempDir()
	disk, err := Mount(dir)
	if err != nil && Excused() {
		t.Logf("NOT TESTED: %v", err)
		return nil, ""
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	return disk, dir
}

// Through the kernel, too, a cut takes what was not synced and leaves the rest.
func TestMounted(t *testing.T) {
	t.Parallel()
	disk, dir := mountDisk(t)
	if disk == nil {
		return
	}
	path := filepath.Join(dir, "a")
	file, err := os.Create(path)
	require.NoError(t, err)
	_, err = file.WriteString("synced")
	require.NoError(t, err)
	require.NoError(t, file.Sync())
	directory, err := os.Open(dir)
	require.NoError(t, err)
	require.NoError(t, directory.Sync())
	require.NoError(t, directory.Close())
	_, err = file.WriteString(" and not")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b"), nil, 0o600))
	require.NoError(t, os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "c")))

	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "synced and not", string(content))
	require.ErrorContains(t, disk.Cut(Loss{}), "still open")
	require.NoError(t, file.Close())
	require.NoError(t, disk.Cut(Loss{}))

	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "synced", string(content))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.NoError(t, os.Truncate(path, 2))
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.Remove(path))
	require.NoError(t, disk.Cut(Loss{Keep: 1}))
	entries, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// The disk has the features that SQLite's write-ahead log needs: memory that is shared between processes, and locks.
func TestMountedShares(t *testing.T) {
	t.Parallel()
	disk, dir := mountDisk(t)
	if disk == nil {
		return
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), shareVariable+"="+filepath.Join(dir, "shared"))
	output, err := child.CombinedOutput()
	require.NoError(t, err, string(output))
	content, err := os.ReadFile(filepath.Join(dir, "shared"))
	require.NoError(t, err)
	require.Equal(t, byte('x'), content[Page])
}

func share(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := file.Truncate(2 * Page); err != nil {
		return err
	}
	memory, err := syscall.Mmap(int(file.Fd()), 0, 2*Page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	memory[Page] = 'x'
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: 1, Len: 1}
	return syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &lock)
}

// A mount whose process was killed does not stay in the way, whatever the kernel remembers of it.
func TestStaleMount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk, err := Mount(dir)
	if err != nil && Excused() {
		t.Logf("NOT TESTED: %v", err)
		return
	}
	require.NoError(t, err)
	_, err = os.Stat(dir)
	require.NoError(t, err)
	require.NoError(t, disk.command.Process.Kill())
	require.Error(t, disk.Close())
	require.NoError(t, detachStale())
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	require.NotContains(t, string(mounts), dir)
}

// A directory that is not there is an error of the caller, not of the system.
func TestCannotMount(t *testing.T) {
	t.Parallel()
	_, err := Mount(filepath.Join(t.TempDir(), "nothing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, ErrNoFUSE)
}

// A test binary that does not call Child does not start itself for ever.
func TestChildIsMissing(t *testing.T) {
	t.Setenv(directoryVariable, t.TempDir())
	_, err := Mount(t.TempDir())
	require.ErrorContains(t, err, "call lossydisk.Child in TestMain")
}

// Only who says so is excused from testing power cuts, and never in CI.
func TestExcused(t *testing.T) {
	for _, c := range []struct {
		without, ci string
		excused     bool
	}{{"", "", false}, {"1", "", true}, {"1", "true", false}, {"", "true", false}} {
		t.Setenv("KINTSUGI_NO_FUSE", c.without)
		t.Setenv("CI", c.ci)
		require.Equal(t, c.excused, Excused(), "%+v", c)
	}
}
