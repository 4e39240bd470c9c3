package library

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "decimal", Packages: []string{"decimal.js"}, Exports: npmExports["decimal"], Default: "Decimal", Origin: "decimal.js 10.6.0 of npm, MIT",
	Doc: "decimal.js: exact decimal arithmetic, for money. new Decimal('0.1').plus('0.2').toFixed(2); 20 significant digits and half up unless Decimal.set says otherwise.",
	Types: `export type Value = string | number | bigint | Decimal;
export class Decimal {
  constructor(value: Value);
  static set(options: { precision?: number; rounding?: number }): typeof Decimal; static clone(options?: { precision?: number; rounding?: number }): typeof Decimal;
  static max(...values: Value[]): Decimal; static min(...values: Value[]): Decimal; static sum(...values: Value[]): Decimal; static isDecimal(value: unknown): value is Decimal;
  static readonly ROUND_UP: 0; static readonly ROUND_DOWN: 1; static readonly ROUND_CEIL: 2; static readonly ROUND_FLOOR: 3; static readonly ROUND_HALF_UP: 4; static readonly ROUND_HALF_DOWN: 5; static readonly ROUND_HALF_EVEN: 6;
  plus(n: Value): Decimal; add(n: Value): Decimal; minus(n: Value): Decimal; sub(n: Value): Decimal; times(n: Value): Decimal; mul(n: Value): Decimal; dividedBy(n: Value): Decimal; div(n: Value): Decimal; modulo(n: Value): Decimal; mod(n: Value): Decimal; dividedToIntegerBy(n: Value): Decimal; pow(n: Value): Decimal; sqrt(): Decimal;
  abs(): Decimal; negated(): Decimal; neg(): Decimal; round(): Decimal; floor(): Decimal; ceil(): Decimal; trunc(): Decimal; toDecimalPlaces(places: number, rounding?: number): Decimal; toDP(places: number, rounding?: number): Decimal; toSignificantDigits(digits: number, rounding?: number): Decimal; toNearest(n: Value, rounding?: number): Decimal;
  comparedTo(n: Value): number; cmp(n: Value): number; equals(n: Value): boolean; eq(n: Value): boolean; greaterThan(n: Value): boolean; gt(n: Value): boolean; gte(n: Value): boolean; lessThan(n: Value): boolean; lt(n: Value): boolean; lte(n: Value): boolean;
  isZero(): boolean; isNegative(): boolean; isPositive(): boolean; isInteger(): boolean; isNaN(): boolean; isFinite(): boolean; decimalPlaces(): number; precision(): number;
  toFixed(places?: number, rounding?: number): string; toString(): string; toNumber(): number; toJSON(): string; toPrecision(digits?: number): string; valueOf(): string;
}
export default Decimal;`,
	Make: func(r *engine.Run) *goja.Object { return npm(r, "decimal", nil) },
})
