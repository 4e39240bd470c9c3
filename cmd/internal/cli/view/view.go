// Package view has the command that shows the views as they are, and as they were.
package view

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// NewCommand is 'kintsugi view'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var at string
	var where []string
	limit := 100
	command := &cobra.Command{
		Use: "view [NAME]", Annotations: terminal.Remote(installation.Read),
		Short: "Show a view as it is, or as it was at any time; without a name, the views and their columns",
		Long: `Show the rows of a view: what lists are made of. Without a name, the views there are and their columns.

--at builds the view as it was, after everything up to a position of the log (as 'kintsugi history -o
json' shows it) or up to the end of a time, and throws it away again; the views in use have no part in
it. It reads the log from its beginning, so it takes as long as the log is. A time without a zone is
local. --where keeps the rows with a value in a column, and can be given more than once.`,
		Example: `  kintsugi view
  kintsugi view workflow --where status=held
  kintsugi view run --at "2026-03-01 08:00" --where workflow=refunds`,
		Args: terminal.Takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				if len(args) == 0 {
					return showViews(cli, n)
				}
				view, err := n.History.ViewNamed(args[0])
				if err != nil {
					return err
				}
				conditions := make([]readmodel.Condition, len(where))
				for i, one := range where {
					column, value, found := strings.Cut(one, "=")
					if !found {
						return fault.New(fault.Invalid, "--where %q: write COLUMN=VALUE, like status=held", one)
					}
					conditions[i] = readmodel.Condition{Column: column, Value: value}
				}
				progress := terminal.NewProgress(cli, -1, "events")
				shown, err := n.History.ViewAt(c.Context(), view, at, conditions, limit, func(applied int) { progress.Add(int64(applied)) })
				progress.Done()
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) { writeRows(w, shown) })
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&at, "at", "", "a position of the log, or a time: the view as it was then")
	flags.StringArrayVar(&where, "where", nil, "COLUMN=VALUE: only rows with this value")
	flags.IntVar(&limit, "limit", limit, "the most rows to show; 0 for all")
	return command
}

func showViews(cli *terminal.CLI, n *app.Node) error {
	views := n.History.ListViews()
	return cli.Show(views, func(w io.Writer) {
		rows := make([][]string, len(views))
		for i, view := range views {
			names := make([]string, len(view.Columns))
			for j, column := range view.Columns {
				names[j] = column.Name
			}
			rows[i] = []string{view.Name, strings.Join(names, ", ")}
		}
		terminal.Table(w, []string{"VIEW", "COLUMNS"}, rows)
	})
}

func writeRows(w io.Writer, shown app.ViewRows) {
	if shown.At != "" {
		last := "before the first event"
		if shown.Position != "" {
			last = fmt.Sprintf("after position %s, recorded at %s", strings.TrimLeft(string(shown.Position), "0"), terminal.Local(w, shown.Recorded).Format("2006-01-02 15:04:05"))
		}
		fmt.Fprintf(w, "%s as it was at %s: %s\n\n", shown.View, plain.Line(shown.At), last)
	}
	header := make([]string, len(shown.Columns))
	for i, column := range shown.Columns {
		header[i] = strings.ToUpper(column.Name)
	}
	rows := make([][]string, len(shown.Rows))
	for i, row := range shown.Rows {
		rows[i] = make([]string, len(row))
		for j, value := range row {
			rows[i][j] = cell(w, value)
		}
	}
	terminal.Table(w, header, rows)
	if shown.More {
		fmt.Fprintf(w, "and more: --limit, --where\n")
	}
}

// widest is how much of a value is shown in a table.
const widest = 60

func cell(w io.Writer, value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case time.Time:
		return terminal.Local(w, value).Format(time.DateTime)
	case []byte:
		return fmt.Sprintf("%d bytes", len(value))
	case json.RawMessage:
		return plain.Short(string(value), widest)
	}
	return plain.Short(fmt.Sprint(value), widest)
}
