package library

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/mmcdole/gofeed"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "rss", Exports: []string{"parse"}, Origin: "github.com/mmcdole/gofeed, MIT",
	Doc: "Feeds: RSS, Atom and JSON Feed, all as {title, description, link, language, updated, items}, an item as {id, title, link, summary, content, author, categories, published, updated, enclosures}. Dates are ISO texts, null where there is none or it cannot be read.",
	Types: `export interface Item {
  id: string; title: string; link: string; summary: string; content: string; author: string; categories: string[]; published: string | null; updated: string | null;
  enclosures: { url: string; type: string; length: string }[];
}
export interface Feed { title: string; description: string; link: string; language: string; updated: string | null; items: Item[] }
export function parse(text: string): Feed;`,
	Make: func(r *engine.Run) *goja.Object {
		return functions(r, map[string]func(goja.FunctionCall) goja.Value{"parse": func(call goja.FunctionCall) goja.Value { return parseFeed(r, call) }})
	},
})

// parseFeed is parse(text).
func parseFeed(r *engine.Run, call goja.FunctionCall) goja.Value {
	given := strings.TrimPrefix(textArgument(r, call, "kintsugi:rss: parse"), byteOrderMark)
	r.Alive()
	if sandbox.TooDeep(json.RawMessage(given)) || deepXML(given) {
		panic(fault(r, "rss", "it is nested too deep"))
	}
	r.Alive()
	feed, err := gofeed.NewParser().ParseString(given)
	if err != nil {
		panic(fault(r, "rss", "%s", err))
	}
	raw, err := json.Marshal(feedOf(feed))
	if err != nil {
		panic(fault(r, "rss", "%s", err))
	}
	value, err := r.ToScript(raw)
	if err != nil {
		panic(fault(r, "rss", "%s", err))
	}
	return value
}

// deepXML says that elements are nested deeper than in any feed; whoever reads them is recursive.
func deepXML(given string) bool {
	decoder := xml.NewDecoder(strings.NewReader(given))
	decoder.Strict = false
	depth := 0
	for {
		token, err := decoder.RawToken()
		if err != nil {
			return false
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxElements {
				return true
			}
		case xml.EndElement:
			depth--
		}
	}
}

type feed struct {
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Link        string  `json:"link"`
	Language    string  `json:"language"`
	Updated     *string `json:"updated"`
	Items       []entry `json:"items"`
}

type entry struct {
	ID         string      `json:"id"`
	Title      string      `json:"title"`
	Link       string      `json:"link"`
	Summary    string      `json:"summary"`
	Content    string      `json:"content"`
	Author     string      `json:"author"`
	Categories []string    `json:"categories"`
	Published  *string     `json:"published"`
	Updated    *string     `json:"updated"`
	Enclosures []enclosure `json:"enclosures"`
}

type enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type"`
	Length string `json:"length"`
}

func feedOf(f *gofeed.Feed) feed {
	made := feed{Title: f.Title, Description: f.Description, Link: f.Link, Language: f.Language, Updated: isoTime(f.UpdatedParsed), Items: []entry{}}
	for _, item := range f.Items {
		one := entry{
			ID: cmp.Or(item.GUID, item.Link), Title: item.Title, Link: item.Link, Summary: item.Description, Content: item.Content,
			Categories: append([]string{}, item.Categories...), Published: isoTime(item.PublishedParsed), Updated: isoTime(item.UpdatedParsed), Enclosures: []enclosure{},
		}
		if len(item.Authors) > 0 && item.Authors[0] != nil {
			one.Author = cmp.Or(item.Authors[0].Name, item.Authors[0].Email)
		}
		for _, e := range item.Enclosures {
			one.Enclosures = append(one.Enclosures, enclosure{e.URL, e.Type, e.Length})
		}
		made.Items = append(made.Items, one)
	}
	return made
}

// isoTime is a time as Date.prototype.toISOString has it.
func isoTime(at *time.Time) *string {
	if at == nil || at.IsZero() {
		return nil
	}
	text := at.UTC().Format("2006-01-02T15:04:05.000Z")
	return &text
}
