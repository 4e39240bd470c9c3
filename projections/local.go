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

// localRun is a run that is under way: only those with a clock of their own write the workflow's keys and files.
type localRun struct {
	Run  string          `col:"run,key"`
	MS   int64           `col:"ms"` // the script's clock, Unix milliseconds
	Seq  int             `col:"seq"`
	Tool string          `col:"tool"` // of the call under way, if that changes something
	Args json.RawMessage `col:"args"`
}

// localKey is a key of a workflow. Names are as JSON writes them: like a file, a name may hold what not every database
// keeps in a text.
type localKey struct {
	Workflow string          `col:"workflow,key"`
	Name     string          `col:"name,key"`
	Value    json.RawMessage `col:"value"`
}

type localFile struct {
	Workflow string `col:"workflow,key"`
	Path     string `col:"path,key"` // as a key's name
	Content  []byte `col:"content"`  // a text, of which not every database keeps each as such
	Modified int64  `col:"modified"` // the script's clock, Unix milliseconds
}

var (
	localRuns  = readmodel.NewTable[localRun]("local_run")
	localKeys  = readmodel.NewTable[localKey]("local_key")
	localFiles = readmodel.NewTable[localFile]("local_file")
)

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
		if e.ForkedAt == 0 { // a fork's keys and files are its own
			localRuns.Insert(tx, localRun{Run: e.Run, MS: e.Clock.UnixMilli()})
		}
	case run.ToolCalled:
		switch e.Tool {
		case toolSetKey, toolDeleteKey, toolWriteFile, toolAppendFile, toolRemoveFile:
			if e.From != "" {
				return nil
			}
			if one := localRuns.Edit(tx, runOf(recorded)); one != nil {
				one.Seq, one.Tool, one.Args = e.Seq, e.Tool, e.Args
			}
		}
	case run.ToolReturned:
		one := localRuns.Edit(tx, runOf(recorded))
		if one == nil {
			return nil
		}
		made := *one
		one.MS += e.MS
		if made.Tool == "" || made.Seq != e.Seq {
			return nil
		}
		one.Tool, one.Args = "", nil
		if e.Error == nil {
			return writeLocal(tx, workflowOf(recorded), made)
		}
	case run.RunEnded:
		localRuns.Delete(tx, runOf(recorded))
	}
	return nil
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

func writeLocal(tx *readmodel.Tx, workflow string, made localRun) error {
	write, err := readLocalWrite(made.Tool, made.Args)
	if err != nil {
		return err
	}
	quoted, err := json.Marshal(write.name)
	if err != nil {
		return err
	}
	name := string(quoted)
	switch made.Tool {
	case toolSetKey:
		localKeys.Insert(tx, localKey{Workflow: workflow, Name: name, Value: write.value})
	case toolDeleteKey:
		localKeys.Delete(tx, workflow, name)
	case toolWriteFile:
		localFiles.Insert(tx, localFile{Workflow: workflow, Path: name, Content: []byte(write.text), Modified: made.MS})
	case toolAppendFile:
		if file := localFiles.Edit(tx, workflow, name); file != nil {
			file.Content, file.Modified = append(file.Content, write.text...), made.MS
		} else {
			localFiles.Insert(tx, localFile{Workflow: workflow, Path: name, Content: []byte(write.text), Modified: made.MS})
		}
	default: // toolRemoveFile
		localFiles.Delete(tx, workflow, name)
	}
	return nil
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
		keys, err := readmodel.Select(query, localKeys, "WHERE workflow = ?", workflow)
		if err != nil {
			return err
		}
		name := ""
		for _, one := range keys {
			if err := json.Unmarshal([]byte(one.Name), &name); err != nil {
				return err
			}
			local.KV[name] = one.Value
		}
		files, err := readmodel.Select(query, localFiles, "WHERE workflow = ?", workflow)
		for _, one := range files {
			if err := json.Unmarshal([]byte(one.Path), &name); err != nil {
				return err
			}
			local.Files[name] = LocalFile{Text: string(one.Content), ModifiedMS: one.Modified}
		}
		return err
	})
	return local, err
}
