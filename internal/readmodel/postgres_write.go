package readmodel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// pgWriter is a transaction of the session. It has no number in the server until it writes, which is at its end: a
// transaction with a number keeps the readers of an event log in the same server waiting.
type pgWriter struct {
	pgSource
	engine *pgEngine
	from   eventlog.Checkpoint
}

func (w *pgWriter) checkpoint() (at eventlog.Checkpoint, err error) {
	w.from, err = pgCheckpoint(w.ctx, w.conn)
	return w.from, err
}

// setCheckpoint moves the checkpoint if it is where this transaction saw it.
func (w *pgWriter) setCheckpoint(at eventlog.Checkpoint) error {
	done, err := w.conn.Exec(w.ctx, `UPDATE readmodel_checkpoint SET position = $1, stream = $2, revision = $3, event_id = $4
		WHERE position = $5 AND event_id = $6`, string(at.Position), at.Stream, at.Revision, at.EventID, string(w.from.Position), w.from.EventID)
	if err == nil && done.RowsAffected() == 0 {
		return errMoved
	}
	return away(err)
}

// pgTexts are the statements of a table, and the types of its columns.
type pgTexts struct {
	name                       string
	load, copy, upsert, remove string
	lookups                    map[string]string
	oids                       []uint32 // of the columns
}

var pgOIDs = [kindJSON + 1]uint32{
	kindText: pgtype.TextOID, kindInt: pgtype.Int8OID, kindFloat: pgtype.Float8OID, kindBool: pgtype.BoolOID, kindTime: pgtype.Int8OID,
	kindBytes: pgtype.ByteaOID, kindRaw: pgtype.TextOID, kindJSON: pgtype.TextOID,
}

var pgArrays = map[uint32]struct {
	oid  uint32
	name string
}{
	pgtype.TextOID: {pgtype.TextArrayOID, "text[]"}, pgtype.Int8OID: {pgtype.Int8ArrayOID, "bigint[]"}, pgtype.Float8OID: {pgtype.Float8ArrayOID, "float8[]"},
	pgtype.BoolOID: {pgtype.BoolArrayOID, "bool[]"}, pgtype.ByteaOID: {pgtype.ByteaArrayOID, "bytea[]"},
}

func pgTextsOf(t *table) *pgTexts {
	columns := t.list("")
	made := &pgTexts{name: t.name}
	for _, column := range t.columns {
		made.oids = append(made.oids, pgOIDs[column.kind])
	}
	unnest := func(columns []int) string {
		all := make([]string, len(columns))
		for n, i := range columns {
			all[n] = fmt.Sprintf("$%d::%s", n+1, pgArrays[made.oids[i]].name)
		}
		return "unnest(" + strings.Join(all, ", ") + ")"
	}
	from := "SELECT " + columns + " FROM " + t.name + " WHERE "
	made.load = from + t.some(t.key, "", " = ?", " AND ")
	made.copy = "COPY " + t.name + " (" + columns + ") FROM STDIN (FORMAT binary)"
	made.upsert = "INSERT INTO " + t.name + " (" + columns + ") SELECT * FROM " + unnest(allOf(t.columns)) + " ON CONFLICT (" + t.some(t.key, "", "", ", ") + ") DO "
	if rest := t.rest(); len(rest) > 0 {
		sets := make([]string, len(rest))
		for n, i := range rest {
			sets[n] = t.columns[i].name + " = excluded." + t.columns[i].name
		}
		made.upsert += "UPDATE SET " + strings.Join(sets, ", ")
	} else {
		made.upsert += "NOTHING"
	}
	made.remove = "DELETE FROM " + t.name + " WHERE (" + t.some(t.key, "", "", ", ") + ") IN (SELECT * FROM " + unnest(t.key) + ")"
	made.lookups = make(map[string]string, len(t.lookups))
	for _, by := range t.lookups {
		made.lookups[by.name] = from + t.some(by.columns, "", " = ?", " AND ") + " AND " + t.filled(by)
	}
	return made
}

func (w *pgWriter) load(t *table, key []any) ([]any, error) {
	found, err := w.all(t, w.engine.texts[t].load, key)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func (w *pgWriter) lookup(t *table, by index, values []any) ([][]any, error) {
	return w.all(t, w.engine.texts[t].lookups[by.name], values)
}

func (w *pgWriter) all(t *table, query string, args []any) ([][]any, error) {
	return t.collect(w.rows(query, append([]any(nil), args...)))
}

// fewRows is up to where a statement costs less than a COPY.
const fewRows = 32

func (w *pgWriter) put(t *table, rows [][]any, fresh bool) error {
	texts := w.engine.texts[t]
	if fresh && len(rows) > fewRows {
		if _, err := w.conn.PgConn().CopyFrom(w.ctx, bytes.NewReader(pgCopy(rows)), texts.copy); err != nil {
			return fmt.Errorf("write table %s: %w", t.name, away(err))
		}
		return nil
	}
	return w.arrays(t, "upsert "+t.name, texts.upsert, allOf(t.columns), rows)
}

func (w *pgWriter) remove(t *table, keys [][]any) error {
	return w.arrays(t, "remove "+t.name, w.engine.texts[t].remove, t.key, keys)
}

// arrays runs a statement, which it prepares once, with an array for each column.
func (w *pgWriter) arrays(t *table, name, query string, columns []int, rows [][]any) error {
	oids, formats := make([]uint32, len(columns)), make([]int16, len(columns))
	params := make([][]byte, len(columns))
	for n, i := range columns {
		of := w.engine.texts[t].oids[i]
		oids[n], formats[n], params[n] = pgArrays[of].oid, 1, pgArray(of, rows, n)
	}
	if w.engine.prepared[name] != w.conn {
		if _, err := w.conn.PgConn().Prepare(w.ctx, name, query, oids); err != nil {
			return fmt.Errorf("write table %s: %w", t.name, away(err))
		}
		w.engine.prepared[name] = w.conn
	}
	if _, err := w.conn.PgConn().ExecPrepared(w.ctx, name, params, formats, nil).Close(); err != nil {
		return fmt.Errorf("write table %s: %w", t.name, away(err))
	}
	return nil
}

func (w *pgWriter) reset() error {
	tables := []string{}
	for _, t := range w.engine.of.tables {
		tables = append(tables, t.name)
	}
	_, err := w.conn.Exec(w.ctx, "TRUNCATE "+strings.Join(tables, ", "))
	if err != nil {
		return away(err)
	}
	_, err = w.conn.Exec(w.ctx, "UPDATE readmodel_checkpoint SET position = '', stream = '', revision = 0, event_id = ''")
	if err == nil {
		_, err = w.conn.Exec(w.ctx, "UPDATE readmodel_generation SET state = $1", StateBuilding)
	}
	return away(err)
}

// pgCopy is rows in the format of COPY … (FORMAT binary).
func pgCopy(rows [][]any) []byte {
	b := append(make([]byte, 0, 256*len(rows)), "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	for _, row := range rows {
		b = binary.BigEndian.AppendUint16(b, uint16(len(row)))
		for _, value := range row {
			b = pgValue(b, value)
		}
	}
	return append(b, 0xff, 0xff)
}

// pgArray is one column of rows as an array in binary.
func pgArray(of uint32, rows [][]any, column int) []byte {
	b := make([]byte, 0, 20+24*len(rows))
	b = binary.BigEndian.AppendUint32(b, 1) // dimensions
	b = binary.BigEndian.AppendUint32(b, 1) // there may be NULL
	b = binary.BigEndian.AppendUint32(b, of)
	b = binary.BigEndian.AppendUint32(b, uint32(len(rows)))
	b = binary.BigEndian.AppendUint32(b, 1) // the first index
	for _, row := range rows {
		b = pgValue(b, row[column])
	}
	return b
}

// pgValue is a value in binary, with its length before it.
func pgValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return binary.BigEndian.AppendUint32(b, math.MaxUint32)
	case string:
		b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
		return append(b, v...)
	case []byte:
		b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
		return append(b, v...)
	case int64:
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), math.Float64bits(v))
	case bool:
		return appendBool(binary.BigEndian.AppendUint32(b, 1), v)
	}
	panic(fmt.Sprintf("readmodel: a %T is no plain value", value))
}
