package esdbapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // clients may compress what they send
	"google.golang.org/grpc/keepalive"
)

const (
	// maxMessageBytes is what the official clients take; they also send batches larger than gRPC's own 4 MiB.
	maxMessageBytes = 17 << 20
	// maxCalls bounds the calls of one connection; official clients have one connection for all they do.
	maxCalls = 4096
	// pingInterval is how often a client may ping. The official ones do it each ten seconds, also without a call.
	pingInterval = 5 * time.Second
	// stopTimeout is how long Serve waits for the calls that are going on when it is to end.
	stopTimeout = 5 * time.Second
)

// Server answers the clients of one listener.
type Server struct {
	Config

	instance uuid.UUID
	links    linkIndexes
	groups   groups
	node     credential
	client   credential
	address  net.Addr        // of the listener
	stopping context.Context // ends when Serve is to end
	stop     context.CancelFunc
}

// Serve answers until ctx ends; then calls that would go on for ever end as unavailable, so that clients look for
// another server, and what is being appended is finished. It closes the listener, and can be called once.
//
// It refuses a listener that other machines reach unless there is TLS and everybody has to show a credential or a
// certificate: who can read it, can read everything.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	if err := s.checkExposure(listener.Addr()); err != nil {
		return fmt.Errorf("esdbapi: %w", joinClose(err, listener))
	}
	s.address = listener.Addr()
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessageBytes),
		grpc.MaxSendMsgSize(maxMessageBytes),
		grpc.MaxConcurrentStreams(maxCalls),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingInterval, PermitWithoutStream: true}),
		grpc.WaitForHandlers(true),
	}
	if s.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(s.TLS)))
	}
	server := grpc.NewServer(options...)
	for _, service := range s.services() {
		server.RegisterService(&service, nil) // its handlers know the server
	}

	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		s.stop()
		server.Stop()
		s.groups.ending.Wait()
		return fmt.Errorf("esdbapi: serve %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	s.stop()
	// A subscriber that does not read what it is sent would hold a graceful stop for ever.
	hurry := time.AfterFunc(stopTimeout, server.Stop)
	defer hurry.Stop()
	server.GracefulStop()
	s.groups.ending.Wait()                                                     // they say where they are
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) { // it may not have begun
		return fmt.Errorf("esdbapi: serve %s: %w", listener.Addr(), err)
	}
	return nil
}
