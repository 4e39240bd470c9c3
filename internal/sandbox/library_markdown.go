package sandbox

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

var _ = bundle(Library{
	Name: "markdown", Exports: []string{"render"}, Origin: "github.com/yuin/goldmark, MIT",
	Doc:   "Markdown (CommonMark with tables, strikethrough, task lists and bare links, as on GitHub) as HTML. HTML in the text is left out, and so are javascript: links, unless {html: true}.",
	Types: `export function render(text: string, options?: { html?: boolean }): string;`,
	make: func(r *run) *goja.Object {
		return r.functions(map[string]func(goja.FunctionCall) goja.Value{"render": func(call goja.FunctionCall) goja.Value {
			r.alive()
			given := r.textArgument(call, "kintsugi:markdown: render")
			with := []goldmark.Option{goldmark.WithExtensions(extension.GFM)}
			if r.flag(call.Argument(1), "html") {
				with = append(with, goldmark.WithRendererOptions(html.WithUnsafe()))
			}
			var out strings.Builder
			if err := goldmark.New(with...).Convert([]byte(given), &out); err != nil {
				panic(r.fault("markdown", "%s", err))
			}
			return stringValue(r.vm, out.String())
		}})
	},
})
