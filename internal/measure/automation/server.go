package automation

import (
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
)

// Server answers over HTTP as the outside answered a run. Its path /HOST/PATH stands for
// https://HOST/PATH (see [Automation.At]). It is safe for concurrent use.
type Server struct {
	mu      sync.Mutex
	answers map[string]Answer
}

var _ http.Handler = (*Server)(nil)

// NewServer returns a server that knows no answer.
func NewServer() *Server {
	return &Server{answers: map[string]Answer{}}
}

// Answer makes the server answer as in run from now on. The last of several runs that
// were answered differently at the same address counts.
func (s *Server) Answer(run Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, answer := range run.Answers {
		u, err := url.Parse(answer.URL)
		if err != nil {
			continue // then no request can be for it, either
		}
		s.answers[requestKey(answer.Method, "/"+u.Host+u.Path, u.Query())] = answer
	}
}

// ServeHTTP implements [http.Handler]. A request that no run made is answered with status 404.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer, ok := s.answers[requestKey(r.Method, r.URL.Path, r.URL.Query())]
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(map[string]string{"message": "no recorded answer for " + r.Method + " " + r.URL.String()})
		return
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// requestKey ignores the order of the query.
func requestKey(method, path string, query url.Values) string {
	return method + " " + path + "?" + query.Encode()
}
