package jsonl

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Read yields the record of each line, without a position. It ends at the first error, which
// says which line is wrong and what is to be done. Empty lines are passed over. The content of a
// single line is checked (every member is there once, and a log could hold the
// event); that records belong together is not.
func Read(r io.Reader) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, MaxLineBytes+1) // and its end
		number := 0
		for lines.Scan() {
			number++
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			record, err := parse(lines.Bytes())
			if err != nil {
				yield(eventlog.Record{}, fmt.Errorf("jsonl: line %d: %w", number, err))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(eventlog.Record{}, fmt.Errorf("jsonl: line %d is longer than %d bytes: no event is; write one event a line", number+1, MaxLineBytes))
		case err != nil:
			yield(eventlog.Record{}, fmt.Errorf("jsonl: read line %d: %w", number+1, err))
		}
	}
}

// parse reads a line.
func parse(line []byte) (eventlog.Record, error) {
	var none eventlog.Record
	if !utf8.Valid(line) {
		return none, errors.New("it is not UTF-8: write other bytes in base64, as payload_base64 or metadata_base64")
	}
	members, err := membersOf(line)
	if err != nil {
		return none, err
	}
	var record eventlog.Record
	for _, member := range []struct {
		key    string
		target any
	}{
		{keyStream, &record.Stream},
		{keyRevision, &record.Revision},
		{keyID, &record.ID},
		{keyType, &record.Type},
		{keySchemaVersion, &record.SchemaVersion},
	} {
		if err := members.take(member.key, member.target); err != nil {
			return none, err
		}
	}
	if record.RecordedAt, err = members.takeTime(); err != nil {
		return none, err
	}
	if record.Payload, err = members.takeContent(keyPayload, keyPayloadBase64); err != nil {
		return none, err
	}
	if record.Metadata, err = members.takeContent(keyMetadata, keyMetadataBase64); err != nil {
		return none, err
	}
	if record.Revision < 0 {
		return none, fmt.Errorf("revision %d is negative: they count from 0", record.Revision)
	}
	return record, eventlog.Validate(record.Stream, eventlog.At(record.Revision-1), []eventlog.Event{record.Event})
}

// members are the members of a line's object, as they stand there.
type members map[string]json.RawMessage

var known = map[string]bool{
	keyStream: true, keyRevision: true, keyID: true, keyType: true, keySchemaVersion: true, keyRecordedAt: true,
	keyPosition: true, keyPayload: true, keyPayloadBase64: true, keyMetadata: true, keyMetadataBase64: true,
}

// membersOf reads an object whose every member is known and there once. [json.Unmarshal]
// would take the last of two, and any spelling.
func membersOf(line []byte) (members, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.New("it is not a JSON object: write one event a line, as 'kintsugi workflow export' does")
	}
	found := members{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, broken(err)
		}
		key, _ := token.(string) // the decoder takes nothing else here
		if !known[key] {
			return nil, fmt.Errorf("the member %q is not known: take it out, or read the file with the program that wrote it", key)
		}
		if _, twice := found[key]; twice {
			return nil, fmt.Errorf("the member %q is there twice: which one is meant cannot be known", key)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, broken(err)
		}
		found[key] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, broken(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the event: write one event a line")
	}
	return found, nil
}

func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle of the event: the file was cut off; take it from its source again")
	}
	return fmt.Errorf("it is not JSON: %w", err)
}

func (m members) take(key string, target any) error {
	value, there := m[key]
	if !there {
		return fmt.Errorf("the member %q is missing", key)
	}
	if string(value) == "null" { // which Unmarshal takes for anything
		return fmt.Errorf("the member %q is null", key)
	}
	if err := json.Unmarshal(value, target); err != nil {
		return fmt.Errorf("the member %q: %w", key, err)
	}
	return nil
}

func (m members) takeTime() (time.Time, error) {
	var text string
	if err := m.take(keyRecordedAt, &text); err != nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("the member %q: %q is not a time like 2026-03-01T07:00:00Z", keyRecordedAt, text)
	}
	return at.UTC(), nil
}

func (m members) takeContent(key, keyBase64 string) ([]byte, error) {
	raw, asItIs := m[key]
	_, encoded := m[keyBase64]
	switch {
	case asItIs && encoded:
		return nil, fmt.Errorf("the members %q and %q are both there: keep the one that is meant", key, keyBase64)
	case asItIs:
		return raw, nil
	case !encoded:
		return nil, fmt.Errorf("the member %q (or %q) is missing", key, keyBase64)
	}
	var text string
	if err := m.take(keyBase64, &text); err != nil {
		return nil, err
	}
	content, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the member %q: %w", keyBase64, err)
	}
	return content, nil
}
