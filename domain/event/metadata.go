package event

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ReadMetadata reads the stored metadata of an event. A reader of the log does it for every
// event, so the form that this program writes (one flat object, no escapes) is read directly, some
// seven times as fast; for every other form [json.Unmarshal] has the word.
func ReadMetadata(stored []byte) (Metadata, error) { return ReadMetadataText(string(stored)) }

// ReadMetadataText is [ReadMetadata] of a text, of which what it returns is parts.
func ReadMetadataText(stored string) (Metadata, error) {
	var m Metadata
	if m.scan(stored) {
		return m, nil
	}
	m = Metadata{}
	if err := json.Unmarshal([]byte(stored), &m); err != nil {
		return Metadata{}, fmt.Errorf("event: metadata: %w", err)
	}
	return m, nil
}

// scan reads the plain form. It says false for everything that it does not know to read exactly
// as [json.Unmarshal] would; m is then worth nothing.
func (m *Metadata) scan(b string) bool {
	if len(b) < 2 || b[0] != '{' || b[len(b)-1] != '}' {
		return false
	}
	b = b[1 : len(b)-1]
	for len(b) > 0 {
		key, rest, ok := plainString(b)
		if !ok || len(rest) < 2 || rest[0] != ':' {
			return false
		}
		rest = rest[1:]
		if key == "schema_version" {
			end := strings.IndexByte(rest, ',')
			if end < 0 {
				end = len(rest)
			}
			n, err := strconv.Atoi(rest[:end])
			if err != nil || rest[0] < '1' || rest[0] > '9' {
				return false
			}
			m.SchemaVersion, rest = n, rest[end:]
		} else {
			var value string
			if value, rest, ok = plainString(rest); !ok || !m.set(key, value) {
				return false
			}
		}
		if len(rest) == 0 {
			return true
		}
		if rest[0] != ',' || len(rest) == 1 {
			return false
		}
		b = rest[1:]
	}
	return true
}

func (m *Metadata) set(key, value string) bool {
	switch key {
	case "event_id":
		m.EventID = value
	case "subject":
		m.Subject = value
	case "correlation_id":
		m.CorrelationID = value
	case "causation_id":
		m.CausationID = value
	case "command_id":
		m.CommandID = value
	case "actor":
		m.Actor = value
	case "recorded_at":
		at, err := time.Parse(time.RFC3339Nano, value)
		if err != nil || len(value) == 0 || value[len(value)-1] != 'Z' {
			return false
		}
		m.RecordedAt = at
	case "traceparent":
		m.Traceparent = value
	case "hash":
		m.Hash = value
	default:
		return false
	}
	return true
}

// WriteMetadata is metadata as it is stored: what [Marshal] gives, written directly where all texts stand for themselves.
func WriteMetadata(m Metadata) ([]byte, error) {
	if year := m.RecordedAt.Year(); year < 0 || year > 9999 || m.RecordedAt.Location() != time.UTC {
		return Marshal(m)
	}
	out := append(make([]byte, 0, 512), '{')
	for i, field := range [...]struct{ name, value string }{
		{"event_id", m.EventID}, {"subject", m.Subject}, {"correlation_id", m.CorrelationID}, {"causation_id", m.CausationID},
		{"command_id", m.CommandID}, {"actor", m.Actor}, {"recorded_at", ""}, {"traceparent", m.Traceparent}, {"hash", m.Hash},
	} {
		switch {
		case !isPlain(field.value):
			return Marshal(m)
		case field.name == "traceparent" && field.value == "":
			continue
		case i > 0:
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), field.name...), '"', ':', '"')
		if field.name == "recorded_at" {
			out = m.RecordedAt.AppendFormat(out, time.RFC3339Nano)
		}
		out = append(append(out, field.value...), '"')
		if i == 0 {
			out = strconv.AppendInt(append(out, `,"schema_version":`...), int64(m.SchemaVersion), 10)
		}
	}
	return append(out, '}'), nil
}

// isPlain says that a text stands for itself in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if !plainByte(text[i]) {
			return false
		}
	}
	return true
}

// plainByte says that a character stands for itself in a JSON string: printable ASCII, nothing that is escaped.
func plainByte(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// plainString takes a JSON string off the front of b that stands for itself.
func plainString(b string) (value, rest string, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(b); i++ {
		if !plainByte(b[i]) {
			return b[1:i], b[i+1:], b[i] == '"'
		}
	}
	return "", "", false
}
