package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/filelock"
)

// Opener opens repositories to work in them. Where the process died that worked through a view before, its last git may be at
// work still: the first time that a view is opened it is waited for, or the two would stumble over each other. The zero
// Opener is ready.
type Opener struct {
	mu     sync.Mutex
	opened map[string]bool
}

// Open is [Open], when nothing of an earlier life is at work through the view any more.
func (o *Opener) Open(ctx context.Context, dir, view string) (*Repo, error) {
	if err := o.settled(ctx, view); err != nil {
		return nil, err
	}
	return Open(ctx, dir, view)
}

func (o *Opener) settled(ctx context.Context, view string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.opened[view] {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(view, atWorkFile), os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(alone(ctx, file), file.Close())
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) { // else nobody has worked through it yet
		return fmt.Errorf("gitrepo: wait for a git that an earlier life of the server left: %w", err)
	}
	if o.opened == nil {
		o.opened = map[string]bool{}
	}
	o.opened[view] = true
	return nil
}

// atWorkFile is a file that each git has open and locked, together with all others, as long as it is at work. No reference
// can have such a name.
const atWorkFile = "at-work.lock"

// atWorkLooked is how often it is seen whether they have ended.
const atWorkLooked = 10 * time.Millisecond

// alone waits until no git has the file.
func alone(ctx context.Context, file *os.File) error {
	look := time.NewTicker(atWorkLooked)
	defer look.Stop()
	for {
		locked, err := filelock.Try(file, filelock.Exclusive)
		if err != nil {
			return err
		}
		if locked {
			return filelock.Unlock(file)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-look.C:
		}
	}
}

// atWork is the file that the next git has open, nil where there is no view yet: that one only looks.
func (r *Repo) atWork() (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(r.view, atWorkFile), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("gitrepo: %w", err)
	}
	if err := filelock.Lock(file, filelock.Shared); err != nil {
		return nil, errors.Join(fmt.Errorf("gitrepo: %w", err), file.Close())
	}
	return file, nil
}
