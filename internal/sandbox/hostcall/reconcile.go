package hostcall

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Reconciliation is how a tool finds out what became of a write that was sent and never answered.
// A tool whose writes cannot be in doubt, or that cannot ask, declares none.
type Reconciliation struct {
	// Possible says whether there is a way to ask about this call.
	Possible func(env *Env, call sandbox.Call) bool
	// Ask asks, with reads inside what the workflow may reach, and changes nothing. key is the
	// idempotency key that the write was sent with. A Go error is the host's own trouble; that the
	// other side gives no clear answer is a finding.
	Ask func(ctx context.Context, env *Env, call sandbox.Call, key string) (Finding, error)
}

// Found is what is known of a write that was in doubt.
type Found string

// The possible findings.
const (
	FoundHappened Found = "happened"
	FoundDidNot   Found = "did_not"
	FoundNothing  Found = "unknown"
)

// Finding is what asking came to.
type Finding struct {
	Found  Found
	Result json.RawMessage // what the call answers, of a write that happened
	Detail string          // what the finding rests on, in a line
}

// maxFoundBytes bounds a result that was looked up: it is recorded in one event.
const maxFoundBytes = 512 << 10

func nothingFound(format string, values ...any) Finding {
	return Finding{Found: FoundNothing, Detail: fmt.Sprintf(format, values...)}
}

// Reconcilable says whether there is a way to ask what became of a call. It uses only the settings of the workflow in
// env.
func Reconcilable(env *Env, call sandbox.Call) bool {
	t, ok := Lookup(call.Tool)
	return ok && t.Reconcile != nil && validate(call.Tool, call.Args) == nil && t.Reconcile.Possible(env, call)
}

// Reconcile asks what became of a write of this run that was sent with a key and never answered.
func (h *Host) Reconcile(ctx context.Context, call sandbox.Call, key string) (Finding, error) {
	if !Reconcilable(&h.env, call) {
		return nothingFound("there is no way to ask"), nil
	}
	t, _ := Lookup(call.Tool)
	return t.Reconcile.Ask(ctx, &h.env, call, key)
}

// Timeout is after what time a write is given up: until then it may be under way.
func Timeout(call sandbox.Call) time.Duration {
	t := Of(call.Tool)
	if t.Reconcile == nil {
		return 0
	}
	if _, o, fault := t.Request.read(call.Args); fault == nil {
		return o.timeout()
	}
	return defaultTimeout
}
