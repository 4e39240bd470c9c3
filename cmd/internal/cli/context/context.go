// Package context has the commands on contexts: the servers that a person has named.
package context

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// NewCommand is 'kintsugi context'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("context", "Name servers, and have one of them carry commands out",
		newAddCommand(cli), newUseCommand(cli), newListCommand(cli), newRemoveCommand(cli))
}

// shown is what is shown of a context: never its token.
type shown struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	CA    string `json:"ca,omitempty"`
	InUse bool   `json:"in_use"`
}

func newAddCommand(cli *terminal.CLI) *cobra.Command {
	var one terminal.Context
	var tokenFile string
	command := &cobra.Command{
		Use: "add NAME", Short: "Name a server, or name it anew; its token is read from standard input", Args: terminal.Takes(1, 1),
		Long: `Name a server, or name it anew. The token ('kintsugi token create' on the server) is read from standard
input or --token-file, never from the command line, and kept in kintsugi/contexts.toml of your
configuration directory, which nobody else may read. It is sent to this server only.`,
		Example: `  kintsugi context add production --url https://kintsugi.example.com < token
  kintsugi context add staging --url https://10.0.0.5:7480 --ca staging.pem --token-file token`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := terminal.CheckContextName(args[0]); err != nil {
				return err
			}
			address, err := terminal.ParseServer(one.URL)
			if err != nil {
				return err
			}
			one.URL = address.String()
			if one.CA != "" {
				if one.CA, err = filepath.Abs(one.CA); err != nil { // it is used wherever a command is given
					return err
				}
			}
			text, err := cli.ReadFile(tokenFile)
			if err != nil {
				return err
			}
			if one.Token = strings.TrimSpace(text); one.Token == "" || strings.ContainsAny(one.Token, " \t\r\n") {
				return fault.New(fault.Invalid, "that is no token: it is one word, as 'kintsugi token create' prints it")
			}
			if terminal.InClear(address) {
				fmt.Fprintf(cli.Err, "%s is reached without TLS: anybody in between can read your token.\n", address.Host)
			}
			contexts, err := terminal.ReadContexts()
			if err != nil {
				return err
			}
			contexts.Named[args[0]] = one
			if err := contexts.Write(); err != nil {
				return err
			}
			return cli.Show(shown{args[0], one.URL, one.CA, contexts.Use == args[0]}, func(w io.Writer) {
				fmt.Fprintf(w, "%s is %s. Use it for all commands: kintsugi context use %[1]s\n", args[0], one.URL)
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&one.URL, "url", "", "where it is: https://HOST[:PORT]")
	flags.StringVar(&tokenFile, "token-file", "-", "where the token is; - is standard input")
	flags.StringVar(&one.CA, "ca", "", "a file with the certificates (PEM) that the server's is checked with")
	_ = command.MarkFlagRequired("url")
	return command
}

func newUseCommand(cli *terminal.CLI) *cobra.Command {
	var none bool
	command := &cobra.Command{
		Use: "use [NAME]", Short: "Have a server carry out the commands that say nothing else", Args: terminal.Takes(0, 1),
		Long: `Have a server carry out all commands that can be carried out elsewhere, unless a flag or the environment
names a data directory, a store or another server. --none is for this machine again.`,
		Example: `  kintsugi context use production
  kintsugi context use --none`,
		RunE: func(_ *cobra.Command, args []string) error {
			if none == (len(args) == 1) {
				return fault.New(fault.Invalid, "name a context, or say --none")
			}
			contexts, err := terminal.ReadContexts()
			if err != nil {
				return err
			}
			contexts.Use = ""
			if !none {
				if _, known := contexts.Named[args[0]]; !known {
					return notNamed(args[0])
				}
				contexts.Use = args[0]
			}
			if err := contexts.Write(); err != nil {
				return err
			}
			one := contexts.Named[contexts.Use]
			return cli.Show(shown{contexts.Use, one.URL, one.CA, !none}, func(w io.Writer) {
				if none {
					fmt.Fprintln(w, "Commands are carried out on this machine.")
					return
				}
				fmt.Fprintf(w, "Commands are carried out by %s (%s), unless they are about this machine or name a data directory.\n", contexts.Use, one.URL)
			})
		},
	}
	command.Flags().BoolVar(&none, "none", false, "this machine")
	return command
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the servers that you have named", Args: terminal.Takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			contexts, err := terminal.ReadContexts()
			if err != nil {
				return err
			}
			all := []shown{}
			rows := [][]string{}
			for _, name := range slices.Sorted(maps.Keys(contexts.Named)) {
				one := shown{name, contexts.Named[name].URL, contexts.Named[name].CA, contexts.Use == name}
				all = append(all, one)
				rows = append(rows, []string{one.Name, one.URL, map[bool]string{true: "in use"}[one.InUse]})
			}
			return cli.Show(all, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "No contexts. Name a server with 'kintsugi context add'.")
					return
				}
				terminal.Table(w, []string{"NAME", "URL", ""}, rows)
			})
		},
	}
}

func newRemoveCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a server, and its token", Args: terminal.Takes(1, 1),
		Long: "Forget a server, and its token. The token still works for anybody who has it: 'kintsugi token revoke' on the server ends it.",
		RunE: func(_ *cobra.Command, args []string) error {
			contexts, err := terminal.ReadContexts()
			if err != nil {
				return err
			}
			one, known := contexts.Named[args[0]]
			if !known {
				return notNamed(args[0])
			}
			delete(contexts.Named, args[0])
			if contexts.Use == args[0] {
				contexts.Use = ""
			}
			if err := contexts.Write(); err != nil {
				return err
			}
			return cli.Show(shown{args[0], one.URL, one.CA, false}, func(w io.Writer) { fmt.Fprintf(w, "%s is forgotten.\n", args[0]) })
		},
	}
}

func notNamed(name string) error {
	return fault.New(fault.NotFound, "there is no context %q: see 'kintsugi context list'", name)
}
