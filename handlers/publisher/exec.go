package publisher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/group"
)

// program is given each event on standard input; it has taken it when it exits with 0. It is started without a shell, knows
// nothing of the server's environment, and is ended with all that it started when its time is over.
type program struct{ path string }

// programGrace is how long what a program leaves behind may hold its output.
const programGrace = time.Second

func (p program) Send(ctx context.Context, out Outgoing) (Answer, error) {
	started := exec.CommandContext(ctx, p.path)
	started.Dir, started.Env = filepath.Dir(p.path), []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "KINTSUGI_EVENT_ID=" + out.ID}
	said := &head{}
	body, _ := out.Sent()
	started.Stdin, started.Stdout, started.Stderr = bytes.NewReader(body), said, said
	started.WaitDelay = programGrace
	group.Own(started)
	err := started.Run()
	switch {
	case ctx.Err() != nil:
		return Answer{Body: said.String()}, fmt.Errorf("%s was ended: %w", p.path, context.Cause(ctx))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return Answer{Body: said.String()}, fmt.Errorf("%s: %w%s", p.path, err, said.quoted())
	}
	return Answer{Said: "it exited with 0" + said.quoted(), Body: said.String()}, nil
}

// Close implements [Sink]: nothing is kept.
func (program) Close() {}

// head keeps the beginning of what a receiver says.
type head struct{ text []byte }

// Limits of it, in bytes.
const (
	maxHead = 1 << 10 // that are kept
	maxSaid = 300     // that are said in a line
)

// Write implements [io.Writer]; it takes everything.
func (h *head) Write(b []byte) (int, error) {
	h.text = append(h.text, b[:min(len(b), maxHead-len(h.text))]...)
	return len(b), nil
}

// String is what is kept, as text that every store takes.
func (h *head) String() string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(h.text), "\uFFFD"), "\x00", "\uFFFD")
}

// quoted is fit for a line of a log or a terminal, also if an attacker wrote it.
func (h *head) quoted() string {
	text := bytes.TrimSpace(h.text[:min(len(h.text), maxSaid)])
	if len(text) == 0 {
		return ""
	}
	return fmt.Sprintf(", and said %q", text)
}
