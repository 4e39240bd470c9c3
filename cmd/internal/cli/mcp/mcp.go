// Package mcp has the command that shows an installation to coding agents.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/mcp"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// forAgents is what a coding agent may do here unless it is said otherwise: all that there is a tool for.
var forAgents = []string{string(installation.Read), string(installation.Run), string(installation.Edit)}

// ofTools are all that tools need.
var ofTools = append(slices.Clone(forAgents), string(installation.Judge))

// NewCommand is 'kintsugi mcp'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var scopes []string
	command := &cobra.Command{
		Use: "mcp", Short: "Show this installation to a coding agent, by the Model Context Protocol", Args: terminal.Takes(0, 0),
		Annotations: terminal.PassesOn(),
		Long: `Speaks the Model Context Protocol on standard input and output, until that is closed. A
coding agent is an author like the planner: it reads workflows, runs and the evidence of
failures, tries scripts without their writes, and what it saves is the next major version.
It decides nothing that waits for a person.

A server speaks it too, at /mcp, to whoever shows a token: make one that bears the agent's
name, and that allows no more than it is to do:
'kintsugi token create codex --person codex --scope read,edit'.`,
		Example: `  kintsugi mcp --data-dir kintsugi-data
  kintsugi mcp --scope read`,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, scope := range scopes {
				if !slices.Contains(ofTools, scope) {
					return fault.New(fault.Invalid, "--scope: %q is none that a tool needs: there are %s", scope, strings.Join(ofTools, ", "))
				}
			}
			needs := cli.Access()
			server := mcp.NewServer(mcp.Config{
				Version: cli.Version,
				Allows:  func(command string) bool { return slices.Contains(scopes, string(needs[command].Scope)) },
				Command: func(ctx context.Context, args []string, stdin string) mcp.Outcome {
					code, out, errs := cli.AgainForAgent(ctx, c, args, stdin)
					return mcp.Outcome{Code: code, Out: out, Err: errs}
				},
			})
			err := server.Run(c.Context(), &sdk.IOTransport{Reader: io.NopCloser(cli.In), Writer: writer{cli.Out}})
			if c.Context().Err() != nil || errors.Is(err, io.EOF) {
				err = nil // it was told to stop, or its client is gone
			}
			if err != nil {
				err = fmt.Errorf("the client of the protocol: %w", err)
			}
			return err
		},
	}
	command.Flags().StringSliceVar(&scopes, "scope", forAgents, "what the agent may do, of read, run, edit and decide, which is to give up inputs")
	return command
}

// writer is never closed by the protocol: the program that started this one closes it.
type writer struct{ io.Writer }

// Close implements [io.Closer].
func (writer) Close() error { return nil }
