package readmodel

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// unit is the unit of work: it keeps rows in memory, by key, while events are folded into them, and has what was
// changed written once, with the checkpoint. Between transactions it is a cache of rows as they are in the database, which is
// right as long as nobody else applies; whoever finds the checkpoint moved, or fails, drops it.
//
// Nothing may depend on what is in the cache: a row that was read again is the row that was kept.
type unit struct {
	stored  *lazy               // reads what is not in memory
	tables  []*rows             // by the number of their table; nil for one that was not used yet
	touched []*entry            // by the event that is folded now
	size    int                 // of all rows, about
	most    int                 // of size
	now     int                 // counts transactions
	at      eventlog.Checkpoint // that the rows in memory are of
	anew    bool                // there were no rows at all when it began
	aside   map[string]bool     // the streams that are set aside
	failed  error               // of the engine: not the event's
}

// mostCached is how much memory the rows in the cache may take, about.
const mostCached = 64 << 20

func newUnit() *unit { return &unit{most: mostCached, anew: true} }

// drop forgets everything. The database stays as of its checkpoint: empty, if there is none.
func (u *unit) drop(at eventlog.Checkpoint) {
	*u = unit{most: u.most, at: at, anew: at == eventlog.Checkpoint{}}
}

// rows is a table in memory. If all was seen that was ever put into it, what is neither in memory nor was given up is
// not in the database either: nobody needs to look, and it can be written as new.
type rows struct {
	*table
	kept  map[string]*entry
	dirty []*entry // not written yet
	seen  bool     // from when it was empty, or all of it was read
	gone  sketch   // keys of rows that were given up, and values by which lookups have them
	found []map[string]*bucket
}

// entry is a row in memory, or the knowledge that there is none.
type entry struct {
	rows    *rows
	key     string
	row     any // a pointer; nil if there is none
	stored  known
	touched bool
	dirty   bool
	lasting bool     // used by several transactions
	used    int      // by that transaction last
	by      []string // the values under which lookups have it
	size    int
}

// known is what is known of the database.
type known int8

const (
	unknown known = iota
	yes
	no
)

// bucket is the rows of a lookup with certain values.
type bucket struct {
	entries []*entry
	whole   bool // all that are in the database are here
	used    bool
}

func (u *unit) of(t *table) *rows {
	for len(u.tables) <= t.number {
		u.tables = append(u.tables, nil)
	}
	r := u.tables[t.number]
	if r == nil {
		r = &rows{table: t, kept: map[string]*entry{}, seen: u.anew}
		r.found = make([]map[string]*bucket, len(t.lookups))
		for i := range r.found {
			r.found[i] = map[string]*bucket{}
		}
		u.tables[t.number] = r
		if !r.seen {
			u.see(r)
		}
	}
	return r
}

// smallTable is how many rows a table may have that is read as a whole.
const smallTable = 64

// see reads a small table. Such are those of what is under way, in which each row comes and goes in a moment.
func (u *unit) see(r *rows) {
	err := func() error {
		stored, err := u.stored.begin()
		if err != nil {
			return err
		}
		n := 0
		for _, err := range stored.rows("SELECT 1 FROM "+r.name+" LIMIT "+strconv.Itoa(smallTable+1), nil) {
			if n++; err != nil || n > smallTable {
				return err
			}
		}
		found, err := r.collect(stored.rows("SELECT "+r.list("")+" FROM "+r.name, nil))
		for _, values := range found {
			e := &entry{rows: r, key: r.keyOfValues(values)}
			if err := e.fill(values); err != nil {
				return err
			}
			u.keep(e)
		}
		r.seen = err == nil
		return err
	}()
	if err != nil {
		u.failed = err
	}
}

// absent says that it is known that there is no row with a key in the database, if none is in memory.
func (r *rows) absent(key string) bool { return r.seen && !r.gone.has(0, key) }

// bucket is the rows that a lookup has under a value.
func (r *rows) bucket(lookup int, value string) *bucket {
	in := r.found[lookup][value]
	if in == nil {
		in = &bucket{whole: r.seen && !r.gone.has(1+lookup, value)}
		r.found[lookup][value] = in
	}
	return in
}

// cached is the entry of a key, nil if it is not in memory.
func (u *unit) cached(r *rows, key string) *entry {
	e := r.kept[key]
	if e != nil && e.used != u.now {
		e.used, e.lasting = u.now, true
	}
	return e
}

func (u *unit) keep(e *entry) {
	e.used = u.now
	e.rows.kept[e.key] = e
	u.size += e.size
}

// entry is the entry of a key, whether there is a row or not; nil if it is known that there is none.
func (u *unit) entry(r *rows, key string) (*entry, error) {
	if e := u.cached(r, key); e != nil {
		return e, nil
	}
	if r.absent(key) {
		return nil, nil
	}
	stored, err := u.stored.begin()
	if err == nil {
		var found []any
		if found, err = stored.load(r.table, r.keyValues(key)); err == nil {
			e := &entry{rows: r, key: key, stored: no, lasting: true, size: 100 + len(key)}
			if found != nil {
				err = e.fill(found)
			}
			if err == nil {
				u.keep(e)
				return e, nil
			}
		}
	}
	u.failed = err
	return nil, err
}

// fill makes an entry of what is in the database.
func (e *entry) fill(values []any) error {
	row := e.rows.newRow()
	if err := e.rows.scan(values, reflect.ValueOf(row).Elem()); err != nil {
		return err
	}
	e.row, e.stored, e.lasting, e.size = row, yes, true, sizeOf(values)
	e.rows.file(e)
	return nil
}

// touch says that an event changes the row of an entry.
func (u *unit) touch(e *entry) {
	if !e.touched {
		e.touched = true
		u.touched = append(u.touched, e)
	}
	if !e.dirty {
		e.dirty = true
		e.rows.dirty = append(e.rows.dirty, e)
	}
}

// set puts a row in the place of what is there with its key, nil for none.
func (u *unit) set(r *rows, key string, row any) {
	e := u.cached(r, key)
	if e == nil {
		e = &entry{rows: r, key: key}
		if r.absent(key) {
			e.stored = no
		}
		u.keep(e)
	}
	e.row = row
	u.touch(e)
}

// file puts an entry where lookups find it.
func (r *rows) file(e *entry) {
	if len(r.lookups) == 0 {
		return
	}
	if e.by == nil {
		e.by = make([]string, len(r.lookups))
	}
	for i, lookup := range r.lookups {
		value := ""
		if e.row != nil {
			row := reflect.ValueOf(e.row).Elem()
			if !row.Field(r.columns[lookup.columns[0]].field).IsZero() {
				value = r.textOf(row, lookup.columns)
			}
		}
		if value == e.by[i] {
			continue
		}
		if e.by[i] != "" {
			r.found[i][e.by[i]].remove(e)
		}
		if e.by[i] = value; value != "" {
			in := r.bucket(i, value)
			in.entries = append(in.entries, e)
		}
	}
}

func (b *bucket) remove(e *entry) {
	i := slices.Index(b.entries, e)
	b.entries[i] = b.entries[len(b.entries)-1]
	b.entries = b.entries[:len(b.entries)-1]
}

// where is the entries that have these values, in the order of their keys.
func (u *unit) where(r *rows, name string, given []any) ([]*entry, error) {
	i := slices.IndexFunc(r.lookups, func(one index) bool { return one.name == name })
	if i < 0 {
		panic(fmt.Sprintf("readmodel: table %s has no lookup %q", r.name, name))
	}
	if reflect.ValueOf(given[0]).IsZero() {
		return nil, nil
	}
	text := r.given(r.lookups[i].columns, given)
	for _, e := range u.touched { // their rows may have changed since
		if e.rows == r {
			r.file(e)
		}
	}
	in := r.bucket(i, text)
	if !in.whole {
		var others [][]any
		stored, err := u.stored.begin()
		if err == nil {
			others, err = stored.lookup(r.table, r.lookups[i], r.valuesOf(r.lookups[i].columns, text))
		}
		if err != nil {
			u.failed = err
			return nil, err
		}
		for _, values := range others {
			key := r.keyOfValues(values)
			if u.cached(r, key) != nil {
				continue // what is in memory is newer
			}
			e := &entry{rows: r, key: key}
			if err := e.fill(values); err != nil {
				u.failed = err
				return nil, err
			}
			u.keep(e)
		}
		in.whole = true
	}
	in.used = true
	found := slices.Clone(in.entries)
	slices.SortFunc(found, func(a, b *entry) int { return strings.Compare(a.key, b.key) })
	for _, e := range found {
		u.cached(r, e.key)
	}
	return found, nil
}

// keyOfValues is the key of a row as an engine keeps it.
func (t *table) keyOfValues(values []any) string {
	given := make([]any, len(t.key))
	for n, i := range t.key {
		given[n] = values[i]
	}
	return t.given(t.key, given)
}

// settle ends the work of one event; storable says that all texts of it can be kept as they are.
func (u *unit) settle(storable bool) {
	for _, e := range u.touched {
		if e.row != nil {
			e.rows.settle(e.row, storable)
		}
		e.rows.file(e)
		e.touched = false
	}
	u.touched = u.touched[:0]
}

// changes are rows of a table that are to be written, each once.
type changes struct {
	*table
	put  [2][][]any // those of which it is not known that they are new, and those that are
	gone [][]any    // keys
}

// changed is what is to be written for the rows in memory to be those of the database.
func (u *unit) changed() (all []changes, err error) {
	for _, r := range u.tables {
		if r == nil || len(r.dirty) == 0 {
			continue
		}
		slices.SortFunc(r.dirty, func(a, b *entry) int { return strings.Compare(a.key, b.key) })
		of, err := u.changesOf(r)
		if err != nil {
			return nil, err
		}
		all = append(all, of)
		clear(r.dirty)
		r.dirty = r.dirty[:0]
	}
	return all, nil
}

func (u *unit) changesOf(r *rows) (changes, error) {
	made := changes{table: r.table}
	for _, e := range r.dirty {
		e.dirty = false
		size := 100 + len(e.key)
		switch {
		case e.row != nil:
			if r.keyOf(e.row) != e.key {
				return made, fmt.Errorf("readmodel: a projection changed the key of a row of table %s", r.name)
			}
			values, err := r.values(e.row)
			if err != nil {
				return made, err
			}
			size = sizeOf(values)
			fresh := 0
			if e.stored == no {
				fresh = 1
			}
			made.put[fresh] = append(made.put[fresh], values)
			e.stored = yes
		case e.stored != no:
			made.gone = append(made.gone, r.keyValues(e.key))
			e.stored = no
			fallthrough
		default:
			if r.absent(e.key) {
				delete(r.kept, e.key)
				u.size -= e.size
				continue
			}
		}
		u.size += size - e.size
		e.size = size
	}
	return made, nil
}

// tryToWrite writes what is changed in the transaction that reads.
func (u *unit) tryToWrite() error {
	all, err := u.changed()
	if err != nil {
		return err
	}
	to, err := u.stored.begin()
	for _, of := range all {
		if err == nil {
			err = of.write(to)
		}
	}
	return err
}

func (c changes) write(to writer) error {
	if len(c.gone) > 0 {
		if err := to.remove(c.table, c.gone); err != nil {
			return err
		}
	}
	for fresh, rows := range c.put {
		if len(rows) == 0 {
			continue
		}
		if err := to.put(c.table, rows, fresh == 1); err != nil {
			return err
		}
	}
	return nil
}

// ages is how many ages of rows are told apart, four for twice as many transactions.
const ages = 4 * 64

// age is how long a row was not used. A row that only one transaction used belongs to something that has ended, as a rule.
func (u *unit) age(e *entry) int {
	transactions := u.now - e.used
	if !e.lasting {
		transactions = 4 + 8*transactions
	}
	return int(4 * math.Log2(float64(1+transactions)))
}

// shrink gives up the oldest rows when all of them take too much memory. Nothing is dirty.
func (u *unit) shrink() {
	u.now++
	if u.size <= u.most {
		return
	}
	var sizes [ages]int
	for e := range u.all() {
		sizes[u.age(e)] += e.size
	}
	left, oldest := 0, 0
	for oldest < ages && left+sizes[oldest] <= u.most/4*3 {
		left += sizes[oldest]
		oldest++
	}
	for e := range u.all() {
		if u.age(e) >= oldest {
			e.rows.forget(e)
		}
	}
	u.size = left
	for _, r := range u.tables {
		if r != nil {
			r.tidy()
		}
	}
}

// all is every row in memory.
func (u *unit) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, r := range u.tables {
			if r == nil {
				continue
			}
			for _, e := range r.kept {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// forget gives a row up.
func (r *rows) forget(e *entry) {
	delete(r.kept, e.key)
	if e.stored == yes {
		r.gone.add(0, e.key)
	}
	for i, value := range e.by {
		if value != "" {
			in := r.found[i][value]
			in.remove(e)
			in.whole = false
			r.gone.add(1+i, value)
		}
	}
}

// tidy gives up what is known of values that no row in memory has and nobody asked for since.
func (r *rows) tidy() {
	for _, found := range r.found {
		for value, in := range found {
			if len(in.entries) == 0 && !in.used {
				delete(found, value)
			}
			in.used = false
		}
	}
}
