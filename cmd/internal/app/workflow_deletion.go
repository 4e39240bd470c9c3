package app

import (
	"context"
	"errors"
	"os"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/erasure"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Deletion is what a deletion for good takes away.
type Deletion struct {
	Workflow string   `json:"workflow"`
	Title    string   `json:"title"`
	Payloads int64    `json:"payloads"` // of so many events
	Runs     int      `json:"runs"`
	Threads  int      `json:"conversations"`
	Keys     int      `json:"keys"`
	Files    int      `json:"files"`
	Secrets  []string `json:"secrets"` // that only this workflow may use
}

// Deletion says what would be taken away, and refuses what cannot be deleted.
func (w *Workflows) Deletion(ctx context.Context, id string) (shown Deletion, err error) {
	of, err := w.Queries.Workflow(ctx, id)
	if err != nil {
		return shown, err
	}
	shown.Workflow, shown.Title, shown.Secrets = id, of.Title, []string{}
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return shown, err
	}
	if _, err := workflow.Decide(state, workflow.Delete{}, w.Now()); err != nil {
		return shown, err
	}
	found, err := w.Commands.ContentsOf(ctx, id)
	if err != nil {
		return shown, err
	}
	shown.Payloads, shown.Runs, shown.Threads = found.Payloads, found.Runs, found.Threads
	local, err := w.Queries.Local(ctx, id)
	if err != nil {
		return shown, err
	}
	shown.Keys, shown.Files = len(local.KV), len(local.Files)
	own, err := w.ownSecrets(ctx, id)
	for _, one := range own {
		shown.Secrets = append(shown.Secrets, one.Name)
	}
	return shown, err
}

// Delete deletes an archived workflow for good, and returns when all of it is erased and the views say so. If it ends before,
// a server goes on with it, and so does the same command.
func (w *Workflows) Delete(ctx context.Context, meta commands.Meta, id string) (Deletion, error) {
	earlier, err := w.Commands.Earlier(ctx, workflow.Stream(id), meta.CommandID)
	if deleted, is := earlier.(workflow.WorkflowDeleted); is && err == nil {
		shown := Deletion{Workflow: id, Payloads: deleted.Payloads, Runs: deleted.Runs, Threads: deleted.Threads, Secrets: []string{}}
		return shown, w.erase(ctx, id)
	}
	shown, err := w.Deletion(ctx, id)
	if err != nil {
		return shown, err
	}
	days, err := w.Queries.UsageByDay(ctx, projections.UsageFilter{Workflow: id})
	if err != nil {
		return shown, err
	}
	used := make([]workflow.Used, len(days))
	for i, day := range days {
		used[i] = workflow.Used{Day: day.Day, Runs: day.Runs, Failed: day.Failed, RunMS: day.RunMS, Calls: day.Calls, Tokens: day.Tokens, Micros: day.Micros}
	}
	if _, err := w.Commands.DeleteWorkflow(ctx, id, used, meta); err != nil {
		return shown, err
	}
	return shown, w.erase(ctx, id)
}

func (w *Workflows) erase(ctx context.Context, id string) error {
	if _, err := w.eraser().Erase(ctx, id); err != nil {
		return err
	}
	return w.Views.CatchUp(ctx)
}

func (w *Workflows) eraser() *erasure.Eraser { return erasure.NewEraser(w.Commands, w) }

func (w *Workflows) ownSecrets(ctx context.Context, id string) (own []vault.Secret, err error) {
	sealed, err := w.Secrets.sealed(ctx)
	if sealed == nil || err != nil {
		return nil, err
	}
	all, err := sealed.List(ctx)
	for _, one := range all {
		if one.Workflow == id {
			own = append(own, one)
		}
	}
	return own, err
}

// DropSecrets implements [erasure.Beside].
func (w *Workflows) DropSecrets(ctx context.Context, id string) error {
	own, err := w.ownSecrets(ctx, id)
	if err != nil || len(own) == 0 {
		return err
	}
	v, err := w.Secrets.VaultWith(ctx, vault.Key{})
	for i := 0; err == nil && i < len(own); i++ {
		if err = v.Remove(ctx, own[i].Name, id); errors.Is(err, vault.ErrNotFound) {
			err = nil // another node was first
		}
	}
	return err
}

// DropDeliveries implements [erasure.Beside].
func (w *Workflows) DropDeliveries(ctx context.Context, id string) error {
	if w.Secrets.State.Address.Exists() != nil {
		return nil // nothing was ever kept
	}
	kept, err := w.Secrets.State.open(ctx)
	if err != nil {
		return err
	}
	return kept.ForgetLane(ctx, workflow.Subject(id))
}

// DropFiles implements [erasure.Beside].
func (w *Workflows) DropFiles(id string) error {
	folder, err := w.folderOf(id)
	if err != nil {
		return nil //nolint:nilerr // its name cannot be that of a folder: it has none
	}
	return os.RemoveAll(folder)
}
