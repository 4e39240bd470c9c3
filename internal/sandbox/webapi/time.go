package webapi

import (
	"math"
	"time"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"localTime"},
	Use:   "localTime(dateOrMs?, zone?)",
	Doc:   "{year, month, day, hour, minute, second, weekday, offset, date, iso} in the workflow's zone or the one named. weekday is 0 on Sunday, offset minutes east of Greenwich, date 'YYYY-MM-DD'.",
	Types: `/** weekday is 0 on Sunday, offset minutes east of Greenwich. */
interface LocalTime { year: number; month: number; day: number; hour: number; minute: number; second: number; weekday: number; offset: number; date: string; iso: string }
declare function localTime(dateOrMs?: Date | number | string, zone?: string): LocalTime;`,
	Make: func(r *engine.Run, name string) goja.Value {
		return r.Function(name, func(call goja.FunctionCall) goja.Value { return localTime(r, call) })
	},
})

// localTime takes a time apart in the workflow's zone, or the one named. weekday is 0
// for Sunday, as in Date; offset is minutes east of Greenwich.
func localTime(r *engine.Run, call goja.FunctionCall) goja.Value {
	location := r.Zone
	if name := call.Argument(1); !goja.IsUndefined(name) && !goja.IsNull(name) {
		var err error
		if location, err = engine.Zone(name.String()); err != nil {
			panic(r.RangeError("localTime: " + err.Error()))
		}
	}
	at := r.Now()
	if when := call.Argument(0); !goja.IsUndefined(when) {
		if goja.IsString(when) {
			date, err := r.VM.New(r.Original.Get("Date"), when)
			if err != nil {
				panic(err)
			}
			when = date
		}
		ms := when.ToFloat()
		if math.IsNaN(ms) || math.Abs(ms) > 8.64e15 {
			panic(r.RangeError("localTime: not a date, or milliseconds since 1970"))
		}
		at = time.UnixMilli(int64(ms))
	}
	at = at.In(location)
	_, seconds := at.Zone()
	parts := r.VM.NewObject()
	for _, part := range []struct {
		name  string
		value any
	}{
		{"year", at.Year()}, {"month", int(at.Month())}, {"day", at.Day()},
		{"hour", at.Hour()}, {"minute", at.Minute()}, {"second", at.Second()},
		{"weekday", int(at.Weekday())}, {"offset", seconds / 60},
		{"date", at.Format("2006-01-02")}, {"iso", at.Format("2006-01-02T15:04:05-07:00")},
	} {
		engine.Define(parts, part.name, r.VM.ToValue(part.value), engine.Visible)
	}
	return parts
}
