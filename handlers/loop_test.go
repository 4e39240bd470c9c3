package handlers_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// alarms is work at times of its own for each workflow.
type alarms struct {
	now func() time.Time

	mu   sync.Mutex
	at   map[string][]time.Time
	rung map[string][]bool
	bad  []string
}

func (a *alarms) Name() string { return "alarms" }

func (a *alarms) Due(id string, _ workflow.State) []loop.Work {
	a.mu.Lock()
	defer a.mu.Unlock()
	var due []loop.Work
	for i, at := range a.at[id] {
		if a.rung[id][i] {
			continue
		}
		due = append(due, loop.Work{Key: fmt.Sprint(i), At: at, Do: func(context.Context) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.rung[id][i] || a.now().Before(at) {
				a.bad = append(a.bad, fmt.Sprintf("alarm %d of %s at %v", i, id, at))
			}
			a.rung[id][i] = true
			return nil
		}})
	}
	return due
}

// left counts what should have rung and did not.
func (a *alarms) left(now time.Time) (left int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, all := range a.at {
		for i, at := range all {
			if !at.After(now) && !a.rung[id][i] {
				left++
			}
		}
	}
	return left
}

// Rule: all work is begun when it is due, once, for any order of the times of many workflows and any limit of work
// under way; and nothing before its time.
func TestEverythingDueIsBegunInTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(seed(t), 0))
	n := newWorld(t).open(nil)
	defer n.close()
	start := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	now := start
	a := &alarms{now: func() time.Time { return now }, at: map[string][]time.Time{}, rung: map[string][]bool{}}
	for _, id := range n.many(60) {
		for range random.IntN(6) {
			a.at[id] = append(a.at[id], start.Add(time.Duration(random.IntN(1000))*time.Second))
		}
		a.rung[id] = make([]bool, len(a.at[id]))
	}
	loop := loop.New(loop.Config{
		Log: n.log, Kinds: []loop.Kind{handlers.Workflows(n.commands, a)}, Now: func() time.Time { return now },
		Parallel: 1 + random.IntN(3), Logger: slog.New(slog.DiscardHandler),
	})
	for now.Before(start.Add(1000 * time.Second)) {
		now = now.Add(time.Duration(1+random.IntN(60)) * time.Second)
		require.NoError(t, loop.Settle(t.Context()))
		require.Zero(t, a.left(now), "at %v", now.Sub(start))
		require.Empty(t, a.bad)
	}
	require.Zero(t, a.left(now))
}

// fullDisk is work that finds no room so many times.
type fullDisk struct{ tried, most int }

func (f *fullDisk) Name() string { return "full disk" }

func (f *fullDisk) Due(string, workflow.State) []loop.Work {
	if f.tried > f.most {
		return nil
	}
	return []loop.Work{{Key: "write", Do: func(context.Context) error {
		if f.tried++; f.tried <= f.most {
			return fmt.Errorf("append: %w", eventlog.ErrFull)
		}
		return nil
	}}}
}

// On a full disk the same work is tried more and more seldom, said once, and done when there is room.
func TestWorkOnAFullDiskIsTriedMoreSeldomAndSaidOnce(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.many(1)
	now := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	f, said := &fullDisk{most: 10}, &strings.Builder{}
	loop := loop.New(loop.Config{
		Log: n.log, Kinds: []loop.Kind{handlers.Workflows(n.commands, f)}, Now: func() time.Time { return now },
		Parallel: 1, Logger: slog.New(slog.NewTextHandler(said, nil)),
	})
	var tries []int
	for range 6 {
		for end := now.Add(time.Minute); now.Before(end); now = now.Add(time.Second) {
			require.NoError(t, loop.Settle(t.Context()))
		}
		tries = append(tries, f.tried)
	}
	require.Equal(t, []int{6, 7, 8, 9, 10, 11}, tries)
	require.Equal(t, 1, strings.Count(said.String(), "reaction failed"))
}

// looks tells which workflows are looked at, one after the other, and does something at the first look.
type looks struct {
	first func()
	seen  []string
}

func (l *looks) Name() string { return "looks" }

func (l *looks) Due(id string, _ workflow.State) []loop.Work {
	l.seen = append(l.seen, id)
	if len(l.seen) == 1 {
		l.first()
	}
	return nil
}

// A new event is looked at before the rest of the list of all workflows, as after a start; and the rest has its turn.
func TestNewEventsAreLookedAtBeforeTheRest(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	all := n.many(40)
	l := &looks{}
	of := loop.New(loop.Config{Log: n.log, Kinds: []loop.Kind{handlers.Workflows(n.commands, l)}})
	var happened string
	l.first = func() {
		happened = all[0]
		if l.seen[0] == happened {
			happened = all[1]
		}
		_, err := n.commands.ChangeSettings(t.Context(), happened, workflow.ChangeSettings{Settings: workflow.Settings{
			AllowedHosts: []string{uuid.NewString() + ".example"},
		}}, person())
		require.NoError(t, err)
	}
	require.NoError(t, of.Settle(t.Context()))
	require.Equal(t, happened, l.seen[1])
	require.Subset(t, l.seen, all)
	require.LessOrEqual(t, len(l.seen), len(all)+1)

	// The same when something is for all of them.
	l.seen = nil
	_, err := n.commands.StopRepairs(t.Context(), installation.StopRepairs{Reason: "enough"}, person())
	require.NoError(t, err)
	require.NoError(t, of.Settle(t.Context()))
	require.Equal(t, happened, l.seen[1])
	require.Subset(t, l.seen, all)
	require.LessOrEqual(t, len(l.seen), len(all)+1)
}

// chunked lists streams as from a log of very many: each is read when it is asked for.
type chunked struct{ eventlog.Log }

func (c chunked) Streams(ctx context.Context, prefix string) iter.Seq2[eventlog.StreamEnd, error] {
	return func(yield func(eventlog.StreamEnd, error) bool) {
		for stream, err := range c.Log.(eventlog.Lister).Streams(ctx, prefix) {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if !yield(stream, err) || err != nil {
				return
			}
		}
	}
}

// Rule: a loop that was left in the middle of its first look at everything looks at the rest when it runs again.
func TestALoopThatWasLeftLooksAtTheRest(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	all := n.many(10)
	ctx, leave := context.WithCancel(t.Context())
	l := &looks{first: leave}
	of := loop.New(loop.Config{Log: chunked{n.log}, Kinds: []loop.Kind{handlers.Workflows(n.commands, l)}})
	require.NoError(t, of.Settle(ctx))
	require.Len(t, l.seen, 1)
	require.NoError(t, of.Settle(t.Context()))
	require.Subset(t, l.seen, all)
}

// filling is a log that is empty when the loop reads it, and has streams when they are listed.
type filling struct {
	eventlog.Log
	fill func()
	open int // lists that were begun and are not at their end
}

func (f *filling) Streams(ctx context.Context, prefix string) iter.Seq2[eventlog.StreamEnd, error] {
	return func(yield func(eventlog.StreamEnd, error) bool) {
		f.open++
		defer func() { f.open-- }()
		if f.fill != nil {
			f.fill()
			f.fill = nil
		}
		f.Log.(eventlog.Lister).Streams(ctx, prefix)(yield)
	}
}

// Rule: a loop that begins on an empty log, into which somebody writes meanwhile, leaves no list open and looks at everything.
func TestALoopOnALogThatFillsLeavesNoListOpen(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	var all []string
	log := &filling{Log: n.log, fill: func() { all = n.many(3) }}
	l := &looks{first: func() { all = append(all, n.many(1)...) }}
	of := loop.New(loop.Config{Log: log, Kinds: []loop.Kind{handlers.Workflows(n.commands, l)}})
	require.NoError(t, of.Settle(t.Context()))
	require.Zero(t, log.open)
	if log.fill != nil { // an empty log need not be listed
		log.fill()
	}
	require.NoError(t, of.Settle(t.Context()))
	require.Zero(t, log.open)
	require.Len(t, all, 4)
	require.Subset(t, l.seen, all)
}
