// Package interop_test runs the official clients of other languages against the listener.
package interop_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

const (
	installTimeout = 10 * time.Minute
	testTimeout    = 10 * time.Minute
)

// The official Node clients append, read, and subscribe with filters and checkpoints; what they do is in
// suite.mjs.
func TestNodeClients(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is needed to test the Node clients; tools/need-node.sh installs it or says how", program)
		}
	}
	install(t)
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	own := func(stream string) bool { return strings.HasPrefix(stream, "run-") }

	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "--test", "--test-reporter=spec", "kurrent.test.mjs", "eventstore.test.mjs")
	node.Env = append(os.Environ(),
		"KINTSUGI_WRITABLE="+serve(t, esdbapi.Config{Log: log, OwnStream: own, AllowAppend: true}),
		"KINTSUGI_READONLY="+serve(t, esdbapi.Config{Log: log, OwnStream: own}),
	)
	output, err := node.CombinedOutput()
	require.NoError(t, err, "%s", output)
	// Node ends well also when it finds no test.
	require.Equal(t, 2, strings.Count(string(output), "reads back what it appended"), "%s", output)
	t.Logf("%s", output)
}

// serve gives the address of a listener that serves until the test ends.
func serve(t *testing.T, config esdbapi.Config) string {
	t.Helper()
	server, err := esdbapi.New(config)
	require.NoError(t, err)
	socket, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, socket) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return socket.Addr().String()
}

// install gets the clients that the lock file names, unless they are there.
func install(t *testing.T) {
	t.Helper()
	lock, err := os.ReadFile("package-lock.json")
	require.NoError(t, err)
	digest := sha256.Sum256(lock)
	want := []byte(hex.EncodeToString(digest[:]))
	stamp := filepath.Join("node_modules", ".kintsugi-lock")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, want) {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), installTimeout)
	defer cancel()
	output, err := exec.CommandContext(ctx, "npm", "ci").CombinedOutput()
	require.NoError(t, err, "npm ci, in test/interop: is the npm registry reached?\n%s", output)
	require.NoError(t, os.WriteFile(stamp, want, 0o600))
}
