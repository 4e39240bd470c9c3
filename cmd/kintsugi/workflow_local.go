package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

const atLong = "a version (1.1), a revision (14) or a time: as it was then"

// local is the keys and files of a workflow, as they are or as they were.
func (n *node) local(ctx context.Context, id, at string) (projections.Local, error) {
	if at == "" {
		if err := n.views.CatchUp(ctx); err != nil {
			return projections.Local{}, err
		}
		return n.queries.Local(ctx, id)
	}
	m, err := parseMoment(at)
	if err != nil {
		return projections.Local{}, err
	}
	streams, err := n.streams(ctx, id)
	if err != nil {
		return projections.Local{}, err
	}
	recorded, err := n.history(ctx, id, streams, true)
	if err != nil {
		return projections.Local{}, err
	}
	end, err := m.cut(workflow.Stream(id), recorded)
	if err != nil {
		return projections.Local{}, err
	}
	return projections.LocalOf(recorded[:end])
}

func newWorkflowKeysCommand(a *app) *cobra.Command {
	var at string
	command := &cobra.Command{
		Use: "keys WORKFLOW [KEY]", Short: "List the keys that a workflow keeps, or read one", Args: takes(1, 2),
		Example: `  kintsugi workflow keys Orders
  kintsugi workflow keys Orders cursor --at "2026-03-01 08:00"`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				local, err := n.local(c.Context(), id, at)
				if err != nil {
					return err
				}
				if len(args) == 2 {
					value, found := local.KV[args[1]]
					if !found {
						return fault.New(fault.NotFound, "there is no key %q: see 'kintsugi workflow keys %s'", args[1], id)
					}
					return a.show(value, func(w io.Writer) { fmt.Fprintln(w, clean(string(value))) })
				}
				return a.show(local.KV, func(w io.Writer) { writeKeys(w, local.KV) })
			})
		},
	}
	command.Flags().StringVar(&at, "at", "", atLong)
	return command
}

func writeKeys(w io.Writer, keys map[string]json.RawMessage) {
	if len(keys) == 0 {
		fmt.Fprintln(w, "No keys.")
		return
	}
	var rows [][]string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		rows = append(rows, []string{line(key), line(short(string(keys[key]), 100))})
	}
	table(w, []string{"KEY", "VALUE"}, rows)
}

func newWorkflowFilesCommand(a *app) *cobra.Command {
	var at string
	command := &cobra.Command{
		Use: "files WORKFLOW [PATH]", Short: "List the files that a workflow keeps, or read one", Args: takes(1, 2),
		Example: `  kintsugi workflow files Orders
  kintsugi workflow files Orders refunds.csv --at 1.1`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				local, err := n.local(c.Context(), id, at)
				if err != nil {
					return err
				}
				if len(args) == 2 {
					file, found := local.Files[args[1]]
					if !found {
						return fault.New(fault.NotFound, "there is no file %q: see 'kintsugi workflow files %s'", args[1], id)
					}
					return a.show(file, func(w io.Writer) { fmt.Fprint(w, clean(file.Text)) })
				}
				return a.show(local.Files, func(w io.Writer) { writeFiles(w, local.Files) })
			})
		},
	}
	command.Flags().StringVar(&at, "at", "", atLong)
	return command
}

func writeFiles(w io.Writer, files map[string]projections.LocalFile) {
	if len(files) == 0 {
		fmt.Fprintln(w, "No files.")
		return
	}
	var rows [][]string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		rows = append(rows, []string{line(path), fmt.Sprint(len(files[path].Text)), time.UnixMilli(files[path].ModifiedMS).Local().Format(time.DateTime)})
	}
	table(w, []string{"PATH", "BYTES", "MODIFIED"}, rows)
}
