package api_test

import (
	"crypto/hmac"
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
