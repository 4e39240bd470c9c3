package failure_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

func TestOnlyTheScriptsOwnFailuresAreRepairable(t *testing.T) {
	t.Parallel()
	repairable := map[failure.Class]bool{
		failure.Logic: true, failure.Limit: true, failure.Auth: false, failure.Permission: false, failure.Network: false, failure.Internal: false,
	}
	for class, want := range repairable {
		require.Equal(t, want, class.Repairable(), class)
		require.True(t, class.Valid(), class)
	}
	require.False(t, failure.Class("").Valid())
	require.False(t, failure.Class("Logic").Valid())
}

// A script may throw anything: the kept part fits an event, and is still text.
func TestBoundedFitsAnEvent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä€𝄞", 1<<20)
	f := failure.Failure{Class: failure.Logic, Name: long, Code: long, Message: long, Stack: long, Tool: long, Body: long, Host: long, Strict: "s", Loose: "l"}
	b := f.Bounded()
	for _, text := range []string{b.Name, b.Code, b.Message, b.Stack, b.Tool, b.Body, b.Host} {
		require.LessOrEqual(t, len(text), 16<<10)
		require.True(t, utf8.ValidString(text))
		require.True(t, strings.HasSuffix(text, "…"), "the cut is said")
	}
	require.Equal(t, "s", b.Strict)
	short := failure.Failure{Class: failure.Logic, Name: "TypeError", Message: "m", Stack: "at main"}
	require.Equal(t, short, short.Bounded())
}

func TestStringIsOneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "TypeError: no map", failure.Failure{Name: "TypeError", Message: "no map\nat main"}.String())
	require.Equal(t, "no name", failure.Failure{Message: "no name"}.String())
	require.Equal(t, "TypeError", failure.Failure{Name: "TypeError"}.String())
	require.Equal(t, "logic", failure.Failure{Class: failure.Logic}.String())
}

func FuzzCut(f *testing.F) {
	f.Add("añb€", 4)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = max(most%1000, 3)
		cut := failure.Cut(text, most)
		if len(cut) > most {
			t.Fatalf("%d bytes are more than %d", len(cut), most)
		}
		if utf8.ValidString(text) && !utf8.ValidString(cut) {
			t.Fatalf("%q is no text any more", cut)
		}
		if len(text) <= most && cut != text {
			t.Fatalf("%q was cut though it fits", text)
		}
	})
}
