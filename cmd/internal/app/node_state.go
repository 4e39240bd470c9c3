package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/secret/statestore"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// StateFile is the state store in a data directory, unless it is elsewhere.
const StateFile = "state.db"

// ParseState reads --state: nothing for what goes with the log, an address of PostgreSQL, or a directory.
func ParseState(text, dataDir string, log Address) (Address, error) {
	switch {
	case text == "" && log.Backend == Postgres:
		return log, nil
	case text == "":
		return FileAddress(filepath.Join(dataDir, StateFile)), nil
	case !strings.Contains(text, "://"):
		return FileAddress(filepath.Join(text, StateFile)), nil
	}
	address, err := parseURL(text)
	if err == nil && address.Backend != Postgres {
		return address, fault.New(fault.Invalid, "--state takes postgres://…, or a directory: EventStoreDB keeps events only")
	}
	return address, err
}

// shared is what nodes keep beside the log: secrets, how far external systems were told of events, and what became of that.
type shared interface {
	vault.Store
	watermillsub.Groups
	watermillsub.Ledger
}

// stateStore is what nodes share beside the log. It is opened when first needed: most commands do not.
type stateStore struct {
	Address Address
	logger  *slog.Logger

	mu     sync.Mutex
	opened interface {
		shared
		io.Closer
	}
	empty   time.Time // when it had no secrets
	filling time.Time // when this process was about to set one
}

// emptyFor is how long a place that had no secrets is taken for one without: people who start many runs would have
// it asked for each. Secrets that other processes set count after that.
const emptyFor = time.Second

func (s *stateStore) knownEmpty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.empty) < emptyFor && time.Since(s.filling) > secretPatience
}

// foundEmpty notes that there were no secrets.
func (s *stateStore) foundEmpty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.empty = time.Now()
}

// fills notes that this process is about to set a secret: it counts from then on.
func (s *stateStore) fills() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filling = time.Now()
}

func (s *stateStore) open(ctx context.Context) (shared, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return s.opened, nil
	}
	if s.Address.Backend == Postgres {
		opened, err := statestore.OpenPostgres(ctx, s.Address.url, s.logger)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Address, err)
		}
		s.opened = opened
		return opened, nil
	}
	opened, err := statestore.OpenSQLite(ctx, s.Address.Path)
	if err != nil {
		return nil, err // it names the file
	}
	s.opened = opened
	return opened, nil
}

// Close closes what was opened.
func (s *stateStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == nil {
		return nil
	}
	return s.opened.Close()
}
