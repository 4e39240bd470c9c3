package execution

import (
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// localKeptBytes bounds what is remembered of a workflow: one that keeps more is read from the views each time.
const localKeptBytes = 256 << 10

// locals remembers the keys and files of workflows as their newest runs on this node left them, so
// that the next run need not wait for the views. It is a cache: any doubt, and the views are asked.
type locals struct {
	newest *lru.Cache[string, localState]
}

type localState struct {
	settled int // runs of the workflow that have been settled by then
	memory  *hostcall.Memory
}

func newLocals() *locals { return &locals{lru.New[string, localState](1000)} }

// take gives the state that a run begins with. It is known if the run is the workflow's first: only runs write keys and
// files; and if the run before was this node's, and no other run has been under way since.
func (l *locals) take(id string, w workflow.State) (*hostcall.Memory, bool) {
	if w.SettledRuns() == 0 && len(w.Admitted) == 1 {
		return hostcall.NewMemory(nil, nil, 0), true
	}
	known, found := l.newest.Get(id)
	if !found || known.settled != w.SettledRuns() || len(w.Admitted) != 1 {
		return nil, false
	}
	return known.memory.Clone(), true
}

// keep remembers the state that the one run left that was under way.
func (l *locals) keep(id string, w workflow.State, memory *hostcall.Memory) {
	if len(w.Admitted) != 1 || memory.Usage().Bytes > localKeptBytes {
		l.newest.Delete(id)
		return
	}
	l.newest.Put(id, localState{settled: w.SettledRuns() + 1, memory: memory})
}
