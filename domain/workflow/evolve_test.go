package workflow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// States are values: two futures of one state do not see each other, and it sees neither.
func TestEvolveNeverChangesTheStateItWasGiven(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]history{"held": held, "continuing": continuing, "confirmed": confirmed, "waiting": waiting} {
		trunk, untouched := fold(h...), fold(h...)
		for _, first := range everyEvent() {
			alone := Evolve(fold(h...), first)
			branch := Evolve(trunk, first)
			for _, second := range everyEvent() {
				Evolve(branch, second)
				Evolve(trunk, second)
			}
			require.Equal(t, alone, branch, "%s then %s: the branch changed", name, first.EventType())
			require.Equal(t, untouched, trunk, "%s then %s: the trunk changed", name, first.EventType())
		}
	}
}

// Lists with room to grow are where two futures of one state could meet.
func TestEvolveBranchesWithoutSharingRoom(t *testing.T) {
	t.Parallel()
	trunk := fold(maintenance...)
	for i := range 5 {
		trunk = Evolve(trunk, FailureAttached{Task: "t1", Run: fmt.Sprint(i)})
		left := Evolve(trunk, FailureAttached{Task: "t1", Run: "left"})
		Evolve(trunk, FailureAttached{Task: "t1", Run: "right"})
		require.Equal(t, "left", left.Maintenance.Attached[i+1])
	}
}

// A damaged log, or one of a later program, may hold events in an order that no append makes: folding it never
// panics.
func TestEvolveTakesAnyTwoEvents(t *testing.T) {
	t.Parallel()
	for _, first := range everyEvent() {
		for _, second := range everyEvent() {
			for _, h := range everyStatus {
				Evolve(Evolve(fold(h...), first), second)
			}
			Evolve(Evolve(State{}, first), second)
		}
	}
}

// tenThousand is a busy workflow's stream.
func tenThousand() []event.Event {
	events := []event.Event(active)
	for i := range 2500 {
		ok, bad := fmt.Sprintf("ok-%d", i), fmt.Sprintf("bad-%d", i)
		events = append(events, admitted(ok, v10), RunSucceeded{Run: ok, Version: v10}, admitted(bad, v10),
			RunFailed{Run: bad, Version: v10, Failure: refused}, NetworkErrorClassified{Classified{Run: bad, Strict: fmt.Sprint(i)}})
	}
	return events
}

func TestALongStreamFoldsToWhatHappened(t *testing.T) {
	t.Parallel()
	s := fold(tenThousand()...)
	require.Equal(t, 5000, s.SettledRuns())
	for i := range 2500 {
		ok, known := s.Run(fmt.Sprintf("ok-%d", i))
		require.True(t, known && ok.Succeeded)
		bad, known := s.Run(fmt.Sprintf("bad-%d", i))
		require.True(t, known && !bad.Succeeded)
	}
	require.Empty(t, s.Admitted)
	require.Equal(t, 2500, s.Failing)
}

func BenchmarkFoldTenThousandEvents(b *testing.B) {
	events := tenThousand()
	b.ReportMetric(float64(len(events)), "events/op")
	for b.Loop() {
		fold(events...)
	}
}

func BenchmarkSettleRun(b *testing.B) {
	s := fold(append(tenThousand(), admitted("r1", v10))...)
	command := settleFailed("r1", typeError)
	for b.Loop() {
		if _, err := Decide(s, command, at(0)); err != nil {
			b.Fatal(err)
		}
	}
}
