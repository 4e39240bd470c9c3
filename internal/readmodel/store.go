package readmodel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
)

// ErrClosed is returned by a [Store] after Close.
var ErrClosed = errors.New("readmodel: closed")

// Config says what a [Store] is made of.
type Config struct {
	// Dir is the directory of the generations; it is created if there is none.
	Dir string
	// Log is what the views are built from. It must stay open as long as the store.
	Log eventlog.Log
	// Projections are all projections of the program; their order does not matter.
	Projections []Projection
	// Inherit are directories of the same program's views of other logs. A generation that has
	// no file yet goes on from one of them, if its log and this one are copies of each other.
	Inherit []string
	// Logger is told about rebuilds and troubles; nil for nobody.
	Logger *slog.Logger
}

// Store is one generation of read models. It may be used by many goroutines, and several
// processes may have the same generation open.
type Store struct {
	log         eventlog.Log
	logger      *slog.Logger
	projections []Projection
	fingerprint string
	path        string
	lock        *fileLock

	applying chan struct{} // holds a token while nobody applies
	verified bool          // the checkpoint was found in the log; guarded by applying
	damaged  atomic.Bool   // a reader found the file broken
	kick     chan struct{} // tells Run that a reader found it
	position atomic.Pointer[eventlog.Position]

	files  sync.RWMutex // held for reading while they are used, for writing while they are replaced
	closed bool
	writer *sqlite.Conn // nil if there is no usable file; used only by the holder of applying
	reader *sqlitedb.Pool
}

// Open opens the generation of these projections, making its file if there is none. It does not
// apply the log: the views are as they were left until [Store.CatchUp] or [Store.Run].
// A file that is damaged is dropped and begun anew, with a warning to the logger.
func Open(ctx context.Context, config Config) (*Store, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("readmodel: %w", err)
	}
	path := config.path()
	store := &Store{
		log:         config.Log,
		logger:      config.Logger,
		projections: config.Projections,
		fingerprint: fingerprint(config.Projections),
		path:        path,
		applying:    make(chan struct{}, 1),
		kick:        make(chan struct{}, 1),
	}
	if store.logger == nil {
		store.logger = slog.New(slog.DiscardHandler)
	}
	store.position.Store(new(eventlog.Position))
	var err error
	if store.lock, err = lockShared(ctx, path+".lock"); err != nil {
		return nil, fmt.Errorf("readmodel: %w", err)
	}
	store.inherit(ctx, config.Inherit)
	err = store.openFiles(ctx)
	if sqlitedb.IsDamaged(err) {
		err = store.replaceFiles(ctx, err)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("readmodel: open %s: %w", path, err), store.lock.Close())
	}
	store.applying <- struct{}{}
	return store, nil
}

// path is the file of the generation.
func (c Config) path() string {
	return filepath.Join(c.Dir, "views_"+fingerprint(c.Projections)[:16]+".db")
}

func (c Config) validate() error {
	var faults []error
	if c.Dir == "" {
		faults = append(faults, errors.New("readmodel: Config.Dir is missing"))
	}
	if c.Log == nil {
		faults = append(faults, errors.New("readmodel: Config.Log is missing"))
	}
	if len(c.Projections) == 0 {
		faults = append(faults, errors.New("readmodel: Config.Projections is empty"))
	}
	seen := make(map[string]bool)
	for _, projection := range c.Projections {
		if seen[projection.Name()] {
			faults = append(faults, fmt.Errorf("readmodel: two projections are named %q", projection.Name()))
		}
		seen[projection.Name()] = true
	}
	return errors.Join(faults...)
}

// Path is the file of the generation.
func (s *Store) Path() string { return s.path }

// Position is the position of the last event that this store knows to be in the views,
// [eventlog.Start] until it has looked whether the log is theirs.
// Another process may have applied more; it never goes back, except for a rebuild.
func (s *Store) Position() eventlog.Position { return *s.position.Load() }

// Read runs fn on one consistent state of the views. Its queries are interrupted when ctx ends. An error
// of fn is returned as it is. Fn must not call methods of the store.
func (s *Store) Read(ctx context.Context, fn func(*Query) error) error {
	s.files.RLock()
	defer s.files.RUnlock()
	if err := s.usable(); err != nil {
		return err
	}
	conn, err := s.reader.Get(ctx)
	if err == nil {
		defer s.reader.Put(conn)
		err = sqlitedb.Snapshot(conn, func() error { return fn(newQuery(conn)) })
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("readmodel: read: %w", ctx.Err())
	case sqlitedb.IsDamaged(err):
		s.damaged.Store(true)
		select {
		case s.kick <- struct{}{}:
		default:
		}
		return fmt.Errorf("readmodel: %s is damaged and will be rebuilt: %w", s.path, err)
	}
	return err
}

// usable says why the files cannot be used, if so. The caller holds the files lock.
func (s *Store) usable() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.writer == nil:
		return fmt.Errorf("readmodel: %s is damaged and could not be replaced; start again", s.path)
	}
	return nil
}

// Close waits for what is running and closes the file. The log stays open.
func (s *Store) Close() error {
	<-s.applying
	defer func() { s.applying <- struct{}{} }()
	s.files.Lock()
	defer s.files.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.lock.Close()
	if s.writer != nil {
		err = errors.Join(s.closeFiles(), err)
	}
	return err
}
