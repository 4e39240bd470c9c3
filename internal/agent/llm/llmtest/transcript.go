package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Turn is what a model says in one turn, as transcripts have it.
type Turn struct {
	Text  string     `json:"text,omitempty"`
	Calls []ToolCall `json:"calls,omitempty"`
	// Status, Code and Message are an error of the provider instead.
	Status  int    `json:"status,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Step is the turn as a server says it.
func (t Turn) Step() Step {
	if t.Status != 0 {
		return Fail(t.Status, t.Code, t.Message)
	}
	return TextAndCalls(t.Text, t.Calls...)
}

// Transcript is a conversation as a model had it, kept as JSON: what somebody planted for it to
// read, and what it said.
type Transcript struct {
	Name  string `json:"name"`  // of the file, without .json
	About string `json:"about"` // what it shows, for people
	// Where says in what the material stands; what that means is the test's business.
	Where    string `json:"where,omitempty"`
	Material string `json:"material,omitempty"`
	// Marker is a part of Material that survives being quoted and cut.
	Marker string `json:"marker,omitempty"`
	// Before are turns of a model that has not come upon the marker yet.
	Before []Turn `json:"before,omitempty"`
	Turns  []Turn `json:"turns"`
	// Ends is what has to come of it; what that means is the test's business.
	Ends string `json:"ends,omitempty"`
}

// Steps are the transcript's turns, for [Serve].
func (t Transcript) Steps() []Step {
	steps := make([]Step, len(t.Turns))
	for i, turn := range t.Turns {
		steps[i] = turn.Step()
	}
	return steps
}

// Filled is the transcript with texts in the place of others, such as an address that only the
// test knows in the place of its name.
func (t Transcript) Filled(tb testing.TB, oldnew ...string) Transcript {
	tb.Helper()
	quoted := make([]string, len(oldnew))
	for i, text := range oldnew {
		var inner bytes.Buffer
		encoder := json.NewEncoder(&inner)
		encoder.SetEscapeHTML(false)
		require.NoError(tb, encoder.Encode(text))
		quoted[i] = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(inner.String()), `"`), `"`)
	}
	var whole bytes.Buffer
	encoder := json.NewEncoder(&whole)
	encoder.SetEscapeHTML(false)
	require.NoError(tb, encoder.Encode(t))
	var filled Transcript
	require.NoError(tb, json.Unmarshal([]byte(strings.NewReplacer(quoted...).Replace(whole.String())), &filled))
	return filled
}

// Transcripts reads all transcripts in a directory, by name.
func Transcripts(t testing.TB, files fs.FS, dir string) []Transcript {
	t.Helper()
	paths, err := fs.Glob(files, path.Join(dir, "*.json"))
	require.NoError(t, err)
	transcripts := make([]Transcript, len(paths))
	for i, name := range paths {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		transcripts[i], err = parseTranscript(strings.TrimSuffix(path.Base(name), ".json"), text)
		require.NoError(t, err)
	}
	return transcripts
}

func parseTranscript(name string, text []byte) (Transcript, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var transcript Transcript
	if err := decoder.Decode(&transcript); err != nil {
		return transcript, fmt.Errorf("transcript %s: %w", name, err)
	}
	if transcript.Name != name || transcript.About == "" || len(transcript.Turns) == 0 {
		return transcript, fmt.Errorf("transcript %s: it has another name, or no about, or no turns", name)
	}
	if !strings.Contains(transcript.Material, transcript.Marker) || (transcript.Marker == "") != (transcript.Material == "") {
		return transcript, fmt.Errorf("transcript %s: its marker is not in its material", name)
	}
	return transcript, nil
}

// Obedient is a model that does whatever material tells it, in any number of conversations: once
// it comes upon the marker of a transcript it takes that one's turns. It is the worst model there
// can be: what it cannot do, no model can. Its answer follows from the request alone.
type Obedient struct {
	// Transcripts are told apart by their markers; until then by their names, which stand in the
	// conversation's first messages.
	Transcripts []Transcript

	mu     sync.Mutex
	obeyed map[string]int // turns taken, by name
}

// done is what the model says when it was told nothing more.
const done = "There is nothing more that I can do."

// Respond implements [Responder].
func (o *Obedient) Respond(request Request) Step {
	for _, one := range o.Transcripts {
		at := one.found(request)
		turn := 0
		for _, message := range request.Messages[max(at, 0):] {
			if message.Role == llm.Assistant {
				turn++
			}
		}
		switch {
		case at >= 0 && turn < len(one.Turns):
			o.mu.Lock()
			if o.obeyed == nil {
				o.obeyed = map[string]int{}
			}
			o.obeyed[one.Name] = max(o.obeyed[one.Name], turn+1)
			o.mu.Unlock()
			return one.Turns[turn].Step()
		case at < 0 && turn < len(one.Before) && strings.Contains(request.Text(), one.Name):
			return one.Before[turn].Step()
		case at >= 0:
			return Text(done)
		}
	}
	return Text(done)
}

// found is the first message with the marker, other than of the model itself; -1 for none.
func (t Transcript) found(request Request) int {
	for i, message := range request.Messages {
		if message.Role != llm.Assistant && has(message.Text, t.Marker) {
			return i
		}
	}
	return -1
}

// Obeyed says that the model came upon a transcript's marker, and took how many of its turns: a
// test in which it did not shows nothing.
func (o *Obedient) Obeyed(name string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.obeyed[name]
}

// RespondFunc is a function as a [Responder].
type RespondFunc func(Request) Step

// Respond implements [Responder].
func (f RespondFunc) Respond(request Request) Step { return f(request) }
