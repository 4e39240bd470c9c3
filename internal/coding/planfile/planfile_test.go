package planfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/coding/planfile"
)

const good = `title: shop
base: main
integration: agents/shop
jobs:
  - id: prices
    task: |
      Round
      the prices
    agent: [agent, "{task}"]
    touch: ["src/**"]
    environment: {PORT: "1"}
`

// Rule: a plan is read as JSON, and everything in it has its line.
func TestReadPlan(t *testing.T) {
	t.Parallel()
	file, faults := planfile.Read([]byte(good))
	require.Empty(t, faults)
	require.JSONEq(t, `{"title":"shop","base":"main","integration":"agents/shop","jobs":[
		{"id":"prices","task":"Round\nthe prices\n","agent":["agent","{task}"],"touch":["src/**"],"environment":{"PORT":"1"}}]}`, string(file.JSON))
	for path, line := range map[string]int{"": 1, "/title": 1, "/jobs/0/id": 5, "/jobs/0/task": 6, "/jobs/0/touch/0": 10, "/jobs/0/needs": 5, "/nothing": 1} {
		require.Equal(t, line, file.Line(path), path)
	}
}

// Rule: what is no plan is refused with the line where it is.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		old, new string
		want     string
	}{
		"an unknown field":        {"    touch:", "    tuch:", `line 10: there is no field "tuch" here`},
		"an unknown field on top": {"base: main", "base: main\nbsae: x", `line 3: there is no field "bsae" here`},
		"a missing field":         {"base: main\n", "", "line 1: the plan: missing property 'base'"},
		"a number for a text":     {`PORT: "1"`, "PORT: 1", "line 11: the value of /jobs/0/environment/PORT is a number, not a string: write it in quotes"},
		"an agent that is none":   {`[agent, "{task}"]`, "{a: b}", "line 9: the value of /jobs/0/agent is a text or a list of texts"},
		"a field twice":           {"base: main", "base: main\nbase: main", `line 3: "base" is there twice, first in line 2`},
		"an alias":                {"title: shop", "title: &t shop\ninit: *t", "line 2: anchors and aliases are not read: write the value out"},
		"no YAML":                 {"base: main", "base: [main", "it is no YAML"},
		"two documents":           {"title: shop", "title: shop\n---\na: b", "more than one document"},
	} {
		_, faults := planfile.Read([]byte(strings.Replace(good, test.old, test.new, 1)))
		require.NotEmpty(t, faults, name)
		require.Contains(t, faults[0].String(), test.want, name)
	}
	_, faults := planfile.Read(nil)
	require.Contains(t, faults[0].String(), "empty")
	_, faults = planfile.Read([]byte("hello there"))
	require.Equal(t, "line 1: the plan is fields, as title: and jobs:, and this is a string", faults[0].String())
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, faults := planfile.Read(text)
		require.Equal(t, len(faults) == 0, len(file.JSON) > 0)
	})
}
