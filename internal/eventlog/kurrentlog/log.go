package kurrentlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Options of [Open]. The zero value is good.
type Options struct {
	// Logger gets what is tried again and which node is used; nil for none.
	Logger *slog.Logger
	// Patience is how long an append or a read tries to reach the server before it fails with
	// [eventlog.ErrUnavailable]; 0 for 30 s. Subscriptions try for as long as they are wanted.
	Patience time.Duration
}

func (o *Options) setDefaults() {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Patience <= 0 {
		o.Patience = 30 * time.Second
	}
}

// Log is an [eventlog.Log] in EventStoreDB or KurrentDB.
type Log struct {
	cluster  *cluster
	logger   *slog.Logger
	patience time.Duration
	known    *knownStreams
	wake     *eventlog.Hints

	closing context.Context // ends when the log is closed
	end     context.CancelFunc

	mu      sync.Mutex
	closed  bool
	appends sync.WaitGroup // those that are going on
}

var _ eventlog.Log = (*Log)(nil)

// Open connects to the servers of a connection string, and reads the end of the log to see that it may. The strings are
// those of the official clients:
//
//	esdb://user:password@host:2113?tlsCAFile=/etc/ca.crt
//	kurrentdb://localhost:2113?tls=false
//	esdb://a:2113,b:2113,c:2113
//	esdb+discover://cluster.example:2113
//
// Credentials are sent over TLS only. The settings maxDiscoverAttempts and discoveryInterval are accepted and without
// meaning: [Options].Patience takes their place.
func Open(ctx context.Context, connectionString string, options Options) (*Log, error) {
	options.setDefaults()
	address, err := parseAddress(connectionString)
	if err != nil {
		return nil, fmt.Errorf("kurrentlog: connection string: %w", err)
	}
	if address.DisableTLS && address.Username != "" {
		options.Logger.Warn("kurrentlog: the credentials of the connection string are not sent, because it says tls=false", "user", address.Username)
	}
	cluster, err := newCluster(address, options.Logger)
	if err != nil {
		return nil, fmt.Errorf("kurrentlog: connection string: %w", err)
	}
	log := &Log{cluster: cluster, logger: options.Logger, patience: options.Patience, known: newKnownStreams()}
	log.closing, log.end = context.WithCancel(context.Background())
	log.wake = eventlog.NewHints(log.watch)
	if _, err := log.Head(ctx); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return log, nil
}

// Close implements [eventlog.Log]. An append that is being tried again is given up.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return eventlog.ErrClosed
	}
	l.closed = true
	l.mu.Unlock()
	l.end()
	l.appends.Wait()
	l.wake.Close()
	if err := l.cluster.close(); err != nil {
		return fmt.Errorf("kurrentlog: close: %w", err)
	}
	return nil
}

// Wake implements [eventlog.Log]. Appends of this process wake at once, those of other processes when the server tells
// of them, which it is asked to do while somebody listens.
func (l *Log) Wake() (<-chan struct{}, func()) { return l.wake.Listen() }
