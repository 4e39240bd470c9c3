package app

import (
	"os"
	"strconv"
	"syscall"
)

// courtesy is how much less this process is to get of the processors than others, up to 19.
const courtesy = 10

// LowerPriority lets everything else on the machine go first: people work with the server beside which views are built. On
// Linux a priority is a thread's, and new threads have that of the one that begins them.
func LowerPriority() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return // nobody is the worse for it
	}
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, courtesy) // a thread may have ended
		}
	}
}
