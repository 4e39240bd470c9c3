package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/testdata"
)

// blocks are the fenced blocks of a page below a heading, up to the next heading of that rank.
func blocks(t *testing.T, page, heading string) []string {
	t.Helper()
	content, err := os.ReadFile("../../" + page)
	require.NoError(t, err)
	_, section, found := strings.Cut("\n"+string(content), "\n"+heading+"\n")
	require.True(t, found, "%s has no %q", page, heading)
	section, _, _ = strings.Cut(section, "\n"+strings.Repeat("#", strings.Count(heading, "#"))+" ")
	var all []string
	for _, m := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(section, -1) {
		all = append(all, m[1])
	}
	return all
}

// newcomer types lines as a newcomer does, in a folder of their own.
type newcomer struct {
	*home
	folder, bin string
	port        string // of the example, in the place of the one that the page names
}

func newNewcomer(t *testing.T) *newcomer {
	t.Helper()
	h := newHome(t)
	self := h.command().Path
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "kintsugi"), []byte("#!/bin/sh\nexec '"+self+"' \"$@\"\n"), 0o700))
	return &newcomer{home: h, folder: t.TempDir(), bin: bin}
}

func (n *newcomer) at(command *exec.Cmd) *exec.Cmd {
	command.Dir = n.folder
	command.Env = append(command.Env, "PATH="+n.bin+":"+os.Getenv("PATH"))
	return command
}

// types carries out one line and gives what was printed. A server goes on until the test ends.
func (n *newcomer) types(text string) string {
	n.t.Helper()
	text, comment, _ := strings.Cut(text, " #")
	switch text = strings.TrimSpace(text); text {
	case "":
		return ""
	case "kintsugi example":
		p := n.starts("example", "--listen", "127.0.0.1:0")
		p.says("Stop with Ctrl-C")
		n.port = regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`).FindStringSubmatch(p.err.String())[1]
		return ""
	case "kintsugi dev":
		n.starts("dev").says("Stop with Ctrl-C")
		return ""
	case "kintsugi example --change":
		text += " --listen " + n.port
	}
	if n.port != "" {
		text = strings.ReplaceAll(text, testdata.RefundAddress, n.port)
	}
	shell := n.at(n.command())
	shell.Path, shell.Args = "/bin/sh", []string{"sh", "-c", text}
	output, err := shell.CombinedOutput()
	require.NoError(n.t, err, "%s (%s)\n%s", text, comment, output)
	return string(output)
}

func (n *newcomer) starts(args ...string) *runningCommand {
	n.t.Helper()
	return n.started(n.at(n.command(args...)))
}

// The tour of docs/start.md can be typed line by line as it stands, and does what it says.
func TestTheTour(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	tour := blocks(t, "docs/start.md", "## A tour")
	require.GreaterOrEqual(t, len(tour), 2)
	require.NoError(t, os.WriteFile(filepath.Join(n.folder, "token"), []byte("s3cret-0123456789"), 0o600))
	told := map[string]string{}
	for _, block := range tour[:2] {
		for line := range strings.Lines(block) {
			if strings.Contains(line, " FIX") {
				line = strings.ReplaceAll(line, " FIX", " "+n.objects("fix", "list")[0]["proposal"].(string))
			}
			if strings.Contains(line, " RUN") {
				line = strings.ReplaceAll(line, " RUN", " "+n.objects("run", "list")[0]["id"].(string))
			}
			command, _, _ := strings.Cut(line, " #")
			told[strings.TrimSpace(command)] = n.types(line)
		}
	}
	mended := told[`kintsugi workflow run "Refund report" --repair --input '{"day":"2026-03-03"}'`]
	require.Contains(t, mended, "succeeded on version 1.1", mended)
	require.Contains(t, told[`kintsugi script diff "Refund report"`], "+    const cents = ")
	require.Contains(t, told[`kintsugi history "Refund report" --verify`], "streams are whole")
}

// A line that begins with kintsugi in a block of a page, or in an example of a help text, is a command line that the
// program takes: the command is there, with these flags and so many arguments.
func TestCommandLinesOfThePagesAreRight(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	lines := map[string]string{}
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range regexp.MustCompile("(?s)```\n(.*?)\n```").FindAllStringSubmatch(string(content), -1) {
			for line := range strings.Lines(block[1]) {
				lines[line] = page
			}
		}
	}
	for name, command := range leaves() {
		for line := range strings.Lines(command.Example) {
			lines[line] = "help of " + name
		}
	}
	checked := 0
	for line, where := range lines {
		for _, piped := range strings.Split(line, " | ") {
			words := shellWords(piped)
			if len(words) == 0 || words[0] != "kintsugi" && words[0] != "bin/kintsugi" {
				continue
			}
			checked++
			root := newRootCommand(terminal.New(strings.NewReader(""), io.Discard, io.Discard))
			command, rest, err := root.Find(words[1:])
			require.NoError(t, err, "%s: %s", where, line)
			require.False(t, command.HasSubCommands(), "%s: %s", where, line)
			require.NoError(t, command.ParseFlags(rest), "%s: %s", where, line)
			require.NoError(t, command.ValidateArgs(command.Flags().Args()), "%s: %s", where, line)
			require.NoError(t, command.ValidateRequiredFlags(), "%s: %s", where, line)
		}
	}
	require.Greater(t, checked, 80)
}

// shellWords are the words of a simple command, without its comment and redirections.
func shellWords(line string) []string {
	var words []string
	for _, word := range regexp.MustCompile(`(?:[^\s'"$]|\$\([^)]*\)|'[^']*'|"[^"]*")+`).FindAllString(line, -1) {
		if strings.HasPrefix(word, "#") || word == "<" || word == ">" || word == "||" || word == "&&" {
			break
		}
		words = append(words, strings.NewReplacer(`'`, "", `"`, "").Replace(word))
	}
	return words
}
