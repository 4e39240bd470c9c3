package commands

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// ThreadStream is the stream of what an agent said about one task.
func ThreadStream(id string) string { return "thread-" + id }

// LoadThread is the thread as it is now; a not_found refusal if nobody has opened it.
func (c *Commands) LoadThread(ctx context.Context, id string) (thread.State, error) {
	loaded, there, err := state(ctx, c, threadKind(id), ThreadStream(id))
	if err == nil && !there {
		err = noThread(id)
	}
	return loaded, err
}

// onThread carries out a command on a thread's stream.
func (c *Commands) onThread(ctx context.Context, id string, command thread.Command, meta Meta) (Result, error) {
	return execute(ctx, c, threadKind(id), ThreadStream(id), command, meta)
}

func threadKind(id string) kind[thread.State, thread.Command] {
	return kind[thread.State, thread.Command]{
		kept:   true,
		evolve: thread.Evolve,
		subject: func(s thread.State, command thread.Command) string {
			if open, opens := command.(thread.Open); opens {
				return WorkflowSubject(open.Workflow)
			}
			return WorkflowSubject(s.Workflow)
		},
		decide: func(s thread.State, command thread.Command, now time.Time) ([]event.Event, error) {
			if _, opens := command.(thread.Open); !opens && !s.Opened() {
				return nil, noThread(id)
			}
			return thread.Decide(s, command, now)
		},
	}
}

func noThread(id string) error {
	return fault.New(fault.NotFound, "there is no thread %q: see the threads of the workflow", id)
}
