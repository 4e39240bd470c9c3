// Package config has the commands that show and check what a server would be set to.
package config

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// NewCommand is 'kintsugi config'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	command := terminal.Group("config", "What a server is set to: flags, environment, and one file", newPrintCommand(cli), newValidateCommand(cli))
	command.Long = `What a flag of 'kintsugi serve' says can also be said by the environment and by one file in TOML, under
the same name: --llm-timeout is KINTSUGI_LLM_TIMEOUT, and llm-timeout = "2m" in the file. Flags come before
the environment, which comes before the file.

The file is the one that --config or KINTSUGI_CONFIG names, else config.toml in the data directory. What all
commands have, such as --store, it sets for all of them.`
	for _, child := range command.Commands() {
		child.Annotations = map[string]string{terminal.SelfConfigured: ""}
	}
	return command
}

func newPrintCommand(cli *terminal.CLI) *cobra.Command {
	var origin bool
	command := &cobra.Command{
		Use: "print", Short: "Show what a server would be set to, without passwords",
		Long:    "Prints all settings of a server, in the form of the file. With --show-origin it says where each comes from: a flag, a variable, a line of the file, or the default.",
		Example: "  kintsugi config print --show-origin\n  kintsugi config print --config /etc/kintsugi/config.toml -o json",
		Args:    terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			settings, _, err := cli.Settings(c.Root())
			if err != nil {
				return err
			}
			return cli.Show(settings, func(w io.Writer) {
				for _, one := range settings {
					value := plain.Clean(one.Value)
					if one.Text {
						value = strconv.Quote(one.Value)
					}
					if origin {
						value += "  # " + plain.Line(one.Origin)
					}
					fmt.Fprintf(w, "%s = %s\n", one.Key, value)
				}
			})
		},
	}
	command.Flags().BoolVar(&origin, "show-origin", false, "also say where each value comes from")
	return command
}

// Validated is what -o json shows of a file.
type Validated struct {
	File     string   `json:"file"`
	Valid    bool     `json:"valid"`
	Problems []string `json:"problems"`
}

func newValidateCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "validate", Short: "Check the file with settings, and the environment",
		Long:    "Checks that each line of the file is a setting and that it takes its value; all that is wrong is named, with its line. Exit code 2 if something is.",
		Example: "  kintsugi config validate --config /etc/kintsugi/config.toml",
		Args:    terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			_, path, err := cli.Settings(c.Root())
			if path == "" && err == nil {
				return fault.New(fault.NotFound, "there is no file with settings: name one with --config, or write %s into the data directory", terminal.ConfigFile)
			}
			found := Validated{File: path, Valid: err == nil, Problems: problems(cli, err)}
			if err := cli.Show(found, func(w io.Writer) {
				for _, one := range found.Problems {
					fmt.Fprintln(w, plain.Clean(one))
				}
				if found.Valid {
					fmt.Fprintf(w, "%s is valid.\n", path)
				}
			}); err != nil {
				return err
			}
			if !found.Valid {
				return &terminal.ExitError{Code: terminal.ExitUsage}
			}
			return nil
		},
	}
}

// problems are the single errors of a joined one.
func problems(cli *terminal.CLI, err error) []string {
	all := []string{}
	var add func(error)
	add = func(err error) {
		if several, is := errors.AsType[interface {
			error
			Unwrap() []error
		}](err); is {
			for _, one := range several.Unwrap() {
				add(one)
			}
			return
		}
		if err != nil {
			all = append(all, cli.Redact(err.Error()))
		}
	}
	add(err)
	return all
}
