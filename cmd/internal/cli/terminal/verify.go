package terminal

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/attest"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// VerifyLog is [app.Verification.Check], and tells a person what is broken.
func (cli *CLI) VerifyLog(ctx context.Context, log eventlog.Log, signed *attest.Checkpoint, deep bool) (app.Verified, map[string]chain.Head, error) {
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

func writeBroken(w io.Writer, told app.BrokenEvent) {
	if told.Stream != "" {
		fmt.Fprintf(w, "stream    %s\nrevision  %d\n", plain.Line(told.Stream), told.Revision)
	}
	if told.ID != "" {
		fmt.Fprintf(w, "event     %s  %s\nposition  %s\nrecorded  %s\n",
			plain.Line(told.Type), plain.Line(told.ID), told.Position, told.RecordedAt.Local().Format(time.DateTime))
	}
	fmt.Fprintf(w, "differs   %s\n", told.Differs)
}
