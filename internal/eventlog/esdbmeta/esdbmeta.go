// Package esdbmeta carries an event's schema version and metadata in the custom metadata of EventStoreDB,
// which knows only the latter.
//
//	custom := esdbmeta.Wrap(event.SchemaVersion, event.Metadata)
//	version, metadata := esdbmeta.Unwrap(custom)
//
// Metadata that needs no help travels unchanged, so that outside clients read our metadata as it is, and we theirs:
//
//   - a JSON object that says its "schema_version" itself, as all events of this program do;
//   - anything else of version 1.
//
// The rest travels in an envelope:
//
//	{"kintsugi-envelope":{"schema_version":2,"metadata":"<base64>"}}
//
// Wrap and Unwrap are each other's inverse, byte for byte, in both directions: no custom metadata that
// anybody ever wrote is changed by being read and written again.
package esdbmeta

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
)

const (
	versionKey = "schema_version"
	// foreignVersion is that of events whose metadata says none: outside clients do not know versions.
	foreignVersion = 1

	envelopeBegin  = `{"kintsugi-envelope":{"schema_version":`
	envelopeMiddle = `,"metadata":"`
	envelopeEnd    = `"}}`
)

// Wrap gives the custom metadata of an event with this schema version (from 1) and metadata.
// It may be the metadata itself, not a copy.
func Wrap(schemaVersion int, metadata []byte) []byte {
	if version, inner := Unwrap(metadata); version == schemaVersion && len(inner) == len(metadata) {
		return metadata
	}
	return envelope(schemaVersion, metadata)
}

// Unwrap is the inverse of [Wrap]. The metadata may be custom itself, not a copy.
func Unwrap(custom []byte) (schemaVersion int, metadata []byte) {
	if version, metadata, ok := openEnvelope(custom); ok {
		return version, metadata
	}
	return ownVersion(custom), custom
}

func envelope(version int, metadata []byte) []byte {
	size := len(envelopeBegin) + 20 + len(envelopeMiddle) + base64.StdEncoding.EncodedLen(len(metadata)) + len(envelopeEnd)
	e := append(make([]byte, 0, size), envelopeBegin...)
	e = strconv.AppendInt(e, int64(version), 10)
	e = append(e, envelopeMiddle...)
	e = base64.StdEncoding.AppendEncode(e, metadata)
	return append(e, envelopeEnd...)
}

// openEnvelope opens only what Wrap would have put into an envelope, written as Wrap writes it. Other bytes
// that look like one are somebody's metadata: opened, they could not be written again as they were.
func openEnvelope(custom []byte) (version int, metadata []byte, ok bool) {
	rest, ok := bytes.CutPrefix(custom, []byte(envelopeBegin))
	if !ok {
		return 0, nil, false
	}
	number, rest, ok := bytes.Cut(rest, []byte(envelopeMiddle))
	if !ok {
		return 0, nil, false
	}
	text, ok := bytes.CutSuffix(rest, []byte(envelopeEnd))
	if !ok {
		return 0, nil, false
	}
	version, err := strconv.Atoi(string(number))
	if err != nil || version < 1 {
		return 0, nil, false
	}
	metadata, err = base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || !bytes.Equal(Wrap(version, metadata), custom) {
		return 0, nil, false
	}
	return version, metadata, true
}

// ownVersion is the schema version that metadata says itself: the value of "schema_version" in a JSON object
// that has this key once. It is foreignVersion for all other bytes.
func ownVersion(metadata []byte) int {
	// Most foreign metadata is told apart by this alone.
	if !bytes.Contains(metadata, []byte(`"`+versionKey+`"`)) || !json.Valid(metadata) {
		return foreignVersion
	}
	version := 0
	for key, value := range members(metadata) {
		if !isVersionKey(key) {
			continue
		}
		number, err := strconv.Atoi(string(value))
		if err != nil || number < 1 || version != 0 {
			return foreignVersion
		}
		version = number
	}
	return max(version, foreignVersion)
}

func isVersionKey(key []byte) bool {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key) == versionKey
	}
	var name string
	quoted := append(append([]byte{'"'}, key...), '"')
	return json.Unmarshal(quoted, &name) == nil && name == versionKey
}
