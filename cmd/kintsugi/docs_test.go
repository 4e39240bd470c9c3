package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// manual is docs/cli.md.
func manual(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../../docs/cli.md")
	require.NoError(t, err)
	return string(content)
}

// docs/cli.md has a row for every command, with every flag of its own, and none for what is not there.
func TestDocsNameEveryCommand(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(manual(t), "| command | does |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string]string{}
	for row := range strings.Lines(table) {
		cells := regexp.MustCompile("^\\| `([^`]+)` \\| (.*) \\|\n?$").FindStringSubmatch(row)
		require.NotNil(t, cells, row)
		rows[cells[1]] = cells[2]
	}
	for name, command := range leaves() {
		use := strings.TrimSuffix(strings.TrimPrefix(command.UseLine(), "kintsugi "), " [flags]")
		text, named := rows[use]
		require.True(t, named, "docs/cli.md has no row for %q", use)
		delete(rows, use)
		command.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
			if flag.Name != "help" {
				require.Contains(t, text, "`--"+flag.Name+"`", "docs/cli.md, row of %q", name)
			}
		})
		for _, flag := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(text, -1) {
			require.NotNil(t, command.Flag(flag[1]), "docs/cli.md names --%s of %q, which has none", flag[1], name)
		}
	}
	require.Empty(t, rows, "docs/cli.md has rows for what is no command")
}

// The ten minutes of docs/cli.md can be typed as they stand, and do what they say.
func TestDocsTenMinutes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, block, _ := strings.Cut(manual(t), "## Ten minutes\n\n```\n")
	block, _, _ = strings.Cut(block, "\n```")
	first, second, found := strings.Cut(block, "kintsugi fix show FIX")
	require.True(t, found)
	dir := t.TempDir()
	self := h.command().Path
	typed := func(text string) string {
		shell := h.command()
		shell.Path, shell.Dir = "/bin/sh", dir
		shell.Args = []string{"sh", "-c", `kintsugi() { "` + self + `" "$@" || echo "exit code $?"; }` + "\n" + text}
		output, err := shell.CombinedOutput()
		require.NoError(t, err, string(output))
		return string(output)
	}
	told := typed(first)
	require.Contains(t, told, `{"hello":"Ada","runs":1}`)
	require.Contains(t, told, `{"hello":"Grace","runs":2}`)
	require.Contains(t, told, "TypeError")
	require.Equal(t, 1, strings.Count(told, "exit code"), told)
	require.Contains(t, told, "exit code 11")
	held := h.objects("fix", "list", "--state", "held")
	require.Len(t, held, 1)
	told = typed(strings.ReplaceAll("kintsugi fix show FIX"+second, "FIX", held[0]["proposal"].(string)))
	require.NotContains(t, told, "exit code", told)
	require.Contains(t, told, "streams are whole")
	require.Contains(t, told, "3 of 3 runs reproduce")
}

// Every command says what it does in a line.
func TestHelpTexts(t *testing.T) {
	t.Parallel()
	for name, command := range leaves() {
		require.NotEmpty(t, command.Short, name)
		require.False(t, strings.HasSuffix(command.Short, "."), name)
		for line := range strings.Lines(command.Example) {
			require.Contains(t, line, "kintsugi "+name, "an example of the command itself")
		}
	}
}

// The exit codes in docs/cli.md are those of the program.
func TestDocsNameTheExitCodes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{
		terminal.ExitOK, terminal.ExitFailure, terminal.ExitUsage, terminal.ExitNotFound, terminal.ExitConflict, terminal.ExitForbidden, terminal.ExitUnreachable, terminal.ExitRunFailed, terminal.ExitEscalated, terminal.ExitBroken, terminal.ExitInterrupted,
	} {
		require.Regexp(t, `(?m)^\| `+strconv.Itoa(code)+` \|`, manual(t))
	}
}
