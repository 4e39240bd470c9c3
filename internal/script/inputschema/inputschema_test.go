package inputschema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
)

// Rule: what main takes is read from its types, from JSDoc, and from what it takes apart; what is not sure takes
// anything.
func TestOf(t *testing.T) {
	t.Parallel()
	for name, one := range map[string][2]string{
		"typed":                {"export async function main(input: { day: string; limit?: number, tags: string[] }) {}", `{"type":"object","properties":{"day":{"type":"string"},"limit":{"type":"number"},"tags":{"type":"array","items":{"type":"string"}}},"required":["day","tags"]}`},
		"an interface":         {"interface Input {\n  /** Which day. */\n  day: string\n  kind?: 'a' | 'b'\n  run(): void\n  n: number | null\n}\nasync function main(input: Input): Promise<void> {}", `{"type":"object","properties":{"day":{"type":"string","description":"Which day."},"kind":{"enum":["a","b"]},"n":{"anyOf":[{"type":"number"},{"type":"null"}]}},"required":["day","n"]}`},
		"extended":             {"interface A { a: string }\ntype B = A & { b: boolean };\ninterface C extends A { c: number }\nexport default async (x: B | C) => 1", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}},"required":["a","b"]},{"type":"object","properties":{"a":{"type":"string"},"c":{"type":"number"}},"required":["a","c"]}]}`},
		"taken apart":          {"const main = async ({ day = 'today', limit = 10, of: { id }, ...rest } = {}) => 1", `{"properties":{"day":{"default":"today"},"limit":{"default":10},"of":{"properties":{"id":{}}}}}`},
		"taken apart, typed":   {"async function main({ day = 'today', n }: { day?: string; n: number }) {}", `{"type":"object","properties":{"day":{"type":"string","default":"today"},"n":{"type":"number"}},"required":["n"]}`},
		"documented":           {"/**\n * Reports.\n * @param {Object} input\n * @param {string} input.day - which day\n * @param {number} [input.limit=5] how many\n * @param {?string=} input.note\n */\nasync function main(input) {}", `{"type":"object","properties":{"day":{"type":"string","description":"which day"},"limit":{"type":"number","description":"how many","default":5},"note":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["day"]}`},
		"documented in one":    {"/** @param {{day: string, n?: Array<number>}} input */\nasync function main(input) {}", `{"type":"object","properties":{"day":{"type":"string"},"n":{"type":"array","items":{"type":"number"}}},"required":["day"]}`},
		"documented, apart":    {"/** @param {{day: string, n?: number}} input */\nasync function main({ day = 'x', n }) {}", `{"type":"object","properties":{"day":{"type":"string","default":"x"},"n":{"type":"number"}}}`},
		"a default":            {"async function main(input = { day: '2026-01-01' }) {}", `{"default":{"day":"2026-01-01"}}`},
		"a list":               {"async function main(rows: Array<{ id: number }>) {}", `{"type":"array","items":{"type":"object","properties":{"id":{"type":"number"}},"required":["id"]}}`},
		"by key":               {"async function main(input: Record<string, number>) {}", `{"type":"object","additionalProperties":{"type":"number"}}`},
		"may be undefined":     {"async function main(input: { a: string | undefined }) {}", `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"what JSON has not":    {"async function main(input: { f: (x: number) => string, d: Date, m: Map<string, X>, k: keyof X, s: string }) {}", `{"type":"object","properties":{"f":{},"d":{"format":"date-time"},"m":{},"k":{},"s":{"type":"string"}},"required":["s"]}`},
		"itself":               {"interface T { next?: T; n: number }\nasync function main(input: T) {}", ""},
		"conditional":          {"async function main(input: X extends string ? { a: 1 } : { b: 2 }) {}", "null"},
		"generic":              {"type G<T> = { a: T }\nasync function main(input: G<string>) {}", "null"},
		"a module's":           {"async function main(input: z.infer<typeof Order>) {}", "null"},
		"any":                  {"async function main(input: any) {}", "null"},
		"without":              {"async function main(input) {}", "null"},
		"nobody asks":          {"async function main() {}", "null"},
		"at the top level":     {"const x = input.day; return x", "null"},
		"inside another":       {"function f() { function main(a: string) {} }", "null"},
		"undocumented comment": {"/** Does it. */\nasync function main(input) {}", "null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := json.Marshal(inputschema.Of(one[0]))
			require.NoError(t, err)
			if one[1] != "" {
				require.Equal(t, one[1], string(made))
			}
		})
	}
}

// Rule: an input that the types refuse plainly is refused with the name of the field; what they do not speak of passes.
func TestCheck(t *testing.T) {
	t.Parallel()
	const code = `interface Order { id: number; note?: string | null }
async function main(input: { day: string; kind?: 'a' | 'b'; orders?: Order[]; 'x-y'?: boolean; any?: unknown }) {}`
	takes := inputschema.Of(code)
	for input, want := range map[string]string{
		`{"day":"x"}`: "",
		`{"day":"x","slot":"2026-01-01","any":[1],"orders":[{"id":1,"note":null}]}`: "",
		`{}`:                      "input.day is missing: main takes a text there",
		`{"day":3}`:               "input.day is 3: main takes a text there",
		`{"day":null}`:            "input.day is null: main takes a text there",
		`{"day":"x","kind":"c"}`:  `input.kind is the text "c": main takes the text "a" or the text "b" there`,
		`[1]`:                     "input is a list: main takes an object there",
		`{"day":"x","x-y":"yes"}`: `input["x-y"] is the text "yes": main takes true or false there`,
		`{"day":"x","orders":[{"id":1},{"id":"2"}]}`:     `input.orders[1].id is the text "2": main takes a number there`,
		`{"day":"x","orders":[{}]}`:                      "input.orders[0].id is missing: main takes a number there",
		`{"day":"x","orders":[{"id":1,"note":{"a":1}}]}`: "input.orders[0].note is an object: main takes a text or null there",
	} {
		err := takes.Check(json.RawMessage(input))
		if want == "" {
			require.NoError(t, err, input)
			continue
		}
		require.EqualError(t, err, want, input)
	}
	// A default says what a form shows, not what main takes.
	require.NoError(t, inputschema.Of("async function main({ limit = 10 }) {}").Check(json.RawMessage(`{"limit":"10"}`)))
}

// Rule: scripts without types are unaffected: no recorded automation takes less than it did.
func TestRecordedAutomationsAreUnaffected(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../testdata/automations/*/*.js")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		if takes := inputschema.Of(string(code)); takes != nil {
			require.NoError(t, takes.Check(json.RawMessage(`{}`)), file)
		}
	}
}

// Rule: any text is read in bounded time, and the same text gives the same schema.
func FuzzOf(f *testing.F) {
	f.Add("interface A extends B { a: string; [k: string]: number }\nexport default async function main({ a = 1 }: A & { b: 'x' | null } = {}) {}")
	f.Add("/** @param {{a: string=}} [input.a=1] x */ function main(a: (b) => c[], d")
	f.Add("type T = | T[] | [T]\nfunction main(x: T<")
	f.Add("type A = { a: B; b: B; c: B; d: B }\ntype B = { a: A; b: A; c: A; d: A }\nfunction main(x: A) {}")
	f.Fuzz(func(t *testing.T, code string) {
		one, err := json.Marshal(inputschema.Of(code))
		require.NoError(t, err)
		other, err := json.Marshal(inputschema.Of(code))
		require.NoError(t, err)
		require.Equal(t, string(one), string(other))
	})
}
