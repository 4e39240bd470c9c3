package draft

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Archiver is the reaction that looks after drafts. The draft's own stream says what is due when; whether its owner
// wants old ones archived is asked of the installation when the time has come.
type Archiver struct{ commands *commands.Commands }

// NewArchiver panics without its dependency.
func NewArchiver(c *commands.Commands) *Archiver {
	if c == nil {
		panic("draft: NewArchiver without a dependency")
	}
	return &Archiver{commands: c}
}

// Name implements [loop.Reaction].
func (a *Archiver) Name() string { return "draft" }

// Due implements [loop.Reaction].
func (a *Archiver) Due(id string, state workflow.State) []loop.Work {
	at, due := state.DraftDue()
	if !due {
		return nil
	}
	return []loop.Work{{Key: "tend", At: at, Do: func(ctx context.Context) error { return a.tend(ctx, id, state.Owner, state.Draft) }}}
}

// tend is the same command on every node that comes to it, so the owner is asked once.
func (a *Archiver) tend(ctx context.Context, id, owner string, of workflow.Draft) error {
	installation, err := a.commands.LoadInstallation(ctx)
	if err == nil {
		_, err = a.commands.TendDraft(ctx, id, workflow.TendDraft{Archive: installation.ArchivesDrafts(owner)}, commands.Meta{
			CommandID: commands.DerivedID(id, "draft", of.Touched.Format(time.RFC3339Nano), strconv.Itoa(of.Prompts)), Actor: "system:draft",
		})
	}
	if err != nil {
		return fmt.Errorf("draft.Archiver: %w", err)
	}
	return nil
}
