//go:build client

package publisher_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule: a real provider of OAuth (node-oidc-provider) gives the token that a webhook is shown, and knows it.
func TestTheirProviderGivesTokens(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())
	provider := exec.CommandContext(t.Context(), "node", "e2e/provider.mjs", strconv.Itoa(port), "http://127.0.0.1:1/callback")
	provider.Dir = "../../web"
	out, err := provider.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, provider.Start())
	t.Cleanup(func() { _ = provider.Process.Kill(); _ = provider.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "listening")
	at := "http://127.0.0.1:" + strconv.Itoa(port)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		asked, err := http.NewRequestWithContext(r.Context(), http.MethodPost, at+"/token/introspection", strings.NewReader(url.Values{"token": {token}}.Encode()))
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		asked.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		asked.SetBasicAuth("sender", "another-secret-of-the-tests")
		answered, err := http.DefaultClient.Do(asked)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		defer answered.Body.Close()
		known := make([]byte, 1000)
		n, _ := answered.Body.Read(known)
		if !strings.Contains(string(known[:n]), `"active":true`) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer target.Close()
	for secret, says := range map[string]string{"another-secret-of-the-tests": "", "wrong": "invalid_client"} {
		p := newPlace(t)
		sinks := p.sinks()
		sinks.Named = func(context.Context, string, string, string) (string, bool, error) { return secret, true, nil }
		sink, err := sinks.Open("chat", subscription.Definition{
			Target: "webhook:" + target.URL, AllowPrivate: true, OAuth: &subscription.OAuth{TokenURL: at + "/token", ClientID: "sender", Secret: "idp", Scopes: []string{"events"}},
		})
		require.NoError(t, err)
		_, err = sink.Send(t.Context(), tell(t, "w", workflow.QuestionAsked{Text: "Net?"}))
		sink.Close()
		if says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, says)
		}
	}
}
