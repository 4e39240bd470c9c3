package library

import (
	"time"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "dates", Packages: []string{"luxon"}, Exports: npmExports["dates"], Origin: "luxon 3.7.2 of npm, MIT",
	Doc: "Luxon: dates with zones. DateTime.now() is the run's time, in the workflow's zone unless one is named; Duration and Interval are there. Other languages than English are those of Intl. ZZZZ is the zone's short name, such as CEST, where Node may have GMT+2.",
	Types: `export interface DateObjectUnits { year?: number; month?: number; day?: number; ordinal?: number; weekYear?: number; weekNumber?: number; weekday?: number; hour?: number; minute?: number; second?: number; millisecond?: number }
export interface DurationLike { years?: number; quarters?: number; months?: number; weeks?: number; days?: number; hours?: number; minutes?: number; seconds?: number; milliseconds?: number; year?: number; quarter?: number; month?: number; week?: number; day?: number; hour?: number; minute?: number; second?: number; millisecond?: number }
export type Unit = 'year' | 'years' | 'quarter' | 'quarters' | 'month' | 'months' | 'week' | 'weeks' | 'day' | 'days' | 'hour' | 'hours' | 'minute' | 'minutes' | 'second' | 'seconds' | 'millisecond' | 'milliseconds';
export interface Options { zone?: string | Zone; setZone?: boolean; locale?: string }
export class Zone { readonly type: string; readonly name: string; readonly isValid: boolean; offset(ms: number): number }
export class IANAZone extends Zone { static create(name: string): IANAZone; static isValidZone(name: string): boolean }
export class FixedOffsetZone extends Zone { static instance(minutes: number): FixedOffsetZone; static readonly utcInstance: FixedOffsetZone }
export class Duration {
  static fromObject(parts: DurationLike): Duration; static fromISO(text: string): Duration; static fromMillis(ms: number): Duration;
  readonly years: number; readonly months: number; readonly weeks: number; readonly days: number; readonly hours: number; readonly minutes: number; readonly seconds: number; readonly milliseconds: number; readonly isValid: boolean;
  as(unit: Unit): number; get(unit: Unit): number; shiftTo(...units: Unit[]): Duration; normalize(): Duration; plus(other: DurationLike | Duration): Duration; minus(other: DurationLike | Duration): Duration; negate(): Duration;
  toMillis(): number; toObject(): DurationLike; toISO(): string; toFormat(format: string): string; toHuman(options?: object): string;
}
export class Interval {
  static fromDateTimes(start: DateTime, end: DateTime): Interval; static after(start: DateTime, length: DurationLike | Duration): Interval; static fromISO(text: string): Interval;
  readonly start: DateTime; readonly end: DateTime; readonly isValid: boolean;
  contains(at: DateTime): boolean; overlaps(other: Interval): boolean; length(unit?: Unit): number; count(unit?: Unit): number; splitBy(length: DurationLike | Duration): Interval[]; toISO(): string; toDuration(unit?: Unit | Unit[]): Duration;
}
export class DateTime {
  static now(): DateTime; static utc(...parts: (number | object)[]): DateTime; static local(...parts: (number | object)[]): DateTime;
  static fromISO(text: string, options?: Options): DateTime; static fromFormat(text: string, format: string, options?: Options): DateTime; static fromRFC2822(text: string, options?: Options): DateTime; static fromHTTP(text: string, options?: Options): DateTime; static fromSQL(text: string, options?: Options): DateTime;
  static fromMillis(ms: number, options?: Options): DateTime; static fromSeconds(seconds: number, options?: Options): DateTime; static fromJSDate(date: Date, options?: Options): DateTime; static fromObject(parts: DateObjectUnits, options?: Options): DateTime;
  static max(...list: DateTime[]): DateTime; static min(...list: DateTime[]): DateTime; static isDateTime(value: unknown): value is DateTime;
  static readonly DATE_SHORT: object; static readonly DATE_MED: object; static readonly DATE_FULL: object; static readonly DATETIME_SHORT: object; static readonly DATETIME_MED: object; static readonly TIME_SIMPLE: object; static readonly TIME_24_SIMPLE: object;
  readonly year: number; readonly quarter: number; readonly month: number; readonly day: number; readonly hour: number; readonly minute: number; readonly second: number; readonly millisecond: number; readonly weekday: number; readonly weekNumber: number; readonly weekYear: number; readonly ordinal: number;
  readonly daysInMonth: number; readonly isInLeapYear: boolean; readonly isInDST: boolean; readonly isValid: boolean; readonly invalidReason: string | null; readonly offset: number; readonly zoneName: string; readonly zone: Zone; readonly monthLong: string; readonly monthShort: string; readonly weekdayLong: string; readonly weekdayShort: string; readonly ts: number;
  plus(length: DurationLike | Duration | number): DateTime; minus(length: DurationLike | Duration | number): DateTime; set(parts: DateObjectUnits): DateTime; startOf(unit: Unit): DateTime; endOf(unit: Unit): DateTime;
  diff(other: DateTime, unit?: Unit | Unit[]): Duration; diffNow(unit?: Unit | Unit[]): Duration; until(other: DateTime): Interval; hasSame(other: DateTime, unit: Unit): boolean; equals(other: DateTime): boolean;
  setZone(zone: string | Zone, options?: { keepLocalTime?: boolean }): DateTime; toUTC(): DateTime; toLocal(): DateTime; setLocale(locale: string): DateTime;
  toISO(options?: object): string; toISODate(): string; toISOTime(options?: object): string; toISOWeekDate(): string; toSQL(): string; toSQLDate(): string; toHTTP(): string; toRFC2822(): string; toFormat(format: string): string; toLocaleString(options?: object): string; toRelative(options?: object): string | null;
  toMillis(): number; toSeconds(): number; toUnixInteger(): number; toJSDate(): Date; toObject(): DateObjectUnits; toJSON(): string; valueOf(): number;
}
export const Info: any;
export const Settings: any;`,
	Make: func(r *engine.Run) *goja.Object {
		at := func(call goja.FunctionCall) (time.Time, bool) {
			location, err := engine.Zone(call.Argument(1).String())
			if err != nil {
				return time.Time{}, false
			}
			return time.UnixMilli(call.Argument(0).ToInteger()).In(location), true
		}
		return npm(r, "dates", map[string]*goja.Object{
			"zone": r.Function("zone", func(call goja.FunctionCall) goja.Value { return zoneName(r, call) }),
			"offset": r.Function("offset", func(call goja.FunctionCall) goja.Value {
				when, ok := at(call)
				if !ok {
					return goja.Null()
				}
				_, seconds := when.Zone()
				return r.VM.ToValue(float64(seconds) / 60)
			}),
			"abbreviation": r.Function("abbreviation", func(call goja.FunctionCall) goja.Value {
				when, ok := at(call)
				if !ok {
					return goja.Null()
				}
				name, _ := when.Zone()
				return r.VM.ToValue(name)
			}),
		})
	},
})
