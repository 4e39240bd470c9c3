package healer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// observe runs a check and looks at the tree and at what was kept. It is the only one who reports to a session what it came to, and no
// planner and no spell has a part in it.
func (h *Healer) observe(ctx context.Context, state session.State, healing session.Healing, check session.Check, name string) (session.CheckRan, error) {
	saw := session.CheckRan{Healing: healing.Healing, Check: check}
	repo, tree, err := h.open(ctx, state)
	if err != nil {
		return saw, err
	}
	b := &workspace{Healer: h, state: state, healing: healing, repo: repo, tree: tree}
	if saw.Head, _, err = tree.Head(ctx); err != nil {
		return saw, err
	}
	files, err := b.dirty(ctx, saw.Head)
	if err != nil {
		return saw, err
	}
	saw.Clean = len(files) == 0 && tree.UnderWay() == ""
	for _, cast := range healing.Casts {
		if cast.Ended == nil {
			continue
		}
		for _, kept := range cast.Ended.Kept {
			at, err := repo.Ref(ctx, kept.Ref)
			if err != nil {
				return saw, err
			}
			if at != kept.Commit {
				saw.Lost = append(saw.Lost, kept.Ref)
			}
		}
	}
	switch {
	case check.Command != "":
		began := h.config.Now()
		ended, tail, err := h.launched(ctx, state, name, []string{"/bin/sh", "-c", check.Command}, "", false)
		if no, is := refused(err); is {
			saw.Says = no
			break
		}
		if err != nil {
			return saw, err
		}
		saw.Passed, saw.Says, saw.Code, saw.Tail = ended.OK(), ended.String(), ended.Code, tail
		saw.Millis = h.config.Now().Sub(began).Milliseconds()
	case check.Name == session.CleanTree:
		saw.Passed = saw.Clean
		if saw.Says = "nothing differs from the head"; !saw.Clean {
			saw.Says = fmt.Sprintf("%d files differ from the head: %s", len(files), strings.Join(files[:min(len(files), 20)], ", "))
			if what := tree.UnderWay(); what != "" {
				saw.Says = what + " is under way; " + saw.Says
			}
			slices.Sort(files)
			saw.Tail = strings.Join(files, "\n")
		}
	default:
		saw.Says = "there is nothing to run"
	}
	if !saw.Passed {
		saw.Fingerprint = session.Fingerprint(session.Failure{Trigger: healing.Failure.Trigger, Check: check, Says: saw.Says, Tail: saw.Tail})
	}
	return saw, nil
}
