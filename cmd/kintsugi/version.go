package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Set by the build: what 'git describe' says of the source, and which commit it is.
var version, commit string

// built is what a program is made of.
type built struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // unknown of a source without its history
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Gate is the version of the rules by which fixes are judged: certificates of another one cannot be compared.
	Gate string `json:"gate"`
	// Schema is the generation of read models: a program with another one builds its own beside them.
	Schema string `json:"schema"`
}

// versionText is the version as people read it.
func versionText() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return cmp.Or(version, info.Main.Version, "(unknown)")
	}
	return cmp.Or(version, "(unknown)")
}

func newBuilt() (built, error) {
	b := built{Version: versionText(), Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Gate: gate.GateVersion}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				b.Commit = cmp.Or(b.Commit, setting.Value)
			}
		}
	}
	codec, err := app.NewCodec()
	if err == nil {
		b.Schema, err = readmodel.NameOf(projections.All(codec))
	}
	return b, err
}

func newVersionCommand(cli *terminal.CLI) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "version", Short: "Show which version of the program this is", Args: terminal.Takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				cli.Format = terminal.FormatJSON
			}
			b, err := newBuilt()
			if err != nil {
				return err
			}
			return cli.Show(b, func(w io.Writer) { fmt.Fprintf(w, "kintsugi %s (%s, %s)\n", b.Version, b.Go, b.Platform) })
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "the same as --output json")
	return command
}
