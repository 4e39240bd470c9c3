package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
)

// The exit codes. The bundle commands (replay, prove, mend) have the meanings that
// SCRIPTS gives them; docs/cli.md is for people.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2 // wrong usage, or input that cannot be read
	exitNotFound    = 3
	exitConflict    = 4 // the state does not allow it now, or another server has the directory
	exitForbidden   = 5
	exitRunFailed   = 10 // the run ended with a failure
	exitEscalated   = 11 // … and a person is needed for it to go on
	exitBroken      = 20 // the history, its store or a certificate is broken
	exitInterrupted = 130
)

// exitError ends the program with a code of its own. A nil cause says nothing more: the
// result was printed.
type exitError struct {
	code  int
	cause error
}

// Error implements error.
func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.cause.Error()
}

// Unwrap gives the cause.
func (e *exitError) Unwrap() error { return e.cause }

// app is what the commands share: where they read and write, and the global flags.
type app struct {
	in       io.Reader
	typed    bool // a person types at in
	out, err io.Writer

	dataDir string
	store   string
	state   string
	format  string
	llm     llmOptions
	fixer   fixerOptions
	// addresses were named on this command line: their passwords are not printed.
	addresses []storeAddress
	// started says that flags and arguments were accepted: an error after that is not one of usage.
	started bool
}

func newApp(in io.Reader, out, err io.Writer) *app {
	return &app{in: in, typed: isTerminal(in), out: out, err: err}
}

// run carries out one command line of a program and returns the exit code.
func (a *app) run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	quiet, ok := errors.AsType[*exitError](err)
	if ok && quiet.cause == nil {
		return quiet.code
	}
	if a.format == formatJSON || a.format == formatJSONL {
		return a.failInJSON(ctx, err)
	}
	fmt.Fprintf(a.err, "kintsugi: %s\n", clean(a.redact(err.Error())))
	if text := advice(err); text != "" {
		fmt.Fprintln(a.err, text)
	}
	if !a.started && !ok {
		fmt.Fprintf(a.err, "Run '%s --help' for usage.\n", command.CommandPath())
	}
	return a.exitCode(ctx, err)
}

// failInJSON says on standard error why a command failed, as one line for machines.
func (a *app) failInJSON(ctx context.Context, err error) int {
	code := a.exitCode(ctx, err)
	encoder := json.NewEncoder(a.err)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // there is nobody else to tell
		Error    string `json:"error"`
		Advice   string `json:"advice,omitempty"`
		ExitCode int    `json:"exit_code"`
	}{a.redact(err.Error()), advice(err), code})
	return code
}

// advice is what people can do about an error that comes from far below.
func advice(err error) string {
	_, unknown := errors.AsType[*event.UnknownTypeError](err)
	switch {
	case unknown:
		return "Use the program that wrote it, or a newer one. Workflows without such events are not affected."
	case errors.Is(err, eventlog.ErrFull), sqlitedb.IsFull(err):
		return "The disk is full. Nothing that was acknowledged is lost: free some space, and try again."
	case errors.Is(err, eventlog.ErrFailed):
		return "Nothing that was acknowledged is lost. See what the disk or the server says, and start again."
	case sqlitedb.IsUnwritable(err):
		return "Who runs this must be able to write the data directory, also to read it: allow that, or copy it to where it is allowed."
	case sqlitedb.IsIO(err):
		return "The disk is full, or it failed, or a limit of file sizes (ulimit -f) is reached. Nothing that was acknowledged is lost: make room, and try again."
	}
	return ""
}

func (a *app) exitCode(ctx context.Context, err error) int {
	if own, ok := errors.AsType[*exitError](err); ok {
		return own.code
	}
	if _, broken := errors.AsType[*integrityError](err); broken {
		return exitBroken
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if _, held := errors.AsType[*heldError](err); held {
		return exitConflict
	}
	if _, broken := errors.AsType[*chain.BrokenError](err); broken || errors.Is(err, eventlog.ErrDamaged) {
		return exitBroken
	}
	if !a.started {
		return exitUsage
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return exitUsage
	case fault.NotFound:
		return exitNotFound
	case fault.Conflict:
		return exitConflict
	case fault.Forbidden:
		return exitForbidden
	}
	return exitFailure
}

// declare declares the flags that all commands have.
func (a *app) declare(flags *pflag.FlagSet) {
	flags.StringVar(&a.dataDir, "data-dir", defaultDataDir(), "the directory that holds everything (env KINTSUGI_DATA_DIR)")
	flags.StringVar(&a.store, "store", "", "where the event log is: postgres://… or esdb://…; default the data directory (env KINTSUGI_STORE)")
	flags.StringVar(&a.state, "state", "", "where secrets are: postgres://… or a directory; default beside the event log (env KINTSUGI_STATE)")
	chooseP(flags, &a.format, "output", "o", "output format", formatText, formatJSON, formatJSONL)
	a.llm.declare(flags)
	a.fixer.declare(flags)
}

// begin checks the flags of a command, and takes what none of them said from the environment.
func (a *app) begin(c *cobra.Command) error {
	if err := errors.Join(c.ValidateRequiredFlags(), c.ValidateFlagGroups()); err != nil {
		return err
	}
	if !c.Flags().Changed("store") { // no default of the flag: a help text would show its password
		a.store = os.Getenv("KINTSUGI_STORE")
	}
	if !c.Flags().Changed("state") {
		a.state = os.Getenv("KINTSUGI_STATE")
	}
	a.llm.fromEnvironment()
	a.fixer.fromEnvironment()
	a.started = true
	return nil
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "kintsugi",
		Short: "Run scripts that language models wrote, and mend them when they break",
		Long: `Kintsugi runs JavaScript automations in a sandbox, classifies each failure, and mends
logic errors with fixes that are proved against every recorded run. Everything that
happens is an event; nothing is overwritten.

Start with:  kintsugi demo

Exit codes: 0 done, 1 failed, 2 wrong usage or unreadable input, 3 not found, 4 not
possible now, 5 forbidden, 10 the run failed, 11 it failed and needs you, 20 the history
was changed, 130 interrupted. The commands replay, prove and mend have their own.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              noSuchCommand,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return a.begin(c) },
	}
	a.declare(root.PersistentFlags())
	root.AddCommand(
		newDemoCommand(a), newExampleCommand(a), newSelftestCommand(a), newDevCommand(a), newServeCommand(a),
		newWorkflowCommand(a), newScriptCommand(a), newPlanCommand(a), newChatCommand(a), newInboxCommand(a), newRunCommand(a), newFixCommand(a), newAutofixCommand(a), newNotificationCommand(a),
		newEffectCommand(a), newSecretCommand(a), newLLMCommand(a),
		newHistoryCommand(a), newVerifyCommand(a), newExportCommand(a), newImportCommand(a), newStoreCommand(a),
		newReplayCommand(a), newProveCommand(a), newMendCommand(a), newVersionCommand(a),
	)
	otherNames(root)
	fitHelp(root)
	a.complete(root)
	return root
}

// otherNames are words of other programs: the first do the same, the others are answered with the command
// that is meant.
func otherNames(root *cobra.Command) {
	aliases := map[string][]string{"list": {"ls"}, "settings": {"set"}}
	meant := map[string][]string{
		"archive": {"delete", "remove", "rm"}, "pause": {"stop", "disable"}, "activate": {"enable", "resume", "start"},
		"dev": {"server", "start", "up"}, "answer": {"reply"}, "remove": {"delete", "rm"}, "show": {"get", "cat", "describe"},
	}
	for _, command := range root.Commands() {
		command.Aliases = append(command.Aliases, aliases[command.Name()]...)
		command.SuggestFor = append(command.SuggestFor, meant[command.Name()]...)
		otherNames(command)
	}
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	command := &cobra.Command{Use: use, Short: short, Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	command.AddCommand(children...)
	return command
}

// noSuchCommand refuses arguments of a command that only holds others.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := ""
	c.SuggestionsMinimumDistance = 2
	if names := c.SuggestionsFor(args[0]); len(names) > 0 {
		near = ": did you mean " + strings.Join(names, " or ") + "?"
	}
	return fmt.Errorf("there is no command %q%s", c.CommandPath()+" "+args[0], near)
}

// takes checks how many arguments a command is given, and says what it wants.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%d arguments given, wanted: %s", len(args), strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		return nil
	}
}

func defaultDataDir() string {
	if dir := os.Getenv("KINTSUGI_DATA_DIR"); dir != "" {
		return dir
	}
	return "kintsugi-data"
}

// logger writes what operators need to standard error.
func (a *app) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(redactingWriter{a}, &slog.HandlerOptions{Level: level}))
}

// open opens the data directory and its log, and makes them if they are not there.
func (a *app) open(ctx context.Context) (*node, error) {
	return a.openPatient(ctx, commandPatience, a.logger(slog.LevelWarn))
}

func (a *app) openPatient(ctx context.Context, patience time.Duration, logger *slog.Logger) (*node, error) {
	address, err := a.address()
	if err != nil {
		return nil, err
	}
	return a.openAt(ctx, address, patience, logger)
}

// openAt opens the data directory and the log at an address.
func (a *app) openAt(ctx context.Context, address storeAddress, patience time.Duration, logger *slog.Logger) (*node, error) {
	state, err := a.stateAddress(address)
	if err != nil {
		return nil, err
	}
	n, err := openNode(ctx, a.dataDir, address, patience, logger)
	if err == nil {
		n.state.address = state
	}
	return n, err
}

// openExisting opens the data directory for a command that needs something in it.
func (a *app) openExisting(ctx context.Context) (*node, error) {
	address, err := a.address()
	if err != nil {
		return nil, err
	}
	if err := address.exists(); errors.Is(err, eventlog.ErrDamaged) {
		return nil, err
	} else if err != nil {
		return nil, fault.New(fault.NotFound, "%s is not a data directory: name one with --data-dir, or begin with 'kintsugi workflow create'", a.dataDir)
	}
	n, err := a.openAt(ctx, address, commandPatience, a.logger(slog.LevelWarn))
	if err != nil {
		return nil, err
	}
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// with runs fn on the opened data directory, its views caught up.
func (a *app) with(ctx context.Context, fn func(*node) error) (err error) {
	n, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	return fn(n)
}

// actor is the person who sits at this terminal.
func actor() string {
	name := "unknown"
	if who, err := user.Current(); err == nil && who.Username != "" {
		name = who.Username
	}
	return "person:" + name
}

// meta is of a command that a person gives at this terminal.
func meta() commands.Meta { return by(actor()) }

// ago is a time as people say it.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return t.Local().Format(time.DateOnly)
}
