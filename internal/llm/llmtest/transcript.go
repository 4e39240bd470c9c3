package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

// Transcript is a conversation as a model had it, kept as JSON: what it was shown and what it said.
type Transcript struct {
	Name  string `json:"name"`  // of the file, without .json
	About string `json:"about"` // what it shows, for people
	// Material is what somebody put in Where, for the model to find.
	Where    string `json:"where,omitempty"`
	Material string `json:"material,omitempty"`
	// Marker is the part of Material that survives being quoted, cut and escaped.
	Marker string `json:"marker,omitempty"`
	Turns  []Turn `json:"turns"`
}

// Steps are the transcript's turns, for [Serve].
func (t Transcript) Steps() []Step {
	steps := make([]Step, len(t.Turns))
	for i, turn := range t.Turns {
		steps[i] = turn.Step()
	}
	return steps
}

// Transcripts reads all transcripts in a directory.
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
	if !strings.Contains(transcript.Material, transcript.Marker) {
		return transcript, fmt.Errorf("transcript %s: its marker is not in its material", name)
	}
	return transcript, nil
}

// Obedient is a model that does whatever material tells it: once it finds the marker of a
// transcript in a request, it takes the transcript's turns, one in each answer. It is the worst
// model there can be: what it cannot do, no model can.
type Obedient struct {
	Transcript Transcript
	// Otherwise is what it says before it found the marker and after the last turn.
	Otherwise Responder

	found bool
	taken int
}

// Respond implements [Responder].
func (o *Obedient) Respond(request Request) Step {
	o.found = o.found || request.Has(o.Transcript.Marker)
	if !o.found || o.taken == len(o.Transcript.Turns) {
		if o.Otherwise == nil {
			return Text("There is nothing that I can do.")
		}
		return o.Otherwise.Respond(request)
	}
	o.taken++
	return o.Transcript.Turns[o.taken-1].Step()
}

// Obeyed says that the model found its instructions and followed all of them: a test in which it
// did not shows nothing. Ask when nothing is under way any more.
func (o *Obedient) Obeyed() bool { return o.found && o.taken == len(o.Transcript.Turns) }

// RespondFunc is a function as a [Responder].
type RespondFunc func(Request) Step

// Respond implements [Responder].
func (f RespondFunc) Respond(request Request) Step { return f(request) }
