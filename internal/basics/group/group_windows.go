package group

import (
	"os/exec"
	"syscall"
)

func own(program *exec.Cmd) {
	program.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
