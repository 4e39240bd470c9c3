package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// How live events are sent.
const (
	heartbeat = 15 * time.Second
	// tailKept is how many events a stream may be behind the newest before it reads the log by itself again.
	tailKept = 256
	// writeTime is how long a client may take to receive an event.
	writeTime = 30 * time.Second
)

// LiveEvent is an event as it is told to those who watch. The full text is there if they asked for it.
type LiveEvent struct {
	Position string          `json:"position"`
	Stream   string          `json:"stream"`
	Revision int64           `json:"revision"`
	Type     string          `json:"type"`
	Summary  string          `json:"summary"`
	Workflow string          `json:"workflow,omitempty"`
	Actor    string          `json:"actor"`
	At       time.Time       `json:"at"`
	Payload  json.RawMessage `json:"payload,omitempty"`
}

// tail reads the end of the log once, for all who watch.
type tail struct {
	after    eventlog.Position // that everybody was told of
	mu       sync.Mutex
	watchers map[chan *eventlog.Record]bool
}

// watch gives the events that come from now on. A watcher who falls behind finds the channel closed, and reads the log.
func (t *tail) watch() (<-chan *eventlog.Record, func()) {
	events := make(chan *eventlog.Record, tailKept)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watchers[events] = true
	return events, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watchers, events)
	}
}

func (t *tail) tell(record *eventlog.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for events := range t.watchers {
		select {
		case events <- record:
		default:
			close(events)
			delete(t.watchers, events)
		}
	}
}

// run follows the log until ctx ends. When the log cannot be reached it goes on later where it was, so that nobody who
// watches misses anything.
func (t *tail) run(ctx context.Context, log eventlog.Log) error {
	for delivery, err := range log.Subscribe(ctx, t.after, eventlog.Everything) {
		if err != nil {
			return err
		}
		t.after = delivery.Position
		if delivery.Record != nil {
			t.tell(delivery.Record)
		}
	}
	return nil
}

// watching is what a client asked to be told of.
type watching struct {
	after    eventlog.Position
	workflow string
	stream   string
	types    map[string]bool
	full     bool
	words    bool // that agents say, while they do
	owner    string
	owners   map[string]string // of workflows, as they were looked up
}

func (s *Server) live() {
	text := func(name, doc string) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: &huma.Schema{Type: "string"}}
	}
	s.describe(&huma.Operation{
		OperationID: "events", Method: http.MethodGet, Path: Base + "/events", Summary: "What happens, as it happens", Tags: []string{"events"},
		Description: "A stream of server-sent events that does not end by itself. Each has the event's position as its id: who comes back with Last-Event-ID misses nothing. " +
			"With words=true it also has what agents of this server say, piece by piece, as events of the type words, which have no id and are not sent again.",
		Parameters: []*huma.Param{
			text("after", "A position, or start; without it only what comes from now on"), text("workflow", "Only of this workflow"), text("stream", "Only of this stream, as plan-ID or session-ID"),
			text("types", "Only these types of events, with commas"), text("payload", "full: what the event says in full"), text("words", "true: what agents say, too"),
			{Name: "Last-Event-ID", In: "header", Description: "Before after", Schema: &huma.Schema{Type: "string"}},
		},
		Responses: map[string]*huma.Response{"200": {Description: "The stream", Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[LiveEvent](), true, "LiveEvent"),
		}}}},
	}, installation.Read)
	s.mux.HandleFunc("GET "+Base+"/events", func(w http.ResponseWriter, r *http.Request) {
		caller, err := s.enter(r, installation.Read)
		if err != nil {
			s.fail(w, r, "events", err)
			return
		}
		asked, err := s.asked(r, caller)
		if err != nil {
			s.fail(w, r, "events", err)
			return
		}
		if err := s.stream(w, r, shown(r), asked); err != nil && r.Context().Err() == nil {
			s.logger.Debug("a stream of events ended", "error", err)
		}
	})
}

// asked reads what a client wants: from where, of which workflow, which types.
func (s *Server) asked(r *http.Request, caller app.Caller) (*watching, error) {
	query := r.URL.Query()
	for name := range query {
		switch name {
		case "after", "workflow", "stream", "types", "payload", "words":
		default:
			return nil, fault.New(fault.Invalid, "%q is no parameter of the live events: there are after, workflow, stream, types, payload and words", name)
		}
	}
	w := &watching{workflow: query.Get("workflow"), stream: query.Get("stream"), owner: caller.Owner, owners: map[string]string{}, full: query.Get("payload") == "full"}
	if payload := query.Get("payload"); payload != "" && payload != "full" && payload != "none" {
		return nil, fault.New(fault.Invalid, "payload %q: it is full or none", payload)
	}
	switch words := query.Get("words"); words {
	case "true":
		w.words = true
	case "", "false":
	default:
		return nil, fault.New(fault.Invalid, "words %q: it is true or false", words)
	}
	for _, name := range query["types"] {
		for one := range strings.SplitSeq(name, ",") {
			if s.node.Codec.Version(one) == 0 {
				return nil, fault.New(fault.Invalid, "there is no type of event %q: see docs/events.md", one)
			}
			if w.types == nil {
				w.types = map[string]bool{}
			}
			w.types[one] = true
		}
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = query.Get("after")
	}
	head, err := s.node.Log.Head(r.Context())
	if err != nil {
		return nil, err
	}
	switch after {
	case "":
		w.after = head
		return w, nil
	case "start":
		return w, nil
	}
	w.after, err = s.position(r.Context(), after)
	return w, err
}

// position reads a position that this log has.
func (s *Server) position(ctx context.Context, text string) (eventlog.Position, error) {
	number, err := eventlog.Position(text).Number()
	if err != nil || number < 0 {
		return "", fault.New(fault.Invalid, "%q is no position of the log: take one that this server gave, as the id of an event or in Kintsugi-Position", text)
	}
	head, err := s.node.Log.Head(ctx)
	if err != nil {
		return "", err
	}
	if position := eventlog.PositionOf(number); position <= head {
		return position, nil
	}
	return "", fault.New(fault.Invalid, "the log has no position %s yet: it may be that of another one", text)
}

// stream sends what was asked for, from the log first and then as it comes. Every event has its position as its id, so
// a client that comes back with the last one misses nothing.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, token string, asked *watching) error {
	control := http.NewResponseController(w)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	send := func(text string) error {
		if err := control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
			return err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return control.Flush()
	}
	if err := send("retry: 1000\nid: " + string(asked.after) + "\n\n"); err != nil {
		return err
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	var words <-chan agents.Saying // nobody hears a nil one
	if asked.words {
		heard, stop := s.node.Words.Listen()
		defer stop()
		words = heard
	}
	// The words of an agent go before the event that has it whole.
	hear := func() error {
		for {
			select {
			case piece := <-words:
				if err := s.say(r.Context(), asked, piece, send); err != nil {
					return err
				}
			default:
				return nil
			}
		}
	}
	for {
		events, stop := s.tail.watch()
		err := s.catchUp(r.Context(), asked, send)
		for err == nil && events != nil {
			select {
			case <-r.Context().Done():
				err = r.Context().Err()
			case <-s.ended:
				err = http.ErrServerClosed
			case <-beat.C:
				// A caller who was shut out meanwhile is told nothing more.
				if _, err = s.node.Tokens.Caller(r.Context(), token); err == nil {
					err = send(": alive\n\n")
				}
			case piece := <-words:
				err = s.say(r.Context(), asked, piece, send)
			case record, open := <-events:
				if !open {
					events = nil
					break
				}
				if err = hear(); err == nil {
					err = s.tell(r.Context(), asked, *record, send)
				}
			}
		}
		stop()
		if err != nil {
			return err
		}
	}
}

// catchUp sends what the log has after the last event that was sent.
func (s *Server) catchUp(ctx context.Context, asked *watching, send func(string) error) error {
	for record, err := range s.node.Log.All(ctx, asked.after, eventlog.Everything) {
		if err != nil {
			return err
		}
		if err := s.tell(ctx, asked, record, send); err != nil {
			return err
		}
	}
	return nil
}

// tell sends an event, if it was asked for and not sent yet.
func (s *Server) tell(ctx context.Context, asked *watching, record eventlog.Record, send func(string) error) error {
	if record.Position <= asked.after {
		return nil
	}
	asked.after = record.Position
	if asked.types != nil && !asked.types[record.Type] || asked.stream != "" && asked.stream != record.Stream {
		return nil
	}
	recorded, err := s.node.Commands.Show(record)
	if err != nil {
		return nil //nolint:nilerr // an event that cannot be read is told by doctor, and stops nobody who watches others
	}
	of, its := strings.CutPrefix(recorded.Metadata.Subject, workflow.Subject(""))
	if asked.workflow != "" && (!its || of != asked.workflow) {
		return nil
	}
	if asked.owner != "" && (!its || s.ownerOf(ctx, asked, of) != asked.owner) {
		return nil
	}
	told := LiveEvent{
		Position: string(record.Position), Stream: record.Stream, Revision: record.Revision, Type: record.Type,
		Summary: projections.Line(recorded.Event, s.node.Zone()), Workflow: of, Actor: recorded.Metadata.Actor, At: recorded.Metadata.RecordedAt,
	}
	if !its {
		told.Workflow = ""
	}
	if asked.full {
		if told.Payload, err = event.Marshal(recorded.Event); err != nil {
			return err
		}
	}
	data, err := json.Marshal(told)
	if err != nil {
		return err
	}
	return send(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", record.Position, record.Type, data))
}

// say sends a piece of what an agent says. It has no id: who comes back later has the whole message as an event.
func (s *Server) say(ctx context.Context, asked *watching, piece agents.Saying, send func(string) error) error {
	if asked.stream != "" || asked.workflow != "" && piece.Workflow != asked.workflow || asked.owner != "" && s.ownerOf(ctx, asked, piece.Workflow) != asked.owner {
		return nil
	}
	data, err := json.Marshal(piece)
	if err != nil {
		return err
	}
	return send(fmt.Sprintf("event: words\ndata: %s\n\n", data))
}

func (s *Server) ownerOf(ctx context.Context, asked *watching, id string) string {
	owner, known := asked.owners[id]
	if !known {
		if state, err := s.node.Commands.LoadWorkflow(ctx, id); err == nil {
			owner = state.Owner
			asked.owners[id] = owner
		}
	}
	return owner
}
