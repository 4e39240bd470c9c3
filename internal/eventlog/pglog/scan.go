package pglog

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// filteredColumns is how many columns a filtered read has: two more.
const filteredColumns = 11

const columns = "position, revision, recorded_at, id, schema_version, stream, type, metadata, payload"

var binaryColumns = pgx.QueryResultFormats{1}

// scanner turns rows into records. It keeps the few strings that come again and again.
type scanner struct {
	filter          eventlog.Filter
	prefixes, types []string // of the filter, not nil

	records []eventlog.Record
	limit   int   // how many rows to ask for next
	more    bool  // there may be more rows than these
	looked  int64 // the position that was looked at last, if there are more

	names     map[string]string
	revisions map[string]int64 // the last revisions of streams that were met
}

// keep bounds what a scanner keeps.
const keep = 4096

func newScanner(filter eventlog.Filter) *scanner {
	return &scanner{
		filter:    filter,
		prefixes:  append([]string{}, filter.StreamPrefixes...),
		types:     append([]string{}, filter.Types...),
		limit:     firstChunk,
		names:     make(map[string]string),
		revisions: make(map[string]int64),
	}
}

// take reads rows, replacing the records of the chunk before. A row of a filtered read begins with the position that
// was looked at last, and how many events were looked at.
func (s *scanner) take(rows pgx.Rows, limit int) error {
	defer rows.Close()
	s.records = s.records[:0]
	bytes, rowsLooked := 0, 0
	for bytes < chunkBytes && rows.Next() {
		values := rows.RawValues()
		filtered := len(values) == filteredColumns
		if filtered {
			if values[0] == nil {
				break // there is nothing to look at
			}
			s.looked, rowsLooked = int8Of(values[0]), int(int8Of(values[1]))
			if values[2] == nil {
				break // nothing passes
			}
			values = values[2:]
		}
		record, err := s.record(values)
		if err != nil {
			return err
		}
		s.records = append(s.records, record)
		if bytes += len(record.Metadata) + len(record.Payload); !filtered || bytes >= chunkBytes {
			s.looked, rowsLooked = int8Of(values[0]), rowsLooked+1
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	s.more = rowsLooked >= limit || bytes >= chunkBytes
	switch {
	case bytes >= chunkBytes:
		s.limit = len(s.records) // the server sends all that is asked for, taken or not
	case bytes < chunkBytes/4:
		s.limit = min(2*limit, lastChunk)
	}
	return nil
}

// takeTail reads rows of [tailQuery], replacing the records of the look before.
func (s *scanner) takeTail(rows pgx.Rows) (h heads, err error) {
	defer rows.Close()
	s.records, s.more = s.records[:0], false
	bytes := 0
	for !s.more && rows.Next() {
		values := rows.RawValues()
		h.mark, h.newest = int8Of(values[0]), int8Of(values[1])
		if values = values[2:]; values[0] == nil {
			break // nothing is new
		}
		record, err := s.record(values)
		if err != nil {
			return h, err
		}
		s.records, s.looked = append(s.records, record), int8Of(values[0])
		bytes += size(&record)
		s.more = len(s.records) == tailLook || bytes >= chunkBytes
	}
	rows.Close()
	return h, rows.Err()
}

func int8Of(value []byte) int64 { return int64(binary.BigEndian.Uint64(value)) }

// record decodes a row in PostgreSQL's binary format.
func (s *scanner) record(values [][]byte) (eventlog.Record, error) {
	if len(values) != 9 || len(values[0]) != 8 || len(values[1]) != 8 || len(values[2]) != 8 || len(values[3]) != 16 || len(values[4]) != 4 {
		return eventlog.Record{}, fmt.Errorf("a row of the event table is not as it was made: %w", errDamaged)
	}
	metadata, payload := values[7], values[8]
	data := make([]byte, len(metadata)+len(payload))
	copy(data, metadata)
	copy(data[len(metadata):], payload)
	return eventlog.Record{
		Event: eventlog.Event{
			ID:            idText(values[3]),
			Type:          s.name(values[6]),
			SchemaVersion: int(int32(binary.BigEndian.Uint32(values[4]))),
			Metadata:      data[:len(metadata):len(metadata)],
			Payload:       data[len(metadata):],
		},
		Stream:     s.name(values[5]),
		Revision:   int8Of(values[1]),
		Position:   eventlog.PositionOf(int8Of(values[0])),
		RecordedAt: instant(int8Of(values[2])),
	}, nil
}

// instant converts PostgreSQL's microseconds since 2000.
func instant(micros int64) time.Time {
	const from1970 = 946_684_800 * 1_000_000
	return time.UnixMicro(micros + from1970).UTC()
}

func (s *scanner) name(text []byte) string {
	if name, ok := s.names[string(text)]; ok {
		return name
	}
	if len(s.names) == keep {
		clear(s.names)
	}
	name := string(text)
	s.names[name] = name
	return name
}

// checkOrder guards what the log is for: along a stream, positions have the order of revisions, and
// none is missing, unless it was filtered out. Sound is how many records it holds for.
func (s *scanner) checkOrder(step int64) (sound int, err error) {
	for i := range s.records {
		record := &s.records[i]
		last, known := s.revisions[record.Stream]
		if next := last + step; known && record.Revision != next && (len(s.filter.Types) == 0 || (record.Revision-next)*step < 0) {
			return i, fmt.Errorf("in stream %s, revision %d stands next to %d: %w", record.Stream, record.Revision, last, errDamaged)
		}
		if len(s.revisions) == keep {
			clear(s.revisions)
		}
		s.revisions[record.Stream] = record.Revision
	}
	return len(s.records), nil
}
