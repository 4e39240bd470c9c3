package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// How many days of a generated automation are recorded and held aside.
const (
	recordedDays = 6
	heldOutDays  = 4
)

// Scene is an automation at work: what was recorded, the day that will break, and days
// held aside with their right ends.
type Scene struct {
	Automation Automation
	Successes  []gate.Run
	runner     sandbox.Runner
	seed       uint64
	state      *hostcall.Memory // after the successes
	recorded   []heldOutDay     // the days of the successes
	day        heldOutDay
	heldOut    []heldOutDay
	days       []automation.Run // all of them, as they are without a change
}

// heldOutDay is a day that fixers do not see, with the end of the unchanged script on it.
type heldOutDay struct {
	id    string
	day   automation.Run
	state *hostcall.Memory // before it
	end   string
}

// Prepare records an automation. If the days of an automation were written down, the last is the day that breaks, and
// the recorded days serve once more, changed, as those held aside.
func Prepare(ctx context.Context, runner sandbox.Runner, a Automation, seed uint64) (*Scene, error) {
	s := &Scene{Automation: a, runner: runner, seed: seed, state: &hostcall.Memory{}}
	days := a.recorded
	for n := range recordedDays + 1 + heldOutDays {
		if a.recorded != nil {
			break
		}
		day, err := a.Day(ctx, runner, n, seed)
		if err != nil {
			return nil, err
		}
		days = append(days, day)
	}
	s.days = days
	last := min(recordedDays, len(days)-1)
	for i, day := range days[:last] {
		before := s.state.Clone()
		run, err := live(ctx, runner, &s.Automation, a.Code, fmt.Sprintf("r%d", i+1), day, s.state)
		if err != nil {
			return nil, err
		}
		if run.Outcome.Status != "succeeded" {
			return nil, fmt.Errorf("drift: %s fails on day %d although nothing changed: %s: %s", a.Name, i, run.Outcome.Error.Name, run.Outcome.Error.Message)
		}
		s.Successes = append(s.Successes, run)
		s.recorded = append(s.recorded, heldOutDay{id: run.ID, day: day, state: before, end: end(run)})
		if a.recorded != nil {
			s.heldOut = s.recorded
		}
	}
	for i, day := range days[last:] {
		one := heldOutDay{id: fmt.Sprintf("x%d", i), day: day, state: s.state}
		run, err := live(ctx, runner, &s.Automation, a.Code, one.id, day, s.state.Clone())
		if err != nil {
			return nil, err
		}
		if one.end = end(run); one.end == "" {
			return nil, fmt.Errorf("drift: %s fails on a day aside although nothing changed: %s: %s", a.Name, run.Outcome.Error.Name, run.Outcome.Error.Message)
		}
		if i == 0 {
			s.day = one
		} else {
			s.heldOut = append(s.heldOut, one)
		}
	}
	return s, nil
}

// Fault is one change at one place.
type Fault struct {
	Kind  Kind
	Place string
	at    place
	seed  uint64
}

// Faults lists up to most places for each kind at which it changes the day that breaks;
// which ones is decided by the scene's seed.
func (s *Scene) Faults(kinds []Kind, most int) []Fault {
	places := s.places()
	var faults []Fault
	for _, kind := range kinds {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(s.Automation.Name + kind.Name))
		rng := rand.New(rand.NewPCG(s.seed, hash.Sum64()))
		found := 0
		for _, i := range rng.Perm(len(places)) {
			if found == most {
				break
			}
			fault := Fault{Kind: kind, Place: places[i].String(), at: places[i], seed: rng.Uint64()}
			if (places[i].key == "") != (kind.whole != nil) {
				continue
			}
			if _, changed := fault.apply(s.day.day); changed {
				if kind.Name == "envelope: taken off" && s.readsBeside(fault) {
					fault.Kind.Name, fault.Kind.Lossy = lostEnvelope, true
				}
				faults = append(faults, fault)
				found++
			}
		}
	}
	return faults
}

// readsBeside says that the script names something that an answer holds beside its one object or list.
func (s *Scene) readsBeside(fault Fault) bool {
	for _, answer := range s.day.day.Answers {
		value, err := orderedjson.Decode(payload(answer.Body))
		if o, ok := value.(*orderedjson.Object); err == nil && ok && sourceOf(answer) == fault.at.source {
			for _, key := range o.Keys {
				if !isContainer(o.Fields[key]) && regexp.MustCompile(`\b`+regexp.QuoteMeta(key)+`\b`).MatchString(s.Automation.Code) {
					return true
				}
			}
		}
	}
	return false
}

// places are all members of all answers of the day, and the answers themselves.
func (s *Scene) places() []place {
	var places []place
	seen := map[string]bool{}
	add := func(p place) {
		if !seen[p.String()] {
			seen[p.String()] = true
			places = append(places, p)
		}
	}
	var walk func(source string, value any, path []string)
	walk = func(source string, value any, path []string) {
		switch v := value.(type) {
		case *orderedjson.Object:
			for _, key := range v.Keys {
				add(place{source, slices.Clone(path), key})
				walk(source, v.Fields[key], append(slices.Clip(path), key))
			}
		case []any:
			for _, element := range v {
				walk(source, element, append(slices.Clip(path), "[]"))
			}
		}
	}
	if s.day.day.Trigger == "webhook" {
		if value, err := orderedjson.Decode(s.day.day.Input); err == nil {
			add(place{source: fromInput})
			walk(fromInput, value, nil)
		}
	}
	for _, answer := range s.day.day.Answers {
		if value, err := orderedjson.Decode(payload(answer.Body)); err == nil && isContainer(value) {
			add(place{source: sourceOf(answer)})
			walk(sourceOf(answer), value, nil)
		}
	}
	return places
}

const fromInput = "input"

// payload is the JSON of an answer, also of one that is written as a text.
func payload(body json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(body, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return body
}

// sourceOf names answers of a kind: the address without what has a number in it.
func sourceOf(answer automation.Answer) string {
	u, err := url.Parse(answer.URL)
	if err != nil {
		return answer.Method + " " + answer.URL
	}
	segments := strings.Split(u.Path, "/")
	for i, segment := range segments {
		if strings.ContainsAny(segment, "0123456789") && len(segment) > 2 {
			segments[i] = "*"
		}
	}
	return answer.Method + " " + u.Host + strings.Join(segments, "/")
}

// apply changes a day, and says whether there was something to change.
func (f Fault) apply(day automation.Run) (automation.Run, bool) {
	changed := false
	alter := func(body json.RawMessage) json.RawMessage {
		value, err := orderedjson.Decode(payload(body))
		if err != nil {
			return body
		}
		done := false
		if f.Kind.whole != nil {
			made, ok := f.Kind.whole(value)
			if ok {
				value, done = made, true
			}
		} else {
			n := uint64(0)
			visit(value, f.at.path, func(found any) {
				o, ok := found.(*orderedjson.Object)
				if !ok {
					return
				}
				if _, has := o.Fields[f.at.key]; !has {
					return
				}
				// The same choices everywhere, except where a change is for some only.
				stream := uint64(0)
				if strings.HasSuffix(f.Kind.Name, "in some") {
					n++
					stream = n
				}
				done = f.Kind.member(rand.New(rand.NewPCG(f.seed, stream)), f.at, o) || done
			})
		}
		if !done {
			return body
		}
		made, err := orderedjson.Encode(value)
		if err != nil {
			return body
		}
		changed = true
		if len(body) > 0 && body[0] == '"' { // it travels as text
			if made, err = orderedjson.Encode(string(made)); err != nil {
				return body
			}
		}
		return made
	}
	if f.at.source == fromInput {
		day.Input = alter(day.Input)
		return day, changed
	}
	day.Answers = slices.Clone(day.Answers)
	for i, answer := range day.Answers {
		if sourceOf(answer) == f.at.source {
			day.Answers[i].Body = alter(answer.Body)
			if f.Kind.status != 0 {
				day.Answers[i].Status = f.Kind.status
			}
		}
	}
	return day, changed
}

// On is a day with the change.
func (f Fault) On(day automation.Run) automation.Run {
	changed, _ := f.apply(day)
	return changed
}
