package eventlog

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// MaxNameBytes is the portable limit of the length of a stream name and of an event type.
const MaxNameBytes = 200

// Validate checks an append against the rules that hold for every backend. It returns
// [ErrEmptyBatch] or an [*InvalidError]; backends call it before they store anything.
func Validate(stream string, expected Expected, events []Event) error {
	if len(events) == 0 {
		return ErrEmptyBatch
	}
	refuse := func(format string, args ...any) error {
		return &InvalidError{Stream: stream, Reason: fmt.Sprintf(format, args...)}
	}
	if fault := nameFault(stream); fault != "" {
		return refuse("the stream name %s", fault)
	}
	if expected == nil {
		return refuse("no expected revision is given; use NoStream or Exact")
	}
	if exact, ok := expected.(Exact); ok && exact < 0 {
		return refuse("the expected revision %d is negative; use NoStream for a stream without events", exact)
	}
	if len(events) > MaxAppendEvents {
		return refuse("%d events are more than %d in one append; split it", len(events), MaxAppendEvents)
	}
	size := 0
	ids := make(map[string]bool, len(events))
	for i, event := range events {
		if !isCanonicalUUID(event.ID) {
			return refuse("event %d has the id %q, which is not a UUID in lower case with hyphens", i, event.ID)
		}
		if ids[event.ID] {
			return refuse("the id %s is there twice", event.ID)
		}
		ids[event.ID] = true
		if fault := nameFault(event.Type); fault != "" {
			return refuse("the type of event %d %s", i, fault)
		}
		if event.SchemaVersion < 1 {
			return refuse("event %d (%s) has schema version %d; they begin at 1", i, event.Type, event.SchemaVersion)
		}
		size += len(event.Payload) + len(event.Metadata)
	}
	if size > MaxAppendBytes {
		return refuse("%d bytes of payload and metadata are more than %d in one append; split it", size, MaxAppendBytes)
	}
	return nil
}

func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > MaxNameBytes:
		return fmt.Sprintf("has %d bytes, more than %d", len(name), MaxNameBytes)
	case !utf8.ValidString(name):
		return "is not valid UTF-8"
	}
	for _, r := range name {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return fmt.Sprintf("has the character %q; spaces and control characters are not allowed", r)
		}
	}
	return ""
}

func isCanonicalUUID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}
