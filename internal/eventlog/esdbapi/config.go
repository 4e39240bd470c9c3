package esdbapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Config of a [Server]. Only Log is needed: then everybody who reaches the listener may read, and nobody may append.
type Config struct {
	Log eventlog.Log
	// Logger gets what a client is not told: the details of internal errors. Nil for none.
	Logger *slog.Logger
	// OwnStream says which streams are this installation's own; nil if none is.
	OwnStream func(stream string) bool
	// CheckOwn says why events may not follow an event of one of our own streams, nil for none: a client with the
	// credential of a node may still be wrong, or be somebody else. A nil CheckOwn checks nothing.
	CheckOwn func(ctx context.Context, stream string, before *eventlog.Record, events []eventlog.Event) error
	// AllowAppend lets clients append to streams that are not our own.
	AllowAppend bool
	// NodeCredential is what a node shows to append to our own streams: user:password (sent as Basic), or a token (sent
	// as Bearer). Empty if nobody may. It needs TLS: the official clients keep credentials to themselves without it.
	NodeCredential string
	// ClientCredential, if set, has to be shown, in the same forms, to read; NodeCredential does as well.
	ClientCredential string
	// TLS of the listener, nil for plaintext.
	TLS *tls.Config
	// Advertise is the host:port at which clients reach the listener, for those that ask for the cluster first.
	// Empty for the address that the client itself dialled.
	Advertise string
	// Now is the clock of the answers; nil for the clock of the machine.
	Now func() time.Time
}

func (c *Config) setDefaults() {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.OwnStream == nil {
		c.OwnStream = func(string) bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

func (c *Config) validate() error {
	var faults []error
	if c.Log == nil {
		faults = append(faults, errors.New("it needs a log to serve"))
	}
	if c.TLS == nil && (c.NodeCredential != "" || c.ClientCredential != "") {
		faults = append(faults, errors.New("a credential needs TLS, without which clients do not send it and anybody on the way could read it; give a certificate"))
	}
	for whose, credential := range map[string]string{"nodes": c.NodeCredential, "clients": c.ClientCredential} {
		if isBlank(credential) {
			faults = append(faults, fmt.Errorf("the credential of %s is blank, so that nothing has to be known to show it; write user:password or a token", whose))
		}
	}
	if c.NodeCredential != "" && c.NodeCredential == c.ClientCredential {
		faults = append(faults, errors.New("the credentials of nodes and of clients are the same, so that every client could write to our own streams; use two"))
	}
	if c.Advertise != "" {
		if _, _, err := hostPort(c.Advertise); err != nil {
			faults = append(faults, fmt.Errorf("the address to advertise: %w", err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("esdbapi: configuration: %w", err)
	}
	return nil
}

// isBlank says that a credential is given and has nothing in it that anybody would have to know.
func isBlank(credential string) bool {
	secret := credential
	if _, password, named := strings.Cut(credential, ":"); named {
		secret = password
	}
	return credential != "" && strings.TrimSpace(secret) == ""
}

// New makes a server. It does not listen yet.
func New(config Config) (*Server, error) {
	config.setDefaults()
	if err := config.validate(); err != nil {
		return nil, err
	}
	stopping, stop := context.WithCancel(context.Background())
	return &Server{
		Config:   config,
		instance: uuid.New(),
		node:     credential(config.NodeCredential),
		client:   credential(config.ClientCredential),
		stopping: stopping,
		stop:     stop,
	}, nil
}

func hostPort(address string) (host string, port uint32, err error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	number, err := strconv.ParseUint(service, 10, 16)
	if err != nil || host == "" {
		return "", 0, fmt.Errorf("%q is not host:port", address)
	}
	return host, uint32(number), nil
}
