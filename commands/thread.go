package commands

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// LoadThread is the thread as it is now; a not_found refusal if nobody has opened it.
func (c Threads) LoadThread(ctx context.Context, id string) (thread.State, error) {
	loaded, there, err := state(ctx, c.core, threadKind(id), thread.Stream(id))
	if err == nil && !there {
		err = noThread(id)
	}
	return loaded, err
}

// onThread carries out a command on a thread's stream.
func (c Threads) onThread(ctx context.Context, id string, command thread.Command, meta Meta) (Result, error) {
	return execute(ctx, c.core, threadKind(id), thread.Stream(id), command, meta)
}

func threadKind(id string) kind[thread.State, thread.Command] {
	return kind[thread.State, thread.Command]{
		kept:   true,
		evolve: untimed(thread.Evolve),
		subject: func(s thread.State, command thread.Command) string {
			if open, opens := command.(thread.Open); opens {
				return workflow.Subject(open.Workflow)
			}
			return workflow.Subject(s.Workflow)
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

// OpenThread starts the thread of a workflow's task.
func (c Threads) OpenThread(ctx context.Context, command thread.Open, meta Meta) (Result, error) {
	return c.onThread(ctx, command.Thread, command, meta)
}

// ClaimThread lets a node work on a thread; a conflict refusal if another node holds it.
func (c Threads) ClaimThread(ctx context.Context, id string, command thread.Claim, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// ExtendThreadLease keeps a claimed thread, or gives it away.
func (c Threads) ExtendThreadLease(ctx context.Context, id string, command thread.ExtendLease, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// AppendMessage adds a message to the thread.
func (c Threads) AppendMessage(ctx context.Context, id string, command thread.AppendMessage, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// AppendAnswer adds a model's turn to a thread, with the calls that it makes.
func (c Threads) AppendAnswer(ctx context.Context, id string, command thread.AppendAnswer, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// InvokeTool records a tool call of the agent.
func (c Threads) InvokeTool(ctx context.Context, id string, command thread.InvokeTool, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// ReturnTool records the answer to a tool call.
func (c Threads) ReturnTool(ctx context.Context, id string, command thread.ReturnTool, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// JudgeCandidate records a fixer's candidate and the gate's verdict on it.
func (c Threads) JudgeCandidate(ctx context.Context, id string, command thread.JudgeCandidate, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// MissModel records on a thread that a provider gave no answer.
func (c Threads) MissModel(ctx context.Context, id string, command thread.MissModel, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}

// CloseThread ends the thread.
func (c Threads) CloseThread(ctx context.Context, id string, command thread.Close, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
