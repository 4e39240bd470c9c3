package kurrentlog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// bound gives a context that also ends when the log is closed, and a function that says how it ended: ErrClosed, the
// error of the caller's own context, or nil if it has not.
func (l *Log) bound(ctx context.Context) (bounded context.Context, ended func() error, cancel context.CancelFunc) {
	bounded, end := context.WithCancel(ctx)
	forget := context.AfterFunc(l.closing, end)
	ended = func() error {
		if l.closing.Err() != nil {
			return eventlog.ErrClosed
		}
		return ctx.Err()
	}
	return bounded, ended, func() {
		forget()
		end()
	}
}

// explain says what an error means and what is to be done about it.
func (l *Log) explain(doing string, err error) error {
	where := strings.Join(l.cluster.hosts, ",")
	e, ok := errors.AsType[*callError](err)
	if ok {
		where = e.node.address
	}
	explained := func(advice string) error {
		return fmt.Errorf("kurrentlog: %s at %s: %s: %w", doing, where, advice, plain(err))
	}
	switch {
	case (!ok || e.code == codes.Unavailable) && permanent(err):
		return explained("no secure connection; check tls, tlsCAFile, tlsVerifyCert and the host's name in the connection string against the server's certificate")
	case isLost(err):
		return fmt.Errorf("kurrentlog: %s at %s: %w: it was tried for %v; check that the server runs and can be reached, and that tls is as it is there: %w", doing, where, eventlog.ErrUnavailable, l.patience, plain(err))
	case !ok:
		return fmt.Errorf("kurrentlog: %s at %s: %w", doing, where, err)
	case e.code == codes.Unauthenticated:
		if l.cluster.Username == "" {
			return explained("the server wants credentials; give user:password@ before the host in the connection string")
		}
		return explained(fmt.Sprintf("the server does not take the credentials of %s; correct user and password in the connection string", l.cluster.Username))
	case e.code == codes.PermissionDenied:
		return explained("the server does not let this user do it; it has to read $all and to write our streams, as $admins may, or as access control lists say")
	case e.exception == "stream-deleted":
		return explained("the stream was deleted for good (tombstoned) by somebody; restore the database from a backup, or go on under another stream name")
	case e.code == codes.ResourceExhausted:
		return explained("a message is larger than the other side takes")
	}
	return explained("the call failed")
}

func isLost(err error) bool {
	_, lost := errors.AsType[*lostError](err)
	return lost
}

// plain takes the wrapping of a status off: its code and text are all that people can use.
func plain(err error) error {
	if e, ok := errors.AsType[*callError](err); ok {
		s := status.Convert(e.err)
		return fmt.Errorf("%s (%s)", s.Message(), s.Code())
	}
	return err
}
