package guard

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Version is a script with the recorded successes that it is known by.
type Version struct {
	Code      string
	Zone      string // IANA, default UTC
	Successes []replay.Run
}

// Source is what calls of one template, or triggers, gave.
type Source struct {
	Values   *Values        `json:"values"`
	Runs     int            `json:"runs"`
	Statuses map[int]int    `json:"statuses,omitempty"` // of web.fetch, and of errors that the script went on after
	Types    map[string]int `json:"types,omitempty"`    // media types, where answers say them
	Errors   map[string]int `json:"errors,omitempty"`   // names of errors that the script went on after

	last string
	of   string // the template, of one address
}

// Expectation is what recorded successes teach. It can be kept as JSON.
type Expectation struct {
	Runs    int                `json:"runs"`
	Sources map[string]*Source `json:"sources"`
	Sinks   map[string]*Values `json:"sinks"` // the output, and the arguments of writes by template
	// Given and Made are for each run how long the lists were that it was given, and that it made.
	Given []map[string]int `json:"given"`
	Made  []map[string]int `json:"made"`
	// Garbage are words of garbage that successes wrote, too.
	Garbage map[string]bool `json:"garbage"`

	code string
	last string // the run that was added last
}

const (
	maxCounted = 50  // runs whose lengths of lists are kept
	maxSources = 200 // with more, addresses are not told apart
)

// Learn sums up the recorded successes of a version.
func Learn(v Version) *Expectation {
	e := newExpectation(v.Code)
	for i := range v.Successes {
		e.Add(&v.Successes[i])
	}
	return e
}

func newExpectation(code string) *Expectation {
	return &Expectation{Sources: map[string]*Source{}, Sinks: map[string]*Values{}, Garbage: map[string]bool{}, code: code}
}

// Add takes in one more success, or more of the one that was added last.
func (e *Expectation) Add(run *replay.Run) {
	if e.Runs == 0 || e.last != run.ID {
		e.Runs++
		e.last = run.ID
		if len(e.Given) < maxCounted {
			e.Given, e.Made = append(e.Given, map[string]int{}), append(e.Made, map[string]int{})
		}
	}
	given, made := map[string]int{}, map[string]int{}
	if e.Runs == len(e.Given) {
		given, made = e.Given[e.Runs-1], e.Made[e.Runs-1]
	}
	e.eachAnswer(run, func(a answer) {
		s := e.Sources[a.source]
		if s == nil {
			if a.of != "" && len(e.Sources) >= maxSources {
				return
			}
			s = &Source{Values: newValues(), Statuses: map[int]int{}, Types: map[string]int{}, Errors: map[string]int{}, of: a.of}
			e.Sources[a.source] = s
		}
		if s.Runs == 0 || s.last != run.ID {
			s.last = run.ID
			s.Runs++
		}
		if a.status != 0 {
			s.Statuses[a.status]++
		}
		if a.media != "" {
			s.Types[a.media]++
		}
		if a.failed != "" {
			s.Errors[a.failed]++
			return
		}
		if a.status >= http.StatusMultipleChoices {
			return // what an error looks like is another matter
		}
		s.Values.add(run.ID, a.value, nil)
		if a.of == "" {
			countLists(a.value, a.source, given)
		}
	})
	e.eachMade(run, func(sink string, value any, path []string) {
		v := e.Sinks[sink]
		if v == nil {
			v = newValues()
			e.Sinks[sink] = v
		}
		v.add(run.ID, value, path)
		countLists(value, sink+" "+show(path), made)
		eachText(value, func(text string) {
			if word := garbageIn(text); word != "" {
				e.Garbage[word] = true
			}
		})
	})
}

// answer is what a run was given at one time.
type answer struct {
	source string
	value  any
	status int    // 0 if it is not known
	media  string // empty if it is not known
	failed string // the name of the error, if it was one
	of     string // the template, if source is one address of several
}

const fromInput = "input"

// eachAnswer visits what a run was given from outside.
func (e *Expectation) eachAnswer(run *replay.Run, visit func(answer)) {
	if value, _ := open(run.Input); value != nil {
		visit(answer{source: fromInput, value: value})
	}
	for _, call := range run.Calls {
		if !asked(call) {
			continue
		}
		a := answer{source: e.template(call.Tool, call.Args)}
		if call.Error != nil {
			a.failed, a.status = call.Error.Name, call.Error.Status
		} else {
			a.value, _ = open(call.Result)
			a.status, a.media = statusOf(call)
		}
		visit(a)
		// Where a path is asked again and again, what it gives may change by itself.
		if a.of, a.source = a.source, address(call.Tool, call.Args, func(word string) string { return word }); a.of != a.source {
			visit(a)
		}
	}
}

// asked says that a call brought something from outside.
func asked(call replay.Call) bool {
	return strings.HasPrefix(call.Tool, "web.") && call.Effect != string(sandbox.Write)
}

// from says that a call gave what a source gives.
func (e *Expectation) from(source string, call replay.Call) bool {
	return asked(call) && (e.template(call.Tool, call.Args) == source ||
		address(call.Tool, call.Args, func(word string) string { return word }) == source)
}

// eachMade visits what a run did: the arguments of its writes, and its output once it has one.
func (e *Expectation) eachMade(run *replay.Run, visit func(sink string, value any, path []string)) {
	for _, call := range run.Calls {
		if call.Effect != string(sandbox.Write) {
			continue
		}
		args, _ := payload.Decode(call.Args).([]any)
		for i, arg := range args {
			visit("write "+e.template(call.Tool, call.Args), arg, []string{strconv.Itoa(i)})
		}
	}
	if len(run.Outcome.Output) > 0 {
		visit("output", payload.Decode(run.Outcome.Output), nil)
	}
}

// template names calls that are alike: what the script spells out stays, what comes from data is *.
func (e *Expectation) template(tool string, args json.RawMessage) string {
	if strings.HasPrefix(tool, "web.") {
		return address(tool, args, e.fixed)
	}
	if kind, _, _ := strings.Cut(tool, "."); kind == "kv" || kind == "files" {
		list, _ := payload.Decode(args).([]any)
		if len(list) > 0 {
			first, _ := list[0].(string)
			return tool + " " + e.fixed(first)
		}
	}
	return tool
}

// address is the method and address of a web call without its query, each part of its path as name has it.
func address(tool string, args json.RawMessage, name func(string) string) string {
	list, _ := payload.Decode(args).([]any)
	first := ""
	if len(list) > 0 {
		first, _ = list[0].(string)
	}
	method, options := http.MethodGet, 1
	if tool == "web.postJSON" {
		method, options = http.MethodPost, 2
	}
	if len(list) > options {
		if given, ok := list[options].(*ordered.Object); ok {
			if named, ok := given.Fields["method"].(string); ok && named != "" {
				method = strings.ToUpper(named)
			}
		}
	}
	to, err := url.Parse(first)
	if err != nil {
		return method + " *"
	}
	segments := strings.Split(to.Path, "/")
	for i, segment := range segments {
		segments[i] = name(segment)
	}
	return method + " " + to.Host + strings.Join(segments, "/")
}

func (e *Expectation) fixed(word string) string {
	if strings.Contains(e.code, word) {
		return word
	}
	return "*"
}

// open is what an answer says: of web.fetch the body, a JSON document where it is one. write puts another
// one in its place.
func open(result json.RawMessage) (value any, write func(any) json.RawMessage) {
	encode := func(value any) json.RawMessage {
		made, err := ordered.Encode(value)
		if err != nil {
			return result
		}
		return made
	}
	whole, err := ordered.Decode(result)
	if err != nil {
		return nil, encode
	}
	if reply, ok := whole.(*ordered.Object); ok {
		text, isText := reply.Fields["body"].(string)
		if _, isFetch := reply.Fields["status"].(float64); isFetch && isText {
			inside, isJSON := documentIn(text)
			if !isJSON {
				inside = text
			}
			return inside, func(value any) json.RawMessage {
				again, _ := ordered.Decode(result)
				made, _ := again.(*ordered.Object)
				if plain, is := value.(string); is && !isJSON {
					made.Fields["body"] = plain
				} else {
					made.Fields["body"] = string(encode(value))
				}
				return encode(made)
			}
		}
	}
	return whole, encode
}

// statusOf reads the status and the media type of what web.fetch gave.
func statusOf(call replay.Call) (status int, media string) {
	if call.Tool != "web.fetch" {
		return http.StatusOK, ""
	}
	reply, _ := payload.Decode(call.Result).(*ordered.Object)
	if reply == nil {
		return 0, ""
	}
	if number, ok := reply.Fields["status"].(float64); ok {
		status = int(number)
	}
	if headers, ok := reply.Fields["headers"].(*ordered.Object); ok {
		for _, name := range headers.Keys {
			if strings.EqualFold(name, "content-type") {
				media, _ = headers.Fields[name].(string)
				media, _, _ = strings.Cut(strings.ToLower(media), ";")
				media = strings.TrimSpace(media)
			}
		}
	}
	return status, media
}

// countLists adds up how long the lists at each place are.
func countLists(value any, at string, counts map[string]int) {
	switch v := value.(type) {
	case []any:
		counts[at] += len(v)
		for _, one := range v[:min(len(v), maxElements)] {
			countLists(one, at+element, counts)
		}
	case *ordered.Object:
		for _, key := range v.Keys {
			countLists(v.Fields[key], at+"."+key, counts)
		}
	}
}

func eachText(value any, visit func(string)) {
	switch v := value.(type) {
	case string:
		visit(v)
	case []any:
		for _, one := range v {
			eachText(one, visit)
		}
	case *ordered.Object:
		for _, key := range v.Keys {
			visit(key)
			eachText(v.Fields[key], visit)
		}
	}
}

func sortedPlaces(v *Values) []*Place {
	places := make([]*Place, 0, len(v.Places))
	for _, p := range v.Places {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b *Place) int {
		if len(a.Path) != len(b.Path) {
			return len(a.Path) - len(b.Path)
		}
		return strings.Compare(keyOf(a.Path), keyOf(b.Path))
	})
	return places
}
