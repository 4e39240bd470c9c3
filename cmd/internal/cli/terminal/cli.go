// Package terminal is what the commands of the command line share: where they read and write, the flags that all
// of them have, tables and progress, and what an error comes to as an exit code.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// CLI is what the commands share: where they read and write, and the global flags.
type CLI struct {
	In       io.Reader
	Typed    bool // a person types at in
	Out, Err io.Writer

	Version string // of the program
	DataDir string
	Store   string
	state   string
	views   string
	config  string
	Format  string
	log     struct{ format, level string }
	LLM     app.ModelOptions
	Fixer   fixerOptions
	// addresses were named on this command line: their passwords are not printed.
	addresses []app.Address
	server    string // that carries commands out: the name of a context, or an address; empty for this process
	serverCA  string
	// Root makes the commands of a command line. They do not know each other.
	Root func(*CLI) *cobra.Command
	args []string
	// where are the flags of this command line that say which data it is about.
	where string
	// caller is for whom a command is carried out, if that is somebody elsewhere; else nil.
	caller *caller
	// agent says that an agent gives the command, on behalf of the person at the terminal.
	agent bool
	// started says that flags and arguments were accepted: an error after that is not one of usage.
	started bool
}

// New is of a command line that reads and writes there.
func New(in io.Reader, out, err io.Writer) *CLI {
	return &CLI{In: in, Typed: IsTerminal(in), Out: out, Err: err}
}

// Run carries out one command line of a program and returns the exit code.
func (cli *CLI) Run(ctx context.Context, root *cobra.Command, args []string) int {
	cli.args = args
	root.SetArgs(args)
	root.SetIn(cli.In)
	root.SetOut(cli.Out)
	root.SetErr(cli.Err)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	_, own := errors.AsType[*ExitError](err)
	code := cli.Tell(ctx, err)
	if !cli.started && !own && cli.Format != FormatJSON && cli.Format != FormatJSONL {
		fmt.Fprintf(cli.Err, "Run '%s --help' for usage.\n", command.CommandPath())
	}
	return code
}

// Tell says on standard error why something failed, unless the result that was printed says it, and gives the exit code for it.
func (cli *CLI) Tell(ctx context.Context, err error) int {
	quiet, ok := errors.AsType[*ExitError](err)
	if ok && quiet.Cause == nil {
		return quiet.Code
	}
	if cli.Format == FormatJSON || cli.Format == FormatJSONL {
		return cli.failInJSON(ctx, err)
	}
	fmt.Fprintf(cli.Err, "kintsugi: %s\n", plain.Clean(cli.Redact(err.Error())))
	if text := advice(err); text != "" {
		fmt.Fprintln(cli.Err, text)
	}
	return cli.ExitCode(ctx, err)
}

// Declare declares the flags that all commands have.
func (cli *CLI) Declare(flags *pflag.FlagSet) {
	flags.StringVar(&cli.config, "config", "", "a file with settings (env KINTSUGI_CONFIG); default "+ConfigFile+" in the data directory")
	flags.StringVar(&cli.DataDir, "data-dir", defaultDataDir(), "the directory that holds everything (env KINTSUGI_DATA_DIR)")
	flags.StringVar(&cli.Store, "store", "", "where the event log is: postgres://… or esdb://…; default the data directory (env KINTSUGI_STORE)")
	flags.StringVar(&cli.state, "state", "", "where secrets are: postgres://… or a directory; default beside the event log (env KINTSUGI_STATE)")
	flags.StringVar(&cli.views, "views", "", "where read models are: postgres://… or a directory; default beside a log in PostgreSQL, else the data directory (env KINTSUGI_VIEWS)")
	chooseP(flags, &cli.Format, "output", "o", "output format", FormatText, FormatJSON, FormatJSONL)
	chooseP(flags, &cli.log.format, "log-format", "", "the form of what is logged", logText, logJSON)
	Choose(flags, &cli.log.level, "log-level", "the least that is logged; default warn", "debug", "info", "warn", "error")
	flags.StringVar(&cli.server, "server", "", "have a server carry it out: https://… or the name of a context (env "+ServerVariable+", "+TokenVariable+"); '' for this machine")
	flags.StringVar(&cli.serverCA, "server-ca", "", "a file with the certificates (PEM) that the server's is checked with; default those of the system")
	declare(&cli.LLM, flags)
	cli.Fixer.declare(flags)
}

// Command is a line for people to paste, from whatever directory: it is about the data that this command line was about.
func (cli *CLI) Command(line string) string { return "kintsugi " + line + cli.where }

// aboutData are the flags of a command line that say which data it is about, as they were given.
func aboutData(flags *pflag.FlagSet) (given string) {
	for _, name := range append([]string{"config"}, storeFlags...) {
		flag := flags.Lookup(name)
		if flag == nil || !flag.Changed || flag.Value.String() == "" || name != "data-dir" && name != "config" && strings.Contains(flag.Value.String(), "@") { // a password is not printed
			continue
		}
		value := flag.Value.String()
		if whole, err := filepath.Abs(value); err == nil && !strings.Contains(value, "://") {
			value = whole
		}
		given += " --" + name + " " + plain.Quoted(value)
	}
	return given
}

// Begin checks the flags of a command, and takes what none of them said from the environment and the file with settings.
func (cli *CLI) Begin(c *cobra.Command) error {
	if err := errors.Join(c.ValidateRequiredFlags(), c.ValidateFlagGroups()); err != nil {
		return err
	}
	cli.started = true
	if cli.caller != nil {
		return cli.admit(c)
	}
	cli.where = aboutData(c.Flags())
	target, err := cli.remoteTarget(c)
	if err != nil {
		return err
	}
	if target != nil {
		return cli.give(c, target)
	}
	cli.started = false
	if err := cli.Configure(c); err != nil {
		return err
	}
	cli.started = true
	return nil
}

func defaultDataDir() string {
	if dir := os.Getenv("KINTSUGI_DATA_DIR"); dir != "" {
		return dir
	}
	return "kintsugi-data"
}

// Actor is who gives the command: the person who sits at this terminal, or who was let in from elsewhere.
func (cli *CLI) Actor() string {
	if cli.caller != nil {
		return cli.caller.Actor()
	}
	name := "unknown"
	if who, err := user.Current(); err == nil && who.Username != "" {
		name = who.Username
	}
	return "person:" + name
}

// OwnerOfNew is whose a workflow becomes that they make.
func (cli *CLI) OwnerOfNew() string {
	if cli.caller != nil && cli.caller.Owner != "" {
		return cli.caller.Owner
	}
	return strings.TrimPrefix(cli.Actor(), "person:")
}

// OwnerAsked is the owner whose things they ask for; empty for everybody's.
func (cli *CLI) OwnerAsked(named string) (string, error) {
	if cli.caller != nil {
		return cli.caller.OwnerAsked(named)
	}
	return named, nil
}

// Meta is of a command that they give.
func (cli *CLI) Meta() commands.Meta {
	if cli.caller != nil {
		return cli.caller.Meta()
	}
	meta := app.By(cli.Actor())
	if cli.agent {
		meta.Holder = installation.HeldByAgent
	}
	return meta
}
