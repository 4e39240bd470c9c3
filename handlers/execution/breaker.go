package execution

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// CodeCircuitOpen is the code of a network error for a host that has not answered several times in
// a row: it is left alone for a while.
const CodeCircuitOpen = "circuit.open"

const (
	breakAfter   = 5 // network errors in a row
	firstCooling = 30 * time.Second
	lastCooling  = 10 * time.Minute
	// keepCircuits bounds the circuits that are remembered; all are forgotten beyond it.
	keepCircuits = 100_000
)

// breakers spare a host that does not answer, for each workflow by itself: one workflow's trouble is
// not another's. They are this node's alone, and forgotten with it: nothing depends on them.
type breakers struct {
	now func() time.Time

	mu       sync.Mutex
	circuits map[circuitKey]*circuit
}

type circuitKey struct{ workflow, host string }

// circuit counts what a host did not answer. While it is open one call in each cooling time is let
// through: its answer closes it.
type circuit struct {
	failures int
	cooling  time.Duration
	until    time.Time
}

func newBreakers(now func() time.Time) *breakers {
	return &breakers{now: now, circuits: map[circuitKey]*circuit{}}
}

// guard stands before the calls of one workflow.
func (b *breakers) guard(workflow string, live sandbox.Host) sandbox.Host {
	return sandbox.HostFunc(func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
		host := ""
		if hostcall.Of(call.Tool).Request != nil {
			host = egress.HostPortOf(call.Args)
		}
		if host == "" {
			return live.Call(ctx, call)
		}
		key := circuitKey{workflow, host}
		if wait := b.closed(key); wait > 0 {
			return sandbox.Reply{Error: &sandbox.Error{
				Class: sandbox.ClassNetwork, Name: "NetworkError", Code: CodeCircuitOpen, Tool: call.Tool, Host: host, RetryAfterMS: wait.Milliseconds(),
				Message: fmt.Sprintf("%s has not answered %d times in a row and is left alone for %s", host, breakAfter, wait.Round(time.Second)),
			}}, nil
		}
		reply, err := live.Call(ctx, call)
		if err == nil {
			b.answered(key, reply.Error == nil || failure.Class(reply.Error.Class) != failure.Network)
		}
		return reply, err
	})
}

// closed says how long the host is to be left alone; 0 lets the call through.
func (b *breakers) closed(key circuitKey) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[key]
	if c == nil || c.failures < breakAfter {
		return 0
	}
	now := b.now()
	if wait := c.until.Sub(now); wait > 0 {
		return wait
	}
	c.until = now.Add(c.cooling) // for those who come while the one call is under way
	return 0
}

func (b *breakers) answered(key circuitKey, well bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if well {
		delete(b.circuits, key)
		return
	}
	c := b.circuits[key]
	if c == nil {
		if len(b.circuits) >= keepCircuits {
			clear(b.circuits)
		}
		c = &circuit{}
		b.circuits[key] = c
	}
	c.failures++
	switch {
	case c.failures == breakAfter:
		c.cooling = firstCooling
	case c.failures > breakAfter:
		c.cooling = min(2*c.cooling, lastCooling)
	default:
		return
	}
	c.until = b.now().Add(c.cooling)
}
