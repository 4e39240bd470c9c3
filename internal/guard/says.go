package guard

import (
	"net/http"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

// mostSaying is how many members an answer has that says what is the matter, of a service that nothing else is known of.
const mostSaying = 4

// Says finds in a run that failed, or was stopped for these findings, the success whose body says that it is none, the last one first:
// it lacks what recorded successes always had, and says why where they never had anything.
func (e *Expectation) Says(run *replay.Run, stopped []Finding) (said tool.Said, call replay.Call, ok bool) {
	for _, call := range slices.Backward(run.Calls) {
		if !asked(call) || call.Error != nil {
			continue
		}
		if len(stopped) > 0 && !slices.ContainsFunc(stopped, func(f Finding) bool { return f.Kind != Garbage && e.from(f.Source, call) }) {
			continue
		}
		value, status, _, _, _ := answered(call)
		if status >= http.StatusMultipleChoices {
			continue
		}
		source := e.Sources[addressOf(call.Tool, listOf(call.Args)).named(e.fixed)]
		ordinary := func([]string) bool { return false }
		if source != nil {
			ordinary = func(path []string) bool {
				return source.Values.At(path) != nil && !(len(path) == 0 && source.Values.At(path).Kinds["string"] == 0)
			}
		}
		if !lacks(source, value) {
			continue
		}
		if said, ok = tool.SaidIn(value, ordinary); ok {
			return said, call, true
		}
	}
	return said, call, false
}

// lacks says that an answer is without something that the source always gave.
func lacks(source *Source, value any) bool {
	object, isObject := value.(*ordered.Object)
	if source == nil {
		return isObject && len(object.Keys) <= mostSaying
	}
	root := source.Values.At(nil)
	if root == nil || root.Kinds[payload.KindOf(value)] == 0 {
		return true
	}
	return isObject && slices.ContainsFunc(source.Values.All(), func(p *payload.Place) bool {
		if len(p.Path) != 1 || !p.IsMember() || p.Seen() < source.Values.Objects(nil) {
			return false
		}
		_, there := object.Fields[p.Path[0]]
		return !there
	})
}
