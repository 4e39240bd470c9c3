package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// killCycles is how often TestKilledServer kills; KINTSUGI_KILL_CYCLES raises it, and
// KINTSUGI_KILL_SEED repeats a campaign.
const killCycles = 16

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	value, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return value
}

// A server that is killed at any moment of a repair, once or several times: after the next
// start the repair comes to its end, no write went out twice, and the history is whole. The one
// exception is a write that was out at that moment: nobody knows whether it happened, so it is not
// sent again, and the run ends saying so.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	seed := fromEnv(t, "KINTSUGI_KILL_SEED", uint64(time.Now().UnixNano())) //nolint:gosec // any number will do
	t.Logf("KINTSUGI_KILL_SEED=%d repeats this", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test

	template := newHome(t)
	template.succeed("Orders")
	template.outside.answer("/orders", 200, newOrders(11, 22))

	// A repair that nobody disturbs says how long there is to kill, and how many requests it makes.
	undisturbed := template.copy()
	began := time.Now()
	undisturbed.ok("workflow", "run", "--repair", "Orders", "--input", day(9), "--detach")
	requests := undisturbed.outside.total.Load()
	server := undisturbed.dev()
	require.Equal(t, "mended", undisturbed.becomes())
	span := time.Since(began)
	requests = undisturbed.outside.total.Load() - requests
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait())

	ends := map[string]int{}
	for range fromEnv(t, "KINTSUGI_KILL_CYCLES", killCycles) {
		ends[template.killed(random, span, requests)]++
	}
	t.Log(ends)
	require.Positive(t, ends["mended"])
}

// copy is the same home in another directory, with the same outside.
func (h *home) copy() *home {
	h.t.Helper()
	other := &home{t: h.t, dir: filepath.Join(h.t.TempDir(), "data"), outside: h.outside}
	require.NoError(h.t, os.CopyFS(other.dir, os.DirFS(h.dir)))
	return other
}

// killed is one cycle: a failing run, a server that is killed one to three times, and what
// comes of it in the end.
func (h *home) killed(random *rand.Rand, span time.Duration, requests int64) string {
	h.t.Helper()
	one := h.copy()
	started, done := len(h.outside.requests("POST /started")), len(h.outside.requests("POST /done"))
	one.ok("workflow", "run", "--repair", "Orders", "--input", day(9), "--detach")
	for range 1 + random.IntN(3) {
		server := one.start("dev")
		if random.IntN(2) == 0 {
			h.outside.await(h.outside.total.Load()+1+random.Int64N(requests), span)
		} else {
			<-time.After(time.Duration(random.Int64N(int64(span))))
		}
		require.NoError(h.t, server.command.Process.Kill())
		server.wait()
	}
	server := one.dev()
	end := one.becomes()
	server.interrupt()
	require.Equal(h.t, terminal.ExitOK, server.wait(), server.err.String())

	started, done = len(h.outside.requests("POST /started"))-started, len(h.outside.requests("POST /done"))-done
	require.LessOrEqual(h.t, started, 1, "a write went out twice")
	require.LessOrEqual(h.t, done, 1, "a write went out twice")
	if end == "mended" {
		require.Equal(h.t, 1, started)
		require.Equal(h.t, 1, done)
		require.Equal(h.t, 1, strings.Count(one.ok("history", "Orders"), "FixApplied"))
	}
	require.Contains(h.t, one.ends(terminal.ExitOK, "history", "Orders", "--verify").err, "streams are whole")
	return end
}

// await waits until so many requests came, or for a time: an earlier life may have made them.
func (o *outside) await(requests int64, most time.Duration) {
	for given := time.After(most); o.total.Load() < requests; {
		select {
		case <-given:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// becomes waits for the end of a repair: mended, or in doubt about a write.
func (h *home) becomes() string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	log, err := sqlitelog.Open(ctx, filepath.Join(h.dir, app.LogFile), sqlitelog.Options{})
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, log.Close()) }()
	hint, release := log.Wake()
	defer release()
	for {
		for record, err := range log.All(ctx, eventlog.Start, eventlog.Everything) {
			require.NoError(h.t, err)
			switch record.Type {
			case workflow.TypeFixConfirmed:
				return "mended"
			case run.TypeEffectInDoubt:
				return "in doubt"
			}
		}
		select {
		case <-hint:
		case <-ctx.Done():
			require.Fail(h.t, "the repair does not come to an end")
		}
	}
}
