package webapi

import (
	"embed"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

//go:embed cldr/*.json
var cldrFiles embed.FS

var _ = engine.Declare(engine.Builtin{
	Names: []string{"Intl"},
	Use:   "Intl.DateTimeFormat, Intl.NumberFormat, Intl.Collator, Intl.PluralRules, Intl.ListFormat, Intl.RelativeTimeFormat",
	Doc: "As in Node, with toLocaleString, toLocaleDateString and toLocaleTimeString of dates and numbers, for " + strings.Join(cldrLocales(), ", ") +
		". Numbers: decimal, percent, currency. Without timeZone they are in UTC, like Date. Collator and localeCompare know numeric and sensitivity. Notation compact is there for plain numbers. What is not there (other locales, names of zones, units) throws RangeError.",
	Types: "// Intl is declared with the language (lib es2023).",
	Make: func(r *engine.Run, name string) goja.Value {
		made := intlPrelude(r).Get(name).ToObject(r.VM)
		engine.Define(made, "Collator", r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object { return newCollator(r, call) }), engine.Hidden)
		return made
	},
})

// The engine has these, and takes no notice of locale and options.
var _ = engine.Polyfill("toLocale", func(r *engine.Run) {
	for class, from := range map[string]string{"Date": "date", "Number": "number", "BigInt": "number"} {
		prototype := r.Original.Get(class).ToObject(r.VM).Get("prototype").ToObject(r.VM)
		names := []string{"toLocaleString"}
		if class == "Date" {
			names = append(names, "toLocaleDateString", "toLocaleTimeString")
		}
		for _, name := range names {
			// The tables are read when one is called.
			engine.Define(prototype, name, r.Function(name, func(call goja.FunctionCall) goja.Value {
				method, _ := goja.AssertFunction(intlPrelude(r).Get(from).ToObject(r.VM).Get(name))
				text, err := method(call.This, call.Arguments...)
				if err != nil {
					panic(err)
				}
				return text
			}), engine.Hidden)
		}
	}
})

func cldrLocales() []string {
	entries, err := cldrFiles.ReadDir("cldr")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".json"))
	}
	return names
}

func intlPrelude(r *engine.Run) *goja.Object {
	r.Alive()
	if made := r.Made(prelude, "intl.js"); made != nil {
		return made
	}
	return r.Prelude(prelude, "intl.js", map[string]*goja.Object{
		"locales": r.Function("locales", func(goja.FunctionCall) goja.Value {
			var names []any
			for _, name := range cldrLocales() {
				names = append(names, name)
			}
			return r.VM.NewArray(names...)
		}),
		"table": r.Function("table", func(call goja.FunctionCall) goja.Value {
			text, err := cldrFiles.ReadFile("cldr/" + call.Argument(0).String() + ".json")
			if err != nil {
				panic(r.RangeError("there is no such locale"))
			}
			value, err := r.ToScript(text)
			if err != nil {
				panic(err)
			}
			return value
		}),
		"moment": r.Function("moment", func(call goja.FunctionCall) goja.Value { return moment(r, call) }),
	})
}

// moment is moment(ms, zone): [year, month, day, weekday, hour, minute, second, offset in minutes].
func moment(r *engine.Run, call goja.FunctionCall) goja.Value {
	location, err := engine.Zone(call.Argument(1).String())
	if err != nil {
		panic(r.RangeError("Invalid time zone specified: " + engine.Cut(call.Argument(1).String(), 40)))
	}
	at := time.UnixMilli(call.Argument(0).ToInteger()).In(location)
	_, seconds := at.Zone()
	return r.VM.NewArray(at.Year(), int(at.Month()), at.Day(), int(at.Weekday()), at.Hour(), at.Minute(), at.Second(), seconds/60)
}
