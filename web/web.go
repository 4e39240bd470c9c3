// Package web is the page that people see, built into the program: what Vite made of src lies in dist and is
// embedded, so that Go alone builds it. It asks the API of the same server for everything it shows.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

//go:embed all:dist
var built embed.FS

// nonceMark stands in index.html where the nonce of an answer goes.
const nonceMark = "__NONCE__"

// own are the paths that the page itself makes of its address, as src/router.tsx has them.
var own = regexp.MustCompile(`^(|index\.html|usage|system|new|notifications|inbox|drafts|events|(runs|fixes|plans|healer)(/[^/]+)?|workflows/[^/]+(/(runs|script|fixes|settings|history|chat))?)$`)

// Handler serves the page. Files that Vite named by their content may be kept for ever. Every path that is no file is
// answered with index.html, whose scripts and styles run by a nonce of that one answer: as not found, unless it is one
// of the page's own.
func Handler() http.Handler {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	index, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		panic(err) // the build put it there
	}
	return &page{dist: dist, index: string(index), packed: map[string][]byte{}}
}

type page struct {
	dist   fs.FS
	index  string
	mu     sync.Mutex
	packed map[string][]byte // files as gzip has them, once somebody asked
}

// ServeHTTP implements [http.Handler].
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	content, err := fs.ReadFile(p.dist, name)
	switch {
	case err == nil && name != "index.html":
		p.file(w, r, name, content)
	case strings.HasPrefix(name, "assets/"):
		// A page of an earlier build asks for a part that is gone. It must not get HTML for it.
		http.NotFound(w, r)
	default:
		p.document(w, r)
	}
}

func (p *page) file(w http.ResponseWriter, r *http.Request, name string, content []byte) {
	header := w.Header()
	if path.Ext(name) == ".js" { // a worker has the policy of its own file
		header.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; frame-ancestors 'none'")
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		header.Set("Content-Type", kind)
	}
	if strings.HasPrefix(name, "assets/") {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		sum := sha256.Sum256(content)
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	}
	header.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		content = p.pack(name, content)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// pack compresses a file, once.
func (p *page) pack(name string, content []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if packed, done := p.packed[name]; done {
		return packed
	}
	var into bytes.Buffer
	zip := gzip.NewWriter(&into)
	// Nothing fails that is written to memory.
	_, _ = zip.Write(content)
	_ = zip.Close()
	p.packed[name] = into.Bytes()
	return into.Bytes()
}

func (p *page) document(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", policy(nonce))
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if !own.MatchString(strings.Trim(path.Clean("/"+r.URL.Path), "/")) {
		w.WriteHeader(http.StatusNotFound)
	}
	if r.Method == http.MethodHead {
		return
	}
	// The connection may be gone; nobody is left to be told.
	_, _ = w.Write([]byte(strings.ReplaceAll(p.index, nonceMark, nonce)))
}

// policy lets nothing run or load that the program did not bring along.
func policy(nonce string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self' 'nonce-" + nonce + "'",
		"style-src 'self' 'nonce-" + nonce + "'",
		"img-src 'self' data: blob:",
		"font-src 'self'",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
	}, "; ")
}
