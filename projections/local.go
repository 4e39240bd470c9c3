package projections

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// localRun is a run that is under way: only those with a clock of their own write the workflow's keys and files.
type localRun struct {
	Run  string          `col:"run,key"`
	MS   int64           `col:"ms"` // the script's clock, Unix milliseconds
	Seq  int             `col:"seq"`
	Tool string          `col:"tool"` // of the call under way, if that changes something
	Args json.RawMessage `col:"args"`

	HoldsBack bool  `col:"holds_back"` // what it writes counts when its workflow says so
	StartMS   int64 `col:"start_ms"`   // where the script's clock started
}

// localHeld is a write that a run holds back.
type localHeld struct {
	Run  string          `col:"run,key"`
	Seq  int             `col:"seq,key"`
	MS   int64           `col:"ms"`
	Tool string          `col:"tool"`
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
	localHolds = readmodel.NewTable[localHeld]("local_held", readmodel.Lookup("run", "run"))
	localKeys  = readmodel.NewTable[localKey]("local_key")
	localFiles = readmodel.NewTable[localFile]("local_file")
)

// applyLocal folds the local writes that were journaled and came back without an error. A
// call that an earlier run's journal answered was folded when that run made it.
func applyLocal(tx *readmodel.Tx, recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case run.RunStarted:
		if e.ForkedAt == 0 { // a fork's keys and files are its own
			localRuns.Insert(tx, localRun{Run: e.Run, MS: e.Clock.UnixMilli(), StartMS: e.Clock.UnixMilli(), HoldsBack: e.HoldsBack})
		}
	case run.ToolCalled:
		if e.From != "" || hostcall.Of(e.Tool).Leaves == hostcall.AsItWas {
			return nil
		}
		if one := localRuns.Edit(tx, runOf(recorded)); one != nil {
			one.Seq, one.Tool, one.Args = e.Seq, e.Tool, e.Args
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
		held := localHeld{Run: made.Run, Seq: made.Seq, MS: made.MS, Tool: made.Tool, Args: made.Args}
		switch {
		case e.Error != nil:
		case made.HoldsBack:
			localHolds.Insert(tx, held)
		default:
			return writeLocal(tx, workflowOf(recorded), held)
		}
	case run.RunBegunAgain:
		if one := localRuns.Edit(tx, runOf(recorded)); one != nil {
			one.MS = one.StartMS
		}
		heldBack(tx, runOf(recorded), math.MaxInt)
	case workflow.RunCommitted:
		for _, one := range heldBack(tx, e.Run, e.Through) {
			if err := writeLocal(tx, workflowOf(recorded), one); err != nil {
				return err
			}
		}
	case run.RunEnded, run.ExecutionCancelled:
		if one := localRuns.Get(tx, runOf(recorded)); one != nil && one.HoldsBack {
			heldBack(tx, runOf(recorded), math.MaxInt)
		}
		localRuns.Delete(tx, runOf(recorded))
	}
	return nil
}

// heldBack takes the writes that a run holds back, in their order.
func heldBack(tx *readmodel.Tx, of string, through int) []localHeld {
	var held []localHeld
	for _, one := range localHolds.Where(tx, "run", of) {
		if one.Seq <= through {
			held = append(held, *one)
		}
	}
	slices.SortFunc(held, func(a, b localHeld) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, one := range held {
		localHolds.Delete(tx, one.Run, one.Seq)
	}
	return held
}

func writeLocal(tx *readmodel.Tx, workflow string, made localHeld) error {
	touch, err := hostcall.TouchOf(made.Tool, made.Args)
	if err != nil {
		return err
	}
	quoted, err := json.Marshal(touch.Name)
	if err != nil {
		return err
	}
	name := string(quoted)
	switch {
	case touch.Of == hostcall.Key && touch.Leaves == hostcall.Gone:
		localKeys.Delete(tx, workflow, name)
	case touch.Leaves == hostcall.Added:
		var kept json.RawMessage
		if one := localKeys.Get(tx, workflow, name); one != nil {
			kept = one.Value
		}
		if sum, ok := hostcall.Sum(kept, touch.Value); ok {
			localKeys.Insert(tx, localKey{Workflow: workflow, Name: name, Value: sum})
		}
	case touch.Of == hostcall.Key:
		localKeys.Insert(tx, localKey{Workflow: workflow, Name: name, Value: touch.Value})
	case touch.Leaves == hostcall.Gone:
		localFiles.Delete(tx, workflow, name)
	case touch.Leaves == hostcall.Behind && localFiles.Get(tx, workflow, name) != nil:
		file := localFiles.Edit(tx, workflow, name)
		file.Content, file.Modified = append(file.Content, touch.Text...), made.MS
	default:
		localFiles.Insert(tx, localFile{Workflow: workflow, Path: name, Content: []byte(touch.Text), Modified: made.MS})
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
