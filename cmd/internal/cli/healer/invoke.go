package healer

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	healing "github.com/kintsugi-run/kintsugi/handlers/healer"
)

func newInvokeCommand(cli *terminal.CLI) *cobra.Command {
	var id, check, trajectory string
	var call healing.Call
	call.Trigger = session.VerificationFailed
	command := &cobra.Command{
		Use: "invoke [DIR]", Short: "Heal what fails in a repository: run the check, apply spells, run the check again", Args: terminal.Takes(0, 1),
		Long: `Heal what fails in a git repository. The check is run first; if it passes there is nothing to do.
Else spells are applied as the policy allows, and the server runs the check again after each:

  resolved    it passes, with the work: exit code 0
  contained   it does not; the tree is clean, the work is kept, and the
              subtask is blocked with what you are to do: exit code 11
  unresolved  neither: exit code 11
  skipped     the policy says no, and why: exit code 4

Nothing that an agent wrote is lost: what a spell takes away is under refs/kintsugi/heal.
With a model (--llm-model) it chooses among the allowed spells (--model).`,
		Example: `  kintsugi healer invoke --check 'go test ./...'
  kintsugi healer invoke ~/shop --session night-7 --subtask prices --check tests --trajectory trajectory.json`,
		RunE: func(c *cobra.Command, args []string) error {
			dir := dirOf(args)
			if !slices.Contains(session.Triggers, call.Trigger) {
				return fault.New(fault.Invalid, "--trigger %q is none of %v", call.Trigger, session.Triggers)
			}
			if trajectory != "" {
				path, err := filepath.Abs(trajectory)
				if err != nil {
					return err
				}
				call.Trajectory = path
			}
			if call.Trigger == session.LeftDirty && check == "" {
				check = session.CleanTree
			}
			return within(c, cli, func(n *app.Node) error {
				if id == "" {
					id = app.NewID()
				}
				state, err := n.Sessions.Open(c.Context(), id, dir, nil, cli.Meta())
				if err != nil {
					return err
				}
				if call.Check, err = checkOf(state.Policy, check); err != nil {
					return err
				}
				healed, err := n.Sessions.Invoke(c.Context(), id, call, cli.Meta())
				if err != nil {
					return err
				}
				return end(cli, id, call.Check, healed)
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&id, "session", "", "the session it belongs to; the limits of the policy are for each. Without it, a new one")
	flags.StringVar((*string)(&call.Trigger), "trigger", string(call.Trigger), fmt.Sprintf("why: %v", session.Triggers))
	flags.StringVar(&check, "check", "", "what failed: the name of a check of the policy, or a command line")
	flags.StringVar(&call.Subtask, "subtask", "", "the subtask or job that it is about")
	flags.StringVar(&call.Task, "task", "", "what the agent had been told")
	flags.StringVar(&call.AgentSession, "agent-session", "", "the agent's own id of its session, to go on with it")
	flags.StringVar(&trajectory, "trajectory", "", "what the agent did, as an ATIF trajectory at this path")
	flags.BoolVar(&call.Model, "model", false, "let the model choose the spells")
	return command
}

// end shows what came of a call, and ends with its exit code.
func end(cli *terminal.CLI, id string, check session.Check, healed *app.HealingView) error {
	if healed == nil {
		nothing := struct {
			Session string        `json:"session"`
			Check   session.Check `json:"check"`
			Outcome string        `json:"outcome"`
		}{id, check, "passes"}
		return cli.Show(nothing, func(w io.Writer) { fmt.Fprintf(w, "%s passes: there is nothing to heal.\n", plain.Line(check.Name)) })
	}
	if err := cli.Show(healed, func(w io.Writer) {
		writeHealing(w, *healed)
		fmt.Fprintf(w, "Look again: %s\n", cli.Command("healer show "+id))
	}); err != nil {
		return err
	}
	switch session.Outcome(healed.Outcome) {
	case session.Resolved:
		return nil
	case session.Skipped:
		return &terminal.ExitError{Code: terminal.ExitConflict}
	}
	return &terminal.ExitError{Code: terminal.ExitEscalated}
}
