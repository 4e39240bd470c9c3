package readmodel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// ErrClosed is returned by a [Store] after Close.
var ErrClosed = errors.New("readmodel: closed")

// Config says what a [Store] is made of.
type Config struct {
	// Dir is the directory of the generations; it is created if there is none.
	Dir string
	// Database is the address of a PostgreSQL database that keeps the generations, each in a schema of its own, for all
	// who share the log. Dir and Inherit are not used then.
	Database string
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
	decoder     Decoder // nil if none of them is one
	renewer     Renewer // nil if none of them is one
	engine      engine

	applying chan struct{}     // holds a token while nobody applies; it guards what follows
	owned    bool              // the generation is of this log
	first    eventlog.Position // of the log's first event, once it is owned
	verified bool              // the checkpoint was found in the log
	unit     *unit
	writing  *writing          // nil if nothing is
	most     int               // events in one transaction
	limit    int               // the same, while it is looked for an event that cannot be written
	suspect  eventlog.Position // of an event that could not be applied among others
	away     error             // the last time that something could not be reached
	awayAt   time.Time         // … when
	progress func(events int)  // is told of each transaction, if it is not nil

	following atomic.Bool // another process applies
	running   atomic.Bool // [Store.Run] goes on applying
	live      atomic.Bool // as far as this process has looked
	building  building

	generations generations

	damaged  atomic.Bool   // a reader found the generation broken
	kick     chan struct{} // tells Run that a reader found it
	position atomic.Pointer[eventlog.Position]
}

// Open opens the generation of these projections, making it if there is none. It does not
// apply the log: the views are as they were left until [Store.CatchUp] or [Store.Run].
// A file that is damaged is dropped and begun anew, with a warning to the logger.
func Open(ctx context.Context, config Config) (*Store, error) {
	schema, err := config.validate()
	if err != nil {
		return nil, err
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Database != "" {
		engine, err := openPostgres(ctx, config.Database, schema, config.Logger)
		if err != nil {
			return nil, err
		}
		return newStore(config, engine, schema)
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("readmodel: %w", err)
	}
	engine, err := openSQLite(ctx, config.path(schema), schema, config.Logger, func(e *sqliteEngine) {
		e.inherit(ctx, config.Log, config.Inherit)
	})
	if err != nil {
		return nil, err
	}
	return newStore(config, engine, schema)
}

func newStore(config Config, engine engine, schema generation) (*Store, error) {
	generations, err := config.generations(schema)
	if err != nil {
		return nil, err
	}
	store := &Store{
		generations: generations,
		log:         config.Log, logger: config.Logger, projections: config.Projections, engine: engine,
		applying: make(chan struct{}, 1), kick: make(chan struct{}, 1),
		unit: newUnit(), most: batchEvents, limit: batchEvents,
	}
	for _, projection := range config.Projections {
		if decoder, is := projection.(Decoder); is && store.decoder == nil {
			store.decoder = decoder
		}
		if renewer, is := projection.(Renewer); is && store.renewer == nil {
			store.renewer = renewer
		}
	}
	store.position.Store(new(eventlog.Position))
	store.applying <- struct{}{}
	return store, nil
}

// path is the file of the generation.
func (c Config) path(schema generation) string {
	return filepath.Join(c.Dir, schema.name()+".db")
}

func (c Config) validate() (generation, error) {
	var faults []error
	if c.Dir == "" && c.Database == "" {
		faults = append(faults, errors.New("readmodel: Config.Dir and Config.Database are missing"))
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
	schema, err := generationOf(c.Projections)
	return schema, errors.Join(append(faults, err)...)
}

// Path is where the generation is: its file.
func (s *Store) Path() string { return s.engine.place() }

// Position is the position of the last event that this store knows to be in the views,
// [eventlog.Start] until it has looked whether the log is theirs.
// Another process may have applied more; it never goes back, except for a rebuild.
func (s *Store) Position() eventlog.Position { return *s.position.Load() }

// Read runs fn on one consistent state of the views. While they are built for the first time, or anew, it is a
// [*BuildingError]: [Store.WaitFor] waits for the end of that. Its queries are interrupted when ctx ends. An error
// of fn is returned as it is. Fn must not call methods of the store.
func (s *Store) Read(ctx context.Context, fn func(*Query) error) error {
	err := s.engine.read(ctx, func(from source) error { return fn(&Query{source: from, watch: watched(ctx)}) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("readmodel: read: %w", ctx.Err())
	case errors.Is(err, errBuilding):
		return &BuildingError{s.building.progress()}
	case s.engine.trouble(err) == troubleDamaged:
		s.damaged.Store(true)
		select {
		case s.kick <- struct{}{}:
		default:
		}
		return fmt.Errorf("readmodel: %s is damaged and will be rebuilt: %w", s.Path(), err)
	}
	return err
}

// Close waits for what is running and closes the generation. The log stays open.
func (s *Store) Close() error {
	<-s.applying
	defer func() { s.applying <- struct{}{} }()
	s.unit.drop(eventlog.Checkpoint{})
	return s.engine.close()
}
