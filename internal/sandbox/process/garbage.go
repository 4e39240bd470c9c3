package process

import (
	"runtime/debug"
	"sync"
	"time"
)

// garbage says how often a worker collects it. Scripts are short-lived garbage. As long as there is little of it,
// collecting it often keeps a worker that waits for its next run small; of much it would take a script's time, and
// of many executions in a row a sixth of it all.
type garbage struct {
	mu      sync.Mutex
	percent int // 0 before it was set
	rest    *time.Timer
}

const (
	smallGC   = 100
	largeHeap = 16 << 20
	largeGC   = 400
	manyGC    = 1000
	// idleRest is how long a worker waits until it is made small, if there may be more to do in a moment.
	idleRest = time.Second
	// The heap of a worker that waits for its next run may take so much of the system, at once and after that: hundreds may be
	// waiting.
	largestIdle = 32 << 20
	idleHeap    = 8 << 20
)

func (g *garbage) set(percent int) {
	if g.percent != percent {
		g.percent = percent
		debug.SetGCPercent(percent)
	}
}

// many says that executions come in numbers.
func (g *garbage) many() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.set(manyGC)
}

// large says that the heap of a run is; small, that the run is over.
func (g *garbage) large() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.percent != manyGC {
		g.set(largeGC)
	}
}

func (g *garbage) small() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.percent != manyGC {
		g.set(smallGC)
	}
}

// busy says that there is something to execute, idle that there is nothing any more.
func (g *garbage) busy() {
	if g.rest != nil {
		g.rest.Stop()
	}
}

func (g *garbage) idle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch held := heldBytes(); {
	case g.percent != manyGC && held > largestIdle:
		debug.FreeOSMemory() // nobody waits for that
	case g.percent == manyGC || held > idleHeap:
		g.rest = time.AfterFunc(idleRest, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.set(smallGC)
			debug.FreeOSMemory()
		})
	}
}
