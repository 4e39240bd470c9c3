//go:build !linux

package process

import "time"

// Outside Linux a worker has no limit that the operating system holds on its memory and
// processor time. There remains the watching inside the worker, which a single huge allocation or a loop in native code
// that starves the scheduler can escape, and the host that kills the worker when its time is up. Do not run scripts of
// strangers there.

func raiseWalls() ([]Wall, error) {
	return []Wall{{Name: "memory, processor time, files and network", Detail: "held by the operating system on Linux only"}}, nil
}

func limitMemory(int64) {}

func limitProcessor(uint64) {}

// processorTime is not known: the processor limit is not kept, the wall limit is.
func processorTime() time.Duration { return 0 }
