package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// backedUp is what -o json shows of a backup.
type backedUp struct {
	From  string `json:"from"`
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func newBackupCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Back the event log up while it is in use",
		Long: `Write a copy of the event log of a data directory, as it is at one moment, to a new file. The
server and all commands go on meanwhile. The file is there when it is complete, and on disk.

To restore, stop the server, take events.db, events.db-wal and events.db-shm out of the data
directory and put FILE there as events.db. Views notice, and are made anew; subscriptions go on where
the file says they were, and what was delivered after that comes a second time, with the same ids.

PostgreSQL and EventStoreDB are backed up by their own means.`,
		Example: `  kintsugi store backup /backup/events-$(date +%F).db`,
		Args:    terminal.Takes(1, 1),
		RunE:    func(c *cobra.Command, args []string) error { return backup(c.Context(), cli, args[0]) },
	}
}

func backup(ctx context.Context, cli *terminal.CLI, file string) (err error) {
	address, err := cli.Address()
	if err != nil {
		return err
	}
	switch address.Backend {
	case app.Postgres:
		return fault.New(fault.Invalid, "the event log is in PostgreSQL (%s): back the database up with pg_dump, or the server with a base backup and its "+
			"write-ahead log. Either may be restored into another server: there events go on with positions above all earlier ones, so that no subscriber and no view "+
			"misses one. A copy in a directory is made by 'kintsugi store copy --to DIRECTORY'", address)
	case app.Kurrent:
		return fault.New(fault.Invalid, "the event log is in EventStoreDB (%s): back the server up by its own means (its index and checkpoint files before its chunks). "+
			"What is restored keeps its positions, so that subscribers and views go on. A copy in a directory is made by 'kintsugi store copy --to DIRECTORY'", address)
	}
	if err := address.Exists(); err != nil {
		return err
	}
	log, err := sqlitelog.Open(ctx, address.Path, sqlitelog.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	cli.NotePlaces(ctx, address, log)
	var bar *terminal.Progress
	err = log.Backup(ctx, file, func(done, total int64) {
		if bar == nil {
			bar = terminal.NewProgress(cli, total, "backing up")
		}
		bar.Set(done)
	})
	if bar != nil {
		bar.Done()
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Conflict, "%w", err)
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Invalid, "%w", err)
	case err != nil:
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return cli.Show(backedUp{address.String(), file, info.Size()}, func(w io.Writer) {
		fmt.Fprintf(w, "Backed up %s to %s (%d bytes).\n", address, file, info.Size())
	})
}
