package lazyregexp_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// A pattern finds what the expression finds, and nothing is compiled before.
func TestAPatternIsItsExpression(t *testing.T) {
	t.Parallel()
	const text, in = `(\w)(\d+)`, "a12 b3 c"
	p, same := lazyregexp.New(text), regexp.MustCompile(text)
	require.Equal(t, text, p.String())
	require.True(t, p.MatchString(in))
	require.Equal(t, same.FindAllStringSubmatchIndex(in, -1), p.FindAllStringSubmatchIndex(in, -1))
	require.Equal(t, same.ReplaceAllString(in, "$2$1"), p.ReplaceAllString(in, "$2$1"))
	once := p.Regexp()
	require.Same(t, once, p.Regexp())
	wrong := lazyregexp.New(`(`)
	require.Panics(t, func() { wrong.MatchString(in) })
}
