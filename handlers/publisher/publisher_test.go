package publisher_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/secret/statestore"
	"github.com/kintsugi-run/kintsugi/schemas"
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

var ann = commands.Meta{Actor: "person:ann"}

// place is what nodes share.
type place struct {
	t        *testing.T
	log      eventlog.Log
	groups   groupsAndLedger
	commands *commands.Commands
	key      string
	got      *receiver
}

func newPlace(t *testing.T) *place { return newPlaceOn(t, "sqlite") }

func newPlaceOn(t *testing.T, backend string) *place {
	t.Helper()
	p := &place{t: t, key: publisher.NewKey()}
	p.log, p.groups = backends[backend](t)
	p.commands = commands.New(commands.Config{
		Log: p.log, Codec: domain.NewCodec(), Now: time.Now, NewID: uuid.NewString, CheckScript: func(string) error { return nil },
	})
	p.got = newReceiver(t)
	return p
}

// groupsAndLedger are what a state store keeps of subscriptions.
type groupsAndLedger interface {
	watermillsub.Groups
	watermillsub.Ledger
}

// backends are the logs, each with the state store that goes with it.
var backends = map[string]func(t *testing.T) (eventlog.Log, groupsAndLedger){
	"sqlite": func(t *testing.T) (eventlog.Log, groupsAndLedger) { return newSQLite(t), newGroups(t) },
	"postgres": func(t *testing.T) (eventlog.Log, groupsAndLedger) {
		url := pgtest.Database(t)
		log, err := pglog.Open(t.Context(), url, pglog.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		groups, err := statestore.OpenPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, groups.Close()) })
		return log, groups
	},
	"eventstoredb": func(t *testing.T) (eventlog.Log, groupsAndLedger) {
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
		return log, newGroups(t)
	},
}

func newSQLite(t *testing.T) eventlog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log
}

func newGroups(t *testing.T) groupsAndLedger {
	t.Helper()
	groups, err := statestore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, groups.Close()) })
	return groups
}

// node starts a publisher. Kill ends it as a crash does, stop in order.
func (p *place) node() (stop, kill func()) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	mortal := &mortal{Groups: p.groups, dead: make(chan struct{})}
	one := publisher.New(p.config(mortal))
	ended := make(chan error, 1)
	go func() { ended <- one.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); require.NoError(p.t, <-ended) })
	p.t.Cleanup(stop)
	return stop, func() { close(mortal.dead); stop() }
}

func (p *place) config(groups watermillsub.Groups) publisher.Config {
	return publisher.Config{
		Commands: p.commands, Log: p.log, Codec: domain.NewCodec(), Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Groups:      func(context.Context) (watermillsub.Groups, error) { return groups, nil },
		Ledger:      func(context.Context) (watermillsub.Ledger, error) { return p.groups, nil },
		Expressions: process.InProcess{Bindings: hostcall.Bindings()},
		Sinks:       p.sinks(), Lease: 500 * time.Millisecond, Pause: 5 * time.Millisecond, LongestPause: 50 * time.Millisecond,
	}
}

func (p *place) sinks() publisher.Sinks {
	return publisher.Sinks{Now: time.Now, Workflow: p.commands.LoadWorkflow, Secret: func(context.Context, string, string) (string, bool, error) { return p.key, true, nil }}
}

// mortal are groups as a process sees them that may be dead: nothing of it is saved any more.
type mortal struct {
	watermillsub.Groups
	dead chan struct{}
}

var errDead = errors.New("dead")

func (m *mortal) Save(ctx context.Context, group string, token int64, state []byte, lease time.Duration) error {
	select {
	case <-m.dead:
		return errDead
	default:
		return m.Groups.Save(ctx, group, token, state, lease)
	}
}

func (m *mortal) Release(ctx context.Context, group string, token int64, state []byte) error {
	select {
	case <-m.dead:
		return errDead
	default:
		return m.Groups.Release(ctx, group, token, state)
	}
}

// delivered is what a receiver reads of an event.
type delivered struct {
	SpecVersion, ID, Source, Type, Subject, PartitionKey, Sequence, Position, DataSchema string
	Data                                                                                 map[string]any
}

// receiver is an external system.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	all   []delivered // that were taken, as they came
	last  *http.Request
	body  []byte
	asked int
	// answer decides about each delivery; nil takes all.
	answer func(w http.ResponseWriter, one delivered) (taken bool)
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		var one delivered
		if err := json.Unmarshal(body, &one); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.last, r.body = request, body
		r.asked++
		if r.answer == nil || r.answer(w, one) {
			r.all = append(r.all, one)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(how func(http.ResponseWriter, delivered) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = how
}

func (r *receiver) taken() []delivered {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]delivered(nil), r.all...)
}

// first are the ids of each workflow in the order in which they came first.
func (r *receiver) first() map[string][]string {
	seen, first := map[string]bool{}, map[string][]string{}
	for _, one := range r.taken() {
		if !seen[one.ID] {
			seen[one.ID] = true
			first[one.PartitionKey] = append(first[one.PartitionKey], one.ID)
		}
	}
	return first
}

func refuse(code int) func(http.ResponseWriter, delivered) bool {
	return func(w http.ResponseWriter, _ delivered) bool { w.WriteHeader(code); return false }
}

func (p *place) subscribe(change func(*subscription.Add)) {
	p.t.Helper()
	add := subscription.Add{Definition: subscription.Definition{Target: "webhook:" + p.got.URL, AllowPrivate: true}}
	if change != nil {
		change(&add)
	}
	_, err := p.commands.AddSubscription(p.t.Context(), "chat", add, ann)
	require.NoError(p.t, err)
}

// grow makes workflows, if they are not there, and changes the intent of each so often.
func (p *place) grow(times int, ids ...string) {
	p.t.Helper()
	for _, id := range ids {
		if state, err := p.commands.LoadWorkflow(p.t.Context(), id); err != nil || state.ID == "" {
			_, err := p.commands.CreateWorkflow(p.t.Context(), workflow.Create{ID: id, Title: id, Owner: "ann"}, ann)
			require.NoError(p.t, err)
		}
	}
	for range times {
		for _, id := range ids {
			_, err := p.commands.ChangeIntent(p.t.Context(), id, workflow.ChangeIntent{Intent: uuid.NewString()}, ann)
			require.NoError(p.t, err)
		}
	}
}

// logged is what the log has of workflows, as a receiver has it.
func (p *place) logged() map[string][]string {
	all := map[string][]string{}
	for record, err := range p.log.All(p.t.Context(), eventlog.Start, eventlog.Filter{StreamPrefixes: []string{workflow.StreamPrefix}}) {
		require.NoError(p.t, err)
		id := strings.TrimPrefix(record.Stream, workflow.StreamPrefix)
		all[id] = append(all[id], record.ID)
	}
	return all
}

func (p *place) state() subscription.State {
	state, err := p.commands.LoadSubscription(p.t.Context(), "chat")
	require.NoError(p.t, err)
	return state
}

func (p *place) eventually(is func() bool, format string, args ...any) {
	p.t.Helper()
	require.Eventually(p.t, is, time.Minute, 5*time.Millisecond, append([]any{format}, args...)...)
}

func count(of map[string][]string) int {
	n := 0
	for _, ids := range of {
		n += len(ids)
	}
	return n
}

// The promise, with a receiver that refuses one in ten, two nodes at a time, and nodes that die: nothing is left out, and nothing
// of a workflow comes before what is before it.
func TestNothingIsLeftOutOrOvertaken(t *testing.T) {
	t.Parallel()
	for backend := range backends {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			nothingIsLeftOutOrOvertaken(t, newPlaceOn(t, backend))
		})
	}
}

func nothingIsLeftOutOrOvertaken(t *testing.T, p *place) {
	t.Helper()
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	p.got.answers(func(w http.ResponseWriter, _ delivered) bool {
		if random.IntN(10) > 0 {
			return true
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return random.IntN(2) == 0 // it may have been taken all the same
	})
	var ids []string
	for i := range 12 {
		ids = append(ids, "w"+strconv.Itoa(i))
	}
	p.grow(2, ids...)
	stopFirst, killFirst := p.node()
	_, killSecond := p.node()
	p.subscribe(nil)
	p.grow(3, ids...)
	killFirst()
	stopFirst()
	p.grow(2, ids...)
	killSecond()
	p.node()
	p.grow(3, ids...)
	want := p.logged()
	p.eventually(func() bool { return count(p.got.first()) == count(want) }, "%d events come", count(want))
	require.Equal(t, want, p.got.first())
}

// A delivery is a CloudEvent, signed as Standard Webhooks says, with both keys while they are changed.
func TestADeliveryIsASignedCloudEvent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	before := p.key
	p.key = publisher.RotateKey(p.key, publisher.NewKey(), time.Now().Add(time.Hour))
	p.subscribe(nil)
	p.grow(0, "w")
	p.node()
	p.eventually(func() bool { return len(p.got.taken()) == 1 }, "it comes")
	want := p.logged()["w"][0]
	one, last, body := p.got.taken()[0], p.got.last, p.got.body
	require.Equal(t, "1.0", one.SpecVersion)
	require.Equal(t, want, one.ID)
	require.Equal(t, "/streams/workflow-w", one.Source)
	require.Equal(t, "kintsugi.WorkflowCreated", one.Type)
	require.Equal(t, "w", one.PartitionKey)
	require.Equal(t, "0", one.Sequence)
	require.Equal(t, "w", one.Data["title"])
	require.Equal(t, schemas.Base+"WorkflowCreated.v1.json", one.DataSchema)
	require.Equal(t, "application/cloudevents+json; charset=utf-8", last.Header.Get("Content-Type"))
	require.Equal(t, want, last.Header.Get("webhook-id"))
	at, err := strconv.ParseInt(last.Header.Get("webhook-timestamp"), 10, 64)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), time.Unix(at, 0), 5*time.Minute)
	var signed []string
	for _, key := range []string{strings.Fields(p.key)[0], before} {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
		require.NoError(t, err)
		mac := hmac.New(sha256.New, raw)
		mac.Write([]byte(last.Header.Get("webhook-id") + "." + last.Header.Get("webhook-timestamp") + "." + string(body)))
		signed = append(signed, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	require.Equal(t, strings.Join(signed, " "), last.Header.Get("webhook-signature"))
}

// After its time the key before signs no more.
func TestAKeyThatWasReplacedEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.key = publisher.RotateKey(p.key, publisher.NewKey(), time.Now().Add(-time.Hour))
	sink, err := p.sinks().Open("chat", subscription.Definition{Target: "webhook:" + p.got.URL, AllowPrivate: true})
	require.NoError(t, err)
	out, err := publisher.Sample(uuid.NewString(), "chat", time.Now())
	require.NoError(t, err)
	_, err = sink.Send(t.Context(), out)
	require.NoError(t, err)
	require.Len(t, strings.Fields(p.got.last.Header.Get("webhook-signature")), 1)
	p.got.Client().CloseIdleConnections()
}

// An address that is not public is refused when it is dialled, whatever name leads there; a redirect is not followed.
func TestWhereAWebhookMayLead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	out, err := publisher.Sample(uuid.NewString(), "chat", time.Now())
	require.NoError(t, err)
	send := func(address string, private bool) error {
		sink, err := p.sinks().Open("chat", subscription.Definition{Target: "webhook:" + address, AllowPrivate: private})
		require.NoError(t, err)
		_, err = sink.Send(t.Context(), out)
		return err
	}
	port := p.got.URL[strings.LastIndexByte(p.got.URL, ':'):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "10.0.0.1", "169.254.169.254", "0.0.0.0", "[::]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fd00::1]", "[fe80::1]"} {
		require.ErrorContains(t, send("https://"+host+port, false), "not a public address", host)
	}
	require.Zero(t, p.got.asked)
	p.got.answers(func(w http.ResponseWriter, _ delivered) bool {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
		return false
	})
	require.ErrorContains(t, send(p.got.URL, true), "redirects are not followed")
	require.Equal(t, 1, p.got.asked)
}

// A receiver that is gone is told nothing more, until a person resumes.
func TestAReceiverThatIsGoneIsPaused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.got.answers(refuse(http.StatusGone))
	p.subscribe(nil)
	p.node()
	p.grow(1, "w")
	p.eventually(func() bool { return p.state().Paused }, "it is paused")
	require.Contains(t, p.state().Reason, "410 Gone")
	p.got.answers(nil)
	p.grow(1, "w")
	_, err := p.commands.ResumeSubscription(t.Context(), "chat", ann)
	require.NoError(t, err)
	p.eventually(func() bool { return count(p.got.first()) == 3 }, "all come")
	require.Equal(t, p.logged(), p.got.first())
}

// Behind an event that is given up its workflow waits, and no other one, until a person decides.
func TestADeadLetterBlocksItsWorkflow(t *testing.T) {
	t.Parallel()
	for _, decides := range []string{"retry", "drop"} {
		t.Run(decides, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.got.answers(func(w http.ResponseWriter, one delivered) bool {
				if one.PartitionKey != "bad" || one.Sequence != "1" {
					return true
				}
				w.WriteHeader(http.StatusInternalServerError)
				return false
			})
			p.subscribe(func(a *subscription.Add) { a.GiveUpSeconds = 1 })
			p.node()
			p.grow(2, "bad", "good")
			p.eventually(func() bool { return p.state().Open() == 1 }, "it is given up")
			p.eventually(func() bool { return len(p.got.first()["good"]) == 3 }, "the other goes on")
			want := p.logged()["bad"]
			require.Equal(t, want[:1], p.got.first()["bad"])
			letter := p.state().Letters[want[1]]
			require.Equal(t, "workflow-bad", letter.Event.Stream)
			require.Equal(t, int64(1), letter.Event.Revision)
			require.Greater(t, letter.Attempts, 1)
			require.Contains(t, letter.Reason, "500")
			var err error
			if decides == "retry" {
				_, err = p.commands.SettleRetried(t.Context(), "chat", subscription.Retried{EventID: want[1]}, ann)
			} else {
				_, err = p.commands.DropDeadLetter(t.Context(), "chat", subscription.Drop{EventID: want[1]}, ann)
			}
			require.NoError(t, err)
			p.eventually(func() bool { return len(p.got.first()["bad"]) == 2 }, "what waited comes")
			require.Equal(t, []string{want[0], want[2]}, p.got.first()["bad"])
		})
	}
}

// Where a person chose so, what comes after an event that was given up does not wait.
func TestADeadLetterIsSkippedByChoice(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.got.answers(func(w http.ResponseWriter, one delivered) bool {
		if one.Sequence != "1" {
			return true
		}
		w.WriteHeader(http.StatusInternalServerError)
		return false
	})
	p.subscribe(func(a *subscription.Add) { a.GiveUpSeconds, a.Lanes = 1, subscription.Skip })
	p.node()
	p.grow(2, "w")
	p.eventually(func() bool { return len(p.got.first()["w"]) == 2 }, "what comes after it comes")
	want := p.logged()["w"]
	require.Equal(t, []string{want[0], want[2]}, p.got.first()["w"])
	require.Equal(t, 1, p.state().Open())
}

// A replay has everything after its place delivered again, with the same ids.
func TestAReplay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.subscribe(nil)
	p.node()
	p.grow(3, "w")
	p.eventually(func() bool { return len(p.got.taken()) == 4 }, "all come")
	second := p.got.taken()[1]
	at, err := eventlog.CheckpointAt(t.Context(), p.log, eventlog.Position(second.Position))
	require.NoError(t, err)
	_, err = p.commands.ReplaySubscription(t.Context(), "chat", subscription.Replay{From: publisher.PlaceOf(at)}, ann)
	require.NoError(t, err)
	p.eventually(func() bool { return len(p.got.taken()) == 6 }, "what is after it comes again")
	var came []string
	for _, one := range p.got.taken() {
		came = append(came, one.ID)
	}
	want := p.logged()["w"]
	require.Equal(t, append(append([]string(nil), want...), want[2:]...), came)
	progress := func() watermillsub.Progress {
		progress, err := publisher.New(p.config(p.groups)).Progress(t.Context(), "chat", p.state())
		require.NoError(t, err)
		return progress
	}
	p.eventually(func() bool { return progress().Waiting == 0 }, "it is where the log is")
	_, err = p.commands.RemoveSubscription(t.Context(), "chat", ann)
	require.NoError(t, err)
	for epoch := 1; epoch <= 2; epoch++ {
		p.eventually(func() bool {
			kept, err := p.groups.Look(t.Context(), fmt.Sprintf("subscription/chat/%d/events", epoch))
			return err == nil && kept == nil
		}, "what epoch %d came to is forgotten", epoch)
	}
}

// after is a place whose log is another one, with the same state store and receiver.
func (p *place) after(log eventlog.Log, groups groupsAndLedger) *place {
	other := &place{t: p.t, log: log, groups: groups, key: p.key, got: p.got}
	other.commands = commands.New(commands.Config{
		Log: log, Codec: domain.NewCodec(), Now: time.Now, NewID: uuid.NewString, CheckScript: func(string) error { return nil },
	})
	return other
}

// copied is a log with the events that another one has now.
func copied(t *testing.T, from eventlog.Log) eventlog.Log {
	t.Helper()
	to := newSQLite(t)
	_, err := logcopy.Copy(t.Context(), from, to, logcopy.Options{Chained: domain.OwnStream})
	require.NoError(t, err)
	return to
}

func (p *place) found() (times int) {
	for record, err := range p.log.Stream(p.t.Context(), subscription.Stream("chat"), 0) {
		require.NoError(p.t, err)
		if record.Type == subscription.TypeSubscriptionPlaceFound {
			times++
		}
	}
	return times
}

// Deliveries go on in a log that was restored from a backup, and in one that was copied: nothing is left out, and what comes twice is what
// was delivered after the log had noted where they were.
func TestALogThatWasRestoredOrCopied(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(p *place){
		"more was delivered": func(*place) {},
		"it was replayed, and is of another epoch": func(p *place) {
			_, err := p.commands.ReplaySubscription(t.Context(), "chat", subscription.Replay{From: publisher.PlaceOf(eventlog.Checkpoint{})}, ann)
			require.NoError(t, err)
		},
		"it was removed": func(p *place) {
			_, err := p.commands.RemoveSubscription(t.Context(), "chat", ann)
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.subscribe(nil)
			stop, _ := p.node()
			p.grow(3, "v", "w")
			p.eventually(func() bool { return len(p.got.taken()) == 8 }, "all come")
			stop()
			backup := copied(t, p.log)
			stop, _ = p.node()
			p.grow(4, "v", "w")
			p.eventually(func() bool { return len(p.got.taken()) == 16 }, "what is not in the backup comes")
			meanwhile(p)
			p.eventually(func() bool {
				kept, err := p.groups.Look(t.Context(), "subscription/chat/1/events")
				return err == nil && (kept == nil) == (p.state().Epoch != 1 || !p.state().Exists)
			}, "what is over is retired")
			stop()
			before := len(p.got.taken())

			restored := p.after(backup, p.groups)
			restored.grow(2, "v", "w")
			stop, _ = restored.node()
			want := restored.logged()
			restored.eventually(func() bool { return len(p.got.taken()) >= before+4 }, "what is new comes")
			restored.eventually(func() bool {
				all := p.got.first()
				return count(all) == 16+4 && all["v"][len(all["v"])-1] == want["v"][len(want["v"])-1]
			}, "nothing is left out")
			stop()
			require.Len(t, p.got.taken(), before+4, "a backup of one that had ended in order repeats nothing")
			require.Equal(t, 1, restored.found(), "it is said")

			moved := p.after(copied(t, restored.log), newGroups(t))
			moved.grow(1, "v")
			moved.node()
			moved.eventually(func() bool { return len(p.got.taken()) == before+5 }, "a copy goes on without what was kept beside the log")
		})
	}
}

// A place that cannot be found is said with what to do, and nothing is delivered from anywhere else until a person says where to begin.
func TestAPlaceThatIsLost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.subscribe(nil)
	p.grow(3, "w")
	claim, _, err := p.groups.Claim(t.Context(), "subscription/chat/1/events", time.Minute)
	require.NoError(t, err)
	elsewhere := fmt.Sprintf(`{"read":{"position":"%s","stream":"workflow-x","revision":7,"event_id":"%s"}}`, eventlog.PositionOf(99), uuid.NewString())
	require.NoError(t, p.groups.Release(t.Context(), "subscription/chat/1/events", claim.Token, []byte(elsewhere)), "as versions kept it that noted nothing in the log")
	said := make(chan string, 100)
	config := p.config(p.groups)
	config.Fares = func(_ context.Context, _ string, err error) {
		if err != nil {
			said <- err.Error()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	one := publisher.New(config)
	go func() { ended <- one.Run(ctx) }()
	require.Contains(t, <-said, "'kintsugi subscription replay chat --from WHEN'")
	require.Empty(t, p.got.taken())
	behind, err := one.Since(t.Context(), "chat", p.state())
	require.NoError(t, err)
	require.Equal(t, 4, behind)
	_, err = p.commands.ReplaySubscription(t.Context(), "chat", subscription.Replay{}, ann)
	require.NoError(t, err)
	p.eventually(func() bool { return len(p.got.taken()) == 4 }, "a replay begins where it is told")
	cancel()
	require.NoError(t, <-ended)
}

// A subscription that takes long to end holds up no other.
func TestASlowEndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	held, release := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(held)
		<-release
	}))
	defer slow.Close()
	defer close(release)
	_, err := p.commands.AddSubscription(t.Context(), "slow", subscription.Add{Definition: subscription.Definition{Target: "webhook:" + slow.URL, AllowPrivate: true}}, ann)
	require.NoError(t, err)
	p.node()
	p.grow(0, "w")
	<-held
	_, err = p.commands.PauseSubscription(t.Context(), "slow", subscription.Pause{}, ann)
	require.NoError(t, err)
	p.subscribe(nil)
	p.eventually(func() bool { return len(p.got.taken()) == 1 }, "the other is told while the first has something under way")
	release <- struct{}{}
}

// A receiver that says when to try again is asked then, and not before.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	sink, err := p.sinks().Open("chat", subscription.Definition{Target: "webhook:" + p.got.URL, AllowPrivate: true})
	require.NoError(t, err)
	out, err := publisher.Sample(uuid.NewString(), "chat", time.Now())
	require.NoError(t, err)
	p.got.answers(func(w http.ResponseWriter, _ delivered) bool {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, "too\n\x1b[31mfast")
		return false
	})
	_, err = sink.Send(t.Context(), out)
	later, is := errors.AsType[*publisher.LaterError](err)
	require.True(t, is)
	require.Equal(t, 2*time.Minute, later.After)
	require.EqualError(t, err, `the receiver answered 429, and said "too\n\x1b[31mfast"`)
}

// A program has taken an event when it exits with 0; it is given the event, and nothing of the server's environment.
func TestAProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("KINTSUGI_SECRET_KEY", "a secret of the server")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
		return path
	}
	out, err := publisher.Sample(uuid.NewString(), "chat", time.Now())
	require.NoError(t, err)
	send := func(ctx context.Context, path string) (publisher.Answer, error) {
		sink, err := publisher.Sinks{}.Open("chat", subscription.Definition{Target: "exec:" + path})
		require.NoError(t, err)
		return sink.Send(ctx, out)
	}
	said, err := send(t.Context(), write("takes", "cat > taken; env > environment; echo thanks\n"))
	require.NoError(t, err)
	require.Equal(t, publisher.Answer{Said: `it exited with 0, and said "thanks"`, Body: "thanks\n"}, said)
	taken, err := os.ReadFile(filepath.Join(dir, "taken"))
	require.NoError(t, err)
	require.Equal(t, string(out.Body), string(taken))
	environment, err := os.ReadFile(filepath.Join(dir, "environment"))
	require.NoError(t, err)
	require.NotContains(t, string(environment), "SECRET")
	require.Contains(t, string(environment), "KINTSUGI_EVENT_ID="+out.ID)

	_, err = send(t.Context(), write("refuses", "echo no >&2; exit 3\n"))
	require.ErrorContains(t, err, `exit status 3, and said "no"`)
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = send(short, write("hangs", "sleep 600 & sleep 600\n"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = send(t.Context(), filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// How much of an event is told is the subscription's choice; without code nothing is told that has any.
func TestPayloads(t *testing.T) {
	t.Parallel()
	record := eventlog.Record{Stream: "workflow-w", Position: "1", Event: eventlog.Event{
		ID: uuid.NewString(), Type: "FixHeld", SchemaVersion: 1, Metadata: []byte(`{"subject":"workflow:w"}`),
		Payload: []byte(`{"comment":"<b>","code":"main()","failure":{"class":"limit","code":"limit.wall"},"others":[{"code":"x","diff":"y","packed":"z","note":1}]}`),
	}}
	data := func(payload subscription.Payload) string {
		out, err := publisher.Encode(record, payload)
		require.NoError(t, err)
		var one struct{ Data json.RawMessage }
		require.NoError(t, json.Unmarshal(out.Body, &one))
		return string(one.Data)
	}
	require.Equal(t, string(record.Payload), data(subscription.Full))
	require.JSONEq(t, `{"comment":"<b>","failure":{"class":"limit","code":"limit.wall"},"others":[{"note":1}]}`, data(subscription.NoCode))
	require.Empty(t, data(subscription.References))
	record.Stream = "thread-t"
	require.Empty(t, data(subscription.NoCode), "agents quote code wherever they speak")
	record.Payload = eventlog.Erased(record.Payload)
	require.Empty(t, data(subscription.Full), "of a workflow that was deleted, also when a dead letter is tried again")
}

// A subscription of an owner is told of this owner's workflows and account, whatever types it names and whatever workflows; and of
// nothing else. It is so for one that begins in the middle of a workflow, and after the workflow was deleted.
func TestASubscriptionOfAnOwner(t *testing.T) {
	t.Parallel()
	for _, backend := range slices.Sorted(maps.Keys(backends)) {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			p := newPlaceOn(t, backend)
			for id, owner := range map[string]string{"of-ann": "ann", "of-bob": "bob"} {
				_, err := p.commands.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: id, Owner: owner}, ann)
				require.NoError(t, err)
			}
			from, err := eventlog.CheckpointAt(t.Context(), p.log, eventlog.End)
			require.NoError(t, err)
			p.subscribe(func(a *subscription.Add) {
				a.Owner, a.From = "bob", publisher.PlaceOf(from)
				a.Types = []string{workflow.TypeIntentChanged, account.TypeLimitSet, installation.TypeTokenCreated}
				a.Workflows = nil
			})
			p.node()
			for _, id := range []string{"of-ann", "of-bob"} {
				_, err := p.commands.ChangeIntent(t.Context(), id, workflow.ChangeIntent{Title: id, Intent: "another"}, ann)
				require.NoError(t, err)
			}
			for _, owner := range []string{"ann", "bob"} {
				_, err := p.commands.SetLimit(t.Context(), owner, account.SetLimit{PerMonthMicros: 1, Currency: money.USD}, ann)
				require.NoError(t, err)
			}
			_, err = p.commands.CreateToken(t.Context(), installation.CreateToken{ID: "t", Hash: strings.Repeat("a", 64), Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read}}, ann)
			require.NoError(t, err)
			_, err = p.commands.ChangeIntent(t.Context(), "of-bob", workflow.ChangeIntent{Title: "of-bob", Intent: "the last"}, ann)
			require.NoError(t, err)
			p.eventually(func() bool { return len(p.got.taken()) >= 3 }, "what is bob's comes")
			var came []string
			for _, one := range p.got.taken() {
				came = append(came, one.Source)
			}
			require.ElementsMatch(t, []string{"/streams/workflow-of-bob", "/streams/" + account.Stream("bob"), "/streams/workflow-of-bob"}, came)
		})
	}
}

// A target of an owner is dialled where the installation lets this owner's scripts go, whatever the subscription allows.
func TestATargetOfAnOwnerObeysTheInstallation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	sinks := p.sinks()
	var asked []string
	sinks.Closed = func(_ context.Context, owner, host, _ string, address netip.Addr) (string, error) {
		asked = append(asked, owner+" "+host+" "+address.String())
		return "it is closed to " + owner, nil
	}
	out, err := publisher.Sample(uuid.NewString(), "chat", time.Now())
	require.NoError(t, err)
	for owner, closed := range map[string]bool{"": false, "bob": true} {
		sink, err := sinks.Open("chat", subscription.Definition{Target: "webhook:" + p.got.URL, AllowPrivate: true, Owner: owner, Payload: subscription.Full})
		require.NoError(t, err)
		_, err = sink.Send(t.Context(), out)
		sink.Close()
		if closed {
			require.ErrorContains(t, err, "it is closed to bob")
		} else {
			require.NoError(t, err)
		}
	}
	require.Equal(t, []string{"bob 127.0.0.1 127.0.0.1"}, asked)
}
