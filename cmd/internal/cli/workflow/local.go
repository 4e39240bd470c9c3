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
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

// localCommand shows what a workflow keeps for itself, as it is or as it was: all of a kind, or one.
func localCommand(cli *terminal.CLI, all func(local projections.Local) error, one func(local projections.Local, id, name string) error) *cobra.Command {
	var at string
	command := &cobra.Command{Annotations: terminal.RemoteOwned(installation.Read), Args: terminal.Takes(1, 2), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			id, err := n.Resolve.Workflow(c.Context(), args[0])
			if err != nil {
				return err
			}
			local, err := n.History.Local(c.Context(), id, at)
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return one(local, id, args[1])
			}
			return all(local)
		})
	}}
	command.Flags().StringVar(&at, "at", "", "a version (1.1), a revision (14) or a time: as it was then")
	return command
}

func newKeysCommand(cli *terminal.CLI) *cobra.Command {
	command := localCommand(cli, func(local projections.Local) error {
		return cli.Show(local.KV, func(w io.Writer) { writeKeys(w, local.KV) })
	}, func(local projections.Local, id, key string) error {
		value, found := local.KV[key]
		if !found {
			return fault.New(fault.NotFound, "there is no key %q: see 'kintsugi workflow keys %s'", key, id)
		}
		return cli.Show(value, func(w io.Writer) { fmt.Fprintln(w, plain.Clean(string(value))) })
	})
	command.Use, command.Short = "keys WORKFLOW [KEY]", "List the keys that a workflow keeps, or read one"
	command.Example = `  kintsugi workflow keys Orders
  kintsugi workflow keys Orders cursor --at "2026-03-01 08:00"`
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

func newFilesCommand(cli *terminal.CLI) *cobra.Command {
	command := localCommand(cli, func(local projections.Local) error {
		return cli.Show(local.Files, func(w io.Writer) { writeFiles(w, local.Files) })
	}, func(local projections.Local, id, path string) error {
		file, found := local.Files[path]
		if !found {
			return fault.New(fault.NotFound, "there is no file %q: see 'kintsugi workflow files %s'", path, id)
		}
		return cli.Show(file, func(w io.Writer) { fmt.Fprint(w, plain.Clean(file.Text)) })
	})
	command.Use, command.Short = "files WORKFLOW [PATH]", "List the files that a workflow keeps, or read one"
	command.Example = `  kintsugi workflow files Orders
  kintsugi workflow files Orders refunds.csv --at 1.1`
	return command
}

func writeFiles(w io.Writer, files map[string]projections.LocalFile) {
	if len(files) == 0 {
		fmt.Fprintln(w, "No files.")
		return
	}
	var rows [][]string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		rows = append(rows, []string{plain.Line(path), fmt.Sprint(len(files[path].Text)), terminal.Local(w, time.UnixMilli(files[path].ModifiedMS)).Format(time.DateTime)})
	}
	terminal.Table(w, []string{"PATH", "BYTES", "MODIFIED"}, rows)
}
