package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/projection"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/commands/sample"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// An upgrade under load: while servers run and people write, and read what they wrote, a binary whose workflows have
// a column more builds its views beside them, and takes the place of one server after the other. Nobody misses
// anything of their own, the column is filled, and the old binary starts again and answers at once. In a campaign of
// 10 there are 200,000 events before that, and it says how long people waited, before, while views were built and
// while servers were exchanged. Views are built in a moment here, so this test does not see that half-built ones are
// not read: TestHalfBuilt and TestKilledWhileBuilding of internal/readmodel do.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	times, err := strconv.Atoi(cmp.Or(os.Getenv("KINTSUGI_CAMPAIGN"), "0"))
	require.NoError(t, err, "KINTSUGI_CAMPAIGN")
	next := buildNext(t)
	for name, nodes := range map[string]int{"sqlite": 1, "postgres": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := ""
			if name == "postgres" {
				url = pgtest.Start(t).Database(t)
			}
			upgrade(t, url, nodes, next, max(1000, times*20_000))
		})
	}
}

// buildNext builds this program with another column, filled: what somebody would change for that, and no more.
func buildNext(t *testing.T) string {
	t.Helper()
	const source = "../../projections/workflows.go"
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	changed := string(text)
	for old, new := range map[string]string{
		"\tTitle       string          `json:\"title\" col:\"title\"`\n": "\tTitle       string          `json:\"title\" col:\"title\"`\n\tLoud string `json:\"loud\" col:\"loud\"`\n",
		"ID: e.ID, Title: e.Title, ":                                     "ID: e.ID, Title: e.Title, Loud: strings.ToUpper(e.Title), ",
	} {
		require.Equal(t, 1, strings.Count(changed, old), old)
		changed = strings.Replace(changed, old, new, 1)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "workflows.go"), []byte(changed), 0o600))
	replaced, err := filepath.Abs(source)
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{replaced: filepath.Join(dir, "workflows.go")}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	// With what is compiled already and, by GOFLAGS, as these tests were: only what has to be is compiled, and that in a hurry.
	command := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "kintsugi"), "-overlay", filepath.Join(dir, "overlay.json"),
		"-gcflags=github.com/kintsugi-run/kintsugi/cmd/...=-dwarf=false -N -l", "-ldflags=-s -w", "-buildvcs=false", ".")
	command.Env = append(os.Environ(), ownPlaces...)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(dir, "kintsugi")
}

// ownPlaces are the places of the person who runs the tests: [ownConfig] takes them away.
var ownPlaces = []string{"HOME=" + os.Getenv("HOME"), "XDG_CONFIG_HOME=" + os.Getenv("XDG_CONFIG_HOME")}

// upgrading is an installation of which the binary is exchanged.
type upgrading struct {
	t     *testing.T
	next  string  // the new binary
	nodes []*home // that share a log, each with a server and a person at it
	now   []atomic.Pointer[string]
	ended atomic.Bool

	mu      sync.Mutex
	written int
	stage   string
	longest map[string]time.Duration // that somebody waited for what they began in a stage
}

// comes says what is done from now on.
func (u *upgrading) comes(stage string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stage = stage
}

func upgrade(t *testing.T, url string, nodes int, next string, events int) {
	old, err := os.Executable()
	require.NoError(t, err)
	u := &upgrading{t: t, next: next, stage: "before", longest: map[string]time.Duration{}, now: make([]atomic.Pointer[string], max(nodes, 2))}
	first := newHome(t)
	for i := range u.now {
		u.now[i].Store(&old)
		dir := first.dir
		if url != "" {
			dir = filepath.Join(t.TempDir(), "node")
		}
		u.nodes = append(u.nodes, &home{t: t, dir: dir, outside: first.outside, store: url})
	}
	u.nodes[0].fill(sample.Config{Seed: 1, Events: events, ByHand: true})
	first = u.nodes[0]
	out, err := u.command(first, old, "projection", "build", "--once").CombinedOutput()
	require.NoError(t, err, "%s", out)
	servers := make([]*runningCommand, nodes)
	for i := range servers {
		servers[i] = u.serve(i)
	}

	var people sync.WaitGroup
	for i := range u.now {
		people.Go(func() { u.work(i) })
	}
	defer people.Wait()
	defer u.ended.Store(true)
	u.atLeast(2)
	u.comes("building")
	builder := first.started(u.command(first, next, "projection", "build", "-o", "json"))
	require.Eventually(t, func() bool {
		all := u.generations(next)
		return len(all) == 2 && all[0].Current && all[0].State == readmodel.StateLive
	}, 2*patience, time.Second) // to ask takes a processor, too
	u.comes("built")
	u.atLeast(2)
	u.comes("exchanging")
	for i := range u.now {
		if i < nodes {
			servers[i].interrupt()
			require.Equal(t, terminal.ExitOK, servers[i].wait(), servers[i].err.String())
		}
		u.now[i].Store(&next)
		if i < nodes {
			servers[i] = u.serve(i)
			require.NotContains(t, servers[i].err.String(), "being built")
		}
		u.atLeast(2)
	}
	require.Equal(t, terminal.ExitOK, builder.wait(), builder.err.String())
	require.True(t, decodeAs[projection.Built](t, builder.out.String()).Served)

	// Back: what the old binary read is still there, and it goes on from it.
	i := slices.IndexFunc(u.generations(next), func(one readmodel.Generation) bool { return !one.Current })
	kept := u.generations(next)[i]
	require.Equal(t, readmodel.StateLive, kept.State)
	require.NotEmpty(t, kept.Position)
	servers[0].interrupt()
	require.Equal(t, terminal.ExitOK, servers[0].wait(), servers[0].err.String())
	u.now[0].Store(&old)
	servers[0] = u.serve(0)
	u.atLeast(2)
	require.NotContains(t, servers[0].err.String(), "being built")
	u.ended.Store(true)
	people.Wait()

	shown := u.rows(first, next)
	require.Len(t, shown, u.written)
	for title, row := range shown {
		require.Equal(t, strings.ToUpper(title), row["loud"])
	}
	require.Len(t, u.rows(first, old), u.written)
	for _, server := range servers {
		server.interrupt()
		require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
	}
	t.Logf("%d events before; %d workflows written and read back; longest waits %v", events, u.written, u.longest)
}

// command is a command line of a binary.
func (u *upgrading) command(h *home, binary string, args ...string) *exec.Cmd {
	command := h.command(args...)
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience)
	u.t.Cleanup(cancel)
	made := exec.CommandContext(ctx, binary, args...)
	made.Env, made.Dir, made.WaitDelay = command.Env, command.Dir, command.WaitDelay
	return made
}

func (u *upgrading) serve(i int) *runningCommand {
	server := u.nodes[i].started(u.command(u.nodes[i], *u.now[i].Load(), "serve", "--node-id", fmt.Sprintf("n%d", i)))
	server.says("Stop with Ctrl-C")
	return server
}

func (u *upgrading) generations(binary string) []readmodel.Generation {
	out, err := u.command(u.nodes[0], binary, "projection", "list", "-o", "json").Output()
	require.NoError(u.t, err, said(err))
	return decodeAs[[]readmodel.Generation](u.t, string(out))
}

// atLeast waits until everybody together has written so much more.
func (u *upgrading) atLeast(more int) {
	written := func() int {
		u.mu.Lock()
		defer u.mu.Unlock()
		return u.written
	}
	before := written()
	require.Eventually(u.t, func() bool { return written() >= before+more*len(u.now) || u.t.Failed() }, 2*patience, 10*time.Millisecond)
	require.False(u.t, u.t.Failed())
}

// work is a person at a node, who writes, and reads everything that they ever wrote.
func (u *upgrading) work(i int) {
	h := u.nodes[i]
	name := fmt.Sprintf("person-%d", i)
	for n := 1; !u.ended.Load() && !u.t.Failed(); n++ {
		binary := *u.now[i].Load()
		title := fmt.Sprintf("%s wrote %d", name, n)
		u.mu.Lock()
		began, stage := time.Now(), u.stage
		u.mu.Unlock()
		if out, err := u.command(h, binary, "workflow", "create", title).CombinedOutput(); err != nil {
			u.t.Errorf("%s: %v\n%s", title, err, out)
			return
		}
		shown := u.rows(h, binary)
		took := time.Since(began)
		for k := 1; k <= n; k++ {
			if shown[fmt.Sprintf("%s wrote %d", name, k)] == nil {
				u.t.Errorf("%s: number %d is missing among %d", title, k, len(shown))
			}
		}
		u.mu.Lock()
		u.written++
		u.longest[stage] = max(u.longest[stage], took.Round(time.Millisecond))
		u.mu.Unlock()
	}
}

// said is what a command that failed wrote to standard error.
func said(err error) string {
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		return string(failed.Stderr)
	}
	return ""
}

// rows are the workflows of people, by title.
func (u *upgrading) rows(h *home, binary string) map[string]map[string]any {
	out, err := u.command(h, binary, "view", "workflow", "--limit", "0", "-o", "json").Output()
	if err != nil {
		u.t.Errorf("view: %v %s", err, said(err))
		return nil
	}
	var shown struct {
		Columns []struct{ Name string }
		Rows    [][]any
	}
	if err := json.Unmarshal(out, &shown); err != nil {
		u.t.Error(err)
		return nil
	}
	rows := map[string]map[string]any{}
	for _, values := range shown.Rows {
		row := map[string]any{}
		for i, column := range shown.Columns {
			row[column.Name] = values[i]
		}
		if title := row["title"].(string); strings.HasPrefix(title, "person-") {
			rows[title] = row
		}
	}
	return rows
}
