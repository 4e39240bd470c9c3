package coding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// fill gives a new worktree what the plan says that it needs from the person's checkout.
func (t *turn) fill(ctx context.Context, repo *gitrepo.Repo, tree *gitrepo.Worktree) error {
	if len(t.state.Definition.Copy)+len(t.state.Definition.Link) == 0 {
		return nil
	}
	root, err := os.OpenRoot(tree.Path) // no symlink that is committed leads out of it
	if err != nil {
		return fmt.Errorf("coding: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only a way in
	for _, path := range append(slices.Clone(t.state.Definition.Copy), t.state.Definition.Link...) {
		path = filepath.Clean(path)
		from := filepath.Join(repo.Top, path)
		if _, err := root.Lstat(path); err == nil {
			continue
		}
		err := root.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil && slices.Contains(t.state.Definition.Link, path) {
			if _, err = os.Stat(from); err == nil {
				err = root.Symlink(from, path)
			}
		} else if err == nil {
			err = copyInto(root, path, from)
		}
		if err != nil {
			return fmt.Errorf("%s of the checkout cannot be put into the worktree: %w: %w", path, err, gitrepo.ErrWorktree)
		}
		ignored, err := tree.Ignores(ctx, path)
		if err != nil {
			return err
		}
		if !ignored {
			return fmt.Errorf("git does not ignore %s in the worktree, so it would become the job's work: name it in .gitignore (a symlink is matched only by a line without a slash at its end): %w", path, gitrepo.ErrWorktree)
		}
	}
	return nil
}

// copyInto copies a file, or a directory with all that is in it.
func copyInto(root *os.Root, path, from string) error {
	return filepath.WalkDir(from, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		to := filepath.Join(path, within)
		switch kind := entry.Type(); {
		case kind.IsDir():
			return root.MkdirAll(to, 0o777)
		case kind&fs.ModeSymlink != 0:
			target, err := os.Readlink(at)
			if err != nil {
				return err
			}
			return root.Symlink(target, to)
		case !kind.IsRegular():
			return nil
		}
		return copyFile(root, to, at)
	})
}

func copyFile(root *os.Root, to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	file, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, source)
	return errors.Join(err, file.Close())
}

// portsFile holds the ports of a job, in its directory.
const portsFile = "ports.json"

// ports gives the variables of a job free ports that no other job of the plan was given: the same ones at each launch.
func (t *turn) ports() (map[string]int, error) {
	of, _ := t.state.Definition.Job(t.job.ID)
	if len(of.Ports) == 0 {
		return nil, nil
	}
	t.worker.giving.Lock()
	defer t.worker.giving.Unlock()
	taken := map[int]bool{}
	for _, other := range t.state.Definition.Jobs {
		given := map[string]int{}
		text, err := os.ReadFile(filepath.Join(JobDir(t.state, other.ID), portsFile))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("coding: %w", err)
		case json.Unmarshal(text, &given) == nil && other.ID == t.job.ID: // one that is damaged is made again
			return given, nil
		}
		for _, port := range given {
			taken[port] = true
		}
	}
	given := map[string]int{}
	var listeners []net.Listener // closed together, or a port would be found twice
	defer func() {
		for _, one := range listeners {
			_ = one.Close()
		}
	}()
	for _, name := range of.Ports {
		for given[name] == 0 {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, fmt.Errorf("coding: find a free port: %w", err)
			}
			listeners = append(listeners, listener)
			if at, is := listener.Addr().(*net.TCPAddr); is && !taken[at.Port] {
				given[name] = at.Port
			}
		}
	}
	text, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	return given, os.WriteFile(t.dir(portsFile), text, 0o600)
}

// checkoutFile holds how the person's checkout was before an agent was launched that no wall keeps from it, in its launch's directory.
const checkoutFile = "checkout.json"

// noteCheckout notes how the person's checkout is, where an agent could change it.
func (t *turn) noteCheckout(ctx context.Context, dir string, spec launch.Spec) error {
	if t.job.Running.Phase != plan.PhaseAgent || spec.Wall != nil {
		return nil
	}
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	state, err := repo.Checkout(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(state)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, checkoutFile), text, 0o600)
	}
	return err
}

// changedOutside are files of the person's checkout that are different since an agent was launched.
func (t *turn) changedOutside(ctx context.Context, dir string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, checkoutFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	before := map[string]string{}
	if err != nil || json.Unmarshal(text, &before) != nil { // one that is damaged tells nothing
		return nil, err
	}
	repo, err := t.repo(ctx)
	if err != nil {
		return nil, err
	}
	after, err := repo.Checkout(ctx)
	if err != nil {
		return nil, err
	}
	var changed []string
	for path, state := range after {
		if before[path] != state {
			changed = append(changed, path)
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// temporary is the directory for temporary files of a job. It is not below the data directory: a socket's path has at most 108 bytes.
func (t *turn) temporary() string {
	return filepath.Join(os.TempDir(), "kintsugi-"+strconv.Itoa(os.Getuid())+"-"+t.id[max(0, len(t.id)-12):]+"-"+t.job.ID)
}

func (t *turn) makeTemporary() error {
	err := os.Mkdir(t.temporary(), 0o700)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(t.temporary())
	if err != nil {
		return err
	}
	if !info.IsDir() || !ours(info) {
		return fmt.Errorf("somebody else made %s: remove it", t.temporary())
	}
	return os.Chmod(t.temporary(), 0o700) //nolint:gosec // a directory has to be entered
}

// wall is what a program of a job is behind; nil if the plan has none.
func (t *turn) wall(ctx context.Context, dir string) (*launch.Wall, error) {
	of := t.state.Definition.Wall
	if of.Off || !launch.Walls() {
		return nil, nil
	}
	repo, err := t.repo(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := repo.Worktree(dir)
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err == nil {
		home, err = filepath.EvalSymlinks(home)
	}
	hidden := []string{filepath.Dir(t.worker.config.Places), repo.Top}
	if err == nil && home != "/" {
		hidden = append(hidden, home)
	}
	wall := &launch.Wall{Write: []string{dir, t.dir("home"), filepath.Dir(t.trajectory()), t.temporary()}}
	if of.Connect != nil {
		wall.Connect = make([]uint16, len(*of.Connect))
		for i, port := range *of.Connect {
			wall.Connect[i] = uint16(port) //nolint:gosec // a plan with another was refused
		}
	}
	if wall.Read, err = launch.Everything(hidden...); err != nil {
		return nil, err
	}
	read, change := tree.Needs()
	wall.Read, wall.Write = append(append(wall.Read, t.dir("task.txt")), read...), append(wall.Write, change...)
	wall.Read = append(wall.Read, programs(os.Getenv("PATH"), hidden)...)
	for _, path := range t.state.Definition.Link {
		wall.Read = append(wall.Read, filepath.Join(repo.Top, path))
	}
	if t.job.Running.Phase == plan.PhaseInit { // it may take what it needs from there
		wall.Read = append(wall.Read, repo.Top)
	}
	for _, path := range of.Read {
		wall.Read = append(wall.Read, expand(path, home))
	}
	for _, path := range of.Write {
		wall.Write = append(wall.Write, expand(path, home))
	}
	return wall, nil
}

func expand(path, home string) string {
	if rest, is := strings.CutPrefix(path, "~"); is {
		return filepath.Join(home, rest)
	}
	return path
}

// programs are the places in hidden directories that hold the programs of a search path: its own directories, what links in them lead to,
// and the installations that they are the bin of.
func programs(search string, hidden []string) []string {
	within := func(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
	in := func(path string) bool {
		return slices.ContainsFunc(hidden, func(dir string) bool { return within(path, dir) })
	}
	around := func(path string) bool {
		return slices.ContainsFunc(hidden, func(dir string) bool { return within(dir, path) })
	}
	var found []string
	add := func(dir string) {
		found = append(found, dir)
		// ~/.local has much more than programs.
		if up := filepath.Dir(dir); filepath.Base(dir) == "bin" && filepath.Base(up) != ".local" && !around(up) {
			found = append(found, up)
		}
	}
	for _, dir := range filepath.SplitList(search) {
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil || around(dir) {
			continue
		}
		if in(dir) {
			add(dir)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if entry.Type()&fs.ModeSymlink == 0 {
				continue
			}
			program, err := filepath.EvalSymlinks(filepath.Join(dir, entry.Name()))
			switch {
			case err != nil || !in(program):
			case around(filepath.Dir(program)):
				found = append(found, program)
			default:
				add(filepath.Dir(program))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
