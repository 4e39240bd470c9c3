package automation

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Automation is a script of the kind that people have, with what the outside answered it,
// run by run. Its last run met a change of the outside that breaks the script.
type Automation struct {
	Slug   string
	Code   string
	Title  string `json:"title"`
	Intent string `json:"intent"`
	Zone   string `json:"zone"` // IANA, empty means UTC
	Runs   []Run  `json:"runs"`
	Case   Case   `json:"-"`
}

// Run is what one run was given and what it was answered.
type Run struct {
	Trigger string          `json:"trigger"`
	Input   json.RawMessage `json:"input"`
	Clock   time.Time       `json:"clock"`
	Answers []Answer        `json:"answers"`
}

// Answer is what a request gets, each time it is made.
type Answer struct {
	Method string          `json:"method"`
	URL    string          `json:"url"`
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

// Case names the change that the last run met, and what is expected of repairs.
type Case struct {
	API    string `json:"api"`
	Change string `json:"change"`
	Source string `json:"source"`
	Date   string `json:"date"`
	// SourceLookedUp says that the source was read when the case was written; else it is
	// named from memory.
	SourceLookedUp bool     `json:"source_looked_up"`
	Kind           string   `json:"kind"`
	Error          Error    `json:"error"` // of the last run
	Expected       Expected `json:"expected"`
	// TemplatesCouldFix says that the fixers without a model are expected to find a repair.
	TemplatesCouldFix bool   `json:"templates_could_fix"`
	TemplatesWhy      string `json:"templates_why"`
	Note              string `json:"note"`
}

// Error names the error that the script throws.
type Error struct {
	Name string `json:"name"`
}

// Expected is the gate's expected verdict on each script of good/ and bad/.
type Expected struct {
	Good string            `json:"good"` // of all of them; empty if nothing can be right
	Bad  map[string]string `json:"bad"`  // by file name
}

// Slugs lists the automations in files, sorted.
func Slugs(files fs.FS) ([]string, error) {
	found, err := fs.Glob(files, "*/automation.js")
	if err != nil {
		return nil, fmt.Errorf("automation: list: %w", err)
	}
	slugs := make([]string, 0, len(found))
	for _, name := range found {
		slugs = append(slugs, path.Dir(name))
	}
	slices.Sort(slugs)
	return slugs, nil
}

// Load reads one automation.
func Load(files fs.FS, slug string) (*Automation, error) {
	a := &Automation{Slug: slug}
	code, err := fs.ReadFile(files, path.Join(slug, "automation.js"))
	if err != nil {
		return nil, fmt.Errorf("automation: load %s: %w", slug, err)
	}
	a.Code = string(code)
	for name, into := range map[string]any{"runs.json": a, "case.json": &a.Case} {
		text, err := fs.ReadFile(files, path.Join(slug, name))
		if err != nil {
			return nil, fmt.Errorf("automation: load %s: %w", slug, err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("automation: load %s: %s: %w", slug, name, err)
		}
	}
	return a, nil
}

// Hosts lists the hosts that the automation asks, sorted.
func (a *Automation) Hosts() []string {
	var hosts []string
	for _, run := range a.Runs {
		for _, answer := range run.Answers {
			if u, err := url.Parse(answer.URL); err == nil {
				hosts = append(hosts, u.Host)
			}
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// At returns the automation as it would be if the outside were at base, the address of a
// [Server]: https://HOST becomes base/HOST in the code and the inputs.
func (a *Automation) At(base string) *Automation {
	local := *a
	local.Code = a.Localize(a.Code, base)
	local.Runs = slices.Clone(a.Runs)
	for i := range local.Runs {
		local.Runs[i].Input = json.RawMessage(a.Localize(string(a.Runs[i].Input), base))
	}
	return &local
}

// Localize rewrites another version of the script, or an input, as At does.
func (a *Automation) Localize(text, base string) string {
	for _, host := range a.Hosts() {
		text = strings.ReplaceAll(text, "https://"+host+"/", strings.TrimSuffix(base, "/")+"/"+host+"/")
	}
	return text
}
