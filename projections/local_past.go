package projections

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// LocalOf folds the keys and files of a workflow from its history, or from a part of it: they are what
// the history up to there left.
func LocalOf(history []event.Recorded) (Local, error) {
	asRecorded(history)
	folded := newLocalFold()
	for _, recorded := range history {
		if err := folded.apply(recorded); err != nil {
			return Local{}, err
		}
	}
	return folded.local, nil
}

// asRecorded puts a history in the order of the log: runs may begin in another order than they were admitted in.
func asRecorded(history []event.Recorded) {
	slices.SortStableFunc(history, func(a, b event.Recorded) int { return strings.Compare(a.Position, b.Position) })
}

// LocalBefore is what a run found before one of its calls: what the runs until then had left, or if it
// is a fork, what the forked run had found at that point, and what the fork itself has written since.
func LocalBefore(history []event.Recorded, of string, call int) (Local, error) {
	asRecorded(history)
	stream := run.Stream(of)
	until := -1
	for i, recorded := range history {
		if recorded.Stream != stream {
			continue
		}
		if _, again := recorded.Event.(run.RunBegunAgain); again {
			until = -1
		} else if until < 0 && seqOf(recorded.Event) >= call {
			until = i
		}
	}
	if ended := slices.IndexFunc(history, func(recorded event.Recorded) bool {
		_, ended := recorded.Event.(run.RunEnded)
		_, cancelled := recorded.Event.(run.ExecutionCancelled)
		return recorded.Stream == stream && (ended || cancelled)
	}); until < 0 {
		until = ended
	}
	if until >= 0 {
		history = history[:until]
	}
	for _, recorded := range history {
		started, is := recorded.Event.(run.RunStarted)
		if !is || started.Run != of || started.ForkedAt == 0 {
			continue
		}
		found, err := LocalBefore(history, started.Forks, started.ForkedAt)
		if err != nil {
			return found, err
		}
		own := newLocalFold()
		own.local, own.clocks[of] = found, started.Clock.UnixMilli()
		for _, recorded := range history {
			if _, starts := recorded.Event.(run.RunStarted); recorded.Stream == stream && !starts {
				if err := own.apply(recorded); err != nil {
					return Local{}, err
				}
			}
		}
		return own.local, nil
	}
	folded := newLocalFold()
	for _, recorded := range history {
		if err := folded.apply(recorded); err != nil {
			return Local{}, err
		}
	}
	return folded.local, folded.commit(of, math.MaxInt) // it finds what it has written itself
}

// seqOf is the number of the call that an event makes, 0 if it makes none.
func seqOf(e event.Event) int {
	switch e := e.(type) {
	case run.ToolCalled:
		return e.Seq
	case run.ToolAnswered:
		return e.Seq
	}
	return 0
}

// localFold is [applyLocal] without tables.
type localFold struct {
	local  Local
	clocks map[string]int64 // of runs, Unix milliseconds
	calls  map[string]run.ToolCalled
	starts map[string]run.RunStarted // of runs that hold back what they write
	held   map[string][]heldCall
}

// heldCall is a write that a run holds back.
type heldCall struct {
	made run.ToolCalled
	ms   int64
}

func newLocalFold() *localFold {
	return &localFold{
		local:  Local{KV: map[string]json.RawMessage{}, Files: map[string]LocalFile{}},
		clocks: map[string]int64{}, calls: map[string]run.ToolCalled{},
		starts: map[string]run.RunStarted{}, held: map[string][]heldCall{},
	}
}

func (f *localFold) apply(recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case run.RunStarted:
		if e.ForkedAt == 0 {
			f.clocks[e.Run] = e.Clock.UnixMilli()
		}
		if e.HoldsBack {
			f.starts[e.Run] = e
		}
	case run.ToolAnswered:
		for _, part := range e.Parts() {
			recorded.Event = part
			if err := f.apply(recorded); err != nil {
				return err
			}
		}
	case run.ToolCalled:
		f.calls[runOf(recorded)] = e // one that changes keys or files has its answer next
	case run.ToolReturned:
		of := runOf(recorded)
		made, clock := f.calls[of], f.clocks[of]
		if _, counts := f.clocks[of]; !counts {
			return nil
		}
		f.clocks[of] += e.MS
		if made.Seq != e.Seq || made.From != "" || e.Error != nil {
			return nil
		}
		if _, holds := f.starts[of]; holds {
			f.held[of] = append(f.held[of], heldCall{made, clock})
			return nil
		}
		return f.write(made, clock)
	case run.RunBegunAgain:
		of := runOf(recorded)
		f.clocks[of], f.held[of] = f.starts[of].Clock.UnixMilli(), nil
	case workflow.RunCommitted:
		return f.commit(e.Run, e.Through)
	case run.RunEnded, run.ExecutionCancelled:
		delete(f.held, runOf(recorded))
		delete(f.clocks, runOf(recorded))
		delete(f.calls, runOf(recorded))
	}
	return nil
}

// commit makes count what a run has held back.
func (f *localFold) commit(of string, through int) error {
	for len(f.held[of]) > 0 && f.held[of][0].made.Seq <= through {
		if err := f.write(f.held[of][0].made, f.held[of][0].ms); err != nil {
			return err
		}
		f.held[of] = f.held[of][1:]
	}
	return nil
}

func (f *localFold) write(made run.ToolCalled, ms int64) error {
	if hostcall.Of(made.Tool).Leaves == hostcall.AsItWas {
		return nil
	}
	touch, err := hostcall.TouchOf(made.Tool, made.Args)
	if err != nil {
		return err
	}
	switch file := (LocalFile{Text: touch.Text, ModifiedMS: ms}); {
	case touch.Of == hostcall.Key && touch.Leaves == hostcall.Gone:
		delete(f.local.KV, touch.Name)
	case touch.Leaves == hostcall.Added:
		if sum, ok := hostcall.Sum(f.local.KV[touch.Name], touch.Value); ok {
			f.local.KV[touch.Name] = sum
		}
	case touch.Of == hostcall.Key:
		f.local.KV[touch.Name] = touch.Value
	case touch.Leaves == hostcall.Gone:
		delete(f.local.Files, touch.Name)
	case touch.Leaves == hostcall.Behind:
		file.Text = f.local.Files[touch.Name].Text + file.Text
		fallthrough
	default:
		f.local.Files[touch.Name] = file
	}
	return nil
}
