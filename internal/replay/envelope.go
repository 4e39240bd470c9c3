package replay

import (
	"encoding/json"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Envelope is where the scripts of one major version have been: the hosts they read, and
// for writes the host, method and first two path segments. Beyond it a fix needs a person.
type Envelope struct {
	hosts  map[string]bool
	places map[string]bool // method host/first/second
	// spelled are places of URLs in the first code whose method is not known: host/first/second.
	spelled map[string]bool
}

// NewEnvelope learns the envelope of a subject: from the calls of its runs, the URLs in
// its first code, and the hosts that a person allowed (for reads; a write there still asks).
func NewEnvelope(subject Subject) *Envelope {
	e := &Envelope{hosts: map[string]bool{}, places: map[string]bool{}, spelled: map[string]bool{}}
	for i := range subject.Successes {
		e.addRun(&subject.Successes[i])
	}
	e.addRun(&subject.Failed)
	first := subject.FirstCode
	if first == "" {
		first = subject.Code
	}
	if s, err := parseScript(first); err == nil {
		e.addCode(s)
	}
	for _, host := range subject.Allowed {
		e.hosts[strings.ToLower(host)] = true
	}
	return e
}

func (e *Envelope) addRun(run *Run) {
	for _, call := range run.Calls {
		args, _ := decode(call.Args).([]any)
		if t, ok := webTarget(call.Tool, args); ok {
			e.hosts[t.host] = true
			if call.Effect == string(sandbox.Write) {
				e.places[t.place()] = true
			}
		}
	}
}

// spelledTarget is where a URL leads that stands in the code as text, or begins a template.
func spelledTarget(node ast.Node) (target, bool) {
	var text string
	switch n := node.(type) {
	case *ast.StringLiteral:
		text = n.Value.String()
	case *ast.TemplateElement:
		text = n.Parsed.String()
	}
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return target{}, false
	}
	return urlTarget(text)
}

// addCode takes the URLs that a script spells out. One that stands in a call has the
// method of that call; any other may be used with every method.
func (e *Envelope) addCode(s *script) {
	for _, node := range s.nodes {
		t, ok := spelledTarget(node)
		if !ok {
			continue
		}
		e.hosts[t.host] = true
		switch s.webCallAround(node) {
		case "web.getJSON":
		case "web.postJSON":
			t.method = "POST"
			e.places[t.place()] = true
		default:
			e.spelled[strings.TrimPrefix(t.place(), " ")] = true
		}
	}
}

// webCallAround is the web tool in whose first argument a node stands.
func (s *script) webCallAround(node ast.Node) string {
	for at := node; at != nil; at = s.parents[at] {
		call, ok := s.parents[at].(*ast.CallExpression)
		if !ok {
			continue
		}
		if name := calleeName(call); strings.HasPrefix(name, "web.") && len(call.ArgumentList) > 0 && call.ArgumentList[0] == at {
			return name
		}
	}
	return ""
}

// Allows says whether a call lies inside. Calls that do not leave the house always do.
func (e *Envelope) Allows(tool string, args json.RawMessage, effect sandbox.Effect) bool {
	list, _ := decode(args).([]any)
	t, ok := webTarget(tool, list)
	if !ok {
		return !strings.HasPrefix(tool, "web.")
	}
	if effect != sandbox.Write {
		return e.hosts[t.host]
	}
	place := t.place()
	if e.places[place] {
		return true
	}
	_, where, _ := strings.Cut(place, " ")
	for spelled := range e.spelled {
		if where == spelled || strings.HasPrefix(where, strings.TrimSuffix(spelled, "/")+"/") {
			return true
		}
	}
	return false
}

// outsideEnvelope holds a fix that goes where no recorded run and no address in the first
// code has been.
func outsideEnvelope(q *inquiry) []string {
	var found []string
	tell := func(tool string, args json.RawMessage, effect sandbox.Effect) {
		if q.gate.envelope.Allows(tool, args, effect) {
			return
		}
		list, _ := decode(args).([]any)
		where := showCall(tool, args)
		if t, ok := webTarget(tool, list); ok {
			where = t.place()
		}
		found = append(found, "outside the envelope: "+string(effect)+" of "+where)
	}
	for _, call := range q.outcome.Calls {
		tell(call.Tool, call.Args, call.Effect)
	}
	for _, call := range q.missed {
		tell(call.Tool, call.Args, call.Effect)
	}
	return found
}
