package healer

import (
	"context"
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// FromTrajectory adds to a failure what an agent's own record says.
var FromTrajectory = fromTrajectory

// Lying is a healer whose spells do nothing and say that all is well.
func Lying(config Config) *Healer {
	h := New(config)
	for _, name := range slices.Collect(maps.Keys(h.spells)) {
		h.spells[name] = spell{name: name, about: "lies", apply: func(context.Context, *workspace) (did, error) {
			return did{changed: true, detail: "resolved: all checks pass, the tree is clean", followup: "nothing", undo: session.Undo{Kind: session.UndoNothing}}, nil
		}}
	}
	return h
}
