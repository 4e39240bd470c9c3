package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// Rule 16 with three nodes on one PostgreSQL, of which one or another is killed or stopped at any moment: every slot
// has exactly one outcome, every run comes to its end, and no write is sent twice. The test goes on for five seconds,
// or for 15 times KINTSUGI_CAMPAIGN.
func TestRule16ManyNodes(t *testing.T) {
	t.Parallel()
	span := 5 * time.Second
	if times, err := strconv.Atoi(os.Getenv("KINTSUGI_CAMPAIGN")); err == nil {
		span = time.Duration(times) * 15 * time.Second
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))

	first := newHome(t)
	url := pgtest.Start(t).Database(t)
	nodes := make([]*home, 3)
	for i := range nodes {
		nodes[i] = &home{t: t, dir: filepath.Join(t.TempDir(), "node"), outside: first.outside, store: url}
	}
	desk := nodes[0]
	const workflows = 3
	ids := make([]string, workflows)
	for i := range ids {
		ids[i] = fmt.Sprintf("w%d", i)
		script := desk.file("s.js", desk.outside.local(`async function main() { await web.getJSON("BASE/read"); return web.postJSON("BASE/write", {}); }`))
		desk.ok("workflow", "create", ids[i], "--id", ids[i], "--script", script, "--allow-host", desk.outside.host())
		desk.ok("workflow", "settings", ids[i], "--max-active", "3") // one in doubt must not hold up the others
		desk.ok("workflow", "schedule", ids[i], "every 1s", "--overlap", "queue", "--catch-up", "all")
	}
	serve := func(i int) *runningCommand {
		p := nodes[i].start("serve", "--node-id", fmt.Sprintf("n%d", i), "--lease", "1500ms")
		p.says("Stop with Ctrl-C")
		return p
	}
	serving := []*runningCommand{serve(0), serve(1), serve(2)}
	kills, stops := 0, 0
	pause := func(least, most time.Duration) {
		select {
		case <-time.After(least + rand.N(most-least)):
		case <-t.Context().Done():
		}
	}
	for end := time.Now().Add(span); time.Now().Before(end); {
		pause(100*time.Millisecond, 1500*time.Millisecond)
		i := random.IntN(len(serving))
		if random.IntN(2) == 0 {
			kills++
			require.NoError(t, syscall.Kill(-serving[i].command.Process.Pid, syscall.SIGKILL))
			serving[i].wait()
			serving[i] = serve(i)
		} else {
			stops++
			require.NoError(t, syscall.Kill(-serving[i].command.Process.Pid, syscall.SIGSTOP))
			pause(500*time.Millisecond, 3*time.Second)
			require.NoError(t, syscall.Kill(-serving[i].command.Process.Pid, syscall.SIGCONT))
		}
	}
	for _, id := range ids {
		desk.ok("workflow", "schedule", id, "--remove")
	}
	require.Eventually(t, func() bool {
		return len(desk.objects("run", "list", "--status", "running"))+len(desk.objects("run", "list", "--status", "admitted")) == 0
	}, patience, 200*time.Millisecond, "a run does not come to its end")
	for _, p := range serving {
		p.interrupt()
		p.wait()
	}

	address, err := app.ParseStore(url, desk.dir)
	require.NoError(t, err)
	n, err := app.Open(t.Context(), desk.dir, address, app.ViewsPlace{}, time.Second, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer func() { require.NoError(t, n.Close()) }()
	slots, runs := 0, 0
	for _, id := range ids {
		outcomes := slotOutcomes(t, n, id)
		require.NotEmpty(t, outcomes)
		var last time.Time
		for slot, outcome := range outcomes {
			require.Equal(t, 1, outcome, "slot %v of %s", slot, id)
			if slot.After(last) {
				last = slot
			}
		}
		for slot := range outcomes {
			if slot != last {
				require.Contains(t, outcomes, slot.Add(time.Second), "a slot of %s has no outcome", id)
			}
		}
		slots += len(outcomes)
	}
	sent := first.outside.sent("POST /write")
	for key, times := range sent {
		require.Equal(t, 1, times, "the write %s was sent again", key)
		runs++
	}
	require.Positive(t, runs)
	require.Contains(t, desk.ends(terminal.ExitOK, "history", ids[0], "--verify").err, "streams are whole")
	doubts := desk.objects("effect", "list")
	for _, doubt := range doubts {
		require.True(t, wentOn(t, n, doubt["run"].(string)), "%v is in doubt, and nobody was stopped while it was sent", doubt)
	}
	t.Logf("%d kills, %d stops, %d slots, %d runs that wrote, %d writes in doubt", kills, stops, slots, runs, len(doubts))
}

// wentOn says whether the run began at one node, or in one life of it, and went on in another.
func wentOn(t *testing.T, n *app.Node, id string) bool {
	t.Helper()
	for one, err := range n.Commands.History(context.Background(), []string{run.Stream(id)}) {
		require.NoError(t, err)
		if _, is := one.Event.(run.RunResumed); is {
			return true
		}
	}
	return false
}

// slotOutcomes counts the outcomes of each slot.
func slotOutcomes(t *testing.T, n *app.Node, id string) map[time.Time]int {
	t.Helper()
	outcomes := map[time.Time]int{}
	for one, err := range n.Commands.History(context.Background(), []string{workflow.Stream(id)}) {
		require.NoError(t, err)
		switch e := one.Event.(type) {
		case workflow.RunAdmitted:
			if e.Trigger == workflow.TriggerSchedule {
				outcomes[e.Slot.UTC()]++
			}
		case workflow.SlotSkipped:
			through := *e.Slot
			if e.Through != nil {
				through = *e.Through
			}
			for slot := e.Slot.UTC(); !slot.After(through); slot = slot.Add(time.Second) {
				outcomes[slot]++
			}
		}
	}
	return outcomes
}
