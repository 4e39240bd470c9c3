package brokers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// place is a log that nodes deliver from, with who they are told to deliver to.
type place struct {
	log      eventlog.Log
	groups   groupsAndLedger
	commands *commands.Commands
	secrets  map[string]string // by subscription
	key      string

	mu   sync.Mutex
	next map[string]int64 // revision, by workflow
}

// groupsAndLedger are what a state store keeps of subscriptions.
type groupsAndLedger interface {
	watermillsub.Groups
	watermillsub.Ledger
}

func newPlace(log eventlog.Log, groups groupsAndLedger) *place {
	return &place{
		log: log, groups: groups, secrets: map[string]string{}, key: publisher.NewKey(), next: map[string]int64{},
		commands: commands.New(commands.Config{Log: log, Codec: domain.NewCodec(), Now: time.Now, NewID: uuid.NewString, CheckScript: func(string) error { return nil }}),
	}
}

func (p *place) subscribe(t testing.TB, name, target, secret string) {
	t.Helper()
	p.secrets[name] = secret
	_, err := p.commands.AddSubscription(t.Context(), name, subscription.Add{Definition: subscription.Definition{Target: target, AllowPrivate: true}}, commands.Meta{Actor: "person:ann"})
	require.NoError(t, err)
}

// append writes an event of a workflow, and returns its id.
func (p *place) append(ctx context.Context, key string) (string, error) {
	metadata, err := json.Marshal(event.Metadata{Subject: workflow.Subject(key), RecordedAt: time.Now()})
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	revision := p.next[key]
	p.next[key]++
	p.mu.Unlock()
	id := uuid.NewString()
	_, err = p.log.Append(ctx, workflow.Stream(key), eventlog.At(revision-1), []eventlog.Event{{
		ID: id, Type: workflow.TypeIntentChanged, SchemaVersion: 1, Payload: []byte(`{"intent":"` + strconv.FormatInt(revision, 10) + `"}`), Metadata: metadata,
	}})
	return id, err
}

// logged is what the log has of workflows.
func (p *place) logged(t testing.TB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for record, err := range p.log.All(context.WithoutCancel(t.Context()), eventlog.Start, eventlog.Filter{StreamPrefixes: []string{workflow.StreamPrefix}}) {
		require.NoError(t, err)
		id := strings.TrimPrefix(record.Stream, workflow.StreamPrefix)
		all[id] = append(all[id], record.ID)
	}
	return all
}

// node delivers in this process until it is stopped.
func (p *place) node(t testing.TB) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	one := publisher.New(publisher.Config{
		Commands: p.commands, Log: p.log, Codec: domain.NewCodec(), Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Groups: func(context.Context) (watermillsub.Groups, error) { return p.groups, nil },
		Ledger: func(context.Context) (watermillsub.Ledger, error) { return p.groups, nil },
		Sinks: publisher.Sinks{Now: time.Now, Secret: func(_ context.Context, name, _ string) (string, bool, error) {
			if p.secrets[name] == "" {
				return p.key, true, nil
			}
			return p.secrets[name], true, nil
		}},
		Lease: time.Second, Pause: 10 * time.Millisecond, LongestPause: time.Second,
	})
	ended := make(chan error, 1)
	go func() { ended <- one.Run(ctx) }()
	stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { require.NoError(t, stop()) })
	return stop
}

// hook is a receiver of webhooks.
type hook struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
	// answer decides about each delivery: whether it was taken, and what is said.
	answer func() (taken bool, code int)
	// came is called for what was taken.
	came func(id string)
}

func newHook(t testing.TB) *hook {
	t.Helper()
	h := &hook{answer: func() (bool, int) { return true, http.StatusOK }, came: func(string) {}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var one struct{ ID, PartitionKey string }
		if err := json.Unmarshal(body, &one); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		taken, code := h.answer()
		if taken {
			h.got = append(h.got, received{one.ID, one.PartitionKey, nil})
		}
		h.mu.Unlock()
		if taken {
			h.came(one.ID)
		}
		w.WriteHeader(code)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) all() []received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]received(nil), h.got...)
}

func workflows(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("w%d", i)
	}
	return keys
}
