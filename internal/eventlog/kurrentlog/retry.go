package kurrentlog

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const (
	firstPause   = 20 * time.Millisecond
	longestPause = 2 * time.Second
)

// callError is how a call failed.
type callError struct {
	node      *node
	code      codes.Code
	exception string // the protocol's own name for it, if it has one
	leader    string // host:port, if the node says that another one leads
	limit     string // of the size of an append, if that was exceeded
	err       error
}

func (e *callError) Error() string { return e.err.Error() }
func (e *callError) Unwrap() error { return e.err }

// failed makes a [*callError] of what a call to a node returned and the trailers that came with it.
func failed(n *node, err error, trailer metadata.MD) error {
	if err == nil {
		return nil
	}
	first := func(key string) string {
		if values := trailer.Get(key); len(values) > 0 {
			return values[0]
		}
		return ""
	}
	e := &callError{node: n, code: status.Code(err), exception: first("exception"), limit: first("maximum-append-size"), err: err}
	if host, port := first("leader-endpoint-host"), first("leader-endpoint-port"); e.exception == "not-leader" && host != "" {
		e.leader = net.JoinHostPort(host, port)
	}
	return e
}

// temporary says whether the same call may succeed later.
func temporary(err error) bool {
	if errors.Is(err, errNodeClosed) {
		return true
	}
	if missing, ok := errors.AsType[*noLeaderError](err); ok {
		return !permanent(missing)
	}
	e, ok := errors.AsType[*callError](err)
	if !ok {
		return false
	}
	switch e.code {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.Canceled:
		return !permanent(err)
	case codes.NotFound:
		return e.exception == "not-leader"
	case codes.Internal, codes.Unknown, codes.ResourceExhausted:
		// The transport's own words for a stream that was cut off under a call.
		text := err.Error()
		return strings.Contains(text, "RST_STREAM") || strings.Contains(text, "server closed the stream without sending trailers") || strings.Contains(text, "unexpected EOF")
	}
	return false
}

// permanent says whether two ends will not understand each other, however often they try. gRPC says all of it as
// "unavailable".
func permanent(err error) bool {
	text := err.Error()
	for _, sign := range []string{"x509: ", "tls: first record does not look like", "tls: failed to verify", "remote error: tls: "} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// delay is how long to wait before the next attempt: doubling, with jitter; not at all any more when hurry ends.
type delay struct{ last time.Duration }

func (p *delay) wait(ctx, hurry context.Context) error {
	p.last = min(max(2*p.last, firstPause), longestPause)
	timer := time.NewTimer(p.last/2 + rand.N(p.last/2))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-hurry.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try lets call talk to a node, again and again while that fails for now, for as long as the log's patience lasts.
// ctx is that of [Log.bound].
func (l *Log) try(ctx context.Context, call func(*node) error) error {
	var waiting delay
	var impatient time.Time
	for {
		n, err := l.cluster.node(ctx)
		if err == nil {
			err = call(n)
		}
		if err == nil || ctx.Err() != nil || !temporary(err) {
			return err
		}
		if impatient.IsZero() {
			impatient = time.Now().Add(l.patience)
		}
		if time.Now().After(impatient) || l.closing.Err() != nil {
			return &lostError{err}
		}
		if err := l.mend(ctx, err, &waiting); err != nil {
			return err
		}
	}
}

// mend prepares the next attempt after one that failed for now.
func (l *Log) mend(ctx context.Context, err error, waiting *delay) error {
	l.logger.Debug("kurrentlog: a call failed and is tried again", "error", err)
	e, ok := errors.AsType[*callError](err)
	if ok {
		if err := l.cluster.leave(ctx, e.node, e.leader); err != nil {
			l.logger.Warn("kurrentlog: a node was left", "address", e.node.address, "error", err)
		}
		if e.leader != "" && waiting.last == 0 {
			waiting.last = firstPause / 2
			return ctx.Err() // no need to wait for somebody who is there
		}
	}
	return waiting.wait(ctx, l.closing)
}

// lostError says that patience ran out, or that the log was closed.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }
