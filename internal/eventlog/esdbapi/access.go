package esdbapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

// credential is user:password or a token; empty for one that nothing matches.
type credential string

// matches says whether an authorization header shows the credential, in a time that does not depend on how much of it
// is right.
func (c credential) matches(header string) bool {
	scheme, shown, _ := strings.Cut(header, " ")
	if strings.EqualFold(scheme, "Basic") {
		decoded, err := base64.StdEncoding.DecodeString(shown)
		if err != nil {
			return false
		}
		shown = string(decoded)
	} else if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	got, want := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(c))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && c != ""
}

// admit refuses calls without the credential that is asked for, and with a wrong one. Without TLS a header is not even
// looked at: some clients send one that they were configured with, whether it is asked for or not.
func (s *Server) admit(ctx context.Context) error {
	if s.TLS == nil || s.node == "" && s.client == "" {
		return nil
	}
	header, shown := authorization(ctx)
	switch {
	case shown && !s.client.matches(header) && !s.node.matches(header):
		return &fault{code: codes.Unauthenticated, message: "Unauthenticated: the credential is not known here"}
	case !shown && s.client != "":
		return &fault{code: codes.Unauthenticated, message: "Unauthenticated: this server asks for a credential"}
	}
	return nil
}

func (s *Server) isNode(ctx context.Context) bool {
	header, shown := authorization(ctx)
	return shown && s.node.matches(header) // which is none without TLS
}

func authorization(ctx context.Context) (header string, shown bool) {
	values := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// mayAppend refuses an append that this caller may not do, whatever its events.
func (s *Server) mayAppend(ctx context.Context, stream string, expected expectation) error {
	switch {
	case strings.HasPrefix(stream, "$"):
		return denied("streams that begin with $ are the server's own, and this one has none")
	case isGroupStream(stream) && !s.isNode(ctx):
		return denied(fmt.Sprintf("stream %s says what became of a persistent subscription, and is written by the servers of the log", stream))
	case s.OwnStream(stream) && !s.isNode(ctx):
		return denied(fmt.Sprintf("stream %s is written by this installation's own nodes only", stream))
	case s.OwnStream(stream) && !expected.exact():
		return invalid("stream %s is written with an exact expected revision or no_stream only", stream)
	case !s.OwnStream(stream) && !s.AllowAppend:
		return denied("this server is read-only; start it with --eventstore-allow-append to append to streams that are not its own")
	}
	return nil
}

// appends says whether anybody may append at all.
func (s *Server) appends() bool { return s.AllowAppend || s.node != "" }

func (s *Server) checkExposure(address net.Addr) error {
	tcp, ok := address.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return nil
	}
	if s.TLS != nil && (s.client != "" || s.TLS.ClientAuth == tls.RequireAndVerifyClientCert) {
		return nil
	}
	return fmt.Errorf("other machines reach %s, and could read everything; listen on 127.0.0.1, or ask for TLS and a client's credential or certificate", address)
}

func joinClose(err error, listener net.Listener) error { return errors.Join(err, listener.Close()) }
