package hostcall

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Answered is a call of a local tool, and what it was answered.
type Answered struct {
	Call  sandbox.Call
	Reply sandbox.Reply
	AtMS  int64 // the script's clock, for [Again]
}

// Again makes calls of local tools once more, in their order, and names the keys and files that answer otherwise than they did: others
// have changed what the calls were made on. state is changed by the writes.
func Again(calls []Answered, state State) []string {
	moved := map[string]bool{}
	for _, made := range calls {
		now := ApplyLocal(state, made.Call, made.AtMS)
		if (now.Error == nil) != (made.Reply.Error == nil) || orNull(now.Result) != orNull(made.Reply.Result) {
			moved[placeOf(made.Call)] = true
		}
	}
	return slices.Sorted(maps.Keys(moved))
}

// placeOf names for people what a call of a local tool is about.
func placeOf(call sandbox.Call) string {
	if touch, err := TouchOf(call.Tool, call.Args); err == nil && touch.Of != Nothing {
		return touch.place()
	}
	return "what " + call.Tool + " answers"
}

// Moved names the keys and files in state that are not what calls, given in the order in which they were made, found
// or left there: somebody else has changed them since. A run that goes on after these calls would act on old values.
// Text that was only appended to a file is no matter: more may stand before or behind it. Nor is a number that was
// only added to a key.
func Moved(calls []Answered, state State) []string {
	l := look{
		state: state, settled: map[string]bool{}, keys: map[string]bool{}, files: map[string]bool{}, behind: map[string]string{}, added: map[string][]json.RawMessage{}, moved: map[string]bool{},
	}
	// From the newest call back: the newest one about a key or file says what it is to be now.
	for _, made := range slices.Backward(calls) {
		l.at(made)
	}
	return slices.Sorted(maps.Keys(l.moved))
}

// look is how far [Moved] has looked back.
type look struct {
	state   State
	settled map[string]bool              // places that a newer call has told about
	keys    map[string]bool              // those that newer calls wrote
	files   map[string]bool              // those that newer calls wrote
	behind  map[string]string            // what newer calls appended to a file
	added   map[string][]json.RawMessage // what newer calls added to a key, the newest first
	moved   map[string]bool              // places
}

func (l *look) at(made Answered) {
	call, failed := made.Call, made.Reply.Error != nil
	if failed && call.Effect == sandbox.Write {
		return // it changed nothing
	}
	touch, err := TouchOf(call.Tool, call.Args)
	if err != nil {
		return // it was refused
	}
	if touch.Leaves != AsItWas {
		l.left(touch)
		return
	}
	var name string
	if t := Of(call.Tool); t.settle != nil && decode(call, &name) == nil {
		t.settle(l, made, name)
	}
}

// left holds that what a call left is there.
func (l *look) left(touch Touch) {
	written := l.files
	switch {
	case touch.Of == Key && touch.Leaves == Gone:
		l.key(touch.Name, nil)
		written = l.keys
	case touch.Leaves == Added:
		l.added[touch.Name] = append(l.added[touch.Name], touch.Value)
		written = l.keys
	case touch.Of == Key:
		l.key(touch.Name, touch.Value)
		written = l.keys
	case touch.Leaves == Behind:
		l.behind[touch.Name] = touch.Text + l.behind[touch.Name]
	default:
		l.text(touch.Name, touch.Text, touch.Leaves == Put)
	}
	written[touch.Name] = true
}

func ofKey(key string) string   { return "key " + strconv.Quote(key) }
func ofFile(name string) string { return "file " + strconv.Quote(name) }

// key holds that a key has a value, null for none.
func (l *look) key(key string, want json.RawMessage) {
	place := ofKey(key)
	for _, add := range slices.Backward(l.added[key]) {
		want, _ = Sum(want, add) // it was a number: it could be added to
	}
	if got, _ := l.state.KV(key); !l.settled[place] && orNull(got) != orNull(want) {
		l.moved[place] = true
	}
	l.settled[place] = true
}

func orNull(value json.RawMessage) string {
	if len(value) == 0 {
		return "null"
	}
	return sandbox.CanonicalValue(value)
}

// text holds that a file has a text, and behind it what newer calls appended.
func (l *look) text(name, want string, there bool) {
	place := ofFile(name)
	if l.settled[place] {
		return
	}
	l.settled[place] = true
	behind, appended := l.behind[name]
	got, found := l.state.File(name)
	if found != (there || appended) || got.Text != want+behind {
		l.moved[place] = true
	}
}

// names holds that a list has the same entries, but for those that newer calls wrote. A list of a folder
// that is not there has none.
func (l *look) names(place string, was, now json.RawMessage, written map[string]bool) {
	entries := func(list json.RawMessage) (names []string) {
		if json.Unmarshal(list, &names) != nil {
			return nil
		}
		return slices.DeleteFunc(names, func(name string) bool { return written[name] })
	}
	if !l.settled[place] && !slices.Equal(entries(was), entries(now)) {
		l.moved[place] = true
	}
	l.settled[place] = true
}
