package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Explore lends an explorer and its worker processes to fn.
func (s *Scripts) Explore(ctx context.Context, logger *slog.Logger, fn func(*rehearsal.Explorer) error) (err error) {
	pool, giveBack, err := operations.borrow(ctx, logger)
	if err != nil {
		return NotFinished(err)
	}
	defer func() { err = errors.Join(NotFinished(err), giveBack()) }()
	return fn(&rehearsal.Explorer{
		Commands: s.Commands, Sandbox: pool, Local: s.HandlerQueries, Recordings: s.HandlerQueries, Secrets: s.Secrets.Value, Now: s.Now, NewID: NewID, Logger: logger,
	})
}

// LastSuccess is the newest run of a workflow that succeeded, nil for none.
func (r *Runs) LastSuccess(ctx context.Context, id string) (*run.State, error) {
	runs, err := r.Queries.Runs(ctx, projections.RunFilter{Workflow: id, Status: projections.RunSucceeded, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	state, err := r.Commands.LoadRun(ctx, runs[0].ID)
	return &state, err
}

// DryRun is a run that makes no writes.
type DryRun struct {
	Code     string          // empty for the active script
	Input    json.RawMessage // nil for that of the last success, else of a slot
	Recorded bool            // it reads what the last success read, not the world
}

// DriedRun is what a dry run shows.
type DriedRun struct {
	Workflow string          `json:"workflow"`
	Output   json.RawMessage `json:"output,omitempty"`
	Failure  string          `json:"failure,omitempty"`
	// Unknown says that Failure is not the script's: it needs the answer of a write that was not
	// made, or of a read that was not recorded, so that nobody knows how it would go on.
	Unknown bool         `json:"unknown,omitempty"`
	Refused *RefusedHost `json:"refused,omitempty"` // the address that the script was refused, if it failed of that
	Writes  []gate.Write `json:"writes"`            // would have been made, and were not
	Assumed []string     `json:"assumed,omitempty"` // answers that stand in for those of such writes
	// Compared is the last real run, and Diff what is different from it: as text, its output
	// and writes line by line; empty if nothing is.
	Compared string `json:"compared,omitempty"`
	Diff     string `json:"diff,omitempty"`
}

// RefusedHost is an address that a script may not reach.
type RefusedHost struct {
	Host   string `json:"host"`             // host:port, as settings allow it
	Closed bool   `json:"closed,omitempty"` // by the installation: no setting of the workflow opens it, an admin does
}

// DryRun sees what a run would do. Nothing is stored, and no write is made.
func (r *Runs) DryRun(ctx context.Context, logger *slog.Logger, id string, asked DryRun) (shown DriedRun, err error) {
	state, err := r.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return shown, err
	}
	dry := rehearsal.DryRun{Code: asked.Code, Input: asked.Input}
	if dry.Code == "" {
		script, found := state.Script(state.Active)
		if !found {
			return shown, fault.New(fault.Conflict, "%s has no script yet: name one with --script", state.Title)
		}
		dry.Code = script.Code
	}
	last, err := r.LastSuccess(ctx, id)
	if err != nil {
		return shown, err
	}
	switch {
	case len(dry.Input) > 0:
		if err := inputschema.Fits(dry.Code, dry.Input); err != nil {
			return shown, fault.New(fault.Invalid, "the input is not what the script takes: %w", err)
		}
	case last != nil:
		dry.Input = last.Input
	case state.Schedule.Spec != "":
		dry.Input = state.SlotInput(r.Now())
	default:
		dry.Input = state.Settings.DefaultInput()
	}
	if asked.Recorded {
		if last == nil {
			return shown, fault.New(fault.Conflict, "%s has no run that succeeded, so nothing is recorded: use --reads live", state.Title)
		}
		dry.Recorded = last
	}
	err = r.Scripts.Explore(ctx, logger, func(e *rehearsal.Explorer) error {
		made, err := e.DryRun(ctx, id, dry)
		if err == nil {
			shown = driedRunOf(id, made, last)
		}
		return err
	})
	return shown, err
}

func driedRunOf(id string, made rehearsal.Rehearsed, last *run.State) DriedRun {
	shown := DriedRun{Workflow: id, Output: made.Outcome.Output, Writes: made.Writes}
	for _, one := range made.Assumed {
		shown.Assumed = append(shown.Assumed, one.String())
	}
	if shown.Writes == nil {
		shown.Writes = []gate.Write{}
	}
	if e := made.Outcome.Error; e != nil {
		shown.Failure = fmt.Sprintf("%s (%s): %s", e.Name, e.Class, e.Message)
		shown.Unknown = made.Unknown()
		shown.Refused = refusedHost(made.Outcome)
	}
	if last != nil {
		shown.Compared = last.Run
		before := whatItDid(last.Output, "", rehearsal.WritesOf(*last))
		shown.Diff = udiff.Unified("run "+last.Run, "dry run", before, whatItDid(shown.Output, shown.Failure, shown.Writes))
	}
	return shown
}

// refusedHost is the address that the call which ended a run was refused, nil if it failed of something else.
func refusedHost(outcome sandbox.Outcome) *RefusedHost {
	why := outcome.Error
	if why == nil || why.Code != hostcall.CodeAddressRefused && why.Code != hostcall.CodeAddressClosed {
		return nil
	}
	for _, call := range slices.Backward(outcome.Calls) {
		if call.Error == nil || call.Error.Code != why.Code {
			continue
		}
		refused := &RefusedHost{Host: why.Host, Closed: why.Code == hostcall.CodeAddressClosed}
		if at := egress.AddressOf(call.Args); at != nil && at.Hostname() == why.Host { // else a redirect led there
			refused.Host = net.JoinHostPort(at.Hostname(), hostcall.PortOf(at))
		}
		return refused
	}
	return nil
}

// whatItDid is what a run did, as lines that can be compared.
func whatItDid(output json.RawMessage, failure string, writes []gate.Write) string {
	var text strings.Builder
	for _, write := range writes {
		fmt.Fprintf(&text, "%s %s\n", write.Tool, write.Args)
	}
	if failure != "" {
		fmt.Fprintf(&text, "failed: %s\n", failure)
	} else {
		if len(output) == 0 {
			output = json.RawMessage("null")
		}
		fmt.Fprintf(&text, "returned: %s\n", output)
	}
	return text.String()
}

// ReplayedOn is what another script would have made of the past.
type ReplayedOn struct {
	Workflow  string                 `json:"workflow"`
	Replayed  int                    `json:"replayed"`
	Different []rehearsal.Difference `json:"different"`
}

// WhatIf replays the runs of the last days or hours on another script: every call answers from the run's own journal.
func (r *Runs) WhatIf(ctx context.Context, logger *slog.Logger, id, code string, within time.Duration) (shown ReplayedOn, err error) {
	runs, err := r.Queries.Runs(ctx, projections.RunFilter{Workflow: id})
	if err != nil {
		return shown, err
	}
	var past []string
	for i := len(runs) - 1; i >= 0; i-- { // oldest first
		if !runs[i].Ended.IsZero() && r.Now().Sub(runs[i].Admitted) <= within {
			past = append(past, runs[i].ID)
		}
	}
	shown = ReplayedOn{Workflow: id, Replayed: len(past)}
	err = r.Scripts.Explore(ctx, logger, func(e *rehearsal.Explorer) error {
		shown.Different, err = e.WhatIf(ctx, id, code, past)
		return err
	})
	return shown, err
}

// ParseSpan reads a duration that may be in days.
func ParseSpan(text string) (time.Duration, error) {
	refuse := fault.New(fault.Invalid, "--since %q is not a time span: write 90m, 12h or 7d", text)
	if days, found := strings.CutSuffix(text, "d"); found {
		var n int
		if _, err := fmt.Sscanf(days, "%d", &n); err != nil || n < 1 || n > 36_500 || fmt.Sprint(n) != days {
			return 0, refuse
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	span, err := time.ParseDuration(text)
	if err != nil || span <= 0 {
		return 0, refuse
	}
	return span, nil
}
