package gate

import (
	"encoding/json"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// Envelope is where the scripts of one major version have been: the hosts they read, and for writes the
// host, method and first two path segments, ids folded. Beyond it a fix needs a person.
type Envelope struct {
	templates *templates
	hosts     map[string]bool
	places    map[string]bool // method host/first/second
	// spelled are places of URLs in the first code whose method is not known: host/first/second.
	spelled map[string]bool
}

// NewEnvelope learns the envelope of a subject: from the calls of its recorded successes, the URLs in its
// first code, and the hosts that a person allowed (for reads; a write there still asks). Where the failed run
// went an answer may have sent it, and where a run went that was imported nobody here knows why.
func NewEnvelope(subject Subject) *Envelope {
	code, _ := parseScript(subject.Code)
	first := code
	if subject.FirstCode != "" {
		first, _ = parseScript(subject.FirstCode)
	}
	e := &Envelope{templates: newTemplates(code, first), hosts: map[string]bool{}, places: map[string]bool{}, spelled: map[string]bool{}}
	for i := range subject.Successes {
		if subject.Successes[i].Trigger != triggerImport {
			e.addRun(&subject.Successes[i])
		}
	}
	if first != nil {
		e.addCode(first)
	}
	for _, host := range subject.Allowed {
		e.hosts[strings.ToLower(host)] = true
	}
	return e
}

// triggerImport is the trigger of runs that happened elsewhere.
const triggerImport = "import"

func (e *Envelope) addRun(run *Run) {
	for _, call := range run.Calls {
		args, _ := decode(call.Args).([]any)
		if t, ok := webTarget(call.Tool, args); ok {
			e.hosts[t.host] = true
			if call.Effect == string(sandbox.Write) {
				e.places[t.place()], e.places[e.templates.folded(t).place()] = true, true
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
	text = strings.TrimSpace(text)
	scheme, _, _ := strings.Cut(strings.ToLower(text), "://")
	if scheme != "http" && scheme != "https" {
		return target{}, false
	}
	return urlTarget(text)
}

// addCode takes the hosts of URLs that a script spells out, and where its calls write. If a call does not say
// that, the URLs may be used with every method.
func (e *Envelope) addCode(s *script.Source) {
	said := len(handles(s)) == 0
	for _, site := range sites(s) {
		for _, w := range site.ways {
			if t, spelled := w.place(); spelled {
				e.places[t.place()] = true
			} else if asksWeb(site.tool) {
				said = said && w.method == "GET"
			}
		}
	}
	for _, node := range s.Nodes {
		t, ok := spelledTarget(node)
		if !ok {
			continue
		}
		e.hosts[t.host] = true
		if request := declares(callAround(s, node)).Request; !said && (request == nil || request.Whole) {
			e.spelled[strings.TrimPrefix(t.place(), " ")] = true
		}
	}
}

// place is where a way leads whose method and host are spelled out, holes in the path starred.
func (w way) place() (target, bool) {
	if to, spelled := w.origin(); !spelled || to.host == "" || strings.HasPrefix(w.method, unknownWay) {
		return target{}, false
	}
	const mark = "kintsugi-hole"
	to, ok := urlTarget(strings.ReplaceAll(w.value, hole, mark))
	for i, segment := range to.segments {
		if strings.Contains(segment, mark) {
			to.segments[i] = "*"
		}
	}
	to.method, _, _ = strings.Cut(w.method, " ")
	return to, ok
}

// callAround is the call over the web in whose first argument a node stands.
func callAround(s *script.Source, node ast.Node) string {
	for at := node; at != nil; at = s.Parents[at] {
		call, ok := s.Parents[at].(*ast.CallExpression)
		if !ok {
			continue
		}
		if name := s.Tool(call); asksWeb(name) && len(call.ArgumentList) > 0 && call.ArgumentList[0] == at {
			return name
		}
	}
	return ""
}

// Allows says whether a call lies inside. Calls that do not leave the house always do.
func (e *Envelope) Allows(tool string, args json.RawMessage, effect sandbox.Effect) bool {
	return e.allows(tool, args, effect, nil)
}

// allows is asked about the calls of a candidate: a path segment that its code spells out is no id.
func (e *Envelope) allows(tool string, args json.RawMessage, effect sandbox.Effect, own *templates) bool {
	list, _ := decode(args).([]any)
	t, ok := webTarget(tool, list)
	if !ok {
		return !asksWeb(tool)
	}
	if effect != sandbox.Write {
		return e.hosts[t.host]
	}
	place := e.place(t, own)
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

func (e *Envelope) place(t target, own *templates) string {
	folded := e.templates.folded(t)
	for i, segment := range t.segments {
		if own != nil && own.tokens[segment] {
			folded.segments[i] = segment
		}
	}
	return folded.place()
}

// outsideEnvelope holds a fix that goes where no recorded run and no address in the first
// code has been.
func outsideEnvelope(q *inquiry) []string {
	var found []string
	tell := func(tool string, args json.RawMessage, effect sandbox.Effect) {
		if q.gate.envelope.allows(tool, args, effect, q.own) {
			return
		}
		list, _ := decode(args).([]any)
		where := showCall(tool, args)
		if t, ok := webTarget(tool, list); ok {
			where = q.gate.envelope.place(t, q.own)
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
