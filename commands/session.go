package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// SessionSince is a session with everything up to a revision of its stream or more.
func (c Sessions) SessionSince(ctx context.Context, id string, revision int64) (session.State, error) {
	loaded, _, err := since(ctx, c.core, sessionKind(id), session.Stream(id), revision)
	return loaded, err
}

// LoadSession is a session as it is now; one without an id if there is none.
func (c Sessions) LoadSession(ctx context.Context, id string) (session.State, error) {
	loaded, _, err := state(ctx, c.core, sessionKind(id), session.Stream(id))
	return loaded, err
}

// OnSession carries out a command on a session's stream.
func (c Sessions) OnSession(ctx context.Context, id string, command session.Command, meta Meta) (Result, error) {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return Result{}, err
	}
	return execute(ctx, c.core, sessionKind(id), session.Stream(id), command, meta)
}

func sessionKind(id string) kind[session.State, session.Command] {
	return kind[session.State, session.Command]{
		kept:    true,
		evolve:  untimed(session.Evolve),
		subject: func(session.State, session.Command) string { return session.Subject(id) },
		decide:  session.Decide,
	}
}

// SessionEnd is the newest revision of a session's stream, -1 if there is none, and its position.
func (c Sessions) SessionEnd(ctx context.Context, id string) (int64, eventlog.Position, error) {
	return endOf(ctx, c.core, sessionKind(id), session.Stream(id))
}
