package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

// A dry run for an agent sends GETs to the hosts that it may reach, by whatever way, and nothing else:
// also not a POST that the script declares a read, and not where a redirect leads.
func TestACarefulDryRunReachesOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { elsewhere++ }))
	defer other.Close()
	otherHost := strings.TrimPrefix(other.URL, "http://")
	id := n.create("function main() {}", workflow.Settings{AllowedHosts: []string{otherHost}})
	n.outside.answer("/a", 200, `{"v":1}`)
	redirect := httptest.NewServer(http.RedirectHandler(other.URL+"/taken", http.StatusFound))
	defer redirect.Close()
	_, err := n.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{
		AllowedHosts: []string{otherHost, n.outside.host(), strings.TrimPrefix(redirect.URL, "http://")},
	}}, person())
	require.NoError(t, err)
	reach := func(host, port string) bool { return host+":"+port != otherHost }
	dry := func(call string) rehearsal.Rehearsed {
		made, err := n.explorer().DryRun(t.Context(), id, rehearsal.DryRun{
			Code: n.outside.local("async function main() { return await " + call + "; }"), Reach: reach,
		})
		require.NoError(t, err)
		return made
	}
	for _, allowed := range []string{`web.getJSON("BASE/a")`, `web.fetch("BASE/a")`, `web.fetch("BASE/a", {method: "head"})`} {
		require.Nil(t, dry(allowed).Outcome.Error, allowed)
	}
	for _, posted := range []string{
		`web.postJSON("BASE/a", {}, {effect: "read"})`, `web.fetch("BASE/a", {method: "POST", effect: "read"})`,
	} {
		stopped := dry(posted).Outcome.Error
		require.NotNil(t, stopped, posted)
		require.Equal(t, "permission", stopped.Class, "%s: %s", posted, stopped.Message)
	}
	require.Zero(t, n.outside.count("POST /a"))
	for _, strange := range []string{`web.getJSON("` + other.URL + `/x")`, `web.getJSON("` + redirect.URL + `")`} {
		refused := dry(strange).Outcome.Error
		require.NotNil(t, refused, strange)
		require.Equal(t, "permission", refused.Class)
		require.Contains(t, refused.Message, "no person has named")
	}
	require.Zero(t, elsewhere)
}
