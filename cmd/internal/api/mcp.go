package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/mcp"
)

// models lets coding agents in, by the Model Context Protocol: their tools are commands, carried out for whoever the token
// stands for.
func (s *Server) models() {
	if s.config.Command == nil {
		return
	}
	room := make(chan struct{}, mostCommands)
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		caller := r.Context().Value(callerKey{}).(app.Caller).AsAgent() // whoever holds the token elsewhere
		return mcp.NewServer(mcp.Config{
			Version: s.config.Version,
			Allows: func(command string) bool {
				return s.config.Access[command].Check(caller, command) == nil
			},
			Command: func(ctx context.Context, args []string, stdin string) mcp.Outcome {
				return s.forModel(ctx, caller, args, stdin)
			},
		})
	}, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxCommandBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the names that this server answers to are checked for all of it
	})
	s.describe(&huma.Operation{
		OperationID: "mcp", Method: http.MethodPost, Path: "/mcp", Summary: "The Model Context Protocol, for coding agents", Tags: []string{"commands"},
		Description: "Messages of the protocol (https://modelcontextprotocol.io), Streamable HTTP, without sessions. The tools are the commands that the token allows.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{}}}},
		Responses:   map[string]*huma.Response{"200": {Description: "The answer of the protocol", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{}}}}},
	}, "")
	s.mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		caller, err := s.enter(r, "")
		if err != nil {
			s.fail(w, r, "mcp", err)
			return
		}
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			s.fail(w, r, "mcp", tooManyCommands(w))
			return
		}
		control := http.NewResponseController(w)
		if err := errors.Join(control.SetReadDeadline(time.Now().Add(bodyTime)), control.SetWriteDeadline(time.Time{})); err != nil { // a command may take long
			s.fail(w, r, "mcp", err)
			return
		}
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller)))
	})
}

// callerKey is where a request has who it is of.
type callerKey struct{}

func (s *Server) forModel(ctx context.Context, caller app.Caller, args []string, stdin string) mcp.Outcome {
	var out, errs bytes.Buffer
	code := s.config.Command(ctx, caller, CommandRequest{Args: args}, CommandStreams{In: strings.NewReader(stdin), Out: &out, Err: &errs, File: func(string) io.Writer { return io.Discard }})
	return mcp.Outcome{Code: code, Out: out.String(), Err: errs.String()}
}
