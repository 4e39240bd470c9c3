package agents

import (
	"context"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Saying is a piece of what an agent says, while it says it. It counts for nothing and is kept nowhere: what counts is on the
// agent's thread, once it is whole.
type Saying struct {
	Workflow string `json:"workflow"`
	Thread   string `json:"thread"`
	Agent    string `json:"agent"` // planner or maintainer
	// Begins says that an answer begins: what was heard of one that broke off is void.
	Begins bool   `json:"begins,omitempty"`
	Text   string `json:"text,omitempty"`
	Tool   string `json:"tool,omitempty"` // a call of it begins
	// Gap says that pieces before this one were lost: the listener was too slow.
	Gap bool `json:"gap,omitempty"`
}

// sayingsKept is how many pieces a listener may be behind.
const sayingsKept = 256

// Words passes what agents of this process say to listeners. An agent waits for no listener.
type Words struct {
	mu        sync.Mutex
	listeners map[*listener]bool
}

type listener struct {
	pieces chan Saying
	gap    bool
}

// Listen hears all agents from now on, until stop.
func (w *Words) Listen() (pieces <-chan Saying, stop func()) {
	one := &listener{pieces: make(chan Saying, sayingsKept)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners == nil {
		w.listeners = map[*listener]bool{}
	}
	w.listeners[one] = true
	return one.pieces, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.listeners, one)
	}
}

func (w *Words) say(piece Saying) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.listeners {
		piece := piece
		piece.Gap = one.gap
		select {
		case one.pieces <- piece:
			one.gap = false
		default:
			one.gap = true
		}
	}
}

// spoken is a model whose answers are heard as they come.
type spoken struct {
	llm.Model
	words *Words
	whose Saying
}

// Heard is a model whose answers in a conversation are heard; the model itself if nobody can listen.
func (w *Words) Heard(model llm.Model, whose Saying) llm.Model {
	if w == nil {
		return model
	}
	return spoken{model, w, whose}
}

// Chat implements [llm.Model].
func (s spoken) Chat(ctx context.Context, request llm.Request) (llm.Answer, error) {
	thoughts := agent.Thoughts{}
	begin := func() {
		piece := s.whose
		piece.Begins, thoughts = true, agent.Thoughts{}
		s.words.say(piece)
	}
	begin()
	request.Heard = func(heard llm.Delta) {
		if heard.Again {
			begin()
			return
		}
		piece := s.whose
		piece.Text, piece.Tool = thoughts.Without(heard.Text), heard.Tool
		if piece.Text != "" || piece.Tool != "" {
			s.words.say(piece)
		}
	}
	return s.Model.Chat(ctx, request)
}
