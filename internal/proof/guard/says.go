package guard

import (
	"net/http"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// mostSaying is how many members an answer has that says what is the matter, of a service that nothing else is known of.
const mostSaying = 4

// Says finds in a run that failed, or was stopped for these findings, the success whose body says that it is none,
// the last one first: it lacks what recorded successes always had, and says why where they never had anything. Only
// the last write can be it: after an earlier one the script has gone on.
func (e *Expectation) Says(run *gate.Run, stopped []Finding) (said hostcall.Said, call gate.Call, ok bool) {
	wrote := false
	for _, call := range slices.Backward(run.Calls) {
		write := writes(call)
		if !asked(call) && !write || write && wrote {
			continue
		}
		wrote = wrote || write
		if call.Error != nil || len(stopped) > 0 && !slices.ContainsFunc(stopped, func(f Finding) bool { return f.Kind != Garbage && e.from(f.Source, call) }) {
			continue
		}
		value, status, _, _, _ := answered(call)
		if status >= http.StatusMultipleChoices {
			continue
		}
		known := e.answersTo(call)
		ordinary := func([]string) bool { return false }
		if known != nil {
			ordinary = func(path []string) bool {
				return known.At(path) != nil && !(len(path) == 0 && known.At(path).Kinds["string"] == 0)
			}
		}
		if !lacks(known, value) {
			continue
		}
		if said, ok = hostcall.SaidIn(value, ordinary); ok {
			return said, call, true
		}
	}
	return said, call, false
}

// answersTo is what such a call was answered with; nil if that is not known.
func (e *Expectation) answersTo(call gate.Call) *payload.Schema {
	name := addressOf(call.Tool, listOf(call.Args)).named(e.fixed)
	if writes(call) {
		return e.Replies[name]
	}
	if source := e.Sources[name]; source != nil {
		return source.Values
	}
	return nil
}

// writes says that a call changed something outside, over the web.
func writes(call gate.Call) bool {
	return hostcall.Of(call.Tool).Request != nil && call.Effect == string(sandbox.Write)
}

// lacks says that an answer is without something that there always was.
func lacks(known *payload.Schema, value any) bool {
	object, isObject := value.(*orderedjson.Object)
	if known == nil {
		return isObject && len(object.Keys) <= mostSaying
	}
	root := known.At(nil)
	if root == nil || root.Kinds[payload.KindOf(value)] == 0 {
		return true
	}
	return isObject && slices.ContainsFunc(known.All(), func(p *payload.Place) bool {
		if len(p.Path) != 1 || !p.IsMember() || p.Seen() < known.Objects(nil) {
			return false
		}
		_, there := object.Fields[p.Path[0]]
		return !there
	})
}
