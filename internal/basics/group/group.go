// Package group has a program and everything that it started end together.
package group

import "os/exec"

// Own puts a program that is to be started with a context into a group of processes of its own: an interrupt at the terminal
// does not reach it, and when the context ends, all of the group is killed. On Windows the program alone is killed.
func Own(program *exec.Cmd) { own(program) }
