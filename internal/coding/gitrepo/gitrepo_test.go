package gitrepo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

var at = time.Date(2026, time.March, 2, 7, 0, 0, 0, time.UTC)

// bundle is a repository of a person with one commit, and our sight of it.
type bundle struct {
	t    *testing.T
	dir  string
	repo *gitrepo.Repo
	base string
}

// git is the person's own git, with the repository's configuration and hooks.
func (b *bundle) git(args ...string) string { return b.gitIn(b.dir, args...) }

func (b *bundle) gitIn(dir string, args ...string) string {
	b.t.Helper()
	program := exec.Command("git", append([]string{"-c", "user.name=P", "-c", "user.email=p@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	program.Dir, program.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := program.CombinedOutput()
	require.NoError(b.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func setup(t *testing.T) *bundle {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	b := &bundle{t: t, dir: filepath.Join(root, "shop")}
	require.NoError(t, os.Mkdir(b.dir, 0o700))
	b.git("init", "-q", "-b", "main")
	write(t, filepath.Join(b.dir, "src", "a.txt"), strings.Repeat("a line of a\n", 20))
	write(t, filepath.Join(b.dir, "src", "b.txt"), "b\n")
	write(t, filepath.Join(b.dir, "README.md"), "shop\n")
	write(t, filepath.Join(b.dir, ".gitignore"), "build/\n")
	b.git("add", "-A")
	b.git("commit", "-qm", "first")
	b.repo, err = gitrepo.Open(t.Context(), filepath.Join(b.dir, "src"), filepath.Join(root, "view"))
	require.NoError(t, err)
	b.base, err = b.repo.Resolve(t.Context(), "main")
	require.NoError(t, err)
	return b
}

func (b *bundle) worktree(name string) *gitrepo.Worktree {
	b.t.Helper()
	w, err := b.repo.AddWorktree(b.t.Context(), filepath.Join(filepath.Dir(b.dir), "trees", name), "agents/"+name, b.base)
	require.NoError(b.t, err)
	return w
}

func (b *bundle) changes(w *gitrepo.Worktree) []gitrepo.Change {
	b.t.Helper()
	head, _, err := w.Head(b.t.Context())
	require.NoError(b.t, err)
	made, err := w.Snapshot(b.t.Context(), head, gitrepo.Commit{Message: "work", At: at})
	require.NoError(b.t, err)
	changes, err := b.repo.Changes(b.t.Context(), b.base, made)
	require.NoError(b.t, err)
	return changes
}

// Rule: a snapshot is what is in the tree, whether an agent committed it, staged it, left it, or told its index to
// look away; each way in which a file can change is one change with all its names.
func TestChanges(t *testing.T) {
	t.Parallel()
	in := func(w *gitrepo.Worktree, name string) string { return filepath.Join(w.Path, name) }
	for name, test := range map[string]struct {
		do   func(t *testing.T, b *bundle, w *gitrepo.Worktree)
		want []string
	}{
		"nothing": {func(*testing.T, *bundle, *gitrepo.Worktree) {}, nil},
		"committed, staged and left": {func(t *testing.T, b *bundle, w *gitrepo.Worktree) {
			write(t, in(w, "one"), "1")
			b.gitIn(w.Path, "add", "-A")
			b.gitIn(w.Path, "commit", "-qm", "one")
			write(t, in(w, "two"), "2")
			b.gitIn(w.Path, "add", "-A")
			write(t, in(w, "three"), "3")
		}, []string{"added one", "added three", "added two"}},
		"renamed": {func(t *testing.T, _ *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Rename(in(w, "src/a.txt"), in(w, "other.txt")))
		}, []string{"renamed other.txt from src/a.txt"}},
		"renamed by case only": {func(t *testing.T, _ *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Rename(in(w, "README.md"), in(w, "readme.md")))
		}, []string{"renamed readme.md from README.md"}},
		"deleted": {func(t *testing.T, _ *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Remove(in(w, "src/b.txt")))
		}, []string{"deleted src/b.txt"}},
		"made executable": {func(t *testing.T, _ *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Chmod(in(w, "src/b.txt"), 0o700))
		}, []string{"mode src/b.txt"}},
		"a symlink in place of a file": {func(t *testing.T, _ *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Remove(in(w, "src/b.txt")))
			require.NoError(t, os.Symlink("/etc/passwd", in(w, "src/b.txt")))
		}, []string{"type src/b.txt to /etc/passwd"}},
		"a symlink in place of a directory": {func(t *testing.T, _ *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.RemoveAll(in(w, "src")))
			require.NoError(t, os.Symlink("../..", in(w, "src")))
		}, []string{"added src to ../..", "deleted src/a.txt", "deleted src/b.txt"}},
		"a directory in place of a file": {func(t *testing.T, _ *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Remove(in(w, "README.md")))
			write(t, in(w, "README.md/inside"), "something else entirely")
		}, []string{"deleted README.md", "added README.md/inside"}},
		"a repository inside": {func(t *testing.T, b *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Mkdir(in(w, "inner"), 0o700))
			b.gitIn(in(w, "inner"), "init", "-q")
			b.gitIn(in(w, "inner"), "commit", "-qm", "inner", "--allow-empty")
		}, []string{"added inner as 160000"}},
		"an index that looks away": {func(t *testing.T, b *bundle, w *gitrepo.Worktree) {
			b.gitIn(w.Path, "update-index", "--assume-unchanged", "README.md")
			b.gitIn(w.Path, "update-index", "--skip-worktree", "src/b.txt")
			write(t, in(w, "README.md"), "changed")
			write(t, in(w, "src/b.txt"), "changed")
		}, []string{"modified README.md", "modified src/b.txt"}},
		"its .git is another repository": {func(t *testing.T, b *bundle, w *gitrepo.Worktree) {
			require.NoError(t, os.Remove(in(w, ".git")))
			b.gitIn(w.Path, "init", "-q")
			write(t, in(w, "README.md"), "changed")
		}, []string{"modified README.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			w := b.worktree("job")
			test.do(t, b, w)
			var got []string
			for _, c := range b.changes(w) {
				text := c.Kind + " " + c.Path
				if c.From != "" {
					text += " from " + c.From
				}
				if c.Target != "" {
					text += " to " + c.Target
				}
				if c.NewMode == gitrepo.ModeSubmodule {
					text += " as " + c.NewMode
				}
				got = append(got, text)
			}
			require.Equal(t, test.want, got)
		})
	}
}

// Rule: no operation of ours runs the programs that an agent names in the repository's configuration, hooks and
// attributes.
func TestNothingOfTheRepositoryIsRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.worktree("job")
	trace := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	require.NoError(t, os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >>"+trace+"\ncat\n"), 0o700))
	for _, hook := range []string{"post-checkout", "pre-commit", "post-commit", "reference-transaction", "post-merge", "post-index-change"} {
		content, err := os.ReadFile(evil)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(b.dir, ".git", "hooks"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, ".git", "hooks", hook), content, 0o700))
	}
	for key, value := range map[string]string{
		"core.fsmonitor": evil, "core.pager": evil, "core.sshCommand": evil, "diff.external": evil, "core.alternateRefsCommand": evil,
		"filter.x.clean": evil, "filter.x.smudge": evil, "filter.x.process": evil, "diff.x.textconv": evil, "diff.x.command": evil, "merge.x.driver": evil,
		"gpg.program": evil, "commit.gpgSign": "true",
	} {
		b.gitIn(w.Path, "config", key, value)
	}
	write(t, filepath.Join(w.Path, ".gitattributes"), "* filter=x diff=x merge=x\n")
	write(t, filepath.Join(w.Path, "src", "b.txt"), "changed\n")
	require.Len(t, b.changes(w), 2)
	head, _, err := w.Head(t.Context())
	require.NoError(t, err)
	made, err := w.Snapshot(t.Context(), head, gitrepo.Commit{Message: "work", At: at})
	require.NoError(t, err)
	require.NoError(t, b.repo.SetRef(t.Context(), "refs/heads/agents/job", made, head, "test"))
	_, _, err = b.repo.Diff(t.Context(), b.base, made, 1<<20)
	require.NoError(t, err)
	require.NoError(t, w.Reset(t.Context(), made))
	require.NoError(t, w.Clean(t.Context()))
	_, _, err = b.repo.Merge(t.Context(), b.base, made, gitrepo.Commit{Message: "merge", At: at})
	require.NoError(t, err)
	b.worktree("another")
	_, err = w.Status(t.Context())
	require.NoError(t, err)
	require.NoFileExists(t, trace)
	b.gitIn(w.Path, "checkout", "-q", "--detach")
	require.FileExists(t, trace, "the hooks of this test would run")
}

// Rule: a reference that somebody moved in between is not overwritten, and moving it to where it is is nothing to do.
func TestSetRef(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tree, err := b.repo.Tree(t.Context(), b.base)
	require.NoError(t, err)
	next := b.git("commit-tree", tree, "-p", b.base, "-m", "next")
	ctx, ref := t.Context(), "refs/heads/agents/x"
	require.NoError(t, b.repo.SetRef(ctx, ref, b.base, "", "make"))
	require.NoError(t, b.repo.SetRef(ctx, ref, b.base, "", "make again"))
	require.NoError(t, b.repo.SetRef(ctx, ref, next, b.base, "move"))
	var moved *gitrepo.MovedError
	third := b.git("commit-tree", tree, "-p", next, "-m", "third")
	require.ErrorAs(t, b.repo.SetRef(ctx, ref, third, b.base, "too late"), &moved)
	require.Equal(t, &gitrepo.MovedError{Ref: ref, Expected: b.base, Is: next}, moved)
	require.Equal(t, next, b.git("rev-parse", "agents/x"))
	b.git("pack-refs", "--all")
	is, err := b.repo.Branch(ctx, "agents/x")
	require.NoError(t, err)
	require.Equal(t, next, is, "references that the person packed")
	none, err := b.repo.Branch(ctx, "nobody")
	require.NoError(t, err)
	require.Empty(t, none)
}

// Rule: a merge is a commit that nothing refers to, the same when it is made again; in conflict there are only the files.
func TestMerge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	change := func(name, file, content string) string {
		w := b.worktree(name)
		write(t, filepath.Join(w.Path, file), content)
		made, err := w.Snapshot(t.Context(), b.base, gitrepo.Commit{Message: name, At: at})
		require.NoError(t, err)
		return made
	}
	one, two, three := change("one", "src/b.txt", "one\n"), change("two", "src/b.txt", "two\n"), change("three", "new.txt", "three\n")
	merged, conflicts, err := b.repo.Merge(t.Context(), one, three, gitrepo.Commit{Message: "merge", At: at})
	require.NoError(t, err)
	require.Empty(t, conflicts)
	again, _, err := b.repo.Merge(t.Context(), one, three, gitrepo.Commit{Message: "merge", At: at})
	require.NoError(t, err)
	require.Equal(t, merged, again)
	require.Equal(t, one+" "+three, b.git("log", "-1", "--format=%P", merged))
	none, conflicts, err := b.repo.Merge(t.Context(), one, two, gitrepo.Commit{Message: "merge", At: at})
	require.NoError(t, err)
	require.Empty(t, none)
	require.Equal(t, []string{"src/b.txt"}, conflicts)
}

// Rule: a worktree goes with all that is in it, whatever was done to it; its branch stays, and so do other people's
// worktrees that are away for a moment.
func TestRemoveWorktree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	away := filepath.Join(filepath.Dir(b.dir), "away")
	b.git("worktree", "add", "-q", "--detach", away)
	require.NoError(t, os.Rename(away, away+"-for-a-moment"))
	w := b.worktree("job")
	// One that is just being made: git itself gives up there.
	write(t, filepath.Join(b.dir, ".git", "worktrees", "half", "commondir"), "")
	write(t, filepath.Join(b.dir, ".git", "worktrees", "half", "gitdir"), "/nowhere/half/.git\n")
	on, err := b.repo.CheckedOut()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"main": b.dir, "agents/job": w.Path}, on)
	require.NoError(t, os.RemoveAll(filepath.Join(b.dir, ".git", "worktrees", "half")))
	write(t, filepath.Join(w.Path, ".git"), "gitdir: /nowhere\n")
	require.NoError(t, b.repo.RemoveWorktree(w.Path))
	require.NoError(t, b.repo.RemoveWorktree(w.Path))
	require.NoDirExists(t, w.Path)
	require.Equal(t, b.base, b.git("rev-parse", "agents/job"))
	require.NotContains(t, b.git("worktree", "list"), w.Path)
	require.NoError(t, os.Rename(away+"-for-a-moment", away))
	require.Empty(t, b.gitIn(away, "status", "--porcelain"))
	b.worktree("job")
	b.worktree("job") // made again: what is there goes
	require.NoError(t, b.repo.RemoveWorktree(w.Path))
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, w.Path))
	_, err = b.repo.Worktree(w.Path)
	require.ErrorContains(t, err, "is no worktree")
}

// Rule: worktrees may be added at once.
func TestWorktreesAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := make(chan error)
	for i := range 8 {
		go func() {
			name := fmt.Sprintf("job-%d", i)
			_, err := b.repo.AddWorktree(t.Context(), filepath.Join(filepath.Dir(b.dir), name, "tree"), "agents/"+name, b.base)
			made <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-made)
	}
}

// Rule: ignored files are listed, and are in no snapshot; a commit that is kept is there for the person's git.
func TestIgnoredAndKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.worktree("job")
	write(t, filepath.Join(w.Path, "build", "out.bin"), "x")
	write(t, filepath.Join(w.Path, "src", "build", "out.bin"), "x")
	require.Empty(t, b.changes(w))
	files, total, err := w.Ignored(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []string{"build/"}, files)
	require.Equal(t, 2, total)
	write(t, filepath.Join(w.Path, "lost"), "not lost")
	made, err := w.Snapshot(t.Context(), b.base, gitrepo.Commit{Message: "kept", At: at})
	require.NoError(t, err)
	require.NoError(t, b.repo.Keep(t.Context(), "refs/kintsugi/kept/1", made))
	require.NoError(t, w.Reset(t.Context(), b.base))
	require.NoError(t, w.Clean(t.Context()))
	status, err := w.Status(t.Context())
	require.NoError(t, err)
	require.Empty(t, status)
	require.FileExists(t, filepath.Join(w.Path, "build", "out.bin"))
	require.Equal(t, "not lost", b.git("show", "refs/kintsugi/kept/1:lost"))
}

// Rule: a change of ten thousand files is seen whole, and its patch is cut where it is said.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.worktree("job")
	require.NoError(t, os.Mkdir(filepath.Join(w.Path, "many"), 0o700))
	for i := range 10_000 {
		require.NoError(t, os.WriteFile(filepath.Join(w.Path, "many", fmt.Sprintf("%05d", i)), nil, 0o600))
	}
	changes := b.changes(w)
	require.Len(t, changes, 10_000)
	require.Equal(t, "many/09999", changes[9_999].Path)
}

// Rule: a reset worktree has the files of the commit, also where agents put something else in their place, and
// nothing outside of it is touched. Files that are as they should be are not written again.
func TestReset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, os.Symlink("README.md", filepath.Join(b.dir, "link")))
	write(t, filepath.Join(b.dir, "deep", "c.txt"), "c\n")
	write(t, filepath.Join(b.dir, "run.sh"), "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(b.dir, "run.sh"), 0o700))
	b.git("add", "-A")
	b.git("commit", "-qm", "second")
	commit := b.git("rev-parse", "HEAD")
	w, err := b.repo.AddWorktree(t.Context(), filepath.Join(filepath.Dir(b.dir), "tree"), "", commit)
	require.NoError(t, err)
	in := func(path string) string { return filepath.Join(w.Path, path) }
	kept, err := os.Stat(in("src/b.txt"))
	require.NoError(t, err)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "c.txt"), "c\n")
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(in("src/a.txt"), []byte("other\n"), 0o600) },
		func() error { b.gitIn(w.Path, "update-index", "--assume-unchanged", "src/a.txt"); return nil },
		func() error { return os.Chmod(in("run.sh"), 0o600) },
		func() error { return os.Remove(in("link")) },
		func() error { return os.WriteFile(in("link"), []byte("README.md"), 0o600) },
		func() error { return os.RemoveAll(in("deep")) },
		func() error { return os.Symlink(outside, in("deep")) },
		func() error { return os.Remove(in("README.md")) },
		func() error { return os.MkdirAll(in("README.md/x"), 0o700) },
		func() error { return os.Remove(in(".gitignore")) },
	} {
		require.NoError(t, spoil())
	}
	require.NoError(t, w.Reset(t.Context(), commit))
	require.NoError(t, w.Clean(t.Context()))
	now, err := w.Snapshot(t.Context(), commit, gitrepo.Commit{Message: "work", At: at})
	require.NoError(t, err)
	require.Equal(t, commit, now)
	require.Empty(t, b.gitIn(w.Path, "status", "--porcelain"))
	target, err := os.Readlink(in("link"))
	require.NoError(t, err)
	require.Equal(t, "README.md", target)
	dir, err := os.Lstat(in("deep"))
	require.NoError(t, err)
	require.True(t, dir.IsDir())
	require.FileExists(t, filepath.Join(outside, "c.txt"))
	is, err := os.Stat(in("src/b.txt"))
	require.NoError(t, err)
	require.Equal(t, kept.ModTime(), is.ModTime())
}

// Rule: a path that is no repository, and a text that is no commit or branch name, are refused with a reason.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := gitrepo.Open(t.Context(), t.TempDir(), t.TempDir())
	require.ErrorContains(t, err, "is in no git repository")
	_, err = b.repo.Resolve(t.Context(), "nothing")
	require.ErrorIs(t, err, gitrepo.ErrNoRevision)
	for _, name := range []string{"-x", "a..b", "", "a b", "a.lock"} {
		require.Error(t, b.repo.CheckBranch(t.Context(), name), name)
	}
	require.NoError(t, b.repo.CheckBranch(t.Context(), "agents/x-1"))
}

// Rule: a git that a killed process left at work is waited for before the next life works in the same repository, which would
// stumble over it; the gits of one life do not wait for each other.
func TestAnOrphanIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	view := filepath.Join(filepath.Dir(b.dir), "view")
	git := func() *os.File { // as one has it that is at work
		file, err := os.OpenFile(filepath.Join(view, "at-work.lock"), os.O_RDWR, 0)
		require.NoError(t, err)
		require.NoError(t, syscall.Flock(int(file.Fd()), syscall.LOCK_SH))
		return file
	}
	orphan := git()
	var next gitrepo.Opener
	soon, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := next.Open(soon, b.dir, view)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, orphan.Close())
	_, err = next.Open(t.Context(), b.dir, view)
	require.NoError(t, err)
	defer git().Close()
	_, err = next.Open(t.Context(), b.dir, view)
	require.NoError(t, err)
}

// Rule: a repository of another user is worked in only if the server's own user says that it is safe, in the way that git has for it;
// else it is said how, and that way works.
func TestARepositoryOfAnotherUser(t *testing.T) { //nolint:paralleltest // it sets the home of the process
	b := setup(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "none"))
	if os.Getuid() == 0 {
		require.NoError(t, filepath.WalkDir(b.dir, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, 4242, 4242))
		}))
	} else { // nobody else may give files away: git is told to take them for another's
		real, err := exec.LookPath("git")
		require.NoError(t, err)
		write(t, filepath.Join(home, "bin", "git"), "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "+real+" \"$@\"\n")
		require.NoError(t, os.Chmod(filepath.Join(home, "bin", "git"), 0o700))
		t.Setenv("PATH", filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
	}
	open := func() (*gitrepo.Repo, error) { return gitrepo.Open(t.Context(), b.dir, filepath.Join(home, "view")) }
	_, err := open()
	require.ErrorContains(t, err, "git config --global --add safe.directory "+b.dir)
	require.True(t, gitrepo.Refused(err))
	write(t, filepath.Join(home, ".gitconfig"), "[safe]\n\tdirectory = /elsewhere\n")
	_, err = open()
	require.ErrorContains(t, err, "belongs to another user")

	write(t, filepath.Join(home, ".gitconfig"), "[include]\n\tpath = more\n[core]\n\thooksPath = /hooks\n")
	write(t, filepath.Join(home, "more"), "[safe]\n\tdirectory = "+b.dir+"\n")
	repo, err := open()
	require.NoError(t, err)
	w, err := repo.AddWorktree(t.Context(), filepath.Join(home, "trees", "one"), "agents/one", b.base)
	require.NoError(t, err)
	write(t, filepath.Join(w.Path, "new.txt"), "new\n")
	made, err := w.Snapshot(t.Context(), b.base, gitrepo.Commit{Message: "work", At: at})
	require.NoError(t, err)
	changes, err := repo.Changes(t.Context(), b.base, made)
	require.NoError(t, err)
	require.Len(t, changes, 1)
}
