package jsonl

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// MaxLineBytes is how long a line may be, its end not counted: far more than what one append
// to a log may hold, in base64.
const MaxLineBytes = 4 << 20

// The members of a line.
const (
	keyStream         = "stream"
	keyRevision       = "revision"
	keyID             = "id"
	keyType           = "type"
	keySchemaVersion  = "schema_version"
	keyRecordedAt     = "recorded_at"
	keyPosition       = "position"
	keyPayload        = "payload"
	keyPayloadBase64  = "payload_base64"
	keyMetadata       = "metadata"
	keyMetadataBase64 = "metadata_base64"
)

// Write writes one line for each record and returns how many it wrote. It ends at the first
// error, of reading or of writing; what was written until then are whole lines, if w takes all
// it is given.
func Write(w io.Writer, records iter.Seq2[eventlog.Record, error]) (n int, err error) {
	out := bufio.NewWriter(w)
	var line []byte
	for record, err := range records {
		if err != nil {
			return n, writeError(n, err, out.Flush())
		}
		line = appendLine(line[:0], record)
		if len(line) > MaxLineBytes {
			return n, writeError(n, fmt.Errorf("revision %d of %s makes a line of %d bytes, %d are the most that can be read again",
				record.Revision, record.Stream, len(line), MaxLineBytes), out.Flush())
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return n, writeError(n, err, nil)
		}
		n++
	}
	if err := out.Flush(); err != nil {
		return n, writeError(n, err, nil)
	}
	return n, nil
}

func writeError(written int, err, flush error) error {
	if flush != nil {
		return fmt.Errorf("jsonl: write after %d events: %w (and %w)", written, err, flush)
	}
	return fmt.Errorf("jsonl: write after %d events: %w", written, err)
}

func appendLine(line []byte, record eventlog.Record) []byte {
	line = append(line, `{"`+keyStream+`":`...)
	line = appendText(line, record.Stream)
	line = append(line, `,"`+keyRevision+`":`...)
	line = strconv.AppendInt(line, record.Revision, 10)
	line = append(line, `,"`+keyID+`":`...)
	line = appendText(line, record.ID)
	line = append(line, `,"`+keyType+`":`...)
	line = appendText(line, record.Type)
	line = append(line, `,"`+keySchemaVersion+`":`...)
	line = strconv.AppendInt(line, int64(record.SchemaVersion), 10)
	line = append(line, `,"`+keyRecordedAt+`":"`...)
	line = record.RecordedAt.UTC().AppendFormat(line, time.RFC3339Nano)
	line = append(line, '"')
	if record.Position != eventlog.Start {
		line = append(line, `,"`+keyPosition+`":`...)
		line = appendText(line, string(record.Position))
	}
	line = appendContent(line, keyPayload, keyPayloadBase64, record.Payload)
	line = appendContent(line, keyMetadata, keyMetadataBase64, record.Metadata)
	return append(line, '}')
}

func appendContent(line []byte, key, keyBase64 string, content []byte) []byte {
	if fits(content) {
		line = append(line, `,"`+key+`":`...)
		return append(line, content...)
	}
	line = append(line, `,"`+keyBase64+`":"`...)
	line = base64.StdEncoding.AppendEncode(line, content)
	return append(line, '"')
}

// fits says that content comes back byte for byte if it stands in a line as it is.
func fits(content []byte) bool {
	return json.Valid(content) && utf8.Valid(content) && !bytes.ContainsAny(content, "\r\n") &&
		len(bytes.TrimSpace(content)) == len(content)
}

// appendText appends a JSON string. Names of a log are valid UTF-8.
func appendText(line []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("jsonl: a text has no JSON form: " + err.Error()) // every text has one
	}
	return append(line, quoted...)
}
