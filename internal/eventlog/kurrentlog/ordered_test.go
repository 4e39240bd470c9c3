package kurrentlog_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// byTurns makes appends of one event to streams by turns, from a revision on, and gives the ids in their order.
func byTurns(n int, from int64, names ...string) (batches []eventlog.Batch, ids []string) {
	for i := range n {
		event := newEvent(fmt.Sprint(i))
		batches = append(batches, eventlog.Batch{
			Stream: names[i%len(names)], Expected: eventlog.At(from - 1 + int64(i/len(names))), Events: []eventlog.Event{event},
		})
		ids = append(ids, event.ID)
	}
	return batches, ids
}

func idsInAll(t testing.TB, log eventlog.Log) (ids []string) {
	t.Helper()
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		ids = append(ids, record.ID)
	}
	return ids
}

// Where nothing is unknown, an append in order is one round trip; a stream that others have begun is looked at
// first, once.
func TestAppendInOrderLooksOnlyWhereItMust(t *testing.T) {
	t.Parallel()
	var answers, appends atomic.Int64
	db := newDatabase()
	f := startFake(t, db, func(f *fake) {
		f.sends = func(message *streams.ReadResp) []*streams.ReadResp {
			answers.Add(1)
			return []*streams.ReadResp{message}
		}
		f.appends = func(_ string, do func() *streams.AppendResp) (*streams.AppendResp, error) {
			appends.Add(1)
			return do(), nil
		}
	})
	appendSome(t, open(t, startFake(t, db).connection(""), kurrentlog.Options{}), "begun", 1)
	log := open(t, f.connection(""), kurrentlog.Options{})
	batches, _ := byTurns(30, 0, "c", "a", "b")
	answers.Store(0)
	require.NoError(t, log.AppendInOrder(t.Context(), batches))
	require.Equal(t, int64(30), appends.Load())
	require.Equal(t, int64(1), answers.Load(), "the head was asked for")

	batches, _ = byTurns(10, 1, "begun")
	answers.Store(0)
	appends.Store(0)
	require.NoError(t, log.AppendInOrder(t.Context(), batches))
	require.Equal(t, int64(10), appends.Load())
	require.Equal(t, int64(1+1+1), answers.Load(), "the head, what is there, and that the first one is there")
	eventlogtest.RequireSound(t, log)
}

// However attempts fail, whether or not the server has done what it was asked, appends in order are there once and in
// order.
func TestAppendInOrderIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{false, true} {
		t.Run(fmt.Sprintf("done %v", done), func(t *testing.T) {
			t.Parallel()
			n := 0 // one at a time
			f := startFake(t, newDatabase(), func(f *fake) {
				f.appends = func(_ string, do func() *streams.AppendResp) (*streams.AppendResp, error) {
					if n++; n%3 != 0 {
						return do(), nil
					}
					if done {
						do()
					}
					return nil, status.Error(codes.Unavailable, "as planned")
				}
			})
			log := open(t, f.connection(""), kurrentlog.Options{})
			batches, want := byTurns(12, 0, "c", "a", "b")
			require.NoError(t, log.AppendInOrder(t.Context(), batches))
			require.Equal(t, want, idsInAll(t, log))
			eventlogtest.RequireSound(t, log)
		})
	}
}

// A server that says success without having stored anything, or at an earlier place, is not believed.
func TestAppendInOrderDoesNotBelieve(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]*streams.AppendResp_Success{
		"no position": {},
		"an earlier position": {PositionOption: &streams.AppendResp_Success_Position{
			Position: &streams.AppendResp_Position{CommitPosition: 1, PreparePosition: 1},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t, newDatabase(), func(f *fake) {
				f.appends = func(string, func() *streams.AppendResp) (*streams.AppendResp, error) {
					return &streams.AppendResp{Result: &streams.AppendResp_Success_{Success: answer}}, nil
				}
			})
			log := open(t, f.connection(""), kurrentlog.Options{})
			batches, _ := byTurns(2, 0, "a", "b")
			require.ErrorContains(t, log.AppendInOrder(t.Context(), batches), "truncated, or deleted?")
		})
	}
}

// Events that another process has stored under the same ids are found, where they are expected and elsewhere, though
// the server acknowledges the first and stores the second again.
func TestAppendInOrderIsNotFooled(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	there := open(t, startFake(t, db).connection(""), kurrentlog.Options{})
	stored := appendSome(t, there, "run", 2)
	other := stored[0]
	other.Payload = []byte("node b")
	for name, refused := range map[string]eventlog.Batch{
		"in place":  {Stream: "run", Expected: eventlog.NoStream{}, Events: []eventlog.Event{other}},
		"elsewhere": {Stream: "run", Expected: eventlog.Exact(1), Events: []eventlog.Event{other}},
	} {
		log := open(t, startFake(t, db).connection(""), kurrentlog.Options{})
		batches, _ := byTurns(1, 0, name[:2])
		err := log.AppendInOrder(t.Context(), append(batches, refused))
		_, content := errors.AsType[*eventlog.ContentError](err)
		require.Truef(t, content, "%s: want a content error, got %v", name, err)
	}
	require.Equal(t, stored, contents(t, there, "run"))
}
