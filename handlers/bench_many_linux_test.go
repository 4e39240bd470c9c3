package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// tenThousand workflows are scheduled for the same second, on the hour.
const tenThousand = 10_000

// scheduled makes so many workflows that run on the hour.
func (s *server) scheduled(many int) []string {
	ids := make([]string, many)
	work := make(chan int)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for i := range work {
				ids[i] = s.create(twoReadsOneWrite, workflow.Settings{})
				_, err := s.commands.ChangeSchedule(context.Background(), ids[i], workflow.ChangeSchedule{
					Spec: "0 * * * *", Input: json.RawMessage(`{"day":"2026-03-01"}`),
				}, person())
				if err != nil {
					s.t.Error(err)
				}
			}
		})
	}
	for i := range many {
		work <- i
	}
	close(work)
	group.Wait()
	return ids
}

// due moves the clock so that the next full hour is so far away, and says when that is by the real clock.
func (s *server) due(in time.Duration) time.Time {
	now := s.clock.now()
	slot := now.Truncate(time.Hour).Add(time.Hour)
	s.clock.advance(slot.Sub(now) - in)
	return time.Now().Add(in)
}

// BenchmarkDue10000 is ten thousand workflows that are due in the same second: how long after it each
// slot has its run admitted, each run is claimed, and all have ended; how many were admitted twice; and
// how much memory that takes, of the server alone and with its workers.
func BenchmarkDue10000(b *testing.B) {
	for b.Loop() {
		s := newServer(b, "sqlite")
		s.scheduled(tenThousand)
		counted := &dueLog{slots: map[string]int{}, all: tenThousand, ended: make(chan struct{})}
		s.layers.onAppend = counted.appended
		at := s.due(4 * time.Second)
		stop := s.start(false)
		peak := watchMemory(b, counted.ended)
		<-counted.ended
		alone, whole := peak()
		stop()
		s.close()
		twice := 0
		for _, times := range counted.slots {
			twice += times - 1
		}
		require.Len(b, counted.slots, tenThousand)
		b.ReportMetric(counted.admitted.Sub(at).Seconds(), "s-all-admitted")
		b.ReportMetric(counted.claimed.Sub(at).Seconds(), "s-all-claimed")
		b.ReportMetric(counted.settled.Sub(at).Seconds(), "s-all-ended")
		b.ReportMetric(float64(twice), "twice")
		b.ReportMetric(float64(alone)/(1<<20), "server-MiB")
		b.ReportMetric(float64(whole)/(1<<20), "with-workers-MiB")
	}
}

// dueLog notes what becomes of the slots.
type dueLog struct {
	mu                         sync.Mutex
	all                        int
	slots                      map[string]int // how often a workflow's slot was admitted
	claims, ends               int
	admitted, claimed, settled time.Time // the last
	ended                      chan struct{}
}

func (d *dueLog) appended(stream string, e eventlog.Event, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e.Type {
	case workflow.TypeRunAdmitted:
		d.slots[stream]++
		d.admitted = now
	case "RunStarted":
		d.claims++
		d.claimed = now
	case workflow.TypeRunSucceeded:
		d.settled = now
		if d.ends++; d.ends == d.all {
			close(d.ended)
		}
	}
}

// watchMemory says how much memory was in use at most, of this process and with its children, in bytes. Shared memory
// is counted once.
func watchMemory(b *testing.B, until <-chan struct{}) (peak func() (alone, whole int64)) {
	b.Helper()
	var alone, whole atomic.Int64
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(2 * time.Second) // a look at 64 processes takes as long as ten runs
		defer tick.Stop()
		for {
			own := proportional(os.Getpid())
			sum := own
			for _, pid := range children() {
				sum += proportional(pid)
			}
			alone.Store(max(alone.Load(), own))
			whole.Store(max(whole.Load(), sum))
			select {
			case <-tick.C:
			case <-until:
				return
			}
		}
	}()
	return func() (int64, int64) {
		<-watched
		return alone.Load(), whole.Load()
	}
}

// proportional is what a process has in memory, and its share of what several have; 0 if it ended.
func proportional(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, "Pss:"); is {
			kilobytes, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// BenchmarkIdle10000 is what ten thousand scheduled workflows cost while none is due, read models included.
func BenchmarkIdle10000(b *testing.B) {
	s := newServer(b, "sqlite")
	defer s.close()
	s.scheduled(tenThousand)
	s.due(30 * time.Minute)
	stop := s.start(true)
	defer stop()
	// It has come to rest when all that there is has been read and looked at.
	require.NoError(b, s.views.CatchUp(b.Context()))
	for used := time.Duration(-1); ownTime(b)-used > 50*time.Millisecond; {
		used = ownTime(b)
		<-time.After(time.Second)
	}
	for b.Loop() {
		used, at := processorTime(b), time.Now()
		<-time.After(10 * time.Second)
		b.ReportMetric((processorTime(b)-used).Seconds()/time.Since(at).Seconds()*100, "%-of-a-core")
	}
	b.ReportMetric(float64(proportional(os.Getpid()))/(1<<20), "server-MiB")
}
