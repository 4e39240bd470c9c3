package soak_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// lifeOf names the directory that a process serves.
const lifeOf = "KINTSUGI_SOAK_DIR"

// live serves a directory: it reads how far the clock is ahead, does all that is due then, and says so.
func live(dir string) {
	t := &lonely{}
	var ahead clock
	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings(), Size: 16, Logger: slog.New(slog.DiscardHandler)})
	n := open(t, dir, pool, ahead.now)
	var at int64
	for {
		if _, err := fmt.Scanln(&at); err != nil {
			break
		}
		ahead.ahead.Store(at)
		n.settle(context.Background())
		fmt.Println("settled")
	}
	n.close()
	_ = pool.Close()
}

// lonely is the test of a process that has none: what fails ends it.
type lonely struct{ testing.TB }

func (*lonely) Helper() {}

func (*lonely) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format, args...) }

func (*lonely) FailNow() { os.Exit(1) }

// serverLife is a life of the server.
type serverLife struct {
	t       *testing.T
	command *exec.Cmd
	tell    io.Writer
	heard   chan error
	said    *strings.Builder
}

func begin(t *testing.T, dir string) *serverLife {
	t.Helper()
	p := &serverLife{t: t, heard: make(chan error), said: &strings.Builder{}}
	p.command = exec.Command(os.Args[0])
	p.command.Env = append(os.Environ(), lifeOf+"="+dir)
	p.command.Stderr = p.said
	tell, err := p.command.StdinPipe()
	require.NoError(t, err)
	hear, err := p.command.StdoutPipe()
	require.NoError(t, err)
	p.tell = tell
	require.NoError(t, p.command.Start())
	go func() {
		defer close(p.heard)
		for lines := bufio.NewScanner(hear); lines.Scan(); {
			p.heard <- nil
		}
	}()
	return p
}

var errEnded = errors.New("the process ended")

// settle has it do all that is due when the clock is so far ahead, and kills it after a while, unless that is negative.
func (p *serverLife) settle(ahead int64, after time.Duration) (died bool) {
	p.t.Helper()
	var moment <-chan time.Time
	if after >= 0 {
		moment = time.After(after)
	}
	_, err := fmt.Fprintln(p.tell, ahead)
	require.NoError(p.t, err)
	select {
	case _, alive := <-p.heard:
		if !alive {
			require.NoError(p.t, errEnded, p.said)
		}
		return false
	case <-moment:
		p.kill()
		return true
	}
}

func (p *serverLife) kill() {
	_ = p.command.Process.Kill()
	for range p.heard { // what it said meanwhile
	}
	_ = p.command.Wait()
}
