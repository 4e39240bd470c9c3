package script

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

// checkSave says which recorded runs another script would change.
func checkSave(ctx context.Context, cli *terminal.CLI, n *app.Node, id, code string) error {
	return n.Scripts.Explore(ctx, cli.Logger(slog.LevelError), func(e *rehearsal.Explorer) error {
		check, err := e.CheckSave(ctx, id, code, app.SuccessesJudged)
		if err != nil {
			return err
		}
		if err := cli.Show(check, func(w io.Writer) { writeCheck(w, check) }); err != nil {
			return err
		}
		return checkedExit(check)
	})
}

// checkedExit says with the exit code what a check found.
func checkedExit(check rehearsal.SaveCheck) error {
	switch {
	case check.Differ > 0:
		return &terminal.ExitError{Code: terminal.ExitDiffers}
	case check.Unverifiable > 0:
		return &terminal.ExitError{Code: terminal.ExitHeld}
	}
	return nil
}

func writeCheck(w io.Writer, check rehearsal.SaveCheck) {
	fmt.Fprintln(w, check.Sentence())
	for _, one := range check.Runs {
		at := ""
		if one.Result != rehearsal.CheckSame {
			at = plain.Indented(plain.Clean(one.At), "    ")
		}
		fmt.Fprintf(w, "  %-12s %s  %s\n", one.Result, one.Run, at)
	}
	if check.Exempted > 0 {
		fmt.Fprintf(w, "%d runs that were declared wrong are left out.\n", check.Exempted)
	}
}
