package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

// checkSave says which recorded runs another script would change.
func (a *app) checkSave(ctx context.Context, n *node, id, code string) error {
	return n.explore(a.logger(slog.LevelError), func(e *rehearsal.Explorer) error {
		check, err := e.CheckSave(ctx, id, code, successesJudged)
		if err != nil {
			return err
		}
		if err := a.show(check, func(w io.Writer) { writeCheck(w, check) }); err != nil {
			return err
		}
		switch {
		case check.Differ > 0:
			return &exitError{code: exitDiffers}
		case check.Unverifiable > 0:
			return &exitError{code: exitHeld}
		}
		return nil
	})
}

func writeCheck(w io.Writer, check rehearsal.SaveCheck) {
	fmt.Fprintln(w, check.Sentence())
	for _, one := range check.Runs {
		at := ""
		if one.Result != rehearsal.CheckSame {
			at = indented(clean(one.At), "    ")
		}
		fmt.Fprintf(w, "  %-12s %s  %s\n", one.Result, one.Run, at)
	}
	if check.Exempted > 0 {
		fmt.Fprintf(w, "%d runs that were declared wrong are left out.\n", check.Exempted)
	}
}
