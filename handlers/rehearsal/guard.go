package rehearsal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// guardedBy bounds how many recorded successes the guard knows a version by: the newest. With fewer a server that has just started would
// take for new what one that runs has seen: something that is rarely left out.
const guardedBy = 60

// Guard looks at runs of one version that do not fail; see package guard.
type Guard struct {
	Sandbox sandbox.Runner
	Version guard.Version
	Known   *guard.Expectation
	State   workflow.State
}

// GuardOf loads what a workflow's recorded successes teach about a script of that major.
func GuardOf(ctx context.Context, c *commands.Commands, runner sandbox.Runner, recordings egress.Recordings, state workflow.State, script workflow.Script) (*Guard, error) {
	known, err := newestSuccesses(ctx, c, recordings, state, script.Version.Major)
	if err != nil {
		return nil, err
	}
	g := GuardBy(runner, state, script.Code, known)
	g.Version.Mended = script.Origin == workflow.OriginMaintainer
	g.Known.Trial = slices.Contains(state.Unconfirmed(), script.Version)
	return g, nil
}

// newestSuccesses are some of the recorded successes of a major that count as evidence, the oldest first.
func newestSuccesses(ctx context.Context, c *commands.Commands, recordings egress.Recordings, state workflow.State, major int) ([]gate.Run, error) {
	successes, err := recordings.Successes(ctx, state.ID, major)
	if err != nil {
		return nil, fmt.Errorf("rehearsal: list recorded successes: %w", err)
	}
	var known []gate.Run
	for _, id := range successes {
		if len(known) == guardedBy {
			break
		}
		if !state.IsEvidence(id) {
			continue
		}
		recorded, err := c.LoadRun(ctx, id)
		if commands.Lost(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("rehearsal: load recorded success %s: %w", id, err)
		}
		known = append(known, RecordedRun(recorded))
	}
	slices.Reverse(known)
	return known, nil
}

// GuardBy is a guard of code that is known by these successes, the oldest first.
func GuardBy(runner sandbox.Runner, state workflow.State, code string, successes []gate.Run) *Guard {
	version := guard.Version{Code: code, Zone: state.Zone, Successes: successes}
	return &Guard{Sandbox: runner, Version: version, Known: guard.Learn(version), State: state}
}

// Look gives what is wrong with a run so far, as far as no person has called it right.
func (g *Guard) Look(ctx context.Context, run *gate.Run) ([]guard.Finding, error) {
	if g.State.Settings.Guard == workflow.GuardOff {
		return nil, nil
	}
	suspects := slices.DeleteFunc(g.Known.Suspects(run), func(f guard.Finding) bool { return g.State.Trusts(f.Key()) })
	return guard.Confirm(ctx, g.Sandbox, g.Version, run, suspects)
}

// Stops says that the setting stops a run for these findings.
func (g *Guard) Stops(findings []guard.Finding) bool {
	return g.State.Settings.Stops(SuspectsOf(findings))
}

// SuspectsOf are findings as the workflow knows them.
func SuspectsOf(findings []guard.Finding) []workflow.Suspect {
	var suspects []workflow.Suspect
	for _, f := range findings {
		suspects = append(suspects, workflow.Suspect{Key: f.Key(), Kind: string(f.Kind), Text: f.String()})
	}
	return suspects
}

// SuspicionOf is what a run's stream keeps of findings.
func SuspicionOf(findings []guard.Finding) *run.Suspicion {
	if len(findings) == 0 {
		return nil
	}
	suspicion := &run.Suspicion{}
	for _, f := range findings {
		suspicion.Suspects = append(suspicion.Suspects, run.Suspect{
			Key: failure.Cut(f.Key(), 1<<10), Kind: string(f.Kind), Text: failure.Cut(f.String(), 1<<10),
		})
	}
	return suspicion
}

// FailureOf is the failure of a run that was stopped: the same for the same findings. A run that swallowed trouble of the
// outside fails with its class, rule 13.
func FailureOf(findings []guard.Finding) sandbox.Error {
	e := sandbox.Error{Class: sandbox.ClassLogic, Name: "DriftSuspected", Code: failure.CodeGarbage}
	var texts, keys []string
	for _, f := range findings {
		keys = append(keys, f.Key())
		if f.Kind == guard.Garbage {
			continue
		}
		e.Code = failure.CodeSuspected
		texts = append(texts, f.Text())
		if f.HTTP != 0 && e.Status == 0 {
			e.Status, e.Class = f.HTTP, classOf(f.HTTP)
		}
		if f.NoData && e.Status == 0 { // an outage, in the place of a text as in that of JSON
			e.Class = sandbox.ClassNetwork
		}
	}
	if e.Code == failure.CodeGarbage {
		for _, f := range findings {
			texts = append(texts, f.Text())
		}
	} else if slices.ContainsFunc(findings, func(f guard.Finding) bool { return f.Kind == guard.Shape }) {
		e.Class = sandbox.ClassLogic
	}
	e.Message = failure.Cut(strings.Join(texts, "; "), 2<<10)
	sum := sha256.Sum256([]byte(strings.Join(keys, "\n")))
	e.Strict, e.Loose = hex.EncodeToString(sum[:]), "guard"
	return e
}

func classOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return sandbox.ClassAuth
	case status == http.StatusForbidden, status == http.StatusPaymentRequired:
		return sandbox.ClassPermission
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		return sandbox.ClassNetwork
	}
	return sandbox.ClassLogic
}

// Judge is what a gate asks about code on what the failed run was given.
func (g *Guard) Judge(ctx context.Context, code string, run gate.Run) (*gate.Error, error) {
	other := g
	if code != g.Version.Code {
		other = GuardBy(g.Sandbox, g.State, code, g.Version.Successes)
		other.Version.Mended = true
	}
	findings, err := other.Look(ctx, &run)
	if err != nil || !other.Stops(findings) {
		return nil, err
	}
	e := FailureOf(findings)
	return gate.ErrorOf(&e), nil
}

// RehearsedRun is a rehearsal as the guard looks at it.
func RehearsedRun(of run.State, rehearsed Rehearsed) gate.Run {
	made := RecordedRun(of)
	made.Calls, made.Log, made.Local = nil, nil, nil
	made.Outcome = gate.Outcome{Status: "succeeded", Output: rehearsed.Outcome.Output}
	for _, call := range rehearsed.Outcome.Calls {
		made.Calls = append(made.Calls, gate.CallOf(call))
	}
	return made
}
