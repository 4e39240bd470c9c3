package sandbox

import (
	"math"
	"time"

	"github.com/dop251/goja"
)

var _ = declare(Builtin{
	Names: []string{"localTime"},
	Use:   "localTime(dateOrMs?, zone?)",
	Doc:   "{year, month, day, hour, minute, second, weekday, offset, date, iso} in the workflow's zone or the one named. weekday is 0 on Sunday, offset minutes east of Greenwich, date 'YYYY-MM-DD'.",
	Types: `/** weekday is 0 on Sunday, offset minutes east of Greenwich. */
interface LocalTime { year: number; month: number; day: number; hour: number; minute: number; second: number; weekday: number; offset: number; date: string; iso: string }
declare function localTime(dateOrMs?: Date | number | string, zone?: string): LocalTime;`,
	make: func(r *run, name string) goja.Value { return r.function(name, r.localTime) },
})

// localTime takes a time apart in the workflow's zone, or the one named. weekday is 0
// for Sunday, as in Date; offset is minutes east of Greenwich.
func (r *run) localTime(call goja.FunctionCall) goja.Value {
	location := r.zone
	if name := call.Argument(1); !goja.IsUndefined(name) && !goja.IsNull(name) {
		var err error
		if location, err = zone(name.String()); err != nil {
			panic(r.rangeError("localTime: " + err.Error()))
		}
	}
	at := r.now()
	if when := call.Argument(0); !goja.IsUndefined(when) {
		if goja.IsString(when) {
			date, err := r.vm.New(r.original.Get("Date"), when)
			if err != nil {
				panic(err)
			}
			when = date
		}
		ms := when.ToFloat()
		if math.IsNaN(ms) || math.Abs(ms) > 8.64e15 {
			panic(r.rangeError("localTime: not a date, or milliseconds since 1970"))
		}
		at = time.UnixMilli(int64(ms))
	}
	at = at.In(location)
	_, seconds := at.Zone()
	parts := r.vm.NewObject()
	for _, part := range []struct {
		name  string
		value any
	}{
		{"year", at.Year()}, {"month", int(at.Month())}, {"day", at.Day()},
		{"hour", at.Hour()}, {"minute", at.Minute()}, {"second", at.Second()},
		{"weekday", int(at.Weekday())}, {"offset", seconds / 60},
		{"date", at.Format("2006-01-02")}, {"iso", at.Format("2006-01-02T15:04:05-07:00")},
	} {
		define(parts, part.name, r.vm.ToValue(part.value), visible)
	}
	return parts
}
