package hashchain

import (
	"errors"
	"fmt"
	"iter"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Explain reads a stream from its first event and returns its first [*BrokenError], as
// [Verify] does, with more about what differs than the event alone tells: the next event
// says whether the hash or the content was changed, the others where it was recorded, and
// types are names that it may have had. It is for streams that are known to be broken, takes
// only what v would take, and leaves v as it is.
func (v *Verifier) Explain(records iter.Seq2[eventlog.Record, error], types []string) error {
	verifier := Verifier{AllowErased: v.AllowErased, Chained: v.Chained}
	var first *BrokenError
	var changed eventlog.Record
	var previous Hash // of the broken event
	var next *eventlog.Record
	known := []Hash{{}} // recorded before each revision: known[n] is what revision n continues
	for record, err := range records {
		if err != nil {
			return fmt.Errorf("hashchain: read: %w", err)
		}
		if first == nil {
			before := verifier.heads[record.Stream].Hash
			if err := verifier.Check(record); errors.As(err, &first) {
				changed, previous = record, before
			}
		} else if next == nil {
			next = &record
		}
		if _, hash, err := Unseal(record.Metadata); err == nil {
			known = append(known, hash)
		} else {
			known = append(known, Hash{})
		}
	}
	switch {
	case first == nil:
		return nil
	case first.Part != PartContent: // it is known already
		return first
	}
	metadata, hash, err := Unseal(changed.Metadata)
	if err != nil {
		return first
	}
	digest := linkOf(changed, metadata).Digest()
	if was, found := recordedAs(digest, previous, hash, types); found {
		return broken(changed, PartType, "its type was %s, and everything else is as it was recorded", was)
	}
	if revision, found := recordedAt(digest, hash, known); found {
		return broken(changed, PartMoved, "it was recorded as revision %d of this stream, and was moved here", revision)
	}
	if next != nil {
		if part, what := explainByNext(digest, previous, hash, *next); part != "" {
			return broken(changed, part, "%s", what)
		}
	}
	return first
}

func recordedAs(digest Digest, previous, hash Hash, types []string) (was string, found bool) {
	for _, was := range types {
		digest.Type = was
		if digest.Next(previous) == hash {
			return was, true
		}
	}
	return "", false
}

// mostTried bounds how many places are tried: a second or so of hashing.
const mostTried = 2_000_000

// recordedAt finds the place of this stream where an event with this content has this hash.
// Both what it continued and its own revision may stand elsewhere by now.
func recordedAt(digest Digest, hash Hash, known []Hash) (revision int64, found bool) {
	here := digest.Revision
	reach := int64(len(known)) // how far from its place a hash is looked for
	if 2*reach*reach > mostTried {
		reach = mostTried / 2 / reach
	}
	for place, previous := range known {
		for shift := -reach; shift <= reach; shift++ {
			digest.Revision = int64(place) + shift
			if digest.Revision >= 0 && digest.Revision != here && digest.Next(previous) == hash {
				return digest.Revision, true
			}
		}
	}
	return 0, false
}

// mostRemoved bounds how many removed events are recognised when what follows was renumbered.
const mostRemoved = 10_000

// explainByNext asks the event that follows: its hash was made of this one's true hash and
// of its own true revision. The part is empty if that does not help.
func explainByNext(digest Digest, previous, hash Hash, next eventlog.Record) (part Part, what string) {
	metadata, nextHash, err := Unseal(next.Metadata)
	if err != nil {
		return "", ""
	}
	after := linkOf(next, metadata).Digest()
	switch {
	case after.Next(digest.Next(previous)) == nextHash:
		return PartHash, "its recorded hash was changed; what it says is what the next event continues"
	case after.Next(hash) == nextHash:
		return PartContent, "its payload or its metadata was changed; its hash is the recorded one, which the next event continues"
	}
	for shift := int64(1); shift <= mostRemoved; shift++ {
		after.Revision = next.Revision + shift
		if after.Next(hash) == nextHash {
			return PartMissing, fmt.Sprintf("%d events before it were removed, and it and what follows were renumbered", shift)
		}
		after.Revision = next.Revision - shift
		if after.Revision >= 0 && after.Next(hash) == nextHash {
			return PartOrder, fmt.Sprintf("%d events before it were put in, and it and what follows were renumbered", shift)
		}
	}
	return "", ""
}
