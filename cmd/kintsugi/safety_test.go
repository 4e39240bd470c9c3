package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// named is a test as docs/safety.md names it: `package.TestName` or `package.TestName/transcript`.
var named = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.(Test[A-Za-z0-9]+)(?:/([a-z-]+))?`")

// Every line of docs/safety.md is held by a test, and every test that it names is there.
func TestDocsSafetyIsTested(t *testing.T) {
	t.Parallel()
	require.Greater(t, linesHeld(t, "../../docs/safety.md"), 30)
}

// So is what docs/providers.md says of each provider.
func TestDocsProvidersAreTested(t *testing.T) {
	t.Parallel()
	require.Greater(t, linesHeld(t, "../../docs/providers.md"), 10)
}

// linesHeld are the rows of a page's tables, each of which names a test that there is.
func linesHeld(t *testing.T, page string) (lines int) {
	t.Helper()
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "| line |") && !strings.HasPrefix(line, "| provider |") && !strings.HasPrefix(line, "|---") {
			require.Regexp(t, named, line, "no test holds this line")
			lines++
		}
	}
	tests := map[string]map[string]bool{}
	for _, name := range named.FindAllStringSubmatch(string(content), -1) {
		dir := name[1]
		if tests[dir] == nil {
			tests[dir] = testsIn(t, filepath.Join("..", "..", dir))
		}
		require.True(t, tests[dir][name[2]], "there is no %s", name[0])
		if name[3] != "" {
			of := filepath.Join("..", "..", "testdata", "transcripts")
			if strings.Contains(name[2], "Planner") {
				of = filepath.Join(of, "planner")
			}
			require.FileExists(t, filepath.Join(of, name[3]+".json"), name[0])
		}
	}
	return lines
}

var testFunction = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(t \*testing\.T\) \{`)

// testsIn are the names of the tests in a directory.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, function := range testFunction.FindAllStringSubmatch(string(text), -1) {
			found[function[1]] = true
		}
	}
	return found
}
