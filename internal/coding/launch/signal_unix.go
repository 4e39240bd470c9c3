//go:build unix

package launch

import (
	"errors"
	"os/exec"
	"syscall"
)

// supported says that programs can be launched here.
func supported() error { return nil }

// inOwnSession has neither a terminal nor who ends our group end a supervisor.
func inOwnSession(supervisor *exec.Cmd) { supervisor.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func inOwnGroup(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ask asks a process to end, a group of processes if the id is negative. One that is gone has done so.
func ask(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// kill ends a process, a group of processes if the id is negative.
func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) } // it may be gone
