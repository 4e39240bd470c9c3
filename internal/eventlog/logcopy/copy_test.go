package logcopy_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
)

// A copy has every event of the source, byte for byte and in the same order, and says what it
// has; a second copy brings what is new, and a third one nothing.
func TestCopy(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from, to := newLog(t), newLog(t)
	h := newHistory(t, from)
	for _, n := range []int{0, 700, 30, 0} {
		before := content(t, from)
		h.grow(n)
		var told []string
		watched := options
		watched.Progress = func(stage logcopy.Stage, done, total int64) {
			require.True(t, done <= total || total == -1, "%s: %d of %d", stage, done, total)
			if len(told) == 0 || told[len(told)-1] != string(stage) {
				told = append(told, string(stage))
			}
		}
		result, err := logcopy.Copy(ctx, from, to, watched)
		require.NoError(t, err)
		want := content(t, from)
		require.Equal(t, want, content(t, to))
		require.Equal(t, int64(len(want)), result.Events)
		require.Equal(t, int64(len(before)), result.Present)
		require.Equal(t, int64(len(want)-len(before)), result.Copied)
		require.Equal(t, len(h.heads), result.Streams)
		require.False(t, result.Grown)
		for _, side := range []struct {
			log  eventlog.Log
			last eventlog.Checkpoint
		}{{from, result.From}, {to, result.To}} {
			last, err := eventlog.CheckpointAt(ctx, side.log, eventlog.End)
			require.NoError(t, err)
			require.Equal(t, last, side.last)
		}
		if n > 0 {
			require.Equal(t, []string{"checking", "copying", "verifying"}, told)
			require.Positive(t, result.Chained)
			require.Less(t, result.Chained, result.Streams)
		}
	}
}

// Whenever a copy is stopped, before or after an append took effect, the next one goes on where the
// target ends and copies nothing twice. So it is with a log that takes appends one by one, and with one that
// takes many together.
func TestStoppedAnywhere(t *testing.T) {
	t.Parallel()
	from := newLog(t)
	h := newHistory(t, from)
	h.grow(300)
	want := content(t, from)
	targets := map[string]func(log eventlog.Log, before func(n int) error) eventlog.Log{
		"one by one": func(log eventlog.Log, before func(n int) error) eventlog.Log {
			return &hooked{Log: log, before: before}
		},
		"together": func(log eventlog.Log, before func(n int) error) eventlog.Log {
			return &together{Log: log, few: 2, before: before}
		},
	}
	stops := map[string]func(cancel func()) error{
		"before an append": func(func()) error { return eventlog.ErrUnavailable },
		"cancelled": func(cancel func()) error {
			cancel()
			return nil
		},
	}
	for targetName, target := range targets {
		for stopName, stop := range stops {
			t.Run(targetName+", "+stopName, func(t *testing.T) {
				t.Parallel()
				inner := newLog(t)
				present := int64(0)
				for round := 1; ; round++ {
					ctx, cancel := context.WithCancel(t.Context())
					to := target(inner, func(n int) error {
						if n == 1+round%5 {
							return stop(cancel)
						}
						return nil
					})
					result, err := logcopy.Copy(ctx, from, to, options)
					cancel()
					if err == nil {
						require.GreaterOrEqual(t, round, 10, "it was stopped many times")
						require.Equal(t, int64(len(want)), result.Events)
						break
					}
					require.Less(t, round, 200)
					there := content(t, inner)
					requireBeginning(t, want, there)
					require.GreaterOrEqual(t, int64(len(there)), present)
					present = int64(len(there))
				}
				require.Equal(t, want, content(t, inner))
			})
		}
	}
}

const (
	sourceVariable = "LOGCOPY_TEST_SOURCE"
	targetVariable = "LOGCOPY_TEST_TARGET"
)

// copyAsProcess is a process that copies until it is killed.
func copyAsProcess(source, target string) {
	ctx := context.Background()
	from, err := openPath(ctx, source)
	if err == nil {
		var log eventlog.Log
		if log, err = openPath(ctx, target); err == nil {
			_, err = logcopy.Copy(ctx, from, &together{Log: log, few: 4, before: func(int) error {
				fmt.Fprintln(os.Stdout, "appending")
				_, err := os.Stdin.Read(make([]byte, 1)) // goes on when it is told to
				return err
			}}, options)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A copy whose process is killed goes on where the target ends.
func TestKilled(t *testing.T) {
	t.Parallel()
	source, target := filepath.Join(t.TempDir(), "events.db"), filepath.Join(t.TempDir(), "events.db")
	from := openLog(t, source)
	h := newHistory(t, from)
	rounds := 5
	if text := os.Getenv("KINTSUGI_CAMPAIGN"); text != "" {
		times, err := strconv.Atoi(text)
		require.NoError(t, err)
		rounds *= times
	}
	h.grow(200 * rounds)
	want := content(t, from)
	seen := 0
	for range rounds {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), sourceVariable+"="+source, targetVariable+"="+target)
		var stderr bytes.Buffer
		child.Stderr = &stderr
		told, err := child.StdoutPipe()
		require.NoError(t, err)
		goOn, err := child.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(told)
		for appends := h.random.IntN(12); appends >= 0 && lines.Scan(); appends-- {
			_, err := goOn.Write([]byte{1})
			require.NoError(t, err)
		}
		// The append after the last word is under way, or is not.
		for range h.random.IntN(20_000) {
			runtime.Gosched()
		}
		require.NoError(t, child.Process.Kill())
		require.Error(t, child.Wait())
		require.Empty(t, stderr.String())
		to := openLog(t, target)
		there := content(t, to)
		requireBeginning(t, want, there)
		require.GreaterOrEqual(t, len(there), seen, "nothing is lost")
		seen = len(there)
		require.NoError(t, to.Close())
	}
	require.Less(t, seen, len(want), "it was killed before its end every time")
	result, err := logcopy.Copy(t.Context(), from, openLog(t, target), options)
	require.NoError(t, err)
	require.Equal(t, int64(len(want)), result.Events)
	require.Equal(t, want, content(t, openLog(t, target)))
}

// A target that holds anything but the beginning of the source is refused, with the first
// difference, before anything is written.
func TestTargetOfAnother(t *testing.T) {
	t.Parallel()
	from := newLog(t)
	h := newHistory(t, from)
	h.grow(50)
	whole := content(t, from)
	foreign := eventlog.Event{ID: uuid.NewString(), Type: "Foreign", SchemaVersion: 1}
	for name, test := range map[string]struct {
		fill func(to eventlog.Log)
		says string
	}{
		"something else at the beginning": {func(to eventlog.Log) {
			appendTo(t, to, "other", -1, foreign)
		}, fmt.Sprintf("event 1 of it is Foreign %s, revision 0 of stream other, in the source it is %s", foreign.ID, whole[0].Type)},
		"something else after a while": {func(to eventlog.Log) {
			for _, record := range whole[:20] {
				appendTo(t, to, record.Stream, record.Revision-1, record.Event)
			}
			appendTo(t, to, "other", -1, foreign)
		}, fmt.Sprintf("event 21 of it is Foreign %s", foreign.ID)},
		"something else at the end": {func(to eventlog.Log) {
			copied(t, from, to)
			appendTo(t, to, "other", -1, foreign)
		}, fmt.Sprintf("event %d of it is Foreign %s, revision 0 of stream other, and the source ends before it", len(whole)+1, foreign.ID)},
		"another payload": {func(to eventlog.Log) {
			other := whole[0].Event
			other.Payload = []byte("another")
			appendTo(t, to, whole[0].Stream, -1, other)
		}, "event 1 of it is " + whole[0].Type + " " + whole[0].ID + ", revision 0 of stream " + whole[0].Stream + " with another payload than in the source"},
		"another schema version": {func(to eventlog.Log) {
			other := whole[0].Event
			other.SchemaVersion = 100
			appendTo(t, to, whole[0].Stream, -1, other)
		}, "with another schema version than in the source"},
		"another metadata": {func(to eventlog.Log) {
			other := whole[0].Event
			other.Metadata = []byte("another")
			appendTo(t, to, whole[0].Stream, -1, other)
		}, "with another metadata than in the source"},
		"another type": {func(to eventlog.Log) {
			other := whole[0].Event
			other.Type = "Another"
			appendTo(t, to, whole[0].Stream, -1, other)
		}, "with another type than in the source"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := &hooked{Log: newLog(t)}
			test.fill(to.Log)
			before := content(t, to)
			_, err := logcopy.Copy(t.Context(), from, to, options)
			different, ok := errors.AsType[*logcopy.DifferenceError](err)
			require.True(t, ok, "%v", err)
			require.NotNil(t, different.Target)
			require.ErrorContains(t, err, "the target is no copy of the source")
			require.ErrorContains(t, err, test.says)
			require.Zero(t, to.calls, "nothing was written")
			require.Equal(t, before, content(t, to))
		})
	}
}

func appendTo(t *testing.T, log eventlog.Log, stream string, revision int64, event eventlog.Event) {
	t.Helper()
	_, err := log.Append(context.WithoutCancel(t.Context()), stream, eventlog.At(revision), []eventlog.Event{event})
	require.NoError(t, err)
}

func copied(t *testing.T, from, to eventlog.Log) {
	t.Helper()
	_, err := logcopy.Copy(context.WithoutCancel(t.Context()), from, to, options)
	require.NoError(t, err)
}

// The source may go on: what it had at the start is copied, and that there is more is said.
func TestSourceGrows(t *testing.T) {
	t.Parallel()
	from, to := newLog(t), newLog(t)
	h := newHistory(t, from)
	h.grow(100)
	want := content(t, from)
	growing := options
	growing.Progress = func(stage logcopy.Stage, done, total int64) { h.grow(1) }
	result, err := logcopy.Copy(t.Context(), from, to, growing)
	require.NoError(t, err)
	require.True(t, result.Grown)
	require.Equal(t, want, content(t, to))
	result, err = logcopy.Copy(t.Context(), from, to, options)
	require.NoError(t, err)
	require.False(t, result.Grown)
	require.Equal(t, content(t, from), content(t, to))
}

// Another writer to the target of a copy spoils it, and is found out: in a
// stream of the source at once, in another one by the comparison at the end.
func TestTargetIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	for stream, says := range map[string]string{"foreign-1": "somebody else wrote to the target meanwhile", "other": "the copy is not one"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			from, to := newLog(t), &hooked{Log: newLog(t)}
			h := newHistory(t, from)
			h.append("foreign-0", 3)
			h.append("foreign-1", 3)
			h.append("foreign-0", 1)
			to.before = func(n int) error {
				if n == 2 {
					appendTo(t, to.Log, stream, -1, eventlog.Event{ID: uuid.NewString(), Type: "Foreign", SchemaVersion: 1})
				}
				return nil
			}
			_, err := logcopy.Copy(t.Context(), from, to, options)
			require.ErrorContains(t, err, says)
		})
	}
}

// A source whose history was changed is not copied, nor one that lost events: nothing is written.
func TestSourceIsNotWhole(t *testing.T) {
	t.Parallel()
	from := newLog(t)
	h := newHistory(t, from)
	h.append("chained-1", 5)
	h.append("foreign-1", 5)
	for name, test := range map[string]struct {
		change func(record *eventlog.Record) bool
		says   string
	}{
		"changed": {func(record *eventlog.Record) bool {
			if record.Stream == "chained-1" && record.Revision == 2 {
				record.Payload = []byte("changed")
			}
			return true
		}, "stream chained-1 is broken at revision 2"},
		"cut at the beginning": {func(record *eventlog.Record) bool {
			return record.Stream != "foreign-1" || record.Revision > 1
		}, "stream foreign-1 is broken at revision 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := &hooked{Log: newLog(t)}
			_, err := logcopy.Copy(t.Context(), altered{from, test.change}, to, options)
			require.ErrorContains(t, err, test.says)
			require.Zero(t, to.calls)
			_, broken := errors.AsType[*hashchain.BrokenError](err)
			require.True(t, broken)
		})
	}
}

// The target's answers are compared, not trusted.
func TestTargetThatLies(t *testing.T) {
	t.Parallel()
	from := newLog(t)
	h := newHistory(t, from)
	h.grow(30)
	for name, change := range map[string]func(record *eventlog.Record) bool{
		"an event is missing":  func(record *eventlog.Record) bool { return record.Position != eventlog.PositionOf(17) },
		"a payload is changed": func(record *eventlog.Record) bool { record.Payload = append(record.Payload, ' '); return true },
		"the last one is lost": func(record *eventlog.Record) bool {
			return record.Position < eventlog.PositionOf(int64(len(content(t, from))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := logcopy.Copy(t.Context(), from, altered{newLog(t), change}, options)
			require.ErrorContains(t, err, "the copy is not one")
			_, different := errors.AsType[*logcopy.DifferenceError](err)
			require.True(t, different)
		})
	}
}
