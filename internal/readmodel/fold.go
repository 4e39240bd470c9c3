package readmodel

// Tx is what a projection works on while it folds an event: the rows of its tables, through the methods of [Table].
// They do not fail: if the database does, the fold goes on with what it has, and nothing of it is kept.
type Tx struct {
	unit    *unit
	decoded any
}

// Insert adds a row, in the place of the one with its key if there is one.
func (t *Table[R]) Insert(tx *Tx, row R) {
	tx.unit.set(tx.unit.of(t.table), t.keyOf(&row), &row)
}

// Get is the row with a key, to be read only; nil if there is none.
func (t *Table[R]) Get(tx *Tx, key ...any) *R {
	e := t.entry(tx, key)
	if e == nil || e.row == nil {
		return nil
	}
	return e.row.(*R)
}

// Edit is the row with a key, to be changed, but not in its key; nil if there is none. The change is kept without any
// other word.
func (t *Table[R]) Edit(tx *Tx, key ...any) *R {
	e := t.entry(tx, key)
	if e == nil || e.row == nil {
		return nil
	}
	tx.unit.touch(e)
	return e.row.(*R)
}

// Delete removes the row with a key, if there is one.
func (t *Table[R]) Delete(tx *Tx, key ...any) {
	text := t.given(t.key, key)
	r := tx.unit.of(t.table)
	if tx.unit.cached(r, text) == nil && r.absent(text) {
		return
	}
	tx.unit.set(r, text, nil)
}

// Where is the rows that have these values in the columns of a [Lookup], to be read only, in the order of their keys.
func (t *Table[R]) Where(tx *Tx, lookup string, values ...any) []*R {
	return t.where(tx, false, lookup, values)
}

// EditWhere is [Table.Where] of rows to be changed.
func (t *Table[R]) EditWhere(tx *Tx, lookup string, values ...any) []*R {
	return t.where(tx, true, lookup, values)
}

func (t *Table[R]) where(tx *Tx, edit bool, lookup string, values []any) []*R {
	found, err := tx.unit.where(tx.unit.of(t.table), lookup, values)
	if err != nil {
		return nil
	}
	all := make([]*R, len(found))
	for i, e := range found {
		if edit {
			tx.unit.touch(e)
		}
		all[i] = e.row.(*R)
	}
	return all
}

func (t *Table[R]) entry(tx *Tx, key []any) *entry {
	e, err := tx.unit.entry(tx.unit.of(t.table), t.given(t.key, key))
	if err != nil {
		return nil
	}
	return e
}

// Next counts: it is 1 more than the last time for this name. A count is a row, so it is the same in views that are
// built anew; a position of the log is not.
func (tx *Tx) Next(name string) int64 {
	of := counters.Edit(tx, name)
	if of == nil {
		counters.Insert(tx, counter{Name: name, Last: 1})
		return 1
	}
	of.Last++
	return of.Last
}

type counter struct {
	Name string `col:"name,key"`
	Last int64  `col:"last"`
}

var counters = NewTable[counter]("readmodel_counter")

// own are the tables of this package.
var own = []*table{asides.table, counters.table}
