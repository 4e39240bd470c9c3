package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// listening starts a server with a listener, and gives its address as it was said.
func (h *home) listening(args ...string) (*runningCommand, string) {
	h.t.Helper()
	p := h.dev(append([]string{"--eventstore-listen", "127.0.0.1:0"}, args...)...)
	address := regexp.MustCompile(`esdb://\S+`).FindString(p.err.String())
	require.NotEmpty(h.t, address, p.err.String())
	return p, address
}

func dial(t *testing.T, address string) eventlog.Log {
	t.Helper()
	log, err := kurrentlog.Open(t.Context(), address, kurrentlog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// A client of EventStoreDB sees what a server does, as it does it, and cannot write.
func TestListener(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("W", "function main() { return 7 }")
	p, address := h.listening()
	require.Contains(t, p.err.String(), "EventStoreDB clients reach the log at esdb://127.0.0.1:")
	require.Contains(t, p.err.String(), "and may read.")
	log := dial(t, address)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	running := make(chan result, 1)
	seen := 0
	for delivery, err := range log.Subscribe(ctx, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{workflow.StreamPrefix}}) {
		require.NoError(t, err)
		if delivery.CaughtUp && seen == 0 {
			seen++
			go func() { running <- h.run("workflow", "run", "--repair", "W") }()
		}
		if delivery.Record != nil && delivery.Record.Type == "RunSucceeded" {
			break
		}
	}
	require.Equal(t, terminal.ExitOK, (<-running).code)
	for _, stream := range []string{"workflow-x", "orders-1", "plan-1"} {
		_, err := log.Append(ctx, stream, eventlog.NoStream{}, []eventlog.Event{{ID: uuid.NewString(), Type: "Ordered", SchemaVersion: 1, Payload: []byte("{}")}})
		require.Error(t, err)
	}
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
}

// Others may keep streams of their own in the log; to Kintsugi they are nothing.
func TestListenerTakesStreamsOfOthers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("W", "function main() { return 7 }")
	p, address := h.listening("--eventstore-allow-append")
	require.Contains(t, p.err.String(), "append to streams of their own")
	log := dial(t, address)
	ordered := []eventlog.Event{{ID: uuid.NewString(), Type: "WorkflowCreated", SchemaVersion: 1, Payload: []byte("{}")}}
	_, err := log.Append(t.Context(), "orders-1", eventlog.NoStream{}, ordered)
	require.NoError(t, err)
	for _, own := range []string{"workflow-x", "run-x", "thread-x", "subscription-x", "session-x", "plan-x", "admin"} {
		_, err = log.Append(t.Context(), own, eventlog.NoStream{}, ordered)
		require.ErrorContains(t, err, "own nodes only", own)
	}
	require.Contains(t, h.ok("workflow", "run", "--repair", "W"), "succeeded")
	require.Len(t, h.objects("workflow", "list"), 1)
	require.Contains(t, h.ok("history", "W", "--verify"), "RunSucceeded")
	copied := h.object("store", "copy", "--to", t.TempDir())
	require.InDelta(t, 1, copied["streams"].(float64)-copied["chained"].(float64), 0)
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
}

// A store behind a listener of another installation works as any other.
func TestStoreBehindAListener(t *testing.T) {
	t.Parallel()
	there, here := newHome(t), newHome(t)
	cert, key := certificate(t)
	credential := there.file("credential", "node:s3cret\n")
	p, address := there.listening("--eventstore-tls-cert", cert, "--eventstore-tls-key", key, "--eventstore-node-credential-file", credential)
	address = "esdb://node:s3cret@" + address[len("esdb://"):] + "?tlsCAFile=" + cert
	here.outside = there.outside
	at := func(args ...string) []string { return append([]string{"--store", address}, args...) }
	here.ok(at("workflow", "create", "W", "--script", here.file("w.js", "function main() { return 7 }"))...)
	require.Contains(t, here.ok(at("workflow", "run", "--repair", "W")...), "succeeded")
	require.Equal(t, here.objects(at("run", "list")...), there.objects("run", "list"))
	require.NotContains(t, here.ok(at("store", "info")...), "s3cret")
	require.NoFileExists(t, filepath.Join(here.dir, app.LogFile))
	copied := here.at(t.TempDir())
	here.ok(at("store", "copy", "--to", copied.dir)...)
	require.Equal(t, there.objects("run", "list"), copied.objects("run", "list"))
	// A client that is no node but has a node's credential is refused with the reason, and the node goes on.
	forged := dial(t, address)
	stream := there.records()[0].Stream
	for _, metadata := range []string{"{}", string(there.records()[0].Metadata)} {
		_, err := forged.Append(t.Context(), stream, eventlog.Exact(lastOf(there.records(), stream)), []eventlog.Event{{
			ID: uuid.NewString(), Type: "FixApplied", SchemaVersion: 1, Payload: []byte("{}"), Metadata: []byte(metadata),
		}})
		require.ErrorContains(t, err, "is refused")
	}
	require.Contains(t, here.ok(at("workflow", "run", "--repair", "W")...), "succeeded")
	stranger := strings.Replace(address, "node:s3cret@", "", 1)
	r := copied.ends(terminal.ExitFailure, "workflow", "create", "X", "--store", stranger)
	require.Contains(t, r.err, "own nodes only")
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
}

// lastOf is the newest revision of a stream.
func lastOf(records []eventlog.Record, stream string) int64 {
	last := int64(-1)
	for _, one := range records {
		if one.Stream == stream {
			last = one.Revision
		}
	}
	return last
}

// An address that cannot be listened on, or not without TLS, is refused with what to do; nothing is served.
func TestListenerRefuses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	require.Contains(t, h.ends(terminal.ExitConflict, "dev", "--eventstore-listen", taken.Addr().String()).err, "another program listens on "+taken.Addr().String())

	cert, key := certificate(t)
	empty := h.file("empty", "\n")
	secret := h.file("secret", "node:secret")
	for says, args := range map[string][]string{
		"need --eventstore-listen":       {"--eventstore-allow-append"},
		"needs --eventstore-tls-cert":    {"--eventstore-listen", "127.0.0.1:0", "--eventstore-tls-client-ca", cert},
		"go together":                    {"--eventstore-listen", "127.0.0.1:0", "--eventstore-tls-cert", cert},
		"other machines reach 0.0.0.0:0": {"--eventstore-listen", "0.0.0.0:0"},
		"and could read everything":      {"--eventstore-listen", "0.0.0.0:0", "--eventstore-tls-cert", cert, "--eventstore-tls-key", key},
		"write host:port":                {"--eventstore-listen", "2113"},
		"no such file":                   {"--eventstore-listen", "127.0.0.1:0", "--eventstore-tls-cert", "nowhere", "--eventstore-tls-key", key},
		"has no certificate in PEM form": {"--eventstore-listen", "127.0.0.1:0", "--eventstore-tls-cert", cert, "--eventstore-tls-key", key, "--eventstore-tls-client-ca", empty},
		"is empty: write":                {"--eventstore-listen", "127.0.0.1:0", "--eventstore-node-credential-file", empty},
		"read the credential":            {"--eventstore-listen", "127.0.0.1:0", "--eventstore-node-credential-file", "nowhere"},
		"a credential needs TLS":         {"--eventstore-listen", "127.0.0.1:0", "--eventstore-node-credential-file", secret},
		"the address to advertise":       {"--eventstore-listen", "127.0.0.1:0", "--eventstore-advertise", "example"},
	} {
		r := h.ends(terminal.ExitUsage, append([]string{"dev"}, args...)...)
		require.Contains(t, r.err, says)
		require.NotContains(t, r.err, "Stop with Ctrl-C")
		require.NotContains(t, r.err, "node:secret")
	}
}

// certificate makes one for 127.0.0.1 that signs itself.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600))
	return cert, key
}
