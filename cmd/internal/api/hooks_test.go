package api_test

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func mac(key []byte, text string) []byte {
	sum := hmac.New(sha256.New, key)
	_, _ = sum.Write([]byte(text))
	return sum.Sum(nil)
}

// standard signs a request as Standard Webhooks says.
func standard(secret, id string, at time.Time, body string) []string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	seconds := fmt.Sprint(at.Unix())
	return []string{
		"Webhook-Id", id, "Webhook-Timestamp", seconds,
		"Webhook-Signature", "v1,AAAA v1," + base64.StdEncoding.EncodeToString(mac(key, id+"."+seconds+"."+body)),
	}
}

// A hook starts its workflow for whoever proves to have its secret, once for each request, and for nobody else.
func TestHooksStartAWorkflow(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Orders", "ann")
	add := func(name, style string) app.Hook {
		var made app.Hook
		s.ok(http.MethodPost, "/workflows/"+id+"/hooks/"+name, map[string]any{"style": style}).into(t, &made)
		require.NotEmpty(t, made.Secret)
		return made
	}
	shop, github, plain := add("shop", "standard"), add("push", "github"), add("cron", "token")
	require.NotContains(t, string(s.ok(http.MethodGet, "/workflows/"+id+"/hooks", nil).body), shop.Secret, "a secret is said once")
	require.NotContains(t, string(s.ok(http.MethodGet, "/workflows/"+id+"/history", nil).body), plain.Secret)
	s.refused(http.StatusConflict, s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/hooks/shop", map[string]any{"style": "token"})

	const body = `{"name":"Bo"}`
	post := func(hook app.Hook, body string, headers ...string) (sent app.Sent) {
		got := s.ask("", http.MethodPost, hook.Path, body, headers...)
		require.Equal(t, http.StatusAccepted, got.status, "%s", got.body)
		got.into(t, &sent)
		return sent
	}
	now := time.Now()
	first := post(shop, body, standard(shop.Secret, "msg_1", now, body)...)
	require.Equal(t, app.SentRun, first.Outcome)
	again := post(shop, body, standard(shop.Secret, "msg_1", now, body)...)
	require.True(t, again.Repeated)
	require.Equal(t, first.Run, again.Run)
	signature := "sha256=" + hex.EncodeToString(mac([]byte(github.Secret), body))
	require.NotEqual(t, first.Run, post(github, body, "X-Hub-Signature-256", signature, "X-GitHub-Delivery", "msg_1").Run, "ids of two hooks do not meet")
	post(plain, "", "Authorization", "Bearer "+plain.Secret)
	require.Equal(t, http.StatusUnprocessableEntity, s.ask("", http.MethodPost, plain.Path, "hello", "Authorization", "Bearer "+plain.Secret).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, s.ask("", http.MethodPost, plain.Path, strings.Repeat(" ", 2<<20), "Authorization", "Bearer "+plain.Secret).status)

	late, other := standard(shop.Secret, "msg_2", now.Add(-6*time.Minute), body), standard(shop.Secret, "msg_3", now, `{"name":"Al"}`)
	for _, headers := range [][]string{nil, late, other, {"Authorization", "Bearer " + shop.Secret}, standard(plain.Secret, "msg_4", now, body)} {
		s.refused(http.StatusUnauthorized, "", http.MethodPost, shop.Path, body, headers...)
	}
	unknown := s.refused(http.StatusUnauthorized, "", http.MethodPost, "/hooks/nobody/shop", body)
	s.ok(http.MethodDelete, "/workflows/"+id+"/hooks/cron", nil)
	require.Equal(t, unknown, s.refused(http.StatusUnauthorized, "", http.MethodPost, plain.Path, body, "Authorization", "Bearer "+plain.Secret), "nobody learns which hooks there are")
	bob := s.token(installation.CreateToken{Person: "bob", Owner: "bob", Scopes: []installation.Scope{installation.Read, installation.Edit}})
	s.refused(http.StatusNotFound, bob.Token, http.MethodPost, "/api/v1/workflows/"+id+"/hooks/mine", map[string]any{"style": "token"})
	s.refused(http.StatusNotFound, bob.Token, http.MethodGet, "/api/v1/workflows/"+id+"/hooks", nil)
}

// A service that asks whether a hook is there is answered in its way, if it proves itself, and starts nothing. Each of its messages is
// taken once, whatever it asks to hear; the script is given the fields of a form as an object.
func TestHooksSpeakAsServicesDo(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.workflow("Orders", "ann")
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	secrets := map[string]string{"slack": "s-secret", "zoom": "z-secret", "meta": "m-secret", "twilio": "t-secret", "stripe": "whsec_x", "discord": hex.EncodeToString(public), "telegram": "a-Word"}
	hooks := map[string]app.Hook{}
	for style, secret := range secrets {
		var made app.Hook
		got := s.ok(http.MethodPost, "/workflows/"+id+"/hooks/"+style, map[string]any{"style": style, "secret": secret})
		require.NotContains(t, string(got.body), secret, "who has given it knows it")
		got.into(t, &made)
		hooks[style] = made
	}
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/hooks/none", map[string]any{"style": "stripe"})
	s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/hooks/none", map[string]any{"style": "discord", "secret": "x"})
	at := fmt.Sprint(time.Now().Unix())
	sum := func(style, text string) string { return hex.EncodeToString(mac([]byte(secrets[style]), text)) }
	headers := map[string]func(body string) []string{
		"slack": func(body string) []string {
			return []string{"X-Slack-Request-Timestamp", at, "X-Slack-Signature", "v0=" + sum("slack", "v0:"+at+":"+body)}
		},
		"zoom": func(body string) []string {
			return []string{"X-Zm-Request-Timestamp", at, "X-Zm-Signature", "v0=" + sum("zoom", "v0:"+at+":"+body)}
		},
		"meta": func(body string) []string { return []string{"X-Hub-Signature-256", "sha256=" + sum("meta", body)} },
		"stripe": func(body string) []string {
			return []string{"Stripe-Signature", "t=" + at + ",v1=" + sum("stripe", at+"."+body)}
		},
		"telegram": func(string) []string { return []string{"X-Telegram-Bot-Api-Secret-Token", "a-Word"} },
		"discord": func(body string) []string {
			return []string{"X-Signature-Timestamp", at, "X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(private, []byte(at+body)))}
		},
	}
	send := func(style, body string, more ...string) reply {
		return s.ask("", http.MethodPost, hooks[style].Path, body, append(headers[style](body), more...)...)
	}
	runs := func() int {
		var list struct{ Items []map[string]any }
		s.ok(http.MethodGet, "/runs?workflow="+id, nil).into(t, &list)
		var queued struct{ Queued []map[string]any }
		s.ok(http.MethodGet, "/workflows/"+id, nil).into(t, &queued)
		return len(list.Items) + len(queued.Queued)
	}

	challenged := send("slack", `{"type":"url_verification","challenge":"3eZbrw1a"}`)
	require.Equal(t, "3eZbrw1a", string(challenged.body))
	challenged = send("zoom", `{"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event":"endpoint.url_validation"}`)
	require.JSONEq(t, `{"plainToken":"qgg8vlvZRS6UYooatFL8Aw","encryptedToken":"`+sum("zoom", "qgg8vlvZRS6UYooatFL8Aw")+`"}`, string(challenged.body))
	require.JSONEq(t, `{"type":1}`, string(send("discord", `{"type":1,"token":"t","id":"1"}`).body))
	require.Equal(t, http.StatusNoContent, send("discord", `{"type":0,"version":1}`).status)
	require.NotEmpty(t, hooks["meta"].Verify)
	asks := func(style, token string) reply {
		return s.ask("", http.MethodGet, hooks[style].Path+"?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token="+token, nil)
	}
	require.Equal(t, "1158201444", string(asks("meta", hooks["meta"].Verify).body))
	for _, got := range []reply{
		asks("meta", "x"), asks("meta", ""), asks("stripe", ""), s.ask("", http.MethodPost, hooks["slack"].Path, `{"type":"url_verification","challenge":"x"}`),
		s.ask("", http.MethodPost, hooks["discord"].Path, `{"type":1,"token":"t"}`, "X-Signature-Timestamp", at, "X-Signature-Ed25519", strings.Repeat("0", 128)),
	} {
		require.Equal(t, http.StatusUnauthorized, got.status, "%s", got.body)
	}
	require.Zero(t, runs(), "whoever asks starts nothing")

	for i, one := range []struct{ style, body, answer string }{
		{"slack", `{"type":"event_callback","event_id":"Ev1"}`, ""}, {"zoom", `{"event":"meeting.started"}`, ""}, {"meta", `{"object":"page"}`, ""},
		{"stripe", `{"id":"evt_1"}`, ""}, {"telegram", `{"update_id":7}`, ""}, {"discord", `{"type":2,"token":"t","id":"2"}`, `{"type":5}`},
	} {
		for range 2 {
			got := send(one.style, one.body)
			require.Equal(t, http.StatusOK, got.status, "%s: %s", one.style, got.body)
			require.Equal(t, one.answer, string(got.body), one.style)
		}
		require.Eventually(t, func() bool { return runs() == i+1 }, patience, 10*time.Millisecond, "%s sends it again when it has heard nothing", one.style)
	}

	const form = "CallSid=CA1&name=Bo"
	address := "https://example.com" + hooks["twilio"].Path
	sha := hmac.New(sha1.New, []byte(secrets["twilio"]))
	_, _ = sha.Write([]byte(address + "CallSidCA1nameBo"))
	got := s.ask("", http.MethodPost, hooks["twilio"].Path, form, "Host", "kintsugi.test", "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", base64.StdEncoding.EncodeToString(sha.Sum(nil)))
	require.Equal(t, http.StatusUnauthorized, got.status, "it was signed for another address")
	address = "https://kintsugi.test" + hooks["twilio"].Path
	sha.Reset()
	_, _ = sha.Write([]byte(address + "CallSidCA1nameBo"))
	got = s.ask("", http.MethodPost, hooks["twilio"].Path, form, "Host", "kintsugi.test", "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", base64.StdEncoding.EncodeToString(sha.Sum(nil)))
	require.Equal(t, "200 <Response/>", fmt.Sprint(got.status, " ", string(got.body)))
	require.Eventually(t, func() bool {
		return strings.Contains(string(s.ok(http.MethodGet, "/runs?workflow="+id+"&status=succeeded", nil).body), `"hello":"Bo"`) ||
			strings.Contains(string(s.ok(http.MethodGet, "/workflows/"+id+"/history", nil).body), "CA1")
	}, patience, 10*time.Millisecond, "the fields are the input")
}

// A hook that says so answers with what the run returns, to a sender that has proved itself, and again when the same is sent again.
func TestAHookAnswersWithWhatTheRunReturns(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const script = `async function main(input) {
  if (input.fails) throw new Error('the password is tulip');
  if (input.waits) await ask('Go on?');
  const n = ((await kv.get('n')) || 0) + 1;
  await kv.set('n', n);
  return input.returns === 'n' ? { n } : input.returns;
}
`
	id := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Orders", "script": script, "owner": "ann"}).field(t, "id")
	s.ok(http.MethodPatch, "/workflows/"+id+"/settings", map[string]any{"guard": "off"}) // each answer is of another form
	add := func(name string, within any) (made app.Hook) {
		s.ok(http.MethodPost, "/workflows/"+id+"/hooks/"+name, map[string]any{"style": "token", "answer_within_ms": within}).into(t, &made)
		return made
	}
	price, soon := add("price", 60_000), add("soon", 1)
	require.EqualValues(t, 60_000, price.Answers)
	require.Contains(t, string(s.ok(http.MethodGet, "/workflows/"+id+"/hooks", nil).body), `"answer_within_ms":60000`)
	for _, within := range []int{-1, 60_001} {
		s.refused(http.StatusUnprocessableEntity, s.admin, http.MethodPost, "/api/v1/workflows/"+id+"/hooks/none", map[string]any{"style": "token", "answer_within_ms": within})
	}
	send := func(hook app.Hook, body string, headers ...string) reply {
		return s.ask("", http.MethodPost, hook.Path, body, append([]string{"Authorization", "Bearer " + hook.Secret}, headers...)...)
	}
	for _, one := range []struct {
		returns string
		status  int
		kind    string
		body    string
	}{
		{`"n"`, 200, "application/json", `{"n":1}`},
		{`{"price":[1.5,"<b>"]}`, 200, "application/json", `{"price":[1.5,"<b>"]}`},
		{`null`, 200, "application/json", `null`},
		{`{"status":404,"body":{"error":"unknown order"}}`, 404, "application/json", `{"error":"unknown order"}`},
		{`{"status":201,"body":"made"}`, 201, "text/plain; charset=utf-8", `made`},
		{`{"status":200,"type":"text/xml","body":"<Response/>"}`, 200, "text/xml; charset=utf-8", `<Response/>`},
		{`{"status":200,"type":"application/json","body":"made"}`, 200, "application/json", `"made"`},
		{`{"status":204}`, 204, "", ``},
		// Anything else is a value: no page, no redirect, no status that there is not.
		{`{"status":200,"type":"text/html","body":"<script>"}`, 200, "application/json", `{"body":"<script>","status":200,"type":"text/html"}`},
		{`{"status":302,"body":"x"}`, 200, "application/json", `{"body":"x","status":302}`},
		{`{"status":1}`, 200, "application/json", `{"status":1}`},
		{`{"status":"ok"}`, 200, "application/json", `{"status":"ok"}`},
		{`{"status":200,"order":7}`, 200, "application/json", `{"order":7,"status":200}`},
	} {
		got := send(price, `{"returns":`+one.returns+`}`)
		require.Equal(t, one.status, got.status, "%s: %s", one.returns, got.body)
		require.Equal(t, one.kind, got.header.Get("Content-Type"), one.returns)
		if one.kind == "application/json" {
			require.JSONEq(t, one.body, string(got.body), one.returns)
		} else {
			require.Equal(t, one.body, string(got.body), one.returns)
		}
		require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	}
	first := send(price, `{"returns":"n"}`, "Idempotency-Key", "order-1")
	again := send(price, `{"returns":"n"}`, "Idempotency-Key", "order-1")
	require.Equal(t, http.StatusOK, first.status, "%s", first.body)
	require.Equal(t, string(first.body), string(again.body), "it ran once")
	s.refused(http.StatusUnauthorized, "", http.MethodPost, price.Path, `{"returns":"n"}`, "Authorization", "Bearer "+soon.Secret)
	require.Equal(t, http.StatusAccepted, send(soon, `{"waits":true}`).status)
	s.ok(http.MethodDelete, "/workflows/"+id+"/hooks/soon", nil)

	other := s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Fails", "script": `async function main() { throw new Error('the password is tulip'); }`, "owner": "ann"}).field(t, "id")
	s.ok(http.MethodPatch, "/workflows/"+other+"/settings", map[string]any{"auto_fix": "off"})
	var fails app.Hook
	s.ok(http.MethodPost, "/workflows/"+other+"/hooks/x", map[string]any{"style": "token", "answer_within_ms": 60_000}).into(t, &fails)
	failed := send(fails, `{}`)
	require.Equal(t, http.StatusInternalServerError, failed.status, "%s", failed.body)
	require.Contains(t, string(failed.body), "came to nothing (failed)")
	require.NotContains(t, string(failed.body), "tulip")
}
