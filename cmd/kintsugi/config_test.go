package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/config"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// settingsOf are what a command line in a process of its own would be set to, by name.
func (h *home) settingsOf(environment []string, args ...string) map[string]terminal.Setting {
	h.t.Helper()
	command := h.command(append([]string{"config", "print", "-o", "json"}, args...)...)
	command.Env = append(command.Env, environment...)
	out, err := command.Output()
	require.NoError(h.t, err)
	found := map[string]terminal.Setting{}
	for _, one := range decodeAs[[]terminal.Setting](h.t, string(out)) {
		found[one.Key] = one
	}
	return found
}

// A flag comes before the environment, which comes before the file, which comes before the default; and it is said which.
func TestWhereSettingsComeFrom(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := h.file("config.toml", "# of the night shift\nmodel = \"of-the-file\"\nagents = 7\nlease = \"45s\"\nverbose = true\n")
	found := h.settingsOf([]string{"KINTSUGI_MODEL=of-the-environment", "KINTSUGI_LEASE=20s"}, "--config", file, "--model", "of-the-flag")
	for key, want := range map[string][2]string{
		"model":   {"of-the-flag", "flag"},
		"lease":   {"20s", "KINTSUGI_LEASE"},
		"agents":  {"7", file + ":3"},
		"verbose": {"true", file + ":5"},
		"grace":   {"10s", "default"},
	} {
		require.Equal(t, want, [2]string{found[key].Value, found[key].Origin}, key)
	}
	require.NotContains(t, found, "output", "how a command prints is of one command line")

	require.NoError(t, os.MkdirAll(h.dir, 0o700))
	kept := filepath.Join(h.dir, terminal.ConfigFile)
	require.NoError(t, os.WriteFile(kept, []byte("agents = 9\n"), 0o600))
	require.Equal(t, kept+":1", h.settingsOf(nil)["agents"].Origin, "the one in the data directory")
	require.Equal(t, "7", h.settingsOf([]string{"KINTSUGI_CONFIG=" + file})["agents"].Value)
	require.Contains(t, h.ok("config", "print", "--show-origin"), "agents = 9  # "+kept+":1\n")

	// A key in the environment comes before a file with one that only the file names.
	key := h.file("keyed.toml", "model = \"m\"\nllm-key-file = \"/of/the/file\"\n")
	found = h.settingsOf([]string{"KINTSUGI_OPENAI_API_KEY=of-the-environment"}, "--config", key)
	require.Equal(t, "KINTSUGI_OPENAI_API_KEY", found["llm-key-file"].Origin)
	require.Empty(t, found["llm-key-file"].Value)
}

// devByFile is what a server says that is refused, if no environment says where it listens.
func (h *home) devByFile() string {
	h.t.Helper()
	command := h.command("dev")
	command.Env = slices.DeleteFunc(command.Env, func(one string) bool { return strings.HasPrefix(one, "KINTSUGI_LISTEN=") })
	var said bytes.Buffer
	command.Stderr = &said
	require.Error(h.t, command.Run())
	require.Equal(h.t, terminal.ExitUsage, command.ProcessState.ExitCode(), said.String())
	return said.String()
}

// All commands follow the file, those of a server and all others.
func TestCommandsDoWhatTheFileSays(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main() { return 1 }")
	kept := filepath.Join(h.dir, terminal.ConfigFile)
	say := func(text string) { require.NoError(t, os.WriteFile(kept, []byte(text), 0o600)) }
	say("agents = 0\n")
	require.Contains(t, h.ends(terminal.ExitUsage, "dev").err, "at least one agent")
	require.Contains(t, h.ok("workflow", "list"), "Orders", "agents are the server's business")
	say("model = \"own\"\nllm-base-url = \"http://127.0.0.1:1/v1\"\n")
	require.Contains(t, h.ok("autofix", "cap", "--per-day", "5"), "unknown", "the model of the file has no price")
	require.Contains(t, h.ok("doctor"), "own at http://127.0.0.1:1/v1 is configured")
	say("llm-base-url = \"http://127.0.0.1:1/v1\"\n")
	require.Contains(t, h.ok("workflow", "list"), "Orders", "where a model would be is for another day")
	say("listen = \"nowhere\"\n")
	require.Contains(t, h.devByFile(), "--listen nowhere", "what the file says was chosen")
	say("listen = \"\"\nhost = [\"kintsugi.example.test\"]\n")
	require.Contains(t, h.devByFile(), "--host and --tls-cert need --listen")
	say("log-format = \"json\"\nlog-level = \"info\"\n")
	p := h.dev()
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait())
	logged := 0
	for line := range strings.Lines(p.err.String()) {
		if strings.HasPrefix(line, "{") {
			require.True(t, json.Valid([]byte(line)), line)
			logged++
		}
	}
	require.Positive(t, logged, p.err.String())
}

// Every mistake in a file is named with its line, and stops the commands that would use the file.
func TestAConfigurationThatIsWrong(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitNotFound, "config", "validate").err, "--config")
	wrong := h.file("wrong.toml", "model = \"m\"\nagent = 3\nlease = \"soon\"\nlog-level = \"loud\"\n[server]\nlisten = 1\n")
	told := h.ends(terminal.ExitUsage, "config", "validate", "--config", wrong)
	for _, want := range []string{wrong + ":2: agent is no setting", "did you mean agents?", wrong + ":3: lease", wrong + ":4: log-level", wrong + ":5: server is no setting"} {
		require.Contains(t, told.out, want)
	}
	checked := decodeAs[config.Validated](t, h.ends(terminal.ExitUsage, "config", "validate", "--config", wrong, "-o", "json").out)
	require.False(t, checked.Valid)
	require.Len(t, checked.Problems, 4)
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "list", "--config", wrong).err, wrong+":2")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "list", "--config", h.file("broken.toml", "model = \"m\"\nagents = = 1\n")).err, "broken.toml:2")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "list", "--config", filepath.Join(t.TempDir(), "none.toml")).err, "none.toml")
	require.NoError(t, os.MkdirAll(h.dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, terminal.ConfigFile), []byte("data-dir = \"elsewhere\"\n"), 0o600))
	require.Contains(t, h.ends(terminal.ExitUsage, "config", "validate").out, "name that with --config")
}

// Printed settings can be read again, and show no password.
func TestPrintedSettingsAreAFile(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := h.file("config.toml", "store = \"postgres://ann:s3cret-word@127.0.0.1:1/k?password=an0ther-word\"\nagents = 3\nhost = [\"a.example.test\", \"b.example.test\"]\n")
	// The store of the test's own command lines would come before the file's.
	command := h.command("config", "print", "--config", file, "--show-origin")
	printed, err := command.Output()
	require.NoError(t, err)
	require.Contains(t, string(printed), "postgres://ann:xxxxx@127.0.0.1:1/k")
	require.Contains(t, string(printed), `host = ["a.example.test", "b.example.test"]`)
	require.NotContains(t, string(printed), "s3cret-word")
	require.NotContains(t, string(printed), "an0ther-word")
	require.Contains(t, h.ok("config", "validate", "--config", h.file("again.toml", string(printed))), "is valid")
}
