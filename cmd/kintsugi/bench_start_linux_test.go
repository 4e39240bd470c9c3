package main

import (
	"cmp"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/commands/sample"
)

// BenchmarkStartLarge measures how long a server takes to be ready for all that it is asked, from the start of its process:
// of ten million events (or KINTSUGI_BENCH_EVENTS) of a hundredth as many workflows, with its views built, and with the
// files as they are after a start of the machine, or kept in memory by the system. The data directory is kept in
// KINTSUGI_BENCH_DIR, if that is named, for the next time. It needs 10 GB of disk, and runs where KINTSUGI_BENCH_LARGE is set.
func BenchmarkStartLarge(b *testing.B) {
	if os.Getenv("KINTSUGI_BENCH_LARGE") == "" {
		b.Log("set KINTSUGI_BENCH_LARGE to measure the start of a server on ten million events")
		return
	}
	patience = 3 * time.Hour
	events, err := strconv.Atoi(cmp.Or(os.Getenv("KINTSUGI_BENCH_EVENTS"), "10000000"))
	require.NoError(b, err)
	h := newHome(b)
	if dir := os.Getenv("KINTSUGI_BENCH_DIR"); dir != "" {
		h.dir = filepath.Join(dir, "start-"+strconv.Itoa(events))
	}
	if _, err := os.Stat(h.dir); err != nil {
		h.fill(sample.Config{Seed: 1, Events: events, Workflows: events / 100, ByHand: true})
	}
	h.ok("projection", "build", "--once") // of this version, if they are not there yet
	for _, state := range []string{"cold", "warm"} {
		b.Run(state, func(b *testing.B) {
			var took []time.Duration
			var processor time.Duration
			for b.Loop() {
				if state == "cold" {
					forgetFiles(b, h.dir)
				}
				began := time.Now()
				server := h.start("serve", "--listen", "127.0.0.1:0")
				server.says("Stop with Ctrl-C")
				ready := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(server.err.String()) + "/readyz"
				require.Eventually(b, func() bool {
					answer, err := http.Get(ready) //nolint:noctx // a server of ours
					return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
				}, patience, time.Millisecond)
				took = append(took, time.Since(began))
				server.interrupt()
				require.Equal(b, terminal.ExitOK, server.wait(), server.err.String())
				processor += server.command.ProcessState.UserTime() + server.command.ProcessState.SystemTime()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
			b.ReportMetric(float64(took[len(took)-1].Milliseconds()), "longest-ms")
			b.ReportMetric(float64(processor.Milliseconds())/float64(len(took)), "processor-ms") // to the end of the process
		})
	}
}

// forgetFiles has the system keep nothing of the files in a directory, as after its start.
func forgetFiles(b *testing.B, dir string) {
	b.Helper()
	require.NoError(b, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { require.NoError(b, file.Close()) }()
		if err := file.Sync(); err != nil { // what is not on the disk yet is kept
			return err
		}
		return unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED) //nolint:gosec // small
	}))
}
