package script

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/testdata"
)

func newNewCommand(cli *terminal.CLI) *cobra.Command {
	var example, file string
	command := &cobra.Command{
		Use: "new --example NAME", Short: "Write an example of a script, to begin with",
		Long: `Write an example of a script, to begin with: one of
` + strings.Join(exampleNames(), ", ") + `. Each asks the
service of 'kintsugi example', so that it runs without any network: start that in another
terminal, and allow its address with --allow-host. Nothing is saved.`,
		Example: `  kintsugi script new --example weather
  kintsugi script new --example rss --file rss.ts`,
		Args: terminal.Takes(0, 0),
		RunE: func(_ *cobra.Command, _ []string) error {
			at := slices.Index(exampleNames(), example)
			if at < 0 {
				return fault.New(fault.Invalid, "there is no example %q: --example is one of %s", example, strings.Join(exampleNames(), ", "))
			}
			text, err := fs.ReadFile(testdata.Examples, path.Join("example", exampleFiles()[at]))
			if err != nil {
				return err
			}
			if file != "-" {
				if _, err := cli.ReadFile(file); err == nil {
					return fault.New(fault.Conflict, "%s is there already: name another file", file)
				}
				created, err := cli.CreateFile(file)
				if err != nil {
					return fmt.Errorf("write the example: %w", err)
				}
				_, err = created.Write(text)
				if err := errors.Join(err, created.Close()); err != nil {
					return fmt.Errorf("write the example to %s: %w", file, err)
				}
			}
			shown := struct {
				Example string `json:"example"`
				File    string `json:"file,omitempty"`
				Code    string `json:"code"`
			}{example, file, string(text)}
			return cli.Show(shown, func(w io.Writer) {
				if file == "-" {
					fmt.Fprint(w, shown.Code)
					return
				}
				fmt.Fprintf(w, "Wrote %s. What is wrong with it, and what it would do: kintsugi script check %[1]s\n", file)
			})
		},
	}
	command.Flags().StringVar(&example, "example", "", "which: "+strings.Join(exampleNames(), ", "))
	command.Flags().StringVar(&file, "file", "-", "where to write; - for standard output")
	_ = command.MarkFlagRequired("example") // the flag is there
	return command
}

func exampleFiles() []string {
	found, err := fs.Glob(testdata.Examples, "example/*")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	for i := range found {
		found[i] = path.Base(found[i])
	}
	return found
}

func exampleNames() []string {
	names := exampleFiles()
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, path.Ext(name))
	}
	return names
}

func newTestCommand(cli *terminal.CLI) *cobra.Command {
	var file string
	var again bool
	command := &cobra.Command{
		Use: "test WORKFLOW --file FILE", Annotations: terminal.RemoteOwned(installation.Run, terminal.Reads("file")), Short: "Test a script on the recorded runs of a workflow, without saving it",
		Long: `Test a script on the recorded runs of a workflow, without saving it: the newest successes
are replayed on it, those of earlier majors where the active one has few, and of each is said whether
output and writes are the same. Nothing goes out. It is what 'script save --check' does.

Exit code 0 if every run is the same, 1 if some differ, 3 if some cannot be told, because they would
have made a call that was never recorded, 2 if the script cannot be saved.

--watch does it again each time that the file changes, until Ctrl-C.`,
		Example: `  kintsugi script test "Refund report" --file refunds.js
  kintsugi script test "Refund report" --file refunds.js --watch`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			test := func() error {
				code, err := cli.ReadScript(c.Context(), file)
				if err != nil {
					return err
				}
				return cli.With(c.Context(), func(n *app.Node) error {
					id, err := n.Resolve.Workflow(c.Context(), args[0])
					if err != nil {
						return err
					}
					return checkSave(c.Context(), cli, n, id, code)
				})
			}
			switch {
			case !again:
				return test()
			case cli.Elsewhere() || file == "-":
				return fault.New(fault.Invalid, "--watch needs a file on the machine that has the runs: not standard input, and not with --server")
			}
			return watch(c.Context(), cli, file, func() {
				if terminal.IsTerminal(cli.Out) {
					fmt.Fprint(cli.Out, clearScreen)
				}
				if err := test(); err != nil && c.Context().Err() == nil {
					cli.Tell(c.Context(), err)
				}
				fmt.Fprintf(cli.Err, "Watching %s. Ctrl-C ends it.\n", file)
			})
		},
	}
	command.Flags().BoolVar(&again, "watch", false, "test again whenever it is saved, until Ctrl-C")
	command.Flags().StringVar(&file, "file", "", "the script; - for standard input")
	_ = command.MarkFlagRequired("file") // the flag is there
	return command
}

// clearScreen empties a terminal, with what can be scrolled back to.
const clearScreen = "\x1b[H\x1b[2J\x1b[3J"
