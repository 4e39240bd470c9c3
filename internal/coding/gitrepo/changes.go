package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Change is how a file differs between two commits. A rename is one change with both names.
type Change struct {
	Kind    string // one of the kinds below
	Path    string // as it is now, or was if it is deleted
	From    string // where it was before, of a rename
	OldMode string // octal, as git says it; 000000 if there was none
	NewMode string
	OldBlob string
	NewBlob string
	// Target is what a symlink leads to now.
	Target string
}

// The kinds of change.
const (
	Added       = "added"
	Modified    = "modified"
	Deleted     = "deleted"
	Renamed     = "renamed"
	ModeChanged = "mode" // only its mode
	TypeChanged = "type" // file, symlink or submodule, and another of these before
)

// Modes that are no plain file.
const (
	ModeSymlink   = "120000"
	ModeSubmodule = "160000"
	modePlain     = "100" // begins that of a plain file
)

var kinds = map[byte]string{'A': Added, 'M': Modified, 'D': Deleted, 'R': Renamed, 'T': TypeChanged}

// Changes are the differences between two commits, by path, with renames found and submodules as one entry each.
func (r *Repo) Changes(ctx context.Context, from, to string) ([]Change, error) {
	changes, err := r.differences(ctx, "-M", from, to)
	if err != nil {
		return nil, err
	}
	return changes, r.targets(ctx, changes)
}

// differences are changes between two commits or trees, without what symlinks lead to.
func (r *Repo) differences(ctx context.Context, renames, from, to string) ([]Change, error) {
	raw, err := r.onView(ctx, "diff-tree", "-r", "-z", "--raw", renames, "--no-ext-diff", "--no-textconv", "--no-abbrev", "--ignore-submodules=none", from, to)
	if err != nil {
		return nil, err
	}
	var changes []Change
	parts := strings.Split(raw, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		fields := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		if len(fields) != 5 || kinds[fields[4][0]] == "" {
			return nil, fmt.Errorf("gitrepo: git diff-tree wrote %q, which is no change that is known", parts[i])
		}
		change := Change{OldMode: fields[0], NewMode: fields[1], OldBlob: fields[2], NewBlob: fields[3], Kind: kinds[fields[4][0]], Path: parts[i+1]}
		if change.Kind == Renamed {
			i++
			change.From, change.Path = change.Path, parts[i+1]
		}
		if change.Kind == Modified && change.OldBlob == change.NewBlob {
			change.Kind = ModeChanged
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// targets reads what the symlinks lead to.
func (r *Repo) targets(ctx context.Context, changes []Change) error {
	var ask strings.Builder
	var links []int
	for i, change := range changes {
		if change.NewMode == ModeSymlink {
			links = append(links, i)
			ask.WriteString(change.NewBlob + "\n")
		}
	}
	if len(links) == 0 {
		return nil
	}
	var out bytes.Buffer
	if err := r.run(ctx, call{gitDir: r.view, dir: r.view, in: strings.NewReader(ask.String()), out: &out, args: []string{"cat-file", "--batch"}}); err != nil {
		return err
	}
	in := bufio.NewReader(&out)
	for _, i := range links {
		header, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("gitrepo: read the symlink %s: %w", changes[i].Path, err)
		}
		fields := strings.Fields(header)
		size, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil {
			return fmt.Errorf("gitrepo: read the symlink %s: %q", changes[i].Path, header)
		}
		content := make([]byte, size+1)
		if _, err := io.ReadFull(in, content); err != nil {
			return fmt.Errorf("gitrepo: read the symlink %s: %w", changes[i].Path, err)
		}
		changes[i].Target = string(content[:size])
	}
	return nil
}

// Diff is the difference of two commits as a patch, of these paths or of all; at most so many bytes of it.
func (r *Repo) Diff(ctx context.Context, from, to string, most int, paths ...string) (patch string, cut bool, err error) {
	out := &head{most: most}
	args := append([]string{"diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", from, to, "--"}, paths...)
	err = r.run(ctx, call{gitDir: r.view, dir: r.view, out: out, args: args})
	return out.text.String(), out.over, err
}

// Contents shows what the plain files hold that differ between two commits, each up to a number of bytes.
func (r *Repo) Contents(ctx context.Context, from, to string, most int64, see func(path, content string)) error {
	changes, err := r.differences(ctx, "--no-renames", from, to)
	if err != nil {
		return err
	}
	var ask strings.Builder
	var paths []string
	for _, change := range changes {
		if strings.HasPrefix(change.NewMode, modePlain) {
			paths = append(paths, change.Path)
			ask.WriteString(change.NewBlob + "\n")
		}
	}
	if len(paths) == 0 {
		return nil
	}
	written, out := io.Pipe()
	go func() {
		out.CloseWithError(r.run(ctx, call{gitDir: r.view, dir: r.view, in: strings.NewReader(ask.String()), out: out, args: []string{"cat-file", "--batch"}}))
	}()
	defer written.Close()
	in := bufio.NewReader(written)
	for _, path := range paths {
		header, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("gitrepo: read %s: %w", path, err)
		}
		fields := strings.Fields(header)
		size, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
		if err != nil {
			return fmt.Errorf("gitrepo: read %s: %q", path, header)
		}
		content, err := io.ReadAll(io.LimitReader(in, min(size, most)))
		if err == nil {
			_, err = in.Discard(int(size - int64(len(content)) + 1))
		}
		if err != nil {
			return fmt.Errorf("gitrepo: read %s: %w", path, err)
		}
		see(path, string(content))
	}
	return nil
}
