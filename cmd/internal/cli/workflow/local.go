package workflow

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/projections"
)

const atLong = "a version (1.1), a revision (14) or a time: as it was then"

func newWorkflowKeysCommand(cli *terminal.CLI) *cobra.Command {
	var at string
	command := &cobra.Command{
		Use: "keys WORKFLOW [KEY]", Short: "List the keys that a workflow keeps, or read one", Args: terminal.Takes(1, 2),
		Example: `  kintsugi workflow keys Orders
  kintsugi workflow keys Orders cursor --at "2026-03-01 08:00"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				local, err := n.Local(c.Context(), id, at)
				if err != nil {
					return err
				}
				if len(args) == 2 {
					value, found := local.KV[args[1]]
					if !found {
						return fault.New(fault.NotFound, "there is no key %q: see 'kintsugi workflow keys %s'", args[1], id)
					}
					return cli.Show(value, func(w io.Writer) { fmt.Fprintln(w, plain.Clean(string(value))) })
				}
				return cli.Show(local.KV, func(w io.Writer) { writeKeys(w, local.KV) })
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
		rows = append(rows, []string{plain.Line(key), plain.Line(plain.Short(string(keys[key]), 100))})
	}
	terminal.Table(w, []string{"KEY", "VALUE"}, rows)
}

func newWorkflowFilesCommand(cli *terminal.CLI) *cobra.Command {
	var at string
	command := &cobra.Command{
		Use: "files WORKFLOW [PATH]", Short: "List the files that a workflow keeps, or read one", Args: terminal.Takes(1, 2),
		Example: `  kintsugi workflow files Orders
  kintsugi workflow files Orders refunds.csv --at 1.1`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				local, err := n.Local(c.Context(), id, at)
				if err != nil {
					return err
				}
				if len(args) == 2 {
					file, found := local.Files[args[1]]
					if !found {
						return fault.New(fault.NotFound, "there is no file %q: see 'kintsugi workflow files %s'", args[1], id)
					}
					return cli.Show(file, func(w io.Writer) { fmt.Fprint(w, plain.Clean(file.Text)) })
				}
				return cli.Show(local.Files, func(w io.Writer) { writeFiles(w, local.Files) })
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
		rows = append(rows, []string{plain.Line(path), fmt.Sprint(len(files[path].Text)), time.UnixMilli(files[path].ModifiedMS).Local().Format(time.DateTime)})
	}
	terminal.Table(w, []string{"PATH", "BYTES", "MODIFIED"}, rows)
}
