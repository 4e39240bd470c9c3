package lossydisk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func written(t *testing.T, size int) (*disk, *file) {
	t.Helper()
	d := newDisk()
	f := d.create("a", 0o600)
	d.syncNames()
	f.write(bytes.Repeat([]byte{1}, size), 0)
	return d, f
}

// Synced content is there after every cut; the loss decides about the rest.
func TestCut(t *testing.T) {
	t.Parallel()
	d, f := written(t, 3*Page)
	d.cut(Loss{})
	require.Empty(t, f.now, "nothing was synced")

	f.write(bytes.Repeat([]byte{1}, 3*Page), 0)
	f.sync()
	f.write([]byte{2}, Page)
	f.write([]byte{2}, 5*Page)
	d.cut(Loss{})
	require.Equal(t, bytes.Repeat([]byte{1}, 3*Page), f.now)

	f.write([]byte{2}, Page)
	f.write([]byte{2}, 5*Page)
	d.cut(Loss{Keep: 1})
	want := append(bytes.Repeat([]byte{1}, 3*Page), make([]byte, 2*Page+1)...)
	want[Page], want[5*Page] = 2, 2
	require.Equal(t, want, f.now)
	d.cut(Loss{})
	require.Equal(t, want, f.now, "what a cut left is durable")
}

// Half of what was written survives in units of a page, or torn.
func TestCutTearsPages(t *testing.T) {
	t.Parallel()
	for _, unit := range []int64{Sector, Page} {
		d, f := written(t, 64*Page)
		f.sync()
		f.write(bytes.Repeat([]byte{2}, 64*Page), 0)
		d.cut(Loss{Keep: 0.5, Unit: unit, Seed: 7})
		units := make(map[byte]int)
		torn := 0
		for at := int64(0); at < 64*Page; at += unit {
			part := f.now[at : at+unit]
			require.Equal(t, bytes.Repeat(part[:1], int(unit)), part, "a unit is there or not")
			units[part[0]]++
			if page := f.now[at/Page*Page]; page != part[0] {
				torn++
			}
		}
		require.Greater(t, units[1], 10)
		require.Greater(t, units[2], 10)
		require.Equal(t, unit == Sector, torn > 0)
	}
}

// The same seed loses the same.
func TestCutIsRepeatable(t *testing.T) {
	t.Parallel()
	cut := func() []byte {
		d, f := written(t, 16*Page)
		d.cut(Loss{Keep: 0.5, Seed: 3})
		return f.now
	}
	first := cut()
	require.Equal(t, first, cut())
}

// Names are durable when the directory is synced, and not by a sync of the file.
func TestCutNames(t *testing.T) {
	t.Parallel()
	d := newDisk()
	a := d.create("a", 0o600)
	a.write([]byte("a"), 0)
	a.sync()
	d.cut(Loss{})
	require.Empty(t, d.names)

	a = d.create("a", 0o600)
	a.write([]byte("a"), 0)
	a.sync()
	d.syncNames()
	d.change(change{remove: "a", set: "b", file: a})
	d.create("c", 0o600)
	d.change(change{remove: "b"})
	all := func() []string {
		var names []string
		for _, name := range []string{"a", "b", "c"} {
			if d.names[name] != nil {
				names = append(names, name)
			}
		}
		return names
	}
	require.Equal(t, []string{"c"}, all())
	changes := d.changes
	seen := make(map[string]bool)
	for seed := range uint64(50) {
		d.names, d.durable, d.changes = map[string]*file{}, map[string]*file{"a": a}, changes
		d.cut(Loss{Keep: 0.5, Seed: seed})
		names := ""
		for _, name := range all() {
			names += name
		}
		seen[names] = true
	}
	require.Equal(t, map[string]bool{"a": true, "b": true, "bc": true, "c": true}, seen, "some first changes, in order")
}

// Rule: a file reads as a file does, a sync followed by the loss of everything else changes nothing, and after any
// cut each byte is one of before and since the sync.
func TestFileModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := newDisk()
		f := d.create("a", 0o600)
		d.syncNames()
		var now, synced []byte
		resize := func(size int) {
			if size <= len(now) {
				now = now[:size:size]
			} else {
				now = append(now[:len(now):len(now)], make([]byte, size-len(now))...)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				at := rapid.IntRange(0, 3*Page).Draw(t, "at")
				data := rapid.SliceOfN(rapid.Byte(), 1, 2000).Draw(t, "data")
				f.write(data, int64(at))
				resize(max(len(now), at+len(data)))
				now = bytes.Clone(now)
				copy(now[at:], data)
			},
			"resize": func(t *rapid.T) {
				size := rapid.IntRange(0, 4*Page).Draw(t, "size")
				f.resize(int64(size))
				resize(size)
			},
			"sync": func(*rapid.T) {
				f.sync()
				synced = bytes.Clone(now)
			},
			"lose": func(*rapid.T) {
				d.cut(Loss{})
				now = bytes.Clone(synced)
			},
			"cut": func(t *rapid.T) {
				before := bytes.Clone(synced)
				d.cut(Loss{Keep: 0.5, Unit: Sector, Seed: rapid.Uint64().Draw(t, "seed")})
				if len(f.now) != len(before) && len(f.now) != len(now) {
					t.Fatalf("%d bytes, of %d or %d", len(f.now), len(before), len(now))
				}
				for i, b := range f.now {
					// A byte beyond the end of one of them is zero, as in a hole.
					if b != 0 && (i >= len(before) || b != before[i]) && (i >= len(now) || b != now[i]) {
						t.Fatalf("byte %d is from nowhere", i)
					}
				}
				now, synced = bytes.Clone(f.now), bytes.Clone(f.now)
			},
			"": func(t *rapid.T) {
				buffer := make([]byte, 8*Page)
				if have := buffer[:f.read(buffer, 0)]; !bytes.Equal(have, now) {
					t.Fatalf("reads %d bytes, want %d", len(have), len(now))
				}
			},
		})
	})
}
