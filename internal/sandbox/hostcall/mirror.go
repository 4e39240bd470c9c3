package hostcall

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// mirrorTemp is the name under which a file is written before it gets its own. One name is
// enough, because a mirror has one writer, and what a crash leaves behind is found again.
const mirrorTemp = ".kintsugi-mirror.tmp"

// Mirror writes a workflow's files into a directory, for people to look at. Nothing is
// ever read back: the journal is the truth, and whatever somebody changes, links or mounts
// in the directory cannot get into a run. It follows no symbolic link and writes into no
// device or pipe; a place that is taken by anything but a regular file is left alone.
type Mirror struct{ root *os.Root }

// OpenMirror opens the mirror in dir and makes dir, for its owner only, if it is not there.
func OpenMirror(dir string) (*Mirror, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("hostcall: mirror: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("hostcall: mirror: %w", err)
	}
	return &Mirror{root: root}, nil
}

// Close closes the directory.
func (m *Mirror) Close() error { return m.root.Close() }

// Sync makes the mirror's copies of paths what state says: written, or removed if state has
// no such file. Sync(state, state.Files()) writes everything. It goes on after an error and
// returns all of them; nothing depends on a mirror, so a caller may well only log them.
func (m *Mirror) Sync(state State, paths []string) error {
	var faults []error
	each := func(gone bool, do func(string, File) error) {
		for _, name := range paths {
			file, ok := state.File(name)
			if ok == gone {
				continue
			}
			if err := do(name, file); err != nil {
				faults = append(faults, fmt.Errorf("hostcall: mirror: %s: %w", name, err))
			}
		}
	}
	// Removals go first: a folder may have taken the place of a file, or a file of a folder.
	each(true, func(name string, _ File) error { return m.remove(name) })
	each(false, m.write)
	return errors.Join(faults...)
}

// Touched is the path that a call of a local tool may have written or removed, if any: what
// to Sync after it.
func Touched(call sandbox.Call) (name string, ok bool) {
	touch, err := touchOf(Of(call.Tool), call.Args)
	if err != nil || touch.Of != Path || touch.Leaves == AsItWas {
		return "", false
	}
	name, fault := cleanPath(call.Tool, touch.Name)
	return name, fault == nil
}

// write puts the file in its place in one step, whatever was read or written there meanwhile.
func (m *Mirror) write(name string, file File) (err error) {
	if err := m.checkPlace(name); err != nil {
		return err
	}
	if folder := path.Dir(name); folder != "." {
		if err := m.root.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	if err := m.root.Remove(mirrorTemp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := m.root.OpenFile(mirrorTemp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = m.root.Remove(mirrorTemp)
		}
	}()
	_, writeErr := temp.WriteString(file.Text)
	if err := errors.Join(writeErr, temp.Close()); err != nil {
		return err
	}
	modified := time.UnixMilli(file.ModifiedMS)
	if err := m.root.Chtimes(mirrorTemp, modified, modified); err != nil {
		return err
	}
	return m.root.Rename(mirrorTemp, name)
}

// remove removes the file, and the folders that are empty then.
func (m *Mirror) remove(name string) error {
	err := m.checkPlace(name)
	if err == nil {
		err = m.root.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// A folder that is not empty stays, and so do those above it.
	for folder := path.Dir(name); folder != "." && m.root.Remove(folder) == nil; {
		folder = path.Dir(folder)
	}
	return nil
}

// checkPlace refuses a place whose folders are not all folders, or that is taken by
// anything but a regular file. os.Root would follow links that stay inside.
func (m *Mirror) checkPlace(name string) error {
	if clean, fault := cleanPath("mirror", name); fault != nil || clean != name || name == "." || name == mirrorTemp {
		return errors.New("not a path that is mirrored")
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := m.root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			break // and so is nothing below it
		}
		switch {
		case err != nil:
			return err
		case i < len(name) && !info.IsDir():
			return fmt.Errorf("%s is not a folder but %s", name[:i], kindOfFile(info))
		case i == len(name) && !info.Mode().IsRegular():
			return fmt.Errorf("its place is taken by %s", kindOfFile(info))
		}
	}
	return nil
}

func kindOfFile(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
