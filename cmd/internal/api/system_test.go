package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// A secret goes in, and its value never comes out. A caller who sees an owner's workflows keeps theirs only.
func TestSecretsAreWrittenAndNeverRead(t *testing.T) {
	t.Parallel()
	s := serve(t)
	anns, bobs := s.workflow("Ann's", "ann"), s.workflow("Bob's", "bob")
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Edit}})
	body := map[string]any{"value": "sesame-opens-it", "hosts": []string{"api.example.com"}}
	for _, path := range []string{"/secrets/ALL_TOKEN", "/secrets/ANN_TOKEN?workflow=" + anns} {
		require.NotContains(t, string(s.ok(http.MethodPut, path, body).body), "sesame")
		require.GreaterOrEqual(t, s.ask(bob.Token, http.MethodPut, "/api/v1"+path, body).status, 400)
		require.GreaterOrEqual(t, s.ask(bob.Token, http.MethodDelete, "/api/v1"+path, nil).status, 400)
	}
	require.Equal(t, http.StatusOK, s.ask(bob.Token, http.MethodPut, "/api/v1/secrets/BOB_TOKEN?workflow="+bobs, body).status)
	var mine, all api.Page[vault.Secret]
	s.ask(bob.Token, http.MethodGet, "/api/v1/secrets", nil).into(t, &mine)
	require.Len(t, mine.Items, 1)
	listed := s.ok(http.MethodGet, "/secrets", nil)
	listed.into(t, &all)
	require.Len(t, all.Items, 3)
	require.NotContains(t, string(listed.body), "sesame")
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPatch, "/api/v1/workflows/"+anns, map[string]any{"intent": "use sesame-opens-it"})
	s.ok(http.MethodDelete, "/secrets/ALL_TOKEN", nil)
	s.refused(http.StatusNotFound, s.admin, http.MethodDelete, "/api/v1/secrets/ALL_TOKEN", nil)
}

// The state beside the log is changed once for a key, too: asking again says nothing that was said once, and takes back
// nothing that came after. Each change is an event with who did it, and no event has a secret.
func TestASecretIsSetOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	value := func() string {
		v, err := s.node.Secrets.Vault(t.Context(), false)
		require.NoError(t, err)
		text, _, err := v.Value(t.Context(), "any", "TOKEN", "api.example.com")
		require.NoError(t, err)
		return text
	}
	set := func(key, value string) {
		s.ok(http.MethodPut, "/secrets/TOKEN", map[string]any{"value": value, "hosts": []string{"api.example.com"}}, "Idempotency-Key", key)
	}
	set("a", "first-value")
	set("b", "second-value")
	set("a", "first-value")
	require.Equal(t, "second-value", value(), "the first request came twice, late")
	remove := func() { s.ok(http.MethodDelete, "/secrets/TOKEN", nil, "Idempotency-Key", "c") }
	remove()
	remove()
	set("d", "third-value")
	remove()
	require.Equal(t, "third-value", value())

	add := func(key string) string {
		return s.ok(http.MethodPost, "/subscriptions/hook", map[string]any{"target": "webhook:http://127.0.0.1:1/hook", "allow_private": true}, "Idempotency-Key", key).field(t, "signing_key")
	}
	require.Contains(t, add("e"), "whsec_")
	require.Equal(t, "<nil>", add("e"), "it is said once")
	rotated := s.ok(http.MethodPost, "/subscriptions/hook/rotate-key", nil, "Idempotency-Key", "f")
	again := s.ok(http.MethodPost, "/subscriptions/hook/rotate-key", nil, "Idempotency-Key", "f")
	require.Contains(t, rotated.field(t, "signing_key"), "whsec_")
	require.Empty(t, again.field(t, "signing_key"))
	require.Equal(t, rotated.field(t, "both_until"), again.field(t, "both_until"))
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPut, "/api/v1/subscriptions/hook/secret", map[string]any{"secret": "x"})
	s.ok(http.MethodPost, "/subscriptions/mail", map[string]any{"target": "smtp://ann:first-word@127.0.0.1:1?from=k@k.example&to=a@a.example", "allow_private": true})
	for range 2 {
		s.ok(http.MethodPut, "/subscriptions/mail/secret", map[string]any{"secret": "other-word"}, "Idempotency-Key", "g")
		s.ok(http.MethodDelete, "/subscriptions/hook", nil, "Idempotency-Key", "h")
	}

	var types []string
	for record, err := range s.node.Log.All(t.Context(), "", eventlog.Everything) {
		require.NoError(t, err)
		for _, never := range []string{"-value", "-word", "whsec_"} {
			require.NotContains(t, string(record.Payload), never)
		}
		if record.Stream == installation.Stream && record.Type != installation.TypeTokenCreated || strings.HasPrefix(record.Stream, "subscription-") {
			if record.Type == subscription.TypeSubscriptionAdvanced {
				continue // which nobody asked for
			}
			recorded, err := s.node.Commands.Show(record)
			require.NoError(t, err)
			require.Equal(t, "person:ann", recorded.Metadata.Actor)
			types = append(types, record.Type)
		}
	}
	require.Equal(t, []string{
		installation.TypeSecretSet, installation.TypeSecretSet, installation.TypeSecretRemoved, installation.TypeSecretSet, subscription.TypeSubscriptionAdded,
		subscription.TypeSigningKeyRotated, subscription.TypeSubscriptionAdded, subscription.TypeTargetSecretSet, subscription.TypeSubscriptionRemoved,
	}, types)
}

// Subscriptions are an administrator's, and none of them runs a program of somebody far away.
func TestSubscriptionsOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	made := s.ok(http.MethodPost, "/subscriptions/chat", map[string]any{"target": "webhook:" + receiver.URL, "allow_private": true})
	require.Contains(t, made.field(t, "signing_key"), "whsec_")
	require.NotContains(t, string(s.ok(http.MethodGet, "/subscriptions/chat", nil).body), "whsec_", "a key is said once")
	require.Equal(t, "true", s.ok(http.MethodPost, "/subscriptions/chat/test", nil).field(t, "delivered"))
	require.Equal(t, "paused", s.ok(http.MethodPost, "/subscriptions/chat/pause", map[string]any{"reason": "moving"}).field(t, "state"))
	require.Equal(t, "active", s.ok(http.MethodPost, "/subscriptions/chat/resume", nil).field(t, "state"))
	s.ok(http.MethodPost, "/subscriptions/chat/replay", map[string]any{"from": "start"})
	require.Contains(t, s.ok(http.MethodPost, "/subscriptions/chat/rotate-key", nil).field(t, "signing_key"), "whsec_")
	require.Equal(t, "[]", s.ok(http.MethodGet, "/subscriptions/chat/dead-letters", nil).field(t, "items"))
	for _, target := range []string{"exec:/bin/true", "EXEC:/bin/true", "Exec:./x"} {
		require.GreaterOrEqual(t, s.ask(s.admin, http.MethodPost, "/api/v1/subscriptions/program", map[string]any{"target": target}).status, 400, target)
	}
	editor := s.token(installation.CreateToken{Person: "eve", Scopes: []installation.Scope{installation.Read, installation.Edit, installation.Judge, installation.Run}})
	s.refused(http.StatusForbidden, editor.Token, http.MethodGet, "/api/v1/subscriptions", nil)
	s.ok(http.MethodDelete, "/subscriptions/chat", nil)
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1/subscriptions/chat", nil)
}

// An operator sees how it is, what its views hold and its measurements.
func TestTheSystem(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Seen", "ann")
	require.Equal(t, "sqlite", s.ok(http.MethodGet, "/system", nil).field(t, "store"))
	var system api.System
	s.ok(http.MethodGet, "/system", nil).into(t, &system)
	require.Equal(t, []app.NodeAtWork{{Name: s.node.Name, Self: true, Late: []string{}}}, system.Nodes)
	var checks api.Page[app.Check]
	s.ok(http.MethodGet, "/doctor", nil).into(t, &checks)
	require.NotEmpty(t, checks.Items)
	var rows app.ViewRows
	s.ok(http.MethodGet, "/views/workflow?where=id%3D"+id, nil).into(t, &rows)
	require.Len(t, rows.Rows, 1)
	s.ok(http.MethodGet, "/views/workflow?at=1", nil).into(t, &rows)
	require.NotEmpty(t, s.ok(http.MethodGet, "/generations", nil).field(t, "items"))
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodGet, "/api/v1/views/workflow?where=id", nil)
	s.refused(http.StatusNotFound, s.admin, http.MethodGet, "/api/v1/views/nothing", nil)
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read}})
	for _, path := range []string{"/system", "/views", "/views/workflow", "/generations", "/doctor"} {
		s.refused(http.StatusForbidden, bob.Token, http.MethodGet, "/api/v1"+path, nil)
	}
	scraper := s.token(installation.CreateToken{Person: "prometheus", Scopes: []installation.Scope{installation.Metrics}})
	require.Contains(t, string(s.ask(scraper.Token, http.MethodGet, "/metrics", nil).body), "kintsugi_")
	s.refused(http.StatusUnauthorized, "", http.MethodGet, "/metrics", nil)
	s.refused(http.StatusForbidden, bob.Token, http.MethodGet, "/metrics", nil)
	s.refused(http.StatusForbidden, scraper.Token, http.MethodGet, "/api/v1/workflows", nil)
	require.Equal(t, http.StatusOK, s.ask("", http.MethodGet, "/schemas/ScriptSaved.v1.json", nil).status)
}

// With a token of one owner somebody has subscriptions of this owner, and finds no other: to any name of another each operation
// answers as to a name that nothing has. Its target goes where the installation lets the owner's scripts go.
func TestSubscriptionsOfAnOwner(t *testing.T) {
	t.Parallel()
	s := serve(t)
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Edit}}).Token
	looks := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read}}).Token
	editor := s.token(installation.CreateToken{Person: "eve", Scopes: []installation.Scope{installation.Read, installation.Edit}}).Token
	came := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came <- r.Header.Get("Webhook-Id") }))
	t.Cleanup(receiver.Close)
	target := map[string]any{"target": "webhook:" + receiver.URL, "allow_private": true}
	s.ok(http.MethodPost, "/subscriptions/all", target)
	s.ok(http.MethodPost, "/subscriptions/anns", map[string]any{"target": "webhook:" + receiver.URL, "allow_private": true, "owner": "ann"})

	const base = "/api/v1/subscriptions"
	made := s.ask(bob, http.MethodPost, base+"/mine", target)
	require.Equal(t, http.StatusCreated, made.status, "%s", made.body)
	require.Equal(t, "bob", made.field(t, "owner"))
	require.Contains(t, made.field(t, "signing_key"), "whsec_")
	said := s.ask(bob, http.MethodPost, base+"/mine/test", nil).field(t, "said")
	require.Contains(t, said, "has not opened it to workflows of bob")
	s.ok(http.MethodPatch, "/egress", map[string]any{"open": []string{"127.0.0.1"}, "owner": "bob"})
	require.Equal(t, "true", s.ask(bob, http.MethodPost, base+"/mine/test", nil).field(t, "delivered"))
	<-came

	var list api.Page[app.Subscription]
	s.ask(looks, http.MethodGet, base, nil).into(t, &list)
	require.Len(t, list.Items, 1)
	s.ok(http.MethodGet, "/subscriptions", nil).into(t, &list)
	require.Len(t, list.Items, 3)
	s.refused(http.StatusForbidden, bob, http.MethodPost, base+"/theirs", map[string]any{"target": "webhook:https://x.example", "owner": "ann"})
	for _, other := range []string{looks, editor} {
		s.refused(http.StatusForbidden, other, http.MethodPost, base+"/mine/pause", nil)
	}
	s.refused(http.StatusForbidden, editor, http.MethodGet, base, nil)

	for _, one := range []struct {
		method, path string
		body         any
	}{
		{http.MethodGet, "", nil}, {http.MethodPatch, "", map[string]any{"lanes": "skip"}}, {http.MethodDelete, "", nil}, {http.MethodPost, "/pause", nil},
		{http.MethodPost, "/resume", nil}, {http.MethodPost, "/replay", map[string]any{"from": "start"}}, {http.MethodPost, "/test", nil},
		{http.MethodPut, "/secret", map[string]any{"secret": "x"}}, {http.MethodPost, "/rotate-key", nil}, {http.MethodGet, "/deliveries", nil},
		{http.MethodPost, "/resend", map[string]any{"event": "1"}}, {http.MethodPost, "/recover", map[string]any{"since": "2026-01-01"}},
		{http.MethodGet, "/dead-letters", nil}, {http.MethodPost, "/dead-letters/retry", nil}, {http.MethodPost, "/dead-letters/drop", nil},
	} {
		for _, name := range []string{"all", "anns"} {
			got := s.refused(http.StatusNotFound, bob, one.method, base+"/"+name+one.path, one.body)
			nowhere := s.refused(http.StatusNotFound, bob, one.method, base+"/nothing"+one.path, one.body)
			require.Equal(t, nowhere, strings.ReplaceAll(got, name, "nothing"), "%s %s", one.method, one.path)
		}
	}
	s.ok(http.MethodGet, "/subscriptions", nil).into(t, &list)
	for _, one := range list.Items {
		require.Equal(t, "active", one.State, "nothing happened to %s", one.Name)
	}
	require.Equal(t, http.StatusOK, s.ask(bob, http.MethodDelete, base+"/mine", nil).status)
}

// A webhook is sent headers of its person beside its own. Nobody is shown their values, and no other host is sent them; they can be
// replaced and taken away while deliveries go on.
func TestHeadersOfASubscription(t *testing.T) {
	t.Parallel()
	s := serve(t)
	came := make(chan http.Header, 10)
	receive := func(_ http.ResponseWriter, r *http.Request) { came <- r.Header }
	receiver, other := httptest.NewServer(http.HandlerFunc(receive)), httptest.NewServer(http.HandlerFunc(receive))
	t.Cleanup(receiver.Close)
	t.Cleanup(other.Close)
	const base = "/api/v1/subscriptions/chat"
	with := func(headers map[string]string) map[string]any {
		return map[string]any{"target": "webhook:" + receiver.URL, "allow_private": true, "headers": headers}
	}
	for name, headers := range map[string]map[string]string{
		"Host": {"Host": "x"}, "content-length": {"content-length": "1"}, "Webhook-Signature": {"Webhook-Signature": "x"}, "Ce-id": {"Ce-id": "x"}, "no name": {"a b": "x"},
		"control characters": {"X-Key": "a\r\nX-Other: b"}, "is empty": {"X-Key": ""}, "twice": {"X-Key": "a", "x-key": "b"},
	} {
		require.Contains(t, s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, base, with(headers)), strings.TrimSpace(name))
	}
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, base, map[string]any{"target": "nats://127.0.0.1/x", "allow_private": true, "headers": map[string]string{"X-Key": "a"}})
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, base, map[string]any{"target": "webhook:https://x.example", "rate": "fast"})

	made := s.ok(http.MethodPost, "/subscriptions/chat", with(map[string]string{"Authorization": "Bearer first-word", "X-Tenant": "seven"}))
	test := func() http.Header {
		require.Equal(t, "true", s.ok(http.MethodPost, "/subscriptions/chat/test", nil).field(t, "delivered"))
		return <-came
	}
	got := test()
	require.Equal(t, "Bearer first-word seven", got.Get("Authorization")+" "+got.Get("X-Tenant"))
	require.NotEmpty(t, got.Get("Webhook-Signature"))

	moved := s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPatch, base, map[string]any{"target": "webhook:" + other.URL})
	require.Contains(t, moved, "Authorization, X-Tenant")
	s.ok(http.MethodPatch, "/subscriptions/chat", map[string]any{"headers": map[string]string{"Authorization": "Bearer second-word", "X-Tenant": "seven"}})
	require.Equal(t, "Bearer second-word", test().Get("Authorization"), "of the same names, with other values")
	changed := s.ok(http.MethodPatch, "/subscriptions/chat", map[string]any{"target": "webhook:" + other.URL, "headers": map[string]string{"X-Key": "third-word"}, "rate": "10/s"})
	require.Equal(t, "[X-Key] 10/s", changed.field(t, "headers")+" "+changed.field(t, "rate"))
	got = test()
	require.Equal(t, "third-word", got.Get("X-Key"))
	require.Empty(t, got.Get("X-Tenant"))
	for _, path := range []string{"/subscriptions", "/subscriptions/chat", "/subscriptions/chat/deliveries"} {
		require.NotContains(t, string(made.body)+string(s.ok(http.MethodGet, path, nil).body), "-word")
	}
	for record, err := range s.node.Log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		require.NotContains(t, string(record.Payload), "-word")
	}
	s.ok(http.MethodPatch, "/subscriptions/chat", map[string]any{"headers": map[string]string{}})
	require.Empty(t, test().Get("X-Key"))
	s.ok(http.MethodDelete, "/subscriptions/chat", nil)
}
