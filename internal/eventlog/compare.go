package eventlog

import "bytes"

// Compare says what an append is to its stream, before anything is written: last is the revision of the
// stream's newest event (-1 for none), and there are the events of the stream that have an id of the
// append, by id.
//
// It is one of four things. An append of new events to a stream that is as expected is fresh: do it. If all of the
// events are there already, at the expected place, it is a repeat, with the first result. An id that is there with
// another content is a [*ContentError]. Anything else is a [*ConflictError].
func Compare(stream string, expected int64, events []Event, last int64, there map[string]Record) (repeat Appended, fresh bool, err error) {
	found, inPlace := 0, true
	var position Position
	for i, event := range events {
		record, ok := there[event.ID]
		if !ok {
			continue
		}
		if !sameContent(record.Event, event) {
			return Appended{}, false, &ContentError{Stream: stream, ID: event.ID}
		}
		found++
		inPlace = inPlace && record.Revision == expected+1+int64(i)
		position = record.Position
	}
	switch {
	case found == len(events) && inPlace:
		return Appended{First: expected + 1, Last: expected + int64(len(events)), Position: position, Repeated: true}, false, nil
	case found > 0 || expected != last:
		return Appended{}, false, &ConflictError{Stream: stream, Expected: expected, Actual: last}
	}
	return Appended{}, true, nil
}

// sameContent compares what an id is bound to; the metadata of a repeat may differ. An erased payload is known by its digest.
func sameContent(stored, event Event) bool {
	same := bytes.Equal(stored.Payload, event.Payload) || IsErased(stored.Payload) && bytes.Equal(stored.Payload, Erased(event.Payload))
	return same && stored.Type == event.Type && stored.SchemaVersion == event.SchemaVersion
}
