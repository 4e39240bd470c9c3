package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Wall bounds what a program and all that it starts can reach, as far as the kernel has it (see landlock(7)): a file that it does not name
// can neither be read nor changed, and no process outside can be traced or, from Linux 6.12 on, signaled.
type Wall struct {
	// Read are files and directories that may be read and executed, Write those that may be changed, too. A path that is not there is left out.
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
	// Connect are the TCP ports that may be connected to; nil for all (Linux 6.7). UDP and unix sockets are not bounded.
	Connect []uint16 `json:"connect"`
}

// Walls says that the kernel has walls (Linux 5.19 and newer), and that they are not switched off.
func Walls() bool {
	version, err := landlocksys.LandlockGetABIVersion()
	return err == nil && version >= refers
}

// refers is the first version of the kernel's interface with which a file can be moved to another directory behind a wall.
const refers = 2

// wallMark makes a process of this binary go behind a wall and become a program: its value is the wall.
const wallMark = "KINTSUGI_LAUNCH_WALL"

// devices are those that programs expect to write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}

// stand goes behind the wall, for good.
func (w Wall) stand() error {
	rules := []landlock.Rule{landlock.RWDirs("/dev/shm").IgnoreIfMissing()}
	for _, path := range devices {
		rules = append(rules, landlock.RWFiles(path).WithIoctlDev().IgnoreIfMissing())
	}
	add := func(paths []string, files, dirs func(...string) landlock.FSRule) {
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil {
				continue
			} else if info.IsDir() {
				rules = append(rules, dirs(path).IgnoreIfMissing())
			} else {
				rules = append(rules, files(path).IgnoreIfMissing())
			}
		}
	}
	add(w.Read, landlock.ROFiles, landlock.RODirs)
	add(w.Write, landlock.RWFiles, func(paths ...string) landlock.FSRule { return landlock.RWDirs(paths...).WithRefer() })
	bounds := landlock.V7
	bounds.HandledAccessNet = 0
	if w.Connect != nil {
		bounds.HandledAccessNet = landlocksys.AccessNetConnectTCP
	}
	for _, port := range w.Connect {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	// One set of rules for all: behind a second one, for ports, no file could be moved to another directory.
	return bounds.BestEffort().Restrict(rules...)
}

// behind is a process that goes behind a wall and becomes the program then.
func (w Wall) behind(self string, path string, argv, env []string) (string, []string, []string, error) {
	text, err := json.Marshal(w)
	return self, append([]string{argv[0], path}, argv[1:]...), append(slices.Clone(env), wallMark+"="+string(text)), err
}

// becomeWalled is the main of a process that becomes a program behind a wall. It returns only if it cannot.
func becomeWalled() error {
	var wall Wall
	if err := json.Unmarshal([]byte(os.Getenv(wallMark)), &wall); err != nil {
		return fmt.Errorf("read the wall: %w", err)
	}
	runtime.LockOSThread() // what is given up is a thread's, and it is this one that becomes the program
	if err := errors.Join(giveUp(), wall.stand()); err != nil {
		return fmt.Errorf("the wall cannot be made: %w", err)
	}
	env := slices.DeleteFunc(os.Environ(), func(one string) bool { return strings.HasPrefix(one, wallMark+"=") })
	path, argv := os.Args[1], append([]string{os.Args[0]}, os.Args[2:]...)
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, argv, env)) //nolint:gosec // what people have launched
}

// Everything is all of the machine's files but those in some directories, as paths: the rules of a wall can only name what may be
// reached. A file that comes into being beside one of these directories later is not among them.
func Everything(but ...string) ([]string, error) {
	within := func(path, dir string) bool {
		return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	}
	paths := []string{"/"}
	var found []string
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		hidden, around := false, false
		for _, dir := range but {
			hidden, around = hidden || within(path, dir), around || within(dir, path)
		}
		switch {
		case hidden:
		case !around:
			found = append(found, path)
		default:
			entries, err := os.ReadDir(path)
			if err != nil {
				return nil, fmt.Errorf("launch: %w", err)
			}
			for _, entry := range entries {
				paths = append(paths, filepath.Join(path, entry.Name()))
			}
		}
	}
	return found, nil
}
