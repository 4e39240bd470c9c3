// Package healer has the commands on sessions of coding agents, and what the Healer does for them.
package healer

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/session"
	healing "github.com/kintsugi-run/kintsugi/handlers/healer"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi healer'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("healer", "Heal sessions of coding agents: the failed check decides",
		newScanCommand(cli), newInvokeCommand(cli), newListCommand(cli), newShowCommand(cli), newUnblockCommand(cli), newUndoCommand(cli), newPolicyCommand(cli))
}

func newPolicyCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "policy [DIR]", Short: "Show what the Healer may do in a repository, and check its file", Args: terminal.Takes(0, 1),
		Long: `Show what the Healer may do in a repository: its file ` + healing.PolicyFile + `, completed with what
holds where it says nothing. A file with a mistake is refused, with the line.

A session takes the policy when it is opened: what is written there later is for the next one.`,
		RunE: func(_ *cobra.Command, args []string) error {
			policy, found, err := healing.ReadPolicy(dirOf(args))
			if err != nil {
				return err
			}
			return cli.Show(struct {
				File string `json:"file,omitempty"`
				session.Policy
			}{map[bool]string{true: healing.PolicyFile}[found], policy}, func(w io.Writer) {
				if !found {
					fmt.Fprintf(w, "There is no %s: this is what holds without it.\n", healing.PolicyFile)
				}
				writePolicy(w, policy)
			})
		},
	}
}

func dirOf(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

func writePolicy(w io.Writer, p session.Policy) {
	var spells []string
	for _, spell := range session.Spells {
		if p.Allows(spell) {
			spells = append(spells, string(spell))
		}
	}
	var off, checks []string
	for _, trigger := range p.Off {
		off = append(off, string(trigger))
	}
	for _, check := range p.Checks {
		checks = append(checks, check.Name+": "+check.Command)
	}
	for _, row := range [][2]string{
		{"enabled", strconv.FormatBool(p.Enabled)}, {"mode", string(p.Mode)}, {"invocations", fmt.Sprintf("%d a session, %d a subtask", p.PerSession, p.PerSubtask)},
		{"scenarios off", strings.Join(off, ", ")}, {"spells", strings.Join(spells, ", ")}, {"clean", strconv.FormatBool(p.Clean)}, {"hard_reset", strconv.FormatBool(p.HardReset)},
		{"checks", strings.Join(checks, "; ")}, {"agent", strings.Join(p.Agent.Command, " ")}, {"resume", strings.Join(p.Agent.Resume, " ")},
		{"protected", strings.Join(p.Protected, ", ")}, {"progress", p.Progress}, {"timeout", fmt.Sprintf("%ds", p.TimeoutSeconds)},
	} {
		fmt.Fprintf(w, "%-14s %s\n", row[0], plain.Dash(plain.Line(row[1])))
	}
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list", Annotations: terminal.Remote(installation.Read), Short: "List sessions: how many healings, the last outcome, what is blocked", Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				all, err := n.Queries.HealSessions(c.Context(), projections.HealSessionFilter{})
				if err != nil {
					return err
				}
				return cli.Show(all, func(w io.Writer) {
					if len(all) == 0 {
						fmt.Fprintln(w, "No sessions. One is opened by 'kintsugi healer scan' or 'kintsugi healer invoke' in a git repository.")
						return
					}
					rows := make([][]string, len(all))
					for i, one := range all {
						rows[i] = []string{one.ID, plain.Ago(one.Opened, n.Now()), strconv.Itoa(one.Healings), plain.Dash(one.Outcome), strconv.Itoa(len(one.Blocked)), plain.Line(one.Worktree)}
					}
					terminal.Table(w, []string{"SESSION", "OPENED", "HEALINGS", "LAST", "BLOCKED", "WORKTREE"}, rows)
				})
			})
		},
	}
}

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	var trajectory int
	command := &cobra.Command{
		Use: "show SESSION", Annotations: terminal.Remote(installation.Read), Short: "Show a session: each healing with its spells, what they keep and how they are undone", Args: terminal.Takes(1, 1),
		Long: `Show a session: each healing with its spells, what they keep, how they are undone, and what the
server saw when it ran the failed check again.

--trajectory N prints healing N in the Agent Trajectory Interchange Format (ATIF), for tools that read
what agents do. Every event: kintsugi history session-ID`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				one, err := n.Sessions.Get(c.Context(), args[0])
				if err != nil {
					return err
				}
				if trajectory != 0 {
					if trajectory < 1 || trajectory > len(one.Healings) {
						return fault.New(fault.NotFound, "session %s has no healing %d: it has %d", args[0], trajectory, len(one.Healings))
					}
					made, err := n.Sessions.Trajectory(c.Context(), args[0], trajectory)
					if err != nil {
						return err
					}
					return atif.Write(cli.Out, made)
				}
				return cli.Show(one, func(w io.Writer) {
					fmt.Fprintf(w, "Session %s in %s on %s, opened %s\n", one.ID, plain.Line(one.Worktree), plain.Line(one.Host), plain.Ago(one.Opened, n.Now()))
					for _, h := range one.Healings {
						fmt.Fprintln(w)
						writeHealing(w, h)
					}
					for subtask, followup := range one.Blocked {
						fmt.Fprintf(w, "\nBlocked: %s\n    %s\n", plain.Dash(plain.Line(subtask)), plain.Wrapped(followup, "    ", 100))
					}
				})
			})
		},
	}
	command.Flags().IntVar(&trajectory, "trajectory", 0, "print this healing as an ATIF trajectory")
	return command
}

func writeHealing(w io.Writer, h app.HealingView) {
	fmt.Fprintf(w, "Healing %d (%s, %s): %s\n", h.Healing, h.Trigger, plain.Dash(plain.Line(h.Subtask)), strings.ToUpper(h.Outcome))
	fmt.Fprintf(w, "  failed   %s: %s\n", plain.Dash(plain.Line(h.Failure.Check.Name)), plain.Line(h.Failure.Says))
	if len(h.Failure.Repeated) > 0 {
		fmt.Fprintf(w, "  agent    its tools failed again and again: %s\n", plain.Line(strings.Join(h.Failure.Repeated, ", ")))
	}
	if len(h.Failure.Subagents) > 0 {
		fmt.Fprintf(w, "  agent    its sub-agents failed: %s\n", plain.Line(strings.Join(h.Failure.Subagents, ", ")))
	}
	if h.Failure.Unread != "" {
		fmt.Fprintf(w, "  agent    what it did is not known: %s\n", plain.Line(h.Failure.Unread))
	}
	for i, spell := range h.Spells {
		mark := map[bool]string{true: "applied", false: "not applied"}[spell.Applied]
		if !spell.Ended {
			mark = "under way"
		}
		if spell.Undone {
			mark = "undone"
		}
		fmt.Fprintf(w, "  spell %d.%d %s (%s): %s\n", h.Healing, i+1, spell.Spell, mark, plain.Line(spell.Detail))
		for _, kept := range spell.Kept {
			fmt.Fprintf(w, "           kept: git show %s\n", plain.Line(kept.Ref))
		}
	}
	if h.Advice != "" {
		fmt.Fprintf(w, "  model    %s\n", plain.Short(h.Advice, 200))
	}
	if h.Checked != nil {
		fmt.Fprintf(w, "  server   ran %s: %s\n", plain.Dash(plain.Line(h.Checked.Check.Name)), plain.Line(h.Checked.Says))
	}
	if h.Reason != "" {
		fmt.Fprintf(w, "  because  %s\n", plain.Line(h.Reason))
	}
	if h.Outcome != app.UnderWay {
		fmt.Fprintf(w, "  next     %s\n", map[bool]string{true: "the work goes on", false: "stop: somebody has to look"}[h.Continue])
	}
}

func newUnblockCommand(cli *terminal.CLI) *cobra.Command {
	var unblock session.Unblock
	command := &cobra.Command{
		Use: "unblock SESSION", Annotations: terminal.Remote(installation.Judge), Short: "Let a blocked subtask go on, after its follow-up", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				result, err := n.Commands.OnSession(c.Context(), args[0], unblock, cli.Meta())
				if err != nil {
					return err
				}
				one, err := n.Sessions.Get(c.Context(), args[0])
				if err != nil {
					return err
				}
				return cli.Show(one, func(w io.Writer) {
					if len(result.Events) == 0 {
						fmt.Fprintf(w, "It was not blocked: see %s\n", cli.Command("healer show "+args[0]))
						return
					}
					fmt.Fprintln(w, "It may go on.")
				})
			})
		},
	}
	command.Flags().StringVar(&unblock.Subtask, "subtask", "", "the subtask or job; without it, the session itself")
	command.Flags().StringVar(&unblock.Reason, "reason", "", "what was done about it")
	return command
}

// within runs fn on the data directory, which is made if it is not there: a repository needs no workflow to be healed.
func within(c *cobra.Command, cli *terminal.CLI, fn func(n *app.Node) error) (err error) {
	n, err := cli.Open(c.Context())
	if err != nil {
		return err
	}
	defer func() {
		if closing := n.Close(); err == nil {
			err = closing
		}
	}()
	if err := cli.UseModel(n); err != nil {
		return err
	}
	return fn(n)
}

// checkOf is a check by its name in the policy or, for what is in no policy, a command line.
func checkOf(policy session.Policy, text string) (session.Check, error) {
	if text == session.CleanTree {
		return session.Check{Name: session.CleanTree}, nil
	}
	at := slices.IndexFunc(policy.Checks, func(one session.Check) bool { return one.Name == text })
	switch {
	case at >= 0:
		return policy.Checks[at], nil
	case text == "" && len(policy.Checks) == 1:
		return policy.Checks[0], nil
	case text == "":
		return session.Check{}, fault.New(fault.Invalid, "which check failed? Name one of the policy, or give a command line: --check 'npm test'")
	}
	return session.Check{Name: text, Command: text}, nil
}
