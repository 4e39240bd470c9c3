// Command kintsugi is the server and the command line of Kintsugi.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // schedules need time zones, and not every machine has them

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

func main() {
	if launch.IsSupervisor() {
		launch.SupervisorMain()
	}
	if process.IsWorker() {
		process.WorkerMain(hostcall.Bindings())
		return
	}
	os.Exit(execute(untilAsked(os.Interrupt, syscall.SIGTERM), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// untilAsked is done at the first of the signals, which asks the command to end. The second one ends it, also where the
// parent had it ignore them, as a shell has what it starts in the background.
func untilAsked(signals ...os.Signal) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, signals...)
	go func() {
		cancel(fmt.Errorf("%s: %w", <-asked, context.Canceled))
		<-asked
		os.Exit(terminal.ExitInterrupted)
	}()
	return ctx
}

// execute carries out one command line and returns the exit code.
func execute(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	cli := terminal.New(in, out, err)
	cli.Version, cli.Root = version, newRootCommand
	return cli.Run(ctx, newRootCommand(cli), args)
}
