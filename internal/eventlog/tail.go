package eventlog

import (
	"slices"
	"sync"
)

// The bounds of a Tail. A follower of a log is behind by a few events, or by so many that it reads them.
const (
	tailRecords = 4096
	tailBytes   = 4 << 20
)

// Tail is the newest events of a log in memory, so that not everybody who follows it reads them back. It has no gaps:
// where events came that it was not given, it begins anew. The zero Tail is empty and ready.
type Tail struct {
	mu      sync.Mutex
	before  Position // of the event before the oldest one here
	records []Record // what was given out is never written to
	bytes   int
}

// Add takes in the events that follow the position before, and are durable. Nobody changes them after.
func (t *Tail) Add(before Position, records []Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) == 0 || t.records[len(t.records)-1].Position != before {
		t.before, t.records, t.bytes = before, nil, 0
	}
	t.records = append(t.records, records...)
	for _, record := range records {
		t.bytes += sizeOf(record)
	}
	if len(t.records) <= tailRecords && t.bytes <= tailBytes {
		return
	}
	gone := 0
	for ; gone < len(t.records) && (len(t.records)-gone > tailRecords/2 || t.bytes > tailBytes/2); gone++ {
		t.before = t.records[gone].Position
		t.bytes -= sizeOf(t.records[gone])
	}
	t.records = slices.Clone(t.records[gone:])
}

// Forget lets go of all events: some may have been erased since.
func (t *Tail) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before, t.records, t.bytes = Start, nil, 0
}

func sizeOf(record Record) int { return len(record.Payload) + len(record.Metadata) }

// After gives the events that follow a position, none if they are not all here.
func (t *Tail) After(position Position) []Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) == 0 || position < t.before {
		return nil
	}
	at, _ := slices.BinarySearchFunc(t.records, position, func(record Record, position Position) int {
		if record.Position <= position {
			return -1
		}
		return 1
	})
	return t.records[at:len(t.records):len(t.records)]
}
