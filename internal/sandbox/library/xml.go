package library

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "xml", Exports: []string{"parse", "toObject"}, Origin: "encoding/xml of Go and github.com/andybalholm/cascadia, BSD-3-Clause and BSD-2-Clause",
	Doc: "XML. parse gives the document, to look into as of kintsugi:html; names keep their prefix (querySelector('dc\\\\:date')), and selectors take upper and lower case for the same. toObject gives objects: an element with nothing but text is its text, " +
		"attributes are under @name, text beside elements under #text, of elements with one name an array; {arrays: ['item']} names those that are an array also where there is one. Entities that a document declares itself are not known.",
	Types: `import { Element } from 'kintsugi:html';
export function parse(text: string): Element;
export function toObject(text: string, options?: { arrays?: string[] }): any;`,
	Make: func(r *engine.Run) *goja.Object {
		return functions(r, map[string]func(goja.FunctionCall) goja.Value{
			"parse": func(call goja.FunctionCall) goja.Value {
				d, root := parseXML(r, textArgument(r, call, "kintsugi:xml: parse"))
				return d.element(root)
			},
			"toObject": func(call goja.FunctionCall) goja.Value {
				arrays := map[string]bool{}
				if list, is := r.Option(call.Argument(1), "arrays").(*goja.Object); is {
					arrays = engine.SetOf(texts(r, list)...)
				}
				d, root := parseXML(r, textArgument(r, call, "kintsugi:xml: toObject"))
				return d.object(root, arrays)
			},
		})
	},
})

// maxElements is how deep elements may lie in one another, as of HTML.
const maxElements = 512

// parseXML makes a tree of a document, as HTML has it, so that the same selectors find what is in it.
func parseXML(r *engine.Run, given string) (*document, *html.Node) {
	r.Alive()
	decoder := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(given, byteOrderMark)))
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is text already
	d := newDocument(r, "xml", map[*html.Node]string{})
	root := &html.Node{Type: html.DocumentNode}
	at := root
	fail := func(err error) {
		line, _ := decoder.InputPos()
		what := err.Error()
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) {
			line, what = syntax.Line, syntax.Msg
		}
		panic(fault(r, "xml", "line %d: %s", line, what))
	}
	var open []string
	for {
		r.Alive()
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(open) == maxElements {
				fail(fmt.Errorf("elements are nested more than %d deep", maxElements))
			}
			if at == root && root.FirstChild != nil {
				fail(errors.New("there is a second root element"))
			}
			name := xmlName(token.Name)
			element := &html.Node{Type: html.ElementNode, Data: strings.ToLower(name)}
			d.names[element] = name
			for _, one := range token.Attr {
				element.Attr = append(element.Attr, html.Attribute{Key: xmlName(one.Name), Val: one.Value})
			}
			at.AppendChild(element)
			at, open = element, append(open, name)
		case xml.EndElement:
			if name := xmlName(token.Name); len(open) == 0 || open[len(open)-1] != name {
				fail(errors.New("</" + engine.Cut(name, 60) + "> closes what is not open"))
			}
			at, open = at.Parent, open[:len(open)-1]
		case xml.CharData:
			if at == root {
				if strings.TrimSpace(string(token)) != "" {
					fail(errors.New("there is text outside of the root element"))
				}
				break
			}
			at.AppendChild(&html.Node{Type: html.TextNode, Data: string(token)})
		}
	}
	if len(open) > 0 {
		fail(errors.New("<" + engine.Cut(open[len(open)-1], 60) + "> is not closed"))
	}
	if len(d.names) == 0 {
		fail(errors.New("there is no element"))
	}
	return d, root
}

func xmlName(name xml.Name) string {
	if name.Space != "" {
		return name.Space + ":" + name.Local
	}
	return name.Local
}

// object is an element as objects and texts.
func (d *document) object(at *html.Node, arrays map[string]bool) goja.Value {
	d.run.Alive()
	n := node{at, d}
	children := n.children()
	object := d.run.VM.NewObject()
	for _, one := range at.Attr {
		engine.Define(object, "@"+one.Key, engine.StringValue(d.run.VM, one.Val), engine.Visible)
	}
	var text strings.Builder
	for child := at.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
	trimmed := strings.TrimSpace(text.String())
	if len(children) == 0 {
		if len(at.Attr) == 0 {
			return engine.StringValue(d.run.VM, trimmed)
		}
	}
	if trimmed != "" {
		engine.Define(object, "#text", engine.StringValue(d.run.VM, trimmed), engine.Visible)
	}
	var names []string
	values := map[string][]any{}
	for _, child := range children {
		name := d.names[child]
		if values[name] == nil {
			names = append(names, name)
		}
		values[name] = append(values[name], d.object(child, arrays))
	}
	for _, name := range names {
		list := values[name]
		if len(list) == 1 && !arrays[name] {
			engine.Define(object, name, list[0].(goja.Value), engine.Visible) //nolint:forcetypeassert // made above
			continue
		}
		engine.Define(object, name, d.run.VM.NewArray(list...), engine.Visible)
	}
	return object
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// xml writes an element as it was.
func (n node) xml(out *limitedText) {
	switch n.Type {
	case html.TextNode:
		_, _ = out.WriteString(xmlEscapes.Replace(n.Data))
		return
	case html.DocumentNode:
		n.inner(out)
		return
	}
	_, _ = out.WriteString("<" + n.name())
	for _, one := range n.Attr {
		_, _ = out.WriteString(" " + one.Key + `="` + xmlEscapes.Replace(one.Val) + `"`)
	}
	if n.FirstChild == nil {
		_, _ = out.WriteString("/>")
		return
	}
	_ = out.WriteByte('>')
	n.inner(out)
	_, _ = out.WriteString("</" + n.name() + ">")
}
