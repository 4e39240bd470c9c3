package egress

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// An agent reads from hosts that people named, in settings or in their own words, and from no
// other: what a planner or a payload names counts for nothing.
func TestOnlyAPersonNamesHosts(t *testing.T) {
	t.Parallel()
	state := workflow.State{
		Settings: workflow.Settings{AllowedHosts: []string{"10.0.0.5:8080", "intern.example"}},
		Intent:   "Read https://Orders.example.test/v1?x=1 and also api.github.com. Mail it to bob@mail.example.",
		Planner:  &workflow.Planner{Task: "t", Ask: "use [this](https://docs.example:8443/a).", Told: []string{"rather stats.example, please"}},
		Answers: []workflow.Answer{
			{Task: "t", Text: "yes: cdn.example"}, {Task: "other", Text: "evil.example"},
			{Task: "t", Text: "Yes, and mirror it to option.example", Offered: "Shall I go on with Orders.example.test?"},
			{Task: "t", Text: "b.example", Offered: "Which mirror, a.example or b.example?"},
		},
		Versions: []workflow.Script{
			{Origin: workflow.OriginPerson, Code: `web.getJSON("https://person.example/x")`},
			{Origin: workflow.OriginPerson, Imported: true, Code: `web.getJSON("https://imported.example/x")`},
			{Origin: workflow.OriginPlanner, Code: `web.getJSON("https://planner.example/x")`},
			{Origin: workflow.OriginMaintainer, Code: `web.getJSON("https://maintainer.example/x")`},
		},
	}
	may := OfAgent(state, func(host, port string) bool { return host == "recorded.example" && port == "443" })
	for _, named := range [][2]string{
		{"orders.example.test", "443"}, {"ORDERS.example.test", "80"}, {"api.github.com", "443"}, {"10.0.0.5", "8080"}, {"intern.example", "9999"},
		{"docs.example", "8443"}, {"stats.example", "443"}, {"cdn.example", "443"}, {"person.example", "443"}, {"recorded.example", "443"}, {"b.example", "443"},
	} {
		require.True(t, may(named[0], named[1]), "%v", named)
	}
	for _, strange := range [][2]string{
		{"evil.example", "443"}, {"planner.example", "443"}, {"maintainer.example", "443"}, {"mail.example", "443"}, {"example.test", "443"},
		{"api.github.com", "8080"}, {"10.0.0.5", "80"}, {"docs.example", "443"}, {"x.api.github.com", "443"}, {"recorded.example", "8443"}, {"", "443"},
		{"option.example", "443"}, {"a.example", "443"}, {"imported.example", "443"},
	} {
		require.False(t, may(strange[0], strange[1]), "%v", strange)
	}
	require.Equal(t, []string{"evil.example", "evil.example:8080"},
		Unnamed("fetch('http://evil.example/', `https://evil.example:8080/${x}`, 'https://api.github.com/a', 'http://10.0.0.5:8080')", may))

	state.IntentImported = true
	require.False(t, OfAgent(state, func(string, string) bool { return false })("api.github.com", "443"), "a bundle's intent is no person's word")
}

// A person's script goes everywhere. A run of a fix of it, of a planner's script, and of an imported one stays with
// the hosts that the first code of the major spells out, that people named, and that runs of that first code had
// answers from, even if the code puts other addresses together: also after rollbacks.
func TestWhereRunsGo(t *testing.T) {
	t.Parallel()
	planners := `web.getJSON("https://spelled.example/x")`
	v := func(major, minor int) workflow.Version { return workflow.Version{Major: major, Minor: minor} }
	rollback := func(to, major, minor int) workflow.Script {
		restored := v(major, minor)
		return workflow.Script{Version: v(to, 0), Origin: workflow.OriginRollback, Code: planners, Restored: &restored}
	}
	fix := func(major, minor int) workflow.Script {
		return workflow.Script{Version: v(major, minor), Origin: workflow.OriginMaintainer, Code: `web.getJSON("https://fix.example/x")`}
	}
	state := workflow.State{
		Settings: workflow.Settings{AllowedHosts: []string{"allowed.example"}}, Intent: "Read intent.example",
		Versions: []workflow.Script{
			{Version: v(1, 0), Origin: workflow.OriginPerson, Code: `web.getJSON("https://person.example/x")`}, fix(1, 1),
			{Version: v(2, 0), Origin: workflow.OriginPlanner, Code: planners}, fix(2, 1),
			rollback(3, 2, 1), rollback(4, 1, 0), fix(4, 1), rollback(5, 1, 1),
			{Version: v(6, 0), Origin: workflow.OriginPerson, Imported: true, Code: `web.getJSON("https://bundle.example/x")`}, fix(6, 1),
			{Version: v(7, 0), Origin: workflow.OriginAgent, Code: `web.getJSON("https://agent.example/x")`},
			{Version: v(8, 0), Origin: workflow.OriginProgram, Code: `web.getJSON("https://program.example/x")`},
		},
	}
	own := func(major int, host, port string) bool {
		return host == fmt.Sprintf("reached-by-%d.example", major) && port == "443"
	}
	for _, free := range []workflow.Version{v(1, 0), v(4, 0), v(8, 0), v(9, 0)} {
		require.Nil(t, OfRun(state, free, own), free)
	}
	for narrowed, reached := range map[workflow.Version][]string{
		v(1, 1): {"reached-by-1.example"},
		v(2, 0): {"reached-by-2.example", "spelled.example"},
		v(2, 1): {"reached-by-2.example", "spelled.example"},
		v(3, 0): {"reached-by-2.example", "reached-by-3.example", "spelled.example"},
		v(4, 1): {"reached-by-1.example", "reached-by-4.example"},
		v(5, 0): {"reached-by-1.example", "reached-by-5.example"},
		v(6, 0): {"reached-by-6.example", "bundle.example"},
		v(6, 1): {"reached-by-6.example", "bundle.example"},
		v(7, 0): {"reached-by-7.example", "agent.example"},
	} {
		may := OfRun(state, narrowed, own)
		for _, host := range append(reached, "allowed.example", "intent.example", "person.example", "program.example") {
			require.True(t, may(host, "443"), "%s %s", narrowed, host)
		}
		for _, host := range []string{"evil.example", "fix.example", "spelled.example.evil.example", "reached-by-9.example"} {
			require.False(t, may(host, "443"), "%s %s", narrowed, host)
		}
		require.Equal(t, narrowed.Major == 6, may("bundle.example", "443"), "%s: what was imported names nothing", narrowed)
		require.Equal(t, narrowed.Major == 7, may("agent.example", "443"), "%s: what an agent wrote names nothing", narrowed)
	}
	may := OfFix(state, v(1, 0), own)
	require.True(t, may("person.example", "443"))
	require.False(t, may("evil.example", "443"), "who looks for a fix does not inherit everything")
}
