package plan

import (
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// Violations are the changes that a job was not to make, but those that are as a person let them pass.
func (j Job) Violations(changes []Change) []Violation {
	touch, create := newTouchSet(j.Touch), newTouchSet(j.MayCreate)
	var found []Violation
	for _, change := range changes {
		if change.Same {
			continue
		}
		if why := violates(change, touch, create); why != "" {
			found = append(found, Violation{
				Path: failure.Cut(change.Path, maxPathText), From: failure.Cut(change.From, maxPathText), Change: change.Kind, Why: why,
			})
		}
	}
	return found
}

func violates(change Change, touch, create touchSet) string {
	switch {
	case change.Symlink != "" && escapes(change.Path, change.Symlink):
		return "it is a symlink that leads out of the repository, to " + failure.Cut(change.Symlink, maxPathText)
	case change.Repository && !change.Submodule:
		return "it is a repository inside the repository: what is in it is in no commit of the job"
	case change.Wrong != "":
		return change.Wrong
	case change.From != "" && !touch.has(change.From):
		return "it is renamed, and its old name is not in the touch set"
	case touch.has(change.Path):
		return ""
	case (change.Kind == "added" || change.From != "") && create.has(change.Path):
		return ""
	case create.has(change.Path):
		return "it may be made, and was there before"
	}
	return "it is not in the touch set"
}

// guarded are the repository's own files that changed.
func guarded(before, after map[string]string) []Violation {
	var found []Violation
	add := func(path, change string) {
		found = append(found, Violation{Path: path, Change: change, Why: "it is the repository's own: settings, hooks and attributes are for people"})
	}
	for _, path := range slices.Sorted(maps.Keys(after)) {
		switch old, there := before[path]; {
		case !there:
			add(path, "added")
		case old != after[path]:
			add(path, "modified")
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[path]; !there {
			add(path, "deleted")
		}
	}
	return found
}
