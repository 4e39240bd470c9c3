package publisher

import (
	"context"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// owners knows whose the workflows are. It never changes.
type owners struct {
	log   eventlog.Log
	codec *event.Registry

	mu    sync.Mutex
	known map[string]string // by stream
}

// mostOwners is of how many workflows it is remembered.
const mostOwners = 50_000

func newOwners(config Config) *owners {
	return &owners{log: config.Log, codec: config.Codec, known: map[string]string{}}
}

// of is whose the workflow is that a lane is of, with its runs and conversations. It is empty for a lane of anything else, and for a
// workflow of which the log cannot say any more whose it is.
func (o *owners) of(ctx context.Context, lane string) (string, error) {
	id, is := strings.CutPrefix(lane, workflow.Subject(""))
	if !is {
		return "", nil
	}
	stream := workflow.Stream(id)
	o.mu.Lock()
	owner, known := o.known[stream]
	o.mu.Unlock()
	if known {
		return owner, nil
	}
	owner, err := o.look(ctx, stream)
	if err != nil || owner == "" {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.known) >= mostOwners {
		clear(o.known)
	}
	o.known[stream] = owner
	return owner, nil
}

// look reads it from the event that a workflow begins with or, if that was erased, from the one that says so.
func (o *owners) look(ctx context.Context, stream string) (string, error) {
	for record, err := range o.log.Stream(ctx, stream, 0) {
		if err != nil {
			return "", err
		}
		if record.Type != workflow.TypeWorkflowCreated && record.Type != workflow.TypeWorkflowDeleted {
			continue
		}
		happened, err := o.codec.Decode(record.Type, record.SchemaVersion, record.Payload)
		if err != nil {
			continue // it was erased, or cannot be read
		}
		switch happened := happened.(type) {
		case workflow.WorkflowCreated:
			return happened.Owner, nil
		case workflow.WorkflowDeleted:
			return happened.Owner, nil
		}
	}
	return "", nil
}
