package api_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
)

// Rule: who has a link answers for a job that is held without a token: once, for the checkpoint that the link was made for, after
// having seen what is held. Later links and later looks are told who answered, and change nothing.
func TestAHeldJobIsAnsweredByALink(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.node.Links.Public = s.base
	d := &desk{t: t, node: s.node, server: &httptest.Server{URL: s.base}}
	agent := `echo made >b.txt; if [ $KINTSUGI_ATTEMPT = 1 ]; then echo "<script>" >>a.txt; fi; echo $KINTSUGI_ATTEMPT >>c.txt`
	path := s.repoPlan(repository(t), "title: shop <b>\nbase: main\nintegration: agents/t\njobs:\n- {id: one, task: do it, agent: '"+agent+"', touch: [b.txt]}\n")
	id := strings.TrimPrefix(path, "/repo-plans/")
	s.becomes(path, "held")
	anns, bobs := d.link(app.Link{Plan: id, Job: "one", Checkpoint: 1, Person: "ann@example.com"}), d.link(app.Link{Plan: id, Job: "one", Checkpoint: 1, Person: "bob"})
	page := d.browse(http.MethodGet, anns, nil)
	require.Equal(t, http.StatusOK, page.status)
	text := html.UnescapeString(string(page.body))
	for _, shown := range []string{
		"shop <b>, job one", "do it", "a.txt", "it is not in the touch set", "It may touch b.txt", "+<script>", `value="accept"`, `value="relaunch"`, `value="retry"`, "Nothing happens until you press",
	} {
		require.Contains(t, strings.NewReplacer("<code>", "", "</code>", "").Replace(text), shown)
	}
	require.NotContains(t, string(page.body), "<script")
	relaunches := string(d.browse(http.MethodGet, anns+"?answer=relaunch", nil).body)
	require.Less(t, strings.Index(relaunches, ">Relaunch<"), strings.Index(relaunches, ">Accept<"), "what the person came for is first")

	require.Equal(t, http.StatusUnprocessableEntity, d.send(anns, page, "accept", "").status, "why is recorded")
	require.Equal(t, http.StatusUnprocessableEntity, d.send(anns, page, "merge", "x").status)
	require.Equal(t, http.StatusConflict, d.browse(http.MethodPost, anns, url.Values{"answer": {"retry"}, "seen": {"00"}}).status)
	require.Equal(t, http.StatusOK, d.send(anns, page, "relaunch", "keep b.txt").status)
	for _, link := range []string{anns, bobs} {
		again := d.send(link, page, "accept", "x")
		require.Equal(t, http.StatusConflict, again.status)
		require.Contains(t, string(again.body), "The agent was launched again by ann@example.com on")
	}

	s.becomes(path, "held") // the agent touched c.txt, both times
	second := d.link(app.Link{Plan: id, Job: "one", Checkpoint: 2, Person: "bob"})
	require.Equal(t, http.StatusOK, d.press(second, "accept", "they are right").status)
	s.becomes(path, "completed")
	whole := string(s.ok(http.MethodGet, path+"/checkpoints", nil).body)
	require.Contains(t, whole, `"answered_by":"person:bob","why":"they are right"`)
	require.Contains(t, whole, `"answered_by":"person:ann@example.com"`)
	require.Contains(t, string(d.browse(http.MethodGet, second, nil).body), "It was let pass by bob")
	foreign, err := s.node.Links.Make(app.Link{Plan: "none", Job: "one", Checkpoint: 1, Person: "bob"}, time.Hour)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, d.browse(http.MethodGet, foreign, nil).status)
}
