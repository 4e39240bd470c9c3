package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// identify says which process has an id now.
func identify(pid int) (Process, error) {
	stat, err := readStat(pid)
	if err != nil {
		return Process{}, fmt.Errorf("launch: process %d: %w", pid, err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Process{}, fmt.Errorf("launch: %w", err)
	}
	return Process{PID: pid, Start: stat.start + "@" + strings.TrimSpace(string(boot))}, nil
}

// alive says that this very process is there, and no zombie.
func (p Process) alive() bool {
	if p.PID <= 0 {
		return false
	}
	now, err := identify(p.PID)
	if err != nil || now != p {
		return false
	}
	stat, err := readStat(p.PID)
	return err == nil && stat.state != "Z" && stat.state != "X"
}

type stat struct {
	state, start  string
	parent, group int
}

// readStat reads what the system knows of a process. Its name may have anything in it, and stands in brackets.
func readStat(pid int) (stat, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("%q is no state of a process", text)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return stat{}, err
	}
	group, err := strconv.Atoi(fields[2])
	return stat{state: fields[0], parent: parent, group: group, start: fields[19]}, err
}

// adoptOrphans makes this process the parent of what its descendants leave behind: a daemon stays in sight.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endRest ends all processes of a launch but this one: those in the group of its program, those that have its mark, and,
// for its supervisor, all that descend from it. It returns how many there were.
func endRest(dir string, group int) (ended int, err error) {
	self := os.Getpid()
	seen := map[Process]bool{}
	for deadline := time.Now().Add(endGrace); ; {
		left, err := members(dir, group, self)
		if err != nil {
			return len(seen), err
		}
		for group != 0 { // what became ours is ours to bury
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
		if len(left) == 0 {
			return len(seen), nil
		}
		for _, process := range left {
			seen[process] = true
			kill(process.PID)
		}
		if time.Now().After(deadline) {
			return len(seen), errors.New("it left processes running that cannot be ended")
		}
		pause := time.NewTimer(lookFirst)
		<-pause.C
	}
}

// members are the living processes of a launch but this one.
func members(dir string, group, self int) ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	marked := []byte("\x00" + mark + "=" + dir + "\x00")
	stats, parents := map[int]stat{}, map[int]int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if one, err := readStat(pid); err == nil && one.state != "Z" && one.state != "X" {
			stats[pid], parents[pid] = one, one.parent
		}
	}
	var found []Process
	for pid, one := range stats {
		if pid == self {
			continue
		}
		in := group != 0 && (one.group == group || descends(pid, self, parents))
		if !in {
			environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
			in = err == nil && bytes.Contains(append([]byte{0}, environ...), marked)
		}
		if in {
			found = append(found, Process{PID: pid, Start: one.start})
		}
	}
	return found, nil
}

func descends(pid, from int, parents map[int]int) bool {
	for range len(parents) {
		parent, known := parents[pid]
		if !known || parent <= 1 {
			return false
		}
		if parent == from {
			return true
		}
		pid = parent
	}
	return false
}
