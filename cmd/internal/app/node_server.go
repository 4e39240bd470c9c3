package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
)

// noticed is how long people wait without a word.
const noticed = 100 * time.Millisecond

// Server is a node at work: what follows from the log by itself, the views, and what is served beside them.
type Server struct {
	Node   *Node
	Lock   *serverLock
	Grace  time.Duration // how long runs may go on after it was told to stop
	Logger *slog.Logger
	// Beside is served until its context ends: pages and programs over HTTP, the event log over a protocol of others.
	Beside []stall.Part
	// Serving is called when all of it runs, stopping when it waits for what is under way.
	Serving, Stopping func()
}

// Run serves until ctx ends, and what is under way then has ended or the grace period is over: then it was
// cut short. Its journal is kept.
func (s *Server) Run(ctx context.Context) (cutShort bool, err error) {
	n := s.Node
	n.Log.room.tell = func(full error) {
		s.Lock.full(full != nil)
		if full != nil {
			s.Logger.Error("the server cannot write: the disk is full; what is under way is tried again, more and more seldom, and goes on once there is room", "error", full)
			return
		}
		s.Logger.Warn("there is room on the disk again: the server goes on")
	}
	if err := Outlast(ctx, s.Logger, LookAgain, n.Views.Serve); err != nil {
		return false, err
	}
	pool := NewPool(s.Logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	if s.Logger.Enabled(ctx, slog.LevelInfo) {
		walls, err := pool.Containment(ctx)
		if err != nil {
			return false, err
		}
		for _, wall := range walls {
			s.Logger.Info("around scripts", "wall", wall.String())
		}
	}

	// Work goes on after ctx ended, for the grace period.
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	loop := n.Loop(pool, n.NewFixers(pool), "")
	parts := s.parts(loop)
	if err := n.upkeep.Remember(ctx); err != nil && ctx.Err() == nil {
		s.Logger.Error("what people were told of the server is not known", "error", err)
	}
	ended := make(chan error, len(parts))
	for _, part := range parts {
		go func() { ended <- n.upkeep.Attend(work, part) }()
	}
	s.Serving()
	TellSystemd("READY=1")

	running := len(parts)
	var faults []error
	select {
	case <-ctx.Done():
	case err := <-ended:
		running--
		faults = append(faults, err)
	case err := <-n.Log.failed:
		faults = append(faults, err)
		cut() // no journal can be written any more
	}
	TellSystemd("STOPPING=1")
	loop.Drain()
	idle := make(chan struct{})
	go func() { loop.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(noticed):
		s.Stopping()
		select {
		case <-idle:
		case <-time.After(s.Grace):
			cutShort = true
		}
	}
	cut()
	for ; running > 0; running-- {
		if err := <-ended; !errors.Is(err, context.Canceled) { // one that was just beginning says that it was told to end
			faults = append(faults, err)
		}
	}
	return cutShort, errors.Join(faults...)
}

// parts are all that a server does beside each other.
func (s *Server) parts(loop *loop.Loop) []stall.Part {
	n := s.Node
	outlasting := func(run func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error { return Outlast(ctx, s.Logger, LookAgain, run) }
	}
	return append([]stall.Part{
		{Name: "what follows from the log", Run: outlasting(loop.Run)},
		{Name: "views", Run: outlasting(n.Views.Run)},
		{Name: "telling external systems of events", Run: func(ctx context.Context) error { return n.Subscriptions.publisher().Run(ctx) }, Again: 10 * LookAgain},
		{Name: "exporting traces", Run: n.traces, Again: 10 * LookAgain},
	}, s.Beside...)
}

// Fares notes what became of something that this process does for the outside: people hear of a panic, or of what fails again
// and again, and when it goes well again.
func (n *Node) Fares(ctx context.Context, work string, err error) {
	n.upkeep.After(ctx, work, err, false)
}
