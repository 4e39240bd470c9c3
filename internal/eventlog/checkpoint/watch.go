package checkpoint

import (
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// DifferenceError says how a log differs from a checkpoint of it.
type DifferenceError struct {
	Stream   string
	Signed   int64 // the stream's newest revision when the checkpoint was taken
	Revision int64 // its newest revision now, or [DifferenceError.Signed] if it was rewritten; -1 if it is gone
	What     string
	More     int // other streams that end too early
}

// Error implements error.
func (e *DifferenceError) Error() string {
	text := fmt.Sprintf("checkpoint: stream %s is not what was signed: %s", e.Stream, e.What)
	if e.More > 0 {
		text += fmt.Sprintf("; and %d other streams end too early or are gone", e.More)
	}
	return text
}

// Watch compares a log with a checkpoint while it is read: every stream must begin with what
// was signed of it.
type Watch struct{ heads map[string]hashchain.Head }

// Watch begins a comparison.
func (c *Checkpoint) Watch() *Watch {
	w := &Watch{heads: make(map[string]hashchain.Head, len(c.Heads))}
	for _, head := range c.Heads {
		w.heads[head.Stream] = hashchain.Head{Revision: head.Revision, Hash: head.Hash}
	}
	return w
}

// Check takes the head that a stream has come to. The revisions of a stream come in order. It returns a
// [*DifferenceError] for a stream that was written anew.
func (w *Watch) Check(stream string, head hashchain.Head) error {
	signed, there := w.heads[stream]
	if !there || head.Revision != signed.Revision {
		return nil
	}
	if head.Hash != signed.Hash {
		return &DifferenceError{
			Stream: stream, Signed: signed.Revision, Revision: signed.Revision,
			What: fmt.Sprintf("it was written anew, at revision %d or before: the hash there is %s, and %s was signed", signed.Revision, head.Hash, signed.Hash),
		}
	}
	delete(w.heads, stream)
	return nil
}

// End takes the heads that all streams have come to. It returns a [*DifferenceError] if one of
// them ends before what was signed.
func (w *Watch) End(heads map[string]hashchain.Head) error {
	var short []string
	for stream := range w.heads {
		short = append(short, stream)
	}
	if len(short) == 0 {
		return nil
	}
	first := slices.Min(short)
	signed := w.heads[first].Revision
	head, there := heads[first]
	if !there {
		return &DifferenceError{
			Stream: first, Signed: signed, Revision: -1, More: len(short) - 1,
			What: fmt.Sprintf("it is gone, and it had come to revision %d", signed),
		}
	}
	return &DifferenceError{
		Stream: first, Signed: signed, Revision: head.Revision, More: len(short) - 1,
		What: fmt.Sprintf("it ends at revision %d, and it had come to revision %d: its newest events were cut off", head.Revision, signed),
	}
}
