package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Worktree is a directory with a checkout of its own. An agent that works there may have done anything to it: its own
// claims (its .git, its index, the branch it is on) are not relied upon.
type Worktree struct {
	Path   string
	repo   *Repo
	gitDir string // .git/worktrees/<name> of the repository
}

// ErrWorktree is wrapped by errors about a worktree that is missing or damaged.
var ErrWorktree = errors.New("there is no worktree to work with")

// additions has a lock for each repository in which worktrees are added.
var additions sync.Map

// AddWorktree makes a worktree with the files of a commit; on a branch, which is made there if it does not exist, or
// on none. Files at the path are removed before: nobody may have worked there yet.
func (r *Repo) AddWorktree(ctx context.Context, path, branch, commit string) (*Worktree, error) {
	// git makes two at once stumble over each other.
	adding, _ := additions.LoadOrStore(r.common, new(sync.Mutex))
	adding.(*sync.Mutex).Lock()
	defer adding.(*sync.Mutex).Unlock()
	if err := r.RemoveWorktree(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("gitrepo: %w", err)
	}
	args := []string{"worktree", "add", "--no-checkout", "--detach", path, commit}
	if branch != "" {
		if err := r.SetRef(ctx, "refs/heads/"+branch, commit, "", "kintsugi: begin"); err != nil {
			return nil, err
		}
		args = []string{"worktree", "add", "--no-checkout", path, branch}
	}
	if _, err := r.output(ctx, call{gitDir: r.common, dir: r.common, args: args}); err != nil {
		return nil, err
	}
	w, err := r.Worktree(path)
	if err != nil {
		return nil, err
	}
	err = w.checkOut(ctx, commit)
	return w, err
}

// Worktree is one that is there, found by what the repository, not the worktree, says.
func (r *Repo) Worktree(path string) (*Worktree, error) {
	gitDir, err := r.registered(path)
	if err != nil {
		return nil, err
	}
	if gitDir == "" {
		return nil, fmt.Errorf("gitrepo: %s is no worktree of %s: %w", path, r.Top, ErrWorktree)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("gitrepo: the worktree is gone (%w): %w", err, ErrWorktree)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("gitrepo: the worktree %s is no directory any more: somebody put something else in its place: %w", path, ErrWorktree)
	}
	return &Worktree{Path: path, repo: r, gitDir: gitDir}, nil
}

// registered is where the repository keeps what it knows of a worktree, nothing if it knows none at the path.
func (r *Repo) registered(path string) (gitDir string, err error) {
	known := filepath.Join(r.common, "worktrees")
	entries, err := os.ReadDir(known)
	if err != nil {
		return "", fmt.Errorf("gitrepo: %w", err)
	}
	for _, entry := range entries {
		place, err := os.ReadFile(filepath.Join(known, entry.Name(), "gitdir"))
		if err == nil && strings.TrimSpace(string(place)) == filepath.Join(path, ".git") {
			return filepath.Join(known, entry.Name()), nil
		}
	}
	return "", nil
}

// RemoveWorktree removes a worktree with all that is in it; one that is not there is nothing to do. Its branch stays.
func (r *Repo) RemoveWorktree(path string) error {
	gitDir, err := r.registered(path)
	if err != nil {
		return err
	}
	// Not with git, which goes by what the worktree says of itself, and would forget other worktrees of the person's
	// that are away for a moment, too.
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("gitrepo: %w", err)
	}
	if gitDir == "" {
		return nil
	}
	if err := os.RemoveAll(gitDir); err != nil {
		return fmt.Errorf("gitrepo: %w", err)
	}
	return nil
}

// on calls git with the files of the worktree, and an index of the caller's.
func (w *Worktree) on(index string, args ...string) call {
	return call{gitDir: w.gitDir, common: w.repo.view, workTree: w.Path, index: index, dir: w.Path, args: args}
}

// Head is the commit that the worktree is on, and its branch, nothing if it is on none.
func (w *Worktree) Head(ctx context.Context) (commit, branch string, err error) {
	commit, err = w.repo.output(ctx, w.on("", "rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
	if exitCode(err) > 0 {
		return "", "", fmt.Errorf("gitrepo: %s is on no commit: %w", w.Path, ErrNoRevision)
	}
	if err != nil {
		return "", "", err
	}
	branch, err = w.repo.output(ctx, w.on("", "symbolic-ref", "--quiet", "HEAD"))
	if exitCode(err) == 1 {
		return commit, "", nil
	}
	return commit, strings.TrimPrefix(branch, "refs/heads/"), err
}

// scratch is a file for an index that is thrown away.
func (w *Worktree) scratch() (index string, remove func(), err error) {
	dir, err := os.MkdirTemp(w.repo.view, "index-")
	if err != nil {
		return "", nil, fmt.Errorf("gitrepo: %w", err)
	}
	return filepath.Join(dir, "index"), func() { _ = os.RemoveAll(dir) }, nil
}

// Tree is every file of the worktree that is not ignored, as a tree, committed or not. Its own index is not asked, so
// nothing can be hidden there.
func (w *Worktree) Tree(ctx context.Context, head string) (string, error) {
	index, remove, err := w.scratch()
	if err != nil {
		return "", err
	}
	defer remove()
	if err := w.read(ctx, index, head); err != nil {
		return "", err
	}
	if _, err := w.repo.output(ctx, w.on(index, "-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false", "add", "--all", "--", ".")); err != nil {
		return "", err
	}
	return w.repo.output(ctx, w.on(index, "write-tree"))
}

// Snapshot is all that the worktree holds as a commit after head: head itself if there is nothing else. Nothing
// refers to it yet, and the worktree stays as it is.
func (w *Worktree) Snapshot(ctx context.Context, head string, as Commit) (string, error) {
	return w.SnapshotWithout(ctx, head, "", as)
}

// SnapshotWithout is [Worktree.Snapshot], but what a program left there before is not in it: each file that is still as it is in
// the commit left is as it is in that commit's parent.
func (w *Worktree) SnapshotWithout(ctx context.Context, head, left string, as Commit) (string, error) {
	tree, err := w.Tree(ctx, head)
	if err == nil && left != "" {
		tree, err = w.without(ctx, tree, left)
	}
	if err == nil {
		tree, err = w.pointered(ctx, head, tree)
	}
	if err != nil {
		return "", err
	}
	of, err := w.repo.Tree(ctx, head)
	if err != nil || of == tree {
		return head, err
	}
	return w.repo.commitTree(ctx, tree, as, head)
}

func (w *Worktree) without(ctx context.Context, tree, left string) (string, error) {
	theirs, err := w.repo.differences(ctx, "--no-renames", left+"^", left)
	if err != nil {
		return "", err
	}
	since, err := w.repo.differences(ctx, "--no-renames", left, tree)
	if err != nil {
		return "", err
	}
	differs := map[string]bool{}
	for _, change := range since {
		differs[change.Path] = true
	}
	var entries strings.Builder
	for _, change := range theirs {
		switch {
		case differs[change.Path]:
		case change.Kind == Added:
			fmt.Fprintf(&entries, "0 %s\t%s\x00", strings.Repeat("0", len(tree)), change.Path)
		default:
			fmt.Fprintf(&entries, "%s %s\t%s\x00", change.OldMode, change.OldBlob, change.Path)
		}
	}
	return w.repo.amended(ctx, tree, entries.String())
}

// PutBack has the files that differ between a commit and what the worktree holds be as they are in the commit; held is a
// [Worktree.Snapshot] of it. The index stays.
func (w *Worktree) PutBack(ctx context.Context, commit, held string) error {
	changes, err := w.repo.differences(ctx, "--no-renames", commit, held)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(w.Path) // no symlink leads out of it
	if err != nil {
		return fmt.Errorf("gitrepo: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only a way in
	var back strings.Builder
	for _, change := range changes {
		if change.Kind != Added {
			back.WriteString(change.Path + "\x00")
			continue
		}
		if err := root.RemoveAll(change.Path); err != nil {
			return fmt.Errorf("gitrepo: %w", err)
		}
		for dir := filepath.Dir(change.Path); dir != "." && root.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
	}
	if back.Len() == 0 {
		return nil
	}
	index, remove, err := w.scratch()
	if err != nil {
		return err
	}
	defer remove()
	if err := w.read(ctx, index, commit); err != nil {
		return err
	}
	c := w.on(index, "checkout-index", "-f", "-q", "-z", "--stdin")
	c.in = strings.NewReader(back.String())
	return w.repo.run(ctx, c)
}

// Reset makes the files those of a commit, and the index with them; its head stays where it is. Files that neither
// the commit nor the index knows stay. A caller that may need the old files takes a [Worktree.Snapshot] before.
func (w *Worktree) Reset(ctx context.Context, commit string) error {
	if err := os.Remove(filepath.Join(w.gitDir, "index")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("gitrepo: %w", err)
	}
	if err := w.read(ctx, "", commit); err != nil {
		return err
	}
	return w.checkOut(ctx, commit)
}

// read makes an index of a commit that knows which files are as they should be. It reads them all, which costs a fraction of
// what it costs to write them, or to have git make objects of them once more.
func (w *Worktree) read(ctx context.Context, index, commit string) error {
	if _, err := w.repo.output(ctx, w.on(index, "read-tree", commit)); err != nil {
		return err
	}
	_, err := w.repo.output(ctx, w.on(index, "update-index", "-q", "--really-refresh"))
	if exitCode(err) == 1 { // some are not
		return nil
	}
	return err
}

// checkOut writes the files of a commit that the index does not know to be there as they should be.
func (w *Worktree) checkOut(ctx context.Context, commit string) error {
	_, err := w.repo.output(ctx, w.on("", "read-tree", "--reset", "-u", commit))
	return err
}

// Clean removes what is neither in the index nor ignored, repositories inside the worktree included.
func (w *Worktree) Clean(ctx context.Context) error {
	_, err := w.repo.output(ctx, w.on("", "clean", "-ffdq"))
	return err
}

// Attach puts the worktree on a branch, or with none at a commit, whatever it was on; its files stay.
func (w *Worktree) Attach(ctx context.Context, branch, commit string) error {
	args := []string{"update-ref", "--no-deref", "HEAD", commit}
	if branch != "" {
		args = []string{"symbolic-ref", "HEAD", "refs/heads/" + branch}
	}
	if _, err := w.repo.output(ctx, w.on("", args...)); err != nil {
		return err
	}
	_, err := w.repo.output(ctx, w.on("", "read-tree", commit))
	return err
}

// Ignored are files that are there and that nobody commits: the first of them, directories as one, and how many there are.
func (w *Worktree) Ignored(ctx context.Context, most int) (files []string, total int, err error) {
	list, err := w.repo.output(ctx, w.on("", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"))
	if err != nil {
		return nil, 0, err
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if path == "" {
			continue
		}
		if total++; len(files) < most {
			files = append(files, path)
		}
	}
	return files, total, nil
}

// notLiteral is for a command that knows no patterns, and refuses to be told that there are none.
var notLiteral = []string{"GIT_LITERAL_PATHSPECS=0"}

// Ignores says that git ignores a path of the worktree as it is there.
func (w *Worktree) Ignores(ctx context.Context, path string) (bool, error) {
	c := w.on("", "check-ignore", "--quiet", "--", path)
	c.env = notLiteral
	_, err := w.repo.output(ctx, c)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Needs are the directories of the repository that a program in the worktree has to read for git to work there, and those that it has
// to change. The repository's own settings and hooks are not among the latter.
func (w *Worktree) Needs() (read, change []string) {
	common := w.repo.common
	return []string{common}, []string{w.gitDir, filepath.Join(common, "objects"), filepath.Join(common, "refs"), filepath.Join(common, "logs")}
}

// Status is what differs from head, one line for each file as git's short format says it; empty if the tree is clean.
func (w *Worktree) Status(ctx context.Context) (string, error) {
	return w.repo.output(ctx, w.on("", "status", "--porcelain=v1", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"))
}
