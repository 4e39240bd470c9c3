package api

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// The page of a link by which a person decides without a token. It has no script, so it works in whatever opens it; looking at
// it, as mail programs do by themselves, decides nothing.

//go:embed decide.html
var decideHTML string

const decideStyle = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1c1917;background:#fafaf9}main{max-width:44rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.3rem}h2{font-size:1rem;margin:1.5rem 0 .25rem}pre{overflow-x:auto;padding:.75rem;background:#f1f0ee;border-radius:.3rem;font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.add{color:#166534;background:#dcfce7}.del{color:#991b1b;background:#fee2e2}.told{padding:.75rem;border-left:.25rem solid #a16207;background:#fef9c3;overflow-wrap:anywhere}
label{display:block;margin-top:1.5rem}textarea{display:block;width:100%;box-sizing:border-box;font:inherit}button{font:inherit;padding:.5rem 1.25rem;margin:.25rem .5rem .25rem 0}`

// decidePolicy lets the page have its own style and send its own form, and nothing else.
var decidePolicy = func() string {
	sum := sha256.Sum256([]byte(decideStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()

var decideTemplate = template.Must(template.New("decide").Funcs(template.FuncMap{
	"clean":    plain.Clean,
	"verdict":  func(v *workflow.Verification) string { return plain.Clean(projections.VerdictLine(*v)) },
	"widening": projections.WideningText,
	"deadline": workflow.DeadlineWords,
	"add":      func(i int) int { return i + 1 },
	"between":  func(from, to string) string { return udiff.Unified("before", "after", from, to) },
	"diff":     diffLines,
}).Parse(decideHTML))

// decidePage is what the template shows.
type decidePage struct {
	Heading string
	Problem string
	Of      *app.Approval
	First   string // the answer that is offered first
	Back    string // where one goes on from a problem
	Style   template.CSS
}

type diffLine struct{ Class, Text string }

func diffLines(diff string) (lines []diffLine) {
	for line := range strings.Lines(diff) {
		one := diffLine{Text: plain.Clean(strings.TrimSuffix(line, "\n"))}
		switch {
		case strings.HasPrefix(line, "+"):
			one.Class = "add"
		case strings.HasPrefix(line, "-"):
			one.Class = "del"
		}
		lines = append(lines, one)
	}
	return lines
}

// Bounds of a form, which anybody can send who has a link.
const (
	maxForm  = 64 << 10
	formTime = 15 * time.Second
)

func (s *Server) decides() {
	s.mux.HandleFunc("GET "+app.DecidePath+"{link}", s.showDecision)
	s.mux.HandleFunc("POST "+app.DecidePath+"{link}", s.takeDecision)
}

func (s *Server) showDecision(w http.ResponseWriter, r *http.Request) {
	link, err := s.node.Links.Read(r.PathValue("link"))
	var of app.Approval
	if err == nil {
		of, err = s.node.Approvals.Get(r.Context(), link)
	}
	s.writeDecision(w, r, of, err)
}

func (s *Server) takeDecision(w http.ResponseWriter, r *http.Request) {
	link, err := s.node.Links.Read(r.PathValue("link"))
	if err != nil {
		s.writeDecision(w, r, app.Approval{}, err)
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime)) // of a server that has none, the body's bound is enough
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.writeDecision(w, r, app.Approval{}, fault.New(fault.Invalid, "This is not what the page sends, or it is too long. Nothing was done: open the link again."))
		return
	}
	of, err := s.node.Approvals.Decide(r.Context(), link, app.AnswerByLink{
		Answer: r.PostForm.Get("answer"), Note: r.PostForm.Get("note"), Seen: r.PostForm.Get("seen"),
	})
	s.writeDecision(w, r, of, err)
}

// writeDecision shows what a link leads to, and what is wrong with it. No address of a link gets anywhere from here: not into
// a log, and not to other sites.
func (s *Server) writeDecision(w http.ResponseWriter, r *http.Request, of app.Approval, err error) {
	page := decidePage{Heading: "Nothing was done", Style: decideStyle, First: r.URL.Query().Get("answer")}
	status := http.StatusOK
	if of.Title != "" {
		page.Of, page.Heading = &of, plain.Line(of.Title)
	}
	switch {
	case errors.Is(err, app.ErrLinkExpired):
		status, page.Problem = http.StatusGone, "This link has expired, and nothing was done. Look at what waits for you with: kintsugi notification list"
	case err != nil:
		p, _ := errors.AsType[*Problem](s.problemOf(r.Context(), "decide", err))
		status, page.Problem = http.StatusInternalServerError, "The server failed at it."
		if p != nil {
			status, page.Problem = p.Status, plain.Clean(p.Detail)
		}
		if page.Of != nil && !of.Open {
			page.Of = nil // the problem says it already
		}
	}
	out := &bytes.Buffer{}
	if err := decideTemplate.Execute(out, page); err != nil {
		panic(err) // only by a fault of the template
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", decidePolicy)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "same-origin") // else a browser says "null" for the origin of the form
	header.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // there is nobody else to tell
}
