package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Contents is how much the log has of a workflow.
type Contents struct {
	Payloads int64 // events
	Runs     int
	Threads  int
}

// ContentsOf counts what a deletion takes away.
func (c Workflows) ContentsOf(ctx context.Context, id string) (found Contents, err error) {
	streams, err := c.streamsOf(ctx, id)
	for i := 0; err == nil && i < len(streams); i++ {
		switch {
		case strings.HasPrefix(streams[i], run.StreamPrefix):
			found.Runs++
		case strings.HasPrefix(streams[i], thread.StreamPrefix):
			found.Threads++
		}
		for last, failed := range c.log.StreamBackward(ctx, streams[i], eventlog.Newest) {
			found.Payloads, err = found.Payloads+last.Revision+1, failed
			break
		}
	}
	if err != nil {
		return found, fmt.Errorf("commands: count what workflow %s has: %w", id, err)
	}
	return found, nil
}

// streamsOf are the streams of a workflow's runs and conversations, as its own stream names them, and that one, last.
func (c Workflows) streamsOf(ctx context.Context, id string) (streams []string, err error) {
	seen := map[string]bool{}
	add := func(stream string) {
		if !seen[stream] {
			seen[stream] = true
			streams = append(streams, stream)
		}
	}
	for recorded, err := range c.WorkflowAfter(ctx, id, -1) {
		if err != nil {
			return nil, err
		}
		switch e := recorded.Event.(type) {
		case workflow.RunAdmitted:
			add(run.Stream(e.Run))
		case workflow.MaintenanceEntered:
			add(thread.Stream(e.Thread))
		case workflow.PlannerTaskOpened:
			add(thread.Stream(e.Thread))
		}
	}
	add(workflow.Stream(id))
	return streams, nil
}

// eraser is the log as one that can erase.
func (c Workflows) eraser() (eventlog.Eraser, error) {
	of, is := eventlog.As[eventlog.Eraser](c.log)
	if !is {
		return nil, fault.New(fault.Conflict, "the log is in EventStoreDB or KurrentDB, where no event can be changed and its place be kept, so nothing can be deleted for good: "+
			"move the log to SQLite or PostgreSQL first (kintsugi store copy), and delete there; leave the workflow in the archive until then")
	}
	return of, nil
}

// DeleteWorkflow has everything that an archived workflow's events say taken away for good. It is recorded, and follows:
// [Workflows.EraseWorkflow] does it. Refused is what the log cannot do.
func (c Workflows) DeleteWorkflow(ctx context.Context, id string, used []workflow.Used, meta Meta) (Result, error) {
	if _, err := c.eraser(); err != nil {
		return Result{}, err
	}
	found, err := c.ContentsOf(ctx, id)
	if err != nil {
		return Result{}, err
	}
	return c.onWorkflow(ctx, id, workflow.Delete{Payloads: found.Payloads, Runs: found.Runs, Threads: found.Threads, Used: used}, meta)
}

// EraseWorkflow does what was decided with a deletion, and records that it is done. It can be called again, also by another node,
// until it has succeeded: the workflow's own stream, which names the others, is erased last, and the decision stays.
func (c Workflows) EraseWorkflow(ctx context.Context, id string, meta Meta) (Result, error) {
	eraser, err := c.eraser()
	if err != nil {
		return Result{}, err
	}
	streams, err := c.streamsOf(ctx, id)
	if err != nil {
		return Result{}, err
	}
	var parts []eventlog.Part
	for _, stream := range streams {
		parts = append(parts, eventlog.Part{Stream: stream, Last: eventlog.Newest})
	}
	own := &parts[len(parts)-1]
	own.Last, err = c.deletedAt(ctx, id)
	if err != nil {
		return Result{}, err
	}
	own.Last--
	// Another look finds what somebody appended to a run or a conversation meanwhile.
	for erased := int64(1); erased > 0; {
		if erased, err = eraser.Erase(ctx, parts); err != nil {
			return Result{}, fmt.Errorf("commands: erase workflow %s: %w", id, err)
		}
	}
	for _, stream := range streams {
		c.folds.take(stream)
	}
	return c.onWorkflow(ctx, id, workflow.EndDeletion{}, meta)
}

// deletedAt is the revision of the decision.
func (c Workflows) deletedAt(ctx context.Context, id string) (int64, error) {
	for recorded, err := range c.WorkflowAfter(ctx, id, -1) {
		if err != nil {
			return 0, err
		}
		if recorded.Event.EventType() == workflow.TypeWorkflowDeleted {
			if _, erased := recorded.Event.(event.Erased); !erased {
				return recorded.Revision, nil
			}
		}
	}
	return 0, fmt.Errorf("commands: workflow %s is not being deleted", id)
}
