package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const localSchema = `
CREATE TABLE local_clock (
  run TEXT PRIMARY KEY,
  ms  INTEGER NOT NULL -- the script's clock, Unix milliseconds
) WITHOUT ROWID;
CREATE TABLE local_call (
  run  TEXT NOT NULL,
  seq  INTEGER NOT NULL,
  tool TEXT NOT NULL,
  args TEXT NOT NULL,
  PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE TABLE local_key (
  workflow TEXT NOT NULL,
  key      TEXT NOT NULL,
  value    TEXT NOT NULL, -- JSON
  PRIMARY KEY (workflow, key)
) WITHOUT ROWID;
CREATE TABLE local_file (
  workflow TEXT NOT NULL,
  path     TEXT NOT NULL,
  text     TEXT NOT NULL,
  modified INTEGER NOT NULL, -- the script's clock, Unix milliseconds
  PRIMARY KEY (workflow, path)
) WITHOUT ROWID;
`

// The host calls that change a workflow's own state.
const (
	toolSetKey     = "kv.set"
	toolDeleteKey  = "kv.delete"
	toolWriteFile  = "files.write"
	toolAppendFile = "files.append"
	toolRemoveFile = "files.remove"
)

// applyLocal folds the local writes that were journaled and came back without an error. A
// call that an earlier run's journal answered was folded when that run made it.
func applyLocal(tx *readmodel.Tx, recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case run.RunStarted:
		if e.ForkedAt > 0 {
			return nil // its keys and files are its own: a write of a run without a clock counts for nothing
		}
		return exec(tx, `INSERT INTO local_clock (run, ms) VALUES (?, ?)`, e.Run, e.Clock.UnixMilli())
	case run.ToolCalled:
		switch e.Tool {
		case toolSetKey, toolDeleteKey, toolWriteFile, toolAppendFile, toolRemoveFile:
			if e.From == "" {
				return exec(tx, `INSERT INTO local_call (run, seq, tool, args) VALUES (?, ?, ?, ?)`, runOf(recorded), e.Seq, e.Tool, e.Args)
			}
		}
	case run.ToolReturned:
		return applyLocalReturn(tx, workflowOf(recorded), runOf(recorded), e)
	case run.RunEnded:
		if err := exec(tx, `DELETE FROM local_clock WHERE run = ?`, runOf(recorded)); err != nil {
			return err
		}
		return exec(tx, `DELETE FROM local_call WHERE run = ?`, runOf(recorded))
	}
	return nil
}

func applyLocalReturn(tx *readmodel.Tx, workflow, id string, e run.ToolReturned) error {
	type write struct {
		tool string
		args []byte
		ms   int64
	}
	made, local, err := readmodel.First(tx.Rows(`SELECT tool, args, ms FROM local_call JOIN local_clock USING (run)
		WHERE run = ? AND seq = ?`, id, e.Seq), func(row readmodel.Row) (write, error) {
		return write{tool: row.Text("tool"), args: row.Bytes("args"), ms: row.Int64("ms")}, nil
	})
	if err != nil {
		return err
	}
	if local {
		if err := exec(tx, `DELETE FROM local_call WHERE run = ? AND seq = ?`, id, e.Seq); err != nil {
			return err
		}
		if e.Error == nil {
			if err := writeLocal(tx, workflow, made.tool, made.args, made.ms); err != nil {
				return err
			}
		}
	}
	return exec(tx, `UPDATE local_clock SET ms = ms + ? WHERE run = ?`, e.MS, id)
}

// localWrite is a call that changes keys or files.
type localWrite struct {
	name, text string
	value      json.RawMessage
}

func readLocalWrite(tool string, encoded []byte) (localWrite, error) {
	var args []json.RawMessage
	write := localWrite{value: json.RawMessage("null")}
	err := json.Unmarshal(encoded, &args)
	if err == nil && len(args) == 0 {
		err = fmt.Errorf("no arguments")
	}
	if err == nil {
		err = json.Unmarshal(args[0], &write.name)
	}
	switch {
	case err != nil || len(args) < 2:
	case tool == toolSetKey:
		write.value = args[1]
	default:
		err = json.Unmarshal(args[1], &write.text)
	}
	if err != nil {
		return write, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	if tool != toolSetKey && tool != toolDeleteKey {
		write.name = path.Clean(write.name)
	}
	return write, nil
}

func writeLocal(tx *readmodel.Tx, workflow, tool string, encoded []byte, ms int64) error {
	write, err := readLocalWrite(tool, encoded)
	if err != nil {
		return err
	}
	name, text, value := write.name, write.text, write.value
	switch tool {
	case toolSetKey:
		return exec(tx, `INSERT INTO local_key (workflow, key, value) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET value = excluded.value`, workflow, name, value)
	case toolDeleteKey:
		return exec(tx, `DELETE FROM local_key WHERE workflow = ? AND key = ?`, workflow, name)
	case toolWriteFile:
		return exec(tx, `INSERT INTO local_file (workflow, path, text, modified) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET text = excluded.text, modified = excluded.modified`, workflow, name, text, ms)
	case toolAppendFile:
		return exec(tx, `INSERT INTO local_file (workflow, path, text, modified) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET text = text || excluded.text, modified = excluded.modified`, workflow, name, text, ms)
	default: // toolRemoveFile
		return exec(tx, `DELETE FROM local_file WHERE workflow = ? AND path = ?`, workflow, name)
	}
}

// Local is what a workflow keeps for itself: its keys and files.
type Local struct {
	KV    map[string]json.RawMessage `json:"kv"`
	Files map[string]LocalFile       `json:"files"`
}

// LocalFile is a file of a workflow.
type LocalFile struct {
	Text       string `json:"text"`
	ModifiedMS int64  `json:"modified_ms"` // Unix milliseconds of the script's clock
}

// Local is the state that a run of the workflow starts from. Wait for the end of the run
// before it.
func (q *Queries) Local(ctx context.Context, workflow string) (Local, error) {
	local := Local{KV: map[string]json.RawMessage{}, Files: map[string]LocalFile{}}
	err := q.store.Read(ctx, func(query *readmodel.Query) error {
		for row, err := range query.Rows(`SELECT key, value FROM local_key WHERE workflow = ?`, workflow) {
			if err != nil {
				return err
			}
			local.KV[row.Text("key")] = row.Bytes("value")
		}
		for row, err := range query.Rows(`SELECT path, text, modified FROM local_file WHERE workflow = ?`, workflow) {
			if err != nil {
				return err
			}
			local.Files[row.Text("path")] = LocalFile{Text: row.Text("text"), ModifiedMS: row.Int64("modified")}
		}
		return nil
	})
	return local, err
}
