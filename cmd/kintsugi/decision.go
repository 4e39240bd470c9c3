package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/projections"
)

// decision is what a person needs who is asked to do something: what happened, and what can be done,
// with the commands as they are typed.
type decision struct {
	said    string // by the host that refused, where nothing else shows it
	run     string
	changed []string
	actions []takenBy
}

// takenBy is an action and the command that takes it.
type takenBy struct{ action, command string }

// decision gathers it for a notification.
func (n *node) decision(ctx context.Context, one projections.Notification) (d decision, err error) {
	if one.Type == projections.NotifyEscalated || one.Type == projections.NotifyMaintenanceFailed {
		if d.run = one.Run; d.run != "" && !strings.Contains(one.Text, "What changed:") {
			if d.changed, err = n.whatChanged(ctx, one.Workflow, one.Run); err != nil {
				return d, err
			}
		}
	}
	for _, action := range one.Actions {
		command, known := actionCommand(action, one)
		if !known {
			continue
		}
		switch action {
		case workflow.ActionRollback:
			if command, err = n.rollbackCommand(ctx, one.Workflow, command); err != nil {
				return d, err
			}
		case projections.ActionSetSecret:
			if command, err = n.secretCommand(ctx, one.Run, command); err != nil {
				return d, err
			}
		case workflow.ActionActivate:
			action = "retry"
		}
		d.actions = append(d.actions, takenBy{strings.ReplaceAll(action, "_", " "), command})
	}
	return d, nil
}

// openDecision is what a person is asked to do about a workflow that waits for them.
func (n *node) openDecision(ctx context.Context, id string) (decision, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return decision{}, err
	}
	open, err := n.queries.Notifications(ctx, projections.NotificationFilter{Workflow: id, Open: true})
	if err != nil {
		return decision{}, err
	}
	for _, one := range open {
		switch one.Type {
		case projections.NotifyEscalated, projections.NotifyMaintenanceFailed, projections.NotifyError:
			d, err := n.decision(ctx, one)
			_, d.said, _ = strings.Cut(one.Text, projections.HostSays)
			return d, err
		}
	}
	return decision{}, nil
}

// whatChanged is empty for a run that is not kept here.
func (n *node) whatChanged(ctx context.Context, id, failed string) ([]string, error) {
	changed, err := maintenance.WhatChanged(ctx, n.commands, n, id, failed)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	return changed, err
}

// rollbackCommand names the version before the active one.
func (n *node) rollbackCommand(ctx context.Context, id, command string) (string, error) {
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return "", err
	}
	for _, one := range slices.Backward(state.Versions) {
		if one.Version.Compare(state.Active) < 0 {
			return strings.Replace(command, "VERSION", one.Version.String(), 1), nil
		}
	}
	return command, nil
}

var secretHandle = regexp.MustCompile(`\{\{secret:([A-Za-z0-9_.-]+)\}\}`)

// secretCommand names the secret and the host of the call that was refused, if it had one.
func (n *node) secretCommand(ctx context.Context, of, command string) (string, error) {
	state, err := n.commands.LoadRun(ctx, of)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return "", err
	}
	refused := slices.IndexFunc(state.Calls, func(call *run.Call) bool { return call.Error != nil && call.Error.Class == "auth" })
	if refused < 0 {
		return command, nil
	}
	args := state.Calls[refused].Args
	if name := secretHandle.FindSubmatch(args); name != nil {
		command = strings.Replace(command, "NAME", string(name[1]), 1)
	}
	var address []json.RawMessage
	var text string
	if json.Unmarshal(args, &address) == nil && len(address) > 0 && json.Unmarshal(address[0], &text) == nil {
		if parsed, err := url.Parse(text); err == nil && parsed.Host != "" {
			command = strings.Replace(command, "HOST", parsed.Host, 1)
		}
	}
	return command, nil
}

func (d decision) write(w io.Writer, indent string) {
	if d.said != "" {
		fmt.Fprintf(w, "%sThe host says: %s\n", indent, line(d.said))
	}
	if len(d.changed) > 0 {
		fmt.Fprintf(w, "%sWhat changed since the runs that succeeded:\n", indent)
		writeChanged(w, d.changed, indent)
	}
	if d.run != "" {
		fmt.Fprintf(w, "%s%-10s kintsugi run show %s\n", indent, "look", d.run)
	}
	for _, one := range d.actions {
		fmt.Fprintf(w, "%s%-10s kintsugi %s\n", indent, one.action, one.command)
	}
}

func writeChanged(w io.Writer, changed []string, indent string) {
	for _, one := range changed {
		fmt.Fprintf(w, "%s  · %s\n", indent, wrapped(one, indent+"    ", 92))
	}
}
