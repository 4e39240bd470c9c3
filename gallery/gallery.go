// Package gallery has automations that people begin with: scripts with recorded runs, so that they can be mended from the first
// day. The services that they ask are examples, and a person puts their own in the place of each.
package gallery

import (
	"cmp"
	"embed"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

//go:embed gallery.yaml *.json
var files embed.FS

// Entry is an automation of the gallery.
type Entry struct {
	Name     string   `yaml:"name" json:"name"`
	Title    string   `yaml:"title" json:"title"`
	Intent   string   `yaml:"-" json:"intent" doc:"What it is for"`
	Schedule string   `yaml:"schedule" json:"schedule,omitempty" doc:"When it may run; there is none for a hook"`
	Services []string `yaml:"-" json:"services" nullable:"false" doc:"The addresses of the examples that it asks"`
	Tags     []string `yaml:"tags" json:"tags" nullable:"false"`
}

var entries = sync.OnceValues(read)

// Entries are all automations, in the order of their names.
func Entries() ([]Entry, error) { return entries() }

// example is the address of a service that is nobody's: the domain is kept for examples (RFC 2606).
var example = lazyregexp.New(`https?://[a-z0-9.-]+\.example\b`)

func read() ([]Entry, error) {
	text, err := files.ReadFile("gallery.yaml")
	if err != nil {
		return nil, err
	}
	var list []Entry
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("gallery: %w", err)
	}
	for i, one := range list {
		bundle, err := one.Bundle(nil)
		if err != nil {
			continue // it is new: `make gallery` writes its runs, and a test asks for them
		}
		list[i].Intent = bundle.Workflow.Intent
		found := example.FindAllString(bundle.Script.Code, -1)
		slices.Sort(found)
		list[i].Services = slices.Compact(found)
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Bundle is the script with its recorded runs. Services has the addresses of a person's own services, by those of the examples; an
// example without one stays.
func (e Entry) Bundle(services map[string]string) (*gate.Bundle, error) {
	text, err := files.ReadFile(path.Base(e.Name) + ".json")
	if err != nil {
		return nil, fmt.Errorf("gallery: %w", err)
	}
	return gate.ReadBundle(strings.NewReader(example.ReplaceAllStringFunc(string(text), func(found string) string {
		return cmp.Or(services[found], found)
	})))
}

// Find is the automation of a name.
func Find(name string) (Entry, error) {
	list, err := Entries()
	if err != nil {
		return Entry{}, err
	}
	at := slices.IndexFunc(list, func(one Entry) bool { return one.Name == name })
	if at < 0 {
		return Entry{}, fmt.Errorf("the gallery has no %q", name)
	}
	return list[at], nil
}

// Own is [Entry.Bundle] with a person's address for each of the examples, as they wrote them.
func (e Entry) Own(written map[string]string) (*gate.Bundle, error) {
	services := map[string]string{}
	for example, address := range written {
		at, err := e.Address(example, address)
		if err != nil {
			return nil, err
		}
		services[example] = at
	}
	for _, example := range e.Services {
		if services[example] == "" {
			return nil, fmt.Errorf("%s is an example: name the address of yours", example)
		}
	}
	return e.Bundle(services)
}

// Address is what a person wrote in the place of an example.
func (e Entry) Address(example, written string) (string, error) {
	if !slices.Contains(e.Services, example) {
		return "", fmt.Errorf("%s is none of the examples of %s, which are %s", example, e.Name, strings.Join(e.Services, ", "))
	}
	return Address(written)
}

// Address is the address of a service as people write it: a scheme and a host, without a path. It may lack the scheme.
func Address(text string) (string, error) {
	if text = strings.TrimSuffix(strings.TrimSpace(text), "/"); !strings.Contains(text, "://") {
		text = "https://" + text
	}
	at, err := url.Parse(text)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.Path != "" || at.RawQuery != "" || at.User != nil {
		return "", fmt.Errorf("%q is no address of a service: write it like https://api.example.com, without a path", text)
	}
	return at.Scheme + "://" + strings.ToLower(at.Host), nil
}

// Matches says that an entry has all the words, in its name, title, purpose or tags.
func (e Entry) Matches(words []string) bool {
	text := strings.ToLower(strings.Join(append([]string{e.Name, e.Title, e.Intent}, e.Tags...), " "))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}
