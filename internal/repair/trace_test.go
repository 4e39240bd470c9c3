package repair

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

func again(ctx context.Context, code, around string, run *gate.Run) (sandbox.Outcome, error) {
	reproduction, err := gate.Reproduce(ctx, oneWorker{Runner: runner(), around: around}, code, "", run)
	return reproduction.Outcome, err
}

// TestTraceChangesNothing: a traced run comes to the output, the writes and the error of
// the run itself, at the same place of the script.
func TestTraceChangesNothing(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"cases", "automations"} {
		bundles, err := filepath.Glob(filepath.Join("..", "..", "testdata", folder, "*", "bundle.json"))
		require.NoError(t, err)
		require.NotEmpty(t, bundles)
		for _, bundle := range bundles {
			t.Run(filepath.Base(filepath.Dir(bundle)), func(t *testing.T) {
				t.Parallel()
				e := loadBundle(t, bundle)
				s, err := script.Parse(e.Code)
				require.NoError(t, err)
				for _, run := range append(e.Successes, e.Failed) {
					plain, err := again(t.Context(), e.Code, "", &run)
					require.NoError(t, err)
					traced, err := observe(t.Context(), again, s, toolsOf(e), &run)
					require.NoError(t, err)
					var writes []gate.Write
					for _, call := range plain.Calls {
						if call.Effect == sandbox.Write {
							writes = append(writes, gate.Write{Tool: call.Tool, Args: call.Args})
						}
					}
					require.Equal(t, writes, traced.writes)
					if plain.Error == nil {
						require.Nil(t, traced.failure)
						require.JSONEq(t, string(plain.Output), string(traced.output))
						continue
					}
					require.NotNil(t, traced.failure)
					require.Equal(t, plain.Error.Name, traced.failure.name)
					require.Equal(t, script.Position{Line: plain.Error.Frames[0].Line, Column: plain.Error.Frames[0].Column}, traced.failure.frames[0])
				}
			})
		}
	}
}

// TestTraceFindsTheExpression: every way to read a property leads back to the expression
// or the pattern that reads it.
func TestTraceFindsTheExpression(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`return input.a.b.length;`:                                                    `input.a.b`,
		"const é = 'ü'; return input.a.b;":                                            `input.a.b`,
		`return input['a']['b'];`:                                                     `input['a']['b']`,
		`const k = 'b'; return input.a[k];`:                                           `input.a[k]`,
		`return input?.a?.b;`:                                                         `input?.a?.b`,
		`const { a: { b } } = input; return b;`:                                       `b`,
		`const { a } = input; const { b: c = 1 } = a; return c;`:                      `b: c = 1`,
		`return [input.a].map(({ b }) => b);`:                                         `b`,
		`return [input.a].reduce((n, { b }) => n + b, '');`:                           `b`,
		`for (const { b } of [input.a]) return b;`:                                    `b`,
		`return [input.a].sort((x, y) => x.b - y.b).filter((z) => z.b).length;`:       `z.b`,
		"return `${input.a.b}`;":                                                      `input.a.b`,
		`const f = function (o) { return o.b; }; return f(input.a);`:                  `o.b`,
		`return Promise.all([input.a]).then((all) => all[0].b);`:                      `all[0].b`,
		`class K { constructor(o) { this.v = o.b; } } return new K(input.a).v;`:       `o.b`,
		`let s = ''; for (const k of Object.keys(input)) s += input[k].b; return s;`:  `input[k].b`,
		"return (/* ) */ input.a // (\n  .b);":                                        "input.a // (\n  .b",
		`return await (async () => { await sleep(1); return (await input).a.b; })();`: `(await input).a.b`,
	} {
		run := &gate.Run{ID: "r", Input: []byte(`{"a":{"b":"x"}}`), Outcome: gate.Outcome{Status: "succeeded"}}
		s, err := script.Parse("async function main(input) { " + code + " }")
		require.NoError(t, err)
		seen, err := observe(t.Context(), again, s, nil, run)
		require.NoError(t, err)
		require.Nil(t, seen.failure, code)
		found := false
		for _, r := range seen.reads {
			if r.key == "b" && len(r.path) == 1 && r.path[0] == "a" {
				if site := s.SiteOf(r.at, "b"); site != nil {
					start, end := s.Span(site)
					found = found || s.Code[start:end] == want
				}
			}
		}
		require.True(t, found, "%s: %+v", code, seen.reads)
	}
}

// TestEveryFormOfEntryIsMended: whatever form a script has, a renamed member is found where it is read, and what is proposed
// has the form that the script had.
func TestEveryFormOfEntryIsMended(t *testing.T) {
	t.Parallel()
	const body = `
  const d = await web.getJSON('https://api.example.test/meals');
  const out = d.meals.map((m) => m.dish.trim());
  await files.write('meals.txt', out.join(','));
  return { out };
`
	for name, code := range map[string]string{
		"main":                              "async function main() {" + body + "}",
		"export main":                       "export async function main() {" + body + "}",
		"export default main":               "export default async function main(input) {" + body + "}",
		"another name":                      "export default async function weekly(input) {" + body + "}",
		"no name":                           "export default async function () {" + body + "}",
		"an arrow":                          "export default async () => {" + body + "};",
		"a constant that is exported":       "const job = async () => {" + body + "};\nexport default job;",
		"main that is exported":             "const main = async () => {" + body + "};\nexport default main;",
		"a list of exports":                 "async function serve() {" + body + "}\nexport { serve as default };",
		"the top level":                     body,
		"a constant that others use":        "const main = async () => {" + body + "};\nconst all = { main };",
		"CommonJS, a function":              "module.exports = async function daily() {" + body + "};",
		"CommonJS, an arrow":                "'use strict';\nmodule.exports = async () => {" + body + "};",
		"CommonJS, an object":               "async function plan() {" + body + "}\nmodule.exports = { main: plan };",
		"CommonJS, main":                    "async function main() {" + body + "}\nif (require.main === module) main();\nmodule.exports = { main };",
		"CommonJS, a member":                "exports.handler = async (event) => {" + body + "};",
		"CommonJS, a member main":           "exports.main = async (event) => {" + body + "};",
		"CommonJS, main of module.exports":  "module.exports.main = async (event) => {" + body + "};",
		"a class":                           "class Job {\n  #url = 'https://api.example.test/meals';\n  async run() {\n    const d = await web.getJSON(this.#url);\n    const out = d.meals.map((m) => m.dish.trim());\n    await files.write('meals.txt', out.join(','));\n    return { out };\n  }\n}\nexport default async function start() { return new Job().run(); }",
		"TypeScript":                        "interface Meal { id: number; dish: string }\ntype Answer<T> = { meals: T[] };\nasync function get<T>(url: string): Promise<T> { return (await web.getJSON(url)) as T; }\nexport default async function weekly(): Promise<{ out: string[] }> {\n  const d = await get<Answer<Meal>>('https://api.example.test/meals');\n  const out: string[] = d.meals.map((m: Meal): string => m.dish.trim());\n  await files.write('meals.txt', out.join(','));\n  return { out };\n}",
		"an async generator":                "async function* meals() { const d = await web.getJSON('https://api.example.test/meals'); yield* d.meals; }\nexport default async function run() {\n  const out = [];\n  for await (const m of meals()) out.push(m.dish.trim());\n  await files.write('meals.txt', out.join(','));\n  return { out };\n}",
		"fetch that is checked, three deep": "const ask = async (path) => { const r = await fetch('https://api.example.test' + path); if (!r.ok) throw new Error('HTTP ' + r.status); return r.json(); };\nconst load = (kind) => ask('/' + kind);\nconst names = async () => (await load('meals')).meals.map((m) => m.dish.trim());\nexport default async () => {\n  const [out] = await Promise.all([names()]);\n  await files.write('meals.txt', out.join(','));\n  return { out };\n};",
		"destructured":                      "export default async function run() {\n  const { meals } = await web.getJSON('https://api.example.test/meals');\n  const out = meals.map(({ dish }) => dish.trim());\n  await files.write('meals.txt', out.join(','));\n  return { out };\n}",
		"a computed member":                 "const FIELD = 'dish';\nexport default async function run() {\n  const { meals } = await web.getJSON('https://api.example.test/meals');\n  const out = meals.map((m) => m[FIELD].trim());\n  await files.write('meals.txt', out.join(','));\n  return { out };\n}",
		"reduce":                            "export default async function run() {\n  const { meals } = await web.getJSON('https://api.example.test/meals');\n  const byId = meals.reduce((all, m) => all.set(m.id, m), new Map());\n  const out = [...byId.values()].map((m) => m.dish.trim());\n  await files.write('meals.txt', out.join(','));\n  return { out };\n}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := mend(t, scenario{
				name: name, code: code,
				old: []world{
					{answers: []answer{{"meals", `{"meals":[{"id":1,"dish":" Dal "},{"id":2,"dish":"Pho"}]}`}}},
					{answers: []answer{{"meals", `{"meals":[{"id":3,"dish":"Soup "}]}`}}},
				},
				fresh: world{answers: []answer{{"meals", `{"meals":[{"id":4,"dish_name":"Stew "},{"id":5,"dish_name":"Pie"}]}`}}},
			}.evidence(t))
			require.NotNil(t, result.Best, show(result))
			require.False(t, result.Held, show(result))
			require.JSONEq(t, `{"out":["Stew","Pie"]}`, string(result.Best.Judgement.FailingRun.Output), show(result))
		})
	}
}

// TestForgedTraces: a script that reaches into the tracer makes nothing but its own trace
// useless.
func TestForgedTraces(t *testing.T) {
	t.Parallel()
	for _, sabotage := range []string{
		`Array.from = () => [{ node: 99, key: 'a', at: '1:1', kinds: { undefined: 1 } }, { node: -5, key: 'b', at: 'x' }, { node: 0, key: 'c', at: '9:9', nothing: [['q']] }];`,
		`Array.prototype.push = function () { return 0; };`,
		`Map.prototype.get = () => ({ id: 7, children: new Map(), times: new Map() });`,
		`JSON.stringify = () => { throw new Error('no'); };`,
		`Array.prototype.concat = () => 5; Object.prototype.kind = 'call'; Object.prototype.nth = -3;`,
		`Promise.prototype.then = function () { return this; };`,
		`Array.isArray = () => true;`,
	} {
		code := sabotage + "\nasync function main(input) { return input.list.map((x) => x.name.trim()); }"
		e := Evidence{
			Code:      code,
			Failed:    gate.Run{ID: "f", Input: []byte(`{"list":[{"full_name":"b"}]}`), Outcome: gate.Outcome{Status: "failed"}},
			Successes: []gate.Run{{ID: "s", Input: []byte(`{"list":[{"name":"a"}]}`), Outcome: gate.Outcome{Status: "succeeded", Output: []byte(`["a"]`)}}},
		}
		require.NotPanics(t, func() {
			_, err := Templates{Runner: runner()}.Propose(t.Context(), e, func(context.Context, Candidate) (gate.Judgement, error) {
				return gate.Judgement{Verdict: gate.Different}, nil
			})
			require.NoError(t, err, sabotage)
		}, sabotage)
	}
}
