package api

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
)

// health is for whoever watches the process. It tells nobody anything that they could use, so it asks for no token.
func (s *Server) health() {
	s.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // there is nobody else to tell
	})
	s.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ready := s.node.Generations.Readiness()
		ready.Views = "" // where they are is nobody's business
		status := http.StatusOK
		if _, err := s.node.Log.Head(r.Context()); err != nil {
			ready.Ready, ready.State = false, "the event log does not answer"
		}
		if !ready.Ready {
			status = http.StatusServiceUnavailable
			w.Header().Set("Retry-After", "1")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = writeJSON(w, struct{ app.Readiness }{ready}) // there is nobody else to tell
	})
}

// described is an operation as the page of documentation shows it.
type described struct {
	Method, Path, Tag string
	*huma.Operation
}

var docsPage = template.Must(template.New("docs").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kintsugi: the API</title>
<style nonce="{{.Nonce}}">
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code{font-family:ui-monospace,monospace}h2{margin-top:2.5rem;text-transform:capitalize}dt{margin-top:1rem}dd{margin:0 0 0 1rem}
</style>
<h1>Kintsugi: the API</h1>
<p>For machines: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Show a token with every request:
<code>Authorization: Bearer …</code> (<code>kintsugi token create</code>). Errors are problem documents (RFC 9457). Live events:
<code>GET /api/v1/events</code> as server-sent events.</p>
{{range .Tags}}<h2>{{.Name}}</h2><dl>{{range .Operations}}
<dt><code>{{.Method}} {{.Path}}</code></dt><dd>{{.Summary}}.{{with .Description}} {{.}}{{end}}</dd>{{end}}</dl>{{end}}
</html>
`))

// docs is the description for people, without a script or a foreign host.
func (s *Server) docs() {
	s.mux.HandleFunc("GET /docs", func(w http.ResponseWriter, _ *http.Request) {
		type tag struct {
			Name       string
			Operations []described
		}
		var tags []*tag
		spec := s.api.OpenAPI()
		paths := make([]string, 0, len(spec.Paths))
		for path := range spec.Paths {
			paths = append(paths, path)
		}
		slices.Sort(paths)
		for _, path := range paths {
			item := spec.Paths[path]
			for method, operation := range map[string]*huma.Operation{
				http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
			} {
				if operation == nil {
					continue
				}
				at := slices.IndexFunc(tags, func(t *tag) bool { return t.Name == operation.Tags[0] })
				if at < 0 {
					at = len(tags)
					tags = append(tags, &tag{Name: operation.Tags[0]})
				}
				tags[at].Operations = append(tags[at].Operations, described{method, path, operation.Tags[0], operation})
			}
		}
		for _, one := range tags {
			slices.SortFunc(one.Operations, func(a, b described) int {
				return strings.Compare(a.Path+a.Method, b.Path+b.Method)
			})
		}
		nonce := app.NewID()
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+nonce+"'; frame-ancestors 'none'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = docsPage.Execute(w, map[string]any{"Tags": tags, "Nonce": nonce}) // there is nobody else to tell
	})
}
