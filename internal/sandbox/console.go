package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"
)

var _ = declare(Builtin{
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
	make: func(r *run, _ string) goja.Value { return r.console() },
})

// console is what scripts write their log with.
func (r *run) console() *goja.Object {
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
			r.alive()
			for _, value := range call.Arguments {
				if object, is := value.(*goja.Object); is && object.ClassName() == "Error" {
					State[processState](r).said = object
				}
			}
			if text, ok := words(call.Arguments); ok {
				r.write(LogLine{Level: level, Text: indent + text})
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
	plain := func(arguments []goja.Value) (string, bool) { return r.format(arguments), true }
	first := func(arguments []goja.Value) (string, bool) { return r.format(arguments[:min(len(arguments), 1)]), true }
	grouped := func(arguments []goja.Value) (string, bool) {
		text := r.format(arguments)
		defer func() { indent += "  " }()
		if text != "" {
			r.write(LogLine{Level: "info", Text: indent + text})
		}
		return "", false
	}
	since := func(arguments []goja.Value) (string, bool) {
		name := label(arguments)
		from, ok := started[name]
		text := fmt.Sprintf("%s: %d ms", name, r.elapsed()-from)
		if more := r.format(arguments[min(len(arguments), 1):]); more != "" {
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
			text += ": " + r.format(arguments[1:])
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
		started[label(arguments)] = r.elapsed()
		return "", false
	})
	method("timeLog", "info", since)
	method("timeEnd", "info", func(arguments []goja.Value) (string, bool) {
		defer delete(started, label(arguments))
		return since(arguments)
	})
	return r.namespace("console", members, func(i int) *goja.Object { return r.function(members[i], methods[i]) })
}

// format makes one text of values. If the first one is a text, its %s and the like take in what follows.
func (r *run) format(values []goja.Value) string {
	if len(values) == 0 {
		return ""
	}
	var b strings.Builder
	if text, ok := text(values[0]); ok && len(values) > 1 && strings.Contains(text, "%") {
		b.WriteString(r.fill(text, &values))
	} else {
		b.WriteString(r.display(values[0]))
		values = values[1:]
	}
	for _, value := range values {
		b.WriteByte(' ')
		b.WriteString(r.display(value))
	}
	return b.String()
}

// fill puts values in the place of the directives of a text, and leaves those that it did not need.
func (r *run) fill(text string, values *[]goja.Value) string {
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
			b.WriteString(r.directive(directive, left[0]))
			left = left[1:]
		}
		text = after[1:]
	}
}

func (r *run) directive(directive byte, value goja.Value) string {
	switch directive {
	case 'c': // colours
		return ""
	case 'd', 'i', 'f':
		switch object, is := value.(*goja.Object); {
		case is && directive == 'd' && object.ClassName() != "Number":
			return "NaN"
		case is:
			value = r.vm.ToValue(object.String())
		}
		if _, symbol := value.(*goja.Symbol); symbol {
			return "NaN"
		}
		if directive == 'd' {
			return value.ToNumber().String()
		}
		parse, ok := goja.AssertFunction(r.original.Get(map[byte]string{'i': "parseInt", 'f': "parseFloat"}[directive]))
		if !ok {
			return "NaN"
		}
		number, err := parse(goja.Undefined(), value)
		if err != nil {
			panic(err)
		}
		return number.String()
	}
	return r.display(value)
}

// display is how a value looks in the log: text as it is, errors as name and message,
// everything else as JSON if it has any.
func (r *run) display(value goja.Value) string {
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
		if !r.vm.InstanceOf(object, r.original.Get(kind).ToObject(r.vm)) {
			continue
		}
		if list, ok := goja.AssertFunction(r.original.Get("Array").ToObject(r.vm).Get("from")); ok {
			if items, err := list(r.original.Get("Array"), object); err == nil {
				return fmt.Sprintf("%s(%s) ", kind, items.ToObject(r.vm).Get("length")) + r.display(items)
			}
		}
	}
	text, err := r.toJSON(object)
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
