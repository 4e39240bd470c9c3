package repair

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

//go:embed tracer.js
var tracerJS string

// Bounds on what one trace notes: a script that reads more is seen only in part.
const (
	maxTracedReads    = 4000  // different reads
	maxTracedCaptures = 20000 // reads of which the place is taken
	alwaysTraced      = 64    // reads of one key at one path, before only a sample is taken
	sampledTraces     = 16    // one in so many
	maxTracedText     = 1 << 20
	maxTracedNothing  = 200 // objects that lacked a key, of each read
)

// execute runs code with the tracer around it on a recorded run, answered as the gate answers it.
type execute func(ctx context.Context, code, around string, run *gate.Run) (sandbox.Outcome, error)

// trace is what a script read from its input and from the answers of its calls.
type trace struct {
	run     *gate.Run
	failure *failure // nil if main returned
	// unanswered says that the run needed an answer that was never recorded. Only a stopped run's reads before that
	// are used; those of others are not known to be right.
	unanswered bool
	output     json.RawMessage
	writes     []gate.Write
	roots      []root
	reads      []read
	badTexts   []badText
}

// failure is the error that ended a traced run.
type failure struct {
	name    string
	class   string
	message string
	frames  []script.Position // innermost first, of the script only
}

// root is a value that came from outside: the input, an answer, parsed JSON.
type root struct {
	kind  string // input, call, parse
	tool  string
	about string // first argument of a call, with what varies taken out
	at    script.Position
	value any // as decoded by decodeValue
	known bool
}

// read is a property that the script read, all reads of one kind at one place together.
type read struct {
	root   int
	path   []string // from the root to the object that was read; "[]" is any element
	key    string
	at     script.Position
	native bool // a built-in function read it, not an expression of the script
	kinds  map[string]int
	last   int // order of the last such read
	// nothing are the exact paths of objects in which the key was absent or null.
	nothing [][]string
}

// badText is a text that JSON.parse refused.
type badText struct {
	at   script.Position
	kind string
	text string
}

type rawTrace struct {
	Roots []struct {
		Kind  string `json:"kind"`
		Tool  string `json:"tool"`
		Nth   int    `json:"nth"`
		At    string `json:"at"`
		Node  int    `json:"node"`
		Value string `json:"value"`
		Text  string `json:"text"`
	} `json:"roots"`
	Nodes []struct {
		Parent int    `json:"parent"`
		Key    string `json:"key"`
	} `json:"nodes"`
	Reads []struct {
		Node    int            `json:"node"`
		Key     string         `json:"key"`
		At      string         `json:"at"`
		Kinds   map[string]int `json:"kinds"`
		Last    int            `json:"last"`
		Nothing [][]string     `json:"nothing"`
	} `json:"reads"`
	BadTexts []struct {
		At   string `json:"at"`
		Kind string `json:"kind"`
		Text string `json:"text"`
	} `json:"badTexts"`
	Failure *struct {
		Name    string `json:"name"`
		Class   string `json:"class"`
		Message string `json:"message"`
		Stack   string `json:"stack"`
	} `json:"failure"`
	Output string `json:"output"`
}

// tracerFor is what stands around a script that is traced: nothing of the script itself is another text, so it is
// traced whatever form it has.
func tracerFor(tools []string) (string, error) {
	config, err := json.Marshal(map[string]any{
		"tools": append([]string{}, tools...), "reads": maxTracedReads, "captures": maxTracedCaptures, "text": maxTracedText, "nothing": maxTracedNothing,
		"always": alwaysTraced, "sample": sampledTraces,
	})
	if err != nil {
		return "", fmt.Errorf("repair: trace: %w", err)
	}
	return strings.Replace(tracerJS, "/*CONFIG*/ null", string(config), 1), nil
}

// errNotTraceable says that the script made its trace unreadable.
var errNotTraceable = errors.New("repair: the script cannot be traced")

// observe runs the script on a recorded run and reports what it read.
func observe(ctx context.Context, run execute, s *script.Source, tools []string, on *gate.Run) (*trace, error) {
	around, err := tracerFor(tools)
	if err != nil {
		return nil, err
	}
	outcome, err := run(ctx, s.Code, around, on)
	if err != nil {
		return nil, fmt.Errorf("repair: trace run %s: %w", on.ID, err)
	}
	t := &trace{run: on}
	if outcome.Error != nil {
		t.unanswered = outcome.Error.Code == sandbox.CodeUnanswerable
		t.failure = &failure{name: outcome.Error.Name, class: outcome.Error.Class, message: outcome.Error.Message}
		for _, frame := range outcome.Error.Frames {
			t.failure.frames = append(t.failure.frames, script.Position{Line: frame.Line, Column: frame.Column})
		}
		return t, nil
	}
	var raw rawTrace
	if err := json.Unmarshal(outcome.Output, &raw); err != nil {
		return nil, fmt.Errorf("%w: run %s: %w", errNotTraceable, on.ID, err) // the script's doing
	}
	t.fill(raw, outcome, len(s.Lines))
	if slices.ContainsFunc(outcome.Calls, func(call sandbox.TracedCall) bool {
		return call.Error != nil && call.Error.Code == sandbox.CodeUnanswerable
	}) {
		t.unanswered, t.failure = true, nil
	}
	return t, nil
}

func (t *trace) fill(raw rawTrace, outcome sandbox.Outcome, lines int) {
	if raw.Failure != nil {
		t.failure = &failure{
			name: raw.Failure.Name, class: raw.Failure.Class, message: raw.Failure.Message,
			frames: framesOf(raw.Failure.Stack, lines),
		}
	}
	t.output = json.RawMessage(raw.Output)
	answers := map[string][]sandbox.TracedCall{}
	for _, call := range outcome.Calls {
		answers[call.Tool] = append(answers[call.Tool], call)
		if call.Effect == sandbox.Write {
			t.writes = append(t.writes, gate.Write{Tool: call.Tool, Args: call.Args})
		}
	}
	rootOf := map[int]int{}
	for i, r := range raw.Roots {
		rootOf[r.Node] = i
		made := root{kind: r.Kind, tool: r.Tool, at: positionOf(r.At)}
		switch r.Kind {
		case "input":
			made.value, made.known = payload.Decode(t.run.Input), true
		case "call":
			if calls := answers[r.Tool]; r.Nth >= 0 && r.Nth < len(calls) {
				call := calls[r.Nth]
				made.about = template(call.Args)
				if made.known = !call.Opaque; len(call.Result) > 0 { // nothing is null
					made.value = payload.Decode(call.Result)
				}
			}
		case "parse":
			made.value, made.known = payload.Decode(json.RawMessage(r.Text)), r.Text != ""
		}
		t.roots = append(t.roots, made)
	}
	for _, r := range raw.Reads {
		path, node, ok := raw.pathOf(r.Node)
		rootIndex, known := rootOf[node]
		if !ok || !known {
			continue
		}
		at, native := strings.CutPrefix(r.At, "n")
		t.reads = append(t.reads, read{
			root: rootIndex, path: path, key: r.Key, at: positionOf(at), native: native, kinds: r.Kinds, last: r.Last, nothing: r.Nothing,
		})
	}
	for _, bad := range raw.BadTexts {
		t.badTexts = append(t.badTexts, badText{at: positionOf(strings.TrimPrefix(bad.At, "n")), kind: bad.Kind, text: bad.Text})
	}
}

// pathOf follows a node up to its root. Not ok if there is none: the script could have
// reached into the tracer and made the trace up.
func (raw *rawTrace) pathOf(node int) (path []string, root int, ok bool) {
	for node >= 0 && node < len(raw.Nodes) {
		at := raw.Nodes[node]
		if at.Parent < 0 {
			slices.Reverse(path)
			return path, node, true
		}
		if at.Parent >= node {
			break
		}
		path = append(path, at.Key)
		node = at.Parent
	}
	return nil, 0, false
}

func positionOf(at string) script.Position {
	line, column, _ := strings.Cut(strings.TrimPrefix(at, "n"), ":")
	l, _ := strconv.Atoi(line)
	c, _ := strconv.Atoi(column)
	return script.Position{Line: l, Column: c}
}

var framePattern = lazyregexp.New(`\bscript\.[jt]s:(\d+):(\d+)(?:\(\d+\))?\)?(?:, which is \S+)?\s*$`)

// framesOf reads the places in the script out of a stack trace.
func framesOf(stack string, lines int) []script.Position {
	var frames []script.Position
	for line := range strings.SplitSeq(stack, "\n") {
		found := framePattern.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		l, _ := strconv.Atoi(found[1])
		c, _ := strconv.Atoi(found[2])
		if l >= 1 && l <= lines {
			frames = append(frames, script.Position{Line: l, Column: c})
		}
	}
	return frames
}

// template takes what varies from call to call out of a call's first argument: the query's
// values and path segments that look like ids.
func template(args json.RawMessage) string {
	list, ok := payload.Decode(args).([]any)
	if !ok || len(list) == 0 {
		return ""
	}
	text, ok := list[0].(string)
	if !ok {
		return ""
	}
	address, query, _ := strings.Cut(text, "?")
	scheme, rest, isURL := strings.Cut(address, "://")
	if !isURL {
		return variable.ReplaceAllString(text, "#")
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts[1:] {
		if len(part) > 24 || strings.ContainsAny(part, "0123456789") && !version.MatchString(part) {
			parts[i+1] = "#"
		}
	}
	var names []string
	for field := range strings.SplitSeq(query, "&") {
		if name, _, ok := strings.Cut(field, "="); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return scheme + "://" + strings.Join(parts, "/") + "?" + strings.Join(names, "&")
}

var (
	variable = lazyregexp.New(`[0-9]+(?:[-:.T][0-9]+)*`)
	version  = lazyregexp.New(`^v[0-9]+(?:\.[0-9]+)*$`)
)
