package guard

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Version is a script with the recorded successes that it is known by.
type Version struct {
	Code      string
	Zone      string // IANA, default UTC
	Successes []gate.Run
	// Mended says that the successes are those of the code before it, which was mended for what it is looked at on.
	Mended bool
}

// Source is what calls of one template, or triggers, gave.
type Source struct {
	Values   *payload.Schema
	Runs     int
	Statuses map[int]int     // of web.fetch, and of errors that the script went on after
	Types    map[string]int  // media types, where answers say them
	Errors   map[string]int  // names of errors that the script went on after
	Forms    map[string]int  // how bodies are written
	Pages    *payload.Schema // what pages are made of
	Heads    *payload.Schema // headers that the script names

	last string
	of   string // the template, of one address
}

// Expectation is what recorded successes teach.
type Expectation struct {
	Runs    int
	Sources map[string]*Source
	Sinks   map[string]*payload.Schema // the output, and the arguments of writes by template
	Replies map[string]*payload.Schema // what writes over the web were answered with
	// Given and Made are for each run how long the lists were that it was given, and that it made.
	Given []map[string]int
	Made  []map[string]int
	// Garbage are words of garbage that successes wrote, too.
	Garbage map[string]bool

	// Trial says that the version is a fix that no run has confirmed yet: its predecessors' outcomes are the measure.
	Trial bool

	code    string
	spelled map[string]bool     // keys, by the code
	last    string              // the run that was added last
	missed  map[string][]answer // of that run, by request: errors that it has not asked again after, with success
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
	return (&Expectation{code: code, spelled: payload.Spelled(code)}).another()
}

// another is one of nothing, for the same script.
func (e *Expectation) another() *Expectation {
	return &Expectation{Sources: map[string]*Source{}, Sinks: map[string]*payload.Schema{}, Replies: map[string]*payload.Schema{}, Garbage: map[string]bool{}, code: e.code, spelled: e.spelled}
}

// given and made are what stood in a source and in a sink, with maps as maps.
func (e *Expectation) given(of *Source) *payload.Schema {
	return of.Values.Read(payload.Keys{Spelled: e.spelled})
}

func (e *Expectation) made(of *payload.Schema) *payload.Schema {
	return of.Read(payload.Keys{Spelled: e.spelled, Made: true})
}

// Add takes in one more success, or more of the one that was added last.
func (e *Expectation) Add(run *gate.Run) {
	e.add(run, e.madeBy(run))
	e.replied(run)
}

// replied takes in what the writes of a run were answered with.
func (e *Expectation) replied(run *gate.Run) {
	for _, call := range run.Calls {
		if !writes(call) || call.Error != nil {
			continue
		}
		if value, status, _, _, _ := answered(call); status < http.StatusMultipleChoices {
			schemaOf(e.Replies, addressOf(call.Tool, listOf(call.Args)).named(e.fixed)).Add(run.ID, value, nil)
		}
	}
}

func (e *Expectation) add(run *gate.Run, did []made) {
	e.counts(run.ID)
	given, counted := map[string]int{}, map[string]int{}
	if e.Runs == len(e.Given) {
		given, counted = e.Given[e.Runs-1], e.Made[e.Runs-1]
	}
	e.eachAnswer(run, func(a answer) {
		s := e.source(a.source, a.of)
		if s == nil {
			return
		}
		s.ran(run.ID)
		e.askedAgain(a)
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
		if a.form != "" && (a.form != formNone || a.status == http.StatusOK) { // other statuses say that there is nothing
			s.Forms[a.form]++
		}
		s.Values.Add(run.ID, a.value, nil)
		if text, is := a.value.(string); is {
			if page := madeOf(text); page != nil {
				s.Pages.Add(run.ID, page, nil)
			}
		}
		if named := e.named(a.headers); named != nil {
			s.Heads.Add(run.ID, named, nil)
		}
		if a.of == "" {
			countLists(a.value, a.source, given)
		}
	})
	for _, one := range did {
		schemaOf(e.Sinks, one.sink).Add(run.ID, one.value, one.path)
		countLists(one.value, one.sink+" "+payload.Show(one.path), counted)
		for _, text := range one.garbage {
			e.Garbage[garbageIn(text)] = true
		}
	}
}

// askedAgain forgets the errors that the same request was answered with before: the script asked until it was answered.
func (e *Expectation) askedAgain(a answer) {
	if a.request == "" {
		return
	}
	at := a.source + " " + a.request
	if a.failed != "" || a.status >= http.StatusBadRequest {
		if e.missed == nil {
			e.missed = map[string][]answer{}
		}
		e.missed[at] = append(e.missed[at], a)
		return
	}
	s := e.Sources[a.source]
	for _, miss := range e.missed[at] {
		takeOne(s.Statuses, miss.status)
		takeOne(s.Types, miss.media)
		takeOne(s.Errors, miss.failed)
	}
	delete(e.missed, at)
}

func takeOne[K comparable](counts map[K]int, key K) {
	if counts[key] > 1 {
		counts[key]--
	} else {
		delete(counts, key)
	}
}

// Learn takes in the run that was watched, once it has come to an end that is right.
func (l *Live) Learn(run *gate.Run) {
	e, now := l.known, l.now
	e.replied(run)
	if now.Runs == 0 {
		return
	}
	e.counts(now.last)
	if e.Runs == len(e.Given) {
		e.Given[e.Runs-1], e.Made[e.Runs-1] = now.Given[0], now.Made[0]
	}
	for name, of := range now.Sources {
		s := e.source(name, of.of)
		if s == nil {
			continue
		}
		s.ran(now.last)
		addUp(s.Statuses, of.Statuses)
		addUp(s.Types, of.Types)
		addUp(s.Errors, of.Errors)
		addUp(s.Forms, of.Forms)
		s.Values.Take(of.Values)
		s.Pages.Take(of.Pages)
		s.Heads.Take(of.Heads)
	}
	for name, of := range now.Sinks {
		schemaOf(e.Sinks, name).Take(of)
	}
	maps.Copy(e.Garbage, now.Garbage)
}

func addUp[K comparable](sum, of map[K]int) {
	for key, n := range of {
		sum[key] += n
	}
}

// counts begins with a run, if it is not the one that was added last.
func (e *Expectation) counts(run string) {
	if e.Runs > 0 && e.last == run {
		return
	}
	e.Runs++
	e.last, e.missed = run, nil
	if len(e.Given) < maxCounted {
		e.Given, e.Made = append(e.Given, map[string]int{}), append(e.Made, map[string]int{})
	}
}

// named are the headers of an answer that the script names, in lower case; nil if it names none that there could be.
func (e *Expectation) named(headers *orderedjson.Object) *orderedjson.Object {
	if headers == nil {
		return nil
	}
	named := orderedjson.New()
	for _, name := range headers.Keys {
		lower := strings.ToLower(name)
		if lower != "content-type" && strings.Contains(strings.ToLower(e.code), lower) {
			named.Put(lower, headers.Fields[name])
		}
	}
	return named
}

// source is what is known of a source, nil if it is one address of too many.
func (e *Expectation) source(name, of string) *Source {
	s := e.Sources[name]
	if s == nil && (of == "" || len(e.Sources) < maxSources) {
		s = &Source{Values: payload.NewSchema(), Pages: payload.NewSchema(), Heads: payload.NewSchema(), Statuses: map[int]int{}, Types: map[string]int{}, Errors: map[string]int{}, Forms: map[string]int{}, of: of}
		e.Sources[name] = s
	}
	return s
}

func (s *Source) ran(run string) {
	if s.Runs == 0 || s.last != run {
		s.last = run
		s.Runs++
	}
}

func schemaOf(known map[string]*payload.Schema, name string) *payload.Schema {
	v := known[name]
	if v == nil {
		v = payload.NewSchema()
		known[name] = v
	}
	return v
}

// answer is what a run was given at one time.
type answer struct {
	source string
	value  any
	status int    // 0 if it is not known
	media  string // empty if it is not known
	failed string // the name of the error, if it was one
	form   string // of the body; empty if there is none
	// headers are nil if they are not known.
	headers *orderedjson.Object
	// request is what was asked, with all of its arguments; empty if nothing was.
	request string
	of      string // the template, if source is one address of several
}

// inputOf names the kind of a run's input: a person's, the schedule's and a service's inputs need not be alike.
func inputOf(run *gate.Run) string {
	switch run.Trigger {
	case "manual":
		return "input given by hand"
	case "schedule":
		return "input of the schedule"
	}
	return "input"
}

// eachAnswer visits what a run was given from outside.
func (e *Expectation) eachAnswer(run *gate.Run, visit func(answer)) {
	if value, _ := open(run.Input); value != nil {
		visit(answer{source: inputOf(run), value: value})
	}
	for _, call := range run.Calls {
		if !asked(call) {
			continue
		}
		to := addressOf(call.Tool, listOf(call.Args))
		a := answer{source: to.named(e.fixed), request: call.Tool + " " + string(call.Args)}
		if call.Error != nil {
			a.failed, a.status = call.Error.Name, call.Error.Status
		} else {
			a.value, a.status, a.media, a.form, a.headers = answered(call)
		}
		visit(a)
		// Where a path is asked again and again, what it gives may change by itself.
		if a.of, a.source = a.source, to.named(asIs); a.of != a.source {
			visit(a)
		}
	}
}

// asked says that a call brought something from outside.
func asked(call gate.Call) bool {
	return hostcall.Of(call.Tool).Request != nil && call.Effect != string(sandbox.Write)
}

// from says that a call gave what a source gives.
func (e *Expectation) from(source string, call gate.Call) bool {
	if !asked(call) {
		return false
	}
	to := addressOf(call.Tool, listOf(call.Args))
	return to.named(e.fixed) == source || to.named(asIs) == source
}

// made is an argument of a write, or an output.
type made struct {
	sink    string
	path    []string
	value   any
	garbage []string // texts that have some
}

// madeBy is what a run did: the arguments of its writes, and its output once it has one.
func (e *Expectation) madeBy(run *gate.Run) []made {
	var all []made
	took := func(sink string, value any, path []string) {
		one := made{sink: sink, path: path, value: value}
		eachText(value, func(text string) {
			if garbageIn(text) != "" {
				one.garbage = append(one.garbage, text)
			}
		})
		all = append(all, one)
	}
	for _, call := range run.Calls {
		if call.Effect != string(sandbox.Write) {
			continue
		}
		args := listOf(call.Args)
		sink := "write " + e.template(call.Tool, args)
		for i, arg := range args {
			took(sink, arg, []string{strconv.Itoa(i)})
		}
	}
	if len(run.Outcome.Output) > 0 {
		took("output", payload.Decode(run.Outcome.Output), nil)
	}
	return all
}

func listOf(args json.RawMessage) []any {
	list, _ := payload.Decode(args).([]any)
	return list
}

// template names calls that are alike: parts that the script spells out stay, parts that come from data are *.
func (e *Expectation) template(tool string, args []any) string {
	if declares(tool).Request != nil {
		return addressOf(tool, args).named(e.fixed)
	}
	if declares(tool).Folds && len(args) > 0 {
		first, _ := args[0].(string)
		return tool + " " + e.fixed(first)
	}
	return tool
}

// address is where a web call goes, without its query.
type address struct {
	method, host string
	path         []string // the parts of it; nil if it is no address
}

func addressOf(tool string, args []any) address {
	first := ""
	if len(args) > 0 {
		first, _ = args[0].(string)
	}
	method, options := http.MethodGet, 1
	if request := declares(tool).Request; request != nil {
		method, options = request.Method, request.Options
	}
	if len(args) > options {
		if given, ok := args[options].(*orderedjson.Object); ok {
			if named, ok := given.Fields["method"].(string); ok && named != "" {
				method = strings.ToUpper(named)
			}
		}
	}
	to, err := url.Parse(first)
	if err != nil {
		return address{method: method}
	}
	return address{method, to.Host, strings.Split(to.Path, "/")}
}

// named is the address with each part of its path as name has it.
func (a address) named(name func(string) string) string {
	if a.path == nil {
		return a.method + " *"
	}
	parts := make([]string, len(a.path))
	for i, part := range a.path {
		parts[i] = name(part)
	}
	return a.method + " " + a.host + strings.Join(parts, "/")
}

func asIs(word string) string { return word }

func (e *Expectation) fixed(word string) string {
	if strings.Contains(e.code, word) {
		return word
	}
	return "*"
}

// open is what an answer says: of web.fetch the body, and what stands in it where it is JSON, lines of JSON or a table. write puts
// another one in its place, as it is written itself, or as another body is.
func open(result json.RawMessage) (value any, write func(made any, as ...payload.InText) json.RawMessage) {
	encode := func(value any) json.RawMessage {
		made, err := orderedjson.Encode(value)
		if err != nil {
			return result
		}
		return made
	}
	whole, err := orderedjson.Decode(result)
	if err != nil {
		return nil, func(made any, _ ...payload.InText) json.RawMessage { return encode(made) }
	}
	value, fetched, inText := bodyOf(whole)
	return value, func(made any, as ...payload.InText) json.RawMessage {
		if fetched == nil {
			return encode(made)
		}
		text, isText := made.(string)
		if !isText || inText.Form == payload.FormJSON {
			text = string(encode(made))
			for _, one := range append(as, inText) {
				if written, ok := one.Write(made); ok {
					text = written
					break
				}
			}
		}
		fetched.Fields["body"] = text
		return encode(fetched)
	}
}

// bodyOf is what a decoded answer says; fetched is the reply around it, of web.fetch, and inText how the body is written.
func bodyOf(whole any) (value any, fetched *orderedjson.Object, inText payload.InText) {
	reply, ok := whole.(*orderedjson.Object)
	if !ok {
		return whole, nil, inText
	}
	text, isText := reply.Fields["body"].(string)
	if _, isFetch := reply.Fields["status"].(float64); !isFetch || !isText {
		return whole, nil, inText
	}
	if inText, ok = payload.DocumentIn(text); ok {
		return inText.Value, reply, inText
	}
	return text, reply, inText
}

// How a body is written that is no document.
const (
	formText   = "text"
	formMarkup = "markup"
	formBytes  = "bytes"
	formNone   = "nothing"
)

// formOf is how a body is written. A few characters of another encoding make no bytes of a text.
func formOf(value any, in payload.InText) string {
	text, _ := value.(string)
	switch {
	case in.Form != "":
		return in.Form
	case strings.TrimSpace(text) == "":
		return formNone
	case strings.ContainsRune(text, 0), 10*strings.Count(text, "\uFFFD") > utf8.RuneCountInString(text):
		return formBytes
	case strings.HasPrefix(strings.TrimSpace(text), "<"):
		return formMarkup
	}
	return formText
}

// answered is what a call gave, and of web.fetch its status, its media type and how its body is written.
func answered(call gate.Call) (value any, status int, media, form string, headers *orderedjson.Object) {
	whole, err := orderedjson.Decode(call.Result)
	if err != nil {
		whole = nil
	}
	value, fetched, inText := bodyOf(whole)
	if !hostcall.Of(call.Tool).AnswersWhole() {
		form = payload.FormJSON
		if len(call.Result) == 0 {
			form = formNone
		}
		return value, http.StatusOK, "", form, nil
	}
	if fetched != nil {
		form = formOf(value, inText)
	}
	reply, _ := whole.(*orderedjson.Object)
	if reply == nil {
		return value, 0, "", form, nil
	}
	if number, ok := reply.Fields["status"].(float64); ok {
		status = int(number)
	}
	if headers, _ = reply.Fields["headers"].(*orderedjson.Object); headers != nil {
		for _, name := range headers.Keys {
			if strings.EqualFold(name, "content-type") {
				media, _ = headers.Fields[name].(string)
				media, _, _ = strings.Cut(strings.ToLower(media), ";")
				media = strings.TrimSpace(media)
			}
		}
	}
	return value, status, media, form, headers
}

// countLists adds up how long the lists at each place are.
func countLists(value any, at string, counts map[string]int) {
	switch v := value.(type) {
	case []any:
		counts[at] += len(v)
		for _, one := range v[:min(len(v), payload.MaxElements)] {
			countLists(one, at+payload.Element, counts)
		}
	case *orderedjson.Object:
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
	case *orderedjson.Object:
		for _, key := range v.Keys {
			visit(key)
			eachText(v.Fields[key], visit)
		}
	}
}

func declares(name string) *hostcall.Tool { return hostcall.Of(name) }
