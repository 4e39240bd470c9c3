package commands_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// A command id that is in the stream gives back its first result, to every caller, also after later events.
func TestRepeatedCommandGivesItsFirstResult(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	c := on(log)
	create(t, c, "w1")
	save := workflow.SaveScript{Code: "function main() { return 2 }", Comment: "second", Origin: workflow.OriginPerson}
	first, err := c.SaveScript(ctx, "w1", save, as("save-2"))
	require.NoError(t, err)
	require.False(t, first.Repeated)
	require.Len(t, first.Events, 1)

	_, err = c.PauseWorkflow(ctx, "w1", workflow.Pause{}, ann)
	require.NoError(t, err)
	before := records(t, log, "workflow-w1")
	for name, again := range map[string]*commands.Commands{"same process": c, "another process": on(log)} {
		second, err := again.SaveScript(ctx, "w1", save, as("save-2"))
		require.NoError(t, err, name)
		require.True(t, second.Repeated, name)
		second.Repeated = false
		require.Equal(t, first, second, name)
	}
	require.Equal(t, before, records(t, log, "workflow-w1"))
}

// A key that a caller chose is bound to one request. A command of before requests were told apart repeats as it did.
func TestAKeyOfAnotherRequestIsRefused(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	c := on(log)
	create(t, c, "w1")
	keyed := func(cause string) commands.Meta {
		return commands.Meta{CommandID: "key", CausationID: cause, Keyed: cause != "", Actor: "person:ann"}
	}
	_, err := c.PauseWorkflow(ctx, "w1", workflow.Pause{Reason: "a"}, keyed("request:a"))
	require.NoError(t, err)
	for _, again := range []*commands.Commands{c, on(log)} {
		same, err := again.PauseWorkflow(ctx, "w1", workflow.Pause{Reason: "a"}, keyed("request:a"))
		require.NoError(t, err)
		require.True(t, same.Repeated)
		_, err = again.PauseWorkflow(ctx, "w1", workflow.Pause{Reason: "b"}, keyed("request:b"))
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
	}
	create(t, c, "w2")
	_, err = c.PauseWorkflow(ctx, "w2", workflow.Pause{}, keyed(""))
	require.NoError(t, err)
	old, err := c.PauseWorkflow(ctx, "w2", workflow.Pause{}, keyed("request:c"))
	require.NoError(t, err)
	require.True(t, old.Repeated)
}

// One command id may be used on two streams: they are two commands, with events of their own.
func TestCommandIDOnTwoStreams(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	var ids []string
	for _, id := range []string{"w1", "w2"} {
		result, err := c.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: "t"}, as("create"))
		require.NoError(t, err)
		require.False(t, result.Repeated)
		ids = append(ids, result.Events[0].Metadata.EventID)
	}
	require.NotEqual(t, ids[0], ids[1])
}

// A caller that does not know whether its append happened asks again with the same command
// id: it happens once.
func TestLostAnswerOfAnAppend(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c := on(log)
	create(t, c, "w1")
	log.afterAppend = func() error { return errors.New("connection lost") }
	_, err := c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, as("pause"))
	require.ErrorContains(t, err, "connection lost")
	require.ErrorContains(t, err, "workflow-w1")
	require.ErrorContains(t, err, "workflow.Pause")

	log.afterAppend = nil
	result, err := c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, as("pause"))
	require.NoError(t, err)
	require.True(t, result.Repeated)
	require.Len(t, result.Events, 1)
	require.Len(t, records(t, log, "workflow-w1"), 4)
}

// Writers of two processes on one stream lose nothing and repeat nothing: the second one decides again on the new
// state.
func TestConcurrentWritersOfTwoProcesses(t *testing.T) {
	t.Parallel()
	// A process appends less often than the other tries again, so that no command gives up however they alternate.
	const writers, each = 12, 5
	ctx, log := t.Context(), openLog(t)
	processes := []*commands.Commands{on(log), on(log)}
	create(t, processes[0], "w1")
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for i := range each {
				reason := fmt.Sprintf("%d-%d", writer, i)
				_, err := processes[writer%2].SkipSlot(ctx, "w1", workflow.SkipSlot{Reason: reason}, ann)
				if err != nil {
					t.Errorf("writer %d: %v", writer, err)
					return
				}
			}
		})
	}
	group.Wait()

	var want, got []string
	for writer := range writers {
		for i := range each {
			want = append(want, fmt.Sprintf("%d-%d", writer, i))
		}
	}
	for recorded, err := range processes[0].History(ctx, []string{"workflow-w1"}) {
		require.NoError(t, err)
		if skipped, ok := recorded.Event.(workflow.SlotSkipped); ok {
			got = append(got, skipped.Reason)
		}
	}
	require.ElementsMatch(t, want, got)
	require.NoError(t, processes[0].VerifyChains(ctx, []string{"workflow-w1"}))
}

// Commands of one process wait for each other: they never conflict.
func TestCommandsOfOneProcessTakeTurns(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c := on(log)
	create(t, c, "w1")
	var appends atomic.Int32
	log.beforeAppend = func(string) { appends.Add(1) }
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if _, err := c.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "r"}, ann); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Equal(t, int32(16), appends.Load())
}

// The same command sent by many at once, from two processes, is carried out once.
func TestSameCommandAtOnce(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	processes := []*commands.Commands{on(log), on(log)}
	create(t, processes[0], "w1")
	results := make([]commands.Result, 16)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			var err error
			results[i], err = processes[i%2].SkipSlot(ctx, "w1", workflow.SkipSlot{Reason: "late"}, as("skip"))
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Len(t, records(t, log, "workflow-w1"), 4)
	fresh := 0
	for i := range results {
		if !results[i].Repeated {
			fresh++
		}
		results[i].Repeated = false
		require.Equal(t, results[0], results[i])
	}
	require.Equal(t, 1, fresh)
}

// One command id is one command: if two decide it differently at once, the first counts.
func TestSameCommandWithOtherContent(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c, other := on(log), on(log.Log)
	create(t, c, "w1")
	log.beforeAppend = func(string) {
		log.beforeAppend = nil
		_, err := other.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "theirs"}, as("skip"))
		require.NoError(t, err)
	}
	result, err := c.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "mine"}, as("skip"))
	require.NoError(t, err)
	require.True(t, result.Repeated)
	require.Equal(t, workflow.SlotSkipped{Reason: "theirs"}, result.Events[0].Event)
	require.Len(t, records(t, log, "workflow-w1"), 4)
}

// A conflict is decided again on the new state, which may refuse.
func TestConflictIsDecidedOnTheNewState(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c, other := on(log), on(log.Log)
	create(t, c, "w1")
	log.beforeAppend = func(string) {
		log.beforeAppend = nil
		_, err := other.ArchiveWorkflow(t.Context(), "w1", workflow.Archive{}, ann)
		require.NoError(t, err)
	}
	_, err := c.SaveScript(t.Context(), "w1",
		workflow.SaveScript{Code: "function main() { return 2 }", Comment: "second", Origin: workflow.OriginPerson}, ann)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.ErrorContains(t, err, "archived")
	require.Len(t, records(t, log, "workflow-w1"), 4)
}

// Deciding again is bounded: somebody who is always first does not keep a command for ever.
func TestEndlessConflictEnds(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c, other := on(log), on(log.Log)
	create(t, c, "w1")
	rivals := 0
	log.beforeAppend = func(string) {
		rivals++
		_, err := other.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "rival"}, ann)
		require.NoError(t, err)
	}
	_, err := c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, ann)
	conflict, ok := errors.AsType[*eventlog.ConflictError](err)
	require.True(t, ok, "got %v", err)
	require.Equal(t, "workflow-w1", conflict.Stream)
	require.Equal(t, 1+32, rivals, "once on the fold that was kept")
}

// Nothing to do is a success without an append, seen up to where the stream ends.
func TestEmptyDecision(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w1")
	paused, err := c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, ann)
	require.NoError(t, err)
	again, err := c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, ann)
	require.NoError(t, err)
	require.Equal(t, commands.Result{Stream: "workflow-w1", Position: paused.Position}, again)
	require.Len(t, records(t, log, "workflow-w1"), 4)
}

// The pipeline sets all metadata, and what was not given has a default.
func TestMetadata(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w1")
	given := commands.Meta{
		CommandID: "cmd", CorrelationID: "repair-7", CausationID: "event-3", Actor: "maintainer:t1",
		Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}
	result, err := c.PauseWorkflow(t.Context(), "w1", workflow.Pause{Reason: "why"}, given)
	require.NoError(t, err)
	require.Len(t, result.Events, 1)
	record := records(t, log, "workflow-w1")[3]
	_, hash, err := hashchain.Unseal(record.Metadata)
	require.NoError(t, err)
	want := event.Metadata{
		EventID: commands.DerivedID("cmd", "workflow-w1", "0"), SchemaVersion: 1, Subject: "workflow:w1",
		CorrelationID: "repair-7", CausationID: "event-3", CommandID: "cmd", Actor: "maintainer:t1", RecordedAt: noon,
		Traceparent: given.Traceparent, Hash: hash.String(),
	}
	require.Equal(t, event.Recorded{
		Stream: "workflow-w1", Revision: 3, Position: string(result.Position), Metadata: want, Event: workflow.WorkflowPaused{Reason: "why"},
	}, result.Events[0])
	var stored event.Metadata
	require.NoError(t, json.Unmarshal(record.Metadata, &stored))
	require.Equal(t, want, stored)
	require.Equal(t, want.EventID, record.ID)
	require.Equal(t, uuid.Version(5), uuid.MustParse(record.ID).Version())

	result, err = c.ActivateWorkflow(t.Context(), "w1", workflow.Activate{}, ann)
	require.NoError(t, err)
	defaults := result.Events[0].Metadata
	require.NotEmpty(t, defaults.CommandID)
	require.Equal(t, defaults.CommandID, defaults.CorrelationID)
	require.Equal(t, defaults.CommandID, defaults.CausationID)

	_, err = c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, commands.Meta{})
	require.ErrorContains(t, err, "actor")
}

// Ids are derived from the parts and from where one part ends and the next begins.
func TestDerivedID(t *testing.T) {
	t.Parallel()
	first := commands.DerivedID("a", "b")
	require.Equal(t, first, commands.DerivedID("a", "b"))
	require.NotEqual(t, commands.DerivedID("ab", "c"), commands.DerivedID("a", "bc"))
	require.NotEqual(t, commands.DerivedID("1:a"), commands.DerivedID("a"))
	require.NotEqual(t, commands.DerivedID("a", ""), commands.DerivedID("a"))
}

// Commands on what is not there name it.
func TestUnknownWorkflow(t *testing.T) {
	t.Parallel()
	c := on(openLog(t))
	_, err := c.PauseWorkflow(t.Context(), "w404", workflow.Pause{}, ann)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.ErrorContains(t, err, `"w404"`)
	_, err = c.LoadWorkflow(t.Context(), "w404")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.ErrorContains(t, err, `"w404"`)
}

// A script that cannot be one is refused with the place, before anything is stored.
func TestScriptThatDoesNotParse(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w1")
	_, err := c.SaveScript(t.Context(), "w1", workflow.SaveScript{Code: "syntax error", Origin: workflow.OriginPerson}, ann)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorIs(t, err, errNotParsed)
	require.ErrorContains(t, err, "line 3, column 14")
	require.Len(t, records(t, log, "workflow-w1"), 3)
}

// appendRaw puts an event into the log that did not come through the pipeline.
func appendRaw(t *testing.T, log eventlog.Log, stream string, after int64, name, payload string) {
	t.Helper()
	before, event := continued(t, log, stream, name, payload)
	require.Equal(t, after, before.Revision)
	_, err := log.Append(t.Context(), stream, eventlog.At(after), []eventlog.Event{event})
	require.NoError(t, err)
}

// An event that this program does not know stops a command, with its place and type.
func TestUnknownEventType(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w1")
	appendRaw(t, log, "workflow-w1", 2, "FromTheFuture", `{}`)
	for name, reader := range map[string]*commands.Commands{"folded before": c, "folded now": on(log)} {
		_, err := reader.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, ann)
		unknown, ok := errors.AsType[*event.UnknownTypeError](err)
		require.True(t, ok, "%s: got %v", name, err)
		require.Equal(t, "FromTheFuture", unknown.Type)
		require.ErrorContains(t, err, "workflow-w1 revision 3 (FromTheFuture)", name)
		require.Equal(t, fault.Internal, fault.KindOf(err))
	}
	require.Len(t, records(t, log, "workflow-w1"), 4)
}

// Bytes that are not an event of their type, or no metadata, stop a command with the place.
func TestUnreadableEvent(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w1")
	appendRaw(t, log, "workflow-w1", 2, workflow.TypeWorkflowPaused, `{"reason":7}`)
	_, err := c.LoadWorkflow(t.Context(), "w1")
	require.ErrorContains(t, err, "workflow-w1 revision 3 (WorkflowPaused)")

	create(t, c, "w2")
	_, err = log.Append(t.Context(), "workflow-w2", eventlog.Exact(2), []eventlog.Event{{
		ID: uuid.NewString(), Type: workflow.TypeWorkflowPaused, SchemaVersion: 1, Payload: []byte(`{}`), Metadata: []byte(`{}`),
	}})
	require.NoError(t, err)
	_, err = c.LoadWorkflow(t.Context(), "w2")
	require.ErrorContains(t, err, "workflow-w2 revision 3 (WorkflowPaused)")
	require.ErrorContains(t, err, "metadata")
}

// A stream with a hole is not folded.
func TestMissingRevision(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	create(t, on(log), "w1")
	log.onRecord = func(record eventlog.Record) (eventlog.Record, bool) { return record, record.Revision != 1 }
	_, err := on(log).LoadWorkflow(t.Context(), "w1")
	require.ErrorContains(t, err, "workflow-w1: revision 2 follows 0")
}

// A stream that was folded before is read from where the fold ends, and not at all if that was a moment
// ago: the append tells whether the fold was old.
func TestHotStreamIsNotReadAgain(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	now := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	c := onClock(log, func() time.Time { return now })
	create(t, c, "w1")
	var read []int64
	log.onRecord = func(record eventlog.Record) (eventlog.Record, bool) {
		read = append(read, record.Revision)
		return record, true
	}
	for range 3 {
		_, err := c.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "r"}, ann)
		require.NoError(t, err)
	}
	require.Empty(t, read)
	for _, later := range []time.Duration{time.Minute, -time.Hour} {
		now = now.Add(later)
		_, err := c.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "r"}, ann)
		require.NoError(t, err)
	}
	require.Equal(t, []int64{5, 6}, read, "only the event that the fold ends with")

	_, err := on(log.Log).SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "another process"}, ann)
	require.NoError(t, err)
	read = nil
	_, err = c.LoadWorkflow(t.Context(), "w1")
	require.NoError(t, err)
	require.Equal(t, []int64{7, 8}, read)
}

// An answer from a fold that another process has gone beyond is not final: a refusal, "nothing to do" and "not
// carried out yet" are all checked against the stream's end.
func TestOldFoldIsNotTheLastWord(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c, other := on(log), on(log)
	create(t, c, "w1")

	_, err := other.ArchiveWorkflow(t.Context(), "w1", workflow.Archive{}, ann)
	require.NoError(t, err)
	result, err := c.RestoreWorkflow(t.Context(), "w1", workflow.Restore{}, ann) // refused if it is not archived
	require.NoError(t, err)
	require.Len(t, result.Events, 1)

	_, err = other.ActivateWorkflow(t.Context(), "w1", workflow.Activate{}, ann)
	require.NoError(t, err)
	result, err = c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, ann) // nothing to do where it is paused, as after a restore
	require.NoError(t, err)
	require.Len(t, result.Events, 1)

	same := ann
	same.CommandID = "0190a1b2-0000-7000-8000-00000000000a"
	_, err = other.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "r"}, same)
	require.NoError(t, err)
	result, err = c.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "r"}, same)
	require.NoError(t, err)
	require.True(t, result.Repeated)
	last := records(t, log, "workflow-w1")[8-1:]
	require.Len(t, last, 1)
}

// A reader that waits for a revision gets the fold in memory if it reaches that far; otherwise the stream is read.
func TestWorkflowSince(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c, other := on(log), on(log.Log)
	create(t, c, "w1")
	last := int64(len(records(t, log.Log, "workflow-w1")) - 1)
	_, err := other.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, ann)
	require.NoError(t, err)
	reads := 0
	log.onRecord = func(record eventlog.Record) (eventlog.Record, bool) {
		reads++
		return record, true
	}
	state, err := c.WorkflowSince(t.Context(), "w1", last)
	require.NoError(t, err)
	require.NotEqual(t, workflow.StatusPaused, state.Status)
	require.Zero(t, reads)
	state, err = c.WorkflowSince(t.Context(), "w1", last+1)
	require.NoError(t, err)
	require.Equal(t, workflow.StatusPaused, state.Status)
	require.Equal(t, 2, reads)
	_, err = c.WorkflowSince(t.Context(), "w2", 0)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// A fold that does not belong to this log any more is dropped: the log was replaced, by one
// with as many events or with fewer.
func TestFoldOfAnotherLogIsDropped(t *testing.T) {
	t.Parallel()
	for name, saves := range map[string]int{"as many": 2, "fewer": 0, "more": 4} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &troubled{Log: openLog(t)}
			c := on(log)
			create(t, c, "w1")
			before, err := c.LoadWorkflow(t.Context(), "w1")
			require.NoError(t, err)
			require.Equal(t, "Refunds of w1", before.Title)

			log.Log = openLog(t)
			other := on(log.Log)
			_, err = other.CreateWorkflow(t.Context(), workflow.Create{ID: "w1", Title: "Another"}, ann)
			require.NoError(t, err)
			for range saves {
				_, err = other.SkipSlot(t.Context(), "w1", workflow.SkipSlot{Reason: "r"}, ann)
				require.NoError(t, err)
			}
			after, err := c.LoadWorkflow(t.Context(), "w1")
			require.NoError(t, err)
			require.Equal(t, "Another", after.Title)
			require.Equal(t, workflow.StatusDraft, after.Status)
		})
	}
}

// More streams than folds are kept change nothing but the time it takes.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	c := on(openLog(t))
	const many = 300
	for round := range 2 {
		for i := range many {
			id := fmt.Sprintf("w%d", i)
			var err error
			if round == 0 {
				_, err = c.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: id}, ann)
			} else {
				_, err = c.ChangeIntent(t.Context(), id, workflow.ChangeIntent{Intent: "x"}, ann)
			}
			require.NoError(t, err)
		}
	}
	for i := range many {
		loaded, err := c.LoadWorkflow(t.Context(), fmt.Sprintf("w%d", i))
		require.NoError(t, err)
		require.Equal(t, "x", loaded.Intent)
	}
}

// Rule: decisions on folds from memory are those on a fold of the whole stream.
func TestKeptFoldIsTheWholeFold(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	number := 0
	rapid.Check(t, func(r *rapid.T) {
		number++
		id := fmt.Sprintf("w%d", number)
		c := on(log)
		create(t, c, id)
		for range rapid.IntRange(1, 8).Draw(r, "commands") {
			by := rapid.SampledFrom([]*commands.Commands{c, on(log)}).Draw(r, "process")
			var err error
			switch rapid.IntRange(0, 4).Draw(r, "command") {
			case 0:
				_, err = by.PauseWorkflow(t.Context(), id, workflow.Pause{Reason: rapid.String().Draw(r, "reason")}, ann)
			case 1:
				_, err = by.ActivateWorkflow(t.Context(), id, workflow.Activate{}, ann)
			case 2:
				_, err = by.ChangeIntent(t.Context(), id, workflow.ChangeIntent{Intent: rapid.String().Draw(r, "intent")}, ann)
			case 3:
				_, err = by.ChangeSchedule(t.Context(), id, workflow.ChangeSchedule{
					Spec: "@daily", Input: json.RawMessage(`{ "a" : "<b>", "n": 1e3 }`),
				}, ann)
			case 4:
				_, err = by.RollbackScript(t.Context(), id, workflow.Rollback{To: workflow.Version{Major: 1}}, ann)
			}
			require.NoError(t, err)
		}
		kept, err := c.LoadWorkflow(t.Context(), id)
		require.NoError(t, err)
		whole, err := on(log).LoadWorkflow(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, whole, kept)
		require.NoError(t, c.VerifyChains(t.Context(), []string{"workflow-" + id}))
	})
}

// A command that waits for others of its process gives up when its context ends.
func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c := on(log)
	create(t, c, "w1")
	begun, goOn := make(chan struct{}), make(chan struct{})
	log.beforeAppend = func(string) { close(begun); <-goOn }
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := c.PauseWorkflow(t.Context(), "w1", workflow.Pause{}, ann); err != nil {
			t.Error(err)
		}
	})
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.SkipSlot(ctx, "w1", workflow.SkipSlot{Reason: "r"}, ann)
	require.ErrorIs(t, err, context.Canceled)
	close(goOn)
	group.Wait()
	require.Len(t, records(t, log, "workflow-w1"), 4)
}

// A dependency that is missing is found when the program starts.
func TestNewPanicsWithoutADependency(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "commands: New without Now", func() {
		commands.New(commands.Config{
			Log: openLog(t), Codec: newCodec(), NewID: uuid.NewString, CheckScript: checkScript,
		})
	})
}

// A changed byte of what is stored is found, at its event.
func TestChangedBytesAreFound(t *testing.T) {
	t.Parallel()
	log := &troubled{Log: openLog(t)}
	c := on(log)
	create(t, c, "w1")
	require.NoError(t, c.VerifyChains(t.Context(), []string{"workflow-w1"}))
	log.onRecord = func(record eventlog.Record) (eventlog.Record, bool) {
		if record.Revision == 1 {
			record.Payload = slices.Clone(record.Payload)
			record.Payload[20] ^= 1
		}
		return record, true
	}
	broken, ok := errors.AsType[*hashchain.BrokenError](c.VerifyChains(t.Context(), []string{"workflow-w1"}))
	require.True(t, ok)
	require.Equal(t, int64(1), broken.Revision)
	require.Equal(t, workflow.TypeScriptSaved, broken.Type)
}
