package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Spec is a program that is to be launched.
type Spec struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
	// Env is its whole environment; nothing is added but the mark by which its processes are found.
	Env   []string `json:"env"`
	Stdin string   `json:"stdin,omitempty"`
	// Timeout ends it. About MaxOutput bytes of its output are kept, the beginning and the end. Both are needed.
	Timeout   time.Duration `json:"timeout"`
	MaxOutput int64         `json:"max_output"`
	// Hide are values that are not to be in the output that is kept, in no spelling: each is replaced by the name of its key.
	Hide map[string]string `json:"hide,omitempty"`
	// Wall is what the program is behind, where the kernel has walls; nil for none.
	Wall *Wall `json:"wall,omitempty"`
}

// Process is who supervises a launch.
type Process struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // when it began, as the system tells it: with the id it is one process and no other
}

// Reason is why a program ended.
type Reason string

// The reasons.
const (
	Exited   Reason = "exited"   // by itself, with its exit code
	TimedOut Reason = "timeout"  // it took longer than its time
	Killed   Reason = "killed"   // somebody had it ended
	Unable   Reason = "unable"   // it could not be started
	Lost     Reason = "lost"     // its supervisor is gone and left no word: the machine went down, or somebody killed it
	Signaled Reason = "signaled" // a signal ended it that was none of ours
)

// Ended is how a launch ended.
type Ended struct {
	Reason Reason    `json:"reason"`
	Code   int       `json:"code"` // exit code, or number of the signal
	Detail string    `json:"detail,omitempty"`
	Output int64     `json:"output"`           // bytes that it wrote
	Left   int       `json:"left,omitempty"`   // processes that it had left running, and that were ended
	Walled bool      `json:"walled,omitempty"` // it was behind a wall
	Began  time.Time `json:"began"`
	At     time.Time `json:"at"`
}

// OK says that the program ended by itself, and well.
func (e Ended) OK() bool { return e.Reason == Exited && e.Code == 0 }

// String is for people.
func (e Ended) String() string {
	switch e.Reason {
	case Exited:
		return fmt.Sprintf("it ended with exit status %d", e.Code)
	case TimedOut:
		return "it took longer than its time, and was ended"
	case Killed:
		return "it was ended"
	case Unable:
		return "it could not be started: " + e.Detail
	case Signaled:
		return fmt.Sprintf("it was ended by signal %d", e.Code)
	default:
		return "it is gone and left no word: the machine went down, or somebody ended it"
	}
}

// The files of a launch's directory.
const (
	processFile = "process.json"
	inputFile   = "input"
	outputFile  = "output"
	endedFile   = "ended.json"
)

// OutputPath is the file with what a program wrote.
func OutputPath(dir string) string { return filepath.Join(dir, outputFile) }

// Tail is the end of what a program wrote.
func Tail(dir string, most int64) (string, error) {
	file, err := os.Open(OutputPath(dir))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("launch: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("launch: %w", err)
	}
	from := max(0, info.Size()-most)
	text, err := io.ReadAll(io.NewSectionReader(file, from, info.Size()-from))
	if err != nil {
		return "", fmt.Errorf("launch: %w", err)
	}
	return string(text), nil
}

// Supervisor is the process that supervises, or supervised, a launch; false if there is none yet.
func Supervisor(dir string) (Process, bool, error) {
	return read[Process](filepath.Join(dir, processFile))
}

// Result is how a launch ended; false if that is not known.
func Result(dir string) (Ended, bool, error) { return read[Ended](filepath.Join(dir, endedFile)) }

func read[T any](path string) (value T, there bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return value, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		return value, false, fmt.Errorf("launch: %s: %w", path, err)
	}
	return value, true, nil
}

// writeOnce writes a file whole, or not at all if it is there: the first of two writers is the one who counts.
func writeOnce(path string, value any) (first bool, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return false, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return false, err
	}
	err = os.Link(file.Name(), path)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	return err == nil, err
}
