package rehearsal

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Rehearsal is a dry run of a failed run: live reads, captured writes.
type Rehearsal struct {
	Code       string
	Run        run.State
	Past       []Entry // what answers instead of a live read, and writes that happened
	Settings   workflow.Settings
	KnownHosts func(host string) bool
	Secrets    func(name, host string) (string, bool, error)
	Outside    egress.Outside
	Closed     func(host, port string, address netip.Addr) (string, error) // by the installation
	Logger     *slog.Logger
	// OnlyPast refuses reads that nothing in the past answers.
	OnlyPast bool
	// Reach narrows live reads to these hosts. Nil means no further.
	Reach func(host, port string) bool
	// Reads says which calls may be made live: whether a call is a read only the script says. Nil
	// believes it.
	Reads func(call sandbox.Call) bool
	// Assumed answers the writes that are not sent. Nil knows of none.
	Assumed *gate.Assumed
}

// Rehearsed is what came of a rehearsal.
type Rehearsed struct {
	Outcome sandbox.Outcome
	Writes  []gate.Write // captured: would have been made, and were not
	// Assumed are the answers that stood in for those of such writes.
	Assumed []gate.Assumption
}

// Unknown says that how it ends cannot be told: it needs an answer that nobody has.
func (r Rehearsed) Unknown() bool {
	return r.Outcome.Error != nil && r.Outcome.Error.Code == sandbox.CodeUnanswerable
}

// AssumedTexts are the assumptions in words: those that recorded runs bear out, and those that nothing does.
func (r Rehearsed) AssumedTexts() (learnt, invented []string) {
	for _, one := range r.Assumed {
		if one.Runs > 0 {
			learnt = append(learnt, one.String())
		} else {
			invented = append(invented, one.String())
		}
	}
	return learnt, invented
}

// Rehearse makes a dry run. No write goes out, whatever the script says: that is enforced
// here, at the host's boundary.
func Rehearse(ctx context.Context, runner sandbox.Runner, r Rehearsal) (Rehearsed, error) {
	return rehearse(ctx, runner, r, memoryOf(r.Run.Local))
}

// rehearse assumes what it must: only a script that looks into the answer of a write that no recorded run made is told
// that it was taken, and that run is made again from the beginning.
func rehearse(ctx context.Context, runner sandbox.Runner, r Rehearsal, state *hostcall.Memory) (Rehearsed, error) {
	assumed := gate.Assumed{}
	if r.Assumed != nil {
		assumed = *r.Assumed
	}
	r.Assumed = &assumed
	made, err := rehearseOnce(ctx, runner, r, state.Clone())
	if err != nil || made.Outcome.Error == nil || made.Outcome.Error.Name != sandbox.NameLookedInto {
		return made, err
	}
	assumed.Invents = true
	known := NewPast(r.Past)
	r.Past = slices.Clone(r.Past)
	for _, call := range made.Outcome.Calls {
		if call.Effect != sandbox.Read || hostcall.Of(call.Tool).Local {
			continue
		}
		if _, found, _ := known.Take(call.Call); !found { // what was read live is not asked for again
			r.Past = append(r.Past, Entry{Entry: sandbox.Entry{Tool: call.Tool, Args: call.Args, Effect: call.Effect, Result: call.Result, Error: call.Error, MS: call.MS}})
		}
	}
	return rehearseOnce(ctx, runner, r, state)
}

func rehearseOnce(ctx context.Context, runner sandbox.Runner, r Rehearsal, state *hostcall.Memory) (Rehearsed, error) {
	live := r.Outside.Live(&hostcall.Env{
		State: state, AllowedHosts: r.Settings.AllowedHosts, Reach: r.Reach, Closed: r.Closed, KnownHosts: r.KnownHosts, Secrets: r.Secrets,
		FetchBytes: r.Settings.Limits.FetchBytes,
		Now:        r.Run.Clock.UnixMilli, Logger: r.Logger,
	})
	defer live.Close()
	host := &rehearsalHost{past: NewPast(r.Past), live: live, state: state, clock: r.Run.Clock, onlyPast: r.OnlyPast, reads: r.Reads, answer: r.Assumed.InOrder()}
	outcome, err := runner.Run(ctx, sandbox.Execution{
		Code: r.Code, Input: r.Run.Input, Seed: r.Run.Seed, Clock: r.Run.Clock, Zone: r.Run.Zone, Overlap: r.Run.Overlap, Limits: LimitsOf(r.Settings.Limits),
		Affinity: r.Run.Run, // as the gate, which comes next
	}, host)
	return Rehearsed{Outcome: outcome, Writes: host.writes, Assumed: host.assumed}, err
}

func memoryOf(local *run.Local) *hostcall.Memory {
	if local == nil {
		return &hostcall.Memory{}
	}
	return hostcall.NewMemory(local.KV, local.Files, 0)
}

type rehearsalHost struct {
	past   *Past
	live   sandbox.Host
	state  *hostcall.Memory
	clock  time.Time
	writes []gate.Write

	onlyPast bool
	reads    func(call sandbox.Call) bool
	answer   func(call sandbox.Call) (sandbox.Reply, gate.Assumption, bool)
	assumed  []gate.Assumption
}

// Begin implements [sandbox.Beginner].
func (h *rehearsalHost) Begin(_ context.Context, call sandbox.Call) (sandbox.Reply, *sandbox.Begun, error) {
	reply, found, err := h.recorded(call)
	if err != nil || found {
		return reply, nil, err
	}
	return reply, &sandbox.Begun{
		Make:     func(ctx context.Context) (sandbox.Reply, error) { return h.live.Call(ctx, call) },
		Answered: func(context.Context, sandbox.Reply) error { return nil },
	}, nil
}

// recorded answers a call from the past. An error says that it may not be made.
func (h *rehearsalHost) recorded(call sandbox.Call) (reply sandbox.Reply, found bool, err error) {
	entry, found, _ := h.past.Take(call)
	switch {
	case found && !entry.InDoubt:
		return sandbox.Reply{Result: entry.Result, Error: entry.Error, MS: entry.MS}, true, nil
	case call.Effect == sandbox.Write:
	case h.onlyPast && !hostcall.Of(call.Tool).Local:
		err = notRecorded(call)
	case h.reads != nil && !h.reads(call):
		err = declaredRead(call)
	}
	return sandbox.Reply{}, false, err
}

// Call implements [sandbox.Host].
func (h *rehearsalHost) Call(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	reply, found, err := h.recorded(call)
	if err != nil || found {
		return reply, err
	}
	if call.Effect != sandbox.Write {
		return h.live.Call(ctx, call)
	}
	h.writes = append(h.writes, gate.Write{Tool: call.Tool, Args: call.Args})
	switch declared := hostcall.Of(call.Tool); {
	case declared.Local:
		return hostcall.ApplyLocal(h.state, call, h.clock.UnixMilli()), nil
	case declared.Silent:
		return sandbox.Reply{Result: json.RawMessage("null")}, nil
	}
	if reply, told, ok := h.answer(call); ok {
		if !slices.Contains(h.assumed, told) {
			h.assumed = append(h.assumed, told)
		}
		return reply, nil
	}
	return sandbox.Reply{Opaque: true}, nil
}
