//go:build unix

package maintenance

import (
	"os/exec"
	"syscall"
)

// inOwnGroup has a program and all its children killed together.
func inOwnGroup(program *exec.Cmd) {
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	program.Cancel = func() error { return syscall.Kill(-program.Process.Pid, syscall.SIGKILL) }
}
