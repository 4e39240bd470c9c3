package rules_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aMessage is the first cell of a row of docs/troubleshooting.md, under "Messages".
var aMessage = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// The page that goes by message has messages of the program.
func TestTroubleshootingNamesMessages(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Messages\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var all strings.Builder
	files(t, func(path string, source []byte) {
		if !strings.HasSuffix(path, "_test.go") {
			all.Write(source)
		}
	})
	messages := aMessage.FindAllStringSubmatch(section, -1)
	require.Greater(t, len(messages), 10)
	for _, message := range messages {
		for piece := range strings.SplitSeq(message[1], "…") {
			if !strings.Contains(all.String(), strings.TrimSpace(piece)) {
				t.Errorf("docs/troubleshooting.md has the message %q, and no source has %q", message[1], piece)
			}
		}
	}
}
