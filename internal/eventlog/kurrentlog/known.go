package kurrentlog

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// maxKnownIDs bounds the memory for what is known of streams, to about 20 MB. Beyond it everything is forgotten, and
// read again for the streams that are still in use.
const maxKnownIDs = 1 << 18

// streamWeight is what a stream counts besides its ids.
const streamWeight = 8

// knownStreams remembers which ids the streams have that this process appends to: the server cannot be asked.
type knownStreams struct {
	mu      sync.Mutex
	streams map[string]*knownStream
	weight  int
}

// knownStream is what is known of one stream. Appends to it take turns.
type knownStream struct {
	turn  chan struct{} // holds one token
	users int           // that have or want the turn

	last int64 // the last revision that was read, -1 if none was
	ids  map[uuid.UUID]int64
}

func newKnownStreams() *knownStreams { return &knownStreams{streams: make(map[string]*knownStream)} }

// take waits for the turn to append to a stream.
func (k *knownStreams) take(ctx context.Context, stream string) (*knownStream, error) {
	k.mu.Lock()
	s := k.streams[stream]
	if s == nil {
		if k.weight > maxKnownIDs {
			k.forget()
		}
		s = &knownStream{turn: make(chan struct{}, 1), last: -1, ids: make(map[uuid.UUID]int64)}
		s.turn <- struct{}{}
		k.streams[stream] = s
		k.weight += streamWeight
	}
	s.users++
	k.mu.Unlock()
	select {
	case <-s.turn:
		return s, nil
	case <-ctx.Done():
		k.leave(s)
		return nil, ctx.Err()
	}
}

// give ends a turn, in which the stream turned out to have more ids.
func (k *knownStreams) give(s *knownStream, more int) {
	s.turn <- struct{}{}
	k.mu.Lock()
	k.weight += more
	k.mu.Unlock()
	k.leave(s)
}

func (k *knownStreams) leave(s *knownStream) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s.users--
}

// forget drops what nobody uses now.
func (k *knownStreams) forget() {
	for name, s := range k.streams {
		if s.users == 0 {
			k.weight -= streamWeight + len(s.ids)
			delete(k.streams, name)
		}
	}
}

// learn adds an event of the stream.
func (s *knownStream) learn(id uuid.UUID, revision int64) {
	s.ids[id] = revision
	s.last = revision
}

// reset forgets the stream: it may have been truncated or restored.
func (s *knownStream) reset() {
	clear(s.ids)
	s.last = -1
}
