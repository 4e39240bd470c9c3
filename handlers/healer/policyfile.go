package healer

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// PolicyFile is where a repository says what the Healer may do in it.
const PolicyFile = ".kintsugi/healer.yaml"

// policyFile is the file as people write it: a missing member has its default.
type policyFile struct {
	Enabled     *bool `yaml:"enabled"`
	Invocations struct {
		Session *int `yaml:"session"`
		Subtask *int `yaml:"subtask"`
	} `yaml:"invocations"`
	Scenarios map[session.Trigger]bool `yaml:"scenarios"`
	Spells    struct {
		Allowed   []session.Spell `yaml:"allowed"`
		Forbidden []session.Spell `yaml:"forbidden"`
	} `yaml:"spells"`
	StuckAfter *int              `yaml:"stuck_after"`
	Model      *bool             `yaml:"model"`
	Mode       session.Mode      `yaml:"mode"`
	Clean      *bool             `yaml:"clean"`
	HardReset  *bool             `yaml:"hard_reset"`
	Checks     map[string]string `yaml:"checks"`
	Agent      struct {
		Command []string `yaml:"command"`
		Resume  []string `yaml:"resume"`
	} `yaml:"agent"`
	Protected []string `yaml:"protected"`
	Progress  string   `yaml:"progress"`
	Timeout   string   `yaml:"timeout"`
}

// maxPolicy bounds the file, in bytes.
const maxPolicy = 64 << 10

// ReadPolicy is the policy of a worktree: its file, or the default. A file that leads out of the repository is refused.
func ReadPolicy(worktree string) (policy session.Policy, found bool, err error) {
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return policy, false, fault.New(fault.Invalid, "%w", err)
	}
	defer root.Close()
	file, err := root.Open(PolicyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return session.DefaultPolicy(), false, nil
	}
	if err != nil {
		return policy, false, fault.New(fault.Invalid, "%s: %w", PolicyFile, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPolicy))
	if err != nil {
		return policy, true, fault.New(fault.Invalid, "%s: %w", PolicyFile, err)
	}
	policy, err = ParsePolicy(PolicyFile, text)
	return policy, true, err
}
