package webapi

import (
	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// localeCompare of the engine takes no notice of locale and options: 'item10' came before 'item9' with {numeric: true}.
var _ = engine.Polyfill("localeCompare", func(r *engine.Run) {
	wrap(r, prototypeOf(r, "String"), "localeCompare", 1, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		if goja.IsUndefined(call.Argument(1)) && goja.IsUndefined(call.Argument(2)) || goja.IsUndefined(call.This) || goja.IsNull(call.This) {
			return native(call.This, call.Arguments...)
		}
		a, b := call.This.String(), call.Argument(0).String()
		return r.VM.ToValue(collator(r, call.Argument(1), call.Argument(2)).CompareString(a, b)), nil
	})
})

// newCollator is Intl.Collator, with and without new.
func newCollator(r *engine.Run, call goja.ConstructorCall) *goja.Object {
	collator := collator(r, call.Argument(0), call.Argument(1))
	made := r.VM.NewObject()
	engine.Define(made, "compare", r.FunctionOf("", 2, func(pair goja.FunctionCall) goja.Value {
		return r.VM.ToValue(collator.CompareString(pair.Argument(0).String(), pair.Argument(1).String()))
	}), engine.Hidden)
	return made
}

// usualCollation are the options of which only one value is known.
var usualCollation = map[string]string{"caseFirst": "false", "ignorePunctuation": "false", "usage": "sort", "collation": "default"}

// collators are those of a run, by language and options.
type collators map[string]*collate.Collator

// collator compares texts as people of a language sort them. One is kept for each language and choice of options.
func collator(r *engine.Run, locales, options goja.Value) *collate.Collator {
	tag := language.Und
	if list, is := locales.(*goja.Object); is {
		if locales = list.Get("0"); locales == nil {
			locales = goja.Undefined()
		}
	}
	if !goja.IsUndefined(locales) {
		var err error
		if tag, err = language.Parse(locales.String()); err != nil {
			panic(r.RangeError("Incorrect locale information provided"))
		}
		for _, extension := range tag.Extensions() {
			panic(r.RangeError("the extension -" + extension.String() + " of a locale is not known here: give options instead"))
		}
	}
	var chosen []collate.Option
	key := tag.String()
	if object, is := options.(*goja.Object); is {
		for name, usual := range usualCollation {
			if wanted := r.Option(object, name); wanted != nil && wanted.String() != usual {
				panic(r.RangeError(name + " of Intl.Collator and localeCompare can only be " + usual + " here, not " + engine.Cut(wanted.String(), 60)))
			}
		}
		if numeric := object.Get("numeric"); numeric != nil && numeric.ToBoolean() {
			chosen, key = append(chosen, collate.Numeric), key+" numeric"
		}
		if wanted := object.Get("sensitivity"); wanted != nil && !goja.IsUndefined(wanted) {
			switch sensitivity := wanted.String(); sensitivity {
			case "base":
				chosen = append(chosen, collate.IgnoreCase, collate.IgnoreDiacritics)
			case "accent":
				chosen = append(chosen, collate.IgnoreCase)
			case "case":
				chosen = append(chosen, collate.IgnoreDiacritics)
			case "variant":
			default:
				panic(r.RangeError("Value " + engine.Cut(sensitivity, 60) + " out of range for sensitivity"))
			}
			key += " " + wanted.String()
		}
	}
	kept := engine.State[collators](r)
	if *kept == nil {
		*kept = collators{}
	}
	made, ok := (*kept)[key]
	if !ok {
		made = collate.New(tag, chosen...)
		(*kept)[key] = made
	}
	return made
}
