package stall

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
)

// Upkeep has people hear of what a server fails at again and again beside the reactions, which tell of themselves; and when it
// goes well again.
type Upkeep struct {
	stalls Log
	logger *slog.Logger

	mu    sync.Mutex
	tries map[string]int  // in a row that failed, by work
	told  map[string]bool // work that people were told of
}

// NewUpkeep has people hear of it by the log.
func NewUpkeep(stalls Log, logger *slog.Logger) *Upkeep {
	return &Upkeep{stalls: stalls, logger: logger, tries: map[string]int{}, told: map[string]bool{}}
}

// Remember takes up what an earlier life, or another node, has told people of.
func (u *Upkeep) Remember(ctx context.Context) error {
	all, err := u.stalls.Stalled(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range all {
		if one.Kind == installation.Server {
			u.told[one.Work] = true
		}
	}
	return err
}

// After notes what became of some work. The last try is told of whatever came before it.
func (u *Upkeep) After(ctx context.Context, work string, err error, last bool) {
	broken, panicked := errors.AsType[*panics.Error](err)
	if panicked {
		u.logger.Error("a part of the server panicked", "work", work, "panic", broken.Cause, "stack", string(broken.Stack))
	}
	u.mu.Lock()
	was := u.told[work]
	if err == nil {
		delete(u.tries, work)
	} else {
		u.tries[work]++
	}
	tries := u.tries[work]
	tell := err != nil && !was && (last || loop.Told(err, tries))
	if tell || err == nil {
		u.told[work] = tell // others need not wait until it is recorded
	}
	u.mu.Unlock()
	if !tell && (!was || err != nil) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellTime)
	defer cancel()
	of := loop.Stall{Kind: installation.Server, ID: "here", Work: work}
	report := func() error { return u.stalls.ReportResumed(ctx, of) }
	if tell {
		report = func() error { return u.stalls.ReportStalled(ctx, of, err.Error(), tries) }
	}
	if failed := report(); failed != nil {
		u.logger.Error("nobody can be told how the server fares", "work", work, "error", failed)
		u.mu.Lock()
		u.told[work] = was
		u.mu.Unlock()
	}
}

// tellTime bounds how long it takes to tell: the log may be what fails.
const tellTime = 5 * time.Second

// Part is something that a server does as long as it runs.
type Part struct {
	Name string // as people are told of it
	Run  func(context.Context) error
	// Again is after how long it is run again when it failed. Zero is for what the server cannot be without: it ends with it.
	Again time.Duration
}

// wellAfter is after how long without a failure a part goes well.
const wellAfter = time.Minute

// Attend runs a part until ctx ends, or for good if the server ends with it.
func (u *Upkeep) Attend(ctx context.Context, of Part) error {
	for {
		well := time.AfterFunc(wellAfter, func() { u.After(ctx, of.Name, nil, false) })
		err := panics.Guard(func() error { return of.Run(ctx) })
		well.Stop()
		if ctx.Err() != nil && of.Again > 0 {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			u.logger.Error("a part of the server failed", "part", of.Name, "error", err)
			u.After(ctx, of.Name, err, of.Again == 0)
		}
		if _, panicked := errors.AsType[*panics.Error](err); panicked && of.Again == 0 {
			panic(err) // nobody knows what it left behind: the next life begins anew
		}
		if of.Again == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(of.Again):
		}
	}
}
