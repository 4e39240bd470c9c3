package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// address is where the log of this command line is. What it says of it has no password.
func (a *app) address() (storeAddress, error) {
	address, err := parseStore(a.store, a.dataDir)
	a.hide(address)
	return address, err
}

// hide keeps the passwords of an address out of everything that is printed and logged.
func (a *app) hide(address storeAddress) { a.addresses = append(a.addresses, address) }

// redact takes passwords out of a text: of the addresses that are in use, and of whatever
// looks like an address, which somebody may have put in the wrong place.
func (a *app) redact(text string) string {
	for _, address := range a.addresses {
		text = address.redact(text)
	}
	return anyAddress.ReplaceAllString(text, "${1}"+hidden+"@")
}

var anyAddress = regexp.MustCompile(`(://[^:/?#\s@]*:)\S*@`)

// redactingWriter takes passwords out of what is logged.
type redactingWriter struct{ app *app }

// Write implements [io.Writer]. A logger writes one line at a time.
func (w redactingWriter) Write(p []byte) (int, error) {
	if _, err := fmt.Fprint(w.app.err, w.app.redact(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// How long a server that is away is tried again before an error says so, where the backend asks:
// a person waits for a command, and nobody for a server.
const (
	commandPatience = 5 * time.Second
	serverPatience  = 30 * time.Second
)

// openLog opens the log at an address. A file is made if it is not there; its directory has to be.
func openLog(ctx context.Context, address storeAddress, patience time.Duration, logger *slog.Logger) (eventlog.Log, error) {
	// Each case for itself: a nil pointer in an interface would not be nil.
	switch address.backend {
	case postgresBackend:
		log, err := pglog.Open(ctx, address.url, pglog.Options{Logger: logger})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		return log, nil
	case kurrentBackend:
		log, err := kurrentlog.Open(ctx, address.url, kurrentlog.Options{Logger: logger, Patience: patience})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		return log, nil
	}
	log, err := sqlitelog.Open(ctx, address.path, sqlitelog.Options{Logger: logger})
	if err != nil {
		return nil, err // it names the file
	}
	return log, nil
}

// exists refuses an address of a file that is not there, for commands that only look.
func (s storeAddress) exists() error {
	if s.backend != sqliteBackend {
		return nil
	}
	found, err := os.Stat(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.NotFound, "there is no event log at %s", s.path)
	}
	if err == nil && found.Size() == 0 {
		return fmt.Errorf("%s is empty, which no event log ever is: it was cut off; restore it from a backup: %w", s.path, eventlog.ErrDamaged)
	}
	return nil
}

// viewsDir is where the views of a store are, in a data directory: two stores never share them.
func (s storeAddress) viewsDir(dataDir string) string {
	all := filepath.Join(dataDir, "views")
	if s.backend == sqliteBackend {
		return all
	}
	return filepath.Join(all, s.key())
}

// otherViews are the directories of views of other stores in a data directory: after a move
// the views of the new store go on from those.
func (s storeAddress) otherViews(dataDir string) []string {
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

// reservedStream says whether a stream is one that this program writes, now or in a later
// version: nobody else may append to it.
func reservedStream(stream string) bool {
	for _, kind := range []string{"subscription-", "session-", "plan-"} {
		if strings.HasPrefix(stream, kind) {
			return true
		}
	}
	return domain.OwnStream(stream)
}
