// Package api lets people and programs in over HTTP: what the command line does, under /api/v1, with the same
// words and the same JSON; live events; hooks; and the page. It decides nothing: who may ask is in auth.go, what
// an operation needs of a request in operation.go, and each subject has a file with its operations.
package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Base is where the operations are.
const Base = "/api/v1"

// Config is what a server is made of. Node and Logger are needed.
type Config struct {
	Node   *app.Node
	Logger *slog.Logger
	// Hosts are the names by which it is reached, beside those of this machine's loopback.
	Hosts []string
	// Secure says that it is reached by TLS.
	Secure bool
	// Version is the program's.
	Version string
	// Model is what agents of this server ask, for whoever looks whether it answers.
	Model app.ModelOptions
	// PaymentsAt is the payment provider's address; empty for Stripe's.
	PaymentsAt string
	// Organisation lets in for whom a provider vouches; nil for nobody.
	Organisation *app.Organisation
	// Tracker takes reports of problems.
	Tracker app.Tracker
	// Command carries out command lines; nil for none.
	Command Command
	// Access is what each of them needs; those that nobody elsewhere may give are not there.
	Access map[string]Access
	// Page is what is served where nothing else is; nil for nothing.
	Page http.Handler
}

// Server answers over HTTP.
type Server struct {
	node    *app.Node
	logger  *slog.Logger
	config  Config
	api     huma.API
	mux     *http.ServeMux
	failed  *attempts
	tail    tail
	handler http.Handler
	// ended is closed when the server stops: streams that stay open end then.
	ended chan struct{}
}

// How long a client may take, so that none holds a connection for ever.
const (
	headerTime = 5 * time.Second
	// answerTime is how long they may take to receive an answer; a stream has a bound for each part.
	answerTime = time.Minute
	// leftTime is how long what they still send is read when they have been answered.
	leftTime  = 5 * time.Second
	idleTime  = 2 * time.Minute
	stopTime  = 5 * time.Second
	maxHeader = 64 << 10
)

// New makes a server.
func New(config Config) *Server {
	s := &Server{
		node: config.Node, logger: config.Logger, config: config, mux: http.NewServeMux(),
		failed: newAttempts(config.Node.Now), tail: tail{watchers: map[chan *eventlog.Record]bool{}}, ended: make(chan struct{}),
	}
	huma.NewError = newProblem // of the whole program: errors that huma finds itself are problems like ours
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	s.api = humago.New(s.mux, huma.Config{
		OpenAPI: &huma.OpenAPI{
			Servers: []*huma.Server{{URL: "/", Description: "This server"}},
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Kintsugi", Contact: &huma.Contact{Name: "Kintsugi", URL: "https://github.com/kintsugi-run/kintsugi"}, Version: config.Version, License: &huma.License{Name: "Apache License 2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
				Description: "What the command line does, over HTTP. Every write takes an Idempotency-Key; asking twice is asking once.",
			},
			Components: &huma.Components{
				Schemas: schemas, Responses: refusalResponses(schemas),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token":   {Type: "http", Scheme: "bearer", Description: "A token: kintsugi token create"},
					"session": {Type: "apiKey", In: "cookie", Name: sessionCookie, Description: "A session, begun with POST " + Base + "/session"},
				},
			},
		},
		OpenAPIPath:                  "/openapi",
		Formats:                      map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat, mergePatch: jsonFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	})
	s.routes()
	s.api.OpenAPI().Tags = slices.DeleteFunc(slices.Clone(tags), s.unused)
	s.handler = s.node.Health.Measured(s.guard(s.mux))
	return s
}

// unused says that no operation stands in a group: what a server is not set up for is not described.
func (s *Server) unused(tag *huma.Tag) bool {
	for _, of := range s.api.OpenAPI().Paths {
		for _, one := range []*huma.Operation{of.Get, of.Post, of.Put, of.Patch, of.Delete} {
			if one != nil && slices.Contains(one.Tags, tag.Name) {
				return false
			}
		}
	}
	return true
}

// routes has a line for each subject.
func (s *Server) routes() {
	s.sessions()
	s.signingIn()
	s.signedIn()
	s.tokens()
	s.workflows()
	s.gallery()
	s.scripts()
	s.runs()
	s.fixes()
	s.notifications()
	s.decides()
	s.timeline()
	s.history()
	s.streams()
	s.planning()
	s.exploring()
	s.lookback()
	s.starting()
	s.drafts()
	s.hooks()
	s.repairs()
	s.usage()
	s.secrets()
	s.outages()
	s.subscriptions()
	s.repoPlans()
	s.healer()
	s.system()
	s.reports()
	s.live()
	s.commands()
	s.models()
	s.health()
	s.docs()
	for _, under := range unknownUnder {
		s.mux.HandleFunc(under, s.unknown)
	}
	if s.config.Page != nil {
		s.mux.Handle("/", s.config.Page)
	}
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve answers on a listener until ctx ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := bounded(s, s.logger)
	server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	head, err := s.node.Log.Head(ctx)
	if err != nil {
		return err
	}
	s.tail.after = head
	following := make(chan error, 1)
	go func() {
		following <- app.Outlast(ctx, s.logger, app.LookAgain, func(ctx context.Context) error { return s.tail.run(ctx, s.node.Log) })
	}()
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		close(s.ended)
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		stopped <- errors.Join(server.Shutdown(patience), server.Close())
	})
	err = server.Serve(listener)
	if stop() {
		return err // it failed by itself
	}
	if err := <-following; err != nil && ctx.Err() == nil {
		return err
	}
	return <-stopped
}

// bounded serves clients that may be slow, or want to be. How long a body may take is said by whoever reads it.
func bounded(handler http.Handler, logger *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true) // a proxy that ends TLS has many clients in one connection
	return &http.Server{
		Protocols: protocols,
		Handler:   handler, ReadHeaderTimeout: headerTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// unknownUnder are the paths under which there are operations only, and nothing of the page.
var unknownUnder = []string{Base + "/", "/hooks/"}

// unknown answers where there is no operation.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if _, pattern := s.mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host}); !slices.Contains(unknownUnder, pattern) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		refuse(w, r, http.StatusMethodNotAllowed, "%s has no %s, but %s: /openapi.json lists all operations", r.URL.Path, r.Method, strings.Join(allowed, ", "))
		return
	}
	refuse(w, r, http.StatusNotFound, "there is no operation %s %s: /openapi.json lists them all", r.Method, r.URL.Path)
}

// ownPackages need not be said in the name of a schema.
var ownPackages = map[string]bool{"api": true, "app": true, "projections": true}

// schemaName names a type in the description of the API: by its own name, and by its package's if that is the domain.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.Name()
	if name == "" {
		return huma.DefaultSchemaNamer(t, hint)
	}
	if generic, of, is := strings.Cut(name, "["); is {
		of = strings.TrimRight(of, "]")
		name = of[strings.LastIndexAny(of, "./")+1:] + strings.ToUpper(generic[:1]) + generic[1:]
	}
	path := t.PkgPath()
	from := path[strings.LastIndex(path, "/")+1:]
	if path == "" || ownPackages[from] {
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return strings.ToUpper(from[:1]) + from[1:] + strings.ToUpper(name[:1]) + name[1:]
}
