package gitrepo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Submodule is what a worktree has of a submodule.
type Submodule struct {
	Path   string
	Commit string // the one that the repository names
	Work   string // a commit with what is in its files and was in none; empty if that is nothing
	within *Repo
}

// Submodules are those of a commit whose files a worktree has.
func (w *Worktree) Submodules(ctx context.Context, commit string, as Commit) ([]Submodule, error) {
	list, err := w.repo.onView(ctx, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	var all []Submodule
	for entry := range strings.SplitSeq(list, "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		if len(fields) != 3 || fields[0] != ModeSubmodule {
			continue
		}
		dir := filepath.Join(w.Path, path)
		within, err := w.repo.module(ctx, gitDirOf(dir))
		if err != nil {
			return nil, err
		}
		if within == nil {
			continue
		}
		one := Submodule{Path: path, Commit: fields[2], within: within}
		inside := &Worktree{Path: dir, repo: within, gitDir: within.common}
		head, _, err := inside.Head(ctx)
		if err == nil {
			one.Work, err = inside.Snapshot(ctx, head, as)
		}
		if err != nil && !Refused(err) { // one that git does not understand has no work that it could keep
			return nil, err
		}
		if one.Work == head {
			one.Work = ""
		}
		all = append(all, one)
	}
	return all, nil
}

// gitDirOf is where the repository of a submodule's files is, empty if there is none.
func gitDirOf(dir string) string {
	git := filepath.Join(dir, ".git")
	text, err := os.ReadFile(git)
	if err != nil {
		return git // a directory of its own, or nothing
	}
	place := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
	if !filepath.IsAbs(place) {
		place = filepath.Join(dir, place)
	}
	return filepath.Clean(place)
}

// module is the repository of a submodule, with a view of its own as an agent may have written its settings; nil if none is there.
func (r *Repo) module(ctx context.Context, gitDir string) (*Repo, error) {
	for _, needed := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(gitDir, needed)); err != nil {
			return nil, nil //nolint:nilerr // an agent may have put anything in its place
		}
	}
	m := &Repo{Top: gitDir, common: gitDir, git: r.git, view: filepath.Join(r.view, "modules", fmt.Sprintf("%.8x", sha256.Sum256([]byte(gitDir))))}
	switch err := m.makeView(ctx); {
	case Refused(err):
		return nil, nil // git does not take it for a repository
	case err != nil:
		return nil, fmt.Errorf("gitrepo: view of %s: %w", gitDir, err)
	}
	return m, nil
}

// Elsewhere says that others can have the commit of a submodule: a remote has it, as far as is known, or the repository's own copy of
// the submodule does, which the worktree does not share.
func (r *Repo) Elsewhere(ctx context.Context, of Submodule) (bool, error) {
	if remotes, err := of.within.onView(ctx, "for-each-ref", "--count=1", "--contains", of.Commit, "refs/remotes"); err == nil && remotes != "" {
		return true, nil
	} else if err != nil && !Refused(err) {
		return false, err
	}
	found := false
	err := filepath.WalkDir(filepath.Join(r.common, "modules"), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == filepath.Join(r.common, "modules"):
			return fs.SkipAll // there are none
		case err != nil:
			return err
		case found || entry.Name() != "objects" || !entry.IsDir():
			return nil
		}
		own, err := r.module(ctx, filepath.Dir(path))
		if err != nil || own == nil {
			return err
		}
		if _, err = own.Resolve(ctx, of.Commit); err == nil {
			found = true
		} else if !Refused(err) {
			return err
		}
		return fs.SkipDir
	})
	return found, err
}

// Take has the repository itself hold a commit of a submodule, with all that it follows from, under a reference.
func (r *Repo) Take(ctx context.Context, of Submodule, commit, ref string, as Commit) error {
	if there, err := r.Ref(ctx, ref); err != nil || there != "" {
		return err
	}
	if info, err := os.Stat(filepath.Join(of.within.common, "shallow")); err == nil && info.Size() > 0 {
		tree, err := of.within.Tree(ctx, commit) // what it follows from is not there
		if err == nil {
			commit, err = of.within.commitTree(ctx, tree, as)
		}
		if err != nil {
			return err
		}
	}
	pack := filepath.Join(r.common, "objects", "pack")
	if err := os.MkdirAll(pack, 0o777); err != nil {
		return fmt.Errorf("gitrepo: %w", err)
	}
	_, err := of.within.output(ctx, call{
		gitDir: of.within.view, dir: of.within.view, in: strings.NewReader(commit + "\n"), args: []string{"pack-objects", "--revs", "-q", filepath.Join(pack, "pack")},
	})
	if err != nil {
		return err
	}
	return r.Keep(ctx, ref, commit)
}
