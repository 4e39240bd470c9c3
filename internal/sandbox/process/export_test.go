package process

import (
	"slices"
)

// Workers are the living workers of the pool that wait for work: affinity by process id.
func (p *Pool) Workers() map[int]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	workers := map[int]string{}
	idle := slices.Concat(p.idle.busy, p.idle.new)
	if p.unused != nil {
		idle = append(idle, p.unused)
	}
	for _, process := range idle {
		if process.ended() {
			continue
		}
		workers[process.command.Process.Pid] = process.affinity
	}
	return workers
}

// Busy are the process ids of the workers that run something.
func (p *Pool) Busy() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var pids []int
	for process := range p.busy {
		pids = append(pids, process.command.Process.Pid)
	}
	return pids
}

// DataFactor is what the memory limit is multiplied by under the race detector.
const DataFactor = dataFactor
