package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/statestore"
	"github.com/kintsugi-run/kintsugi/internal/vault"
)

// stateFile is the state store in a data directory, unless it is elsewhere.
const stateFile = "state.db"

// parseState reads --state: nothing for what goes with the log, an address of PostgreSQL, or a directory.
func parseState(text, dataDir string, log storeAddress) (storeAddress, error) {
	switch {
	case text == "" && log.backend == postgresBackend:
		return log, nil
	case text == "":
		return fileAddress(filepath.Join(dataDir, stateFile)), nil
	case !strings.Contains(text, "://"):
		return fileAddress(filepath.Join(text, stateFile)), nil
	}
	address, err := parseURL(text)
	if err == nil && address.backend != postgresBackend {
		return address, fault.New(fault.Invalid, "--state takes postgres://…, or a directory: EventStoreDB keeps events only")
	}
	return address, err
}

// stateAddress is where the state store of this command line is. What it says of it has no password.
func (a *app) stateAddress(log storeAddress) (storeAddress, error) {
	address, err := parseState(a.state, a.dataDir, log)
	a.hide(address)
	return address, err
}

// stateStore is what nodes share beside the log. It is opened when first needed: most commands do not.
type stateStore struct {
	address storeAddress
	logger  *slog.Logger

	mu     sync.Mutex
	opened interface {
		vault.Store
		io.Closer
	}
}

func (s *stateStore) open(ctx context.Context) (vault.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return s.opened, nil
	}
	if s.address.backend == postgresBackend {
		opened, err := statestore.OpenPostgres(ctx, s.address.url, s.logger)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.address, err)
		}
		s.opened = opened
		return opened, nil
	}
	opened, err := statestore.OpenSQLite(ctx, s.address.path)
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
