package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// Wrong usage ends with 2 and says what would be right, before anything is touched.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"frob"}, `there is no command "kintsugi frob"`},
		{[]string{"worfklow"}, "did you mean workflow?"},
		{[]string{"workflow", "lits"}, "did you mean list?"},
		{[]string{"workflow", "run"}, "0 arguments given, wanted: kintsugi workflow run WORKFLOW"},
		{[]string{"workflow", "run", "--repair", "a", "b"}, "2 arguments given, wanted: kintsugi workflow run WORKFLOW"},
		{[]string{"script", "diff"}, "wanted: kintsugi script diff WORKFLOW [FROM] [TO]"},
		{[]string{"dev", "now"}, "wanted: kintsugi dev"},
		{[]string{"--frob"}, "unknown flag: --frob"},
		{[]string{"workflow", "list", "-o", "xml"}, "choose text, json or jsonl"},
		{[]string{"workflow", "list", "--status", "happy"}, "choose draft, active"},
		{[]string{"run", "list", "--status", "happy"}, "choose admitted, running, asking, in_doubt, succeeded, failed or cancelled"},
		{[]string{"fix", "list", "--state", "happy"}, "choose proposed, held"},
		{[]string{"run", "list", "--limit", "many"}, "invalid argument"},
	} {
		r := h.ends(terminal.ExitUsage, test.args...)
		require.Contains(t, r.err, test.says)
		require.Contains(t, r.err, "--help' for usage.")
		require.Empty(t, r.out)
	}
	require.NoDirExists(t, h.dir)
}

// The data directory is --data-dir, else KINTSUGI_DATA_DIR, else ./kintsugi-data; and the
// process ends with the code of the command.
func TestDataDirectory(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	inside := t.TempDir()
	process := func(args ...string) int {
		command := h.command(args...)
		command.Dir = inside
		output, err := command.CombinedOutput()
		if command.ProcessState == nil {
			require.NoError(t, err, string(output))
		}
		return command.ProcessState.ExitCode()
	}
	require.Equal(t, terminal.ExitNotFound, process("workflow", "list"))
	require.Equal(t, terminal.ExitOK, process("workflow", "create", "Named", "--data-dir", "flag"))
	require.FileExists(t, filepath.Join(inside, "flag", app.LogFile))
	require.Equal(t, terminal.ExitOK, process("workflow", "create", "Named"))
	require.FileExists(t, filepath.Join(h.dir, app.LogFile))
	h.dir = "" // as if it were not set
	require.Equal(t, terminal.ExitOK, process("workflow", "create", "Named"))
	require.FileExists(t, filepath.Join(inside, "kintsugi-data", app.LogFile))
	require.Equal(t, terminal.ExitUsage, process("frob"))
}

// Help is no error, in each way of asking for it.
func TestHelp(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, args := range [][]string{nil, {"--help"}, {"help"}, {"workflow"}, {"help", "workflow"}, {"workflow", "run", "--repair", "--help"}} {
		r := h.ends(terminal.ExitOK, args...)
		require.Contains(t, r.out, "Usage:", args)
		require.Empty(t, r.err)
	}
	require.Contains(t, h.ok(), "kintsugi demo")
	require.NoDirExists(t, h.dir)
}

// A name that does not exist ends with 3; a command that only looks makes no data directory.
func TestNotFound(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitNotFound, "workflow", "list").err, h.dir+" is not a data directory")
	require.NoDirExists(t, h.dir)
	h.ok("workflow", "create", "There", "--script", h.file("s.js", "function main() {}"))
	for _, args := range [][]string{
		{"workflow", "show", "x"}, {"workflow", "run", "--repair", "x"}, {"workflow", "pause", "x"}, {"workflow", "activate", "x"},
		{"workflow", "archive", "x"}, {"workflow", "restore", "x"}, {"workflow", "settings", "x"},
		{"script", "list", "x"}, {"script", "show", "x"}, {"script", "diff", "x"}, {"script", "rollback", "x", "1.0"},
		{"history", "x"}, {"export", "x"}, {"run", "list", "--workflow", "x"},
	} {
		require.Contains(t, h.ends(terminal.ExitNotFound, args...).err, `there is no workflow "x": see 'kintsugi workflow list'`, args)
	}
	require.Contains(t, h.ends(terminal.ExitNotFound, "run", "show", "x").err, `there is no run "x": see 'kintsugi run list'`)
	require.Contains(t, h.ends(terminal.ExitNotFound, "run", "logs", "x").err, `there is no run "x"`)
	require.Contains(t, h.ends(terminal.ExitNotFound, "fix", "show", "x").err, `there is no fix "x": see 'kintsugi fix list'`)
	require.Contains(t, h.ends(terminal.ExitNotFound, "fix", "accept", "x").err, `there is no fix "x"`)
	require.Contains(t, h.ends(terminal.ExitNotFound, "fix", "decline", "x").err, `there is no fix "x"`)
	require.Contains(t, h.ends(terminal.ExitNotFound, "workflow", "show", "").err, `there is no workflow ""`)
}

// A title that two workflows have names neither, and people are told which there are.
func TestAmbiguousName(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Twin", "--id", "twin-one")
	h.ok("workflow", "create", "Twin", "--id", "twin-two")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "show", "Twin").err, `"Twin" could be 2 workflows: twin-one (Twin), twin-two (Twin)`)
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "show", "twin").err, "Give more of the id")
	require.Contains(t, h.ok("workflow", "show", "twin-t"), "twin-two")
}

// A script that does not parse is shown with line, column and the place; one without a
// main is refused. Nothing is stored.
func TestFileThatDoesNotParse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--script", h.file("good.js", "function main() {}"))
	bad := h.file("bad.js", "function main() {\n\tconst list = [1, 2;\n}\n")
	for _, args := range [][]string{{"workflow", "create", "New", "--script", bad}, {"script", "save", "W", "--file", bad}} {
		r := h.ends(terminal.ExitUsage, args...)
		require.Contains(t, r.err, bad+": line 2, column 20: Unexpected token ;\n    2 |  const list = [1, 2;\n      |                    ^\n")
	}
	none := h.file("none.js", "function start() {}")
	require.Contains(t, h.ends(terminal.ExitUsage, "script", "save", "W", "--file", none).err, none+": there is no main: define async function main(input)")
	r := h.runWith("const const", "script", "save", "W", "--file", "-")
	require.Equal(t, terminal.ExitUsage, r.code)
	require.Contains(t, r.err, "standard input: line 1, column 7: ")
	// The bracket in the comment hides how deep the lists are nested, which takes a parser for ever.
	endless := h.file("endless.js", "const f = "+strings.Repeat("(/*]*/a=", 40)+"1"+strings.Repeat(")=>1", 40)+"; function main() {}")
	require.Contains(t, h.ends(terminal.ExitUsage, "script", "save", "W", "--file", endless).err, endless+": the script is too complicated to be parsed")
	require.Len(t, h.objects("workflow", "list"), 1)
	require.Len(t, h.objects("script", "list", "W"), 1)
}

// Input that is not JSON is refused before a run is admitted, with the place.
func TestInputThatIsNotJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--script", h.file("s.js", "function main(input) { return input }"))
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "run", "--repair", "W", "--input", `{"a":`).err, "--input is not JSON: it ends too early")
	file := h.file("input.json", "{a: 1}")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "run", "--repair", "W", "--input", "@"+file).err, file+" is not JSON: line 1, character 2: 'a' cannot stand there")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "run", "--repair", "W", "--input", "@nowhere.json").err, "cannot read nowhere.json")
	latin := h.file("latin1.json", "{\"name\":\"caf\xe9\"}")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "run", "--repair", "W", "--input", "@"+latin).err, latin+" is not UTF-8 text, from byte 13 on")
	require.Empty(t, h.objects("run", "list"))
	r := h.runWith(`[1, "two"]`, "workflow", "run", "--repair", "W", "--input", "-")
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Contains(t, r.out, `[1,"two"]`)
}

// A bundle with a fault is refused with the field, and nothing of it is imported.
func TestCorruptBundle(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for content, says := range map[string]string{
		`{"format":"kintsugi.bundle/1","workflow":{"title":"T","intent":""},"script":{"version":"1.0","code":"function main(){}"},"runs":[{"id":"r1","calls":[],"outcome":{"status":"fine"}}]}`: "runs[0].outcome.status",
		`{"format":"kintsugi.bundle/9"}`: "format",
		`{"format":`:                     "bundle.json",
		`{"format":"kintsugi.bundle/1","workflow":{"title":"T","intent":""},"script":{"version":"1.0","code":"function main( {}"},"runs":[]}`: "script.code",
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, "import", h.file("bundle.json", content)).err, says)
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "import", "nowhere.json").err, "cannot read nowhere.json")
	require.NoDirExists(t, h.dir)
}

// An event of an unknown type: what folds its stream fails and names it, with code 1;
// lists, other workflows, a server and the check of the chain still work.
func TestUnknownEvent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "New", "--id", "new", "--script", h.file("s.js", "function main() { return 1 }"))
	h.ok("workflow", "create", "Old", "--id", "old", "--script", h.file("s.js", "function main() { return 2 }"))
	h.ok("workflow", "run", "--repair", "new")
	revision := h.appendEvent("workflow-new", "MoonPhaseChanged", `{"phase":"full"}`)

	for _, args := range [][]string{
		{"workflow", "run", "--repair", "new"}, {"workflow", "pause", "new"}, {"script", "save", "new", "--file", h.file("s.js", "function main() {}")},
		{"workflow", "settings", "new"}, {"history", "new"}, {"export", "new"},
	} {
		r := h.ends(terminal.ExitFailure, args...)
		require.Contains(t, r.err, "workflow-new revision "+strconv.FormatInt(revision, 10)+` (MoonPhaseChanged)`, args)
		require.Contains(t, r.err, "Use the program that wrote it, or a newer one.", args)
	}
	require.Len(t, h.objects("workflow", "list"), 2)
	shown := h.ok("workflow", "show", "new")
	require.Contains(t, shown, "Version   1.0")
	require.Contains(t, shown, "MoonPhaseChanged")
	require.Len(t, h.objects("run", "list"), 1)
	require.Contains(t, h.ok("workflow", "run", "--repair", "old"), "succeeded")
	require.Contains(t, h.ends(terminal.ExitFailure, "history", "new", "--verify").err, "MoonPhaseChanged")
	require.NotContains(t, h.ends(terminal.ExitFailure, "history", "new", "--verify").err, "was changed", "it is unknown, not forged")

	// A server names it and goes on with the others.
	server := h.dev()
	require.Contains(t, h.ok("workflow", "run", "--repair", "old"), "succeeded")
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
	require.Contains(t, server.err.String(), "a workflow cannot be loaded and stands still")
	require.Contains(t, server.err.String(), "MoonPhaseChanged")

	// Views that are made anew do no worse.
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, "views")))
	require.Len(t, h.objects("workflow", "list"), 2)
}

// appendEvent writes an event as a newer program would: with its place in the chain.
func (h *home) appendEvent(stream, name, payload string) (revision int64) {
	h.t.Helper()
	ctx := h.t.Context()
	log, err := sqlitelog.Open(ctx, filepath.Join(h.dir, app.LogFile), sqlitelog.Options{})
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, log.Close()) }()
	var last eventlog.Record
	for record, err := range log.Stream(ctx, stream, 0) {
		require.NoError(h.t, err)
		last = record
	}
	_, previous, err := hashchain.Unseal(last.Metadata)
	require.NoError(h.t, err)
	id := uuid.NewString()
	// Metadata as it is, about another event.
	metadata, _, err := hashchain.Unseal([]byte(strings.Replace(string(last.Metadata), last.ID, id, 1)))
	require.NoError(h.t, err)
	hash := hashchain.Next(previous, hashchain.Link{
		Stream: stream, Revision: last.Revision + 1, ID: id, Type: name, SchemaVersion: 1, Payload: []byte(payload), Metadata: metadata,
	})
	_, err = log.Append(ctx, stream, eventlog.Exact(last.Revision), []eventlog.Event{{
		ID: id, Type: name, SchemaVersion: 1, Payload: []byte(payload), Metadata: hashchain.Seal(metadata, hash),
	}})
	require.NoError(h.t, err)
	return last.Revision + 1
}

// Two servers: the second one says who is the first, and ends with 4; commands work beside it.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.dev()
	for _, args := range [][]string{{"dev"}, {"demo", "--data-dir", h.dir}} {
		r := h.ends(terminal.ExitConflict, args...)
		require.Contains(t, r.err, "has a server already: 'kintsugi dev', process "+strconv.Itoa(first.command.Process.Pid)+" on ")
		require.Contains(t, r.err, h.dir)
	}
	h.ok("workflow", "create", "W", "--script", h.file("s.js", "function main() { return 7 }"))
	require.Contains(t, h.ok("workflow", "run", "--repair", "W"), "succeeded")
	first.interrupt()
	require.Equal(t, terminal.ExitOK, first.wait(), first.err.String())
	second := h.dev()
	second.interrupt()
	require.Equal(t, terminal.ExitOK, second.wait())
}

// A file that is no event log, and a directory that is a file.
func TestWrongDataDirectory(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.NoError(t, os.MkdirAll(h.dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, app.LogFile), []byte(strings.Repeat("not a log\n", 1000)), 0o600))
	r := h.ends(terminal.ExitBroken, "workflow", "list")
	require.Contains(t, r.err, filepath.Join(h.dir, app.LogFile))
	require.Contains(t, r.err, "not an event log, or it is damaged")

	h.dir = h.file("plain", "a file")
	require.Contains(t, h.ends(terminal.ExitFailure, "workflow", "create", "W").err, h.dir)
}
