package script

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

func newAPICommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "api [NAME]", Short: "What a script may call, as TypeScript declarations, or one of it with what it does",
		Long: `What a script finds beside the language: without NAME all of it as TypeScript declarations, for an
editor to read beside the script; with NAME what that does and gives. A NAME such as kv stands for
all that is under it.`,
		Example: `  kintsugi script api > kintsugi.d.ts
  kintsugi script api web.fetch`,
		Args: terminal.Takes(0, 1), Annotations: terminal.RemoteOwned(installation.Read),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Show(hostcall.Entries(), func(w io.Writer) { fmt.Fprint(w, hostcall.Types()) })
			}
			found := hostcall.EntriesNamed(args[0])
			if len(found) == 0 {
				return fault.New(fault.NotFound, "scripts have no %q; they have %s", args[0], strings.Join(apiNames(), ", "))
			}
			return cli.Show(found, func(w io.Writer) {
				for i, one := range found {
					if i > 0 {
						fmt.Fprintln(w)
					}
					fmt.Fprintf(w, "%s  (%s)\n%s\n\n%s\n", one.Use, one.Kind, one.Doc, one.Types)
				}
			})
		},
	}
}

func apiNames() []string {
	var names []string
	for _, one := range hostcall.Entries() {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
