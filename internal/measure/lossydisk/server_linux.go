package lossydisk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// directoryVariable tells a process to serve a disk, and where.
const directoryVariable = "KINTSUGI_LOSSYDISK"

// Child is called first thing in TestMain. In a process that [Mount] started it serves
// the disk and never returns; in every other it does nothing.
func Child() {
	dir, ordered := os.LookupEnv(directoryVariable)
	if !ordered {
		return
	}
	// The input ends when the test does, in whatever way; until then the disk stays.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if err := serve(dir, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve mounts a new disk and cuts its power for each [Loss] that it reads, until there is no more.
func serve(dir string, orders io.Reader, answers io.Writer) error {
	d := newDisk()
	server, err := d.mount(dir)
	if err != nil {
		return err
	}
	answer := json.NewEncoder(answers)
	if err := answer.Encode(""); err != nil {
		return errors.Join(err, server.Unmount())
	}
	for decoder := json.NewDecoder(orders); ; {
		var loss Loss
		if err := decoder.Decode(&loss); err != nil {
			if err := unmount(server); err != nil {
				detach(dir)
			}
			return nil
		}
		outcome := ""
		// Unmounting drops the kernel's cache of the files.
		if err := unmount(server); err != nil {
			outcome = fmt.Sprintf("a file of it is still open: %v", err)
		} else {
			d.cut(loss)
			if server, err = d.mount(dir); err != nil {
				return err
			}
		}
		if err := answer.Encode(outcome); err != nil {
			return errors.Join(err, server.Unmount())
		}
	}
}

// patience is how long an open file may keep a disk from being unmounted. A process that is just
// being started has for a moment the open files of the one that starts it.
const patience = 5 * time.Second

func unmount(server *fuse.Server) error {
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		if err := server.Unmount(); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// detach takes a mount away whatever uses it.
func detach(dir string) {
	if syscall.Unmount(dir, syscall.MNT_DETACH) != nil {
		_ = exec.Command("fusermount3", "-u", "-z", dir).Run()
	}
}

// Mounted is a disk that is mounted.
type Mounted struct {
	dir     string
	command *exec.Cmd
	orders  io.WriteCloser
	answers *json.Decoder
	stderr  strings.Builder
}

// Mount mounts a new, empty disk on a directory. It returns [ErrNoFUSE] where that is not possible.
// It is another process that serves the disk: a page fault in shared memory, which SQLite's write-ahead
// log has, stops a thread of Go without the scheduler's knowledge, and could wait for itself.
func Mount(dir string) (*Mounted, error) {
	if _, ordered := os.LookupEnv(directoryVariable); ordered {
		// Each would start the next for ever.
		return nil, errors.New("lossydisk: this process should serve a disk and runs tests instead: call lossydisk.Child in TestMain")
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("lossydisk: mount: %w", err)
	}
	if file, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoFUSE, err)
	} else if err := file.Close(); err != nil {
		return nil, err
	}
	if err := detachStale(); err != nil {
		return nil, err
	}
	m := &Mounted{dir: dir, command: exec.Command(os.Args[0], "-test.run=^$")}
	m.command.Env = append(os.Environ(), directoryVariable+"="+dir)
	m.command.Stderr = &m.stderr
	answers, err := m.command.StdoutPipe()
	if err == nil {
		m.orders, err = m.command.StdinPipe()
	}
	if err == nil {
		err = m.command.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("lossydisk: start the process that serves it: %w", err)
	}
	m.answers = json.NewDecoder(answers)
	if err := m.answer(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoFUSE, errors.Join(err, m.Close()))
	}
	return m, nil
}

// Cut cuts the power: what is in the directory afterwards is what survived. No file of it may be open.
func (m *Mounted) Cut(loss Loss) error {
	if err := json.NewEncoder(m.orders).Encode(loss); err != nil {
		return fmt.Errorf("lossydisk: cut the power of %s: %w", m.dir, err)
	}
	if err := m.answer(); err != nil {
		return fmt.Errorf("lossydisk: cut the power of %s: %w", m.dir, err)
	}
	return nil
}

func (m *Mounted) answer() error {
	var outcome string
	if err := m.answers.Decode(&outcome); err != nil {
		return err
	}
	if outcome != "" {
		return errors.New(outcome)
	}
	return nil
}

// Close unmounts the disk and forgets it.
func (m *Mounted) Close() error {
	err := m.orders.Close()
	if waitErr := m.command.Wait(); waitErr != nil {
		err = errors.Join(err, fmt.Errorf("%w %s", waitErr, m.stderr.String()))
	}
	if err != nil {
		return fmt.Errorf("lossydisk: close %s: %w", m.dir, err)
	}
	return nil
}

// detachStale takes mounts away whose process was killed, which nobody can use.
func detachStale() error {
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	defer mounts.Close()
	lines := bufio.NewScanner(mounts)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if !strings.Contains(lines.Text(), " - fuse."+fileSystem+" ") || len(fields) < 5 {
			continue
		}
		// Statfs asks the process that serves the mount; what Stat says can be remembered by the kernel.
		if err := syscall.Statfs(fields[4], new(syscall.Statfs_t)); errors.Is(err, syscall.ENOTCONN) {
			detach(fields[4])
		}
	}
	return lines.Err()
}
