package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
)

// lfs is the name of the filter of Git LFS, whose pointers begin as said by its specification and are short.
const (
	lfs        = "lfs"
	lfsPointer = "version https://git-lfs.github.com/spec/"
	maxPointer = 1024
)

// filters are the filters that attributes name for files of a tree, by path.
func (w *Worktree) filters(ctx context.Context, tree string, changes []Change) (map[string]string, error) {
	var paths strings.Builder
	for _, change := range changes {
		if strings.HasPrefix(change.NewMode, modePlain) && change.OldBlob != change.NewBlob {
			paths.WriteString(change.Path + "\x00")
		}
	}
	if paths.Len() == 0 {
		return nil, nil
	}
	index, remove, err := w.scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	if _, err := w.repo.output(ctx, w.on(index, "read-tree", tree)); err != nil {
		return nil, err
	}
	c := w.on(index, "check-attr", "--cached", "-z", "--stdin", "filter")
	c.in = strings.NewReader(paths.String())
	said, err := w.repo.output(ctx, c)
	if err != nil {
		return nil, err
	}
	named := map[string]string{}
	parts := strings.Split(said, "\x00")
	for i := 0; i+2 < len(parts); i += 3 {
		if value := parts[i+2]; value != "unspecified" && value != "unset" && value != "set" {
			named[parts[i]] = value
		}
	}
	return named, nil
}

// Unfiltered says for which changes between two commits a filter was not run that the repository names: it is not run here, where an
// agent could have written what it runs.
func (w *Worktree) Unfiltered(ctx context.Context, from, to string) (why map[string]string, err error) {
	changes, err := w.repo.differences(ctx, "--no-renames", from, to)
	if err != nil {
		return nil, err
	}
	filters, err := w.filters(ctx, to, changes)
	if err != nil {
		return nil, err
	}
	why = map[string]string{}
	for _, change := range changes {
		switch filter := filters[change.Path]; filter {
		case "":
		case lfs:
			content, err := w.repo.blob(ctx, change.NewBlob)
			if err != nil {
				return nil, err
			}
			if len(content) > 0 && !isPointer(content) {
				why[change.Path] = "it belongs to Git LFS and is no pointer: commit it where git-lfs is installed"
			}
		default:
			clean, err := w.repo.output(ctx, call{dir: w.repo.common, gitDir: w.repo.common, args: []string{"config", "--local", "--get", "filter." + filter + ".clean"}})
			if exitCode(err) == 1 { // git would store it as it is, too
				continue
			}
			if err != nil {
				return nil, err
			}
			why[change.Path] = fmt.Sprintf("the repository's filter %q (%s) is not run here, and would have changed what is stored: commit it yourself", filter, clean)
		}
	}
	return why, nil
}

func isPointer(content []byte) bool {
	return len(content) <= maxPointer && bytes.HasPrefix(content, []byte(lfsPointer))
}

// pointered is a tree in which a file of Git LFS is the pointer that head has for it, if it is the file that this points to: git-lfs puts
// the one into commits and the other into the worktree.
func (w *Worktree) pointered(ctx context.Context, head, tree string) (string, error) {
	changes, err := w.repo.differences(ctx, "--no-renames", head, tree)
	if err != nil {
		return "", err
	}
	filters, err := w.filters(ctx, tree, changes)
	if err != nil {
		return "", err
	}
	var entries strings.Builder
	for _, change := range changes {
		if filters[change.Path] != lfs || change.Kind != Modified {
			continue
		}
		pointer, err := w.repo.blob(ctx, change.OldBlob)
		if err != nil {
			return "", err
		}
		content, err := w.repo.blob(ctx, change.NewBlob)
		if err != nil {
			return "", err
		}
		if isPointer(pointer) && bytes.Contains(pointer, fmt.Appendf(nil, "\noid sha256:%x\nsize %d\n", sha256.Sum256(content), len(content))) {
			fmt.Fprintf(&entries, "%s %s\t%s\x00", change.NewMode, change.OldBlob, change.Path)
		}
	}
	return w.repo.amended(ctx, tree, entries.String())
}

func (r *Repo) blob(ctx context.Context, object string) ([]byte, error) {
	var out bytes.Buffer
	err := r.run(ctx, call{gitDir: r.view, dir: r.view, out: &out, args: []string{"cat-file", "blob", object}})
	return out.Bytes(), err
}
