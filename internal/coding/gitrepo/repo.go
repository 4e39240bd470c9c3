package gitrepo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Repo is a repository that others work in as well. Its methods may be called from many goroutines.
type Repo struct {
	// Top is the directory of its main worktree, or of the repository itself if it has none.
	Top    string
	common string // its .git
	view   string // what git is shown of it
	git    string
	bare   bool
}

// ErrNoRevision is wrapped where a name stands for no commit.
var ErrNoRevision = errors.New("there is no such commit")

// MovedError says that a reference was not where it was expected.
type MovedError struct{ Ref, Expected, Is string }

// Error implements error.
func (e *MovedError) Error() string {
	return fmt.Sprintf("%s is at %s, not at %s", e.Ref, named(e.Is), named(e.Expected))
}

func named(commit string) string {
	if commit == "" {
		return "nothing"
	}
	return commit
}

// missingError says that the directory of a repository is not there.
type missingError struct {
	dir   string
	cause error
}

// Error implements error.
func (e *missingError) Error() string {
	if errors.Is(e.cause, fs.ErrNotExist) {
		return fmt.Sprintf("gitrepo: there is no directory %s", e.dir)
	}
	return fmt.Sprintf("gitrepo: %v", e.cause)
}

// Unwrap is both what it means to who works there, and why.
func (e *missingError) Unwrap() []error { return []error{ErrWorktree, e.cause} }

// shared is what the view has in common with the repository. Its configuration, hooks, attributes, exclusions and
// grafts are not among it.
var shared = []string{"objects", "refs", "packed-refs", "logs", "worktrees", "shallow"}

// Open finds the repository that a directory is in. The view is a directory of the caller's that is made if it is not
// there; it is for this repository alone.
func Open(ctx context.Context, dir, view string) (*Repo, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("gitrepo: there is no git on this machine, install it (2.38 or newer): %w", err)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, &missingError{dir, err}
	}
	r := &Repo{git: git, view: view}
	find := []string{"rev-parse", "--path-format=absolute", "--git-common-dir", "--is-bare-repository"}
	places, err := r.output(ctx, call{dir: dir, args: find})
	if foreign(err) {
		places, err = r.output(ctx, call{dir: dir, args: find, env: r.trusted(ctx)})
	}
	if foreign(err) {
		return nil, &foreignError{dir, err}
	}
	if err != nil {
		return nil, fmt.Errorf("gitrepo: %s is in no git repository: %w", dir, err)
	}
	common, bare, _ := strings.Cut(places, "\n")
	r.bare = bare == "true"
	if r.common, err = filepath.EvalSymlinks(common); err != nil {
		return nil, fmt.Errorf("gitrepo: %w", err)
	}
	if r.Top = filepath.Dir(r.common); r.bare || filepath.Base(r.common) != ".git" {
		r.Top = r.common
	}
	if err := r.makeView(ctx); err != nil {
		return nil, fmt.Errorf("gitrepo: view of %s: %w", r.Top, err)
	}
	return r, nil
}

// foreignError says that a repository is another user's, whom nobody has said to trust.
type foreignError struct {
	dir   string
	cause error
}

// Error implements error.
func (e *foreignError) Error() string {
	return fmt.Sprintf("gitrepo: %s belongs to another user than the one who runs Kintsugi (%d). If you trust it, say so as that user: git config --global --add safe.directory %[1]s", e.dir, os.Getuid())
}

// Unwrap is what git said.
func (e *foreignError) Unwrap() error { return e.cause }

// foreign says that git refused because a repository is another user's. It is the only refusal with this advice in it.
func foreign(err error) bool {
	refused, is := errors.AsType[*Error](err)
	return is && strings.Contains(refused.Says, "safe.directory")
}

// trusted is the environment in which git trusts the repositories that this user and the machine say are safe. It is all that is read
// of their configuration, and a repository says nothing of itself.
func (r *Repo) trusted(ctx context.Context) []string {
	env := []string{"HOME=" + os.Getenv("HOME"), "XDG_CONFIG_HOME=" + os.Getenv("XDG_CONFIG_HOME"), "GIT_CONFIG_NOSYSTEM=0"}
	var safe []string
	for _, scope := range []string{"--system", "--global"} {
		program := exec.CommandContext(ctx, r.git, "config", scope, "--includes", "--type=path", "-z", "--get-all", "safe.directory")
		program.Env, program.Dir = append(slices.Clone(env), "PATH="+os.Getenv("PATH"), "LC_ALL=C"), "/"
		out, err := program.Output()
		if err != nil { // there is none
			continue
		}
		for value := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			safe = append(safe, value)
		}
	}
	given := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(safe))}
	for i, value := range safe {
		given = append(given, fmt.Sprintf("GIT_CONFIG_KEY_%d=safe.directory", i), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return given
}

// carried are the settings that the view takes over: they say what the bytes of objects and files mean, and name no program.
var carried = []string{"extensions.objectformat", "core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode"}

func (r *Repo) makeView(ctx context.Context) error {
	if err := os.MkdirAll(r.view, 0o700); err != nil {
		return err
	}
	for _, name := range shared {
		target, link := filepath.Join(r.common, name), filepath.Join(r.view, name)
		if there, err := os.Readlink(link); err == nil && there == target {
			continue
		}
		if err := os.RemoveAll(link); err != nil {
			return err
		}
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	for _, name := range []string{"logs", "worktrees"} { // made by git when they are first needed, which it cannot through a link
		if err := os.MkdirAll(filepath.Join(r.common, name), 0o777); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tlogallrefupdates = true\n\thooksPath = " + os.DevNull + "\n[gc]\n\tauto = 0\n"
	known, err := r.output(ctx, call{dir: r.common, gitDir: r.common, args: []string{"config", "--local", "-z", "--list"}})
	if err != nil {
		return err
	}
	for setting := range strings.SplitSeq(known, "\x00") {
		name, value, _ := strings.Cut(setting, "\n")
		if section, key, _ := strings.Cut(name, "."); slices.Contains(carried, name) {
			config += fmt.Sprintf("[%s]\n\t%s = %q\n", section, key, value)
		}
	}
	if _, err := os.Stat(filepath.Join(r.common, "reftable")); err == nil {
		return errors.New("its references are kept as a reftable, which is not supported: git refs migrate --ref-format=files")
	}
	// HEAD makes a directory a repository for git. It is nobody's branch.
	for name, content := range map[string]string{"HEAD": "ref: refs/kintsugi/none\n", "config": config} {
		path := filepath.Join(r.view, name)
		if err := writeWhole(path, content); err != nil {
			return err
		}
	}
	return nil
}

// writeWhole replaces a file, so that who reads it meanwhile reads the one or the other.
func writeWhole(path, content string) error {
	if there, err := os.ReadFile(path); err == nil && string(there) == content {
		return nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// Positions are the commits where a branch was, the newest first, as far as its log is kept.
func (r *Repo) Positions(ctx context.Context, branch string) ([]string, error) {
	list, err := r.onView(ctx, "log", "--walk-reflogs", "--format=%H", "--max-count=100", "refs/heads/"+branch, "--")
	if err != nil || list == "" {
		return nil, err
	}
	return strings.Split(list, "\n"), nil
}

// Checkout tells the state of each file of the main worktree that differs from its commit, as a text that is another one when the file is
// changed again. A bare repository has none, and neither has one without a commit.
func (r *Repo) Checkout(ctx context.Context) (map[string]string, error) {
	state := map[string]string{}
	if r.bare {
		return state, nil
	}
	head, err := r.output(ctx, call{gitDir: r.common, dir: r.Top, args: []string{"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}})
	if exitCode(err) > 0 {
		return state, nil
	}
	if err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all", "--name-only", "-z", head},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		// Through the view: the repository may name programs for its files by now.
		list, err := r.output(ctx, call{gitDir: r.view, workTree: r.Top, index: filepath.Join(r.common, "index"), dir: r.Top, args: args})
		if err != nil {
			return nil, err
		}
		for path := range strings.SplitSeq(list, "\x00") {
			if path == "" {
				continue
			}
			state[path] = args[0]
			if info, err := os.Lstat(filepath.Join(r.Top, path)); err == nil {
				state[path] = fmt.Sprint(args[0], info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return state, nil
}

// Ignored says that git ignores a path of the main worktree, and that it is there; a bare repository has none.
func (r *Repo) Ignored(ctx context.Context, path string) (ignored, there bool, err error) {
	switch _, err := os.Lstat(filepath.Join(r.Top, path)); {
	case r.bare || errors.Is(err, fs.ErrNotExist):
		return false, false, nil
	case err != nil:
		return false, false, fmt.Errorf("gitrepo: %w", err)
	}
	_, err = r.output(ctx, call{gitDir: r.view, workTree: r.Top, dir: r.Top, env: notLiteral, args: []string{"check-ignore", "--no-index", "--quiet", "--", path}})
	if exitCode(err) == 1 {
		return false, true, nil
	}
	return err == nil, true, err
}

// Resolve is the commit that a name stands for; the error wraps [ErrNoRevision] if there is none.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	commit, err := r.onView(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if exitCode(err) > 0 {
		return "", fmt.Errorf("gitrepo: %q in %s: %w", name, r.Top, ErrNoRevision)
	}
	return commit, err
}

// File is what a file holds in a commit; false if there is none.
func (r *Repo) File(ctx context.Context, commit, path string) (text []byte, there bool, err error) {
	object, err := r.onView(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+":"+path)
	if exitCode(err) > 0 {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	text, err = r.blob(ctx, object)
	return text, err == nil, err
}

// Branch is the commit of a branch, nothing if there is none.
func (r *Repo) Branch(ctx context.Context, name string) (string, error) {
	return r.Ref(ctx, "refs/heads/"+name)
}

// Ref is the commit of a reference, nothing if there is none.
func (r *Repo) Ref(ctx context.Context, ref string) (string, error) {
	commit, err := r.onView(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	if exitCode(err) == 1 {
		return "", nil
	}
	return commit, err
}

// CheckBranch refuses what git takes for no name of a branch.
func (r *Repo) CheckBranch(ctx context.Context, name string) error {
	if _, err := r.onView(ctx, "check-ref-format", "refs/heads/"+name); err != nil || strings.HasPrefix(name, "-") {
		return fmt.Errorf("gitrepo: %q is no name of a branch", name)
	}
	return nil
}

// SetRef moves a reference from one commit to another; an empty from makes it. If somebody moved it in between it is
// not overwritten: a [*MovedError]. A reference that is at its target already is left as it is. A git that a killed
// program left behind may hold or remove the lock, so that a reference that still is where it was is moved again, a
// few times.
func (r *Repo) SetRef(ctx context.Context, ref, to, from, why string) error {
	zero := strings.Repeat("0", len(to))
	expected := from
	if expected == "" {
		expected = zero
	}
	var err error
	for range 3 {
		if _, err = r.onView(ctx, "update-ref", "--no-deref", "--create-reflog", "-m", why, ref, to, expected); err == nil {
			return nil
		}
		is, asked := r.Ref(ctx, ref)
		switch {
		case asked != nil:
			return errors.Join(err, asked)
		case is == to:
			return nil
		case is != from:
			return &MovedError{Ref: ref, Expected: from, Is: is}
		}
	}
	return err
}

// MakeRef makes a reference; false if it is there already, also if it is what it would be.
func (r *Repo) MakeRef(ctx context.Context, ref, to, why string) (made bool, err error) {
	_, err = r.onView(ctx, "update-ref", "--no-deref", "--create-reflog", "-m", why, ref, to, strings.Repeat("0", len(to)))
	if err == nil {
		return true, nil
	}
	if is, asked := r.Ref(ctx, ref); asked == nil && is != "" {
		return false, nil
	}
	return false, err
}

// DropRef removes a reference that is at a commit.
func (r *Repo) DropRef(ctx context.Context, ref, is string) error {
	_, err := r.onView(ctx, "update-ref", "--no-deref", "-d", ref, is)
	return err
}

// Reparent is a commit with the tree of another, and a parent of the caller's.
func (r *Repo) Reparent(ctx context.Context, commit, parent string, as Commit) (string, error) {
	tree, err := r.Tree(ctx, commit)
	if err != nil {
		return "", err
	}
	return r.commitTree(ctx, tree, as, parent)
}

// ConfigDigests are digests of the repository's own files: its configuration, its hooks, and what it ignores or
// treats otherwise. An agent in a worktree can change them, and no commit shows it. The list of references in info is git's own.
func (r *Repo) ConfigDigests() (map[string]string, error) {
	own := map[string]string{}
	for _, place := range []string{"config", "hooks", "info"} {
		err := filepath.WalkDir(filepath.Join(r.common, place), func(path string, entry os.DirEntry, err error) error {
			if errors.Is(err, os.ErrNotExist) || err == nil && (entry.IsDir() || strings.HasSuffix(path, ".sample") || path == filepath.Join(r.common, "info", "refs")) {
				return nil
			}
			if err != nil {
				return err
			}
			content, err := os.ReadFile(path)
			if entry.Type()&os.ModeSymlink != 0 {
				var target string
				target, err = os.Readlink(path)
				content = []byte("to " + target)
			}
			if err != nil {
				return err
			}
			name, err := filepath.Rel(r.common, path)
			own[filepath.Join(".git", name)] = fmt.Sprintf("%.8x", sha256.Sum256(content))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("gitrepo: the repository's own files: %w", err)
		}
	}
	return own, nil
}

// Keep has a reference that is made for it hold a commit that would be lost otherwise. Kept twice it is kept once.
func (r *Repo) Keep(ctx context.Context, ref, commit string) error {
	return r.SetRef(ctx, ref, commit, "", "kintsugi: keep")
}

// Refs are the references below a prefix, with their commits.
func (r *Repo) Refs(ctx context.Context, prefix string) (map[string]string, error) {
	list, err := r.onView(ctx, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(list) {
		commit, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[ref] = commit
	}
	return refs, nil
}

// CheckedOut are the branches that worktrees are on, with the path of each. They are read without git, which gives up where
// another git is just making a worktree.
func (r *Repo) CheckedOut() (map[string]string, error) {
	on := map[string]string{}
	see := func(head, path string) error {
		text, err := os.ReadFile(head)
		if errors.Is(err, os.ErrNotExist) {
			return nil // just made, or just removed
		}
		if branch, is := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/"); is {
			on[branch] = path
		}
		return err
	}
	if !r.bare {
		if err := see(filepath.Join(r.common, "HEAD"), r.Top); err != nil {
			return nil, fmt.Errorf("gitrepo: %w", err)
		}
	}
	known := filepath.Join(r.common, "worktrees")
	entries, err := os.ReadDir(known)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("gitrepo: %w", err)
	}
	for _, entry := range entries {
		place, err := os.ReadFile(filepath.Join(known, entry.Name(), "gitdir"))
		if err == nil {
			err = see(filepath.Join(known, entry.Name(), "HEAD"), strings.TrimSuffix(strings.TrimSpace(string(place)), "/.git"))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("gitrepo: %w", err)
		}
	}
	return on, nil
}

// IsAncestor says that a commit is the other, or before it.
func (r *Repo) IsAncestor(ctx context.Context, commit, of string) (bool, error) {
	_, err := r.onView(ctx, "merge-base", "--is-ancestor", commit, of)
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Ahead is how many commits lead to one that are not in another.
func (r *Repo) Ahead(ctx context.Context, commit, of string) (int, error) {
	count, err := r.onView(ctx, "rev-list", "--count", commit, "^"+of)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(count)
}

// MergeBase is the best common ancestor of two commits, nothing if they have none.
func (r *Repo) MergeBase(ctx context.Context, one, other string) (string, error) {
	base, err := r.onView(ctx, "merge-base", one, other)
	if exitCode(err) == 1 {
		return "", nil
	}
	return base, err
}

// Commit is what is said of a commit that is made.
type Commit struct {
	Message string
	At      time.Time // the same commit made twice is one commit
}

func (c Commit) env() []string {
	at := fmt.Sprintf("%d +0000", c.At.Unix())
	return []string{"GIT_AUTHOR_DATE=" + at, "GIT_COMMITTER_DATE=" + at}
}

// Merge makes the merge of one commit onto another, as a commit that nothing refers to yet. If it is not possible
// without a decision, there is no commit, and the files that are in conflict.
func (r *Repo) Merge(ctx context.Context, onto, head string, as Commit) (commit string, conflicts []string, err error) {
	out, err := r.onView(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", onto, head)
	inConflict := exitCode(err) == 1
	if err != nil && !inConflict {
		return "", nil, err
	}
	parts := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if inConflict {
		files := slices.DeleteFunc(parts[1:], func(path string) bool { return path == "" })
		slices.Sort(files)
		return "", slices.Compact(files), nil
	}
	commit, err = r.commitTree(ctx, parts[0], as, onto, head)
	return commit, nil, err
}

func (r *Repo) commitTree(ctx context.Context, tree string, as Commit, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	return r.output(ctx, call{gitDir: r.view, dir: r.view, env: as.env(), in: strings.NewReader(as.Message), args: args})
}

// amended is a tree with other entries, as git update-index takes them.
func (r *Repo) amended(ctx context.Context, tree, entries string) (string, error) {
	if entries == "" {
		return tree, nil
	}
	dir, err := os.MkdirTemp(r.view, "index-")
	if err != nil {
		return "", fmt.Errorf("gitrepo: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // a directory of nobody else
	at := call{gitDir: r.view, dir: r.view, index: filepath.Join(dir, "index")}
	for _, args := range [][]string{{"read-tree", tree}, {"update-index", "-z", "--index-info"}} {
		at.in, at.args = strings.NewReader(entries), args
		if err := r.run(ctx, at); err != nil {
			return "", err
		}
	}
	at.in, at.args = nil, []string{"write-tree"}
	return r.output(ctx, at)
}

// Tree is the tree of a commit.
func (r *Repo) Tree(ctx context.Context, commit string) (string, error) {
	return r.onView(ctx, "rev-parse", "--verify", commit+"^{tree}")
}
