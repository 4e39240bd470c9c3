package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A fix that waits is told in chat with a link, which leads to a page of the server; pressing a button there mends the workflow,
// and the failed run goes on.
func TestAFixIsAcceptedFromChat(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	fix := h.hold("Orders")
	told := make(chan string, 10)
	chat := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var message struct {
			Blocks []struct{ Elements []struct{ URL string } }
		}
		if json.NewDecoder(r.Body).Decode(&message) != nil {
			return
		}
		for _, block := range message.Blocks {
			for _, button := range block.Elements {
				told <- button.URL
			}
		}
	}))
	t.Cleanup(chat.Close)
	h.ok("subscription", "add", "team", "--to", "slack:"+chat.URL+"/services/s3cret", "--allow-private", "--from", "start", "--types", "FixHeld")
	require.Contains(t, h.ends(terminal.ExitUsage, "fix", "link", fix, "--for", "ann").err, "--public-url")
	p := h.dev("--listen", "127.0.0.1:0", "--public-url", "https://kintsugi.test/behind/a/proxy/")
	at := regexp.MustCompile(`The page and the API are at (\S+)`).FindStringSubmatch(p.err.String())[1]

	link := <-told
	require.Equal(t, "?answer=decline", (<-told)[strings.Index(link, "?"):])
	link, found := strings.CutPrefix(link, "https://kintsugi.test/behind/a/proxy/decide/")
	require.True(t, found, link)
	link = at + "/decide/" + link
	get, err := http.Get(link) //nolint:noctx // a test's
	require.NoError(t, err)
	page, err := io.ReadAll(get.Body)
	require.NoError(t, err)
	require.NoError(t, get.Body.Close())
	seen := regexp.MustCompile(`name="seen" value="(\w+)"`).FindSubmatch(page)
	require.NotNil(t, seen, "%s", page)
	post, err := http.PostForm(link, url.Values{"answer": {"accept"}, "seen": {string(seen[1])}, "note": {"from the chat"}}) //nolint:noctx // a test's
	require.NoError(t, err)
	require.NoError(t, post.Body.Close())
	require.Equal(t, http.StatusOK, post.StatusCode)
	shown := h.object("fix", "show", fix)
	require.Equal(t, "person:readers of team", shown["decided_by"])
	require.Contains(t, h.ok("history", "Orders"), "from the chat")
	p.interrupt()
	p.wait()
}
