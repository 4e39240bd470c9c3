package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/projections"
)

// HandlerQueries answers what handlers ask of the views.
type HandlerQueries struct {
	Commands *commands.Commands
	Queries  *projections.Queries
	Views    *readmodel.Store
}

// LocalState implements [rehearsal.LocalState].
func (q *HandlerQueries) LocalState(ctx context.Context, id string) (*hostcall.Memory, error) {
	local, err := q.local(ctx, id)
	if err != nil {
		return nil, err
	}
	memory := hostcall.NewMemory(local.KV, nil, 0)
	for path, file := range local.Files {
		memory.WriteFile(path, hostcall.File{Text: file.Text, ModifiedMS: file.ModifiedMS})
	}
	return memory, nil
}

// local is what a workflow keeps for itself. While views are being built it is folded from the workflow's streams: runs go on.
func (q *HandlerQueries) local(ctx context.Context, id string) (projections.Local, error) {
	if live, _ := q.Views.Live(); live {
		if err := q.Views.CatchUp(ctx); err != nil {
			return projections.Local{}, err
		}
		return q.Queries.Local(ctx, id)
	}
	streams := []string{workflow.Stream(id)}
	for recorded, err := range q.Commands.WorkflowAfter(ctx, id, -1) {
		if err != nil {
			return projections.Local{}, err
		}
		if admitted, is := recorded.Event.(workflow.RunAdmitted); is {
			streams = append(streams, run.Stream(admitted.Run))
		}
	}
	var history []event.Recorded
	for recorded, err := range q.Commands.History(ctx, streams) {
		if err != nil {
			return projections.Local{}, err
		}
		history = append(history, recorded)
	}
	return projections.LocalOf(history)
}

// SuccessesJudged bounds how many recorded successes a repair looks at: the newest.
const SuccessesJudged = 500

// Successes implements [egress.Recordings].
func (q *HandlerQueries) Successes(ctx context.Context, id string, major int) ([]string, error) {
	if live, _ := q.Views.Live(); !live {
		var runs []string
		for recorded, err := range q.Commands.WorkflowAfter(ctx, id, -1) {
			if err != nil {
				return nil, err
			}
			if e, is := recorded.Event.(workflow.RunSucceeded); is && e.Version.Major == major {
				runs = append(runs, e.Run)
			}
		}
		slices.Reverse(runs)
		return runs[:min(len(runs), SuccessesJudged)], nil
	}
	if err := q.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	runs, err := q.Queries.Runs(ctx, projections.RunFilter{
		Workflow: id, Status: projections.RunSucceeded, Major: major, Limit: SuccessesJudged,
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = run.ID
	}
	return ids, nil
}

// Hosts implements [egress.Recordings].
func (q *HandlerQueries) Hosts(ctx context.Context, workflow string, major int) ([]projections.ReachedHost, error) {
	if err := q.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return q.Queries.Hosts(ctx, workflow, major)
}

// mirror shows people a workflow's files, in files/<workflow> of the data directory.
func (w *Workflows) mirror(workflow string, state hostcall.State, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	folder, err := w.folderOf(workflow)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	m, err := hostcall.OpenMirror(folder)
	if err != nil {
		return err
	}
	return errors.Join(m.Sync(state, paths), m.Close())
}

// folderOf is where people are shown a workflow's files.
func (w *Workflows) folderOf(id string) (string, error) {
	parent := filepath.Join(w.Dir, "files")
	if !filepath.IsLocal(id) || filepath.Base(id) != id {
		return "", errors.New("workflow " + id + " has no folder: its id is not a file name")
	}
	return filepath.Join(parent, id), nil
}
