package commands

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// LoadWorkflow is the workflow as it is now; a not_found refusal if there is none.
func (c Workflows) LoadWorkflow(ctx context.Context, id string) (workflow.State, error) {
	loaded, there, err := state(ctx, c.core, c.workflowKind(id), workflow.Stream(id))
	if err == nil && !there {
		err = noWorkflow(id)
	}
	return loaded, err
}

// WorkflowSince is the workflow with everything up to a revision of its stream, or more: a follower of the log, which
// is told of each event, need not read the stream again.
func (c Workflows) WorkflowSince(ctx context.Context, id string, revision int64) (workflow.State, error) {
	loaded, there, err := since(ctx, c.core, c.workflowKind(id), workflow.Stream(id), revision)
	if err == nil && !there {
		err = noWorkflow(id)
	}
	return loaded, err
}

// WorkflowAfter yields the events of a workflow's own stream after a revision, -1 for all. An event that was erased is an
// [event.Erased]; one that cannot be read is an error that names it, and the last.
func (c Workflows) WorkflowAfter(ctx context.Context, id string, revision int64) iter.Seq2[event.Recorded, error] {
	return func(yield func(event.Recorded, error) bool) {
		for record, err := range c.log.Stream(ctx, workflow.Stream(id), revision+1) {
			var recorded event.Recorded
			if err != nil {
				err = fmt.Errorf("commands: read %s: %w", workflow.Stream(id), err)
			} else {
				recorded, err = c.Show(record)
			}
			if !yield(recorded, err) || err != nil {
				return
			}
		}
	}
}

// onWorkflow carries out a command on a workflow's stream.
func (c *core) onWorkflow(ctx context.Context, id string, command workflow.Command, meta Meta) (Result, error) {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return Result{}, err
	}
	kind := c.workflowKind(id)
	decide := kind.decide
	kind.decide = func(s workflow.State, command workflow.Command, now time.Time) ([]event.Event, error) {
		command, err := givenBy(meta.Holder, s, command)
		if err == nil {
			err = c.egressOf(ctx, s, command)
		}
		if err != nil {
			return nil, err
		}
		return decide(s, command, now)
	}
	return execute(ctx, c, kind, workflow.Stream(id), command, meta)
}

// givenBy is a command as it is when somebody gives it who is not the person themselves.
func givenBy(holder installation.Holder, s workflow.State, command workflow.Command) (workflow.Command, error) {
	if holder == installation.HeldByAgent {
		return s.ByAgent(command)
	}
	if save, is := command.(workflow.SaveScript); is && holder == installation.HeldByProgram {
		save.Origin = workflow.OriginProgram
		return save, nil
	}
	return command, nil
}

// egressOf refuses to allow a host which the installation closes. Only the spelling of the host is looked at: the address
// that a run dials is checked by the run.
func (c *core) egressOf(ctx context.Context, s workflow.State, command workflow.Command) error {
	var hosts []string
	switch asked := command.(type) {
	case workflow.ChangeSettings:
		hosts = asked.Settings.AllowedHosts
	case workflow.AcceptFix:
		hosts = asked.AllowHosts
	}
	if len(hosts) == 0 {
		return nil
	}
	now, err := c.LoadInstallation(ctx)
	if err != nil {
		return err
	}
	for _, host := range hosts {
		if slices.Contains(s.Settings.AllowedHosts, host) {
			continue
		}
		if why := now.Egress.Refuses(now.Tenant(s.Owner), host); why != "" {
			return fault.New(fault.Invalid, "the host %q cannot be allowed: %s", host, why)
		}
	}
	return nil
}

// Foresee refuses what a workflow would refuse of these commands, one after the other; a new one has the zero state. Nothing is appended.
func (c Workflows) Foresee(ctx context.Context, meta Meta, s workflow.State, commands ...workflow.Command) error {
	for _, command := range commands {
		if save, is := command.(workflow.SaveScript); is {
			if err := c.codeOf(save); err != nil {
				return err
			}
		}
		if err := c.wordsOf(ctx, command, meta); err != nil {
			return err
		}
		now := c.now()
		command, err := givenBy(meta.Holder, s, command)
		if err == nil {
			err = c.egressOf(ctx, s, command)
		}
		if err != nil {
			return err
		}
		events, err := workflow.Decide(s, command, now)
		if err != nil {
			return err
		}
		for _, one := range events {
			s = workflow.EvolveAt(s, one, now)
		}
	}
	return nil
}

func (c *core) workflowKind(id string) kind[workflow.State, workflow.Command] {
	return kind[workflow.State, workflow.Command]{
		kept: true,
		evolve: func(s workflow.State, recorded event.Recorded) workflow.State {
			if kept, is := recorded.Event.(workflow.PackagesKept); is {
				c.packages.note(kept.SHA256, packagesPlace{id, recorded.Revision})
			}
			return workflow.EvolveAt(s, recorded.Event, recorded.Metadata.RecordedAt)
		},
		forgets: func(happened event.Event) bool {
			_, deleted := happened.(workflow.WorkflowDeleted)
			return deleted
		},
		subject: func(workflow.State, workflow.Command) string { return workflow.Subject(id) },
		decide: func(s workflow.State, command workflow.Command, now time.Time) ([]event.Event, error) {
			if _, creates := command.(workflow.Create); !creates && !s.Exists() {
				return nil, noWorkflow(id) // the state of what is not there does not know its name
			}
			return workflow.Decide(s, command, now)
		},
	}
}

func noWorkflow(id string) error {
	return fault.New(fault.NotFound, "there is no workflow %q: see the list of workflows", id)
}

// scriptID is the id of the script version that a command makes, if the caller has none.
func scriptID(given string, meta Meta) string {
	if given != "" {
		return given
	}
	return DerivedID(meta.CommandID, "script")
}
