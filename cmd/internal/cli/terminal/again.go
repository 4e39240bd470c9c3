package terminal

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
)

// passesAnnotation is of a command that gives others: a server that it is told of is for those.
const passesAnnotation = "passes-on"

// PassesOn says that a command gives others with [CLI.Again].
func PassesOn() map[string]string { return map[string]string{passesAnnotation: "yes"} }

// AgainForAgent is [CLI.Again] of a command that an agent gives, on behalf of the person.
func (cli *CLI) AgainForAgent(ctx context.Context, c *cobra.Command, args []string, stdin string) (code int, out, errs string) {
	agent := *cli
	agent.agent = true
	return agent.Again(ctx, c, args, stdin)
}

// Again carries out another command line, in the place where this one is told to: it has the same global flags.
func (cli *CLI) Again(ctx context.Context, c *cobra.Command, args []string, stdin string) (code int, out, errs string) {
	var same []string
	c.Root().PersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Changed || flag.Name == "output" {
			return
		}
		values := []string{flag.Value.String()}
		if many, is := flag.Value.(pflag.SliceValue); is {
			values = many.GetSlice()
		}
		for _, value := range values {
			same = append(same, "--"+flag.Name+"="+value)
		}
	})
	var o, e bytes.Buffer
	next := New(strings.NewReader(stdin), &o, &e)
	next.Version, next.Root, next.agent = cli.Version, cli.Root, cli.agent
	code = next.Run(ctx, next.Root(next), slices.Concat(same, args))
	return code, o.String(), e.String()
}

// Access is what each command of the command line needs of somebody elsewhere, by its words; those that are for nobody
// elsewhere are not there.
func (cli *CLI) Access() map[string]api.Access {
	access := map[string]api.Access{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if RemoteScope(c) != "" {
			_, words, _ := strings.Cut(c.CommandPath(), " ")
			access[words] = remoteAccess(c)
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(cli.Root(New(nil, nil, nil)))
	return access
}
