package terminal

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/checkpoint"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// VerifyLog is [app.Verification.Check], and tells a person what is broken.
func (cli *CLI) VerifyLog(ctx context.Context, log eventlog.Log, signed *checkpoint.Checkpoint, deep bool) (app.Verified, map[string]hashchain.Head, error) {
	v, err := cli.Verification(log)
	if err != nil {
		return app.Verified{}, nil, err
	}
	found, heads, err := v.Check(ctx, signed, deep)
	if found.Broken != nil && cli.Format == FormatText {
		writeBroken(cli.Err, *found.Broken)
	}
	return found, heads, err
}

// Verification is of the log of this command line.
func (cli *CLI) Verification(log eventlog.Log) (*app.Verification, error) {
	address, err := cli.Address()
	if err != nil {
		return nil, err
	}
	return app.NewVerification(log, address, func(total int64, what string) app.Bar { return NewProgress(cli, total, what) })
}

// VerifyViews builds the views of this version anew and compares them with those that are there.
func (cli *CLI) VerifyViews(ctx context.Context, log eventlog.Log) (*readmodel.Comparison, error) {
	v, err := cli.Verification(log)
	if err != nil {
		return nil, err
	}
	address, err := cli.Address()
	if err != nil {
		return nil, err
	}
	place, err := cli.viewsPlace(address)
	if err != nil {
		return nil, err
	}
	return v.Views(ctx, place)
}

func writeBroken(w io.Writer, told app.BrokenEvent) {
	if told.Stream != "" {
		fmt.Fprintf(w, "stream    %s\nrevision  %d\n", plain.Line(told.Stream), told.Revision)
	}
	if told.ID != "" {
		fmt.Fprintf(w, "event     %s  %s\nposition  %s\nrecorded  %s\n",
			plain.Line(told.Type), plain.Line(told.ID), told.Position, Local(w, *told.RecordedAt).Format(time.DateTime))
	}
	fmt.Fprintf(w, "differs   %s\n", told.Differs)
}

// WriteComparison shows people views beside those that were built anew.
func WriteComparison(w io.Writer, found readmodel.Comparison) {
	fmt.Fprintf(w, "Views     %s\nPosition  %s\n", found.File, plain.Dash(string(found.Position)))
	switch {
	case found.Problem != "":
		fmt.Fprintf(w, "They cannot be compared: %s.\n", plain.Line(found.Problem))
	case found.Same:
		fmt.Fprintf(w, "All %d rows of %d tables are as they are when built anew.\n", found.Rows, found.Tables)
	}
	for _, one := range found.Differ {
		how := one.How
		if len(one.Columns) > 0 {
			how += " in " + strings.Join(one.Columns, ", ")
		}
		var key []string
		for _, column := range slices.Sorted(maps.Keys(one.First)) {
			key = append(key, fmt.Sprintf("%s %v", column, one.First[column]))
		}
		fmt.Fprintf(w, "  %s: %d rows differ (%d changed, %d missing, %d that should not be there), the first is %s: %s\n",
			one.Table, one.Rows(), one.Changed, one.Missing, one.Extra, plain.Line(strings.Join(key, ", ")), plain.Line(how))
	}
}
