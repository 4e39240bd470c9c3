package rules_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	code = regexp.MustCompile("`([^`\n]+)`")
	// aPath is a file or folder of the tree as the checklists name it: <name> and * stand for any.
	aPath = regexp.MustCompile(`^\.?[\w.<>*-]+(/[\w.<>*-]+)+$`)
	// aName is what somebody looks for in the sources: a function, a variable, a test.
	aName    = regexp.MustCompile(`^(?:\w+\.)?([A-Za-z]\w{3,})(?:\(.*\))?$`)
	aTarget  = regexp.MustCompile(`^make ([\w/-]+)`)
	anyName  = regexp.MustCompile(`<\w+>`)
	anyWord  = regexp.MustCompile(`[A-Za-z]\w{3,}`)
	packages = regexp.MustCompile(`\./[\w/.]+`)
)

// A checklist names no file, test, function or target that is not there.
func TestChecklistsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "changes.md"))
	require.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	words := wordsOfSources(t)
	there := func(name string) {
		found, err := filepath.Glob(filepath.Join(root, anyName.ReplaceAllString(name, "*")))
		require.NoError(t, err)
		if len(found) == 0 {
			t.Errorf("docs/changes.md names %s, which is not there", name)
		}
	}
	checked := 0
	for _, found := range code.FindAllStringSubmatch(string(text), -1) {
		name := found[1]
		checked++
		switch of := aName.FindStringSubmatch(name); {
		case strings.Contains(name, "go test "):
			for _, tested := range packages.FindAllString(name, -1) {
				there(tested)
			}
		case aTarget.MatchString(name):
			if target := aTarget.FindStringSubmatch(name)[1]; !strings.Contains(string(makefile), "\n"+target+":") {
				t.Errorf("docs/changes.md names make %s, which is no target", target)
			}
		case aPath.MatchString(name):
			there(name)
		case of != nil && !words[of[1]]:
			t.Errorf("docs/changes.md names %s, which no source has", name)
		}
	}
	require.Greater(t, checked, 100, "these are not all checklists")
}

// wordsOfSources are all words of four letters and more in the sources.
func wordsOfSources(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != root && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"bin", "dist", "docs", "node_modules", "testdata"}, entry.Name())) {
			return filepath.SkipDir
		}
		if !slices.Contains([]string{".go", ".ts", ".tsx"}, path.Ext(name)) || entry.Name() == "changes_test.go" {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, word := range anyWord.FindAll(source, -1) {
			if !words[string(word)] {
				words[string(word)] = true
			}
		}
		return nil
	}))
	return words
}
