package esdbapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// The exceptions of the protocol: clients tell errors apart by this trailer, not by the text.
const (
	accessDenied    = "access-denied"
	appendTooLarge  = "maximum-append-size-exceeded"
	missingProperty = "missing-required-metadata-property"
)

// fault is an error as the client is to see it.
type fault struct {
	code      codes.Code
	message   string
	exception string   // empty for none
	values    []string // further trailers: name, value, …; printable ASCII
}

// Error implements error.
func (f *fault) Error() string { return f.message }

func denied(why string) error {
	return &fault{code: codes.PermissionDenied, message: "Access Denied: " + why, exception: accessDenied}
}

func invalid(format string, args ...any) error {
	return &fault{code: codes.InvalidArgument, message: fmt.Sprintf(format, args...)}
}

func tooLarge() error {
	return &fault{
		code:      codes.InvalidArgument,
		message:   fmt.Sprintf("Maximum Append Size of %d Exceeded: that is the sum of data and metadata of one append, which may have %d events; split it", eventlog.MaxAppendBytes, eventlog.MaxAppendEvents),
		exception: appendTooLarge,
		values:    []string{"maximum-append-size", strconv.Itoa(eventlog.MaxAppendBytes)},
	}
}

func missingMetadata(name string) error {
	return &fault{
		code:      codes.InvalidArgument,
		message:   fmt.Sprintf("Required Metadata Property '%s' is missing", name),
		exception: missingProperty,
		values:    []string{"required-metadata-properties", metadataType + "," + metadataContentType},
	}
}

func timedOut() error {
	return &fault{code: codes.Aborted, message: "Operation timed out: the outcome of the append is unknown; repeat it with the same ids and the same expected revision"}
}

// errStopping ends the calls that are going on when the server is to end.
var errStopping = &fault{code: codes.Unavailable, message: "Server Is Not Ready: it is stopping"}

// faultOf says what an error of the log or of this package means to a client; nil for one that gRPC itself made.
func (s *Server) faultOf(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if refused, ok := errors.AsType[*eventlog.InvalidError](err); ok {
		return &fault{code: codes.InvalidArgument, message: refused.Error()}
	}
	if content, ok := errors.AsType[*eventlog.ContentError](err); ok {
		return &fault{code: codes.InvalidArgument, message: content.Error()}
	}
	for _, reason := range []error{eventlog.ErrClosed, eventlog.ErrFull, eventlog.ErrUnavailable, eventlog.ErrFailed} {
		if errors.Is(err, reason) {
			s.Logger.Warn("esdbapi: a call failed", "error", err)
			return &fault{code: codes.Unavailable, message: "Server Is Not Ready: " + reason.Error()}
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &fault{code: status.FromContextError(err).Code(), message: err.Error()}
	}
	if _, ok := status.FromError(err); ok {
		return nil
	}
	s.Logger.Error("esdbapi: a call failed", "error", err)
	return &fault{code: codes.Internal, message: "the log failed; its server's own log says how"}
}

// answer makes of an error what gRPC sends, trailers included.
func (s *Server) answer(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	f := s.faultOf(err)
	if f == nil {
		return err
	}
	if f.exception != "" {
		trailer := metadata.Pairs(append([]string{"exception", f.exception}, f.values...)...)
		if err := grpc.SetTrailer(ctx, trailer); err != nil {
			s.Logger.Error("esdbapi: trailers", "error", err)
		}
	}
	return status.Error(f.code, f.message)
}
