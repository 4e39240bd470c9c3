package session

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Trigger is why the Healer is called.
type Trigger string

// The triggers.
const (
	InitFailed         Trigger = "init_failed"         // what is run before work begins
	VerificationFailed Trigger = "verification_failed" // what is run after it
	SubtaskFailed      Trigger = "subtask_failed"
	JobFailed          Trigger = "job_failed"    // the agent's exit status, its limit of turns, tools that fail again and again
	RuntimeError       Trigger = "runtime_error" // beyond its retries
	Stuck              Trigger = "stuck"         // the same fingerprint again and again, or in progress for too long
	LeftDirty          Trigger = "left_dirty"    // by an earlier session, before new work begins
)

// Triggers are all of them.
var Triggers = []Trigger{InitFailed, VerificationFailed, SubtaskFailed, JobFailed, RuntimeError, Stuck, LeftDirty}

// Spell is what the Healer can do: nothing else, and never a line for a shell.
type Spell string

// The spells.
const (
	RewindUncommitted Spell = "rewind_uncommitted_changes"
	RewindToGreen     Spell = "rewind_to_last_green_commit"
	MarkBlocked       Spell = "mark_task_blocked_with_followup"
	RetryMinimal      Spell = "retry_with_minimal_subagent"
	RetryResume       Spell = "retry_with_resume"
	FixTypecheck      Spell = "fix_typecheck_errors"
	UpdateProgress    Spell = "update_progress_with_guidance"
	RunDoctor         Spell = "run_doctor_checks"
)

// Spells are all of them.
var Spells = []Spell{RewindUncommitted, RewindToGreen, MarkBlocked, RetryMinimal, RetryResume, FixTypecheck, UpdateProgress, RunDoctor}

// Mode is how far the rules go.
type Mode string

// The modes.
const (
	Conservative Mode = "conservative" // what fits the failure, then contain
	Aggressive   Mode = "aggressive"   // everything that may help, back to the last green commit included
)

// Check is what says whether something is well: a command line of people, or the built-in one that looks whether the tree
// is clean, which has none.
type Check struct {
	Name    string `json:"name"`
	Command string `json:"command,omitempty"`
}

// CleanTree is the built-in check.
const CleanTree = "clean tree"

// Agent is how a coding agent is launched to try again. It is told what to do on its standard input.
type Agent struct {
	Command []string `json:"command,omitempty"`
	// Resume launches it in its own earlier session, whose id takes the place of {session}.
	Resume []string `json:"resume,omitempty"`
}

// SessionMark stands for the agent's own session in [Agent.Resume].
const SessionMark = "{session}"

// Policy is what the Healer may do in a session. It is taken when the session is opened, so that nothing that an agent
// writes meanwhile widens it.
type Policy struct {
	Enabled    bool `json:"enabled"`
	PerSession int  `json:"per_session"` // healings, those that were skipped not counted
	PerSubtask int  `json:"per_subtask"` // of them, those of one subtask that were not resolved
	// Off are scenarios that are not healed.
	Off       []Trigger `json:"off,omitempty"`
	Allowed   []Spell   `json:"allowed,omitempty"` // none named: all
	Forbidden []Spell   `json:"forbidden,omitempty"`
	Mode      Mode      `json:"mode"`
	// Clean lets files that git does not know be removed, HardReset a branch be moved back. Both are kept before.
	Clean     bool `json:"clean"`
	HardReset bool `json:"hard_reset"`
	// Checks are what is run where the trigger names no check of its own.
	Checks []Check `json:"checks,omitempty"`
	Agent  Agent   `json:"agent"`
	// Protected are paths, with all that is below, that no agent of the Healer may change.
	Protected []string `json:"protected,omitempty"`
	// Model has a model choose the spells of jobs of a plan, if there is one.
	Model bool `json:"model,omitempty"`
	// StuckAfter is how often something fails exactly the same way before it is stuck; 0 for never.
	StuckAfter     int    `json:"stuck_after,omitempty"`
	Progress       string `json:"progress"`        // the file that tells the next session where things are
	TimeoutSeconds int64  `json:"timeout_seconds"` // of each check and each agent
}

// DefaultPolicy is what holds where nobody said anything.
func DefaultPolicy() Policy {
	return Policy{Enabled: true, PerSession: 2, PerSubtask: 1, Mode: Conservative, Protected: []string{".kintsugi"}, StuckAfter: 2, Progress: "progress.md", TimeoutSeconds: 1800}
}

// Allows says that a spell may be used.
func (p Policy) Allows(spell Spell) bool {
	return !slices.Contains(p.Forbidden, spell) && (len(p.Allowed) == 0 || slices.Contains(p.Allowed, spell))
}

// Protects says that a path is not for an agent of the Healer.
func (p Policy) Protects(path string) bool {
	return slices.ContainsFunc(p.Protected, func(guarded string) bool {
		guarded = strings.TrimSuffix(guarded, "/")
		return path == guarded || strings.HasPrefix(path, guarded+"/")
	})
}

// PolicyError is what of a policy means nothing.
type PolicyError struct{ Field, Text string }

// Error implements error.
func (e *PolicyError) Error() string { return e.Text }

// Check refuses a policy that means nothing, with a [PolicyError].
func (p Policy) Check() error {
	refuse := func(field, format string, args ...any) error {
		return fault.New(fault.Invalid, "healer policy: %w", &PolicyError{field, fmt.Sprintf(format, args...)})
	}
	for _, trigger := range p.Off {
		if !slices.Contains(Triggers, trigger) {
			return refuse("scenarios", "there is no scenario %q: %s", trigger, list(Triggers))
		}
	}
	for _, spell := range append(slices.Clone(p.Allowed), p.Forbidden...) {
		if !slices.Contains(Spells, spell) {
			return refuse("spells", "there is no spell %q: %s", spell, list(Spells))
		}
	}
	switch {
	case p.Mode != Conservative && p.Mode != Aggressive:
		return refuse("mode", "the mode is %s or %s, not %q", Conservative, Aggressive, p.Mode)
	case p.PerSession < 0 || p.PerSubtask < 0 || p.StuckAfter < 0:
		return refuse("invocations", "a limit of invocations, and stuck_after, is 0 or more")
	case p.TimeoutSeconds < 1:
		return refuse("timeout", "the timeout is at least a second")
	case !plainPath(p.Progress) || p.Progress == ".git" || strings.HasPrefix(p.Progress, ".git/"):
		return refuse("progress", "progress %q is no file in the repository: name it from its top, as docs/progress.md", p.Progress)
	case len(p.Agent.Resume) > 0 && !slices.ContainsFunc(p.Agent.Resume, func(part string) bool { return strings.Contains(part, SessionMark) }):
		return refuse("agent", "agent.resume has no %s in it: there the agent's own session id is put", SessionMark)
	}
	for _, guarded := range p.Protected {
		if !plainPath(strings.TrimSuffix(guarded, "/")) || strings.Contains(guarded, "*") {
			return refuse("protected", "protected %q protects nothing: name a file or directory from the top of the repository, as tests", guarded)
		}
	}
	for _, check := range p.Checks {
		if strings.TrimSpace(check.Command) == "" {
			return refuse("checks", "the check %q has no command", check.Name)
		}
	}
	return nil
}

// plainPath says that a path is written as git writes paths, with which it is compared.
func plainPath(name string) bool {
	return name != "." && path.Clean(name) == name && !path.IsAbs(name) && name != ".." && !strings.HasPrefix(name, "../")
}

func list[T ~string](all []T) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = string(one)
	}
	return strings.Join(names, ", ")
}
