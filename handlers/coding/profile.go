package coding

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// Profile is a coding agent that a plan can name in the place of a command line: how it is started without a terminal, and with what it
// signs in. The facts are those of each vendor's documentation for headless use.
type Profile struct {
	Name    string
	Command plan.Program
	// Walled is the command behind a wall, for an agent whose own sandbox needs what a wall denies; nil for the same.
	Walled plan.Program
	// Keys are the variables of which one has to have a key, if the person is not signed in.
	Keys []string
	// Place is where the agent keeps its settings and sign-in, below the home directory, and Variable what tells it to look there.
	Place, Variable string
	// SignIn is a file below Place that is there when a person has signed in.
	SignIn string
	// endings are the words in which it says why it ended.
	endings []ending
}

// Profiles are the agents that a plan can name. All of them read their task from standard input, aider from a file.
var Profiles = []Profile{
	{Name: "aider", Command: plan.Shell(`aider --yes-always --no-check-update --no-show-release-notes --no-stream --message-file "$KINTSUGI_TASK_FILE"`), Keys: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"}, endings: aiderEndings},
	{Name: "claude", Command: plan.Program{"claude", "-p", "--permission-mode", "acceptEdits"}, Keys: []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}, Place: ".claude", Variable: "CLAUDE_CONFIG_DIR", SignIn: ".credentials.json", endings: claudeEndings},
	{Name: "codex", Command: plan.Program{"codex", "exec", "--sandbox", "workspace-write", "-"}, Walled: plan.Program{"codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "-"}, Keys: []string{"CODEX_API_KEY", "OPENAI_API_KEY"}, Place: ".codex", Variable: "CODEX_HOME", SignIn: "auth.json", endings: codexEndings},
	{Name: "gemini", Command: plan.Program{"gemini", "--skip-trust", "--approval-mode", "auto_edit"}, Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, endings: geminiEndings},
	{Name: "opencode", Command: plan.Program{"opencode", "run"}, Keys: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"}},
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
		if of.Walled != nil && !d.Wall.Off && launch.Walls() {
			job.Agent = of.Walled
		}
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

// Trial is what an agent said to a task that asks for one word.
type Trial struct {
	Works         bool
	Problem, Says string
}

// trialTask costs little, and an agent that does it can sign in and reach its model.
const trialTask = "Answer with the one word: ready. Change no file, and run no command.\n"

// Try starts the agent as a plan would, in an empty repository, with the person's sign-in or those of its keys that are in the environment.
func (p Profile) Try(ctx context.Context) (trial Trial, err error) {
	dir, err := os.MkdirTemp("", "kintsugi-agent-")
	if err != nil {
		return trial, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	place, task := filepath.Join(dir, "repository"), filepath.Join(dir, "task.txt")
	if err := errors.Join(os.Mkdir(place, 0o700), os.WriteFile(task, []byte(trialTask), 0o600)); err != nil {
		return trial, err
	}
	if said, err := exec.CommandContext(ctx, "git", "init", "-q", place).CombinedOutput(); err != nil {
		return trial, fmt.Errorf("coding: git init: %w: %s", err, said)
	}
	program := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	program.Dir, program.Stdin, program.WaitDelay = place, strings.NewReader(trialTask), time.Second
	program.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + dir, "KINTSUGI_TASK_FILE=" + task}
	home, _ := os.UserHomeDir() // without one there is no sign-in
	if p.SignedIn(home) {
		program.Env = append(program.Env, p.Variable+"="+filepath.Join(home, p.Place))
	}
	for _, key := range p.Keys {
		if value, there := os.LookupEnv(key); there {
			program.Env = append(program.Env, key+"="+value)
		}
	}
	said, ended := program.CombinedOutput()
	tail := strings.TrimSpace(failure.Tail(strings.ToValidUTF8(colours.ReplaceAllString(string(said), ""), "�"), maxTrial))
	trial.Says = tail
	switch ending := EndingOf(p.Command, tail, time.Now()); {
	case ending != nil:
		trial.Problem = ending.String()
	case ctx.Err() != nil:
		trial.Problem = "it did not end in time: it may wait for its service, which refuses it or cannot be reached"
	case ended != nil:
		trial.Problem = fmt.Sprintf("%s: look whether this version takes %q", ended, strings.Join(p.Command, " "))
	default:
		trial.Works = true
	}
	return trial, nil
}

// maxTrial is how much of what an agent says to a trial is kept.
const maxTrial = 2 << 10

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
