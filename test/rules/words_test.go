package rules_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainDocs are the pages whose sentences begin with a subject.
var plainDocs = []string{
	"CONTRIBUTING.md", "README.md", "SECURITY.md", "testdata/field/README.md",
	"docs/api.md", "docs/approvals.md", "docs/benchmarks.md", "docs/changes.md", "docs/cli.md", "docs/events.md", "docs/guard.md", "docs/healer.md", "docs/import.md", "docs/install.md", "docs/operations.md", "docs/oracle.md", "docs/providers.md",
	"docs/repo-plans-transcript.md", "docs/repo-plans.md", "docs/README.md", "docs/safety.md", "docs/start.md", "docs/troubleshooting.md",
	"docs/decisions/README.md", "docs/decisions/coding-plans.md", "docs/decisions/delivery.md", "docs/decisions/event-log.md", "docs/decisions/gate-and-repair.md",
	"docs/decisions/interfaces.md", "docs/decisions/reactions.md", "docs/decisions/runs.md", "docs/decisions/sandbox.md", "docs/decisions/views.md",
	"docs/design.md", "docs/glossary.md",
}

// inverted begins a sentence whose subject is a clause: it is read twice before it is understood.
var inverted = regexp.MustCompile(`^(What|Who|Whoever|Whatever|Whom|Of|That|Which)\b`)

// sentence ends before the next one.
var sentence = regexp.MustCompile(`[.!?] `)

var (
	// fenced is an example in a page: code, output or a file.
	fenced = regexp.MustCompile("(?ms)^[ ]*```.*?^[ ]*```$")
	// piece begins a paragraph, a heading, an item of a list, or a cell of a table.
	piece = regexp.MustCompile(`\n\n|\n *(?:[*-]|\d+\.|#+) |^#+ |\n\||\| `)
)

// label stands before the first sentence of a paragraph, as "**Why.** ".
var label = regexp.MustCompile(`^\**[^*.]+\.\*\* `)

// badBeginning is the first sentence of a text that begins in an inverted way and is no question, or "".
func badBeginning(text string) string {
	text = label.ReplaceAllString(text, "")
	for text != "" {
		one, rest := text, ""
		if end := sentence.FindStringIndex(text); end != nil {
			one, rest = text[:end[0]+1], text[end[1]:]
		}
		if inverted.MatchString(one) && !strings.HasSuffix(one, "?") {
			return one
		}
		text = rest
	}
	return ""
}

// comments are the comments of a source, each in one line.
func comments(source string) (all []string) {
	var words []string
	for line := range strings.Lines(source + "\n\n") {
		if text, is := strings.CutPrefix(strings.TrimSpace(line), "// "); is {
			words = append(words, text)
			continue
		}
		if len(words) > 0 {
			text := strings.Join(words, " ")
			if name, rest, _ := strings.Cut(text, " "); strings.Contains(line, " "+name+"(") || strings.Contains(line, " "+name+"[") { // the own name of a function, as Of
				text = rest
			}
			all = append(all, text)
		}
		words = nil
	}
	return all
}

// Comments begin their sentences with a subject. The rooms that do not yet are listed, and the list only gets shorter.
func TestCommentsBeginWithASubject(t *testing.T) {
	t.Parallel()
	files(t, func(file string, source []byte) {
		for _, comment := range comments(string(source)) {
			if bad := badBeginning(comment); bad != "" {
				t.Errorf("%s: a sentence begins with a clause instead of a subject: %s", file, bad)
			}
		}
	})
}

// Pages for people begin their sentences with a subject, too.
func TestPagesBeginSentencesWithASubject(t *testing.T) {
	t.Parallel()
	for _, name := range plainDocs {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		for _, paragraph := range piece.Split(fenced.ReplaceAllString(string(text), ""), -1) {
			if bad := badBeginning(strings.Join(strings.Fields(strings.Trim(paragraph, "*| \n")), " ")); bad != "" {
				t.Errorf("%s: a sentence begins with a clause instead of a subject: %s", name, bad)
			}
		}
	}
}

// leftover is a line that git wrote where two changes met.
var leftover = regexp.MustCompile(`(?m)^(<{7}|>{7}) .*$`)

// A merge was ended before it was landed.
func TestNoLeftoversOfMerges(t *testing.T) {
	t.Parallel()
	look := func(path string, source []byte) {
		if found := leftover.Find(source); found != nil {
			t.Errorf("%s: %s", path, found)
		}
	}
	files(t, look)
	for _, pattern := range []string{"*.md", "Makefile", "docs/*.md", "docs/decisions/*.md", "web/src/*.ts*", "web/src/*/*.ts*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		for _, path := range found {
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			look(path, source)
		}
	}
}
