package main

import (
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// leaves are all commands that do something, as people write them.
func leaves() map[string]*cobra.Command {
	found := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		if c.Runnable() && !c.HasSubCommands() {
			found[strings.TrimPrefix(c.CommandPath(), "kintsugi ")] = c
		}
	}
	walk(newRootCommand(terminal.New(strings.NewReader(""), io.Discard, io.Discard)))
	return found
}

// Every command prints JSON where JSON is asked for: one value, or one a line.
func TestEveryCommandPrintsJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	held := h.hold("Held")
	h.mend("Orders")
	still := h.file("s.js", "function main() { console.log(1) }") // it repeats the runs, which are held to it after the rollback, too
	h.ok("workflow", "create", "Still", "--script", still)
	run := h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string)
	fix := h.objects("fix", "list", "--workflow", "Orders")[0]["proposal"].(string)
	note := h.objects("notification", "list", "--workflow", "Orders")[0]["id"].(string)
	bundle := filepath.Join(t.TempDir(), "bundle.json")
	h.ok("export", "Orders", "--file", bundle)
	script := h.file("s.js", "function main() { return 1 }")
	history, copied := filepath.Join(t.TempDir(), "history.jsonl"), t.TempDir()
	h.ok("workflow", "export", "Orders", "--file", history)
	h.ok("store", "copy", "--to", copied)
	declined, recheck, corrected, withdrawn := newHome(t), newHome(t), newHome(t), newHome(t)
	decline, rechecked, correct, withdraw := declined.hold("Other"), recheck.hold("Other"), corrected.hold("Other"), withdrawn.hold("Other")
	withdrawn.ok("fix", "accept", withdraw)
	suggested := newHome(t)
	mended := h.file("mended.js", suggested.handOver("Other"))
	given := recheck.objects("notification", "list", "--type", "fix_waiting")[0]["id"].(string)
	success := h.objects("run", "list", "--workflow", "Orders", "--status", "succeeded")[3]["id"].(string)

	repository, blocked := repositoryWith(t, ""), repositoryWith(t, "")
	h.ends(terminal.ExitEscalated, "healer", "invoke", blocked, "--session", "b1", "--check", "false")

	h.ok("token", "create", "gone")
	word := h.file("token", "word")
	h.ok("context", "add", "gone", "--url", "https://gone.example.com", "--token-file", word)
	type test struct {
		home *home
		args []string // after the command
		list bool
	}
	tests := map[string]test{
		"apply":                {h, []string{folder(t, map[string]string{"applied/kintsugi.yaml": "title: Applied"})}, true},
		"workflow create":      {h, []string{"New"}, false},
		"workflow list":        {h, nil, true},
		"workflow show":        {h, []string{"Orders"}, false},
		"workflow run":         {h, []string{"Still"}, false},
		"workflow settings":    {h, []string{"Orders"}, false},
		"workflow dry-run":     {h, []string{"Still"}, false},
		"workflow what-if":     {h, []string{"Still", "--script", script}, false},
		"run fork":             {h, []string{run, "--from-call", "1"}, false},
		"workflow schedule":    {h, []string{"Orders"}, false},
		"workflow trigger":     {h, []string{"Orders", "--on", "Still"}, false},
		"workflow retry":       {h, []string{"Orders"}, false},
		"workflow send":        {h, []string{"Orders", "--input", "{}", "--key", "k"}, false},
		"workflow hook add":    {h, []string{"Orders", "shop"}, false},
		"workflow hook list":   {h, []string{"Orders"}, true},
		"workflow hook remove": {h, []string{"Orders", "shop"}, false},
		"effect list":          {h, nil, true},
		"healer scan":          {h, []string{repository}, true},
		"healer invoke":        {h, []string{repository, "--check", "true"}, false},
		"healer list":          {h, nil, true},
		"healer show":          {h, []string{"b1"}, false},
		"healer unblock":       {h, []string{"b1"}, false},
		"healer undo":          {h, []string{"b1", "1.3"}, false},
		"healer policy":        {h, []string{repository}, false},
		"secret list":          {h, nil, true},
		"token create":         {h, []string{"ci", "--scope", "read"}, false},
		"token list":           {h, nil, true},
		"token revoke":         {h, []string{"gone"}, false},
		"verify":               {h, nil, false},
		"context add":          {h, []string{"there", "--url", "https://there.example.com", "--token-file", word}, false},
		"context list":         {h, nil, true},
		"context use":          {h, []string{"--none"}, false},
		"context remove":       {h, []string{"gone"}, false},
		"workflow pause":       {h, []string{"Still"}, false},
		"workflow activate":    {h, []string{"Still"}, false},
		"workflow archive":     {h, []string{"Still"}, false},
		"workflow restore":     {h, []string{"Still"}, false},
		"script save":          {h, []string{"Still", "--file", script}, false},
		"script list":          {h, []string{"Orders"}, true},
		"script show":          {h, []string{"Orders"}, false},
		"script diff":          {h, []string{"Orders"}, false},
		"script api":           {h, nil, true},
		"script new":           {h, []string{"--example", "weather"}, false},
		"script test":          {h, []string{"Still", "--file", still}, false},
		"script check":         {h, []string{script}, false},
		"script import":        {h, []string{"node", script}, false},
		"script rollback":      {h, []string{"Still", "1.0"}, false},
		"run list":             {h, nil, true},
		"run show":             {h, []string{run}, false},
		"run logs":             {h, []string{run}, true},
		"fix list":             {h, nil, true},
		"fix show":             {h, []string{fix}, false},
		"fix thread":           {h, []string{fix}, false},
		"fix link":             {recheck, []string{rechecked, "--for", "ann", "--public-url", "https://kintsugi.example.com"}, false},
		"fix accept":           {h, []string{held}, false},
		"fix verify":           {h, []string{fix}, false},
		"fix recheck":          {recheck, []string{rechecked}, false},
		"fix correct":          {corrected, []string{correct, "--note", "read the other field"}, false},
		"fix withdraw":         {withdrawn, []string{withdraw}, false},
		"run exempt":           {h, []string{success, "--reason", "it counted twice"}, false},
		"fix suggest":          {suggested, []string{"Other", "--file", mended}, false},
		"fix decline":          {declined, []string{decline}, false},
		"autofix off":          {h, []string{"--all"}, false},
		"autofix on":           {h, []string{"--all"}, false},
		"autofix status":       {h, nil, false},
		"autofix cap":          {h, []string{"--per-day", "5"}, false},
		"egress show":          {h, nil, false},
		"egress close":         {h, []string{"10.66.0.0/16"}, false},
		"egress open":          {h, []string{"10.0.0.5"}, false},
		"egress remove":        {h, []string{"168.63.129.16"}, false},
		"workflow keys":        {h, []string{"Orders"}, false},
		"workflow files":       {h, []string{"Orders"}, false},
		"workflow edit":        {h, []string{"Orders", "--intent", "Order by order"}, false},
		"inbox list":           {h, []string{"--all"}, true},
		"notification list":    {h, nil, true},

		"notification delegate": {recheck, []string{given, "--to", "ben@example.com"}, false},

		"notification ack":  {h, []string{note}, false},
		"history":           {h, []string{"Orders"}, true},
		"export":            {h, []string{"Orders", "--file", filepath.Join(t.TempDir(), "again.json")}, false},
		"import":            {h, []string{bundle, "--title", "Imported"}, false},
		"workflow export":   {h, []string{"Orders", "--file", filepath.Join(t.TempDir(), "again.jsonl")}, false},
		"workflow import":   {declined, []string{history}, false},
		"store info":        {h, nil, false},
		"version":           {h, nil, false},
		"doctor":            {h, nil, true},
		"man":               {h, []string{"--dir", t.TempDir()}, false},
		"config print":      {h, nil, true},
		"config validate":   {h, []string{"--config", h.file("c.toml", "agents = 3\n")}, false},
		"store backup":      {h, []string{filepath.Join(t.TempDir(), "backup.db")}, false},
		"store copy":        {h, []string{"--to", t.TempDir()}, false},
		"store position":    {h, []string{"1", "--to", copied}, false},
		"workflow drafts":   {h, nil, true},
		"workflow timeline": {h, []string{"Orders"}, false},
		"projection list":   {h, nil, true},
		"projection build":  {h, []string{"--once"}, false},
		"projection verify": {h, nil, false},
		"view":              {h, nil, true},
		"usage list":        {h, nil, false},
		"usage balance":     {h, []string{"ann"}, false},
		"usage limit":       {h, []string{"ann", "--per-month", "5"}, false},
		"usage top-up":      {h, []string{"ann", "5", "--reference", "r"}, false},
		"usage check":       {h, []string{"ann"}, false},

		"subscription add":                {h, []string{"audit", "--to", "exec:/bin/true"}, false},
		"subscription list":               {h, nil, true},
		"subscription show":               {h, []string{"audit"}, false},
		"subscription test":               {h, []string{"audit"}, false},
		"subscription update":             {h, []string{"audit", "--lanes", "skip"}, false},
		"subscription pause":              {h, []string{"audit"}, false},
		"subscription resume":             {h, []string{"audit"}, false},
		"subscription replay":             {h, []string{"audit", "--from", "now"}, false},
		"subscription deliveries":         {h, []string{"audit"}, true},
		"subscription recover":            {h, []string{"audit", "--since", "2026-01-01"}, false},
		"subscription dead-letters list":  {h, []string{"audit"}, true},
		"subscription dead-letters retry": {h, []string{"audit", "--all"}, true},
		"subscription dead-letters drop":  {h, []string{"audit", "--all"}, true},
		"repo plan schema":                {h, nil, false},
		"repo agents list":                {h, nil, true},
		"repo agents check":               {h, []string{"aider"}, true},
		"repo plan list":                  {h, nil, true},
	}
	order := []string{"workflow create", "workflow run", "workflow pause", "workflow activate", "script save", "script rollback", "workflow archive", "workflow restore"}
	// They have tests of their own: the server prints nothing, the others are about files.
	elsewhere := map[string]bool{
		"plan": true, "chat": true,
		"repo plan draft": true, "repo plan check": true, "repo plan start": true, "repo plan show": true, "repo plan diff": true, "repo plan accept": true, "repo plan link": true, "repo plan relaunch": true, "repo plan retry": true, "repo plan cancel": true,
		"repo plan stop": true, "repo plan drop": true, "repo plan add": true, "repo plan take": true, "repo plan clean": true,
		"notification answer": true, "effect resolve": true, "subscription rotate-key": true, "subscription resend": true, "subscription set-secret": true, "subscription remove": true, "store checkpoint": true, "store proof": true, "secret set": true, "secret remove": true, "llm check": true, "selftest": true,
		"dev": true, "serve": true, "demo": true, "example": true, "new": true, "edit": true, "mcp": true, "run continue": true, "run restart": true, "run leave": true, "run cancel": true, "run repair": true, "run retry": true, "run trust": true, "workflow delete": true, "projection drop": true, "usage pay": true, "usage key": true, "replay": true, "prove": true, "mend": true}
	for _, name := range slices.Sorted(maps.Keys(leaves())) {
		if _, tested := tests[name]; !tested {
			require.True(t, elsewhere[name], "no test that %q prints JSON", name)
			continue
		}
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	require.Len(t, order, len(tests), "a command of the table is gone")
	for _, name := range order {
		test := tests[name]
		args := append(strings.Fields(name), test.args...)
		text := test.home.ok(append(args, "-o", "json")...)
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value), "%s: %s", name, text)
		if test.list {
			require.IsType(t, []any{}, value, name)
		} else {
			require.IsType(t, map[string]any{}, value, name)
		}
		if slices.Contains([]string{"fix accept", "fix suggest", "fix decline", "fix correct", "fix withdraw", "workflow archive", "workflow restore", "workflow create", "import", "store backup", "subscription add", "context remove", "workflow hook add", "workflow hook remove", "healer undo", "egress remove"}, name) {
			continue // cannot be done again, or makes another of the same name
		}
		lines := slices.Collect(strings.Lines(test.home.ok(append(args, "-o", "jsonl")...)))
		if test.list {
			require.Len(t, lines, len(value.([]any)), name)
		} else {
			require.Len(t, lines, 1, name)
		}
		for _, one := range lines {
			require.True(t, json.Valid([]byte(one)), "%s: %s", name, one)
			require.True(t, strings.HasPrefix(one, "{"), "%s: %s", name, one)
		}
	}
}

// An empty list is [] and never null, and no lines; to people it is said.
func TestEmptyListsAreLists(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--id", "w")
	for _, args := range [][]string{
		{"workflow", "list", "--status", "escalated"}, {"script", "list", "w"}, {"run", "list"}, {"run", "list", "--workflow", "w"},
		{"fix", "list"}, {"notification", "list"}, {"notification", "list", "--all"}, {"inbox", "list"},
	} {
		require.Equal(t, "[]\n", h.ok(append(args, "-o", "json")...), args)
		require.Empty(t, h.ok(append(args, "-o", "jsonl")...), args)
		require.NotEmpty(t, h.ok(args...), args)
	}
	shown := h.object("workflow", "show", "w")
	require.Equal(t, []any{}, shown["repairs"])
	require.Equal(t, []any{}, shown["notifications"])
	h.ok("script", "save", "w", "--file", h.file("s.js", "function main() {}"))
	h.ok("workflow", "run", "--repair", "w")
	run := h.objects("run", "list")[0]["id"].(string)
	require.Equal(t, "[]\n", h.ok("run", "logs", run, "-o", "json"))
	require.Equal(t, []any{}, h.object("run", "show", run)["calls"])
	require.Equal(t, []any{}, h.object("run", "show", run)["log"])
	h.ok("workflow", "create", "Never ran", "--id", "w-two", "--script", h.file("s.js", "function main() {}"))
	require.Equal(t, []any{}, decodeAs[map[string]any](t, h.ok("export", "w-two"))["runs"])
}

// Messages on the way go to standard error: standard output is the result alone.
func TestResultsAreAloneOnStandardOutput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	r := h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(9), "-o", "json")
	type shown struct{ ID, Status, Version, Continues string }
	result := decodeAs[struct{ Run, Final shown }](t, r.out)
	require.Equal(t, "failed", result.Run.Status)
	require.Equal(t, "succeeded", result.Final.Status)
	require.Equal(t, "1.1", result.Final.Version)
	require.Equal(t, result.Run.ID, result.Final.Continues)
	require.Empty(t, r.err, "machines are told nothing on the way")
}
