package process

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// mostAtOnce is about how many bytes executions take that a worker is sent in one message.
const mostAtOnce = 1 << 20

// RunAll makes executions that have code and affinity in common, one after the other in one worker, which is asked once
// for many: what comes of each is what [Pool.Run] makes of it, of which over is told as it comes. The host of an execution
// answers its calls; it may be asked for again, for an execution that is made again because the worker came to its end in another.
func (p *Pool) RunAll(ctx context.Context, list []sandbox.Execution, host func(i int) sandbox.Host, over func(i int, outcome *sandbox.Outcome)) ([]sandbox.Outcome, error) {
	outcomes := make([]sandbox.Outcome, 0, len(list))
	for len(outcomes) < len(list) {
		done := len(outcomes)
		made, err := p.batch(ctx, list[done:done+atOnce(list[done:])], func(i int) sandbox.Host { return host(done + i) }, func(i int, outcome *sandbox.Outcome) { over(done+i, outcome) })
		if err != nil {
			return nil, fmt.Errorf("sandbox: run: %w", err)
		}
		if outcomes = append(outcomes, made...); len(made) > 0 {
			continue
		}
		// It is the first one's trouble, or the worker's: by itself, it is known whose.
		outcome, err := p.Run(ctx, list[done], host(done))
		if err != nil {
			return nil, err
		}
		over(done, &outcome)
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

// atOnce is how many of the executions go into one message.
func atOnce(list []sandbox.Execution) int {
	size := 0
	for n := range list {
		if size += executionSize(&list[n]); size > mostAtOnce {
			return max(n, 1)
		}
	}
	return len(list)
}

// batch makes executions in one worker until one of them is not to be followed by another, or is not known to be whose
// trouble it was, which is left to be made again.
func (p *Pool) batch(ctx context.Context, list []sandbox.Execution, host func(i int) sandbox.Host, over func(i int, outcome *sandbox.Outcome)) ([]sandbox.Outcome, error) {
	if len(list) == 1 || list[0].Affinity == "" {
		return nil, nil
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.tasks.Done()
	if err := packages.Fetch(ctx, list[0].Code); err != nil {
		return nil, err
	}
	turn := p.slotOf(list[0].Affinity, list[0].Owner)
	defer turn.release()
	process, err := p.acquire(ctx, list[0].Affinity, turn, false)
	if err != nil {
		return nil, err
	}
	unwatch := context.AfterFunc(ctx, process.kill)
	outcomes := make([]sandbox.Outcome, 0, len(list))
	again := true
	for frame := process.executeFrame(list); again && len(outcomes) < len(list); frame = nil {
		i := len(outcomes)
		talk := conversation{pool: p, affinity: list[i].Affinity, process: process, turn: turn, host: host(i), limits: list[i].Limits.WithDefaults(), known: p.known}
		outcome, err := talk.run(ctx, &list[i], frame)
		if err != nil || talk.died {
			again = false
			break
		}
		p.complain(ctx, &talk, outcome.Error)
		over(i, &outcome)
		outcomes = append(outcomes, outcome)
		again = reusable(outcome)
	}
	undisturbed := unwatch()
	p.release(process, turn, list[0].Affinity, undisturbed && again)
	return outcomes, ctx.Err()
}
