package rules_test

import (
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aTest is the beginning of a test.
var aTest = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// `make test` runs the tests of some files under the race detector alone, and knows them by name: a test of the same name in a package
// that is not run under the race detector would be left out.
func TestRacedTestsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "make", "-s", "raced")
	list.Dir = root
	text, err := list.Output()
	require.NoError(t, err)
	raced := strings.Fields(string(text))
	require.NotEmpty(t, raced)
	rooms, names := map[string]bool{}, map[string]string{}
	sources := map[string][]byte{}
	files(t, func(name string, source []byte) { sources[name] = source })
	for _, file := range raced {
		rooms[path.Dir(file)] = true
		require.Contains(t, sources, file)
		for _, test := range aTest.FindAllSubmatch(sources[file], -1) {
			names[string(test[1])] = file
		}
	}
	for file, source := range sources {
		for _, test := range aTest.FindAllSubmatch(source, -1) {
			if of := names[string(test[1])]; of != "" && !rooms[path.Dir(file)] {
				t.Errorf("%s of %s would not be run: %s has a test of the same name, which is run under the race detector alone. Give it another name", test[1], file, of)
			}
		}
	}
}
