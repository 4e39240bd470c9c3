package watermillsub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/tests"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/secret/statestore"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := pgtest.StopShared(); err != nil {
		panic(err)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// publisher appends messages to the stream that is named like their topic.
type publisher struct{ log eventlog.Log }

func (p publisher) Publish(topic string, messages ...*message.Message) error {
	ctx := context.Background()
	for _, m := range messages {
		metadata, err := json.Marshal(m.Metadata)
		if err != nil {
			return err
		}
		event := eventlog.Event{ID: m.UUID, Type: "Published", SchemaVersion: 1, Payload: m.Payload, Metadata: metadata}
		for {
			revision := int64(-1)
			for record, err := range p.log.StreamBackward(ctx, topic, eventlog.Newest) {
				if err != nil {
					return err
				}
				revision = record.Revision
				break
			}
			_, err := p.log.Append(ctx, topic, eventlog.At(revision), []eventlog.Event{event})
			if _, conflict := errors.AsType[*eventlog.ConflictError](err); !conflict {
				if err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

func (publisher) Close() error { return nil }

func toMessage(record eventlog.Record) (*message.Message, error) {
	m := message.NewMessage(record.ID, record.Payload)
	m.Metadata.Set("stream", record.Stream)
	return m, json.Unmarshal(record.Metadata, &m.Metadata)
}

func byStream(_ context.Context, record eventlog.Record) (string, bool, error) {
	return record.Stream, true, nil
}

// place is a log and what groups have done with it.
type place struct {
	log    eventlog.Log
	groups watermillsub.Groups
}

// backends are the logs, each with the state store that goes with it.
var backends = map[string]func(t *testing.T) place{
	"sqlite": func(t *testing.T) place {
		groups, err := statestore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "state.db"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, groups.Close()) })
		return place{newSQLite(t), groups}
	},
	"postgres": func(t *testing.T) place {
		url := pgtest.Database(t)
		log, err := pglog.Open(t.Context(), url, pglog.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		groups, err := statestore.OpenPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, groups.Close()) })
		return place{log, groups}
	},
	"eventstoredb": func(t *testing.T) place {
		server, err := esdbapi.New(esdbapi.Config{Log: newSQLite(t), AllowAppend: true})
		require.NoError(t, err)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
		served := make(chan error, 1)
		go func() { served <- server.Serve(ctx, listener) }()
		t.Cleanup(func() { stop(); require.NoError(t, <-served) })
		log, err := kurrentlog.Open(t.Context(), "esdb://"+listener.Addr().String()+"?tls=false", kurrentlog.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		groups, err := statestore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "state.db"))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, groups.Close()) })
		return place{log, groups}
	},
}

func newSQLite(t *testing.T) eventlog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log
}

func onEach(t *testing.T, test func(t *testing.T, p place)) {
	t.Parallel()
	for name, open := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func (p place) subscriber(t *testing.T, group string, change func(*watermillsub.Config)) *watermillsub.Subscriber {
	t.Helper()
	config := watermillsub.Config{
		Log: p.log, Groups: p.groups, Group: group, Lane: byStream, Message: toMessage,
		Filter:  func(topic string) eventlog.Filter { return eventlog.Filter{StreamPrefixes: []string{topic}} },
		Backoff: func(eventlog.Record, int) (time.Duration, string) { return time.Millisecond, "" },
		Lease:   time.Second, Drain: 100 * time.Millisecond,
	}
	if change != nil {
		change(&config)
	}
	subscriber, err := watermillsub.New(config)
	require.NoError(t, err)
	return subscriber
}

// grow appends n events to each of the streams, in turn as far as one append goes.
func (p place) grow(t *testing.T, n int, streams ...string) {
	t.Helper()
	const together = 5
	for ; n > 0; n -= together {
		for _, stream := range streams {
			revision := int64(-1)
			for record, err := range p.log.StreamBackward(t.Context(), stream, eventlog.Newest) {
				require.NoError(t, err)
				revision = record.Revision
				break
			}
			batch := make([]eventlog.Event, min(n, together))
			for i := range batch {
				batch[i] = eventlog.Event{ID: uuid.NewString(), Type: "Grown", SchemaVersion: 1, Metadata: []byte("{}")}
			}
			_, err := p.log.Append(t.Context(), stream, eventlog.At(revision), batch)
			require.NoError(t, err)
		}
	}
}

// receipt is what a receiver keeps: the ids of each stream, in the order in which they came first.
type receipt struct {
	mu    sync.Mutex
	first map[string][]string
	seen  map[string]bool
	total int
	came  chan struct{}
}

func newReceipt() *receipt {
	return &receipt{first: map[string][]string{}, seen: map[string]bool{}, came: make(chan struct{}, 1)}
}

func (r *receipt) keep(m *message.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.total++; !r.seen[m.UUID] {
		r.seen[m.UUID] = true
		r.first[m.Metadata.Get("stream")] = append(r.first[m.Metadata.Get("stream")], m.UUID)
	}
	select {
	case r.came <- struct{}{}:
	default:
	}
}

func (r *receipt) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// await returns when so many different events have come.
func (r *receipt) await(t *testing.T, n int) {
	t.Helper()
	late := time.After(2 * time.Minute)
	for r.count() < n {
		select {
		case <-r.came:
		case <-late:
			require.Failf(t, "events are missing", "%d of %d came", r.count(), n)
		}
	}
}

// logged is what the log has, as a receipt has it.
func (p place) logged(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for record, err := range p.log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		all[record.Stream] = append(all[record.Stream], record.ID)
	}
	return all
}

// Watermill's own suite for everything that calls itself a subscriber: with SQLite in every run of the tests, with all
// backends in a campaign (KINTSUGI_CAMPAIGN). The tests below look at the particulars of each backend.
func TestWatermill(t *testing.T) {
	on := onEach
	if os.Getenv("KINTSUGI_CAMPAIGN") == "" {
		on = func(t *testing.T, test func(t *testing.T, p place)) {
			t.Parallel()
			test(t, backends["sqlite"](t))
		}
	}
	on(t, func(t *testing.T, p place) {
		construct := func(t *testing.T, group string) (message.Publisher, message.Subscriber) {
			subscriber := p.subscriber(t, group, nil)
			t.Cleanup(func() { require.NoError(t, subscriber.Close()) }) // the suite leaves some open
			return publisher{p.log}, subscriber
		}
		tests.TestPubSub(t, tests.Features{ConsumerGroups: true, GuaranteedOrder: true, Persistent: true, ForceShort: true},
			func(t *testing.T) (message.Publisher, message.Subscriber) { return construct(t, "one") }, construct)
	})
}

// killed are groups as a process sees them that is dead: nothing of it is saved any more.
type killed struct {
	watermillsub.Groups
	dead chan struct{}
}

var errDead = errors.New("dead")

func (k killed) Claim(ctx context.Context, group string, lease time.Duration) (watermillsub.Claim, bool, error) {
	select {
	case <-k.dead:
		return watermillsub.Claim{}, false, errDead
	default:
		return k.Groups.Claim(ctx, group, lease)
	}
}

func (k killed) Save(ctx context.Context, group string, token int64, state []byte, lease time.Duration) error {
	select {
	case <-k.dead:
		return errDead
	default:
		return k.Groups.Save(ctx, group, token, state, lease)
	}
}

func (k killed) Release(ctx context.Context, group string, token int64, state []byte) error {
	select {
	case <-k.dead:
		return errDead
	default:
		return k.Groups.Release(ctx, group, token, state)
	}
}

// Receivers that refuse at random, are killed or end in order, and two at a time: nothing is left out, and nothing of a
// stream comes before what is before it.
func TestNothingIsLeftOutOrOvertaken(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		const streams, each = 40, 15
		var names []string
		for i := range streams {
			names = append(names, fmt.Sprintf("workflow-%d", i))
		}
		p.grow(t, each/3, names...)
		got := newReceipt()
		receive := func(refuses uint64, kill int) (end func(), dead <-chan struct{}) {
			mine := rand.New(rand.NewPCG(refuses, 1))
			groups := killed{p.groups, make(chan struct{})}
			subscriber := p.subscriber(t, "chat", func(c *watermillsub.Config) { c.Groups = groups })
			messages, err := subscriber.Subscribe(t.Context(), "")
			require.NoError(t, err)
			var receiving sync.WaitGroup
			receiving.Go(func() {
				for m := range messages {
					if kill--; kill == 0 {
						close(groups.dead)
					}
					if mine.IntN(10) == 0 {
						m.Nack()
						continue
					}
					got.keep(m)
					m.Ack()
				}
			})
			return func() {
				require.NoError(t, subscriber.Close())
				receiving.Wait()
			}, groups.dead
		}
		for round := range 6 {
			// Both are killed, or one of them lives and is ended in order.
			endOne, oneDead := receive(random.Uint64(), 1+random.IntN(100))
			endOther, _ := receive(random.Uint64(), 1+random.IntN(100)*random.IntN(2))
			if round == 2 || round == 4 {
				p.grow(t, each/3, names...)
			}
			select {
			case <-oneDead:
			case <-got.came:
			}
			endOne()
			endOther()
		}
		last, _ := receive(random.Uint64(), 0)
		got.await(t, streams*each)
		last()
		require.Equal(t, p.logged(t), got.first)
	})
}

// heldUp are groups that save only when they are let.
type heldUp struct {
	watermillsub.Groups
	let chan struct{}
}

func (h heldUp) Save(ctx context.Context, group string, token int64, state []byte, lease time.Duration) error {
	select {
	case <-h.let:
		return h.Groups.Save(ctx, group, token, state, lease)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A message whose acknowledgement is not kept is as much out as one without an answer: so many and no more would come again after a kill, and
// of a lane one. As soon as it is kept, the others come.
func TestNoMoreIsOutThanComesAgain(t *testing.T) {
	t.Parallel()
	p := backends["sqlite"](t)
	p.grow(t, 3, "a", "b", "c")
	got, groups := newReceipt(), heldUp{p.groups, make(chan struct{})}
	subscriber := p.subscriber(t, "chat", func(c *watermillsub.Config) { c.Groups, c.AtOnce = groups, 4 })
	messages, err := subscriber.Subscribe(t.Context(), "")
	require.NoError(t, err)
	go func() {
		for m := range messages {
			got.keep(m)
			m.Ack()
		}
	}()
	got.await(t, 3)
	p.grow(t, 2, "last") // it is behind the others, and comes before them, as their first events are not kept
	got.await(t, 4)
	for range 100 {
		subscriber.Wake("a")
	}
	require.Equal(t, 4, got.count())
	for _, ids := range got.first {
		require.Len(t, ids, 1)
	}
	close(groups.let)
	got.await(t, 11)
	require.NoError(t, subscriber.Close())
	require.Equal(t, p.logged(t), got.first)
	require.Equal(t, 11, got.total)
}

// A lane that nobody takes for days holds up no other, and costs one line of state and no memory; when its turn comes all of it
// comes in order. So it is after a restart.
func TestAStuckLane(t *testing.T) {
	t.Parallel()
	p := backends["sqlite"](t)
	p.grow(t, 400, "stuck", "a", "b")
	works := make(chan struct{})
	got := newReceipt()
	receive := func() *watermillsub.Subscriber {
		subscriber := p.subscriber(t, "chat", func(c *watermillsub.Config) {
			c.Backoff = func(eventlog.Record, int) (time.Duration, string) { return 20 * time.Millisecond, "" }
		})
		messages, err := subscriber.Subscribe(t.Context(), "")
		require.NoError(t, err)
		go func() {
			for m := range messages {
				select {
				case <-works:
				default:
					if m.Metadata.Get("stream") == "stuck" {
						m.Nack()
						continue
					}
				}
				got.keep(m)
				m.Ack()
			}
		}()
		return subscriber
	}
	subscriber := receive()
	got.await(t, 800)
	require.NoError(t, subscriber.Close())
	claim, claimed, err := p.groups.Claim(t.Context(), "chat/", 0)
	require.NoError(t, err)
	require.True(t, claimed)
	require.Less(t, len(claim.State), 1000)
	var saved struct{ Lanes map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(claim.State, &saved))
	require.Len(t, saved.Lanes, 1)
	require.NoError(t, p.groups.Release(t.Context(), "chat/", claim.Token, claim.State))

	subscriber = receive()
	p.grow(t, 50, "stuck", "a")
	got.await(t, 850)
	close(works)
	got.await(t, 1300)
	require.NoError(t, subscriber.Close())
	require.Equal(t, p.logged(t), got.first)
	require.Equal(t, 1300, got.total, "nothing comes twice to one that ends in order")
}

// More lanes that fail than are kept in mind: the receiver as a whole does not work, and reading waits until it does.
func TestAReceiverThatIsDown(t *testing.T) {
	t.Parallel()
	p := backends["sqlite"](t)
	var names []string
	for i := range 1500 {
		names = append(names, fmt.Sprintf("workflow-%d", i))
	}
	p.grow(t, 2, names...)
	up := make(chan struct{})
	got, refused := newReceipt(), newReceipt()
	subscriber := p.subscriber(t, "chat", func(c *watermillsub.Config) {
		c.Backoff = func(eventlog.Record, int) (time.Duration, string) { return 50 * time.Millisecond, "" }
	})
	messages, err := subscriber.Subscribe(t.Context(), "")
	require.NoError(t, err)
	go func() {
		for m := range messages {
			select {
			case <-up:
				got.keep(m)
				m.Ack()
			default:
				refused.keep(m)
				m.Nack()
			}
		}
	}()
	refused.await(t, 1000)
	close(up)
	got.await(t, 3000)
	require.NoError(t, subscriber.Close())
	require.Equal(t, p.logged(t), got.first)
}

// A group goes on at the same event in a copy of the log, where positions are others; and says so, instead of leaving
// something out, if the log has not the event.
func TestAnotherLog(t *testing.T) {
	t.Parallel()
	p := backends["sqlite"](t)
	p.grow(t, 10, "a", "b")
	got := newReceipt()
	receive := func(p place, said *strings.Builder) *watermillsub.Subscriber {
		subscriber := p.subscriber(t, "chat", func(c *watermillsub.Config) { c.Logger = slog.New(slog.NewTextHandler(said, nil)) })
		messages, err := subscriber.Subscribe(t.Context(), "")
		require.NoError(t, err)
		go func() {
			for m := range messages {
				got.keep(m)
				m.Ack()
			}
		}()
		return subscriber
	}
	subscriber := receive(p, &strings.Builder{})
	got.await(t, 20)
	require.NoError(t, subscriber.Close())

	moved := place{newSQLite(t), p.groups}
	moved.grow(t, 3, "other") // so that positions are others
	for record, err := range p.log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		_, err = moved.log.Append(t.Context(), record.Stream, eventlog.At(record.Revision-1), []eventlog.Event{record.Event})
		require.NoError(t, err)
	}
	moved.grow(t, 5, "a")
	subscriber = receive(moved, &strings.Builder{})
	got.await(t, 25)
	require.NoError(t, subscriber.Close())
	require.Equal(t, 25, got.total)

	cut := place{newSQLite(t), p.groups}
	cut.grow(t, 3, "a")
	said := &strings.Builder{}
	subscriber = receive(cut, said)
	require.NoError(t, subscriber.Close())
	require.Equal(t, 25, got.total)
}

// A group that is new begins where it was told.
func TestFrom(t *testing.T) {
	t.Parallel()
	p := backends["sqlite"](t)
	p.grow(t, 5, "a")
	head, err := p.log.Head(t.Context())
	require.NoError(t, err)
	p.grow(t, 2, "a")
	subscriber := p.subscriber(t, "chat", func(c *watermillsub.Config) { c.From = head })
	messages, err := subscriber.Subscribe(t.Context(), "")
	require.NoError(t, err)
	for _, want := range p.logged(t)["a"][5:] {
		m := <-messages
		require.Equal(t, want, m.UUID)
		m.Ack()
	}
	require.NoError(t, subscriber.Close())
	_, err = subscriber.Subscribe(t.Context(), "")
	require.ErrorIs(t, err, watermillsub.ErrClosed)
}

func TestConfigNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := watermillsub.New(watermillsub.Config{})
	for _, field := range []string{"Log", "Groups", "Group", "Lane", "Message"} {
		require.ErrorContains(t, err, "Config."+field+" is missing")
	}
}

// Messages that were under way or waited when a receiver ended come to the next one.
func TestUnderWayAtTheEnd(t *testing.T) {
	t.Parallel()
	p := backends["sqlite"](t)
	p.grow(t, 5, "a", "b")
	subscriber := p.subscriber(t, "chat", nil)
	messages, err := subscriber.Subscribe(t.Context(), "")
	require.NoError(t, err)
	first := <-messages
	require.NoError(t, subscriber.Close())
	require.False(t, first.Ack() && first.Context().Err() == nil, "nobody hears it any more")

	subscriber = p.subscriber(t, "chat", nil)
	messages, err = subscriber.Subscribe(t.Context(), "")
	require.NoError(t, err)
	got := newReceipt()
	for range 10 {
		m := <-messages
		got.keep(m)
		m.Ack()
	}
	require.NoError(t, subscriber.Close())
	require.Equal(t, p.logged(t), got.first)
}

// A receiver that ends before it could read the state of a new group leaves it new.
func TestEndedBeforeItBegan(t *testing.T) {
	t.Parallel()
	p := backends["sqlite"](t)
	claim, claimed, err := p.groups.Claim(t.Context(), "chat/", time.Hour)
	require.NoError(t, err)
	require.True(t, claimed)
	require.NoError(t, p.groups.Release(t.Context(), "chat/", claim.Token, claim.State))
	p.grow(t, 1, "a")
	subscriber := p.subscriber(t, "chat", nil)
	messages, err := subscriber.Subscribe(t.Context(), "")
	require.NoError(t, err)
	(<-messages).Ack()
	require.NoError(t, subscriber.Close())
}

// An acknowledgement is saved soon, and not only when the lease is renewed: so a kill repeats what was under way, and little else.
func TestAcknowledgedIsSavedSoon(t *testing.T) {
	onEach(t, func(t *testing.T, p place) {
		subscriber := p.subscriber(t, "chat", func(c *watermillsub.Config) { c.Lease = 24 * time.Hour })
		messages, err := subscriber.Subscribe(t.Context(), "")
		require.NoError(t, err)
		for range 3 {
			p.grow(t, 1, "a", "b")
			(<-messages).Ack()
			(<-messages).Ack()
			require.Eventually(t, func() bool {
				progress, err := subscriber.Progress(t.Context(), "", 10)
				return err == nil && progress.Waiting == 0
			}, 2*time.Minute, time.Millisecond)
		}
		require.NoError(t, subscriber.Close())
	})
}
