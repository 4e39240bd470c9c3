package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// knowCalls are the files that may name host calls, and why.
var knowCalls = map[string]string{
	"internal/sandbox/library/from.go":   "maps what n8n, Windmill, Apps Script and Node have onto calls",
	"internal/sandbox/webapi/fetch.go":   "maps the standard's fetch onto its call",
	"internal/sandbox/engine/modules.go": "says what there is in the place of packages",
	"commands/sample/story.go":           "makes up what scripts did",
}

// otherNames are what else has the name of a call, or of the object that it is called on.
var otherNames = map[string][]string{
	"ask":   {"cmd/internal/cli/planner/planner.go", "handlers/planning/talk.go", "handlers/planning/tools.go", "handlers/maintenance/fixer_model_tools.go", "domain/session/prescribe.go", "domain/workflow/unfinished.go", "internal/payload/words.go"},
	"web":   {"cmd/internal/cli/demo/demo.go"},
	"kv":    {"internal/proof/gate/bundle.go"},
	"files": {"internal/proof/gate/bundle.go", "handlers/healer/workspace.go", "cmd/internal/app/handler_queries.go", "cmd/internal/cli/bundle/transfer.go"},
}

// A host call is known by its declaration: what else there is to know of it, others ask the declaration for. A name, the object
// that it is called on, or how both begin, stands in no other text of the program.
func TestNamesOfHostCalls(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, declared := range hostcall.All() {
		names[declared.Name] = true
		if root := hostcall.Root(declared.Name); root != declared.Name {
			names[root], names[root+"."] = true, true
		}
	}
	require.Greater(t, len(names), 10)
	declarations, excused := map[string]int{}, map[string]bool{}
	files(t, func(path string, source []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			if field, is := node.(*ast.Field); is {
				field.Tag = nil
			}
			literal, is := node.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			name, _, _ := strings.Cut(text, " ")
			if !names[text] && (!names[name] || !strings.Contains(name, ".")) {
				return true
			}
			switch {
			case knowCalls[path] != "", slices.Contains(otherNames[text], path):
				excused[path] = true
			case strings.HasPrefix(path, "internal/sandbox/hostcall/"):
				if declarations[text]++; declarations[text] > 1 {
					t.Errorf("%s: %q stands in internal/sandbox/hostcall once more than in its declaration", set.Position(literal.Pos()), text)
				}
			default:
				t.Errorf("%s: knows %q: ask its declaration (hostcall.Of), or let that say what you want to know", set.Position(literal.Pos()), text)
			}
			return true
		})
	})
	for _, path := range slices.Concat(slices.Collect(maps.Keys(knowCalls)), slices.Concat(slices.Collect(maps.Values(otherNames))...)) {
		require.True(t, excused[path], "%s names no host call any more: take it from the list", path)
	}
}

// The page says of some writes in words what they do. All calls that it has words for are there.
func TestThePageNamesCallsThatAreThere(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join(root, "web", "src", "ui", "base", "value.tsx"))
	require.NoError(t, err)
	named := regexp.MustCompile(`'((?:kv|files|web)\.\w+)'`).FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, named)
	for _, one := range named {
		_, there := hostcall.Lookup(one[1])
		require.True(t, there, "there is no call %s", one[1])
	}
}
