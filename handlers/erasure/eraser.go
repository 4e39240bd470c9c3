package erasure

import (
	"context"
	"fmt"
	"sync"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Beside is what there is of workflows beside the log.
type Beside interface {
	// DropSecrets removes the secrets that only this workflow may use.
	DropSecrets(ctx context.Context, workflow string) error
	// DropDeliveries forgets what external systems answered when they were told of the workflow.
	DropDeliveries(ctx context.Context, workflow string) error
	// DropFiles removes what this node shows people of the workflow's files.
	DropFiles(workflow string) error
}

// Eraser is the reaction that erases workflows that were deleted. Erasing twice is erasing once, so several nodes may be at it, and
// one that was killed begins again.
type Eraser struct {
	commands *commands.Commands
	beside   Beside

	mu    sync.Mutex
	swept map[string]bool // workflows of whose files this node has nothing
}

// NewEraser panics without a dependency.
func NewEraser(c *commands.Commands, beside Beside) *Eraser {
	if c == nil || beside == nil {
		panic("erasure: NewEraser without a dependency")
	}
	return &Eraser{commands: c, beside: beside, swept: map[string]bool{}}
}

// Name implements [loop.Reaction].
func (e *Eraser) Name() string { return "erasure" }

// Due implements [loop.Reaction]. Each node has files of its own, and may have slept while another one erased.
func (e *Eraser) Due(id string, state workflow.State) []loop.Work {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case state.Deleted == nil || state.Erased && e.swept[id]:
		return nil
	case state.Erased:
		return []loop.Work{{Key: "sweep", Do: func(context.Context) error { return e.sweep(id) }}}
	}
	return []loop.Work{{Key: "erase", Do: func(ctx context.Context) error {
		_, err := e.Erase(ctx, id)
		return err
	}}}
}

// Erase erases a workflow that was deleted.
func (e *Eraser) Erase(ctx context.Context, id string) (result commands.Result, err error) {
	if err = e.beside.DropSecrets(ctx, id); err == nil {
		err = e.beside.DropDeliveries(ctx, id)
	}
	if err == nil {
		err = e.sweep(id)
	}
	if err == nil {
		result, err = e.commands.EraseWorkflow(ctx, id, commands.Meta{CommandID: commands.DerivedID(id, "erased"), Actor: "system:erasure"})
	}
	if err != nil {
		return result, fmt.Errorf("erasure: workflow %s: %w", id, err)
	}
	return result, nil
}

func (e *Eraser) sweep(id string) error {
	err := e.beside.DropFiles(id)
	if err == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.swept[id] = true
	}
	return err
}
