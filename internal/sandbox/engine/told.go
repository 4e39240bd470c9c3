package engine

import (
	"reflect"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// Bounds of what is told of an error beside its message.
const (
	mostTold      = 4 << 10
	mostValueText = 300
	mostValues    = 10
	mostCauses    = 5
)

var proxyType = reflect.TypeFor[goja.Proxy]()

// told are the values that an uncaught error carries beside its message, and its causes, as Node writes them behind the
// stack: which row had no price, and which error began it.
func (r *Run) told(value goja.Value) string {
	var b strings.Builder
	if object, is := value.(*goja.Object); is && object.ClassName() == "Error" {
		r.tell(&b, object, "\n  ", mostCauses)
	}
	return Cut(b.String(), mostTold)
}

// tell writes the values of an error, each on a line that begins so, then its causes.
func (r *Run) tell(b *strings.Builder, e *goja.Object, begin string, left int) {
	if !readable(e) {
		return
	}
	if r.ledger[e] == nil { // the host's own errors have theirs in the failure
		n := 0
		for _, key := range e.Keys() {
			if key == "name" || key == "message" || key == "stack" || key == "cause" || key == "errors" {
				continue
			}
			if text := r.valueText(e.Get(key)); text != "" {
				b.WriteString(begin + Cut(key, maxNameBytes) + ": " + text)
				n++
			}
			if n == mostValues {
				break
			}
		}
	}
	if left == 0 {
		return
	}
	if cause := e.Get("cause"); cause != nil && !goja.IsUndefined(cause) {
		r.tellError(b, cause, begin, "[cause]", left)
	}
	if list, is := e.Get("errors").(*goja.Object); is && list.ClassName() == "Array" {
		for i, key := range list.Keys() {
			if i == mostCauses {
				break
			}
			r.tellError(b, list.Get(key), begin, "[errors] "+key, left)
		}
	}
}

func (r *Run) tellError(b *strings.Builder, value goja.Value, begin, as string, left int) {
	e, is := value.(*goja.Object)
	if !is || e.ClassName() != "Error" {
		if text := r.valueText(value); text != "" {
			b.WriteString(begin + as + ": " + text)
		}
		return
	}
	if !readable(e) {
		return
	}
	name, _ := TextOf(e.Get("name"))
	message, _ := TextOf(e.Get("message"))
	b.WriteString(begin + as + ": " + Cut(name, maxNameBytes) + ": " + Cut(strings.ReplaceAll(message, "\n", " "), mostValueText))
	if stack, is := TextOf(e.Get("stack")); is {
		if found := placeInStack.FindStringSubmatch(stack); found != nil {
			b.WriteString(" (line " + found[1] + ")") // no frame: the failure's own are looked for in this text
		}
	}
	r.tell(b, e, begin+"  ", left-1)
}

// readable says that an error can be looked into without the script's code: a Proxy runs it, and so does the engine, which
// writes the stack with name and message as texts as soon as keys are asked for.
func readable(e *goja.Object) bool {
	if e.ExportType() == proxyType {
		return false
	}
	_, named := TextOf(e.Get("name"))
	_, says := TextOf(e.Get("message"))
	return named && says
}

// placeInStack is the innermost place in the script.
var placeInStack = lazyregexp.New(`\bscript\.js:(\d+):\d+`)

// valueText is a value on one line, empty for what has no text.
func (r *Run) valueText(value goja.Value) string {
	if value == nil {
		return ""
	}
	if object, is := value.(*goja.Object); is {
		if _, callable := goja.AssertFunction(object); callable || object.ExportType() == proxyType {
			return ""
		}
	}
	text, err := r.ToJSON(value)
	if err != nil {
		return ""
	}
	if text == "" {
		text = value.String()
	}
	return Cut(text, mostValueText)
}
