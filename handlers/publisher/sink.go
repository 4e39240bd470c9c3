package publisher

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// Sink is where the events of a subscription go.
type Sink interface {
	// Send returns what the receiver said when it has taken the event. Any error means that it may not have: the event is
	// sent again.
	Send(ctx context.Context, out Outgoing) (said string, err error)
}

// ErrGone is wrapped when a receiver says that it wants no more.
var ErrGone = errors.New("the receiver answered 410 Gone")

// LaterError is of a receiver that says when to try again.
type LaterError struct {
	After time.Duration
	Err   error
}

// Error implements error.
func (e *LaterError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *LaterError) Unwrap() error { return e.Err }

// Sinks opens targets.
type Sinks struct {
	// Key is the signing key of a subscription, as [NewKey] and [RotateKey] write it; found is false if there is none here.
	Key func(ctx context.Context, name, host string) (key string, found bool, err error)
	Now func() time.Time
	// RootCAs are trusted beside nobody else; nil for those of the system.
	RootCAs *x509.CertPool
}

// Open opens the target of a subscription.
func (s Sinks) Open(name string, d subscription.Definition) (Sink, error) {
	scheme, rest, _ := strings.Cut(d.Target, ":")
	switch scheme {
	case "webhook":
		return newWebhook(s, name, rest, d.AllowPrivate)
	case "exec":
		return program{path: rest}, nil
	}
	return nil, fmt.Errorf("publisher: no sink for %s: this version does not deliver there", scheme)
}
