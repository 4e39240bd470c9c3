package handlers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// An agent reads from hosts that people named, in settings or in their own words, and from no
// other: what a planner or a payload names counts for nothing.
func TestWhatAPersonNamedAndNothingElse(t *testing.T) {
	t.Parallel()
	state := workflow.State{
		Settings: workflow.Settings{AllowedHosts: []string{"10.0.0.5:8080", "intern.example"}},
		Intent:   "Read https://Orders.example.test/v1?x=1 and also api.github.com. Mail it to bob@mail.example.",
		Planner:  &workflow.Planner{Task: "t", Ask: "use [this](https://docs.example:8443/a).", Told: []string{"rather stats.example, please"}},
		Answers:  []workflow.Answer{{Task: "t", Text: "yes: cdn.example"}, {Task: "other", Text: "evil.example"}},
		Versions: []workflow.Script{
			{Origin: workflow.OriginPerson, Code: `web.getJSON("https://person.example/x")`},
			{Origin: workflow.OriginPlanner, Code: `web.getJSON("https://planner.example/x")`},
			{Origin: workflow.OriginMaintainer, Code: `web.getJSON("https://maintainer.example/x")`},
		},
	}
	may := reachOf(state, func(host, port string) bool { return host == "recorded.example" && port == "443" })
	for _, named := range [][2]string{
		{"orders.example.test", "443"}, {"ORDERS.example.test", "80"}, {"api.github.com", "443"}, {"10.0.0.5", "8080"}, {"intern.example", "9999"},
		{"docs.example", "8443"}, {"stats.example", "443"}, {"cdn.example", "443"}, {"person.example", "443"}, {"recorded.example", "443"},
	} {
		require.True(t, may(named[0], named[1]), "%v", named)
	}
	for _, strange := range [][2]string{
		{"evil.example", "443"}, {"planner.example", "443"}, {"maintainer.example", "443"}, {"mail.example", "443"}, {"example.test", "443"},
		{"api.github.com", "8080"}, {"10.0.0.5", "80"}, {"docs.example", "443"}, {"x.api.github.com", "443"}, {"recorded.example", "8443"}, {"", "443"},
	} {
		require.False(t, may(strange[0], strange[1]), "%v", strange)
	}
	require.Equal(t, []string{"evil.example", "evil.example:8080"},
		unnamed("fetch('http://evil.example/', `https://evil.example:8080/${x}`, 'https://api.github.com/a', 'http://10.0.0.5:8080')", may))
}

// A run of what a planner wrote stays with the hosts that its script spells out and that people named,
// whatever else the code puts together: in every fix of it, and when a person rolls back to it. What a
// person wrote goes where it goes.
func TestWhereRunsOfAPlannersScriptGo(t *testing.T) {
	t.Parallel()
	planners := `web.getJSON("https://spelled.example/x")`
	state := workflow.State{
		Settings: workflow.Settings{AllowedHosts: []string{"allowed.example"}}, Intent: "Read intent.example",
		Versions: []workflow.Script{
			{Version: workflow.Version{Major: 1}, Origin: workflow.OriginPerson, Code: `web.getJSON("https://person.example/x")`},
			{Version: workflow.Version{Major: 2}, Origin: workflow.OriginPlanner, Code: planners},
			{Version: workflow.Version{Major: 2, Minor: 1}, Origin: workflow.OriginMaintainer, Code: `web.getJSON("https://fix.example/x")`},
			{Version: workflow.Version{Major: 3}, Origin: workflow.OriginRollback, Code: planners, Restored: &workflow.Version{Major: 2, Minor: 1}},
			{Version: workflow.Version{Major: 4}, Origin: workflow.OriginRollback, Restored: &workflow.Version{Major: 1}},
		},
	}
	known := func(host, port string) bool { return host == "recorded.example" && port == "443" }
	for _, free := range []workflow.Version{{Major: 1}, {Major: 1, Minor: 1}, {Major: 4}, {Major: 9}} {
		require.Nil(t, runReach(state, free, known), free)
	}
	for _, narrowed := range []workflow.Version{{Major: 2}, {Major: 2, Minor: 1}, {Major: 3}} {
		may := runReach(state, narrowed, known)
		for _, host := range []string{"spelled.example", "allowed.example", "intent.example", "person.example", "recorded.example"} {
			require.True(t, may(host, "443"), "%s %s", narrowed, host)
		}
		for _, host := range []string{"evil.example", "fix.example", "spelled.example.evil.example"} {
			require.False(t, may(host, "443"), "%s %s", narrowed, host)
		}
	}
}
