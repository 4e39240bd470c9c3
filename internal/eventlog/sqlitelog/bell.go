package sqlitelog

import (
	"os"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// bell is a file beside the log by which processes tell each other of appends: every append rewrites its one byte,
// and waiting processes watch the file. SQLite's own files would not do: the write-ahead log is written before
// anybody can read the new events.
//
// It only makes the others look sooner. Where there can be no such file, or it cannot be watched, nobody is told, and
// those who wait find out by looking from time to time.
type bell struct {
	path string
	file atomic.Pointer[os.File]
}

func newBell(path string) *bell {
	b := &bell{path: path}
	b.hang()
	return b
}

// hang makes the file if there is none, or it is not the one at the path any more, and says whether it did.
func (b *bell) hang() bool {
	at, err := os.Stat(b.path)
	if held := b.file.Load(); err == nil && held != nil {
		if is, err := held.Stat(); err == nil && os.SameFile(at, is) {
			return false
		}
	}
	file, err := os.OpenFile(b.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	if old := b.file.Swap(file); old != nil {
		_ = old.Close()
	}
	return true
}

// ring tells other processes. A full disk does not prevent it: the byte is there already.
func (b *bell) ring() {
	if file := b.file.Load(); file != nil {
		_, _ = file.WriteAt([]byte{'\n'}, 0)
	}
}

// ear hears a bell. The zero ear hears nothing.
type ear struct {
	rung    <-chan fsnotify.Event
	trouble <-chan error
	watcher *fsnotify.Watcher
}

// hear watches the file, if it can be.
func (b *bell) hear() ear {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return ear{}
	}
	if err := watcher.Add(b.path); err != nil {
		_ = watcher.Close()
		return ear{}
	}
	return ear{rung: watcher.Events, trouble: watcher.Errors, watcher: watcher}
}

func (e ear) stop() {
	if e.watcher != nil {
		_ = e.watcher.Close()
	}
}

func (b *bell) close() {
	if file := b.file.Swap(nil); file != nil {
		_ = file.Close()
	}
}
