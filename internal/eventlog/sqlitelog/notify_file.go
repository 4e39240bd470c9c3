package sqlitelog

import (
	"os"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// notifyFile is a file beside the log by which processes tell each other of appends: every append rewrites its one
// byte, and waiting processes watch the file. SQLite's own files would not do: the write-ahead log is written before
// anybody can read the new events.
//
// It only makes the others look sooner. Where there can be no such file, or it cannot be watched, nobody is told, and
// those who wait find out by looking from time to time.
type notifyFile struct {
	path string
	file atomic.Pointer[os.File]
}

func newNotifyFile(path string) *notifyFile {
	n := &notifyFile{path: path}
	n.create()
	return n
}

// create makes the file if there is none, or it is not the one at the path any more, and says whether it did.
func (n *notifyFile) create() bool {
	at, err := os.Stat(n.path)
	if held := n.file.Load(); err == nil && held != nil {
		if is, err := held.Stat(); err == nil && os.SameFile(at, is) {
			return false
		}
	}
	file, err := os.OpenFile(n.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	if old := n.file.Swap(file); old != nil {
		_ = old.Close()
	}
	return true
}

// notify tells other processes. A full disk does not prevent it: the byte is there already.
func (n *notifyFile) notify() {
	if file := n.file.Load(); file != nil {
		_, _ = file.WriteAt([]byte{'\n'}, 0)
	}
}

// fileWatch watches a notify file. The zero fileWatch sees nothing.
type fileWatch struct {
	changed <-chan fsnotify.Event
	trouble <-chan error
	watcher *fsnotify.Watcher
}

// watch watches the file, if it can be.
func (n *notifyFile) watch() fileWatch {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fileWatch{}
	}
	if err := watcher.Add(n.path); err != nil {
		_ = watcher.Close()
		return fileWatch{}
	}
	return fileWatch{changed: watcher.Events, trouble: watcher.Errors, watcher: watcher}
}

func (w fileWatch) stop() {
	if w.watcher != nil {
		_ = w.watcher.Close()
	}
}

func (n *notifyFile) close() {
	if file := n.file.Swap(nil); file != nil {
		_ = file.Close()
	}
}
