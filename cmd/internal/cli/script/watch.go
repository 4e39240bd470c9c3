package script

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// settled is how long a file has to be left alone: an editor saves in several steps.
const settled = 100 * time.Millisecond

// watch calls do, and again each time that the content of a file has changed, until the context is done. Its folder
// is what is watched: many editors put another file in the place of the one that they save.
func watch(ctx context.Context, cli *terminal.CLI, file string, do func()) error {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return fault.New(fault.Invalid, "cannot watch it: %w", err)
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Close() }()
	if err := watcher.Add(filepath.Dir(file)); err != nil {
		return err
	}
	calm := time.NewTimer(0)
	defer calm.Stop()
	seen, first := "", true
	for {
		select {
		case <-ctx.Done():
			return &terminal.ExitError{Code: terminal.ExitInterrupted} // as it was told to end
		case err := <-watcher.Errors:
			return err
		case event := <-watcher.Events:
			if filepath.Clean(event.Name) == file {
				calm.Reset(settled)
			}
		case <-calm.C:
			content, err := cli.ReadFile(file)
			if err != nil && !first || !first && content == seen {
				continue // it is being replaced, or it was only touched
			}
			seen, first = content, false
			do()
		}
	}
}
