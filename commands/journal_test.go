package commands_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var startR1 = run.Start{
	Run: "r1", Workflow: "w1", Version: "1.0", Trigger: "manual", Input: json.RawMessage(`{"day":"2026-03-01"}`),
	Seed: "r1", Clock: noon, Zone: "UTC", LeaseUntil: noon, Node: "here",
}

func startRun(t *testing.T, c *commands.Commands) *commands.RunJournal {
	t.Helper()
	journal, err := c.StartRun(t.Context(), startR1, commands.Meta{CommandID: "start", CorrelationID: "cor", Actor: "system:executor"})
	require.NoError(t, err)
	require.NoError(t, journal.Flush(t.Context()))
	return journal
}

func call(seq int) run.RecordCall {
	return run.RecordCall{Seq: seq, Tool: "web.getJSON", Args: json.RawMessage(`["https://api.example.test/"]`), Effect: run.EffectRead}
}

// Recorded events are in the stream from the next flush on, in order, with their metadata and chain.
func TestJournal(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	c := on(log)
	journal := startRun(t, c)
	require.Len(t, records(t, log, "run-r1"), 1)

	require.NoError(t, journal.Record(ctx, call(1)))
	require.NoError(t, journal.Record(ctx, run.RecordReturn{Seq: 1, Result: json.RawMessage(`{"a":"<b>"}`), MS: 20}))
	require.NoError(t, journal.Record(ctx, run.WriteLog{Lines: []run.LogLine{{Level: "info", Text: "hello"}}}))
	require.Len(t, records(t, log, "run-r1"), 1)
	require.NoError(t, journal.Flush(ctx))
	require.Len(t, records(t, log, "run-r1"), 4)
	require.NoError(t, journal.Flush(ctx), "nothing to do")
	require.NoError(t, journal.Record(ctx, run.WriteLog{Lines: []run.LogLine{{Level: "info", Text: strings.Repeat("x", 300<<10)}}}))
	require.Len(t, records(t, log, "run-r1"), 5, "much is not held back")

	end, err := journal.End(ctx, run.End{Output: json.RawMessage(`1`)})
	require.NoError(t, err)
	stored := records(t, log, "run-r1")
	require.Len(t, stored, 6)
	require.Equal(t, stored[5].Position, end)

	loaded, err := c.LoadRun(ctx, "r1")
	require.NoError(t, err)
	require.Equal(t, journal.State(), loaded)
	require.True(t, loaded.Ended)
	require.JSONEq(t, `{"a":"<b>"}`, string(loaded.Calls[0].Result))
	require.NoError(t, c.VerifyChains(ctx, []string{"run-r1"}))
	ids := map[string]bool{}
	for recorded, err := range c.History(ctx, []string{"run-r1"}) {
		require.NoError(t, err)
		require.Equal(t, "workflow:w1", recorded.Metadata.Subject)
		require.Equal(t, "cor", recorded.Metadata.CorrelationID)
		require.Equal(t, "start", recorded.Metadata.CausationID)
		require.Equal(t, "system:executor", recorded.Metadata.Actor)
		ids[recorded.Metadata.EventID] = true
	}
	require.Len(t, ids, 6)
}

// Exactly one of those who claim a run gets it, also if they send the same command.
func TestOneExecutorGetsTheRun(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	processes := []*commands.Commands{on(log), on(log)}
	var won, lost atomic.Int32
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			journal, err := processes[i%2].StartRun(t.Context(), startR1, commands.Meta{CommandID: "start", Actor: "system:executor"})
			if err == nil {
				err = journal.Flush(t.Context())
			}
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, commands.ErrRunLost):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Equal(t, int32(1), won.Load())
	require.Equal(t, int32(15), lost.Load())
	require.Len(t, records(t, log, "run-r1"), 1)
}

// A claim is in the log with the run's first durable event, or by itself in a moment. The revision decides: a node that had claimed the
// run before keeps it.
func TestClaimIsAppendedWithTheFirstDurableEvent(t *testing.T) {
	t.Parallel()
	meta := commands.Meta{CommandID: "start", Actor: "system:executor"}
	t.Run("with the next event", func(t *testing.T) {
		t.Parallel()
		ctx, log := t.Context(), openLog(t)
		journal, err := on(log).StartRun(ctx, startR1, meta)
		require.NoError(t, err)
		require.NoError(t, journal.Record(ctx, call(1)))
		require.NoError(t, journal.Flush(ctx))
		stored := records(t, log, "run-r1")
		require.Len(t, stored, 2)
		require.Equal(t, "RunStarted", stored[0].Type)
	})
	t.Run("by itself", func(t *testing.T) {
		t.Parallel()
		ctx, log := t.Context(), openLog(t)
		hint, release := log.Wake()
		defer release()
		_, err := on(log).StartRun(ctx, startR1, meta)
		require.NoError(t, err)
		for len(records(t, log, "run-r1")) == 0 {
			<-hint
		}
	})
	t.Run("not from another", func(t *testing.T) {
		t.Parallel()
		ctx, log := t.Context(), openLog(t)
		startRun(t, on(log))
		journal, err := on(log).StartRun(ctx, startR1, meta)
		require.NoError(t, err)
		require.NoError(t, journal.Record(ctx, call(1)))
		require.ErrorIs(t, journal.Flush(ctx), commands.ErrRunLost)
		require.Len(t, records(t, log, "run-r1"), 1)
	})
}

// A journal that was overtaken appends nothing more.
func TestOvertakenJournal(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	c := on(log)
	mine := startRun(t, c)
	other, err := c.ReopenRun(ctx, "r1", commands.Meta{Actor: "system:sweep"})
	require.NoError(t, err)
	_, err = other.End(ctx, run.End{Failure: &failure.Failure{Class: failure.Internal, Message: "interrupted"}})
	require.NoError(t, err)

	require.NoError(t, mine.Record(ctx, call(1)))
	err = mine.Flush(ctx)
	conflict, ok := errors.AsType[*eventlog.ConflictError](err)
	require.True(t, ok, "got %v", err)
	require.Equal(t, eventlog.ConflictError{Stream: "run-r1", Expected: 0, Actual: 1}, *conflict)
	require.Equal(t, err, mine.Record(ctx, run.WriteLog{Lines: []run.LogLine{{Text: "x"}}}))
	require.Equal(t, err, mine.Flush(ctx))
	require.Len(t, records(t, log, "run-r1"), 2)
}

// After a lost answer nothing more is appended: whether the events are there is not known.
func TestJournalAfterALostAnswer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	log := &troubled{Log: openLog(t)}
	journal := startRun(t, on(log))
	log.afterAppend = func() error { return errors.New("connection lost") }
	require.NoError(t, journal.Record(ctx, call(1)))
	require.ErrorContains(t, journal.Flush(ctx), "connection lost")
	log.afterAppend = nil
	require.ErrorContains(t, journal.Flush(ctx), "connection lost")
	require.Len(t, records(t, log, "run-r1"), 2)

	reopened, err := on(log).ReopenRun(ctx, "r1", commands.Meta{Actor: "system:sweep"})
	require.NoError(t, err)
	require.Len(t, reopened.State().Calls, 1)
}

// A refused command records nothing, and the journal goes on.
func TestJournalRefuses(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	journal := startRun(t, on(log))
	require.Equal(t, fault.Conflict, fault.KindOf(journal.Record(ctx, call(2))))
	require.NoError(t, journal.Record(ctx, call(1)))
	require.NoError(t, journal.Flush(ctx))
	require.Len(t, records(t, log, "run-r1"), 2)
}

// Rule: each recorded result and log line comes back. Large ones take several events and appends, none larger than
// the log takes.
func TestLargeAnswersComeBack(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	c := on(log)
	journal := startRun(t, c)
	for i, text := range []string{
		strings.Repeat("x", 3<<20), strings.Repeat("\u0000\"<", 300<<10), strings.Repeat("多", 600<<10), strings.Repeat("é", 40<<10),
	} {
		result, err := json.Marshal(text)
		require.NoError(t, err)
		require.NoError(t, journal.Record(ctx, call(i+1)))
		require.NoError(t, journal.Record(ctx, run.RecordReturn{Seq: i + 1, Result: result, MS: 5}))
	}
	lines := make([]run.LogLine, 2000)
	for i := range lines {
		lines[i] = run.LogLine{Level: "info", Text: strings.Repeat("l", 700)}
	}
	require.NoError(t, journal.Record(ctx, run.WriteLog{Lines: lines}))
	_, err := journal.End(ctx, run.End{Output: json.RawMessage(`null`)})
	require.NoError(t, err)

	loaded, err := c.LoadRun(ctx, "r1")
	require.NoError(t, err)
	want := journal.State()
	require.Len(t, loaded.Calls, len(want.Calls))
	for i, made := range loaded.Calls {
		require.True(t, made.Returned)
		require.True(t, bytes.Equal(want.Calls[i].Result, made.Result), "call %d", i+1)
	}
	require.Equal(t, lines, loaded.Log)
	require.True(t, loaded.Ended)
	require.NoError(t, c.VerifyChains(ctx, []string{"run-r1"}))
}

// An event that no append can hold is refused, and the journal can say so.
func TestTooLargeCall(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	journal := startRun(t, on(log))
	args, err := json.Marshal([]string{"a.txt", strings.Repeat("x", eventlog.MaxAppendBytes)})
	require.NoError(t, err)
	err = journal.Record(ctx, run.RecordCall{Seq: 1, Tool: "files.write", Args: args, Effect: run.EffectWrite})
	require.ErrorIs(t, err, commands.ErrTooLarge)
	require.ErrorContains(t, err, "run-r1")
	_, err = journal.End(ctx, run.End{Failure: &failure.Failure{Class: failure.Limit, Message: "too large"}})
	require.NoError(t, err)
	require.Len(t, records(t, log, "run-r1"), 2)
}

// Rule: the stream has every recorded event and its chain is whole, however records and flushes alternate, and also
// when another process goes on.
func TestJournalAnyWay(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	c := on(log)
	number := 0
	rapid.Check(t, func(r *rapid.T) {
		number++
		start := startR1
		start.Run = fmt.Sprintf("r%d", number)
		journal, err := c.StartRun(ctx, start, ann)
		require.NoError(t, err)
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			switch rapid.IntRange(0, 4).Draw(r, "step") {
			case 0:
				require.NoError(t, journal.Flush(ctx))
			case 1:
				require.NoError(t, journal.Flush(ctx))
				journal, err = c.ReopenRun(ctx, start.Run, commands.Meta{Actor: "system:executor"})
				require.NoError(t, err)
			case 2:
				size := rapid.SampledFrom([]int{1, 100, 300 << 10}).Draw(r, "log bytes")
				require.NoError(t, journal.Record(ctx, run.WriteLog{Lines: []run.LogLine{{Level: "info", Text: strings.Repeat("z", size)}}}))
			default:
				seq := len(journal.State().Calls) + 1
				require.NoError(t, journal.Record(ctx, call(seq)))
				result, err := json.Marshal(rapid.String().Draw(r, "result"))
				require.NoError(t, err)
				require.NoError(t, journal.Record(ctx, run.RecordReturn{Seq: seq, Result: result}))
			}
		}
		require.NoError(t, journal.Flush(ctx))
		loaded, err := c.LoadRun(ctx, start.Run)
		require.NoError(t, err)
		want, err := json.Marshal(journal.State())
		require.NoError(t, err)
		got, err := json.Marshal(loaded)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
		require.NoError(t, c.VerifyChains(ctx, []string{"run-" + start.Run}))
	})
}

// A run that nobody has started is not there.
func TestUnknownRun(t *testing.T) {
	t.Parallel()
	c := on(openLog(t))
	_, err := c.LoadRun(t.Context(), "r404")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.ErrorContains(t, err, `"r404"`)
	_, err = c.ReopenRun(t.Context(), "r404", ann)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = c.StartRun(t.Context(), run.Start{Run: "r1"}, ann)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = c.StartRun(t.Context(), startR1, commands.Meta{})
	require.ErrorContains(t, err, "actor")
}

// A run with an event of an unknown type cannot be gone on with.
func TestUnknownEventTypeInARun(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	startRun(t, c)
	appendRaw(t, log, "run-r1", 0, "FromTheFuture", `{}`)
	_, err := c.ReopenRun(t.Context(), "r1", ann)
	unknown, ok := errors.AsType[*event.UnknownTypeError](err)
	require.True(t, ok, "got %v", err)
	require.Equal(t, "FromTheFuture", unknown.Type)
	require.ErrorContains(t, err, "run-r1 revision 1")
}

// meeting is a log in which something happens right before a pair of appends.
type meeting struct {
	eventlog.Log
	before func()
	pairs  int
}

func (m *meeting) AppendPair(ctx context.Context, first, second eventlog.Batch) ([]eventlog.Appended, error) {
	m.pairs++
	m.before()
	return eventlog.AppendPair(ctx, m.Log, first, second)
}

// The end of a run and what its workflow makes of it come in one append, the end first. If the workflow has gone on, it is
// decided again behind the end; if the run is another's by now, neither is there.
func TestRunEndsAndIsSettledInOneAppend(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		before  func(t *testing.T, other *commands.Commands)
		settled bool
	}{
		"as it is":             {func(*testing.T, *commands.Commands) {}, true},
		"the workflow goes on": {func(t *testing.T, other *commands.Commands) { changeIntent(t, other) }, true},
		"the run is lost": {func(t *testing.T, other *commands.Commands) {
			journal, err := other.ReopenRun(t.Context(), "r1", as("resume"))
			require.NoError(t, err)
			require.NoError(t, journal.Record(t.Context(), run.Resume{Node: "there", LeaseUntil: noon, Alone: true}))
			require.NoError(t, journal.Flush(t.Context()))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, log := t.Context(), openLog(t)
			met := &meeting{Log: log, before: func() { of.before(t, on(log)) }}
			c := on(met)
			create(t, c, "w1")
			_, err := c.SaveScript(ctx, "w1", workflow.SaveScript{ScriptID: "s1", Code: "async function main() {}", Comment: "first", Origin: workflow.OriginPerson}, as("save"))
			require.NoError(t, err)
			_, err = c.ActivateWorkflow(ctx, "w1", workflow.Activate{}, as("activate"))
			require.NoError(t, err)
			_, err = c.AdmitRun(ctx, "w1", workflow.AdmitRun{Run: "r1", Trigger: workflow.TriggerManual}, as("admit"))
			require.NoError(t, err)
			journal := startRun(t, c)
			before := len(records(t, log, "workflow-w1"))

			require.NoError(t, journal.Record(ctx, run.End{Output: json.RawMessage(`1`)}))
			err = c.SettleRunOf(ctx, journal, "w1", workflow.SettleRun{Run: "r1"}, as("settle"))
			require.Equal(t, 1, met.pairs)
			if !of.settled {
				require.ErrorIs(t, err, commands.ErrRunLost)
				require.Len(t, records(t, log, "workflow-w1"), before)
				require.Equal(t, "RunResumed", records(t, log, "run-r1")[1].Type)
				return
			}
			require.NoError(t, err)
			ended := records(t, log, "run-r1")
			require.Len(t, ended, 2)
			stored := records(t, log, "workflow-w1")
			settled := stored[len(stored)-1]
			require.Equal(t, "RunSucceeded", settled.Type)
			require.Less(t, ended[1].Position, settled.Position)
			require.NoError(t, c.VerifyChains(ctx, []string{"run-r1", "workflow-w1"}))
			state, err := c.LoadWorkflow(ctx, "w1")
			require.NoError(t, err)
			require.Empty(t, state.Admitted)
		})
	}
}

func changeIntent(t *testing.T, c *commands.Commands) {
	t.Helper()
	_, err := c.ChangeIntent(t.Context(), "w1", workflow.ChangeIntent{Intent: "Something else"}, as("intent"))
	require.NoError(t, err)
}
