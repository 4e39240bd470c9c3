package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// version is set by the build: what 'git describe' says of the source.
var version string

// built is what a program is made of.
type built struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show which version of the program this is", Args: terminal.Takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := built{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				b.Version = cmp.Or(b.Version, info.Main.Version)
			}
			b.Version = cmp.Or(b.Version, "(unknown)")
			return cli.Show(b, func(w io.Writer) { fmt.Fprintf(w, "kintsugi %s (%s, %s)\n", b.Version, b.Go, b.Platform) })
		},
	}
}
