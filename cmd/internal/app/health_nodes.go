package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/projections"
)

// NodeAtWork is a server among those of an installation, by what it has claimed. A server that has claimed nothing is known to
// itself alone.
type NodeAtWork struct {
	Name   string `json:"name"`
	Self   bool   `json:"self" doc:"It is the one that answers"`
	Runs   int    `json:"runs" doc:"That it executes"`
	Agents int    `json:"agents" doc:"Conversations that agents of it lead"`
	// Leases end one by one; whose end is past is taken over.
	LeaseUntil time.Time `json:"lease_until,omitzero" doc:"The end of its newest lease: a server at work extends it"`
	Late       []string  `json:"late" doc:"Runs and conversations whose lease is over, and which nobody has taken over yet"`
}

// Nodes are the servers that have claimed something, and this one, by their names.
func (h *Health) Nodes(ctx context.Context) ([]NodeAtWork, error) {
	nodes := map[string]*NodeAtWork{h.Name: {Name: h.Name, Self: true, Late: []string{}}}
	has := func(name, what string, until time.Time) *NodeAtWork {
		of := nodes[name]
		if of == nil {
			of = &NodeAtWork{Name: name, Late: []string{}}
			nodes[name] = of
		}
		if until.After(of.LeaseUntil) {
			of.LeaseUntil = until.UTC()
		}
		if h.Now().After(until) {
			of.Late = append(of.Late, what)
		}
		return of
	}
	runs, err := h.Queries.Runs(ctx, projections.RunFilter{Status: projections.RunRunning, Limit: runsLooked})
	if err != nil {
		return nil, err
	}
	for _, one := range runs {
		state, err := h.Commands.LoadRun(ctx, one.ID)
		if err != nil {
			return nil, err
		}
		if !state.Ended {
			has(state.Node, fmt.Sprintf("run %s since %s", one.ID, state.LeaseUntil.UTC().Format(time.RFC3339)), state.LeaseUntil).Runs++
		}
	}
	tasks, err := h.Queries.Inbox(ctx, projections.InboxFilter{State: projections.InboxWorking, Limit: runsLooked})
	if err != nil {
		return nil, err
	}
	for _, one := range tasks {
		state, err := h.Commands.LoadThread(ctx, one.Thread)
		if err != nil {
			return nil, err
		}
		if !state.Closed && state.Node != "" {
			has(state.Node, fmt.Sprintf("conversation %s since %s", one.Thread, state.LeaseUntil.UTC().Format(time.RFC3339)), state.LeaseUntil).Agents++
		}
	}
	shown := make([]NodeAtWork, 0, len(nodes))
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		shown = append(shown, *nodes[name])
	}
	return shown, nil
}
