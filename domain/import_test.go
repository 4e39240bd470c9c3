package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/kintsugi-run/kintsugi/"

// The domain imports the standard library and itself, and of the standard library
// nothing that reaches outside the process or differs from call to call.
func TestDomainIsPure(t *testing.T) {
	t.Parallel()
	impure := []string{"os", "io/fs", "net", "context", "math/rand", "crypto/rand", "log", "sync", "syscall", "unsafe", "runtime", "database", "embed", "testing"}
	files := 0
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "internal/scenario/") {
			return nil // scenario is the tests' own
		}
		files++
		source, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(path), nil, 0)
		require.NoError(t, err)
		for _, spec := range source.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			first, _, _ := strings.Cut(name, "/")
			ours := strings.HasPrefix(name, module+"domain/")
			require.True(t, ours || !strings.Contains(first, "."), "%s imports %s", path, name)
			require.NotEqual(t, module+"domain/internal/scenario", name, path)
			if name == "net/url" || name == "net/netip" {
				continue // it reads text
			}
			require.False(t, slices.Contains(impure, first) || slices.Contains(impure, name), "%s imports %s, which is not pure", path, name)
		}
		ast.Inspect(source, func(node ast.Node) bool {
			if selector, is := node.(*ast.SelectorExpr); is {
				if pkg, is := selector.X.(*ast.Ident); is && pkg.Name == "time" {
					require.NotContains(t, []string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"},
						selector.Sel.Name, "%s calls time.%s: time is handed in", path, selector.Sel.Name)
				}
			}
			return true
		})
		return nil
	}))
	require.Greater(t, files, 20)
}
