package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/secret/redact"
)

// supervisorMark makes a process of this binary a supervisor: its value is the directory of the launch.
const supervisorMark = "KINTSUGI_LAUNCH_SUPERVISOR"

// mark is in the environment of all that a launch started: its value is the directory of the launch.
const mark = "KINTSUGI_LAUNCH"

// IsSupervisor says that this process is to supervise a launch, or to become its program: call [SupervisorMain] and nothing else.
func IsSupervisor() bool { return os.Getenv(supervisorMark) != "" || os.Getenv(wallMark) != "" }

// SupervisorMain supervises the launch that it is told of on its standard input, and ends the process.
func SupervisorMain() {
	if os.Getenv(wallMark) != "" {
		fmt.Fprintln(os.Stderr, "it could not be started:", becomeWalled())
		os.Exit(unableCode)
	}
	if err := supervise(os.Getenv(supervisorMark), os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "launch:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// unableCode is the exit status of a shell that cannot start a program.
const unableCode = 126

// endGrace is how long a program may take to end after it was asked to.
const endGrace = 2 * time.Second

func supervise(dir string, in io.Reader) error {
	var spec Spec
	// The process that started us may have died in the middle of the sentence: then nothing is launched.
	if err := json.NewDecoder(in).Decode(&spec); err != nil {
		return fmt.Errorf("read what is to be launched: %w", err)
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
	own, err := identify(os.Getpid())
	if err != nil {
		return err
	}
	if first, err := writeOnce(filepath.Join(dir, processFile), own); err != nil || !first {
		return err // if we are not the first, another supervisor has the launch
	}
	adoptOrphans()
	ended, err := run(dir, spec, asked)
	if err != nil {
		ended.Reason, ended.Detail = Unable, err.Error()
	}
	ended.At = time.Now().UTC()
	_, err = writeOnce(filepath.Join(dir, endedFile), ended)
	return err
}

// run runs the program and returns when it and all that it started have ended.
func run(dir string, spec Spec, asked <-chan os.Signal) (ended Ended, err error) {
	ended.Began = time.Now().UTC()
	output, err := os.OpenFile(OutputPath(dir), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return ended, err
	}
	defer func() { err = errors.Join(err, output.Close()) }()
	from, to, err := os.Pipe()
	if err != nil {
		return ended, err
	}
	defer from.Close()
	program := exec.Command(spec.Argv[0], spec.Argv[1:]...) //nolint:gosec // what people have launched
	program.Dir, program.Env = spec.Dir, append(append([]string{}, spec.Env...), mark+"="+dir)
	program.Path, err = lookPath(spec)
	if err != nil {
		return ended, errors.Join(err, to.Close())
	}
	if spec.Wall != nil && Walls() {
		self, err := os.Executable()
		if err == nil {
			program.Path, program.Args, program.Env, err = spec.Wall.behind(self, program.Path, program.Args, program.Env)
		}
		if err != nil {
			return ended, errors.Join(err, to.Close())
		}
		ended.Walled = true
	}
	program.Err = nil
	// A file, not a pipe: nobody has to read it to its end.
	input := filepath.Join(dir, inputFile)
	if err := os.WriteFile(input, []byte(spec.Stdin), 0o600); err != nil {
		return ended, errors.Join(err, to.Close())
	}
	stdin, err := os.Open(input)
	if err != nil {
		return ended, errors.Join(err, to.Close())
	}
	defer stdin.Close()
	program.Stdin, program.Stdout, program.Stderr = stdin, to, to
	inOwnGroup(program)
	err = program.Start()
	closing := to.Close() // the program has its own
	if err != nil {
		return ended, errors.Join(err, closing)
	}
	copied := make(chan error, 1)
	kept := &limitedWriter{to: output, most: spec.MaxOutput}
	safe := hidden(spec.Hide).NewWriter(kept) // before it is cut, or half of a value would be kept
	go func() {
		_, err := io.Copy(safe, from)
		copied <- errors.Join(err, safe.Flush(), kept.Close())
	}()
	gone := make(chan struct{})
	go func() {
		_ = program.Wait() // its state says how it ended
		close(gone)
	}()

	limit := time.NewTimer(spec.Timeout)
	defer limit.Stop()
	select {
	case <-gone:
		ended.Reason = Exited
	case <-limit.C:
		ended.Reason = TimedOut
	case <-asked:
		ended.Reason = Killed
	}
	if ended.Reason != Exited {
		endProgram(program.Process.Pid, gone)
	}
	if ended.Left, err = endRest(dir, program.Process.Pid); err != nil {
		return ended, err
	}
	if status, is := program.ProcessState.Sys().(syscall.WaitStatus); is {
		if ended.Code = status.ExitStatus(); status.Signaled() {
			ended.Code = int(status.Signal())
			if ended.Reason == Exited {
				ended.Reason = Signaled
			}
		}
	}
	if err := <-copied; err != nil {
		ended.Detail = "its output could not be kept: " + err.Error()
	}
	ended.Output = kept.seen
	return ended, nil
}

// hidden knows values by name, and puts the names in their place.
func hidden(values map[string]string) *redact.Redactor {
	names := map[string]string{}
	for name, value := range values {
		names[value] = "[" + name + "]"
	}
	return redact.Of(names)
}

// Reveals tells texts that have a value, in any spelling in which it would be hidden.
func Reveals(value string) func(text string) bool {
	of := hidden(map[string]string{"": value})
	return func(text string) bool { return of.Text(text) != text }
}

// lookPath finds a program along the path of its own environment, not of ours.
func lookPath(spec Spec) (string, error) {
	name := spec.Argv[0]
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(spec.Dir, name)
		}
		return name, nil
	}
	for _, variable := range spec.Env {
		list, is := strings.CutPrefix(variable, "PATH=")
		if !is {
			continue
		}
		for _, place := range filepath.SplitList(list) {
			path := filepath.Join(place, name)
			if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) {
				return path, nil
			}
		}
		return "", fmt.Errorf("there is no program %q on its PATH %s", name, list)
	}
	return "", fmt.Errorf("there is no program %q: its environment has no PATH", name)
}

// endProgram asks a program to end, and then has it ended.
func endProgram(pid int, gone <-chan struct{}) {
	_ = ask(-pid) // its end is waited for
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-gone:
		return
	case <-grace.C:
	}
	kill(-pid)
	<-gone
}
