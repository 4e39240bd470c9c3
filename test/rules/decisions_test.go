package rules_test

import (
	"cmp"
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

// decisions is where the decisions are.
const decisions = "docs/decisions"

var (
	anchor = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	// fromElsewhere is a reference to a decision in any text of the tree, within it is a link of a page there.
	fromElsewhere = regexp.MustCompile(`\bdecisions/([\w.-]+)?(#[\w-]+)?`)
	within        = regexp.MustCompile(`\]\(([\w./-]*)(#[\w-]+)?\)`)
)

// decisionPages are the pages by name, with the anchors of each.
func decisionPages(t *testing.T) (texts map[string]string, anchors map[string][]string) {
	t.Helper()
	texts, anchors = map[string]string{}, map[string][]string{}
	entries, err := os.ReadDir(filepath.Join(root, decisions))
	require.NoError(t, err)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(root, decisions, entry.Name()))
		require.NoError(t, err)
		texts[entry.Name()] = string(text)
		for _, found := range anchor.FindAllStringSubmatch(string(text), -1) {
			anchors[entry.Name()] = append(anchors[entry.Name()], found[1])
		}
	}
	require.Greater(t, len(texts), 5, "these are not all pages")
	return texts, anchors
}

// A reference to a decision names a page and an anchor that are there: in docs, comments, settings of tools and the web page.
func TestReferencesToDecisionsResolve(t *testing.T) {
	t.Parallel()
	texts, anchors := decisionPages(t)
	found := 0
	resolves := func(from, page, at string) {
		found++
		if _, there := texts[page]; !there {
			t.Errorf("%s refers to %s/%s, and there is no such page", from, decisions, page)
			return
		}
		if at != "" && !slices.Contains(anchors[page], strings.TrimPrefix(at, "#")) {
			t.Errorf("%s refers to %s/%s%s, and the page has no such anchor", from, decisions, page, at)
		}
	}
	kinds := []string{".go", ".js", ".md", ".mjs", ".proto", ".sh", ".sql", ".ts", ".tsx", ".yaml", ".yml"}
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != root && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"bin", "dist", "node_modules"}, entry.Name())) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !slices.Contains(kinds, path.Ext(entry.Name())) && entry.Name() != "Makefile" || entry.Name() == "decisions_test.go" {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(strings.TrimPrefix(name, root+"/"))
		for _, link := range fromElsewhere.FindAllStringSubmatch(string(source), -1) {
			if link[1] != "" {
				resolves(from, link[1], link[2])
			}
		}
		return nil
	}))
	for page, text := range texts {
		for _, link := range within.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(link[1], "/") {
				resolves(decisions+"/"+page, cmp.Or(link[1], page), link[2])
			}
		}
	}
	require.Greater(t, found, 100, "these are not all references")
}

// Each decision stands on one page, with its question and its answer, and in the index.
func TestDecisionsAreInTheIndex(t *testing.T) {
	t.Parallel()
	texts, anchors := decisionPages(t)
	on := map[string]string{}
	for page, ids := range anchors {
		for _, id := range ids {
			if on[id] != "" {
				t.Errorf("decision %s is on %s and on %s", id, on[id], page)
			}
			on[id] = page
			if !strings.Contains(texts["README.md"], "("+page+"#"+id+")") {
				t.Errorf("the index of %s does not have %s#%s", decisions, page, id)
			}
		}
		for section := range strings.SplitSeq(texts[page], "\n<a id=") {
			if strings.Contains(section, "\n## ") && !(strings.Contains(section, "\n**Question.** ") && strings.Contains(section, "\n**Answer.**")) {
				t.Errorf("%s: a decision without a question or an answer: %.80s", page, section)
			}
		}
		if !slices.Contains(plainDocs, decisions+"/"+page) {
			t.Errorf("%s/%s is not in plainDocs", decisions, page)
		}
	}
}
