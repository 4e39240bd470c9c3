package webapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"console"},
	Use:   "console.log(…), .info, .debug, .warn, .error, .table, .group, .dir, .assert, .count, .time",
	Doc:   "Write a line of the run's log, objects as JSON. A text with %s, %d, %i, %f, %j or %o takes what follows it in.",
	Types: `declare const console: {
  log(...values: unknown[]): void; info(...values: unknown[]): void; debug(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void;
  trace(...values: unknown[]): void; dir(value: unknown, options?: object): void; table(rows: unknown, columns?: string[]): void;
  group(...values: unknown[]): void; groupCollapsed(...values: unknown[]): void; groupEnd(): void;
  assert(condition?: unknown, ...values: unknown[]): void; count(label?: string): void; countReset(label?: string): void;
  time(label?: string): void; timeLog(label?: string, ...values: unknown[]): void; timeEnd(label?: string): void;
};`,
	Make: func(r *engine.Run, _ string) goja.Value { return console(r) },
})

// console is what scripts write their log with.
func console(r *engine.Run) *goja.Object {
	var (
		members []string
		methods []func(goja.FunctionCall) goja.Value
		indent  string
		counted = map[string]int{}
		started = map[string]int64{}
	)
	method := func(name, level string, words func(arguments []goja.Value) (string, bool)) {
		members = append(members, name)
		methods = append(methods, func(call goja.FunctionCall) goja.Value {
			r.Alive()
			for _, value := range call.Arguments {
				if object, is := value.(*goja.Object); is && object.ClassName() == "Error" {
					engine.State[processState](r).said = object
				}
			}
			if text, ok := words(call.Arguments); ok {
				r.WriteLog(sandbox.LogLine{Level: level, Text: indent + text})
			}
			return goja.Undefined()
		})
	}
	label := func(arguments []goja.Value) string {
		if len(arguments) == 0 || goja.IsUndefined(arguments[0]) {
			return "default"
		}
		return arguments[0].String()
	}
	plain := func(arguments []goja.Value) (string, bool) { return Format(r, arguments), true }
	first := func(arguments []goja.Value) (string, bool) {
		return Format(r, arguments[:min(len(arguments), 1)]), true
	}
	grouped := func(arguments []goja.Value) (string, bool) {
		text := Format(r, arguments)
		defer func() { indent += "  " }()
		if text != "" {
			r.WriteLog(sandbox.LogLine{Level: "info", Text: indent + text})
		}
		return "", false
	}
	since := func(arguments []goja.Value) (string, bool) {
		name := label(arguments)
		from, ok := started[name]
		text := fmt.Sprintf("%s: %d ms", name, r.Elapsed()-from)
		if more := Format(r, arguments[min(len(arguments), 1):]); more != "" {
			text += " " + more
		}
		return text, ok
	}
	method("log", "info", plain)
	method("info", "info", plain)
	method("debug", "info", plain)
	method("warn", "warn", plain)
	method("error", "error", plain)
	method("trace", "error", plain)
	method("dir", "info", first)
	method("table", "info", first)
	method("group", "info", grouped)
	method("groupCollapsed", "info", grouped)
	method("groupEnd", "info", func([]goja.Value) (string, bool) {
		indent = strings.TrimSuffix(indent, "  ")
		return "", false
	})
	method("assert", "error", func(arguments []goja.Value) (string, bool) {
		if len(arguments) == 0 {
			return "Assertion failed", true
		}
		text := "Assertion failed"
		if len(arguments) > 1 {
			text += ": " + Format(r, arguments[1:])
		}
		return text, !arguments[0].ToBoolean()
	})
	method("count", "info", func(arguments []goja.Value) (string, bool) {
		name := label(arguments)
		counted[name]++
		return fmt.Sprintf("%s: %d", name, counted[name]), true
	})
	method("countReset", "info", func(arguments []goja.Value) (string, bool) {
		delete(counted, label(arguments))
		return "", false
	})
	method("time", "info", func(arguments []goja.Value) (string, bool) {
		started[label(arguments)] = r.Elapsed()
		return "", false
	})
	method("timeLog", "info", since)
	method("timeEnd", "info", func(arguments []goja.Value) (string, bool) {
		defer delete(started, label(arguments))
		return since(arguments)
	})
	return r.Namespace("console", members, func(i int) *goja.Object { return r.Function(members[i], methods[i]) })
}

// Format makes one text of values. If the first one is a text, its %s and the like take in what follows.
func Format(r *engine.Run, values []goja.Value) string {
	if len(values) == 0 {
		return ""
	}
	var b strings.Builder
	if text, ok := engine.TextOf(values[0]); ok && len(values) > 1 && strings.Contains(text, "%") {
		b.WriteString(fill(r, text, &values))
	} else {
		b.WriteString(display(r, values[0]))
		values = values[1:]
	}
	for _, value := range values {
		b.WriteByte(' ')
		b.WriteString(display(r, value))
	}
	return b.String()
}

// fill puts values in the place of the directives of a text, and leaves those that it did not need.
func fill(r *engine.Run, text string, values *[]goja.Value) string {
	left := (*values)[1:]
	defer func() { *values = left }()
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after == "" {
			b.WriteByte('%')
			return b.String()
		}
		directive := after[0]
		switch {
		case directive == '%':
			b.WriteByte('%')
		case len(left) == 0 || !strings.ContainsRune("sdifjoOc", rune(directive)):
			b.WriteByte('%')
			text = after
			continue
		default:
			b.WriteString(fillOne(r, directive, left[0]))
			left = left[1:]
		}
		text = after[1:]
	}
}

func fillOne(r *engine.Run, directive byte, value goja.Value) string {
	switch directive {
	case 'c': // colours
		return ""
	case 'd', 'i', 'f':
		switch object, is := value.(*goja.Object); {
		case is && directive == 'd' && object.ClassName() != "Number":
			return "NaN"
		case is:
			value = r.VM.ToValue(object.String())
		}
		if _, symbol := value.(*goja.Symbol); symbol {
			return "NaN"
		}
		if directive == 'd' {
			return value.ToNumber().String()
		}
		parse, ok := goja.AssertFunction(r.Original.Get(map[byte]string{'i': "parseInt", 'f': "parseFloat"}[directive]))
		if !ok {
			return "NaN"
		}
		number, err := parse(goja.Undefined(), value)
		if err != nil {
			panic(err)
		}
		return number.String()
	}
	return display(r, value)
}

// display is how a value looks in the log: text as it is, errors as name and message,
// everything else as JSON if it has any.
func display(r *engine.Run, value goja.Value) string {
	object, ok := value.(*goja.Object)
	if symbol, is := value.(*goja.Symbol); is {
		return "Symbol(" + symbol.String() + ")"
	}
	if !ok {
		return strings.ToValidUTF8(value.String(), "\uFFFD")
	}
	if object.ClassName() == "Error" {
		return strings.ToValidUTF8(object.String(), "\uFFFD")
	}
	for _, kind := range []string{"Map", "Set"} { // JSON has nothing of them
		if !r.VM.InstanceOf(object, r.Original.Get(kind).ToObject(r.VM)) {
			continue
		}
		if list, ok := goja.AssertFunction(r.Original.Get("Array").ToObject(r.VM).Get("from")); ok {
			if items, err := list(r.Original.Get("Array"), object); err == nil {
				return fmt.Sprintf("%s(%s) ", kind, items.ToObject(r.VM).Get("length")) + display(r, items)
			}
		}
	}
	text, err := r.ToJSON(object)
	var exception *goja.Exception
	switch {
	case err == nil && text != "":
		return text
	case err != nil && !errors.As(err, &exception):
		panic(err) // the run was stopped
	}
	if _, callable := goja.AssertFunction(object); callable {
		return "[function]"
	}
	return "[object]"
}
