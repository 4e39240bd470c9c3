package kurrentlog_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

func contents(t testing.TB, log eventlog.Log, stream string) []eventlog.Event {
	t.Helper()
	var all []eventlog.Event
	for record, err := range log.Stream(t.Context(), stream, 0) {
		require.NoError(t, err)
		all = append(all, record.Event)
	}
	return all
}

// onceBefore lets something happen before the first append to a stream reaches the database.
func onceBefore(stream string, happen func()) func(*fake) {
	var once sync.Once
	return func(f *fake) {
		f.appends = func(name string, do func() *streams.AppendResp) (*streams.AppendResp, error) {
			if name == stream {
				once.Do(happen)
			}
			return do(), nil
		}
	}
}

// The server says success when somebody else has just stored other content under the same ids: nobody may believe it.
func TestAppendIsNotFooled(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([]eventlog.Event){
		"first event":    func(events []eventlog.Event) { events[0].Payload = []byte("node b") },
		"last event":     func(events []eventlog.Event) { events[2].Payload = nil },
		"type":           func(events []eventlog.Event) { events[1].Type = "Other" },
		"schema version": func(events []eventlog.Event) { events[1].SchemaVersion = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDatabase()
			there := open(t, startFake(t, db).connection(""), kurrentlog.Options{})
			mine := []eventlog.Event{newEvent("1"), newEvent("2"), newEvent("3")}
			theirs := append([]eventlog.Event(nil), mine...)
			change(theirs)
			log := open(t, startFake(t, db, onceBefore("run", func() {
				_, err := there.Append(context.Background(), "run", eventlog.NoStream{}, theirs)
				if err != nil {
					t.Error(err)
				}
			})).connection(""), kurrentlog.Options{})

			_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, mine)
			var content *eventlog.ContentError
			require.ErrorAs(t, err, &content)
			require.Equal(t, "run", content.Stream)
			require.Equal(t, theirs, contents(t, log, "run"))
		})
	}
}

// A writer that finds its events there with another writer's metadata was not first.
func TestAppendKnowsWhoWasFirst(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	there := open(t, startFake(t, db).connection(""), kurrentlog.Options{})
	mine := newEvent("claimed")
	theirs := mine
	theirs.Metadata = []byte(`{"schema_version":1,"actor":"system:other"}`)
	log := open(t, startFake(t, db, onceBefore("run", func() {
		_, err := there.Append(context.Background(), "run", eventlog.NoStream{}, []eventlog.Event{theirs})
		if err != nil {
			t.Error(err)
		}
	})).connection(""), kurrentlog.Options{})
	appended, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{mine})
	require.NoError(t, err)
	require.True(t, appended.Repeated)
	require.Equal(t, []eventlog.Event{theirs}, contents(t, log, "run"))
}

// Many nodes claim a run under the same derived id: exactly one is told that it has it, and its name is in the
// stream.
func TestOneClaims(t *testing.T) {
	t.Parallel()
	const nodes, runs = 8, 25
	for name, connection := range map[string]string{
		"listener": startServer(t).connection(""),
		"model":    startFake(t, newDatabase()).connection(""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var winners [runs]atomic.Int64
			claims := make([]string, runs)
			for run := range claims {
				claims[run] = newEvent("").ID
			}
			var group sync.WaitGroup
			for node := range nodes {
				log := open(t, connection, kurrentlog.Options{})
				group.Go(func() {
					for run, id := range claims {
						claim := newEvent(fmt.Sprintf(`{"node":%d}`, node+1))
						claim.ID = id
						appended, err := log.Append(t.Context(), fmt.Sprintf("run-%d", run), eventlog.NoStream{}, []eventlog.Event{claim})
						if _, other := err.(*eventlog.ContentError); other {
							continue
						}
						if err != nil || appended.Repeated || !winners[run].CompareAndSwap(0, int64(node+1)) {
							t.Errorf("run %d, node %d: %+v, %v", run, node+1, appended, err)
						}
					}
				})
			}
			group.Wait()
			log := open(t, connection, kurrentlog.Options{})
			for run := range claims {
				require.Equal(t, fmt.Sprintf(`{"node":%d}`, winners[run].Load()), string(contents(t, log, fmt.Sprintf("run-%d", run))[0].Payload))
			}
		})
	}
}

// However an attempt fails, whether or not the server has done what it was asked, an append comes to one outcome.
func TestAppendIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []codes.Code{codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.Canceled} {
		for _, done := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, done %v", code, done), func(t *testing.T) {
				t.Parallel()
				failures := 3
				f := startFake(t, newDatabase(), func(f *fake) {
					f.appends = func(_ string, do func() *streams.AppendResp) (*streams.AppendResp, error) {
						if failures--; failures < 0 {
							return do(), nil
						}
						if done {
							do()
						}
						return nil, status.Error(code, "as planned")
					}
				})
				log := open(t, f.connection(""), kurrentlog.Options{})
				events := []eventlog.Event{newEvent("1"), newEvent("2")}
				appended, err := log.Append(t.Context(), "run", eventlog.NoStream{}, events)
				require.NoError(t, err)
				require.Equal(t, int64(1), appended.Last)
				require.False(t, appended.Repeated, "it is this append that was done")
				require.Equal(t, events, contents(t, log, "run"))
			})
		}
	}
}

// A server that does not answer is not waited for for ever.
func TestAppendHasADeadline(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	var silent sync.Once
	f := startFake(t, newDatabase(), func(f *fake) {
		f.appends = func(_ string, do func() *streams.AppendResp) (*streams.AppendResp, error) {
			first := false
			silent.Do(func() { first = true })
			if first {
				<-answer
			}
			return do(), nil
		}
	})
	defer close(answer)
	log := open(t, f.connection("&defaultDeadline=100"), kurrentlog.Options{})
	event := newEvent("1")
	_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{event})
	require.NoError(t, err)
	require.Equal(t, []eventlog.Event{event}, contents(t, log, "run"))
}

// A failure that no later attempt would mend is not tried again, and the error says what to do.
func TestAppendIsRefused(t *testing.T) {
	t.Parallel()
	for want, refusal := range map[string]error{
		"give user:password@": status.Error(codes.Unauthenticated, "Unauthenticated"),
		"as $admins may":      status.Error(codes.PermissionDenied, "Access Denied"),
		"the call failed":     status.Error(codes.Internal, "as planned"),
	} {
		attempts := 0
		f := startFake(t, newDatabase(), func(f *fake) {
			f.appends = func(string, func() *streams.AppendResp) (*streams.AppendResp, error) {
				attempts++
				return nil, refusal
			}
		})
		log := open(t, f.connection(""), kurrentlog.Options{})
		_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{newEvent("1")})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "append to stream run at "+f.address)
		require.Equal(t, 1, attempts)
	}
}

// A server that says what is not so is not believed.
func TestAppendDoesNotBelieve(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(do func() *streams.AppendResp) *streams.AppendResp{
		"success": func(func() *streams.AppendResp) *streams.AppendResp {
			return &streams.AppendResp{Result: &streams.AppendResp_Success_{Success: &streams.AppendResp_Success{}}}
		},
		"wrong version": func(func() *streams.AppendResp) *streams.AppendResp {
			return &streams.AppendResp{Result: &streams.AppendResp_WrongExpectedVersion_{WrongExpectedVersion: &streams.AppendResp_WrongExpectedVersion{}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t, newDatabase(), func(f *fake) {
				f.appends = func(_ string, do func() *streams.AppendResp) (*streams.AppendResp, error) { return answer(do), nil }
			})
			log := open(t, f.connection(""), kurrentlog.Options{})
			_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{newEvent("1")})
			require.ErrorContains(t, err, "truncated, or deleted?")
		})
	}
}

// After a database is restored to an earlier state the memory of it is wrong: the append is decided by the events
// that are there now.
func TestAppendAfterRestore(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	log := open(t, startFake(t, db).connection(""), kurrentlog.Options{})
	events := appendSome(t, log, "run", 3)
	db.mu.Lock()
	db.streams["run"] = db.streams["run"][:1]
	db.events = slices.DeleteFunc(db.events, func(e *stored) bool { return nameOf(e) == "run" && e.GetStreamRevision() > 0 })
	db.mu.Unlock()
	_, err := log.Append(t.Context(), "run", eventlog.Exact(2), []eventlog.Event{newEvent("3")})
	require.Equal(t, &eventlog.ConflictError{Stream: "run", Expected: 2, Actual: 0}, err)
	appended, err := log.Append(t.Context(), "run", eventlog.Exact(0), events[1:])
	require.NoError(t, err)
	require.False(t, appended.Repeated)
}

// The server keeps names with $ for its own, so they are not ours to append, and not ours to read.
func TestSystemNames(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	log := open(t, startFake(t, db).connection(""), kurrentlog.Options{})
	system := newEvent("1")
	system.Type = "$>"
	var invalid *eventlog.InvalidError
	_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{system})
	require.ErrorAs(t, err, &invalid)
	_, err = log.Append(t.Context(), "$run", eventlog.NoStream{}, []eventlog.Event{newEvent("1")})
	require.ErrorAs(t, err, &invalid)

	db.mu.Lock()
	db.systemEvent("linked", "$>") // by somebody's projection
	db.mu.Unlock()
	event := newEvent("1")
	_, err = log.Append(t.Context(), "linked", eventlog.Exact(0), []eventlog.Event{event})
	require.NoError(t, err)
	require.Equal(t, []eventlog.Event{event}, contents(t, log, "linked"))
	require.Empty(t, contents(t, log, "$users"))
	for _, filter := range []eventlog.Filter{eventlog.Everything, {StreamPrefixes: []string{"l", "$"}}, {Types: []string{"$>", "Tested", "update"}}, {StreamPrefixes: []string{"$"}}} {
		var all []string
		for record, err := range log.All(t.Context(), eventlog.Start, filter) {
			require.NoError(t, err)
			all = append(all, record.ID)
		}
		if len(filter.StreamPrefixes) == 1 {
			require.Empty(t, all)
		} else {
			require.Equal(t, []string{event.ID}, all)
		}
	}
}

// A server that cannot be reached for longer than Patience is an error that says so.
func TestPatience(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	log := open(t, s.connection(""), kurrentlog.Options{Patience: 50 * time.Millisecond})
	s.end()
	_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{newEvent("1")})
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	require.ErrorContains(t, err, s.address)
	_, err = log.Head(t.Context())
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	for _, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.ErrorIs(t, err, eventlog.ErrUnavailable)
	}
	_, err = kurrentlog.Open(t.Context(), s.connection(""), kurrentlog.Options{Patience: 50 * time.Millisecond})
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	_, err = kurrentlog.Open(t.Context(), "esdb://"+s.address+"/?tls=false", kurrentlog.Options{Patience: time.Nanosecond})
	require.ErrorIs(t, err, eventlog.ErrUnavailable)

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = kurrentlog.Open(ctx, s.connection(""), kurrentlog.Options{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Closing does not wait for a server that is not there.
func TestCloseGivesUp(t *testing.T) {
	t.Parallel()
	tried := make(chan struct{}, 100)
	f := startFake(t, newDatabase(), func(f *fake) {
		f.appends = func(string, func() *streams.AppendResp) (*streams.AppendResp, error) {
			tried <- struct{}{}
			return nil, status.Error(codes.Unavailable, "as planned")
		}
	})
	log := open(t, f.connection(""), kurrentlog.Options{Patience: time.Hour})
	outcome := make(chan error, 1)
	go func() {
		_, err := log.Append(context.Background(), "run", eventlog.NoStream{}, []eventlog.Event{newEvent("1")})
		outcome <- err
	}()
	<-tried
	require.NoError(t, log.Close())
	require.ErrorIs(t, <-outcome, eventlog.ErrUnavailable)
}
