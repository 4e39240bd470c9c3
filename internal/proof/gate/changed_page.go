package gate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

const (
	mostMatched = 30      // elements of a page by one selector
	mostPage    = 2 << 20 // bytes; more is not looked at
)

// page is a web page, nil if the value is none.
func page(value any) *html.Node {
	text, _ := value.(string)
	if text = strings.TrimSpace(text); len(text) > mostPage || !strings.HasPrefix(text, "<") || !strings.Contains(text, "</") {
		return nil
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil
	}
	return root
}

// comparePages tells what the selectors of a script find in a page that is not as it was in all earlier ones. A script that looks
// for the text of a class by itself has a selector for that class.
func (a *comparison) comparePages(before []*html.Node, now *html.Node, tell func(path, how, says string)) {
	was, is := payload.NewSchema(), payload.NewSchema()
	stood := map[string]*html.Node{}
	selectors := a.selectors(before)
	add := func(to *payload.Schema, run string, root *html.Node, first func(string, *html.Node)) {
		found := orderedjson.New()
		for _, css := range slices.Sorted(maps.Keys(selectors)) {
			if matched := cascadia.QueryAll(root, selectors[css]); len(matched) > 0 {
				first(css, matched[0])
				texts := make([]any, 0, mostMatched)
				for _, one := range matched[:min(len(matched), mostMatched)] {
					texts = append(texts, textOf(one))
				}
				found.Put(css, texts)
			}
		}
		to.Add(run, found, nil)
	}
	for i, root := range before {
		add(was, strconv.Itoa(i), root, func(css string, one *html.Node) { stood[css] = one })
	}
	add(is, "", now, func(string, *html.Node) {})
	for _, change := range payload.Changes(was, is) {
		css := change.Path[0]
		if change.How != payload.IsGone {
			tell("", change.How, change.String())
			continue
		}
		says := "nothing matches " + css + " (it was " + shownElement(stood[css]) + ")"
		if nearest := nearestTo(stood[css], now); nearest != nil {
			says += "; most like it now: " + shownElement(nearest)
		}
		tell("", change.How, says)
	}
}

// selectors are what a script may look for in pages, and found something by in each earlier one.
func (a *comparison) selectors(pages []*html.Node) map[string]cascadia.Matcher {
	words := maps.Clone(a.keys.Spelled)
	for _, page := range pages {
		for node := range page.Descendants() {
			for _, class := range strings.Fields(attribute(node, "class")) {
				if strings.Contains(a.code, class) && !strings.Contains(a.code, "."+class) {
					words["."+class] = true
				}
			}
		}
	}
	found := map[string]cascadia.Matcher{}
	for word := range words {
		selector, err := cascadia.ParseGroup(word)
		if err == nil && !slices.ContainsFunc(pages, func(page *html.Node) bool { return cascadia.Query(page, selector) == nil }) {
			found[word] = selector
		}
	}
	// One that a longer one ends in says no more.
	for word := range found {
		for other := range found {
			if other != word && strings.HasSuffix(other, word) {
				delete(found, word)
			}
		}
	}
	return found
}

// nearestTo is the element of a page that is most like one of an earlier page: by the form of its text, its classes, its tag and
// what it stands in. Nil if none is like it.
func nearestTo(old *html.Node, page *html.Node) *html.Node {
	const alike = 1.2
	var nearest *html.Node
	best := alike
	form := payload.Form(textOf(old))
	for node := range page.Descendants() {
		if node.Type != html.ElementNode || textOf(node) == "" {
			continue
		}
		score := payload.Likeness(payload.Words(attribute(old, "class")+" "+attribute(old, "id")), payload.Words(attribute(node, "class")+" "+attribute(node, "id")))
		if payload.Form(textOf(node)) == form {
			score += 0.5
			if strings.Contains(form, "9") {
				score += 0.5
			}
		}
		if node.Data == old.Data {
			score += 0.5
		}
		for one, other := old.Parent, node.Parent; one != nil && other != nil && one.Data == other.Data && attribute(one, "class") == attribute(other, "class"); one, other = one.Parent, other.Parent {
			score += 0.1
		}
		if score > best {
			nearest, best = node, score
		}
	}
	return nearest
}

func attribute(node *html.Node, name string) string {
	for _, one := range node.Attr {
		if one.Key == name {
			return one.Val
		}
	}
	return ""
}

// textOf is the text of an element, blanks as one.
func textOf(node *html.Node) string {
	var text strings.Builder
	for inner := range node.Descendants() {
		if inner.Type == html.TextNode {
			text.WriteString(inner.Data + " ")
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// shownElement is an element with its text, for people.
func shownElement(node *html.Node) string {
	tag := "<" + node.Data
	for _, name := range []string{"id", "class"} {
		if value := attribute(node, name); value != "" {
			tag += " " + name + "=" + strconv.Quote(value)
		}
	}
	return tag + "> " + strconv.Quote(cut(textOf(node)))
}
