// Package man has the command that writes the manual as man pages.
package man

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Written is what -o json shows.
type Written struct {
	Dir   string   `json:"dir"`
	Pages []string `json:"pages"` // files
}

// NewCommand is 'kintsugi man'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var dir string
	command := &cobra.Command{
		Use: "man", Short: "Write man pages of all commands", Args: terminal.Takes(0, 0),
		Long:    "Writes a man page of each command into a directory, which is made if it is not there: the help texts, for man(1).",
		Example: "  kintsugi man --dir /usr/local/share/man/man1",
		RunE: func(c *cobra.Command, _ []string) error {
			if dir == "" {
				return fault.New(fault.Invalid, "name a directory with --dir")
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fault.New(fault.Invalid, "--dir: %w", err)
			}
			everywhere(c.Root())
			date, err := dated()
			if err != nil {
				return err
			}
			if err := write(c.Root(), date, dir); err != nil {
				return err
			}
			pages, err := filepath.Glob(filepath.Join(dir, "kintsugi*.1"))
			if err != nil {
				return err
			}
			slices.Sort(pages)
			return cli.Show(Written{dir, pages}, func(w io.Writer) { fmt.Fprintf(w, "%d pages in %s.\n", len(pages), dir) })
		},
	}
	command.Flags().StringVar(&dir, "dir", "", "where to write them")
	return command
}

// everywhere takes out of all flags what is so on this machine only.
func everywhere(c *cobra.Command) {
	c.DisableAutoGenTag = true
	forget := func(flag *pflag.Flag) {
		switch flag.DefValue {
		case app.NodeName():
			flag.DefValue = "HOST/PROCESS"
		case os.Getenv("KINTSUGI_DATA_DIR"):
			if flag.Name == "data-dir" {
				flag.DefValue = "kintsugi-data"
			}
		}
	}
	c.LocalFlags().VisitAll(forget)
	c.PersistentFlags().VisitAll(forget)
	for _, child := range c.Commands() {
		everywhere(child)
	}
}
