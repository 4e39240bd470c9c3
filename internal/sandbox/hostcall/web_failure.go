package hostcall

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

var (
	errBodyTooLong    = errors.New("body too long")
	errFetchedTooMuch = errors.New("fetched too much")
)

// failed turns what went wrong on the way into the script's error. A write that was sent
// and got no whole answer is marked: it may have happened, so it must not just be repeated.
func (c *client) failed(ctx, limited context.Context, h *hop, err error) (*answer, *sandbox.Error, error) {
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("hostcall: %s: %w", h.request.where(), context.Cause(ctx))
	}
	if h.refused != nil {
		return nil, nil, fmt.Errorf("hostcall: %s: %w", h.request.where(), h.refused)
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return nil, nil, fmt.Errorf("hostcall: %s: the host has too many files open: %w", h.request.where(), err)
	}
	fault := c.classify(h, err, limited.Err() != nil)
	if fault.Class == sandbox.ClassNetwork && h.request.write && h.sent.Load() {
		doubt(fault)
	}
	return nil, fault, nil
}

// classify says whose trouble an error of the network is. Most of it passes; a wrong
// address is the script's, unless the host has answered before.
func (c *client) classify(h *hop, err error, late bool) *sandbox.Error {
	host := h.url.Hostname()
	// An address that worked before is not misspelt: then the other side has changed.
	addressClass := sandbox.ClassLogic
	if c.guard.names(host) || c.env.KnownHosts != nil && c.env.KnownHosts(host) {
		addressClass = sandbox.ClassNetwork
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		return h.named(refused.fault(h.request.where()))
	}
	if errors.Is(err, errBodyTooLong) {
		return h.fault(sandbox.ClassLimit, sandbox.LimitResult, "the answer is larger than %d bytes", c.env.BodyBytes)
	}
	if errors.Is(err, errFetchedTooMuch) {
		return h.fault(sandbox.ClassLimit, CodeLimitFetch, "the run has read more than %d bytes from the web", c.env.FetchBytes)
	}
	if late {
		return h.fault(sandbox.ClassNetwork, CodeTimeout, "no answer within %s", spell(h.request.timeout))
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return h.fault(sandbox.ClassNetwork, CodeUnknownHost, "there is no host %s", host)
		}
		return h.fault(sandbox.ClassNetwork, "", "the host %s could not be looked up", host)
	}
	if fault := c.classifyTLS(h, err, addressClass); fault != nil {
		return fault
	}
	if strings.Contains(err.Error(), "server response headers exceeded") {
		return h.fault(sandbox.ClassLimit, sandbox.LimitResult, "the headers of the answer are larger than %d bytes", maxHeaderBytes)
	}
	return h.fault(sandbox.ClassNetwork, "", "%s", reasonOf(err))
}

func (c *client) classifyTLS(h *hop, err error, addressClass string) *sandbox.Error {
	if wrongName, ok := errors.AsType[x509.HostnameError](err); ok {
		return h.fault(addressClass, CodeTLS, "%v", wrongName)
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return h.fault(sandbox.ClassNetwork, CodeTLS, "%v", certificate.Err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return h.fault(addressClass, CodeTLS, "the server does not speak https on port %s", PortOf(h.url))
	}
	if alert, ok := errors.AsType[tls.AlertError](err); ok {
		return h.fault(sandbox.ClassNetwork, CodeTLS, "%v", alert)
	}
	return nil
}

// reasonOf is the innermost reason, without the ports of this connection: the same trouble
// must read the same every time.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer was cut off"
	case errors.Is(err, io.EOF):
		return "the connection was closed without an answer"
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	return err.Error()
}

// spell is a time-out as the script gave it.
func spell(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}
