// Package rules_test holds all source files to the rules that a person could break without a test that fails: the
// import table, and what is not called here. They are those of .golangci.yml, of which this reads the table, so
// that they hold where the linter has not been built.
package rules_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const root = "../.."

// files calls with each Go file of the repository, by its path from the root.
func files(t *testing.T, each func(path string, source []byte)) {
	t.Helper()
	count := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		count++
		each(filepath.ToSlash(strings.TrimPrefix(path, root+"/")), source)
		return nil
	}))
	require.Greater(t, count, 400, "these are not all files")
}

// rule is a rule of depguard.
type rule struct {
	Mode  string   `yaml:"list-mode"`
	Files []string `yaml:"files"`
	Allow []string `yaml:"allow"`
	Deny  []struct {
		Pkg  string `yaml:"pkg"`
		Desc string `yaml:"desc"`
	} `yaml:"deny"`
}

// table reads the import table.
func table(t *testing.T) map[string]rule {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	require.NoError(t, err)
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]rule `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	require.NoError(t, yaml.Unmarshal(source, &config))
	rules := config.Linters.Settings.Depguard.Rules
	require.Greater(t, len(rules), 15, ".golangci.yml has no import table")
	for name, r := range rules {
		require.Contains(t, []string{"strict", "lax"}, r.Mode, name)
	}
	return rules
}

// covers says whether a rule is about a file.
func (r rule) covers(path string) bool {
	in, only := false, true
	for _, pattern := range r.Files {
		pattern, not := strings.CutPrefix(pattern, "!")
		only = only && not
		if matches(pattern, path) {
			if not {
				return false
			}
			in = true
		}
	}
	return in || only
}

func matches(pattern, path string) bool {
	switch pattern {
	case "$all":
		return true
	case "$test":
		return strings.HasSuffix(path, "_test.go")
	}
	expression := regexp.QuoteMeta(strings.TrimPrefix(pattern, "${config-path}/"))
	expression = strings.ReplaceAll(expression, `\*\*`, `.*`)
	expression = strings.ReplaceAll(expression, `\*`, `[^/]*`)
	return regexp.MustCompile("^" + expression + "$").MatchString(path)
}

// permits says whether a file that the rule is about may import a package, and if not, why not.
func (r rule) permits(imported string) (permitted bool, why string) {
	allowed, denied := 0, 0
	for _, prefix := range r.Allow {
		if stands(prefix, imported) {
			allowed = max(allowed, len(prefix))
		}
	}
	for _, one := range r.Deny {
		if stands(one.Pkg, imported) && len(one.Pkg) > denied {
			denied, why = len(one.Pkg), one.Desc
		}
	}
	if r.Mode == "strict" {
		return allowed > denied, why
	}
	return denied == 0 || allowed > denied, why
}

// stands says whether a package is what an entry of a list names: it or what is below it, or with a $ at the end only it.
func stands(entry, imported string) bool {
	if entry == "$gostd" {
		first, _, _ := strings.Cut(imported, "/")
		return !strings.Contains(first, ".")
	}
	if exact, is := strings.CutSuffix(entry, "$"); is {
		return imported == exact
	}
	return strings.HasPrefix(imported, entry)
}

// The import table of docs/design.md, "Folders".
func TestImportTable(t *testing.T) {
	t.Parallel()
	rules := table(t)
	used := map[string]bool{}
	files(t, func(path string, source []byte) {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
		require.NoError(t, err)
		for name, r := range rules {
			if !r.covers(path) {
				continue
			}
			used[name] = true
			for _, one := range parsed.Imports {
				imported, err := strconv.Unquote(one.Path.Value)
				require.NoError(t, err)
				permitted, why := r.permits(imported)
				require.True(t, permitted, "%s imports %s, which the rule %q of .golangci.yml forbids: %s", path, imported, name, why)
			}
		}
	})
	for name := range rules {
		require.True(t, used[name], "the rule %q of .golangci.yml is about no file", name)
	}
}

// The table is read as the linter reads it.
func TestImportTableIsUnderstood(t *testing.T) {
	t.Parallel()
	const own = "github.com/kintsugi-run/kintsugi/"
	rules := table(t)
	for _, test := range []struct {
		path, imported string
		permitted      bool
	}{
		{"domain/workflow/state.go", "time", true},
		{"domain/workflow/state.go", own + "domain/event", true},
		{"domain/workflow/state.go", own + "commands", false},
		{"domain/workflow/state_test.go", "pgregory.net/rapid", true},
		{"commands/append.go", own + "internal/eventlog", true},
		{"commands/append.go", own + "internal/eventlog/sqlitelog", false},
		{"commands/append.go", "pgregory.net/rapid", false},
		{"handlers/reaction.go", own + "internal/sandbox/hostcall", false},
		{"handlers/execution/run.go", own + "internal/sandbox/hostcall", true},
		{"handlers/execution/run.go", own + "handlers/planning", false},
		{"internal/proof/gate/gate.go", own + "domain/run", false},
		{"internal/proof/gate/gate.go", own + "internal/sandbox", true},
		{"internal/proof/gate/gate_test.go", "github.com/stretchr/testify/assert", false},
		{"internal/eventlog/eventlogtest/run.go", "testing", true},
		{"internal/eventlog/log.go", "testing", false},
		{"internal/eventlog/log.go", own + "cmd/internal/app", false},
		{"cmd/internal/cli/fix/fix.go", own + "cmd/internal/cli/run", false},
		{"cmd/internal/cli/fix/fix.go", own + "cmd/internal/cli/terminal", true},
		{"cmd/internal/app/fix.go", "github.com/spf13/cobra", false},
	} {
		permitted := true
		for _, r := range rules {
			if r.covers(test.path) {
				one, _ := r.permits(test.imported)
				permitted = permitted && one
			}
		}
		require.Equal(t, test.permitted, permitted, "%s imports %s", test.path, test.imported)
	}
}

// Nobody sleeps, no test is skipped, and a command writes to its own output.
func TestForbiddenCalls(t *testing.T) {
	t.Parallel()
	files(t, func(path string, source []byte) {
		test := strings.HasSuffix(path, "_test.go")
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		imports := map[string]bool{}
		for _, one := range parsed.Imports {
			imports[one.Path.Value] = true
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			called, is := node.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of, name := "", called.Sel.Name
			switch x := called.X.(type) {
			case *ast.Ident:
				of = x.Name
			case *ast.SelectorExpr:
				of = x.Sel.Name
			}
			sleeps := of == "time" && name == "Sleep"
			skips := imports[`"testing"`] && slices.Contains([]string{"t", "tb", "b", "f"}, of) && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, name)
			prints := !test && of == "fmt" && slices.Contains([]string{"Print", "Printf", "Println"}, name)
			require.False(t, sleeps || skips || prints, "%s: %s.%s: .golangci.yml, forbidigo, says what instead", set.Position(node.Pos()), of, name)
			return true
		})
	})
}

// ownFiles are where commands open files by themselves: they are about the machine that they are given on, and no server carries
// them out for somebody elsewhere.
var ownFiles = []string{
	"cmd/internal/cli/demo/", "cmd/internal/cli/example/", "cmd/internal/cli/man/", "cmd/internal/cli/selftest/", "cmd/internal/cli/serve/", "cmd/internal/cli/store/",
	"cmd/internal/cli/guide/edit.go", "cmd/internal/cli/guide/gallery.go", "cmd/internal/cli/repo/draft.go", "cmd/internal/cli/bundle/mend.go", "cmd/internal/cli/workflow/import.go",
	// Where the files of the command line itself are opened, and the helpers are.
	"cmd/internal/cli/terminal/contexts.go", "cmd/internal/cli/terminal/folder.go", "cmd/internal/cli/terminal/input.go", "cmd/internal/cli/terminal/server.go", "cmd/internal/cli/terminal/settings.go",
}

// Commands open files by the helpers of the command line: one that a server carries out for somebody elsewhere sees only what
// they sent, and writes only to them.
func TestCommandsOpenNoFiles(t *testing.T) {
	files(t, func(path string, source []byte) {
		if !strings.HasPrefix(path, "cmd/internal/cli/") || strings.HasSuffix(path, "_test.go") ||
			slices.ContainsFunc(ownFiles, func(one string) bool { return strings.HasPrefix(path, one) }) {
			return
		}
		opened := regexp.MustCompile(`\b(os\.(Open|OpenFile|OpenRoot|OpenInRoot|ReadFile|ReadDir|DirFS|Create|CreateTemp|WriteFile|Mkdir\w*|Stat|Lstat|Rename|Remove\w*)|exec\.Command\w*)\(`).Find(source)
		require.Empty(t, string(opened), "%s: open files with CLI.ReadFile, CLI.OpenFile and CLI.CreateFile", path)
	})
}

// Times that people read are those of who reads them, who may be elsewhere: commands ask a writer or a node where that is.
func TestTimesAreOfWhoReadsThem(t *testing.T) {
	t.Parallel()
	files(t, func(path string, source []byte) {
		if !strings.HasPrefix(path, "cmd/internal/") || strings.HasSuffix(path, "_test.go") || slices.Contains([]string{
			"cmd/internal/cli/terminal/table.go", "cmd/internal/cli/terminal/zone.go", // where that is said
			"cmd/internal/cli/demo/tell.go", "cmd/internal/app/node_lock.go", // of this machine
		}, path) {
			return
		}
		require.NotRegexp(t, `\btime\.Local\b|\.Local\(\)`, string(source), "%s: take terminal.Local of the writer, or Node.Zone", path)
	})
}

// All files are as gofmt writes them.
func TestFormat(t *testing.T) {
	t.Parallel()
	files(t, func(path string, source []byte) {
		formatted, err := format.Source(source)
		require.NoError(t, err, path)
		require.True(t, bytes.Equal(source, formatted), "%s: run make tidy", path)
	})
}
