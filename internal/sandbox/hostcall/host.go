package hostcall

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Host makes the calls of one run for real: one at a time, but those of tools that overlap.
type Host struct {
	env   Env
	local int64 // bytes that calls of local tools carried so far
}

var _ sandbox.Host = (*Host)(nil)

// NewHost returns a host for one run. It panics without env.State. Close it after the run.
func NewHost(env *Env) *Host {
	if env.State == nil {
		panic("hostcall: NewHost needs a State")
	}
	h := &Host{env: *env, local: env.Carried}
	if h.env.Now == nil {
		h.env.Now = func() int64 { return 0 }
	}
	if h.env.Clock == nil {
		h.env.Clock = time.Now
	}
	if h.env.Logger == nil {
		h.env.Logger = slog.Default()
	}
	if h.env.FetchBytes == 0 {
		h.env.FetchBytes = DefaultFetchBytes
	}
	if h.env.BodyBytes == 0 {
		h.env.BodyBytes = DefaultBodyBytes
	}
	h.env.web = newClient(&h.env)
	return h
}

// Call implements [sandbox.Host]. A tool that does not exist, an effect that the call does not
// have, a fault of the tool itself and an end of ctx are Go errors; everything else is in the reply.
func (h *Host) Call(ctx context.Context, call sandbox.Call) (reply sandbox.Reply, err error) {
	t, ok := Lookup(call.Tool)
	if !ok {
		return sandbox.Reply{}, fmt.Errorf("hostcall: no tool %q", call.Tool)
	}
	// The sandbox has checked already; but it runs in another process, with the script. A host that lets reads
	// through and holds writes back relies on the effect that the sandbox gave.
	if effect := t.Effect(call.Args); call.Effect != "" && call.Effect != effect {
		return sandbox.Reply{}, fmt.Errorf("hostcall: the sandbox calls a %s of %s a %s", effect, t.Name, call.Effect)
	}
	if err := validate(t.Name, call.Args); err != nil {
		return sandbox.Reply{Error: fail(sandbox.ClassLogic, "", "%v", err)}, nil
	}
	if t.Local {
		if h.local += int64(len(call.Args)); h.local > MaxLocalBytes {
			fault := fail(sandbox.ClassLimit, CodeLimitState, "%s: the run has read and written more than %d bytes of keys and files", t.Name, MaxLocalBytes)
			fault.Tool = t.Name
			return sandbox.Reply{Error: fault}, nil
		}
	}
	defer func() {
		if fault := recover(); fault != nil {
			h.env.Logger.ErrorContext(ctx, "hostcall: panic", "tool", t.Name, "fault", fault, "stack", string(debug.Stack()))
			reply, err = sandbox.Reply{}, fmt.Errorf("hostcall: %s: panic: %v", t.Name, fault)
		}
	}()
	reply, err = t.Do(ctx, &h.env, call)
	if err != nil {
		return sandbox.Reply{}, err
	}
	if t.Local {
		h.local += int64(len(reply.Result))
	}
	if reply.Error != nil {
		reply.Error.Tool = t.Name
	}
	return reply, nil
}

// Close closes the connections that the run kept open.
func (h *Host) Close() { h.env.web.close() }
