package lossydisk

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// Units in which what was written is lost or not.
const (
	Sector = 512
	Page   = 4096
)

// Loss says what a cut of the power leaves of what was not synced.
type Loss struct {
	// Keep is the probability that a unit survives: 0 is none, 1 is all.
	Keep float64
	// Unit is [Sector] or [Page]; 0 is Page.
	Unit int64
	// Seed decides which units survive.
	Seed uint64
}

// disk is one directory of files, and what is durable of it.
type disk struct {
	mu      sync.Mutex
	lastID  uint64
	names   map[string]*file
	durable map[string]*file // as of the last sync of the directory
	changes []change         // since then
}

// change is what happened to names: one that is taken away, one that is set, or both.
type change struct {
	remove string
	set    string
	file   *file
}

// file is the content of a file; the lock of its disk guards it.
type file struct {
	id     uint64
	mode   uint32
	now    []byte
	synced []byte
	dirty  map[int64]bool // the sectors that were written since the last sync
}

func newDisk() *disk {
	return &disk{names: make(map[string]*file), durable: make(map[string]*file)}
}

func (d *disk) create(name string, mode uint32) *file {
	d.lastID++
	f := &file{id: d.lastID, mode: mode, dirty: make(map[int64]bool)}
	d.change(change{set: name, file: f})
	return f
}

func (d *disk) change(c change) {
	c.apply(d.names)
	d.changes = append(d.changes, c)
}

func (c change) apply(names map[string]*file) {
	delete(names, c.remove)
	if c.file != nil {
		names[c.set] = c.file
	}
}

// syncNames makes the directory durable.
func (d *disk) syncNames() { d.keepChanges(len(d.changes)) }

func (d *disk) keepChanges(n int) {
	for _, c := range d.changes[:n] {
		c.apply(d.durable)
	}
	d.changes = nil
}

// cut leaves what is durable, and some of the rest.
func (d *disk) cut(loss Loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	random := rand.New(rand.NewPCG(loss.Seed, 0))
	survives := func() bool { return random.Float64() < loss.Keep }
	kept := 0
	switch loss.Keep {
	case 0:
	case 1:
		kept = len(d.changes)
	default:
		kept = random.IntN(len(d.changes) + 1)
	}
	d.keepChanges(kept)
	clear(d.names)
	done := make(map[*file]bool)
	names := make([]string, 0, len(d.durable))
	for name := range d.durable {
		names = append(names, name)
	}
	slices.Sort(names) // so that the seed decides alone
	for _, name := range names {
		f := d.durable[name]
		if d.names[name] = f; !done[f] {
			done[f] = true
			f.cut(max(loss.Unit, Sector), survives)
		}
	}
}

func (f *file) write(data []byte, offset int64) {
	end := offset + int64(len(data))
	if end > int64(len(f.now)) {
		f.resize(end)
	}
	copy(f.now[offset:], data)
	f.touch(offset, end)
}

func (f *file) read(buffer []byte, offset int64) int {
	if offset >= int64(len(f.now)) {
		return 0
	}
	return copy(buffer, f.now[offset:])
}

// resize cuts off or adds zeros. The part that is cut off counts as written: it must not come back with the old
// content when the file grows again.
func (f *file) resize(size int64) {
	if old := int64(len(f.now)); size < old {
		f.touch(size, old)
	}
	f.now = resized(f.now, size)
}

func (f *file) touch(from, to int64) {
	for sector := from / Sector; sector*Sector < to; sector++ {
		f.dirty[sector] = true
	}
}

func (f *file) sync() {
	f.synced = resized(f.synced, int64(len(f.now)))
	for sector := range f.dirty {
		f.keep(sector)
	}
	clear(f.dirty)
}

// keep makes a sector durable, as far as the durable size goes.
func (f *file) keep(sector int64) {
	from := sector * Sector
	to := min(from+Sector, int64(len(f.synced)))
	if from >= to {
		return
	}
	n := 0
	if from < int64(len(f.now)) {
		n = copy(f.synced[from:to], f.now[from:])
	}
	clear(f.synced[from+int64(n) : to])
}

func (f *file) cut(unit int64, survives func() bool) {
	if survives() {
		f.synced = resized(f.synced, int64(len(f.now)))
	}
	sectors := make([]int64, 0, len(f.dirty))
	for sector := range f.dirty {
		sectors = append(sectors, sector)
	}
	slices.Sort(sectors)
	last, kept := int64(-1), false
	for _, sector := range sectors {
		if at := sector * Sector / unit; at != last {
			last, kept = at, survives()
		}
		if kept {
			f.keep(sector)
		}
	}
	f.now = slices.Clone(f.synced)
	clear(f.dirty)
}

// resized gives content of another size, with zeros where there was none.
func resized(content []byte, size int64) []byte {
	old := int64(len(content))
	if size <= old {
		return content[:size]
	}
	content = slices.Grow(content, int(size-old))[:size]
	clear(content[old:])
	return content
}
