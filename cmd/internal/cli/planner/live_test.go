package planner

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// words lets a model say something, piece by piece.
func words(l *live, pieces ...string) {
	for _, piece := range pieces {
		l.hear(llm.Delta{Text: piece})
	}
}

// Words are shown as they come, whole, and broken between them; whatever else is printed has lines of
// its own.
func TestWordsAreShownAsTheyCome(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := newLive(&out)
	l.turn()
	words(l, "Let m", "e see.\nIt ", "is ", "there")
	require.Equal(t, "Let me see.\nIt is", out.String(), "a word that may go on waits")
	_, err := l.Write([]byte("  · save\n"))
	require.NoError(t, err)
	require.Equal(t, "Let me see.\nIt is there\n  · save\n", out.String())
	require.True(t, l.showed("Let me see.\nIt is there\n"))
	l.turn()
	words(l, "More.\x1b[2J")
	require.True(t, l.showed("Let me see. It is there"), "also when the next one has begun")
	require.False(t, l.showed("Something else"))
	require.False(t, l.showed(""))
	require.NotContains(t, out.String(), "\x1b")
	out.Reset()
	l.turn()
	for range 30 {
		words(l, "abcdefghi ")
	}
	require.Equal(t, 3, bytes.Count(out.Bytes(), []byte("\n")), out.String())
	require.False(t, (*live)(nil).showed("x"))
}

// An answer that broke off was never said: what is asked again is another one.
func TestABrokenOffAnswerIsVoid(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := newLive(&out)
	l.turn()
	words(l, "half of it ")
	l.hear(llm.Delta{Again: true})
	words(l, "whole")
	require.True(t, l.showed("whole"))
	require.Equal(t, "half of it\n  (this broke off)\nwhole\n", out.String())
	require.False(t, l.showed("half of it whole"))
}

// While nothing is said there is a sign of life, which is taken away again.
func TestASignOfLife(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := newLive(&out)
	at := time.Unix(0, 0)
	l.now = func() time.Time { return at }
	l.beat()
	require.Empty(t, out.String(), "nobody is at work")
	l.turn()
	l.beat()
	require.Empty(t, out.String(), "nobody has waited yet")
	at = at.Add(12 * time.Second)
	l.beat()
	require.Equal(t, "\r\x1b[K  … thinking, 12 s", out.String())
	out.Reset()
	l.hear(llm.Delta{Thinking: true})
	words(l, "Here. ")
	require.Equal(t, "\r\x1b[KHere.", out.String())
	out.Reset()
	at = at.Add(12 * time.Second)
	l.beat()
	require.Empty(t, out.String(), "words are sign enough")
	l.hear(llm.Delta{Tool: "save"})
	_, err := l.Write([]byte("  · dry_run\n"))
	require.NoError(t, err)
	l.hear(llm.Delta{Tool: "save\x1b"})
	at = at.Add(3 * time.Second)
	l.beat()
	require.Equal(t, "\n  · dry_run\n\r\x1b[K  … save\ufffd, 3 s", out.String())
}
