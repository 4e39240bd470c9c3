package healer

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/session"
	healing "github.com/kintsugi-run/kintsugi/handlers/healer"
)

// finding is what a scan found.
type finding struct {
	Session string           `json:"session"`
	Check   string           `json:"check"`
	Passed  bool             `json:"passed"`
	Says    string           `json:"says"`
	Kind    session.Trigger  `json:"trigger,omitempty"`
	Healed  *app.HealingView `json:"healed,omitempty"`
}

func newScanCommand(cli *terminal.CLI) *cobra.Command {
	var id string
	var fix bool
	command := &cobra.Command{
		Use: "scan [DIR]", Short: "Look at a repository before new work starts: what was left, and which checks fail", Args: terminal.Takes(0, 1),
		Long: `Look at a repository before new work starts: healings that were interrupted, what an earlier session
left in the tree, and the checks of the policy. Exit code 0 if all is well, 11 if not.

With --fix what is found is healed as 'kintsugi healer invoke' does. A check that passes in a clean
tree makes its commit green: what spells may go back to.`,
		RunE: func(c *cobra.Command, args []string) error {
			dir := dirOf(args)
			return within(c, cli, func(n *app.Node) error {
				if id == "" {
					id = app.NewID()
				}
				state, err := n.Sessions.Open(c.Context(), id, dir, nil, cli.Meta())
				if err != nil {
					return err
				}
				found, err := interrupted(c.Context(), n, state, fix)
				if err != nil {
					return err
				}
				looks := append([]session.Check{{Name: session.CleanTree}}, state.Policy.Checks...)
				for i, check := range looks {
					one, err := look(c.Context(), cli, n, id, check, map[bool]session.Trigger{true: session.LeftDirty, false: session.InitFailed}[i == 0], fix)
					if err != nil {
						return err
					}
					found = append(found, one)
				}
				return report(cli, found, dir, fix)
			})
		},
	}
	command.Flags().StringVar(&id, "session", "", "the session that begins; without it, a new one")
	command.Flags().BoolVar(&fix, "fix", false, "heal what is found")
	return command
}

// interrupted are healings of other sessions here that have not come to their end; they go on if they are to be healed.
func interrupted(ctx context.Context, n *app.Node, now session.State, fix bool) ([]finding, error) {
	if err := n.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	all, err := n.Queries.UnderWay(ctx, now.Worktree)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, at := range all {
		one, err := n.Sessions.Get(ctx, at.ID)
		if err != nil {
			return nil, err
		}
		for _, h := range one.Healings {
			if h.Outcome != app.UnderWay || one.Worktree != now.Worktree || one.Host != now.Host {
				continue
			}
			is := finding{Session: one.ID, Check: h.Failure.Check.Name, Kind: h.Trigger, Says: fmt.Sprintf("healing %d was interrupted", h.Healing)}
			if fix {
				if is.Healed, err = n.Sessions.Heal(ctx, one.ID, h.Healing); err != nil {
					return nil, err
				}
			}
			found = append(found, is)
		}
	}
	return found, nil
}

func look(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, check session.Check, trigger session.Trigger, fix bool) (finding, error) {
	one := finding{Session: id, Check: check.Name, Passed: true, Says: "well"}
	h, err := n.NewHealer()
	if err != nil {
		return one, err
	}
	state, err := n.Commands.LoadSession(ctx, id)
	if err != nil {
		return one, err
	}
	saw, err := h.Look(ctx, state, check, cli.Meta())
	if err != nil {
		return one, err
	}
	if one.Says = saw.Says; saw.Passed {
		return one, nil
	}
	one.Passed, one.Kind = false, trigger
	if !fix {
		return one, nil
	}
	seen := &healing.Ended{Says: saw.Says, Code: saw.Code, Tail: saw.Tail}
	one.Healed, err = n.Sessions.Invoke(ctx, id, healing.Call{Trigger: trigger, Check: check, Ended: seen}, cli.Meta())
	return one, err
}

func report(cli *terminal.CLI, found []finding, dir string, fixed bool) error {
	well := true
	for _, one := range found {
		well = well && (one.Passed || one.Healed != nil && one.Healed.Outcome == string(session.Resolved))
	}
	if err := cli.Show(found, func(w io.Writer) {
		for _, one := range found {
			mark := map[bool]string{true: "ok  ", false: "FAIL"}[one.Passed]
			fmt.Fprintf(w, "%s %s: %s\n", mark, plain.Dash(plain.Line(one.Check)), plain.Line(one.Says))
			if one.Healed != nil {
				writeHealing(w, *one.Healed)
			}
		}
		if !well && !fixed {
			if whole, err := filepath.Abs(dir); err == nil {
				dir = whole
			}
			fmt.Fprintf(w, "Heal it: %s\n", cli.Command("healer scan --fix "+plain.Quoted(dir)))
		}
	}); err != nil {
		return err
	}
	if !well {
		return &terminal.ExitError{Code: terminal.ExitEscalated}
	}
	return nil
}
