package hostcall_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

func openMirror(t *testing.T) (*hostcall.Mirror, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "files", "workflow")
	mirror, err := hostcall.OpenMirror(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, mirror.Close()) })
	return mirror, dir
}

// tree is every file under dir with its text.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		found[filepath.ToSlash(relative)] = string(text)
		return err
	}))
	return found
}

// The mirror follows the state: what was written is there, what was removed is gone, and
// folders and files may change places.
func TestMirrorFollowsState(t *testing.T) {
	t.Parallel()
	mirror, dir := openMirror(t)
	state := hostcall.NewMemory(nil, map[string]string{"a.txt": "1", "deep/er/b.txt": "2"}, nowMS)
	require.NoError(t, mirror.Sync(state, state.Files()))
	require.Equal(t, map[string]string{"a.txt": "1", "deep/er/b.txt": "2"}, tree(t, dir))

	info, err := os.Stat(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	require.True(t, info.ModTime().Equal(time.UnixMilli(nowMS)))
	for _, folder := range []string{"", "deep", "deep/er"} {
		info, err := os.Stat(filepath.Join(dir, folder))
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), folder)
	}

	paths := []string{}
	for _, c := range []struct {
		name string
		args []any
	}{
		{"files.write", []any{"a.txt/../x", ""}}, {"files.append", []any{"./a.txt", "+"}}, {"files.remove", []any{"deep/er/b.txt"}},
		{"files.remove", []any{"never.txt"}}, {"files.write", []any{"deep", "now a file"}}, {"kv.set", []any{"k", 1}}, {"files.read", []any{"a.txt"}},
	} {
		made := call(c.name, c.args...)
		hostcall.ApplyLocal(state, made, nowMS)
		if name, ok := hostcall.Touched(made); ok {
			paths = append(paths, name)
		}
	}
	require.Equal(t, []string{"a.txt", "deep/er/b.txt", "never.txt", "deep"}, paths)
	require.NoError(t, mirror.Sync(state, []string{"deep", "deep/er/b.txt", "a.txt", "never.txt"}), "in any order")
	require.Equal(t, map[string]string{"a.txt": "1+", "deep": "now a file"}, tree(t, dir))
}

// Nothing outside the directory is written, removed or opened, however somebody has filled it, and the rest of the
// mirror goes on.
func TestMirrorLeavesTrapsAlone(t *testing.T) {
	t.Parallel()
	mirror, dir := openMirror(t)
	outside := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real", "x"), []byte("theirs"), 0o600))
	link := func(target, name string) { require.NoError(t, os.Symlink(target, filepath.Join(dir, name))) }
	link(outside, "absolute")
	link("../../../../../../../../.."+outside, "relative")
	link("real/x", "inner")
	link(filepath.Dir(outside), "folder")
	link("real", "inner-folder")
	link("nowhere", "dangling")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))

	traps := map[string]string{
		"absolute": "its place is taken by a symbolic link", "relative": "its place is taken by a symbolic link",
		"inner": "its place is taken by a symbolic link", "dangling": "its place is taken by a symbolic link",
		"folder/precious": "folder is not a folder but a symbolic link", "folder/new": "folder is not a folder but a symbolic link",
		"inner-folder/x": "inner-folder is not a folder but a symbolic link",
		"pipe":           "its place is taken by a pipe", "taken": "its place is taken by a folder", "file/x": "file is not a folder but a file",
		"../escape": "not a path that is mirrored", "/etc/passwd": "not a path that is mirrored", "a/../../b": "not a path that is mirrored",
		".": "not a path that is mirrored", "": "not a path that is mirrored", "a//b": "not a path that is mirrored",
		"nul\x00": "not a path that is mirrored", ".kintsugi-mirror.tmp": "not a path that is mirrored",
	}
	written, removed := hostcall.NewMemory(nil, map[string]string{"good": "good"}, 0), &hostcall.Memory{}
	paths := []string{"good"}
	for name, want := range traps {
		written.WriteFile(name, hostcall.File{Text: "evil"})
		require.ErrorContains(t, mirror.Sync(written, []string{name}), want, name)
		require.ErrorContains(t, mirror.Sync(removed, []string{name}), want, name)
		paths = append(paths, name)
	}
	require.Error(t, mirror.Sync(written, paths))
	require.Equal(t, map[string]string{"good": "good", "real/x": "theirs", "file": ""}, tree(t, dir))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
	require.NoFileExists(t, filepath.Join(filepath.Dir(outside), "new"))
	require.NoFileExists(t, filepath.Join(filepath.Dir(dir), "escape"))
}

// Only files are written to: a device would do what the text says, and a socket is somebody's. A second name of a
// file outside is removed, not written through.
func TestMirrorWritesOnlyFiles(t *testing.T) {
	t.Parallel()
	mirror, dir := openMirror(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	taken := map[string]string{"s": "its place is taken by a socket"}
	// Only root can make a device, elsewhere none can be in the way.
	if err := syscall.Mknod(filepath.Join(dir, "null"), syscall.S_IFCHR|0o666, 1<<8|3); err == nil {
		taken["null"] = "its place is taken by a device"
	} else {
		require.ErrorIs(t, err, syscall.EPERM)
	}
	state := &hostcall.Memory{}
	for name, want := range taken {
		state.WriteFile(name, hostcall.File{Text: "evil"})
		require.ErrorContains(t, mirror.Sync(state, []string{name}), want)
		require.ErrorContains(t, mirror.Sync(&hostcall.Memory{}, []string{name}), want)
	}

	outside := filepath.Join(filepath.Dir(dir), "precious")
	require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
	require.NoError(t, os.Link(outside, filepath.Join(dir, "linked")))
	state.WriteFile("linked", hostcall.File{Text: "evil"})
	require.NoError(t, mirror.Sync(state, []string{"linked"}))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
}

// A folder that becomes a link between the look and the write leads nowhere either.
func TestMirrorAgainstSwaps(t *testing.T) {
	t.Parallel()
	mirror, dir := openMirror(t)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "a"), []byte("precious"), 0o600))
	place, folder, link := filepath.Join(dir, "d"), filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	require.NoError(t, os.MkdirAll(place, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(place, "keep"), nil, 0o600))
	require.NoError(t, os.Symlink(outside, link))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(place, folder)
			if os.Rename(link, place) == nil { // else the mirror made a folder there
				_ = os.Rename(place, link)
			}
			if os.Rename(folder, place) != nil {
				_ = os.RemoveAll(place)
				_ = os.Rename(folder, place)
			}
		}
	}()
	state := hostcall.NewMemory(nil, map[string]string{"d/a": "evil", "d/b": "evil"}, nowMS)
	for range 1000 {
		_ = mirror.Sync(state, []string{"d/a", "d/b"})              // it may be refused
		_ = mirror.Sync(&hostcall.Memory{}, []string{"d/a", "d/b"}) // likewise
	}
	close(stop)
	<-stopped
	require.Equal(t, map[string]string{"a": "precious"}, tree(t, outside))
}

// A crash in the middle of a write leaves the old file whole, and the next write tidies up.
func TestMirrorAfterACrash(t *testing.T) {
	t.Parallel()
	mirror, dir := openMirror(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".kintsugi-mirror.tmp"), []byte("half"), 0o400))
	state := hostcall.NewMemory(nil, map[string]string{"a": "whole"}, 0)
	require.NoError(t, mirror.Sync(state, state.Files()))
	require.Equal(t, map[string]string{"a": "whole"}, tree(t, dir))

	// Not even a trap in the place of the temporary file is followed.
	outside := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, ".kintsugi-mirror.tmp")))
	require.NoError(t, mirror.Sync(state, state.Files()))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
}

// A reader sees the old file or the new one, never a part: the name changes hands at once.
func TestMirrorReplacesAtOnce(t *testing.T) {
	t.Parallel()
	mirror, dir := openMirror(t)
	state := hostcall.NewMemory(nil, map[string]string{"a": "old"}, 0)
	require.NoError(t, mirror.Sync(state, state.Files()))
	reader, err := os.Open(filepath.Join(dir, "a"))
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	state.WriteFile("a", hostcall.File{Text: "new and longer"})
	require.NoError(t, mirror.Sync(state, state.Files()))
	text := make([]byte, 100)
	n, err := reader.Read(text)
	require.NoError(t, err)
	require.Equal(t, "old", string(text[:n]))
}

// A directory that cannot be had says so.
func TestOpenMirrorFails(t *testing.T) {
	t.Parallel()
	taken := filepath.Join(t.TempDir(), "taken")
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	_, err := hostcall.OpenMirror(taken)
	require.ErrorContains(t, err, "hostcall: mirror: ")
}
