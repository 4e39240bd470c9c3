package process

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

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

// Known says that what an affinity executes next is among those that burn.
func (p *Pool) Known(affinity string) bool { return p.slotOf(affinity, "").kind == heavy }

// KeptBytes is what the worker that an affinity has kept has in memory for itself.
func (p *Pool) KeptBytes(t *testing.T, affinity string) (sum int64) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range slices.Concat(p.idle.busy, p.idle.new) {
		if one.affinity == affinity {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", one.command.Process.Pid))
			require.NoError(t, err)
			_, line, _ := strings.Cut(string(text), "Private_Dirty:")
			kilobytes, err := strconv.ParseInt(strings.Fields(line)[0], 10, 64)
			require.NoError(t, err)
			sum += kilobytes << 10
		}
	}
	return sum
}
