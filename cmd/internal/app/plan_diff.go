package app

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// RepoDiff is what a job changed.
type RepoDiff struct {
	From  string         `json:"from"` // what it is compared with
	To    string         `json:"to"`
	Files []RepoDiffFile `json:"files" nullable:"false"`
	Count int            `json:"count"`         // all of them
	Cut   bool           `json:"cut,omitempty"` // there is more of it
	Patch string         `json:"-"`             // all in one
}

// RepoDiffFile is one file of it.
type RepoDiffFile struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"` // of a rename
	Change  string `json:"change"`
	Symlink string `json:"symlink,omitempty"` // what it leads to
	Binary  bool   `json:"binary,omitempty"`
	// Outside is why the job was not to change it, empty if it was.
	Outside string `json:"outside,omitempty"`
	Patch   string `json:"patch,omitempty"`
	Cut     bool   `json:"cut,omitempty"` // nothing, or not all of it is shown
}

// The bounds of a patch that is shown, in bytes and in files.
const (
	maxPatch      = 1 << 20
	maxPatchFiles = 1000
)

// JobDiff is what a job changed as it was looked at last, and of the files that are held alone if only.
func (p *Plans) JobDiff(ctx context.Context, id, job string, only bool) (diff RepoDiff, err error) {
	state, err := p.Commands.LoadPlan(ctx, id)
	if err != nil {
		return diff, err
	}
	diff.Files = []RepoDiffFile{}
	of, there := state.Jobs[job]
	if !there {
		return diff, fault.New(fault.NotFound, "plan %s has no job %q", id, job)
	}
	if of.Commit == "" {
		return diff, nil
	}
	repo, err := gitrepo.Open(ctx, state.Definition.Repository, filepath.Join(state.Place, "view"))
	if err != nil {
		return diff, fault.New(fault.NotFound, "the repository is not on this machine: %w", err)
	}
	diff.From, diff.To = of.Base, of.Commit
	if of.Held.Since != "" && of.Held.Commit == of.Commit {
		diff.From = of.Held.Since
	}
	var paths []string
	if only && of.Status == plan.JobHeldBack {
		for _, violation := range of.Held.Violations {
			paths = append(paths, violation.Path)
			if violation.From != "" {
				paths = append(paths, violation.From)
			}
		}
	}
	changes, err := repo.Changes(ctx, diff.From, diff.To)
	if err != nil {
		return diff, err
	}
	if diff.Patch, diff.Cut, err = repo.Diff(ctx, diff.From, diff.To, maxPatch, paths...); err != nil {
		return diff, err
	}
	diff.Patch = strings.ToValidUTF8(diff.Patch, "�")
	definition, _ := state.Definition.Job(job)
	diff.fill(definition, changes, paths)
	if of.Status == plan.JobHeldBack && of.Held.Kind == plan.KindTouchset && of.Held.Commit == diff.To {
		for _, violation := range of.Held.Violations {
			for i := range diff.Files {
				if diff.Files[i].Path == text(violation.Path) {
					diff.Files[i].Outside = violation.Why
				}
			}
		}
	}
	return diff, nil
}

// fill names the files, and gives each its part of the patch, which has them in the same order.
func (d *RepoDiff) fill(job plan.Job, changes []gitrepo.Change, paths []string) {
	asked := map[string]bool{}
	for _, path := range paths {
		asked[path] = true
	}
	parts := patchParts(d.Patch)
	for _, change := range changes {
		if len(asked) > 0 && !asked[change.Path] && !asked[change.From] {
			continue
		}
		if d.Count++; d.Count > maxPatchFiles {
			d.Cut = true
			continue
		}
		file := RepoDiffFile{Path: text(change.Path), From: text(change.From), Change: change.Kind, Symlink: text(change.Target)}
		for _, one := range job.Violations([]plan.Change{{
			Path: change.Path, From: change.From, Kind: change.Kind, Symlink: change.Target,
			Repository: change.NewMode == gitrepo.ModeSubmodule, Submodule: change.OldMode == gitrepo.ModeSubmodule,
		}}) {
			file.Outside = one.Why
		}
		take := 1
		if change.Kind == gitrepo.TypeChanged {
			take = 2 // as if it were deleted and made again
		}
		for range take {
			if len(parts) > 0 {
				file.Patch += parts[0]
				parts = parts[1:]
			}
		}
		file.Binary = strings.Contains(file.Patch, "\nBinary files ")
		file.Cut = d.Cut && len(parts) == 0
		d.Files = append(d.Files, file)
	}
}

func text(s string) string { return strings.ToValidUTF8(s, "�") }

// patchParts are the parts of a patch, one for each file. A line of a file never begins like a part, for it has a sign before it.
func patchParts(patch string) (parts []string) {
	const begin = "diff --git "
	for patch != "" {
		end := strings.Index(patch[1:], "\n"+begin)
		if end < 0 {
			return append(parts, patch)
		}
		parts = append(parts, patch[:end+2])
		patch = patch[end+2:]
	}
	return parts
}
