package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// toldOf is a workflow whose clock is known.
type toldOf struct {
	t     *testing.T
	state State
	now   time.Time
}

func (o *toldOf) does(c Command, types ...string) []event.Event {
	o.t.Helper()
	events, err := Decide(o.state, c, o.now)
	require.NoError(o.t, err)
	var got []string
	for _, e := range events {
		_, err := Follow(o.state, e)
		require.NoError(o.t, err)
		o.state = EvolveAt(o.state, e, o.now)
		got = append(got, e.EventType())
	}
	require.Equal(o.t, types, got)
	return events
}

// outageOf is an active workflow whose input a was not answered, from the start on.
func outageOf(t *testing.T, settings Settings) *toldOf {
	o := &toldOf{t: t, now: scenario.Start}
	for _, e := range active.and(SettingsChanged{Settings: settings}, taken("a")) {
		o.state = EvolveAt(o.state, e, o.now)
	}
	o.does(settleFailed("a", refused), TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	return o
}

// fails has each try fail until people are to hear of the outage, and gives the run that failed last.
func (o *toldOf) fails() (last string) {
	last = "a"
	for {
		if at, due := o.state.OutageDue(); due {
			o.now = at
			return last
		}
		next := last + "+"
		spent := false
		if retry, waits := o.state.Retries[last]; waits {
			o.now, spent = retry.At, retry.Attempt == 8
		} else {
			_, o.now, _ = o.state.NextInput(o.now)
		}
		o.does(AdmitRun{Run: next, Trigger: TriggerRetry, Continues: last}, TypeRunAdmitted)
		_, due := o.state.OutageDue()
		require.False(o.t, due, "it is asked at this moment")
		// When the retries are spent the input waits on: nothing is called given up.
		o.does(settleFailed(next, refused), TypeRunFailed, TypeNetworkErrorClassified, map[bool]string{true: TypeInputRequeued, false: TypeRetryScheduled}[spent])
		last = next
	}
}

func TestRule12PeopleHearOnceOfAnOutageThatLasts(t *testing.T) {
	t.Parallel()
	for after, settings := range map[time.Duration]Settings{DefaultOutageAfter: {}, 6 * time.Hour: {OutageAfterMS: (6 * time.Hour).Milliseconds()}} {
		o := outageOf(t, settings)
		o.now = scenario.Start.Add(after)
		o.does(ReportOutage{}) // the machine slept, and the try that was due comes first
		o.now = scenario.Start
		o.fails()
		require.Equal(t, scenario.Start.Add(after), o.now)
		o.now = o.now.Add(-time.Millisecond)
		o.does(ReportOutage{})
		o.now = o.now.Add(time.Millisecond)
		reported := o.does(ReportOutage{}, TypeOutageReported)
		require.Equal(t, OutageReported{Run: "a", Problem: refused.String(), Since: scenario.Start}, reported[0])
		o.now = o.now.Add(24 * time.Hour)
		o.does(ReportOutage{})
		_, due := o.state.OutageDue()
		require.False(t, due, "once")
	}
	for _, wrong := range []int64{-1, 59_999, (32 * 24 * time.Hour).Milliseconds()} {
		given(t, active...).When(ChangeSettings{Settings: Settings{OutageAfterMS: wrong}}).ThenRefused(fault.Invalid, "outage_after_ms")
	}
}

// An outage that people heard of is over when the other side answers, in whatever way, or when nobody asks it any more; one that
// they did not hear of ends without a word. The next one begins anew.
func TestRule12TheEndOfAnOutageIsSaid(t *testing.T) {
	t.Parallel()
	ways := map[string]struct {
		command Command
		types   []string
		why     string
	}{
		"it succeeds":           {SettleRun{Run: "a2"}, []string{TypeRunSucceeded, TypeRecovered}, OutageAnswered},
		"access is refused":     {settleFailed("a2", signedOut), []string{TypeRunFailed, TypeAuthErrorClassified, TypeInputRequeued}, OutageAnswered},
		"the script breaks":     {settleFailed("a2", typeError), []string{TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered}, OutageAnswered},
		"another script":        {SaveScript{ScriptID: "s9", Code: codeV11, Origin: OriginPerson}, []string{TypeScriptSaved, TypeInputRequeued}, OutageReplanned},
		"archived":              {Archive{}, []string{TypeWorkflowArchived, TypeInputSkipped}, OutageArchived},
		"its person gave it up": {LeaveRun{Run: "a"}, []string{TypeRunLeft}, OutageLeft},
	}
	for name, way := range ways {
		for _, heard := range []bool{true, false} {
			o := outageOf(t, Settings{OutageAfterMS: time.Minute.Milliseconds()})
			last := o.fails()
			want := way.types
			if heard {
				o.does(ReportOutage{}, TypeOutageReported)
				want = append(want[:len(want):len(want)], TypeOutageEnded)
			}
			if _, settles := way.command.(SettleRun); settles {
				o.now = o.now.Add(time.Hour)
				o.does(AdmitRun{Run: "a2", Trigger: TriggerRetry, Continues: last}, TypeRunAdmitted)
			}
			if _, leaves := way.command.(LeaveRun); leaves {
				way.command = LeaveRun{Run: last}
			}
			events := o.does(way.command, want...)
			require.Nil(t, o.state.Outage, name)
			if heard {
				require.Equal(t, OutageEnded{Since: scenario.Start, At: o.now, Why: way.why}, events[len(events)-1], name)
			}
		}
	}
	// A failure of ours, or of a run that is nobody else's, says nothing of the other side.
	o := outageOf(t, Settings{})
	last := o.fails()
	o.now = o.now.Add(2 * time.Hour)
	o.does(AdmitRun{Run: "a2", Trigger: TriggerRetry, Continues: last}, TypeRunAdmitted)
	o.does(settleFailed("a2", hostBroke), TypeRunFailed, TypeInternalErrorClassified, TypeInputRequeued)
	require.NotNil(t, o.state.Outage)
	_, due := o.state.OutageDue()
	require.False(t, due, "nothing waits for the other side")
}

// While a workflow is paused or being mended nothing is tried, so nobody hears of an outage.
func TestRule12NobodyHearsOfAnOutageWhileNothingIsTried(t *testing.T) {
	t.Parallel()
	o := outageOf(t, Settings{})
	o.fails()
	o.does(Pause{}, TypeWorkflowPaused)
	_, due := o.state.OutageDue()
	require.False(t, due)
	o.does(Activate{}, TypeWorkflowActivated)
	_, due = o.state.OutageDue()
	require.True(t, due)
}
