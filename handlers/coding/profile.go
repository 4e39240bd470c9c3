package coding

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// Profile is a coding agent that a plan can name in the place of a command line: how it is started without a terminal, and with what it
// signs in. The facts are those of each vendor's documentation for headless use.
type Profile struct {
	Name    string
	Command plan.Program
	// Keys are the variables of which one has to have a key, if the person is not signed in.
	Keys []string
	// Place is where the agent keeps its settings and sign-in, below the home directory, and Variable what tells it to look there.
	Place, Variable string
	// SignIn is a file below Place that is there when a person has signed in.
	SignIn string
}

// Profiles are the agents that a plan can name.
var Profiles = []Profile{
	{Name: "aider", Command: plan.Shell(`aider --yes-always --no-check-update --no-show-release-notes --no-stream --message-file "$KINTSUGI_TASK_FILE"`), Keys: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"}},
	{Name: "claude", Command: plan.Program{"claude", "-p", "--permission-mode", "acceptEdits"}, Keys: []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}, Place: ".claude", Variable: "CLAUDE_CONFIG_DIR", SignIn: ".credentials.json"},
	{Name: "codex", Command: plan.Program{"codex", "exec", "--full-auto", "-"}, Keys: []string{"CODEX_API_KEY", "OPENAI_API_KEY"}, Place: ".codex", Variable: "CODEX_HOME", SignIn: "auth.json"},
	{Name: "gemini", Command: plan.Program{"gemini", "--approval-mode", "auto_edit", "-p", "{task}"}, Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
	{Name: "opencode", Command: plan.Program{"opencode", "run", "{task}"}, Keys: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"}},
}

// profile is the one that a job names with a bare word; false if its agent is a command line.
func profile(agent plan.Program) (Profile, bool) {
	at := slices.IndexFunc(Profiles, func(one Profile) bool { return slices.Equal(agent, plan.Shell(one.Name)) })
	if at < 0 {
		return Profile{}, false
	}
	return Profiles[at], true
}

// Expand puts into a definition the command lines of the agents that it names. An agent that has no key in the job's secrets or
// environment gets the person's own sign-in, if there is one: its directory may be changed behind the wall.
func Expand(d plan.Definition) plan.Definition {
	d.Jobs = slices.Clone(d.Jobs)
	home, _ := os.UserHomeDir() // without one there is no sign-in
	for i, job := range d.Jobs {
		of, is := profile(job.Agent)
		if !is {
			continue
		}
		job.Agent = of.Command
		if of.SignedIn(home) && !slices.ContainsFunc(of.Keys, func(key string) bool { return job.Secrets[key] != "" || job.Environment[key] != "" }) {
			environment := map[string]string{of.Variable: filepath.Join(home, of.Place)}
			for name, value := range job.Environment {
				environment[name] = value
			}
			job.Environment = environment
			if place := "~/" + of.Place; !d.Wall.Off && !slices.Contains(d.Wall.Write, place) {
				d.Wall.Write = append(slices.Clip(d.Wall.Write), place)
			}
		}
		d.Jobs[i] = job
	}
	return d
}

// SignedIn says that the person has signed in to the agent, with what it keeps below the home directory.
func (p Profile) SignedIn(home string) bool {
	if p.SignIn == "" || home == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(home, p.Place, p.SignIn))
	return err == nil
}

// Program is where the agent's program is; empty if it is not installed.
func (p Profile) Program() string {
	name := p.Command[0]
	if line := p.Command[len(p.Command)-1]; name == "/bin/sh" {
		name, _, _ = strings.Cut(line, " ")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}
