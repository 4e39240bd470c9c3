package sandbox

import "golang.org/x/sys/unix"

// Behind says that a worker that is busy has gone behind the others.
func (p *Pool) Behind() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for process := range p.busy {
		rest, err := unix.Getpriority(unix.PRIO_PGRP, process.command.Process.Pid) // 20 less the nice value
		return err == nil && 20-rest == heavyNice
	}
	return false
}
