package launch

import (
	"errors"
	"os/exec"
)

// supported says that nothing is launched here: Windows has no groups of processes that end together and outlive their parent.
func supported() error {
	return errors.New("launch: coding agents are not started on Windows; run Kintsugi in the Windows Subsystem for Linux for that")
}

func identify(pid int) (Process, error) { return Process{PID: pid}, supported() }

func (p Process) alive() bool { return false }

func adoptOrphans() {}

func endRest(string, int) (ended int, err error) { return 0, nil }

func giveUp() error { return nil }

func inOwnSession(*exec.Cmd) {}

func inOwnGroup(*exec.Cmd) {}

func ask(int) error { return supported() }

func kill(int) {}
