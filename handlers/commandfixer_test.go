package handlers_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
)

// mender is the test binary as an external program that proposes fixes: the first argument says how.
const mender = "kintsugi-test-mender"

func isMender() bool { return len(os.Args) > 1 && os.Args[1] == mender }

func menderMain() {
	var of maintenance.CommandCase
	if err := json.NewDecoder(os.Stdin).Decode(&of); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	switch os.Args[2] {
	case "mends":
		if of.Format != "kintsugi.case/1" || of.Error.Name != "TypeError" || len(of.Successes) == 0 || len(of.Failed.Calls) == 0 || len(os.Environ()) != 3 {
			fmt.Fprintf(os.Stderr, "not the case that was expected, or an environment: %v", os.Environ())
			os.Exit(1)
		}
		code := mendTally(of.Code)
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"version": "mender 7", "candidates": []map[string]string{
			{"code": "no script", "comment": "nonsense"}, {"code": code, "comment": "Amounts are texts"},
		}})
	case "chatters":
		fmt.Print(strings.Repeat("x", 5<<20))
	case "complains":
		fmt.Fprint(os.Stderr, "I cannot")
		os.Exit(3)
	case "hangs":
		_, _ = io.ReadAll(os.Stdin)
		for {
			<-time.After(time.Hour)
		}
	case "mumbles":
		fmt.Print("well, ")
	case "shrugs":
		fmt.Print("{}")
	}
}

// An external program is a fixer as any other: what it proposes is judged, and its failure is told.
func TestAProgramProposesFixes(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for how, explained := range map[string]string{
		"mends": "", "chatters": "wrote more than", "complains": "exit status 3 I cannot", "hangs": "ran for too long: more than 1.2s", "mumbles": "not JSON", "shrugs": "proposed no script that could be tried",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			limit := 30 * time.Second
			if how == "hangs" {
				limit = 300 * time.Millisecond
			}
			n.fixers[workflow.FixerCommand] = maintenance.NewCommandFixer(maintenance.CommandFixerConfig{
				Argv: []string{self, mender, how}, Time: limit, Sandbox: n.pool, Logger: slog.New(slog.DiscardHandler),
			})
			id := n.tallied(workflow.Settings{Fixers: []string{"model", "command"}})
			n.runs(id, `{"day":"2026-03-09"}`)
			if how == "hangs" {
				for range 2 {
					require.Equal(t, workflow.StatusMaintenance, n.state(id).Status, "it is run again, with twice the time")
					n.clock.advance(time.Minute)
					require.NoError(t, n.settle(t.Context()))
				}
			}
			state := n.state(id)
			if explained != "" {
				require.Equal(t, workflow.StatusEscalated, state.Status)
				require.Contains(t, state.Escalation.Explanation, explained)
				return
			}
			require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed), state.Escalation)
			proposal, _ := state.Proposal(state.Fixes[0].Proposal)
			require.Equal(t, workflow.Fixer{Kind: "command", Version: "mender 7"}, proposal.Fixer)
		})
	}
}

// A program that is not there proposes nothing, and says so.
func TestAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.fixers[workflow.FixerCommand] = maintenance.NewCommandFixer(maintenance.CommandFixerConfig{
		Argv: []string{filepath.Join(t.TempDir(), "nothing")}, Sandbox: n.pool, Logger: slog.New(slog.DiscardHandler),
	})
	id := n.tallied(workflow.Settings{Fixers: []string{"command"}})
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Contains(t, n.state(id).Escalation.Explanation, "no such file")
}

// Some workflows are a person's: no fix is looked for, and what is known is told.
func TestAPersonTakesWhatNobodyMends(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.fixers[workflow.FixerPerson] = maintenance.PersonFixer{}
	id := n.create(orders, workflow.Settings{Fixers: []string{"person"}})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22)) // which templates would mend
	n.runs(id, `{"day":"2026-03-09"}`)
	state := n.state(id)
	require.Equal(t, workflow.StatusEscalated, state.Status)
	for _, known := range []string{"go to a person", "TypeError", ">    6 |", "total_amount", "before object with value, currency, now –"} {
		require.Contains(t, state.Escalation.Explanation, known)
	}
}
