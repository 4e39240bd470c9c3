package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/apply"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// folder writes files for 'apply', by their paths.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	top := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(top, filepath.FromSlash(name)), content)
	}
	return top
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// changed are the parts of each workflow that an application changed, by its id.
func changed(list []map[string]any) map[string][]string {
	found := map[string][]string{}
	for _, one := range list {
		parts := []string{}
		for _, change := range one["changes"].([]any) {
			parts = append(parts, change.(map[string]any)["part"].(string))
		}
		found[one["workflow"].(string)] = parts
	}
	return found
}

const reportFile = `title: Report
intent: Tell how many there are
script: main.js
zone: Europe/Berlin
schedule: 30 7 * * mon-fri
hosts: ["127.0.0.1:9"]
labels: {team: sales}
secrets: [SHOP_TOKEN]
input: {day: 1}
settings:
  auto_fix: proven
  max_active: 3
`

// Rule: --prune archives the workflows with its label that no file describes, and no others; the archive gives them back.
func TestPrunedWorkflowsAreArchived(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, id := range []string{"stays", "goes", "another-team", "no-team"} {
		h.ok("workflow", "create", id, "--id", id)
	}
	for id, label := range map[string]string{"stays": "team=sales", "goes": "team=sales", "another-team": "team=salesforce"} {
		h.ok("workflow", "settings", id, "--label", label)
	}
	top := folder(t, map[string]string{"stays/kintsugi.yaml": "title: stays\n", "new/kintsugi.yaml": "title: new\n"})
	require.Contains(t, h.ends(terminal.ExitUsage, "apply", top, "--prune", "team=sales").err, "new/kintsugi.yaml:1: it lacks the label team=sales")
	require.Len(t, h.objects("workflow", "list"), 4)
	require.Contains(t, h.ends(terminal.ExitUsage, "apply", top, "--prune", "sales").err, `--prune: "sales" is no label`)

	write(t, filepath.Join(top, "new", "kintsugi.yaml"), "title: new\nlabels: {team: sales}\n")
	dry := h.ends(apply.ExitDifferent, "apply", top, "--prune", "team=sales", "--dry-run")
	require.Contains(t, dry.out, "goes (no file)\n  status       draft → archived\n")
	require.Equal(t, map[string][]string{"stays": {}, "new": {"workflow", "labels"}, "goes": {"status"}}, changed(h.objects("apply", top, "--prune", "team=sales")))
	require.Equal(t, map[string][]string{"stays": {}, "new": {}}, changed(h.objects("apply", top, "--prune", "team=sales")))
	require.Equal(t, "archived", h.object("workflow", "show", "goes")["status"])
	for _, id := range []string{"stays", "another-team", "no-team"} {
		require.Equal(t, "draft", h.object("workflow", "show", id)["status"])
	}
	require.Contains(t, h.ok("history", "goes"), "its file is gone")
	h.ok("workflow", "restore", "goes")
}

// Rule: in an environment a workflow is what its file says, with what the file of the environment replaces. A fault in
// that file is said with its line.
func TestAnEnvironmentHasItsDifferences(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	top := folder(t, map[string]string{
		"report/kintsugi.yaml":      reportFile,
		"report/kintsugi.prod.yaml": "zone: America/New_York\nlabels: {stage: prod}\nschedule: null\nscript: prod.js\nsettings: {max_active: 5}\n",
		"report/main.js":            "function main() { return 'try' }\n",
		"report/prod.js":            "import { place } from './place.js'\nexport default async function main() { return place }\n",
		"report/place.js":           "export const place = 'prod'\n",
		"other/kintsugi.yaml":       "title: Other\n",
		"wrong/kintsugi.bad.yaml":   "zone: America/New_York\nsettings:\n  max_active: many\nhosts: 5\n",
		"wrong/kintsugi.yaml":       "title: Wrong\n",
	})
	h.ok("apply", top, "--env", "prod")
	report := h.object("workflow", "show", "report")
	require.Equal(t, []any{"America/New_York", nil}, []any{report["zone"], report["schedule"]})
	settings := h.object("workflow", "settings", "report")
	require.Equal(t, []any{"proven", 5.0, map[string]any{"team": "sales", "stage": "prod"}}, []any{settings["auto_fix"], settings["max_active"], settings["labels"]})
	require.Contains(t, h.ok("workflow", "run", "report"), "prod")

	require.Contains(t, h.ends(terminal.ExitUsage, "apply", top, "--env", "production").err, "no workflow of "+top+" has a file kintsugi.production.yaml")
	require.Contains(t, h.ends(terminal.ExitUsage, "apply", top, "--env", "bad").err, "wrong/kintsugi.bad.yaml:4: the value of /hosts is a number")
}

// Rule: workflows become what their files say, once: a second time nothing is changed. A part that a file leaves out stays.
func TestApplyIsDoneOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Other", "--id", "other")
	top := folder(t, map[string]string{
		"report/kintsugi.yaml":             reportFile,
		"report/main.js":                   "function main() { return web.getJSON('http://127.0.0.1:9/', {headers: {Authorization: secret('SHOP_TOKEN')}}) }\n",
		"after/kintsugi.yaml":              "title: After the report\nscript: ../lib/after.ts\ntriggers: [{on: Report, outcomes: [failed, succeeded]}, {on: other}]\n",
		"lib/after.ts":                     "export default async function main(input: {run: string}) { return input.run }\n",
		"after/node_modules/kintsugi.yaml": "title: of a package\n",
		"idea/kintsugi.yaml":               "id: the-idea\ntitle: Idea\n",
	})
	r := h.ends(apply.ExitDifferent, "apply", top, "--dry-run")
	require.Contains(t, r.out, "none → 30 7 * * mon-fri")
	require.Contains(t, r.out, "this was a dry run")
	require.Len(t, h.objects("workflow", "list"), 1)

	require.Equal(t, map[string][]string{
		"report":   {"workflow", "allowed_hosts", "auto_fix", "input", "labels", "max_active", "script", "schedule", "status"},
		"after":    {"workflow", "script", "trigger", "trigger", "status"},
		"the-idea": {"workflow"},
	}, changed(h.objects("apply", top)))
	report := h.object("workflow", "show", "report")
	require.Equal(t, []any{"active", "Tell how many there are", "30 7 * * mon-fri", "Europe/Berlin"}, []any{report["status"], report["intent"], report["schedule"], report["zone"]})
	require.Equal(t, "draft", h.object("workflow", "show", "the-idea")["status"])
	settings := h.object("workflow", "settings", "report")
	require.Equal(t, []any{"proven", 3.0, map[string]any{"day": 1.0}}, []any{settings["auto_fix"], settings["max_active"], settings["input"]})
	require.Len(t, h.object("workflow", "trigger", "after")["triggers"], 2)

	again := h.ok("apply", top)
	require.Contains(t, again, "Nothing was changed.")
	require.Contains(t, again, "SHOP_TOKEN is not set: kintsugi secret set SHOP_TOKEN --workflow report --host 127.0.0.1:9\n")
	require.Equal(t, map[string][]string{"report": {}, "after": {}, "the-idea": {}}, changed(h.objects("apply", top, "--dry-run")))

	// A setting of a person stays where the file does not speak of it.
	h.ok("workflow", "settings", "report", "--budget", "7")
	write(t, filepath.Join(top, "report", "kintsugi.yaml"), strings.NewReplacer("auto_fix: proven", "auto_fix: null", "30 7", "30 8", "title: Report", "title: The report\nid: report\nactive: false").Replace(reportFile))
	write(t, filepath.Join(top, "after", "kintsugi.yaml"), "title: After the report\nscript: ../lib/after.ts\ntriggers: []\n")
	require.Equal(t, map[string][]string{"report": {"title", "auto_fix", "schedule", "status"}, "after": {"trigger", "trigger"}, "the-idea": {}}, changed(h.objects("apply", top)))
	settings = h.object("workflow", "settings", "report")
	require.Equal(t, []any{"auto", 7.0, 3.0}, []any{settings["auto_fix"], settings["budget"], settings["max_active"]})
	require.Equal(t, "paused", h.object("workflow", "show", "report")["status"])
	require.Empty(t, h.object("workflow", "trigger", "after")["triggers"])
}

// Rule: an older file undoes neither a fix nor a save, and one that lacks them is refused until a person has brought both together.
func TestAFileDoesNotUndoAFix(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	id := h.object("workflow", "show", "Orders")["id"].(string)
	first, fixed := h.ok("script", "show", "Orders", "1.0"), h.ok("script", "show", "Orders", "1.1")
	top := folder(t, map[string]string{"kintsugi.yaml": "# ours\nid: " + id + "\ntitle: Orders\nscript: orders.js\n", "orders.js": strings.TrimSuffix(first, "\n")})
	require.Contains(t, h.ok("apply", top), "orders.js is version 1.0. Version 1.1, which is newer, stays active")
	require.Equal(t, fixed, h.ok("script", "show", "Orders"))

	script := filepath.Join(top, "orders.js")
	write(t, script, "// new\n"+first)
	refused := h.ends(terminal.ExitUsage, "apply", top)
	require.Contains(t, refused.err, filepath.Join(top, "kintsugi.yaml")+":4: version 1.1 is active, and orders.js lacks some of what was changed here since version 1.0")
	require.Contains(t, refused.err, "kintsugi export "+id+" --as files --to DIR")

	// The fix is written to where the person's own file has the script, and that file stays as it was.
	h.ok("export", "Orders", "--as", "files", "--to", top)
	written, err := os.ReadFile(script)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(fixed, "\n"), strings.TrimSuffix(string(written), "\n"))
	own, err := os.ReadFile(filepath.Join(top, "kintsugi.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(own), "# ours")
	require.Equal(t, map[string][]string{id: {}}, changed(h.objects("apply", top)))

	write(t, script, "// new\n"+string(written))
	h.ok("apply", top)
	require.Equal(t, "2.0", h.object("script", "show", "Orders")["version"], "it was made from the fixed version")

	// A save from elsewhere counts as a fix does.
	h.ok("script", "save", "Orders", "--file", h.file("s.js", "// theirs\n// new\n"+string(written)))
	require.Contains(t, h.ok("apply", top), "orders.js is version 2.0. Version 3.0, which is newer, stays active")
	write(t, script, "// newer\n"+string(written))
	h.ends(terminal.ExitUsage, "apply", top)
	h.ok("apply", top, "--overwrite")
	require.Equal(t, "4.0", h.object("script", "show", "Orders")["version"])
}

// Rule: a workflow that is written down and applied elsewhere is the same there.
func TestWrittenDownAndApplied(t *testing.T) {
	t.Parallel()
	h, there := newHome(t), newHome(t)
	h.ok("workflow", "create", "First", "--id", "first", "--zone", "Asia/Tokyo", "--intent", "one\ntwo: \"three\"", "--allow-host", "10.0.0.1:80", "--input", `{"a":[1,null]}`,
		"--script", h.file("a.ts", "function main(input: {a: number[]}) { return input.a.length }\n"))
	h.ok("workflow", "schedule", "First", "every 15m", "--overlap", "queue", "--jitter", "30s", "--input", `{"a":[]}`)
	h.ok("workflow", "settings", "First", "--limit", "wall=30s", "--decide-within", "48h", "--idempotent-host", "a.test")
	h.ok("workflow", "create", "Second", "--id", "second", "--script", h.file("a.js", "function main() { return 1 }\n"))
	h.ok("workflow", "trigger", "second", "--on", "first", "--outcome", "failed")
	h.ok("workflow", "pause", "second")
	top := t.TempDir()
	for _, id := range []string{"first", "second"} {
		h.ok("export", id, "--as", "files", "--to", filepath.Join(top, id))
	}
	require.FileExists(t, filepath.Join(top, "first", "main.ts"))
	require.FileExists(t, filepath.Join(top, "second", "main.js"))
	require.Equal(t, map[string][]string{"first": {}, "second": {}}, changed(h.objects("apply", top, "--dry-run")))
	there.ok("apply", top)
	for _, id := range []string{"first", "second"} {
		for _, list := range [][]string{{"workflow", "settings", id}, {"workflow", "trigger", id}} {
			require.Equal(t, h.object(list...), there.object(list...))
		}
		require.Equal(t, h.ok("script", "show", id), there.ok("script", "show", id))
		require.Equal(t, h.object("workflow", "schedule", id)["spec"], there.object("workflow", "schedule", id)["spec"])
		require.Equal(t, h.object("workflow", "schedule", id)["overlap"], there.object("workflow", "schedule", id)["overlap"])
		mine, theirs := h.object("workflow", "show", id), there.object("workflow", "show", id)
		for _, part := range []string{"title", "intent", "zone"} {
			require.Equal(t, mine[part], theirs[part], part)
		}
	}
	require.Equal(t, "draft", there.object("workflow", "show", "second")["status"], "active: false leaves a new one a draft")
}

// Rule: a script of several files is applied and written down file by file.
func TestApplyAScriptOfSeveralFiles(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	top := folder(t, map[string]string{
		"sum/kintsugi.yaml": "title: Sum\nscript: main.ts\n",
		"sum/main.ts":       "import { sum } from './lib/sum'\nexport default async function main(input: {a: number}) { return sum(input.a) }\n",
		"sum/lib/sum.ts":    "export function sum(a: number): number { return a + 1 }\n",
	})
	h.ok("apply", top)
	require.Contains(t, h.ok("workflow", "run", "Sum", "--input", `{"a":1}`), "2")
	into := t.TempDir()
	h.ok("export", "Sum", "--as", "files", "--to", filepath.Join(into, "sum"))
	require.FileExists(t, filepath.Join(into, "sum", "lib", "sum.ts"))
	require.Equal(t, map[string][]string{"sum": {}}, changed(h.objects("apply", into, "--dry-run")))
	write(t, filepath.Join(top, "sum", "lib", "sum.ts"), "export function sum(a: number): number { return a + 2 }\n")
	require.Equal(t, map[string][]string{"sum": {"script"}}, changed(h.objects("apply", top)))
	write(t, filepath.Join(top, "sum", "main.ts"), "import { sum } from './lib/none'\nexport default async function main() { return sum(1) }\n")
	require.Contains(t, h.ends(terminal.ExitUsage, "apply", top).err, "./lib/none")
}

// Rule: everything that is wrong in files is told at once, with file and line, and nothing is changed.
func TestFilesThatAreWrong(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "There", "--id", "there", "--zone", "Asia/Tokyo")
	h.ok("workflow", "create", "Old", "--id", "old")
	h.ok("workflow", "archive", "old")
	for text, want := range map[string]string{
		"titel: a\n":                                               `kintsugi.yaml:1: there is no field "titel" here`,
		"title: a\nscript: b.js\n":                                 "kintsugi.yaml:2: the script b.js cannot be read: there is no such file",
		"title: a\nscript: ../../b.js\n":                           "it is outside of the folder",
		"title: a\nscript: s.js\n":                                 "s.js: line 1, column",
		"title: a\nzone: Mars\n":                                   `kintsugi.yaml:2: "Mars" is not a time zone`,
		"title: a\nschedule: sometimes\n":                          "kintsugi.yaml:2: ",
		"title: a\nschedule: at 2001-01-01 08:00\n":                "kintsugi.yaml:2: ",
		"title: a\nschedule: {spec: none, zone: UTC}":              "kintsugi.yaml:2: a schedule that is none has nothing else",
		"title: a\nschedule:\n  spec: every 15m\n  jitter: soon\n": `jitter "soon" is no duration`,
		"title: a\nsettings:\n  max_active: many\n":                "kintsugi.yaml:3: the value of /settings/max_active is a string",
		"title: a\nsettings:\n  hooks: {}\n":                       `kintsugi.yaml:3: there is no field "hooks" here`,
		"title: a\ntriggers:\n  - on: nobody\n":                    `kintsugi.yaml:3: there is no workflow "nobody"`,
		"title: a\nactive: true\n":                                 "kintsugi.yaml:2: it cannot be active: it has no script",
		"title: There\n":                                           `a workflow is called "There" already`,
		"id: there\ntitle: There\nzone: UTC\n":                     "kintsugi.yaml:3: the workflow was made with the zone Asia/Tokyo, which stays",
		"id: old\ntitle: Old\n":                                    "the workflow old is archived",
		"id: in valid\ntitle: b\n":                                 "id",
		"title: a\nhosts: ['http://x/']\n":                         "http://x/",
	} {
		top := folder(t, map[string]string{"a/kintsugi.yaml": text, "a/s.js": "function main( {", "c/kintsugi.yaml": "title: Right\n"})
		for _, how := range [][]string{{"apply", top}, {"apply", top, "--dry-run"}} {
			r := h.run(how...)
			require.NotZero(t, r.code, text)
			require.Contains(t, r.err, want, text)
		}
	}
	require.Len(t, h.objects("workflow", "list"), 1, "nothing was made")
	twice := h.ends(terminal.ExitUsage, "apply", folder(t, map[string]string{"a/kintsugi.yaml": "id: x\ntitle: a\n", "b/kintsugi.yaml": "id: x\ntitle: b\n"}))
	require.Contains(t, twice.err, `b/kintsugi.yaml:1: the id "x" is that of`)
	same := h.ends(terminal.ExitUsage, "apply", folder(t, map[string]string{"a/kintsugi.yaml": "title: Same\n", "b/kintsugi.yaml": "title: same\n"}))
	require.Contains(t, same.err, `b/kintsugi.yaml:1: the title "same" is that of`)
	both := h.ends(terminal.ExitUsage, "apply", folder(t, map[string]string{"a/kintsugi.yaml": "titel: a\n", "b/kintsugi.yaml": "title: 1\n"}))
	require.Contains(t, both.err, "a/kintsugi.yaml:1")
	require.Contains(t, both.err, "b/kintsugi.yaml:1")
	require.Contains(t, h.ends(terminal.ExitUsage, "apply", t.TempDir()).err, "has no file kintsugi.yaml")
	require.Contains(t, h.ends(terminal.ExitNotFound, "apply", "absent").err, "there is no folder absent")
	require.Contains(t, h.ends(terminal.ExitConflict, "export", "There", "--as", "files", "--to", folder(t, map[string]string{"kintsugi.yaml": "id: x\ntitle: a\n"})).err, "is of the workflow x, not of there")
	for _, args := range [][]string{{"--as", "files"}, {"--to", "x"}, {"--as", "files", "--to", "x", "--version", "1.0"}} {
		h.ends(terminal.ExitUsage, append([]string{"export", "There"}, args...)...)
	}
}

// Rule: folders are read and written on the side of whoever gives the command.
func TestApplyThroughAServer(t *testing.T) {
	t.Parallel()
	e := newHome(t).serveRemote()
	top := folder(t, map[string]string{"report/kintsugi.yaml": "title: Report\nscript: a/main.js\n", "report/a/main.js": "function main() { return 1 }\n"})
	require.Equal(t, apply.ExitDifferent, e.process(e.token, "", "apply", top, "--dry-run").code)
	made := e.process(e.token, "", "apply", top)
	require.Zero(t, made.code, made.err)
	into := filepath.Join(t.TempDir(), "new", "report")
	written := e.process(e.token, "", "export", "Report", "--as", "files", "--to", into)
	require.Zero(t, written.code, written.err)
	require.FileExists(t, filepath.Join(into, "kintsugi.yaml"))
	require.FileExists(t, filepath.Join(into, "main.js"))
	require.NoError(t, os.WriteFile(filepath.Join(top, "report", "a", "main.js"), nil, 0o600))
	written = e.process(e.token, "", "export", "Report", "--as", "files", "--to", filepath.Join(top, "report"))
	require.Zero(t, written.code, written.err)
	code, err := os.ReadFile(filepath.Join(top, "report", "a", "main.js"))
	require.NoError(t, err)
	require.Contains(t, string(code), "return 1")
	again := e.process(e.token, "", "apply", top)
	require.Contains(t, again.out, "Nothing was changed.")
}

// Rule: the schema names each setting, so that an editor completes it and a file may have it.
func TestTheSchemaOfAFileNamesEachSetting(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	schema := h.object("apply", "--schema")["properties"].(map[string]any)["settings"].(map[string]any)["properties"].(map[string]any)
	for _, name := range settingNames() {
		require.Contains(t, schema, name)
		delete(schema, name)
	}
	require.Empty(t, schema, "a setting that is gone")
}

// settingNames are the settings that a file has under settings. Hosts, labels and the input stand above, hooks have a secret each.
func settingNames() (names []string) {
	of := reflect.TypeFor[workflow.Settings]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if !slices.Contains([]string{"allowed_hosts", "labels", "input", "hooks", "hook_answers_ms"}, name) {
			names = append(names, name)
		}
	}
	return names
}
