package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/tool"
	"github.com/kintsugi-run/kintsugi/projections"
)

// LocalState implements [rehearsal.LocalState].
func (n *Node) LocalState(ctx context.Context, workflow string) (*tool.Memory, error) {
	if err := n.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	local, err := n.Queries.Local(ctx, workflow)
	if err != nil {
		return nil, err
	}
	memory := tool.NewMemory(local.KV, nil, 0)
	for path, file := range local.Files {
		memory.WriteFile(path, tool.File{Text: file.Text, ModifiedMS: file.ModifiedMS})
	}
	return memory, nil
}

// SuccessesJudged bounds how many recorded successes a repair looks at: the newest.
const SuccessesJudged = 500

// Successes implements [egress.Recordings].
func (n *Node) Successes(ctx context.Context, workflow string, major int) ([]string, error) {
	if err := n.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	runs, err := n.Queries.Runs(ctx, projections.RunFilter{
		Workflow: workflow, Status: projections.RunSucceeded, Major: major, Limit: SuccessesJudged,
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
func (n *Node) Hosts(ctx context.Context, workflow string, major int) ([]projections.ReachedHost, error) {
	if err := n.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return n.Queries.Hosts(ctx, workflow, major)
}

// mirror shows people a workflow's files, in files/<workflow> of the data directory.
func (n *Node) mirror(workflow string, state tool.State, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	if strings.ContainsAny(workflow, `/\`) || workflow == "." || workflow == ".." {
		return fmt.Errorf("workflow %q has no folder: its id is not a file name", workflow)
	}
	parent := filepath.Join(n.Dir, "files")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	m, err := tool.OpenMirror(filepath.Join(parent, workflow))
	if err != nil {
		return err
	}
	return errors.Join(m.Sync(state, paths), m.Close())
}
