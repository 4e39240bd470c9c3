package publisher

import (
	"context"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// pace has what is sent be so far apart as a subscription says.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time
}

func paceOf(d subscription.Definition) (*pace, error) {
	every, err := subscription.ParseRate(d.Rate)
	return &pace{every: every}, err
}

// wait lasts until the next event may be sent, or ctx ends.
func (p *pace) wait(ctx context.Context) error {
	if p.every == 0 {
		return nil
	}
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	after := p.next.Sub(now)
	p.next = p.next.Add(p.every)
	p.mu.Unlock()
	if after == 0 {
		return nil
	}
	turn := time.NewTimer(after)
	defer turn.Stop()
	select {
	case <-turn.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
