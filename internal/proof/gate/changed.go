package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

const (
	// MostCompared is how many successes, the newest, make up what was before.
	MostCompared = 20
	// mostChanged is how many places a person is shown.
	mostChanged = 12
)

// Changed is one place at which a failed run was given something else than the runs that succeeded.
type Changed struct {
	Of   string `json:"of" doc:"the input, or the call whose answer it is"`
	Host string `json:"host,omitempty" doc:"the host that was asked, of a call over the web"`
	Read string `json:"read,omitempty" doc:"the same call for people: its method and address, as GET api.test/orders"`
	Call int    `json:"call" doc:"the number of that call in the failed run, from 1; 0 for the input"`
	Path string `json:"path" doc:"of the place in the answer, as a[].b; empty for all of it"`
	How  string `json:"how" doc:"gone, null, new, and so on"`
	Says string `json:"says" doc:"how it was, and how it is"`
}

// String is one line.
func (c Changed) String() string { return strings.TrimPrefix(c.Of+": "+c.Says, ": ") }

// Changes is the one account of what changed, for people and models: place by place, how what a failed run was given differs
// from what the newest successes, oldest first, were given.
func Changes(code string, failed *Run, successes []Run) []Changed {
	a := &comparison{code: code, keys: payload.Keys{Spelled: payload.Spelled(code)}, templates: newTemplates(asWritten(code)), told: map[string]bool{}}
	a.successes = successes[max(0, len(successes)-MostCompared):]
	a.compare("input", 0, nil, func(run *Run, give func(json.RawMessage)) { give(run.Input) }, failed.Input)
	for i := range failed.Calls {
		call := &failed.Calls[i]
		if call.Error != nil || call.Effect == string(sandbox.Write) {
			continue
		}
		a.compare(CallName(call), i+1, call, a.earlier(call), call.Result)
	}
	if left := len(a.found) - mostChanged; left > 0 {
		a.found = append(a.found[:mostChanged], Changed{Says: fmt.Sprintf("(%d more places)", left)})
	}
	return a.found
}

type comparison struct {
	code      string
	keys      payload.Keys
	templates *templates
	successes []Run
	found     []Changed
	told      map[string]bool
}

// Earlier is what successes were given by the call that a failed run made: by the very same one if it was made often enough,
// else by all of its kind, else by those to its host.
func Earlier(code string, call *Call, successes []Run) *payload.Schema {
	a := &comparison{templates: newTemplates(asWritten(code)), successes: successes}
	made := payload.NewSchema()
	each := a.earlier(call)
	for i := range successes {
		each(&successes[i], func(text json.RawMessage) {
			if value := payload.Decode(text); value != (payload.Absent{}) {
				made.Add(successes[i].ID, value, nil)
			}
		})
	}
	return made
}

func (a *comparison) earlier(call *Call) func(*Run, func(json.RawMessage)) {
	args, kind := sandbox.Canonical(call.Args), a.templates.of(call.Tool, call.Args)
	_, to, web := toOf(call)
	for i, same := range []func(*Call) bool{
		func(other *Call) bool { return other.Tool == call.Tool && sandbox.Canonical(other.Args) == args },
		func(other *Call) bool { return a.templates.of(other.Tool, other.Args) == kind },
		func(other *Call) bool {
			_, its, _ := toOf(other)
			return other.Tool == call.Tool && web && its.host == to.host
		},
	} {
		each := func(run *Run, give func(json.RawMessage)) {
			for i := range run.Calls {
				if run.Calls[i].Error == nil && same(&run.Calls[i]) {
					give(run.Calls[i].Result)
				}
			}
		}
		made := 0
		for i := range a.successes {
			each(&a.successes[i], func(json.RawMessage) { made++ })
		}
		if made >= payload.LeastSeen || i > 0 && made > 0 {
			return each
		}
	}
	return func(*Run, func(json.RawMessage)) {}
}

// compare tells what differs in one thing that the failed run was given.
func (a *comparison) compare(of string, number int, call *Call, each func(*Run, func(json.RawMessage)), now json.RawMessage) {
	tell := func(path, how, says string) {
		one := Changed{Of: of, Call: number, Path: path, How: how, Says: says}
		if call != nil {
			one.Host, one.Read = readable(call)
		}
		if !a.told[one.String()] { // each page of a list may say the same
			a.told[one.String()] = true
			a.found = append(a.found, one)
		}
	}
	type given struct {
		run   string
		value any
	}
	var before []given
	var statuses []int
	for i := range a.successes {
		each(&a.successes[i], func(text json.RawMessage) {
			value, status := answeredTo(call, text)
			if status < http.StatusMultipleChoices {
				before = append(before, given{a.successes[i].ID, value})
			}
			statuses = append(statuses, status)
		})
	}
	value, status := answeredTo(call, now)
	if len(statuses) == 0 || value == (payload.Absent{}) {
		return
	}
	if status >= http.StatusMultipleChoices && !slices.Contains(statuses, status) {
		tell("", payload.IsChanged, fmt.Sprintf("it was answered with status %d, and is answered with %d", statuses[len(statuses)-1], status))
		return
	}
	if now := page(value); now != nil {
		var pages []*html.Node
		for _, one := range before {
			if root := page(one.value); root != nil {
				pages = append(pages, root)
			}
		}
		if len(pages) > 0 && len(pages) == len(before) {
			a.comparePages(pages, now, tell)
			return
		}
	}
	was, is := payload.NewSchema(), payload.NewSchema()
	for _, one := range before {
		was.Add(one.run, laidOut(one.value), nil)
	}
	is.Add("", laidOut(value), nil)
	read := was.Read(a.keys)
	for _, change := range payload.Changes(read, is.Like(read)) {
		tell(payload.Show(change.Path), change.How, change.String())
	}
}

// answeredTo is what a script reads of an answer, and its status if there is one.
func answeredTo(call *Call, text json.RawMessage) (value any, status int) {
	if value = payload.Decode(text); len(text) == 0 && call != nil {
		return nil, 0 // as a script reads it
	}
	if answer, ok := value.(*orderedjson.Object); ok && call != nil && hostcall.Of(call.Tool).AnswersWhole() {
		n, _ := answer.Fields["status"].(float64)
		return answer.Fields["body"], int(n)
	}
	return value, 0
}

// laidOut is a text as the document that it is: JSON, a JSON document on each line, or a table with its header.
func laidOut(value any) any {
	text, _ := value.(string)
	if inside, ok := payload.DocumentIn(text); ok {
		return inside.Value
	}
	return value
}

// CallName is what a call is about, whatever ids and query it has: its tool, and of its address the host and the path without
// segments that hold digits.
func CallName(call *Call) string {
	first, to, ok := toOf(call)
	if !ok {
		return strings.TrimSpace(call.Tool + " " + first)
	}
	for i, segment := range to.segments {
		if strings.ContainsAny(segment, "0123456789") && len(segment) > 2 {
			to.segments[i] = "*"
		}
	}
	return call.Tool + " " + to.host + "/" + strings.Join(to.segments, "/")
}

// readable is the host of a call over the web, and what people read of it; empty for any other call.
func readable(call *Call) (host, text string) {
	request := hostcall.Of(call.Tool).Request
	_, to, web := toOf(call)
	if request == nil || !web {
		return "", ""
	}
	return to.host, cmp.Or(request.MethodOf(call.Args), request.Method) + strings.TrimPrefix(CallName(call), call.Tool)
}

// toOf is the first argument of a call, and where it leads if it is an address.
func toOf(call *Call) (first string, to target, ok bool) {
	if args, _ := decode(call.Args).([]any); len(args) > 0 {
		first, _ = args[0].(string)
	}
	to, ok = urlTarget(first)
	return first, to, ok
}
