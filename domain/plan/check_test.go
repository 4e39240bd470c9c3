package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/kintsugi-run/kintsugi/domain/plan"
)

// Rule: every mistake in a definition is reported, with its place.
func TestCheck(t *testing.T) {
	t.Parallel()
	require.Empty(t, shop().Check())
	for name, test := range map[string]struct {
		change func(*Definition)
		path   string
		says   string
	}{
		"no title":                 {func(d *Definition) { d.Title = " " }, "/title", "missing"},
		"integration is base":      {func(d *Definition) { d.Integration = "main" }, "/integration", "nothing is committed"},
		"no jobs":                  {func(d *Definition) { d.Jobs = nil }, "/jobs", "0 jobs"},
		"an id twice":              {func(d *Definition) { d.Jobs[2].ID = "prices" }, "/jobs/2/id", "job 1 has the id"},
		"an id that is none":       {func(d *Definition) { d.Jobs[2].ID = "a/b" }, "/jobs/2/id", "no id"},
		"no task":                  {func(d *Definition) { d.Jobs[0].Task = "" }, "/jobs/0/task", "0 bytes"},
		"no agent":                 {func(d *Definition) { d.Jobs[0].Agent = nil }, "/jobs/0/agent", "missing"},
		"a time that is none":      {func(d *Definition) { d.Jobs[0].Timeout = "5" }, "/jobs/0/timeout", "30m"},
		"a need that is not there": {func(d *Definition) { d.Jobs[1].Needs = []string{"nobody"} }, "/jobs/1/needs/0", "no job"},
		"a circle":                 {func(d *Definition) { d.Jobs[0].Needs = []string{"pages"} }, "/jobs/0/needs", "prices needs pages needs prices"},
		"absolute":                 {func(d *Definition) { d.Jobs[0].Touch[0] = "/etc/**" }, "/jobs/0/touch/0", "absolute"},
		"escaping":                 {func(d *Definition) { d.Jobs[0].Touch[0] = "src/../../x" }, "/jobs/0/touch/0", "stay inside"},
		"about .git":               {func(d *Definition) { d.Jobs[0].Touch[0] = ".git/hooks/*" }, "/jobs/0/touch/0", ".git"},
		"a pattern that is none":   {func(d *Definition) { d.Jobs[0].Touch[0] = "src/[a" }, "/jobs/0/touch/0", "without a ]"},
		"only excludes":            {func(d *Definition) { d.Jobs[0].Touch = []string{"!a"} }, "/jobs/0/touch", "all patterns exclude"},
		"touches nothing":          {func(d *Definition) { d.Jobs[2].Touch = nil }, "/jobs/2/touch", "nothing"},
		"a secret as well": {func(d *Definition) {
			d.Jobs[0].Environment, d.Jobs[0].Secrets = map[string]string{"A": "1"}, map[string]string{"A": "k"}
		}, "/jobs/0/secrets/A", "too"},
		"overlapping":            {func(d *Definition) { d.Jobs[2].Touch = []string{"**/*.go"} }, "/jobs/2/touch", `job "prices" may run at the same time`},
		"a copy from elsewhere":  {func(d *Definition) { d.Copy = []string{".env", "../x"} }, "/copy/1", "no path from the top"},
		"a link to all":          {func(d *Definition) { d.Link = []string{"."} }, "/link/0", "no path from the top"},
		"a copy of .git":         {func(d *Definition) { d.Copy = []string{".git"} }, "/copy/0", "no path from the top"},
		"half a path for a wall": {func(d *Definition) { d.Wall.Write = []string{"~/x", "y"} }, "/wall/write/1", "no whole path"},
		"a port without a name":  {func(d *Definition) { d.Jobs[0].Ports = []string{"8080"} }, "/jobs/0/ports/0", "no name of a variable"},
		"a port twice":           {func(d *Definition) { d.Jobs[0].Ports = []string{"P", "P"} }, "/jobs/0/ports/1", "twice"},
		"overlapping new files":  {func(d *Definition) { d.Jobs[2].MayCreate = []string{"src/prices/*"} }, "/jobs/2/touch", "at the same time"},
	} {
		d := shop()
		test.change(&d)
		faults := d.Check()
		require.NotEmpty(t, faults, name)
		require.Equal(t, test.path, faults[0].Path, "%s: %v", name, faults)
		require.Contains(t, faults[0].Text, test.says, name)
	}
}

// Rule: a text of the shell and a list of arguments are both a command line.
func TestProgram(t *testing.T) {
	t.Parallel()
	var p Program
	require.NoError(t, p.UnmarshalJSON([]byte(`"make x"`)))
	require.Equal(t, Program{"/bin/sh", "-c", "make x"}, p)
	require.NoError(t, p.UnmarshalJSON([]byte(`["make","x"]`)))
	require.Equal(t, Program{"make", "x"}, p)
	require.Error(t, p.UnmarshalJSON([]byte(`7`)))
	require.Equal(t, DefaultTimeout, Job{}.Limit())
	require.True(t, strings.HasPrefix(Job{Timeout: "90s"}.Limit().String(), "1m30"))
}
