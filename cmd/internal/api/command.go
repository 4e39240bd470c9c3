package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// A command of the command line is carried out here, by the same code as beside the data directory: what it prints is what it
// prints there. The caller sends what it may read and gets what it writes, so that it knows nothing of this machine.

// HeaderVersion says which version of the program answers a command.
const HeaderVersion = "Kintsugi-Version"

// How much a command may bring, and how many there may be.
const (
	maxCommandBody = 64 << 20 // bytes, base64 included
	maxArgs        = 1000
	maxFiles       = 100
	// bodyTime is how long they may take to come.
	bodyTime = time.Minute
	// mostCommands may be under way at once: some of them follow a run for as long as that takes.
	mostCommands = 64
)

// CommandRequest is a command line, and all that it may read.
type CommandRequest struct {
	Args  []string          `json:"args"`            // after the program's name
	Files map[string][]byte `json:"files,omitempty"` // by the name that stands in args
	Stdin []byte            `json:"stdin,omitempty"`
	// Typing says that the caller's standard input comes after this, as it is typed.
	Typing bool `json:"typing,omitempty"`
	// Agent says that an agent gives it, for whoever the token is of.
	Agent bool `json:"agent,omitempty"`
	// Width is that of the terminal of the caller, in cells; zero if nobody looks at it.
	Width  int  `json:"width,omitempty"`
	Colour bool `json:"colour,omitempty"`
	// Zone is the time zone of the caller: a name, or seconds east of Greenwich; empty for the server's.
	Zone string `json:"zone,omitempty"`
}

// CommandTyped is a part of what is typed while a command goes on. The body ends where the input does.
type CommandTyped struct {
	Stdin []byte `json:"stdin"`
}

// CommandChunk is a part of the answer, a line each. The last one has how the command ended.
type CommandChunk struct {
	Out     []byte `json:"out,omitempty"`
	Err     []byte `json:"err,omitempty"`
	File    string `json:"file,omitempty"` // that the caller is to write, or go on with
	Content []byte `json:"content,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
}

// CommandStreams is where a command reads and writes.
type CommandStreams struct {
	In       io.Reader
	Out, Err io.Writer
	// File is a file on the side of the caller.
	File func(name string) io.Writer
}

// Command carries out a command line for a caller, and returns its exit code.
type Command func(ctx context.Context, caller app.Caller, request CommandRequest, over CommandStreams) int

// Access is what a command needs of somebody elsewhere. The zero Access lets nobody in.
type Access struct {
	Scope installation.Scope
	// OwnerScope is for those who see the workflows of one owner only; empty for a command about the whole installation.
	OwnerScope installation.Scope
}

// Check refuses who may not do what is named.
func (a Access) Check(caller app.Caller, what string) error {
	needs := a.Scope
	if caller.Owner != "" && a.Scope != "" {
		if a.OwnerScope == "" {
			return fault.New(fault.Forbidden, "%s is about the whole installation, and your token is for the workflows of %s only", what, caller.Owner)
		}
		needs = a.OwnerScope
	}
	if needs == "" || !caller.Allows(needs) {
		return fault.New(fault.Forbidden, "your token does not allow this: %s needs the scope %s", what, needs)
	}
	return nil
}

// commands lets command lines in.
func (s *Server) commands() {
	if s.config.Command == nil {
		return
	}
	schemas := s.api.OpenAPI().Components.Schemas
	s.describe(&huma.Operation{
		OperationID: "command", Method: http.MethodPost, Path: Base + "/command", Summary: "Carry out a command line", Tags: []string{"commands"},
		Description: "What kintsugi --server does: it prints what the command prints. The answer is a line of JSON for each part, as it comes; the last one has the exit code. What the token does not allow is said by the command.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: schemas.Schema(reflect.TypeFor[CommandRequest](), true, "CommandRequest"),
		}}},
		Responses: map[string]*huma.Response{"200": {Description: "What it prints", Content: map[string]*huma.MediaType{"application/x-ndjson": {
			Schema: schemas.Schema(reflect.TypeFor[CommandChunk](), true, "CommandChunk"),
		}}}},
	}, "")
	room := make(chan struct{}, mostCommands)
	s.mux.HandleFunc("POST "+Base+"/command", func(w http.ResponseWriter, r *http.Request) {
		caller, err := s.enter(r, "")
		if err != nil {
			s.fail(w, r, "command", err)
			return
		}
		select { // before anything is read, which is kept in memory
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			s.fail(w, r, "command", tooManyCommands(w))
			return
		}
		request, rest, err := readCommand(w, r)
		if err != nil {
			s.fail(w, r, "command", err)
			return
		}
		s.command(w, r, caller, request, rest)
	})
}

func tooManyCommands(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "1")
	return problem(http.StatusTooManyRequests, "%d commands are under way here already: try again when one has ended", mostCommands)
}

// readCommand reads a command, and gives what has what is typed after it; nil if nothing is.
func readCommand(w http.ResponseWriter, r *http.Request) (request CommandRequest, rest *json.Decoder, err error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
		return request, nil, err
	}
	rest = json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCommandBody))
	err = rest.Decode(&request)
	if err == nil && !request.Typing {
		err = rest.Decode(&struct{}{})
		switch {
		case errors.Is(err, io.EOF):
			rest, err = nil, nil
		case err == nil:
			err = errors.New("there is more after it")
		}
	}
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch late := errors.Is(err, os.ErrDeadlineExceeded); {
	case large || late:
		return request, nil, problem(http.StatusRequestEntityTooLarge, "the command and its files are over %d MiB, or did not come whole", maxCommandBody>>20)
	case err != nil:
		return request, nil, fault.New(fault.Invalid, "that is no command: %w", err)
	case len(request.Args) == 0 || len(request.Args) > maxArgs || len(request.Files) > maxFiles:
		return request, nil, fault.New(fault.Invalid, "a command has 1 to %d arguments and at most %d files", maxArgs, maxFiles)
	}
	return request, rest, control.SetReadDeadline(time.Time{}) // it is watched from now on whether the caller is there
}

// command carries out one, and sends what it prints as it prints it. It ends when its caller goes away, is shut out, or the
// server stops.
func (s *Server) command(w http.ResponseWriter, r *http.Request, caller app.Caller, request CommandRequest, rest *json.Decoder) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	var in io.Reader = bytes.NewReader(request.Stdin)
	if rest != nil {
		heard, end, err := hear(w, rest, cancel)
		if err != nil {
			s.fail(w, r, "command", err)
			return
		}
		defer end()
		in = heard
	}
	header := w.Header()
	header.Set("Content-Type", "application/x-ndjson")
	header.Set("X-Accel-Buffering", "no")
	header.Set(HeaderVersion, s.config.Version)
	w.WriteHeader(http.StatusOK)
	to := &chunks{w: w, control: http.NewResponseController(w), failed: cancel}
	to.send(CommandChunk{}) // it has begun
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.attend(ctx, cancel, shown(r), to)
	}()
	if request.Agent {
		caller = caller.AsAgent()
	}
	code := s.config.Command(ctx, caller, request, CommandStreams{
		In: in, Out: chunkWriter(func(p []byte) { to.send(CommandChunk{Out: p}) }),
		Err: chunkWriter(func(p []byte) { to.send(CommandChunk{Err: p}) }),
		File: func(name string) io.Writer {
			return chunkWriter(func(p []byte) { to.send(CommandChunk{File: name, Content: p}) })
		},
	})
	cancel(nil)
	<-watched
	to.send(CommandChunk{Exit: &code})
}

// hear reads what is typed as it comes, also while nobody asks for it: that the caller is gone is seen by that. It ends with end.
func hear(w http.ResponseWriter, rest *json.Decoder, gone context.CancelCauseFunc) (heard io.Reader, end func(), err error) {
	control := http.NewResponseController(w)
	if err := control.EnableFullDuplex(); err != nil {
		return nil, nil, err
	}
	w.Header().Set("Connection", "close") // what was not read of the body is in nobody's way
	typed := &typed{more: make(chan struct{}, 1)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			var part CommandTyped
			if err := rest.Decode(&part); err != nil {
				if !errors.Is(err, io.EOF) {
					gone(fmt.Errorf("the caller is gone: %w", err))
				}
				typed.add(nil, err)
				return
			}
			typed.add(part.Stdin, nil)
		}
	}()
	return typed, func() {
		_ = control.SetReadDeadline(time.Unix(1, 0)) // which ends what waits for more
		<-over
	}, nil
}

// typed is what has been typed and not been read; what a body may hold bounds it.
type typed struct {
	mu   sync.Mutex
	text []byte
	err  error
	more chan struct{} // receives when there is something new
}

func (t *typed) add(text []byte, err error) {
	t.mu.Lock()
	t.text, t.err = append(t.text, text...), err
	t.mu.Unlock()
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// Read implements [io.Reader]; one goroutine reads.
func (t *typed) Read(p []byte) (int, error) {
	for {
		t.mu.Lock()
		n := copy(p, t.text)
		t.text = t.text[n:]
		err := t.err
		t.mu.Unlock()
		switch {
		case n > 0 || len(p) == 0:
			return n, nil
		case err != nil:
			return 0, err
		}
		<-t.more
	}
}

// attend gives a sign of life until ctx ends, and ends it when the caller is shut out or the server stops.
func (s *Server) attend(ctx context.Context, cancel context.CancelCauseFunc, token string, to *chunks) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			cancel(http.ErrServerClosed)
		case <-beat.C:
			if _, err := s.node.Tokens.Caller(ctx, token); err != nil {
				cancel(err)
				return
			}
			to.send(CommandChunk{})
		}
	}
}

// chunks sends the parts of an answer.
type chunks struct {
	mu      sync.Mutex
	w       io.Writer
	control *http.ResponseController
	failed  context.CancelCauseFunc
	broken  bool
}

// send sends a part at once. When it cannot be sent the command ends: nobody hears it.
func (c *chunks) send(chunk CommandChunk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return
	}
	err := c.control.SetWriteDeadline(time.Now().Add(writeTime))
	if err == nil {
		err = writeJSON(c.w, chunk)
	}
	if err == nil {
		err = c.control.Flush()
	}
	if err != nil {
		c.broken = true
		c.failed(fmt.Errorf("the caller is gone: %w", err))
	}
}

// chunkWriter sends what is written.
type chunkWriter func(p []byte)

// Write implements [io.Writer].
func (send chunkWriter) Write(p []byte) (int, error) {
	send(p)
	return len(p), nil
}
