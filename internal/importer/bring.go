package importer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Kinds are where scripts may come from.
var Kinds = []string{"n8n", "windmill", "apps-script", "node", "github-script", "pipedream", "cloudflare", "lambda"}

// How something of a script fares.
const (
	Kept       = "kept"         // it does here what it did there
	Wrapped    = "wrapped"      // it does something else in its place
	Impossible = "not possible" // it fails when it is reached, or was left out
)

// Note says how something of a script fares.
type Note struct {
	Fate string `json:"fate"`
	Line int    `json:"line,omitempty"` // of the file that was brought; 0 if it is about all of it
	Node string `json:"node,omitempty"` // of an n8n workflow
	Text string `json:"text"`
}

// Brought is a script that was made of one from elsewhere.
type Brought struct {
	Title  string          `json:"title,omitempty"` // as it was called there
	Script string          `json:"script"`
	Notes  []Note          `json:"notes"`
	Input  json.RawMessage `json:"input_schema,omitempty"` // a JSON schema of what main takes, if the script said it
	Cron   string          `json:"cron,omitempty"`         // when it ran there
}

// Script makes a script of a file. The error says what of the file is not understood.
func Script(kind, text string) (Brought, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	switch kind {
	case "n8n":
		return fromN8N(text)
	case "windmill":
		return fromWindmill(text)
	case "apps-script":
		return fromAppsScript(text)
	case "node":
		return fromNode(text)
	case "github-script":
		return fromGitHubScript(text)
	case "pipedream":
		return fromPipedream(text)
	case "cloudflare":
		return fromCloudflare(text)
	case "lambda":
		return fromLambda(text)
	}
	return Brought{}, fmt.Errorf("%q is none of %s", kind, strings.Join(Kinds, ", "))
}

// A sign is something in a script's text that tells how it fares.
type sign struct {
	pattern *lazyregexp.Pattern
	fate    string
	text    string // what to say; $1 is what the pattern found
}

func signOf(found, fate, text string) sign { return sign{lazyregexp.New(found), fate, text} }

var imported = lazyregexp.New(`(?:require\(|from\s+|import\s+)['"]([^'"]+)['"]`)

// notes are what the signs say of a text, and which modules of it are not there, each once, at the line where it is first.
func notes(text string, signs []sign, node string) []Note {
	var list []Note
	said := map[string]bool{}
	add := func(note Note) {
		if key := note.Fate + note.Text; !said[key] {
			said[key] = true
			list = append(list, note)
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "*") {
			continue
		}
		for _, s := range signs {
			for _, found := range s.pattern.FindAllStringSubmatchIndex(line, -1) {
				add(Note{s.fate, i + 1, node, string(s.pattern.Regexp().ExpandString(nil, s.text, line, found))})
			}
		}
		for _, found := range imported.FindAllStringSubmatch(line, -1) {
			if err := process.CheckModule(found[1]); err != nil {
				add(Note{Impossible, i + 1, node, err.Error()})
			}
		}
	}
	return list
}

// sorted puts first what is not possible.
func sorted(list []Note) []Note {
	slices.SortStableFunc(list, func(a, b Note) int {
		return slices.Index([]string{Impossible, Wrapped, Kept}, a.Fate) - slices.Index([]string{Impossible, Wrapped, Kept}, b.Fate)
	})
	return list
}

// uses are those of the names that stand in a text by themselves.
func uses(text string, names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return !regexp.MustCompile(`(^|[^\w$.])` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
	})
}

var quoted = lazyregexp.New(`["\\]`)

// inQuotes is a text as JavaScript writes it.
func inQuotes(text string) string {
	if !quoted.MatchString(text) && !strings.ContainsAny(text, "'\n\r\u2028\u2029") {
		return "'" + text + "'"
	}
	return inJSON(text)
}

// inJSON is a text, or what JSON has given, as JSON.
func inJSON(value any) string {
	made, err := json.Marshal(value)
	if err != nil {
		return "null"
	}
	return string(made)
}
