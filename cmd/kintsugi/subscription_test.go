package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// A server tells a webhook of what happens; what cannot be delivered waits for a person, and all of it is seen and decided from
// the command line.
func TestExternalSystemsAreToldOfEvents(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	bodies := make(chan string, 100)
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var one struct{ Type string }
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil || refuses.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		bodies <- one.Type
	}))
	defer outside.Close()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	for _, one := range []struct{ says, args string }{
		{"is no target", "a --to https://a.example"},
		{"is not an address of kafka", "a --to kafka://a.example"},
		{"unencrypted", "a --to kafka://a.example/fixes"},
		{"use nats+tls", "a --to nats://a.example/fixes"},
		{"only a webhook", "a --to nats+tls://a.example/fixes --binary"},
		{"there is no type of event", "a --to webhook:https://a.example --types Nothing"},
		{"did you mean FixApplied", "a --to webhook:https://a.example --types fixapplied"},
		{"an event of subscriptions", "a --to webhook:https://a.example --types DeadLettered"},
		{"is no name", "A --to webhook:https://a.example"},
		{"is not start, now, a position", "a --to webhook:https://a.example --from never"},
		{"no such position yet", "a --to webhook:https://a.example --from 999999"},
		{"unencrypted", "a --to webhook:http://a.example"},
		{"at least a second", "a --to webhook:https://a.example --give-up-after 1ms"},
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, append([]string{"subscription", "add"}, strings.Fields(one.args)...)...).err, one.says)
	}
	require.Contains(t, h.ok("subscription", "list"), "No subscriptions")
	require.Contains(t, h.ends(terminal.ExitNotFound, "subscription", "show", "chat").err, "there is no subscription")

	to := "webhook:" + outside.URL
	added := h.object("subscription", "add", "chat", "--to", to, "--allow-private", "--from", "start", "--give-up-after", "1s")
	require.Contains(t, added["signing_key"], "whsec_")
	require.Contains(t, h.ends(terminal.ExitConflict, "subscription", "add", "chat", "--to", to, "--allow-private").err, "already")
	require.Contains(t, h.ok("subscription", "test", "chat"), "Taken after")
	require.Equal(t, "kintsugi.test", <-bodies)
	refuses.Store(true)
	require.Contains(t, h.ends(terminal.ExitFailure, "subscription", "test", "chat").out, "answered 500")
	require.Contains(t, h.ok("subscription", "list"), to)

	server := h.dev("--quiet")
	var letters []map[string]any
	require.Eventually(t, func() bool {
		letters = h.objects("subscription", "dead-letters", "list", "chat")
		return len(letters) == 1
	}, time.Minute, 100*time.Millisecond)
	require.Contains(t, h.ok("subscription", "dead-letters", "list", "chat"), "WorkflowCreated")
	require.Eventually(t, func() bool {
		one := h.objects("subscription", "list")[0]
		why, _ := one["last_error"].(string)
		return one["dead_letters"] == 1.0 && one["lag"] == 1.0 && strings.Contains(why, "waits behind a dead letter")
	}, time.Minute, 100*time.Millisecond)
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "dead-letters", "retry", "chat").err, "name events")
	require.Contains(t, h.ends(terminal.ExitFailure, "subscription", "dead-letters", "retry", "chat", "--all").out, "Not taken")
	refuses.Store(false)
	require.Contains(t, h.ok("subscription", "dead-letters", "retry", "chat", "--all"), "Taken")
	require.Equal(t, "kintsugi.WorkflowCreated", <-bodies)
	h.ok("workflow", "edit", "W", "--intent", "Order by order")
	require.Equal(t, "kintsugi.IntentChanged", <-bodies)

	require.Contains(t, h.ok("subscription", "pause", "chat", "--reason", "they move"), "paused they move")
	require.Contains(t, h.ok("subscription", "resume", "chat"), "active")
	require.Contains(t, h.ok("subscription", "replay", "chat", "--from", "start"), "SubscriptionReplayed")
	require.Equal(t, "kintsugi.WorkflowCreated", <-bodies)
	require.NotEqual(t, added["signing_key"], h.object("subscription", "rotate-key", "chat")["signing_key"])
	require.Equal(t, "removed", h.object("subscription", "remove", "chat")["state"])
	require.Contains(t, h.ok("secret", "list"), "No secrets")
	server.interrupt()
	require.Zero(t, server.wait())
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}

// Rule: an expression that cannot be made is refused with its place, and what comes of one for an event that happened is shown before anything is sent.
func TestExpressionsOfSubscriptions(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 100)
	outside := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil {
			bodies <- string(body)
		}
	}))
	defer outside.Close()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	to := []string{"--to", "webhook:" + outside.URL, "--allow-private", "--from", "start"}
	for _, one := range []struct{ flag, text, says string }{
		{"--filter", "event.data.x ==", "the filter: line 1, column 16: it ends too early"},
		{"--filter", "true &&\n evnt.type", "the filter: line 2, column 2: evnt is not defined"},
		{"--transform", "({text: })", "the transform: line 1, column 9: "},
		{"--transform", "`" + strings.Repeat("a", 5000) + "`", "at most 4096 bytes"},
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, append([]string{"subscription", "add", "chat", one.flag, one.text}, to...)...).err, one.says)
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "add", "a", "--to", "smtp://a@c.example?from=d@e.example&to=f@g.example", "--transform", "1").err, "a mail says in words")
	h.ok(append([]string{"subscription", "add", "chat", "--filter", `event.type === "kintsugi.WorkflowCreated"`, "--transform", "@" + h.file("transform.js", "({text: `${event.type} ${event.data.title}`})\n")}, to...)...)
	preview := h.object("subscription", "test", "chat", "--event", "newest")
	require.JSONEq(t, `{"text": "kintsugi.WorkflowCreated W"}`, preview["body"].(string))
	require.Contains(t, h.ok("subscription", "test", "chat"), `Sent: {"text":"kintsugi.test undefined"}`)
	require.Equal(t, `{"text":"kintsugi.test undefined"}`, <-bodies)

	h.ok("workflow", "edit", "W", "--intent", "Order by order")
	server := h.dev("--quiet")
	require.Equal(t, `{"text":"kintsugi.WorkflowCreated W"}`, <-bodies)
	require.Eventually(t, func() bool {
		one := h.objects("subscription", "list")[0]
		return one["left_out"] == 1.0 && one["lag"] == 0.0
	}, time.Minute, 100*time.Millisecond)
	require.Contains(t, h.ok("subscription", "show", "chat"), "1 events, by the filter")
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "update", "chat", "--filter", "evnt").err, "line 1, column 1")
	require.Contains(t, h.ok("subscription", "update", "chat", "--transform", "event.data.title.nothing.at", "--filter", ""), "event.data.title.nothing.at")
	require.Contains(t, h.ends(terminal.ExitFailure, "subscription", "test", "chat", "--event", "1").out, "would not be sent: transform: TypeError")
	require.Contains(t, h.ends(terminal.ExitFailure, "subscription", "test", "chat").out, "--event newest")
	server.interrupt()
	require.Zero(t, server.wait())
}

// Rule: a token that a target wants is got with a secret of the vault, and what is wrong with that is said by a test.
func TestATargetThatWantsATokenIsTried(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if _, secret, _ := r.BasicAuth(); secret != "s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token": "t1", "token_type": "bearer"}`)
	})
	mux.HandleFunc("POST /hook", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t1" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	outside := httptest.NewServer(mux)
	defer outside.Close()
	host := strings.TrimPrefix(outside.URL, "http://")
	h := newHome(t)
	h.ok("workflow", "create", "W")
	h.ok("subscription", "add", "chat", "--to", "webhook:"+outside.URL+"/hook", "--allow-private")
	require.Contains(t, h.ends(terminal.ExitFailure, "subscription", "test", "chat").out, "answered 401")
	h.ok("subscription", "update", "chat", "--oauth-token-url", outside.URL+"/token", "--oauth-client-id", "k", "--oauth-secret", "idp")
	require.Contains(t, h.ends(terminal.ExitFailure, "subscription", "test", "chat").out, "kintsugi secret set idp --all --host "+host)
	for secret, want := range map[string]int{"wrong": terminal.ExitFailure, "s3cret": 0} {
		require.Zero(t, h.runWith(secret, "secret", "set", "idp", "--all", "--host", host).code)
		require.Equal(t, want, h.run("subscription", "test", "chat").code, secret)
	}
	require.Contains(t, h.ok("subscription", "show", "chat"), "for the client k with the secret idp")
	require.NotContains(t, h.ok("subscription", "update", "chat", "--oauth-token-url", ""), "for the client")
}

// A server that is killed amid deliveries repeats of each workflow no more than the one that was under way, in each subscription.
func TestAKillRepeatsOneDeliveryOfAWorkflow(t *testing.T) {
	t.Parallel()
	const subscriptions, each, workflows, killedAt = 3, 60, 3, 200
	h := newHome(t)
	n := h.node()
	for i := range workflows {
		id, ann := fmt.Sprint("w", i), commands.Meta{Actor: "person:ann"}
		_, err := n.Commands.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: id, Owner: "ann"}, ann)
		require.NoError(t, err)
		for j := range each {
			_, err := n.Commands.ChangeIntent(t.Context(), id, workflow.ChangeIntent{Intent: fmt.Sprint(j)}, ann)
			require.NoError(t, err)
		}
	}
	var mu sync.Mutex
	var killed *runningCommand
	came, all := map[string]int{}, 0
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var one struct{ ID, PartitionKey string }
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		came[r.URL.Path+" "+one.PartitionKey+" "+one.ID]++
		if all++; all == killedAt {
			_ = killed.command.Process.Kill()
		}
	}))
	defer outside.Close()
	for i := range subscriptions {
		h.ok("subscription", "add", fmt.Sprint("s", i), "--to", fmt.Sprint("webhook:", outside.URL, "/", i), "--allow-private", "--from", "start")
	}
	mu.Lock()
	killed = h.start("dev", "--quiet")
	mu.Unlock()
	<-killed.ended
	server := h.dev("--quiet")
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(came) == subscriptions*workflows*(each+1)
	}, patience, 10*time.Millisecond)
	server.interrupt()
	require.Zero(t, server.wait())
	repeats := map[string]int{}
	for key, times := range came {
		repeats[key[:strings.LastIndex(key, " ")]] += times - 1
	}
	t.Log("repeats", repeats)
	for lane, n := range repeats {
		require.LessOrEqual(t, n, 1, "of %s", lane)
	}
}

// A program is told of events by its whole path, and tried from the command line.
func TestAProgramIsToldOfEvents(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	path := filepath.Join(t.TempDir(), "take")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\ncat >/dev/null; echo got it\n"), 0o700))
	h.ok("subscription", "add", "audit", "--to", "exec:"+path, "--payload", "references")
	require.Contains(t, h.ok("subscription", "test", "audit"), `said "got it"`)
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "rotate-key", "audit").err, "not signed")
}

// A password in a target is kept where scripts, events and lists do not have it, and is there when the target asks for it.
func TestThePasswordOfATargetIsASecret(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	asked := make(chan string, 1)
	room := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer room.Close()
	said := h.ok("subscription", "add", "team", "--to", "slack:"+room.URL+"/services/T0/B0/hidden-path", "--allow-private")
	file := filepath.Join(t.TempDir(), "target")
	require.NoError(t, os.WriteFile(file, []byte("amqp://ann:hidden-word@127.0.0.1:1/?queue=fixes\n"), 0o600))
	said += h.ok("subscription", "add", "queue", "--to", "@"+file, "--allow-private")
	said += h.ok("subscription", "list") + h.ok("subscription", "show", "team") + h.ok("subscription", "show", "queue", "-o", "json")
	require.NotContains(t, said, "hidden")
	require.Contains(t, said, "amqp://ann@127.0.0.1:1/?queue=fixes")
	require.NoError(t, filepath.WalkDir(h.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		written, err := os.ReadFile(path)
		require.NotContains(t, string(written), "hidden", path)
		return err
	}))
	require.Contains(t, h.ok("subscription", "test", "team"), "Taken after")
	require.Equal(t, "/services/T0/B0/hidden-path", <-asked)
	require.NotContains(t, h.ends(terminal.ExitFailure, "subscription", "test", "queue").out, "hidden")
	other := h.file("other", room.URL+"/services/T0/B0/hidden-other\n")
	require.NotContains(t, h.ok("subscription", "set-secret", "team", "--file", other), "hidden")
	h.ok("subscription", "test", "team")
	require.Equal(t, "/services/T0/B0/hidden-other", <-asked)
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "set-secret", "team", "--file", h.file("far", "https://hooks.example.com/services/x")).err, "another host")
	h.ok("subscription", "remove", "team")
	h.ok("subscription", "remove", "queue")
	require.Contains(t, h.ok("secret", "list"), "No secrets")
}

// Rule: what became of each try survives a kill of the server; a test goes the way of all events and is among them; one event is sent once
// more by its id or its position, and no event before its turn; and all that was given up since a time is sent once the receiver works.
func TestDeliveriesAreALedger(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	refuses.Store(true)
	var mu sync.Mutex
	var took []string
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuses.Load() {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte("down for now"))
			return
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, r.Header.Get("Webhook-Id"))
	}))
	defer outside.Close()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	h.ok("subscription", "add", "chat", "--to", "webhook:"+outside.URL, "--allow-private", "--from", "start", "--give-up-after", "2s")
	require.Contains(t, h.ok("subscription", "deliveries", "chat"), "No deliveries")
	require.Contains(t, h.ends(terminal.ExitNotFound, "subscription", "deliveries", "other").err, "there is no subscription")
	require.Contains(t, h.ends(terminal.ExitNotFound, "subscription", "resend", "chat", "nothing").err, "the ledger of chat has no event")
	attempts := func(args ...string) []map[string]any {
		return h.objects(append([]string{"subscription", "deliveries", "chat"}, args...)...)
	}

	killed := h.start("dev", "--quiet")
	require.Eventually(t, func() bool { return len(attempts("--failed")) >= 1 }, patience, 50*time.Millisecond)
	require.NoError(t, killed.command.Process.Kill())
	<-killed.ended
	first := attempts("--failed")[len(attempts("--failed"))-1]
	require.Equal(t, "WorkflowCreated", first["type"])
	require.Equal(t, "down for now", first["answer"])
	require.InDelta(t, http.StatusBadGateway, first["status"], 0)
	require.NotEmpty(t, first["next"])
	id := first["event"].(string)
	require.Contains(t, h.ends(terminal.ExitConflict, "subscription", "resend", "chat", id).err, "comes in its turn")

	server := h.dev("--quiet")
	require.Eventually(t, func() bool { return len(h.objects("subscription", "dead-letters", "list", "chat")) == 1 }, patience, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		all := attempts("--event", id)
		return len(all) > 1 && all[0]["next"] == nil
	}, patience, 50*time.Millisecond)
	require.Equal(t, first, attempts("--event", id)[len(attempts("--event", id))-1], "what was noted before the kill")
	require.Contains(t, h.ends(terminal.ExitFailure, "subscription", "recover", "chat", "--since", "2026-01-01").out, "answered 502")
	refuses.Store(false)
	require.Contains(t, h.ok("subscription", "recover", "chat", "--since", time.Now().AddDate(0, 0, 2).Format(time.DateOnly)), "No dead letters since then")
	require.Contains(t, h.ok("subscription", "recover", "chat", "--since", "2026-01-01"), "Taken")
	require.Contains(t, h.ok("subscription", "resend", "chat", id), "Taken")
	require.Contains(t, h.ok("subscription", "resend", "chat", "1"), "Taken", "by its position")
	require.Contains(t, h.ok("subscription", "test", "chat"), "Taken")
	last := attempts("--limit", "4")
	for i, how := range []string{"test", "resend", "resend", "recover"} {
		require.Equal(t, how, last[i]["by_hand"])
		require.Equal(t, true, last[i]["taken"])
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "resend", "chat", last[0]["event"].(string)).err, "never happened")
	mu.Lock()
	require.Equal(t, []string{id, id, id, last[0]["event"].(string)}, took)
	mu.Unlock()
	require.Contains(t, h.ok("subscription", "deliveries", "chat", "--failed", "--since", "2026-01-01"), "answered 502")
	h.ok("subscription", "remove", "chat")
	h.ok("subscription", "add", "chat", "--to", "webhook:"+outside.URL, "--allow-private")
	require.Contains(t, h.ok("subscription", "deliveries", "chat"), "No deliveries", "those of one that was removed are gone")
	server.interrupt()
	require.Zero(t, server.wait())
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}

// Rule: a subscription is changed from the command line, and its place and its key stay, at another host as well; a password is shown to no
// other host.
func TestASubscriptionIsUpdated(t *testing.T) {
	t.Parallel()
	receive := func() (url string, came chan *http.Request) {
		came = make(chan *http.Request, 100)
		outside := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came <- r }))
		t.Cleanup(outside.Close)
		return outside.URL, came
	}
	first, came := receive()
	second, cameThere := receive()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	h.ok("subscription", "add", "chat", "--to", "webhook:"+first, "--allow-private", "--from", "start")
	server := h.dev("--quiet")
	id := (<-came).Header.Get("Webhook-Id")
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "update", "chat").err, "say what is to be another")
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "update", "chat", "--types", "Nothing").err, "there is no type of event")
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "update", "chat", "--to", "nats+tls://a.example/f").err, "another kind")
	require.Contains(t, h.ends(terminal.ExitNotFound, "subscription", "update", "other", "--lanes", "skip").err, "there is no subscription")
	require.Contains(t, h.ok("subscription", "update", "chat", "--to", "webhook:"+second, "--payload", "references"), "before: webhook:"+first)
	h.ok("workflow", "edit", "W", "--intent", "Order by order")
	next := <-cameThere
	require.NotEqual(t, id, next.Header.Get("Webhook-Id"), "it goes on where it was")
	require.NotEmpty(t, next.Header.Get("Webhook-Signature"))
	require.Empty(t, came)
	shown := h.object("subscription", "update", "chat", "--types", "IntentChanged", "--workflow", "W", "--give-up-after", "5m")
	require.InDelta(t, 300, shown["give_up_seconds"], 0)
	require.Equal(t, "references", shown["payload"], "as it was")
	require.Contains(t, h.ok("subscription", "update", "chat", "--types", "", "--workflow", ""), "all that happens")
	server.interrupt()
	require.Zero(t, server.wait())

	h.ok("subscription", "add", "queue", "--to", "amqp://ann:hidden-word@127.0.0.1:1/?queue=fixes", "--allow-private")
	require.Contains(t, h.ends(terminal.ExitUsage, "subscription", "update", "queue", "--to", "amqp://ann@127.0.0.1:2/?queue=fixes").err, "is not shown to")
	h.ok("subscription", "update", "queue", "--to", "amqp://ann@127.0.0.1:1/?queue=other")
	require.NotContains(t, h.ok("subscription", "update", "queue", "--to", "amqp://ann:hidden-too@127.0.0.1:2/?queue=fixes"), "hidden")
}
