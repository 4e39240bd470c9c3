package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// A store that is away is tried again for so long before an error says so: a person waits for a command, and nobody for a server.
const (
	CommandPatience = 5 * time.Second
	ServerPatience  = 30 * time.Second
)

// OpenLog opens the log at an address. A file is made if it is not there; its directory has to be. If the store was not as this
// program makes it, that is recorded.
func OpenLog(ctx context.Context, address Address, patience time.Duration, logger *slog.Logger) (eventlog.Log, error) {
	log, err := openLog(ctx, address, patience, logger)
	if examiner, is := log.(eventlog.Examiner); is && err == nil && len(examiner.Restored()) > 0 {
		if err := recordMended(ctx, log, examiner.Restored()); err != nil {
			logger.Error("that the store was changed past the program could not be recorded", "restored", examiner.Restored(), "error", err)
		}
	}
	return log, err
}

func recordMended(ctx context.Context, log eventlog.Log, found []string) error {
	codec, err := NewCodec()
	if err != nil {
		return err
	}
	record := commands.New(commands.Config{Log: log, Codec: codec, Now: time.Now, NewID: NewID, CheckScript: process.Check})
	_, err = record.ReportStoreMended(ctx, installation.ReportStoreMended{Found: found}, commands.Meta{CommandID: NewID(), Actor: "system:store"})
	return err
}

func openLog(ctx context.Context, address Address, patience time.Duration, logger *slog.Logger) (eventlog.Log, error) {
	// Each case for itself: a nil pointer in an interface would not be nil.
	switch address.Backend {
	case Postgres:
		log, err := pglog.Open(ctx, address.url, pglog.Options{Logger: logger, Patience: patience})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		return log, nil
	case Kurrent:
		log, err := kurrentlog.Open(ctx, address.url, kurrentlog.Options{Logger: logger, Patience: patience})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		return log, nil
	}
	log, err := sqlitelog.Open(ctx, address.Path, sqlitelog.Options{Logger: logger})
	if err != nil {
		return nil, err // it names the file
	}
	return log, nil
}

// Exists refuses an address of a file that is not there, for commands that only look.
func (s Address) Exists() error {
	if s.Backend != SQLite {
		return nil
	}
	found, err := os.Stat(s.Path)
	if errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.NotFound, "there is no event log at %s", s.Path)
	}
	if err == nil && found.Size() == 0 {
		return fmt.Errorf("%s is empty, which no event log ever is: it was cut off; restore it from a backup: %w", s.Path, eventlog.ErrDamaged)
	}
	return nil
}

// viewsDir is where the views of a store are, in a data directory: two stores never share them.
func (s Address) viewsDir(dataDir string) string {
	all := filepath.Join(dataDir, "views")
	if s.Backend == SQLite {
		return all
	}
	return filepath.Join(all, s.key())
}

// otherViews are the directories of views of other stores in a data directory: after a move
// the views of the new store go on from those.
func (s Address) otherViews(dataDir string) []string {
	all := filepath.Join(dataDir, "views")
	dirs := []string{all}
	entries, _ := os.ReadDir(all) // none is as good as unreadable: views are made anew
	for _, entry := range entries {
		if entry.IsDir() {
			dirs = append(dirs, filepath.Join(all, entry.Name()))
		}
	}
	own := s.viewsDir(dataDir)
	others := dirs[:0]
	for _, dir := range dirs {
		if dir != own {
			others = append(others, dir)
		}
	}
	return others
}

// ReservedStream says whether a stream is one that this program writes, now or in a later
// version: nobody else may append to it.
func ReservedStream(stream string) bool {
	for _, kind := range []string{"session-", "plan-"} {
		if strings.HasPrefix(stream, kind) {
			return true
		}
	}
	return domain.OwnStream(stream)
}
