package sandbox

import (
	"embed"
	"strings"
	"time"

	"github.com/dop251/goja"
)

//go:embed cldr/*.json
var cldrFiles embed.FS

var _ = declare(Builtin{
	Names: []string{"Intl"},
	Use:   "Intl.DateTimeFormat, Intl.NumberFormat, Intl.Collator",
	Doc: "As in Node, with toLocaleString, toLocaleDateString and toLocaleTimeString of dates and numbers, for " + strings.Join(cldrLocales(), ", ") +
		". Numbers: decimal, percent, currency. Without timeZone they are in UTC, like Date. Collator and localeCompare know numeric and sensitivity. What is not there (other locales, names of zones, compact and units) throws RangeError.",
	Types: "// Intl is declared with the language (lib es2023).",
	make: func(r *run, name string) goja.Value {
		made := r.intlPrelude().Get(name).ToObject(r.vm)
		define(made, "Collator", r.vm.ToValue(r.newCollator), hidden)
		return made
	},
})

// The engine has these, and takes no notice of locale and options.
var _ = amend("toLocale", func(r *run) {
	for class, from := range map[string]string{"Date": "date", "Number": "number", "BigInt": "number"} {
		prototype := r.original.Get(class).ToObject(r.vm).Get("prototype").ToObject(r.vm)
		names := []string{"toLocaleString"}
		if class == "Date" {
			names = append(names, "toLocaleDateString", "toLocaleTimeString")
		}
		for _, name := range names {
			// The tables are read when one is called.
			define(prototype, name, r.function(name, func(call goja.FunctionCall) goja.Value {
				method, _ := goja.AssertFunction(r.intlPrelude().Get(from).ToObject(r.vm).Get(name))
				text, err := method(call.This, call.Arguments...)
				if err != nil {
					panic(err)
				}
				return text
			}), hidden)
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

func (r *run) intlPrelude() *goja.Object {
	r.alive()
	if made := r.made(prelude, "intl.js"); made != nil {
		return made
	}
	return r.prelude(prelude, "intl.js", map[string]*goja.Object{
		"locales": r.function("locales", func(goja.FunctionCall) goja.Value {
			var names []any
			for _, name := range cldrLocales() {
				names = append(names, name)
			}
			return r.vm.NewArray(names...)
		}),
		"table": r.function("table", func(call goja.FunctionCall) goja.Value {
			text, err := cldrFiles.ReadFile("cldr/" + call.Argument(0).String() + ".json")
			if err != nil {
				panic(r.rangeError("there is no such locale"))
			}
			value, err := r.toScript(text)
			if err != nil {
				panic(err)
			}
			return value
		}),
		"moment": r.function("moment", r.moment),
	})
}

// moment is moment(ms, zone): [year, month, day, weekday, hour, minute, second, offset in minutes].
func (r *run) moment(call goja.FunctionCall) goja.Value {
	location, err := zone(call.Argument(1).String())
	if err != nil {
		panic(r.rangeError("Invalid time zone specified: " + cut(call.Argument(1).String(), 40)))
	}
	at := time.UnixMilli(call.Argument(0).ToInteger()).In(location)
	_, seconds := at.Zone()
	return r.vm.NewArray(at.Year(), int(at.Month()), at.Day(), int(at.Weekday()), at.Hour(), at.Minute(), at.Second(), seconds/60)
}
