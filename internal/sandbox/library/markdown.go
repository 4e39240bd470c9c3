package library

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "markdown", Exports: []string{"render"}, Origin: "github.com/yuin/goldmark, MIT",
	Doc:   "Markdown (CommonMark with tables, strikethrough, task lists and bare links, as on GitHub) as HTML. HTML in the text is left out, and so are javascript: links, unless {html: true}.",
	Types: `export function render(text: string, options?: { html?: boolean }): string;`,
	Make: func(r *engine.Run) *goja.Object {
		return functions(r, map[string]func(goja.FunctionCall) goja.Value{"render": func(call goja.FunctionCall) goja.Value {
			r.Alive()
			given := textArgument(r, call, "kintsugi:markdown: render")
			with := []goldmark.Option{goldmark.WithExtensions(extension.GFM)}
			if flag(r, call.Argument(1), "html") {
				with = append(with, goldmark.WithRendererOptions(html.WithUnsafe()))
			}
			var out strings.Builder
			if err := goldmark.New(with...).Convert([]byte(given), &out); err != nil {
				panic(fault(r, "markdown", "%s", err))
			}
			return engine.StringValue(r.VM, out.String())
		}})
	},
})
