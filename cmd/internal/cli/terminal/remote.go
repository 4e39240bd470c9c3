package terminal

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// The annotations of a command that a server carries out for somebody elsewhere. One that has none is about the machine
// that it is given on.
const (
	scopeAnnotation    = "remote-scope"
	readsAnnotation    = "remote-reads"
	writesAnnotation   = "remote-writes"
	writesToAnnotation = "remote-writes-to"
	ownerAnnotation    = "remote-owner-scope"
	stdinAnnotation    = "remote-stdin"
)

// remoteOption is what else a command has to do with the side of its caller.
type remoteOption func(annotations map[string]string)

// Remote says that a server may carry out a command for somebody elsewhere whose token has a scope.
func Remote(scope installation.Scope, options ...remoteOption) map[string]string {
	annotations := map[string]string{scopeAnnotation: string(scope)}
	for _, option := range options {
		option(annotations)
	}
	return annotations
}

// RemoteOwned is [Remote], also for those who see the workflows of one owner only: the command shows and changes nothing of others.
func RemoteOwned(scope installation.Scope, options ...remoteOption) map[string]string {
	return Remote(scope, append(options, ForOwners(scope))...)
}

// ForOwners says what a command needs of somebody who sees the workflows of one owner only, of which it shows and changes nothing
// else. A command without it is about the whole installation.
func ForOwners(scope installation.Scope) remoteOption {
	return func(annotations map[string]string) { annotations[ownerAnnotation] = string(scope) }
}

// Reads names the flags that name a file or standard input: as a path, or as @PATH beside a text of its own. The first
// argument is named 0.
func Reads(flags ...string) remoteOption {
	return func(annotations map[string]string) { annotations[readsAnnotation] = strings.Join(flags, " ") }
}

// Writes names the flag that names a file to be written.
func Writes(flag string) remoteOption {
	return func(annotations map[string]string) { annotations[writesAnnotation] = flag }
}

// WritesTo says that a command writes scripts and descriptions into the folder that a flag names, and reads those that are there.
func WritesTo(flag string) remoteOption {
	return func(annotations map[string]string) { annotations[writesToAnnotation] = flag }
}

// Hears says that a command reads standard input whatever its flags are.
func Hears() remoteOption {
	return func(annotations map[string]string) { annotations[stdinAnnotation] = always }
}

// HearsTyping says that a command reads standard input if a person types there.
func HearsTyping() remoteOption {
	return func(annotations map[string]string) { annotations[stdinAnnotation] = typed }
}

// When a command reads standard input.
const (
	always = "always"
	typed  = "typed"
)

// RemoteScope is what a command needs of somebody elsewhere; empty if it is about the machine that it is given on.
func RemoteScope(c *cobra.Command) installation.Scope {
	return installation.Scope(c.Annotations[scopeAnnotation])
}

// remoteAccess is what a command needs of somebody elsewhere.
func remoteAccess(c *cobra.Command) api.Access {
	return api.Access{Scope: RemoteScope(c), OwnerScope: installation.Scope(c.Annotations[ownerAnnotation])}
}

// RemoteFlags are the flags of a command that name files, by what is done with those.
func RemoteFlags(c *cobra.Command) (reads []string, writes string) {
	return strings.Fields(c.Annotations[readsAnnotation]), c.Annotations[writesAnnotation]
}

// withRemote are the flags of all commands that may be given to a command elsewhere. The others are about a machine.
var withRemote = []string{"help", "output", "server", "server-ca"}

// machineFlag is the first flag that was given and is about the machine that a command is given on; empty for none.
func machineFlag(c *cobra.Command) (name string) {
	c.Root().PersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && name == "" && !slices.Contains(withRemote, flag.Name) {
			name = flag.Name
		}
	})
	return name
}

// caller is for whom a command is carried out, if that is somebody elsewhere.
type caller struct {
	app.Caller
	node  *app.Node
	files map[string][]byte
	write func(name string) io.Writer
}

// admit lets somebody elsewhere give a command: one that is for them, that their token allows, and that is not told
// anything of this machine.
func (cli *CLI) admit(c *cobra.Command) error {
	if c.Name() == cobra.ShellCompRequestCmd {
		return nil // it completes only what they may give
	}
	if RemoteScope(c) == "" {
		return localOnly(c)
	}
	if err := remoteAccess(c).Check(cli.caller.Caller, "'"+c.CommandPath()+"'"); err != nil {
		return err
	}
	if flag := machineFlag(c); flag != "" {
		return fault.New(fault.Forbidden, "--%s is about the machine of the server: it cannot be given from elsewhere", flag)
	}
	return nil
}

func localOnly(c *cobra.Command) error {
	return fault.New(fault.Invalid, "'%s' is about the machine that it is given on: no server does it for you. Give it there, without --server", c.CommandPath())
}

// Elsewhere says that a command is carried out for somebody who is not at this machine.
func (cli *CLI) Elsewhere() bool { return cli.caller != nil }

// Serve carries out commands for others, on an opened node that is not closed by them.
func (cli *CLI) Serve(node *app.Node) api.Command {
	return func(ctx context.Context, of app.Caller, request api.CommandRequest, over api.CommandStreams) int {
		zone := zoneNamed(request.Zone)
		their := &CLI{
			In: over.In, Typed: request.Typing, Version: cli.Version, Root: cli.Root, LLM: cli.LLM,
			Out: Screen{over.Out, min(max(request.Width, 0), widestScreen), request.Colour, zone}, Err: Screen{Writer: over.Err, zone: zone},
			caller: &caller{Caller: of, node: node.Lent(zone, of.Owner), files: request.Files, write: over.File},
		}
		root := cli.Root(their)
		their.LLM = cli.LLM // declaring the flags has set it to their defaults
		return their.Run(packages.For(ctx, of.Owner), root, request.Args)
	}
}

// widestScreen bounds what a caller may say of its terminal, in cells.
const widestScreen = 1000

// sent is a file that a caller sent along.
func (c *caller) sent(name string) ([]byte, error) {
	content, is := c.files[name]
	if !is {
		return nil, fault.New(fault.Invalid, "cannot read %s: it was not sent along, and files of the server are not read for anybody elsewhere (sent: %s)",
			name, strings.Join(slices.Sorted(maps.Keys(c.files)), ", "))
	}
	return content, nil
}
