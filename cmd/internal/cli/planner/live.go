package planner

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// listened is a model whose answers somebody watches as they come.
type listened struct {
	llm.Model
	live *live
}

// Chat implements [llm.Model].
func (m listened) Chat(ctx context.Context, request llm.Request) (llm.Answer, error) {
	m.live.turn()
	others := request.Heard
	request.Heard = func(piece llm.Delta) {
		if m.live.hear(piece); others != nil {
			others(piece)
		}
	}
	return m.Model.Chat(ctx, request)
}

// live shows a person at a terminal what a model says while it says it, and while it says nothing that
// it is at work. The text that counts is on the thread, and only what is whole: whatever else is printed meanwhile
// goes through it, and begins a line of its own. The methods of a nil live do nothing.
type live struct {
	mu       sync.Mutex
	out      io.Writer
	now      func() time.Time
	began    time.Time // of what it does now; zero while nobody works
	doing    string
	status   bool            // a line that says so is shown, to be overwritten
	said     strings.Builder // of the newest answer
	seen     map[string]bool // answers that were shown to their end
	word     strings.Builder // of it, not shown yet
	column   int
	thoughts agent.Thoughts
}

const (
	liveWidth = 98
	// livePatience is after how long nothing being said is worth a line.
	livePatience = 2 * time.Second
)

func newLive(out io.Writer) *live { return &live{out: out, now: time.Now, seen: map[string]bool{}} }

// begin says that somebody is at work, until the returned function is called.
func (l *live) begin() (end func()) {
	if l == nil {
		return func() {}
	}
	l.do("thinking")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		beat := time.NewTicker(time.Second)
		defer beat.Stop()
		for {
			select {
			case <-stop:
				return
			case <-beat.C:
				l.beat()
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		l.mu.Lock()
		defer l.mu.Unlock()
		l.began = time.Time{}
		l.fresh()
	}
}

func (l *live) do(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doing, l.began = what, l.now()
}

// beat shows that it is still at work, where no words show it.
func (l *live) beat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if took := l.now().Sub(l.began); !l.began.IsZero() && l.column == 0 && took >= livePatience {
		fmt.Fprintf(l.out, "\r\x1b[K  … %s, %d s", l.doing, int(took.Seconds()))
		l.status = true
	}
}

// turn says that another answer begins.
func (l *live) turn() {
	l.do("thinking")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[plain.Line(l.said.String())] = true
	l.said.Reset()
	l.thoughts = agent.Thoughts{}
}

// hear shows a piece of an answer.
func (l *live) hear(piece llm.Delta) {
	switch {
	case piece.Again:
		l.forget()
		l.do("asking again")
	case piece.Tool != "":
		l.do(plain.Clean(plain.Short(piece.Tool, 60)))
	case piece.Text != "":
		l.mu.Lock()
		defer l.mu.Unlock()
		text := l.thoughts.Without(piece.Text)
		if l.began = l.now(); text == "" {
			return
		}
		l.said.WriteString(text)
		for _, r := range plain.Clean(text) {
			l.show(r)
		}
	}
}

// show prints a character, with lines broken between words.
func (l *live) show(r rune) {
	if !unicode.IsSpace(r) {
		l.word.WriteRune(r)
		return
	}
	l.flush()
	if r == '\n' && l.column > 0 {
		fmt.Fprintln(l.out)
		l.column = 0
	}
}

func (l *live) flush() {
	if l.word.Len() == 0 {
		return
	}
	l.unstatus()
	size := utf8.RuneCountInString(l.word.String())
	switch {
	case l.column == 0:
	case l.column+1+size > liveWidth:
		fmt.Fprintln(l.out)
		l.column = 0
	default:
		fmt.Fprint(l.out, " ")
		l.column++
	}
	fmt.Fprint(l.out, l.word.String())
	l.column += size
	l.word.Reset()
}

func (l *live) unstatus() {
	if l.status {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.status = false
	}
}

// fresh ends the line under way.
func (l *live) fresh() {
	l.flush()
	l.unstatus()
	if l.column > 0 {
		fmt.Fprintln(l.out)
		l.column = 0
	}
}

// forget lets go of an answer that will never be whole.
func (l *live) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fresh(); l.said.Len() > 0 {
		fmt.Fprintln(l.out, "  (this broke off)")
	}
	l.said.Reset()
	l.thoughts = agent.Thoughts{}
}

// showed says that an answer was seen as it came.
func (l *live) showed(text string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh()
	text = plain.Line(text)
	return text != "" && (l.seen[text] || plain.Line(l.said.String()) == text)
}

// Write implements [io.Writer], for all that is not the model's.
func (l *live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh()
	if !l.began.IsZero() {
		l.doing, l.began = "thinking", l.now()
	}
	return l.out.Write(p)
}
