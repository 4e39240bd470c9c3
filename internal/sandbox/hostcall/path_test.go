package hostcall

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: the clean name of a file stays inside any folder it is joined to (on any operating system's own terms), and
// is its own clean name.
func FuzzCleanPath(f *testing.F) {
	for _, name := range []string{"a", "./a//b/", "..", "a/..", "../a", "/a", "a\x00", `..\a`, "C:a", "", ".", "a/./b", "...", "a/.../b", "\u2024\u2024/a", strings.Repeat("a/", 30)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean, fault := cleanPath("test", name)
		if fault != nil {
			require.Empty(t, clean)
			return
		}
		require.True(t, filepath.IsLocal(clean), "%q", clean)
		joined := path.Join("/root", clean)
		require.True(t, joined == "/root" || strings.HasPrefix(joined, "/root/"), "%q", clean)
		require.NotContains(t, strings.Split(clean, "/"), "..")
		require.NotContains(t, clean, "\x00")
		require.LessOrEqual(t, len(clean), maxPathBytes)
		again, fault := cleanPath("test", clean)
		require.Nil(t, fault)
		require.Equal(t, clean, again)
	})
}
