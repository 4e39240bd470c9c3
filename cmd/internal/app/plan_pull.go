package app

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/forge"
)

// ForgeSecret is the secret whose value is a forge's token; it has to be bound to the host of the forge's API.
const ForgeSecret = "forge"

// AskedPull is a pull request with what a plan did.
type AskedPull struct {
	Plan   string `json:"plan"`
	Branch string `json:"branch"`
	Into   string `json:"into"`
	Commit string `json:"commit"`
	Number int    `json:"number"`
	URL    string `json:"url"`
	State  string `json:"state"`
}

// Pull publishes the integration branch of a plan and asks for its merge into a branch at a forge, the plan's base if none is named. The person's
// own git pushes. Asked again, it publishes what the plan has done since, in the same pull request.
func (p *Plans) Pull(ctx context.Context, id, into, remote, api string) (AskedPull, error) {
	state, repo, err := p.opened(ctx, id)
	if err != nil {
		return AskedPull{}, err
	}
	if into == "" {
		into = strings.TrimPrefix(state.Definition.Base, "refs/heads/")
	}
	asked := AskedPull{Plan: id, Branch: state.Definition.Integration, Into: into, Commit: state.Head}
	git := func(args ...string) (string, error) {
		program := exec.CommandContext(ctx, "git", append([]string{"-C", repo.Top}, args...)...)
		program.Env = append(program.Environ(), "GIT_TERMINAL_PROMPT=0") // nobody is there to type a password
		said, err := program.CombinedOutput()
		if err != nil {
			return "", fault.New(fault.Conflict, "git %s in %s: %s", args[0], repo.Top, strings.TrimSpace(string(said)))
		}
		return strings.TrimSpace(string(said)), nil
	}
	address, err := git("remote", "get-url", remote)
	if err != nil {
		return asked, err
	}
	of, err := forge.Locate(address, api)
	if err != nil {
		return asked, fault.New(fault.Invalid, "%w", err)
	}
	token, there, err := p.Secrets.Value(plan.Subject(id), ForgeSecret, of.Host)
	if err != nil {
		return asked, err
	}
	if !there {
		return asked, fault.New(fault.Invalid, "there is no token for %s: kintsugi secret set %s --all --host %s", of.Host, ForgeSecret, of.Host)
	}
	of.Token = token
	if _, err := git("push", remote, state.Head+":refs/heads/"+asked.Branch); err != nil {
		return asked, err
	}
	opened, err := of.Open(ctx, forge.Wish{Title: state.Definition.Title, Body: pullText(state), Head: asked.Branch, Base: into})
	if err != nil {
		return asked, fault.New(fault.Conflict, "the branch is published, and the pull request was not opened: %w", err)
	}
	asked.Number, asked.URL, asked.State = opened.Number, opened.URL, opened.State
	return asked, nil
}

// pullText says what a plan did, job by job.
func pullText(state plan.State) string {
	var text strings.Builder
	for _, of := range state.Definition.Jobs {
		if state.Jobs[of.ID].Status == plan.JobMergedIn {
			fmt.Fprintf(&text, "* **%s**: %s\n", of.ID, strings.ReplaceAll(strings.TrimSpace(of.Task), "\n", "\n  "))
		}
	}
	fmt.Fprintf(&text, "\nKintsugi, plan %s. Each merge was verified before the branch was moved to it.\n", state.ID)
	return text.String()
}
