package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// CodeDeclaredRead is the code of the failure of a careful dry run at a read that is not a GET.
const CodeDeclaredRead = "dry_run.declared_read"

// DryRun is a run that sends no writes: they are captured, with all their arguments.
type DryRun struct {
	Code  string
	Input json.RawMessage
	// Recorded answers reads from the journal of a run instead of from the world; nil for live reads.
	Recorded *run.State
	// Reach narrows live reads to GET and HEAD, and to these hosts. Nil means what any run may read.
	Reach func(host, port string) bool
}

// Explorer runs scripts to see what they would do.
type Explorer struct {
	Commands   *commands.Commands
	Sandbox    sandbox.Runner
	Local      LocalState
	Recordings egress.Recordings
	Secrets    egress.Secrets
	Now        func() time.Time
	NewID      func() string
	Logger     *slog.Logger
}

// DryRun runs a workflow's script, or another one in its place. Nothing is stored or sent.
func (e *Explorer) DryRun(ctx context.Context, id string, dry DryRun) (Rehearsed, error) {
	state, err := e.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return Rehearsed{}, err
	}
	local, err := e.Local.LocalState(ctx, id)
	if err != nil {
		return Rehearsed{}, fmt.Errorf("rehearsal.Explorer: load the workflow's keys and files: %w", err)
	}
	of := e.NewID()
	rehearsal := Rehearsal{
		Code: dry.Code, Settings: state.Settings, Reach: dry.Reach, Closed: egress.Closed(ctx, e.Commands, state.Owner), Secrets: e.Secrets.Of(id), Logger: e.Logger,
		KnownHosts: egress.KnownHosts(ctx, e.Recordings, id, state.Active.Major),
		Run: run.State{
			Run: of, Workflow: id, Input: dry.Input, Seed: of, Clock: e.Now().UTC().Truncate(time.Millisecond), Zone: state.Zone,
			Overlap: true,
		},
	}
	if dry.Reach != nil {
		rehearsal.Reads = GetsOnly
	}
	if dry.Recorded != nil {
		rehearsal.OnlyPast = true
		rehearsal.Run.Seed, rehearsal.Run.Clock, rehearsal.Run.Zone = dry.Recorded.Seed, dry.Recorded.Clock, dry.Recorded.Zone
		rehearsal.Run.Overlap = dry.Recorded.Overlap
		for _, entry := range PastOf(*dry.Recorded, Never) {
			if entry.Effect != sandbox.Write && !entry.InDoubt {
				rehearsal.Past = append(rehearsal.Past, entry)
			}
		}
	}
	if rehearsal.Assumed, err = e.assumed(ctx, state, dry.Code); err != nil {
		return Rehearsed{}, err
	}
	return rehearse(ctx, e.Sandbox, rehearsal, local)
}

// assumed are the answers that writes of the newest recorded successes had.
func (e *Explorer) assumed(ctx context.Context, state workflow.State, code string) (*gate.Assumed, error) {
	codes := []string{code}
	if active, found := state.Script(state.Active); found {
		codes = append(codes, active.Code)
	}
	successes, err := newestSuccesses(ctx, e.Commands, e.Recordings, state, state.Active.Major)
	if err != nil {
		return nil, err
	}
	return gate.Assume(successes, codes...), nil
}

// Difference is what another script would have done in a run that happened.
type Difference struct {
	Run        string           `json:"run"`
	Recorded   string           `json:"recorded"` // succeeded or failed
	Divergence *gate.Divergence `json:"divergence"`
}

// WhatIf replays runs on another script and reports those that would have come out otherwise,
// oldest first. Nothing is sent: every call answers from the run's own journal.
func (e *Explorer) WhatIf(ctx context.Context, id, code string, runs []string) ([]Difference, error) {
	state, err := e.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return nil, err
	}
	different := []Difference{}
	for _, of := range runs {
		recorded, err := e.Commands.LoadRun(ctx, of)
		if err != nil {
			return nil, err
		}
		if !recorded.Ended {
			continue
		}
		again, err := e.Replay(ctx, state.Zone, code, recorded)
		if err != nil {
			return nil, err
		}
		if !again.Reproduced {
			different = append(different, Difference{Run: of, Recorded: RecordedRun(recorded).Outcome.Status, Divergence: again.Divergence})
		}
	}
	return different, nil
}

// Replay runs a recorded run again on a script. Nothing is sent: every call answers from the run's own journal.
func (e *Explorer) Replay(ctx context.Context, zone, code string, recorded run.State) (gate.Reproduction, error) {
	past := RecordedRun(recorded)
	again, err := gate.Reproduce(ctx, e.Sandbox, code, zone, &past)
	if err != nil {
		return again, fmt.Errorf("rehearsal.Explorer: replay run %s: %w", recorded.Run, err)
	}
	return again, nil
}

// ValuesAtFailure are what the names had where a run failed, from its journal alone.
func (e *Explorer) ValuesAtFailure(ctx context.Context, zone, code string, recorded run.State) ([]gate.Value, error) {
	past := RecordedRun(recorded)
	values, err := gate.ValuesAtFailure(ctx, e.Sandbox, code, zone, &past)
	if err != nil {
		return nil, fmt.Errorf("rehearsal.Explorer: values where run %s failed: %w", recorded.Run, err)
	}
	return values, nil
}

// WritesOf are the writes that a run made, in order.
func WritesOf(s run.State) []gate.Write {
	writes := []gate.Write{}
	for _, call := range s.Calls {
		if call.Effect == run.EffectWrite && call.Returned {
			writes = append(writes, gate.Write{Tool: call.Tool, Args: call.Args})
		}
	}
	return writes
}

// notRecorded stops a dry run at a read that no answer is there for.
func notRecorded(call sandbox.Call) error {
	return &sandbox.StopError{Reason: sandbox.Error{
		Class: sandbox.ClassInternal, Name: "NotRecorded", Code: sandbox.CodeUnanswerable, Tool: call.Tool,
		Message: fmt.Sprintf("%s %s was never read in the recorded run: use live reads", call.Tool, Excerpt(call.Args)),
	}}
}

// declaredRead stops a dry run of code that nobody has approved at a request that only the script says changes nothing.
func declaredRead(call sandbox.Call) error {
	return &sandbox.StopError{Reason: sandbox.Error{
		Class: sandbox.ClassPermission, Name: "PermissionError", Code: CodeDeclaredRead, Tool: call.Tool, Host: egress.HostOf(call.Args),
		Message: fmt.Sprintf("%s %s is declared a read and is not a GET: it is not sent here; a person can, with a dry run of their own", call.Tool, Excerpt(call.Args)),
	}}
}

// LocalState loads a workflow's keys and files, as every journaled write so far left them.
type LocalState interface {
	LocalState(ctx context.Context, workflow string) (*hostcall.Memory, error)
}
