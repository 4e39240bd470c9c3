//go:build !linux

package process

import (
	"os"
	"syscall"
	"time"
)

// startApart only starts: a worker notices the end of the host when its input ends, not
// before the script it runs is done.
func startApart(start func(*syscall.SysProcAttr) error) ([]Wall, error) { return nil, start(nil) }

func killedBy(state *os.ProcessState) syscall.Signal {
	if state.ExitCode() < 0 {
		return syscall.SIGKILL
	}
	return 0
}

func usedProcessor(*os.ProcessState) time.Duration { return 0 }

// processor is not known.
func (p *process) processor() time.Duration { return -1 }

// yield does nothing.
func (p *process) yield() {}

func peakMemory(*os.ProcessState) int64 { return 0 }

// machineMemory is not known.
func machineMemory() int64 { return 0 }
