package library

import (
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "html", Exports: []string{"parse"}, Origin: "golang.org/x/net/html and github.com/andybalholm/cascadia, BSD-3-Clause and BSD-2-Clause",
	Doc: "HTML as browsers read it, to look into, not to change. parse gives the document, with querySelector and querySelectorAll (CSS selectors; an array of elements), and of an element textContent, innerText (without scripts and styles, " +
		"blanks as one), getAttribute, attributes, children, parentElement, nextElementSibling, innerHTML, outerHTML, matches and closest.",
	Types: `export interface Element {
  readonly tagName: string; readonly id: string; readonly className: string; readonly textContent: string; readonly innerText: string; readonly innerHTML: string; readonly outerHTML: string;
  readonly attributes: Record<string, string>; readonly children: Element[]; readonly parentElement: Element | null; readonly nextElementSibling: Element | null; readonly previousElementSibling: Element | null;
  getAttribute(name: string): string | null; hasAttribute(name: string): boolean;
  querySelector(css: string): Element | null; querySelectorAll(css: string): Element[]; matches(css: string): boolean; closest(css: string): Element | null;
  toString(): string;
}
export function parse(text: string): Element;`,
	Make: func(r *engine.Run) *goja.Object {
		return functions(r, map[string]func(goja.FunctionCall) goja.Value{"parse": func(call goja.FunctionCall) goja.Value {
			r.Alive()
			root, err := html.Parse(strings.NewReader(textArgument(r, call, "kintsugi:html: parse")))
			if err != nil {
				panic(fault(r, "html", "%s", err))
			}
			return newDocument(r, "html", nil).element(root)
		}})
	},
})

// document is a tree that a script looks into. Its nodes become objects as the script comes to them.
type document struct {
	run     *engine.Run
	all     *documents
	library string // whose it is
	objects map[*html.Node]*goja.Object
	names   map[*html.Node]string // of XML, as they were written; selectors know them in lower case
}

// documents are what a script has hold of.
type documents struct {
	nodes    map[*goja.Object]node // by the objects of elements
	elements *goja.Object          // their prototype
}

type node struct {
	*html.Node

	of *document
}

func newDocument(r *engine.Run, library string, names map[*html.Node]string) *document {
	all := engine.State[documents](r)
	if all.nodes == nil {
		all.nodes, all.elements = map[*goja.Object]node{}, elementPrototype(r)
	}
	return &document{run: r, all: all, library: library, objects: map[*html.Node]*goja.Object{}, names: names}
}

// element is the object of a node, always the same; null of none.
func (d *document) element(n *html.Node) goja.Value {
	if n == nil {
		return goja.Null()
	}
	if made := d.objects[n]; made != nil {
		return made
	}
	made := d.run.VM.NewObject()
	if err := made.SetPrototype(d.all.elements); err != nil {
		panic(err)
	}
	d.objects[n] = made
	d.all.nodes[made] = node{n, d}
	return made
}

func (d *document) elements(list []*html.Node) goja.Value {
	items := make([]any, len(list))
	for i, n := range list {
		items[i] = d.element(n)
	}
	return d.run.VM.NewArray(items...)
}

// elementPrototype has what elements can do.
func elementPrototype(r *engine.Run) *goja.Object {
	prototype, all := r.VM.NewObject(), engine.State[documents](r)
	this := func(call goja.FunctionCall) node {
		r.Alive()
		object, _ := call.This.(*goja.Object)
		found, ok := all.nodes[object]
		if !ok {
			panic(r.VM.NewTypeError("Illegal invocation: this is no element"))
		}
		return found
	}
	for name, get := range map[string]func(n node) goja.Value{
		"tagName":       func(n node) goja.Value { return r.VM.ToValue(n.name()) },
		"id":            func(n node) goja.Value { return r.VM.ToValue(n.attribute("id")) },
		"className":     func(n node) goja.Value { return r.VM.ToValue(n.attribute("class")) },
		"textContent":   func(n node) goja.Value { return bounded(r, n.text) },
		"innerText":     func(n node) goja.Value { return bounded(r, n.shownText) },
		"innerHTML":     func(n node) goja.Value { return bounded(r, n.inner) },
		"outerHTML":     func(n node) goja.Value { return bounded(r, n.outer) },
		"attributes":    node.attributes,
		"children":      func(n node) goja.Value { return n.of.elements(n.children()) },
		"parentElement": func(n node) goja.Value { return n.of.element(elementOrNil(n.Parent)) },
		"nextElementSibling": func(n node) goja.Value {
			return n.of.element(sibling(n.Node, func(n *html.Node) *html.Node { return n.NextSibling }))
		},
		"previousElementSibling": func(n node) goja.Value {
			return n.of.element(sibling(n.Node, func(n *html.Node) *html.Node { return n.PrevSibling }))
		},
	} {
		getter := r.Function("get "+name, func(call goja.FunctionCall) goja.Value { return get(this(call)) })
		if err := prototype.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
	for name, method := range map[string]func(n node, argument string) goja.Value{
		"getAttribute": func(n node, name string) goja.Value {
			if value, ok := n.find(name); ok {
				return engine.StringValue(r.VM, value)
			}
			return goja.Null()
		},
		"hasAttribute": func(n node, name string) goja.Value { _, ok := n.find(name); return r.VM.ToValue(ok) },
		"querySelector": func(n node, css string) goja.Value {
			return n.of.element(cascadia.Query(n.Node, selector(r, n, css)))
		},
		"querySelectorAll": func(n node, css string) goja.Value {
			return n.of.elements(cascadia.QueryAll(n.Node, selector(r, n, css)))
		},
		"matches": func(n node, css string) goja.Value {
			return r.VM.ToValue(n.Type == html.ElementNode && selector(r, n, css).Match(n.Node))
		},
		"closest": func(n node, css string) goja.Value {
			selector := selector(r, n, css)
			for at := elementOrNil(n.Node); at != nil; at = elementOrNil(at.Parent) {
				if selector.Match(at) {
					return n.of.element(at)
				}
			}
			return goja.Null()
		},
		"toString": func(n node, _ string) goja.Value { return bounded(r, n.outer) },
		"toJSON":   func(n node, _ string) goja.Value { return bounded(r, n.outer) },
	} {
		engine.Define(prototype, name, r.Function(name, func(call goja.FunctionCall) goja.Value {
			return method(this(call), call.Argument(0).String())
		}), engine.Hidden)
	}
	return prototype
}

// maxSelector is the longest CSS selector, in bytes; the parser of them is recursive.
const maxSelector = 2 << 10

func selector(r *engine.Run, n node, css string) cascadia.Matcher {
	if len(css) > maxSelector {
		panic(fault(r, n.of.library, "a selector has more than %d characters", maxSelector))
	}
	selector, err := cascadia.ParseGroup(css)
	if err != nil {
		panic(fault(r, n.of.library, "the selector %q: %s", engine.Cut(css, 60), err))
	}
	return watched{r, selector}
}

// watched is a selector that stops where the run is stopped.
type watched struct {
	run *engine.Run
	cascadia.Matcher
}

// Match implements [cascadia.Matcher].
func (w watched) Match(n *html.Node) bool {
	w.run.Alive()
	return w.Matcher.Match(n)
}

// bounded is a text that a tree is written as: as many times as the tree has it, so that of a large one only
// a limit is left.
func bounded(r *engine.Run, write func(out *limitedText)) goja.Value {
	out := limitedText{run: r}
	write(&out)
	return engine.StringValue(r.VM, out.text.String())
}

// limitedText takes a text in, as long as the run goes on.
type limitedText struct {
	run  *engine.Run
	text strings.Builder
}

// Write implements [io.Writer].
func (l *limitedText) Write(p []byte) (int, error) {
	l.run.Alive()
	return l.text.Write(p)
}

// WriteString implements [io.StringWriter].
func (l *limitedText) WriteString(s string) (int, error) {
	l.run.Alive()
	return l.text.WriteString(s)
}

// WriteByte implements [io.ByteWriter].
func (l *limitedText) WriteByte(c byte) error { return l.text.WriteByte(c) }

func (n node) name() string {
	if name, ok := n.of.names[n.Node]; ok {
		return name
	}
	return n.Data
}

func (n node) find(name string) (string, bool) {
	if n.of.names == nil {
		name = strings.ToLower(name)
	}
	for _, one := range n.Attr {
		if attributeName(one) == name {
			return one.Val, true
		}
	}
	return "", false
}

func attributeName(one html.Attribute) string {
	if one.Namespace != "" {
		return one.Namespace + ":" + one.Key
	}
	return one.Key
}

func (n node) attribute(name string) string {
	value, _ := n.find(name)
	return value
}

func (n node) attributes() goja.Value {
	object := n.of.run.VM.NewObject()
	for _, one := range n.Attr {
		engine.Define(object, attributeName(one), engine.StringValue(n.of.run.VM, one.Val), engine.Visible)
	}
	return object
}

func (n node) children() []*html.Node {
	var list []*html.Node
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			list = append(list, child)
		}
	}
	return list
}

func elementOrNil(n *html.Node) *html.Node {
	if n == nil || n.Type != html.ElementNode {
		return nil
	}
	return n
}

func sibling(n *html.Node, next func(*html.Node) *html.Node) *html.Node {
	for n = next(n); n != nil && n.Type != html.ElementNode; n = next(n) {
	}
	return n
}

func (n node) text(out *limitedText) {
	for inside := range n.Descendants() {
		if inside.Type == html.TextNode {
			_, _ = out.WriteString(inside.Data)
		}
	}
}

// apart are elements whose text does not run on into what stands beside them.
var apart = engine.SetOf("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "option", "p", "pre", "section", "table", "td", "th", "tr", "ul")

// shownText is about what a person sees, on one line.
func (n node) shownText(out *limitedText) {
	space := false
	write := func(text string) {
		for _, word := range strings.Fields(text) {
			if space && out.text.Len() > 0 {
				_ = out.WriteByte(' ')
			}
			_, _ = out.WriteString(word)
			space = true
		}
	}
	var walk func(at *html.Node)
	walk = func(at *html.Node) {
		for child := at.FirstChild; child != nil; child = child.NextSibling {
			switch {
			case child.Type == html.TextNode:
				if trimmed := strings.TrimLeft(child.Data, " \t\r\n\f"); trimmed != child.Data {
					space = true
				}
				write(child.Data)
				if len(child.Data) > 0 {
					space = strings.TrimRight(child.Data, " \t\r\n\f") != child.Data || space && strings.TrimSpace(child.Data) == ""
				}
			case child.Type != html.ElementNode, child.Data == "script", child.Data == "style", child.Data == "template", child.Data == "noscript":
			default:
				edge := apart[child.Data]
				space = space || edge
				walk(child)
				space = space || edge
			}
		}
	}
	walk(n.Node)
}

func (n node) inner(out *limitedText) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		node{child, n.of}.outer(out)
	}
}

func (n node) outer(out *limitedText) {
	if n.of.names != nil {
		n.xml(out)
		return
	}
	if err := html.Render(out, n.Node); err != nil {
		panic(fault(n.of.run, n.of.library, "%s", err))
	}
}
