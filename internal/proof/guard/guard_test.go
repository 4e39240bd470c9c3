package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

func runner() sandbox.Runner { return process.InProcess{Bindings: hostcall.Bindings()} }

// day is what the outside answers, by address; a number before the body is its status, and lines that begin with X-
// are headers. The text after then answers a second request.
type day map[string]string

const then = " THEN "

// lived runs a script on a day.
func lived(t *testing.T, code, id string, of day) gate.Run {
	t.Helper()
	of = maps.Clone(of)
	clock := time.Date(2026, time.March, 2, 7, 0, 0, 0, time.UTC)
	run := gate.Run{ID: id, Trigger: "schedule", Input: json.RawMessage("{}"), Clock: clock, Seed: id, Overlap: true, Calls: []gate.Call{}}
	host := sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		var args []any
		require.NoError(t, json.Unmarshal(call.Args, &args))
		if call.Effect == sandbox.Write && call.Tool == "web.fetch" {
			return sandbox.Reply{Result: json.RawMessage(`{"status":200,"headers":{},"body":""}`)}, nil
		}
		if call.Effect == sandbox.Write {
			return sandbox.Reply{Result: json.RawMessage("null")}, nil
		}
		body, later, again := strings.Cut(of[fmt.Sprint(args[0])], then)
		if again {
			of[fmt.Sprint(args[0])] = later
		}
		status := 200
		if _, err := fmt.Sscanf(body, "%d ", &status); err == nil && status > 99 {
			_, body, _ = strings.Cut(body, " ")
		} else {
			status = 200
		}
		if call.Tool == "web.fetch" {
			media := "application/json"
			switch {
			case strings.HasPrefix(body, "<"):
				media = "text/html"
			case strings.HasPrefix(body, "\x00"):
				media = "application/octet-stream"
			case !json.Valid([]byte(body)):
				media = "text/csv"
			}
			headers := orderedjson.New("content-type", media)
			for strings.HasPrefix(body, "X-") {
				var line string
				line, body, _ = strings.Cut(body, "\n")
				name, value, _ := strings.Cut(line, ": ")
				headers.Put(strings.ToLower(name), value)
			}
			result, err := orderedjson.Encode(orderedjson.New("status", status, "headers", headers, "body", body))
			return sandbox.Reply{Result: result}, err
		}
		if status >= 400 {
			return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "status", Status: status}}, nil
		}
		return sandbox.Reply{Result: json.RawMessage(body)}, nil
	})
	outcome, err := runner().Run(t.Context(), sandbox.Execution{Code: code, Input: run.Input, Seed: id, Clock: clock, Affinity: "w", Overlap: run.Overlap}, host)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	for _, call := range outcome.Calls {
		made := gate.Call{Tool: call.Tool, Args: call.Args, Effect: string(call.Effect), Result: call.Result, MS: call.MS}
		if call.Error != nil {
			made.Error = &gate.Error{Class: call.Error.Class, Name: call.Error.Name, Message: call.Error.Message, Status: call.Error.Status}
		}
		run.Calls = append(run.Calls, made)
	}
	run.Outcome = gate.Outcome{Status: "succeeded", Output: outcome.Output}
	return run
}

// look is what the guard finds on a day, after days on which the script was right.
func look(t *testing.T, code string, before []day, now day) []guard.Finding {
	t.Helper()
	version := guard.Version{Code: code}
	for i, one := range before {
		version.Successes = append(version.Successes, lived(t, code, fmt.Sprintf("r%d", i), one))
	}
	run := lived(t, code, "now", now)
	found, err := guard.Look(t.Context(), runner(), guard.Learn(version), version, &run)
	require.NoError(t, err)
	return found
}

const at = "https://api.example.test/v1/things"

func days(bodies ...string) []day {
	var all []day
	for _, body := range bodies {
		all = append(all, day{at: body})
	}
	return all
}

// twice are the days and the same ones again.
func twice(bodies ...string) []day { return slices.Repeat(days(bodies...), 2) }

// Runs that do not fail and are wrong: each of these wrote what nobody wants.
func TestWrongSuccessesAreFound(t *testing.T) {
	t.Parallel()
	invoices := days(`[{"n":1,"due":12.5},{"n":2,"due":7.25}]`, `[{"n":3,"due":99.9}]`, `[]`, `[{"n":4,"due":3},{"n":5,"due":4.5}]`, `[{"n":6,"due":8.75}]`)
	overdue := `async function main() {
  const all = await web.getJSON('` + at + `');
  const sum = all.reduce((s, i) => s + Number(i.due), 0);
  await notify('Overdue', sum.toFixed(2) + ' EUR are overdue');
}`
	prices := days(`{"product":{"name":"Tea","cents":1999,"old":2499}}`, `{"product":{"name":"Cup","cents":2001,"old":2001}}`, `{"product":{"name":"Pot","cents":59629,"old":60010}}`,
		`{"product":{"name":"Mat","cents":805,"old":990}}`, `{"product":{"name":"Tin","cents":1250,"old":1250}}`)
	watch := `async function main() {
  const { product } = await web.getJSON('` + at + `');
  await notify('Price', product.name + ' is ' + (product.cents / 100).toFixed(2) + ' EUR now');
}`
	report := `async function main() {
  const response = await web.fetch('` + at + `');
  let rows = [];
  try { rows = JSON.parse(response.body).rows || []; } catch (e) { console.warn('no rows'); }
  await files.write('report.csv', rows.map((r) => r.id).join('\n'));
  return rows.length;
}`
	rows := days(`{"rows":[{"id":"a"},{"id":"b"}]}`, `{"rows":[{"id":"c"}]}`, `{"rows":[]}`, `{"rows":[{"id":"d"}]}`, `{"rows":[{"id":"e"}]}`)
	wrapped := `async function main() {
  const answer = await web.getJSON('` + at + `');
  await web.postJSON('https://shop.example.test/import', answer.data ? answer : { product: answer.product });
}`
	total := `async function main() {
  const { lines } = await web.getJSON('` + at + `');
  let sum = 0;
  for (const line of lines) sum += line.total || 0;
  await notify('Invoice', 'Total ' + sum.toFixed(2));
}`
	lines := days(`{"lines":[{"text":"Tea","total":4.5},{"text":"Cups","total":4.5}]}`, `{"lines":[{"text":"Pot","total":7.25}]}`, `{"lines":[{"text":"Mat","total":3}]}`)
	moved := `async function main() {
  const page = await web.getJSON('` + at + `');
  const fresh = (page.items || []).map((i) => i.id);
  await notify('News', fresh.length ? fresh.join(', ') : 'nothing is new');
}`
	feed := days(`{"items":[{"id":"a"},{"id":"b"}],"next":null}`, `{"items":[],"next":null}`, `{"items":[{"id":"c"}],"next":null}`, `{"items":[{"id":"d"}],"next":null}`)
	paged := `async function main() {
  const ids = [];
  for (let n = 1; n; ) {
    const page = await web.getJSON(n === 1 ? '` + at + `' : '` + at + `?page=' + n);
    for (const item of page.items) ids.push(item.id);
    n = page.next;
  }
  await notify('All', ids.join());
}`
	var pages []day
	for _, id := range []string{"a", "b", "c", "d"} {
		pages = append(pages, day{at: `{"items":[{"id":"` + id + `"}],"next":2}`, at + "?page=2": `{"items":[{"id":"` + id + `2"}],"next":null}`})
	}
	for name, c := range map[string]struct {
		code   string
		before []day
		now    string
		kind   guard.Kind
		says   string
	}{
		"NaN EUR are overdue":                  {overdue, invoices, `[{"n":7,"due":{"amount":3,"currency":"EUR"}},{"n":8,"due":{"amount":4,"currency":"EUR"}}]`, guard.Shape, "[].due was always number, and is object"},
		"5.96 for 596.29":                      {watch, prices, `{"product":{"name":"Pot","cents":596.29,"old":600.1}}`, guard.Shape, "in another unit"},
		"empty report after a 500":             {report, rows, `500 {"error":"internal error"}`, guard.Status, "status 500"},
		"empty report after a page":            {report, rows, `503 <html>down</html>`, guard.Status, "status 503"},
		"undefined is 20.01 EUR now":           {watch, prices, `{"product":{"title":"Tea","cents":2001,"old":2001}}`, guard.Shape, "product.name was always string, and is gone"},
		"a payload of {data: [product]}":       {wrapped, prices, `{"data":[{"name":"Tea","cents":1999,"old":2499}]}`, guard.Shape, "product was always object, and is gone"},
		"nothing is new, of a list that moved": {moved, feed, `{"data":{"items":[{"id":"x"},{"id":"y"}]},"next":null}`, guard.Shape, "items was always array, and is gone"},
		"only the first page":                  {paged, pages, `{"items":[{"id":"x"},{"id":"y"}],"cursor":"2"}`, guard.Shape, "next was always number, and is gone"},
		"0.00 for a member that was renamed":   {total, lines, `{"lines":[{"text":"Pot","amount":7.25}]}`, guard.Shape, "lines[].total was always number, and is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := look(t, c.code, c.before, day{at: c.now})
			require.NotEmpty(t, found)
			require.True(t, guard.Stops(found))
			require.Equal(t, c.kind, found[0].Kind)
			require.Contains(t, found[0].String(), c.says)
			require.Contains(t, found[0].Shown, "would have come to", "it says what that comes to")
		})
	}
}

// Nothing is held up on a day that only differs.
func TestOrdinaryDaysPass(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const { items, next } = await web.getJSON('` + at + `');
  const open = items.filter((i) => i.state !== 'done');
  const sum = open.reduce((s, i) => s + i.hours, 0);
  const who = open.map((i) => i.owner ? i.owner.name : 'nobody').join(', ');
  await notify('Open', open.length + ' open, ' + sum + ' hours, ' + who);
  return { open: open.length, next: next ?? null };
}`
	before := days(
		`{"items":[{"state":"open","hours":2,"owner":{"name":"Ada"}},{"state":"done","hours":1,"owner":null}],"next":null}`,
		`{"items":[{"state":"open","hours":3,"owner":{"name":"Ben"}}],"next":"p2"}`,
		`{"items":[{"state":"blocked","hours":4,"owner":{"name":"Ada"}},{"state":"open","hours":2}],"next":null}`,
		`{"items":[{"state":"done","hours":5,"owner":{"name":"Eve"}}],"next":null}`,
		`{"items":[{"state":"open","hours":1,"owner":{"name":"Ada"}}],"next":null}`)
	for name, now := range map[string]string{
		"an empty list":         `{"items":[],"next":null}`,
		"a new word":            `{"items":[{"state":"escalated","hours":2,"owner":{"name":"Ada"}}],"next":null}`,
		"larger numbers":        `{"items":[{"state":"open","hours":900,"owner":{"name":"Ada"}}],"next":null}`,
		"a fraction":            `{"items":[{"state":"open","hours":1.5,"owner":{"name":"Ada"}}],"next":null}`,
		"an optional member":    `{"items":[{"state":"open","hours":2},{"state":"open","hours":2}],"next":null}`,
		"a new member":          `{"items":[{"state":"open","hours":2,"owner":{"name":"Ada"},"colour":"red"}],"next":null,"took":3}`,
		"a member nobody reads": `{"items":[{"state":"open","hours":2,"owner":{"name":"Ada"}}],"next":null}`,
		"nothing is open":       `{"items":[{"state":"done","hours":2,"owner":{"name":"Ada"}},{"state":"done","hours":2,"owner":{"name":"Ada"}}],"next":null}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, look(t, code, before, day{at: now}))
		})
	}
}

// A member that is left out because there is nothing to say is no drift. One that everything lost is.
func TestAMemberWithNothingToSayMayBeLeftOut(t *testing.T) {
	t.Parallel()
	search := `async function main() {
  const { items, total } = await web.getJSON('` + at + `');
  await notify('Found', total + ': ' + (items || []).map((i) => i.id).join());
}`
	found := days(`{"items":[{"id":"a"},{"id":"b"}],"total":2}`, `{"items":[{"id":"c"}],"total":1}`, `{"items":[{"id":"d"}],"total":1}`, `{"items":[{"id":"e"}],"total":1}`, `{"items":[{"id":"f"}],"total":1}`)
	found = slices.Concat(found, found)
	require.Empty(t, look(t, search, found, day{at: `{"total":0}`}))
	require.NotEmpty(t, look(t, search, found, day{at: `{"total":3}`}), "there are some")
	require.NotEmpty(t, look(t, search, found, day{at: `{"total":0,"results":[]}`}), "they are elsewhere now")
	licences := `async function main() {
  const all = await web.getJSON('` + at + `');
  await notify('Licences', all.map((one) => one.name + ' ' + (one.license ? one.license.id || 'none' : 'none')).join());
}`
	packages := days(`[{"name":"a","license":{"id":"MIT"}},{"name":"b","license":{"id":"BSD"}}]`, `[{"name":"c","license":{"id":"MIT"}},{"name":"d","license":null}]`,
		`[{"name":"e","license":{"id":"MIT"}}]`, `[{"name":"f","license":{"id":"MIT"}}]`, `[{"name":"g","license":{"id":"ISC"}}]`)
	packages = slices.Repeat(packages, 2)
	require.Empty(t, look(t, licences, packages, day{at: `[{"name":"h","license":{}},{"name":"i","license":null}]`}))
	require.Empty(t, look(t, licences, packages, day{at: `[{"name":"h","license":{}}]`}))
	require.NotEmpty(t, look(t, licences, packages, day{at: `[{"name":"h","license":{}},{"name":"i","license":{}}]`}), "in all of several")
	require.NotEmpty(t, look(t, licences, packages, day{at: `[{"name":"h","license":{"spdx":"MIT"}}]`}), "by another name")
}

// Each of these is seen once it is in all that is given, and an ordinary day that only looks like it passes.
func TestSmallSignsOfAChangeAreSeen(t *testing.T) {
	t.Parallel()
	list := func(made func(i int) string) []day {
		var all []string
		for i := range 9 {
			all = append(all, made(i))
		}
		return days(all...)
	}
	one := func(i int, body string) map[string]string { return map[string]string{at + fmt.Sprintf("/%d", i): body} }
	for name, c := range map[string]struct {
		code        string
		before      []day
		now, passes day
	}{
		"times in UTC": {
			`async function main() {
  const { at } = await web.getJSON('` + at + `');
  await notify('Next', at.slice(8, 16));
}`, list(func(i int) string { return fmt.Sprintf(`{"at":"2026-03-0%dT07:30:00+09:00"}`, i+1) }),
			day{at: `{"at":"2026-03-09T22:30:00Z"}`}, day{at: `{"at":"2026-03-10T07:30:00+02:00"}`},
		},
		"micros that were euros, in texts": {
			`async function main() {
  const { cost } = await web.getJSON('` + at + `');
  await notify('Cost', (Number(cost) / 1e6).toFixed(2));
}`, list(func(i int) string { return fmt.Sprintf(`{"cost":"%d48020000"}`, i+1) }),
			day{at: `{"cost":"48.02"}`}, day{at: `{"cost":"99020000"}`},
		},
		"a word in another spelling": {
			`async function main() {
  const { states } = await web.getJSON('` + at + `');
  await notify('Open', states.filter((s) => s !== 'cancelled').length + ' are open');
}`, list(func(i int) string { return `{"states":["cancelled","paid"` + strings.Repeat(`,"new"`, i) + `]}` }),
			day{at: `{"states":["paid","canceled"]}`}, day{at: `{"states":["paid","new"]}`},
		},
		"a list that comes in pages": {
			`async function main() {
  const { data } = await web.getJSON('` + at + `');
  await notify('Sum', String(data.reduce((a, b) => a + b, 0)));
}`, list(func(i int) string { return `{"data":[4,2` + strings.Repeat(",7", i) + `],"links":{"first":"/"}}` }),
			day{at: `{"data":[3,4],"links":{"first":"/","next":"/?page=2"}}`}, day{at: `{"data":[3,4],"links":{"first":"/","next":null}}`},
		},
		"a whole number among fractions": {
			`async function main() {
  const { watts } = await web.getJSON('` + at + `');
  await kv.set('watts', watts);
}`, list(func(i int) string { return fmt.Sprintf(`{"watts":[1.%d,2.5]}`, i+1) }),
			day{at: `{"watts":[1100,2500]}`}, day{at: `{"watts":[310]}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.True(t, guard.Stops(look(t, c.code, c.before, c.now)))
			require.Empty(t, look(t, c.code, c.before, c.passes))
		})
	}
	houses := `async function main() {
  const lines = [];
  for (const n of [1, 2, 3]) {
    const r = await web.fetch('` + at + `/' + n);
    if (!r.ok) continue;
    const { name, menu } = JSON.parse(r.body);
    lines.push(name + ': ' + (menu || 'closed'));
  }
  await notify('Menu', lines.join('\n'));
}`
	open := day{}
	for i := range 3 {
		maps.Copy(open, one(i+1, fmt.Sprintf(`{"name":"h%d","menu":"soup"}`, i+1)))
	}
	closed, shut := maps.Clone(open), maps.Clone(open)
	maps.Copy(closed, one(2, `{"name":"h2"}`))
	maps.Copy(shut, one(3, `{"name":"h3"}`))
	before := slices.Repeat([]day{open, closed}, 6)
	require.Empty(t, look(t, houses, before, shut), "others of its kind do without")
	v := guard.Version{Code: houses}
	for i, one := range slices.Repeat([]day{open}, 9) {
		v.Successes = append(v.Successes, lived(t, houses, fmt.Sprintf("r%d", i), one))
	}
	run := lived(t, houses, "now", shut)
	require.NotEmpty(t, guard.Learn(v).Suspects(&run), "none did without")
}

// A script that copes with a change is left alone: also with one that was mended for it.
func TestAChangeThatTheScriptCopesWithPasses(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const { lines } = await web.getJSON('` + at + `');
  let sum = 0;
  for (const line of lines) sum += Number(line.total ?? line.amount);
  await notify('Invoice', 'Total ' + sum.toFixed(2));
}`
	before := days(`{"lines":[{"total":4.5},{"total":4.5}],"meta":{"page":1}}`, `{"lines":[{"total":7.25}],"meta":{"page":1}}`, `{"lines":[{"total":3}],"meta":{"page":1}}`,
		`{"lines":[{"total":4}],"meta":{"page":1}}`, `{"lines":[{"total":5}],"meta":{"page":1}}`)
	for name, now := range map[string]string{
		"renamed to what it reads, too": `{"lines":[{"amount":7.25}],"meta":{"page":1}}`,
		"a number as text":              `{"lines":[{"total":"7.25"}],"meta":{"page":1}}`,
		"what it does not read":         `{"lines":[{"total":7.25}],"meta":"none"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, look(t, code, before, day{at: now}))
		})
	}
}

// A script that provides for an error, by naming its status or by asking elsewhere, means it.
func TestErrorsThatAreProvidedForPass(t *testing.T) {
	t.Parallel()
	named := `async function main() {
  const response = await web.fetch('` + at + `');
  const rows = response.status === 404 ? [] : JSON.parse(response.body);
  await notify('Rows', String(rows.length));
}`
	require.Empty(t, look(t, named, days(`[1,2]`, `[3]`, `[1]`), day{at: `404 {"error":"not found"}`}))
	require.NotEmpty(t, look(t, strings.Replace(named, "response.status === 404", "response.status > 399", 1), days(`[1,2]`, `[3]`, `[1]`), day{at: `404 {"error":"not found"}`}))
	elsewhere := `async function main() {
  let rate;
  try { rate = (await web.getJSON('` + at + `')).rate; } catch (e) { rate = JSON.parse((await web.fetch('https://mirror.example.test/rate')).body).rate; }
  await notify('Rate', String(rate));
}`
	require.Empty(t, look(t, elsewhere, days(`{"rate":1.5}`, `{"rate":1.25}`, `{"rate":2.5}`), day{at: `500 {}`, "https://mirror.example.test/rate": `{"rate":1.75}`}))
	swallowed := strings.Replace(elsewhere, `JSON.parse((await web.fetch('https://mirror.example.test/rate')).body).rate`, "0", 1)
	found := look(t, swallowed, days(`{"rate":1.5}`, `{"rate":1.25}`, `{"rate":2.5}`), day{at: `500 {}`})
	require.Len(t, found, 1)
	require.Equal(t, 500, found[0].HTTP)
}

// A status is data to a script that looks which pages are there: one that is there again is no failure.
func TestAPageThatIsThereAgainPasses(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const gone = [];
  for (const n of await web.getJSON('` + at + `')) {
    const { status } = await web.fetch('` + at + `/' + n);
    if (status > 399) gone.push(n);
  }
  await notify('Gone', gone.join());
}`
	before := []day{{at: `[1]`, at + "/1": `404 {}`}, {at: `[1]`, at + "/1": `410 {}`}}
	for range 8 {
		before = append(before, day{at: `[2]`, at + "/2": `{}`})
	}
	require.Empty(t, look(t, code, before, day{at: `[1]`, at + "/1": `{}`}))
	require.NotEmpty(t, look(t, code, before, day{at: `[2]`, at + "/2": `503 {}`}))
}

// An error of a read that the script itself made again, until it was answered, is over. It teaches nothing, either.
func TestAReadThatTheScriptMadeAgainPasses(t *testing.T) {
	t.Parallel()
	for _, asks := range []string{
		`try { rate = (await web.getJSON('` + at + `')).rate; } catch (e) {}`,
		`const r = await web.fetch('` + at + `'); if (r.status < 400) rate = JSON.parse(r.body).rate;`,
	} {
		code := `async function main() {
  let rate = 0;
  for (let i = 0; i < 3 && !rate; i++) { ` + asks + ` }
  await notify('Rate', String(rate));
}`
		before := days(`{"rate":1.5}`, `{"rate":1.25}`, `{"rate":2.5}`)
		require.Empty(t, look(t, code, before, day{at: `500 {}` + then + `{"rate":1.75}`}), code)
		require.NotEmpty(t, look(t, code, before, day{at: `500 {}`}), code)
		require.NotEmpty(t, look(t, code, append(before, day{at: `500 {}` + then + `{"rate":1.75}`}), day{at: `500 {}`}), code)
	}
}

// A page in the place of data is found also where a script reads lines of it, and is told apart: it is an outage.
func TestAPageInThePlaceOfTextIsFound(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const lines = (await web.fetch('` + at + `')).body.split('\n').filter((line) => line.includes(';'));
  await notify('Rows', String(lines.length));
}`
	found := look(t, code, days("a;1\nb;2", "a;3", "c;4\nd;5"), day{at: "<html><p>Down</p></html>"})
	require.Len(t, found, 1)
	require.True(t, found[0].NoData && guard.Stops(found))
}

// Garbage alone is told, and does not stop by itself.
func TestGarbageAloneIsTold(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const { items } = await web.getJSON('` + at + `');
  await notify('Average', (items.reduce((s, i) => s + i.n, 0) / items.filter((i) => i.n > 0).length).toFixed(1));
}`
	before := days(`{"items":[{"n":1},{"n":2}]}`, `{"items":[{"n":3}]}`, `{"items":[{"n":4},{"n":5}]}`)
	found := look(t, code, before, day{at: `{"items":[{"n":0}]}`})
	require.Len(t, found, 1)
	require.Equal(t, guard.Garbage, found[0].Kind)
	require.False(t, guard.Stops(found))
	require.Contains(t, found[0].String(), "NaN")
	require.Empty(t, look(t, code, append(before, day{at: `{"items":[{"n":0}]}`}), day{at: `{"items":[{"n":0}]}`}), "a success had it, too")
}

// A place is named as people would: not by where it is in a list of arguments.
func TestPlacesInWords(t *testing.T) {
	t.Parallel()
	for said, finding := range map[string]guard.Finding{
		"rates.JPY of the result was 7, and is gone":                  {Source: "output", Place: "rates.JPY"},
		"the result was 7, and is gone":                               {Source: "output"},
		"JPY in argument 2 of kv.set * was 7, and is gone":            {Source: "write kv.set *", Place: "1.JPY"},
		"argument 1 of notify was 7, and is gone":                     {Source: "write notify", Place: "0"},
		"GET api.example.test/rates base was 7, and is gone":          {Source: "GET api.example.test/rates", Place: "base"},
		"input given by hand was 7, and is gone (a run came to that)": {Source: "input given by hand", Shown: "a run came to that"},
	} {
		finding.Was, finding.Is = "7", "gone"
		require.Equal(t, said, finding.String())
	}
}

// If a script makes garbage of every empty list, it says nothing about the day that had one, unless something came
// with it.
func TestGarbageOfEveryEmptyListIsTheScriptsOwnWay(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const { items } = await web.getJSON('` + at + `');
  await notify('Average', (items.reduce((s, i) => s + i.n, 0) / items.length).toFixed(1));
}`
	before := days(`{"items":[{"n":1},{"n":2}]}`, `{"items":[{"n":3}]}`, `{"items":[{"n":4},{"n":5}]}`)
	require.Empty(t, look(t, code, before, day{at: `{"items":[]}`}))
	require.NotEmpty(t, look(t, code, before, day{at: `{"items":[],"entries":[{"n":4}]}`}), "what was in the list may be elsewhere")
	require.NotEmpty(t, look(t, code, before, day{at: `{"items":[{"m":1}]}`}), "the list is not empty")
}

// Two successes are enough to judge by; fewer are not.
func TestNothingIsSuspectedWithoutSuccesses(t *testing.T) {
	t.Parallel()
	code := `async function main() { const a = await web.getJSON('` + at + `'); await notify('x', String(a.n)); }`
	require.Empty(t, look(t, code, days(`{"n":1}`), day{at: `{"m":1}`}))
	require.NotEmpty(t, look(t, code, days(`{"n":1}`, `{"n":2}`, `{"n":3}`), day{at: `{"m":1}`}))
}

// A run that was watched as it went on teaches what it would as a record.
func TestAWatchedRunTeachesWhatARecordDoes(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const a = await web.fetch('` + at + `');
  await notify('x', JSON.parse(a.body).map((one) => one.n + one.state).join());
  const b = await web.getJSON('` + at + `/' + JSON.parse(a.body)[0].n);
  return { sum: b.sum, seen: [a.status] };
}`
	recorded, watched := guard.Learn(guard.Version{Code: code}), guard.Learn(guard.Version{Code: code})
	for i := range 5 {
		run := lived(t, code, fmt.Sprint("r", i), day{at: fmt.Sprintf(`[{"n":%d,"state":"s%d"},{"n":2,"state":null,"of":{"x":"{\"y\":1}"}}]`, i, i), fmt.Sprint(at, "/", i): fmt.Sprintf(`{"sum":%d.5}`, i)})
		recorded.Add(&run)
		live := watched.Watch()
		for n := range run.Calls {
			begun := run
			begun.Calls, begun.Outcome = run.Calls[:n+1], gate.Outcome{}
			live.See(&begun)
		}
		live.See(&run)
		require.Empty(t, live.Suspects(&run))
		live.Learn(&run)
	}
	require.Equal(t, recorded, watched)
}

// Objects whose keys are data are maps: that other keys stand in them is an ordinary day, whatever the script makes of them.
func TestKeysThatAreDataComeAndGo(t *testing.T) {
	t.Parallel()
	series := `async function main() {
  const answer = await web.getJSON('` + at + `');
  const days = Object.entries(answer['Time Series']).map(([day, of]) => day + ' ' + of['4. close']);
  await notify('Closed', days.join('\n'));
}`
	byID := `async function main() {
  const { people } = await web.getJSON('` + at + `');
  const names = {};
  for (const [id, one] of Object.entries(people)) names[id] = one.name + ' ' + one.hours;
  await web.postJSON('https://shop.example.test/hours', names);
  return names;
}`
	rates := `async function main() {
  const { base, rates } = await web.getJSON('` + at + `');
  await notify('Rates of ' + base, Object.keys(rates).map((code) => code + ' ' + rates[code]).join(', ') + '; the dollar ' + rates.USD);
}`
	words := `async function main() {
  const { texts } = await web.getJSON('` + at + `');
  const tally = {};
  for (const text of texts) for (const word of text.split(' ')) tally[word] = (tally[word] || 0) + 1;
  await kv.set('tally', tally);
  return tally;
}`
	counts := `async function main() {
  const tally = await web.getJSON('` + at + `');
  let most = '';
  for (const word in tally) if (!most || tally[word] > tally[most]) most = word;
  await notify('Most', most + ' of ' + Object.values(tally).reduce((a, b) => a + b, 0));
}`
	nested := `async function main() {
  const { log } = await web.getJSON('` + at + `');
  const lines = [];
  for (const [day, hosts] of Object.entries(log)) for (const [host, n] of Object.entries(hosts)) lines.push([day, host, n.hits].join());
  await files.write('log.csv', lines.join('\n'));
  return { lines: lines.length };
}`
	ask := `async function main() {
  const { id, answer } = await web.getJSON('` + at + `');
  return { [id]: answer };
}`
	for name, c := range map[string]struct {
		code   string
		before []day
		passes []string
		found  []string // and these do not
	}{
		"days": {
			series, days(`{"Time Series":{"2026-03-02":{"4. close":"12.5"},"2026-03-01":{"4. close":"12.25"}}}`, `{"Time Series":{"2026-03-03":{"4. close":"13"},"2026-03-02":{"4. close":"12.5"}}}`),
			[]string{`{"Time Series":{"2026-03-04":{"4. close":"11.75"},"2026-03-03":{"4. close":"13"}}}`, `{"Time Series":{"2026-03-09":{"4. close":"14"}}}`, `{"Time Series":{}}`},
			[]string{`{"Time Series":{"2026-03-04":{"close":"11.75"},"2026-03-03":{"close":"13"}}}`},
		},
		"people by id": {
			byID, days(`{"people":{"u1":{"name":"Ann","hours":4},"u2":{"name":"Bob","hours":7}}}`, `{"people":{"u1":{"name":"Ann","hours":5},"u7":{"name":"Zoë","hours":2}}}`, `{"people":{"u1":{"name":"Ann","hours":3}}}`),
			[]string{`{"people":{"u2":{"name":"Bob","hours":8}}}`, `{"people":{"u9":{"name":"李","hours":1},"u10":{"name":"Eve","hours":2}}}`},
			[]string{`{"people":{"u2":{"full_name":"Bob","hours":8}}}`, `{"people":{"u1":{"name":"Ann","time":3},"u2":{"name":"Bob","time":8}}}`},
		},
		"people by a name": {
			byID, days(`{"people":{"A":{"name":"Ann","hours":4},"B":{"name":"Bob","hours":7}}}`, `{"people":{"A":{"name":"Ann","hours":4},"B":{"name":"Bob","hours":7}}}`, `{"people":{"B":{"name":"Bob","hours":2}}}`),
			[]string{`{"people":{"A":{"name":"Ann","hours":4},"C":{"name":"Cid","hours":1}}}`},
			[]string{`{"people":{"A":{"full_name":"Ann","hours":4},"C":{"full_name":"Cid","hours":1}}}`},
		},
		"rates": {
			rates, twice(`{"base":"EUR","rates":{"USD":1.08,"JPY":157.6,"GBP":0.85}}`, `{"base":"EUR","rates":{"USD":1.07,"JPY":158.1,"GBP":0.86}}`, `{"base":"EUR","rates":{"USD":1.09,"JPY":158.3,"GBP":0.84}}`,
				`{"base":"EUR","rates":{"USD":1.08,"JPY":158.2}}`, `{"base":"EUR","rates":{"USD":1.07,"JPY":158.3,"GBP":0.85}}`),
			[]string{`{"base":"EUR","rates":{"USD":1.07,"CHF":0.96,"GBP":0.84}}`},
			[]string{`{"base":"EUR","rates":{"EURUSD":1.07,"EURJPY":157.1}}`},
		},
		"a tally that it makes": {
			words, days(`{"texts":["the red hat","the cat"]}`, `{"texts":["the cat sat"]}`, `{"texts":["the dog"]}`, `{"texts":["the last word"]}`),
			[]string{`{"texts":["some other words","einige Wörter"]}`}, nil,
		},
		"a tally that it is given": {
			counts, days(`{"the":4,"cat":1}`, `{"the":2,"dog":3,"red":1}`, `{"the":2,"house":1}`),
			[]string{`{"a":4,"cat":2}`, `{"über":1}`}, []string{`{"a":"4","cat":"2"}`},
		},
		"maps in a map": {
			nested, days(`{"log":{"2026-03-01":{"a.example.test":{"hits":3},"b.example.test":{"hits":1}}}}`, `{"log":{"2026-03-02":{"c.example.test":{"hits":3}}}}`),
			[]string{`{"log":{"2026-03-03":{"d.example.test":{"hits":2},"b.example.test":{"hits":9}}}}`},
			[]string{`{"log":{"2026-03-03":{"d.example.test":{"count":2},"b.example.test":{"count":9}}}}`},
		},
		"holdings by a key that is always there": {
			`async function main() {
  const prices = await web.getJSON('` + at + `');
  let worth = 0;
  for (const part of 'gold 2, silver 30, tin 5'.split(', ')) worth += prices[part.split(' ')[0]].quote.eur * part.split(' ')[1];
  await kv.set('worth', worth);
}`, twice(`{"gold":{"quote":{"eur":2101.5},"unit":"oz"},"silver":{"quote":{"eur":24.75},"unit":"oz"},"tin":{"quote":{"eur":1.25},"unit":"kg"}}`,
				`{"gold":{"quote":{"eur":2088.25},"unit":"oz"},"silver":{"quote":{"eur":24.5},"unit":"oz"},"tin":{"quote":{"eur":1.5},"unit":"kg"}}`,
				`{"gold":{"quote":{"eur":2110.75},"unit":"oz"},"silver":{"quote":{"eur":25.25},"unit":"oz"},"tin":{"quote":{"eur":1.5},"unit":"kg"}}`,
				`{"gold":{"quote":{"eur":2090.5},"unit":"oz"},"silver":{"quote":{"eur":24.25},"unit":"oz"},"tin":{"quote":{"eur":1.75},"unit":"kg"}}`,
				`{"gold":{"quote":{"eur":2095.5},"unit":"oz"},"silver":{"quote":{"eur":24.25},"unit":"oz"},"tin":{"quote":{"eur":1.25},"unit":"kg"}}`),
			[]string{`{"gold":{"quote":{"eur":2099.5},"unit":"oz"},"silver":{"quote":{"eur":23.5},"unit":"oz"},"tin":{"quote":{"eur":1.5},"unit":"kg"}}`},
			[]string{
				`{"gold":{"quote":{"eur":null},"unit":"oz"},"silver":{"quote":{"eur":23.5},"unit":"oz"},"tin":{"quote":{"eur":1.5},"unit":"kg"}}`,
				`{"gold":{"quote":{"eur":2099.5},"unit":"oz"},"silver":{"quote":{"eur":2350},"unit":"oz"},"tin":{"quote":{"eur":1.5},"unit":"kg"}}`,
			},
		},
		"one key": {ask, days(`{"id":"ex4","answer":"yes"}`, `{"id":"ex4","answer":"yes"}`, `{"id":"ex4","answer":"yes"}`), []string{`{"id":"ex5","answer":"yes"}`, `{"id":"last","answer":"no"}`}, []string{`{"id":"ex5","reply":"yes"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, now := range c.passes {
				require.Empty(t, look(t, c.code, c.before, day{at: now}), now)
			}
			for _, now := range c.found {
				require.True(t, guard.Stops(look(t, c.code, c.before, day{at: now})), now)
			}
		})
	}
}

// Mended code is looked at by what it reads: a missing member is no finding where the code uses the one that came
// instead, and is one where it does not, or makes garbage of it.
func TestMendedCodeIsLookedAtByWhatItReads(t *testing.T) {
	t.Parallel()
	before := days(`[{"name":"Ada","duration":3600,"mail":"a@example.test"},{"name":"Ben","duration":5400,"mail":"b@example.test"}]`,
		`[{"name":"Cid","duration":1800,"mail":"c@example.test"}]`, `[{"name":"Dan","duration":7200,"mail":"d@example.test"}]`, `[{"name":"Eve","duration":900,"mail":"e@example.test"}]`)
	now := day{at: `[{"name":"Fay","length":"PT1H30M","contacts":[{"kind":"mail","value":"f@example.test"}]},{"name":"Gus","length":"PT2H","contacts":[{"kind":"mail","value":"g@example.test"}]}]`}
	script := func(hours, mail string) string {
		return `const hours = (e) => ` + hours + `;
const mail = (e) => ` + mail + `;
async function main() {
  const all = await web.getJSON('` + at + `');
  await notify('Hours', all.map((e) => e.name + ' ' + mail(e) + ' ' + hours(e)).join());
  const sent = await web.fetch('https://shop.example.test/hours', { method: 'POST', body: JSON.stringify(all.map(hours)) });
  if (sent.status !== 200) throw new Error('refused');
}`
	}
	old := script(`(e.duration || 0) / 3600`, `e.mail || '-'`)
	parsed := `(e.duration ?? e.length.match(/\d+/g).reduce((s, n, i) => s + n * [3600, 60][i], 0)) / 3600`
	contact := `e.mail ?? e.contacts.find((c) => c.kind === 'mail').value`
	for name, c := range map[string]struct {
		code  string
		found bool
	}{
		"reads both":             {script(parsed, contact), false},
		"as it was":              {old, true},
		"hides both":             {script(`(e.duration ?? 0) / 3600`, `e.mail ?? ''`), true},
		"makes garbage of one":   {script(`(e.duration ?? Number(e.length)) / 3600`, contact), true},
		"makes an object of one": {script(parsed, `e.mail ?? e.contacts[0]`), true},
		"reads what was there":   {script(`(e.duration ?? e.name.length) / 3600`, `e.mail ?? e.name`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			version := guard.Version{Code: c.code, Mended: c.code != old}
			for i, one := range before {
				version.Successes = append(version.Successes, lived(t, old, fmt.Sprintf("r%d", i), one))
			}
			run := lived(t, c.code, "now", now)
			found, err := guard.Look(t.Context(), runner(), guard.Learn(version), version, &run)
			require.NoError(t, err)
			require.Equal(t, c.found, guard.Stops(found), "%v", found)
		})
	}
}

// A word in the run's answers may say where a value stands: the mended code reads it, although no recorded run had
// the word.
func TestMendedCodeMayReadByANewWord(t *testing.T) {
	t.Parallel()
	const old = `async function main() {
  const all = await web.getJSON('` + at + `');
  let sum = 0;
  for (const e of all) if (e.kind === 'fixed') sum += e.fixed?.hours ?? 0;
  await notify('Hours', String(sum));
}`
	for code, stops := range map[string]bool{
		old:                  true,
		old + "// as it was": true,
		strings.Replace(old, "if (e", "if (e.kind === 'rota') sum += e.rota.h; else if (e", 1): false,
	} {
		version := guard.Version{Code: code, Mended: code != old}
		for i, one := range days(`[{"kind":"fixed","fixed":{"hours":8}},{"kind":"fixed","fixed":{"hours":7}}]`, `[{"kind":"fixed","fixed":{"hours":6}},{"kind":"fixed","fixed":{"hours":7}}]`, `[{"kind":"fixed","fixed":{"hours":5}}]`, `[{"kind":"fixed","fixed":{"hours":4}}]`) {
			version.Successes = append(version.Successes, lived(t, old, fmt.Sprintf("r%d", i), one))
		}
		run := lived(t, code, "now", day{at: `[{"kind":"rota","rota":{"h":8}},{"kind":"rota","rota":{"h":7}}]`})
		found, err := guard.Look(t.Context(), runner(), guard.Learn(version), version, &run)
		require.NoError(t, err)
		require.Equal(t, stops, guard.Stops(found), "%s\n%v", code, found)
	}
}

// Scripts that read a table, by the names in its header.
const (
	csvRows = `import { parse } from 'kintsugi:csv';
async function main() {
  const text = await (await fetch('` + at + `')).text();
  const overdue = parse(text, { header: true }).filter((r) => r.status === 'overdue' && parseFloat(r.balance) > 50);
  await files.write('overdue.txt', overdue.map((r) => r.id).join());
  return { overdue: overdue.length };
}`
	csvByHand = `async function main() {
  const [head, ...lines] = (await web.fetch('` + at + `')).body.trim().split(/\r?\n/).map((line) => line.split(','));
  const amount = head.indexOf('balance'), state = head.indexOf('status');
  const overdue = lines.filter((cells) => cells[state] === 'overdue' && Number(cells[amount]) > 50);
  return { overdue: overdue.length };
}`
)

// receivables are bodies of five days.
func receivables(change ...string) []day {
	body := strings.NewReplacer(change...)
	var all []day
	for _, rows := range []string{"1,\"Ada, Ltd\",99.50,overdue\n2,Bo,12,paid", "3,Cy,70,overdue", "4,Di,,open\n5,Ed,5.25,paid\n6,Flo,80,overdue", "7,Gus,60,overdue", "8,Hal,71.5,overdue\n9,Ida,1,open"} {
		all = append(all, day{at: body.Replace(fmt.Sprintf("id,name,balance,status\n%s\n", rows))})
	}
	return all
}

// lines is a script that reads lines of JSON, and logs are bodies of four days.
const lines = `async function main() {
  const all = (await web.fetch('` + at + `')).body.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return { errors: all.filter((l) => l.level === 'error').length };
}`

var logs = days("{\"level\":\"error\",\"n\":1}\n{\"level\":\"info\",\"n\":2}\n", "{\"level\":\"error\",\"n\":3}\n{\"level\":\"error\",\"n\":4}\n", "{\"level\":\"info\",\"n\":5}\n{\"level\":\"error\",\"n\":6}\n", "{\"level\":\"warn\",\"n\":7}\n{\"level\":\"error\",\"n\":8}\n")

// A table is read as JSON is: a column that is gone, and the same in another form, are as those of JSON.
func TestTablesAreSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code   string
		before []day
		now    string
		says   string
	}{
		"a renamed column":              {csvRows, receivables()[:4], "id,name,balance_due,status\n1,Ada,99.5,overdue\n", "[].balance was always string, and is gone"},
		"a renamed column, by position": {csvByHand, receivables("\"Ada, Ltd\"", "Ada"), "id,name,balance_due,status\n1,Ada,99.5,overdue\n", "[].balance was always string, and is gone"},
		"renamed behind semicolons":     {csvRows, receivables(",", ";", "\"Ada, Ltd\"", "Ada"), "id;name;amount;status\n1;Ada;99.5;overdue\n", "[].balance was always string, and is gone"},
		"a column that is left out":     {csvRows, receivables(), "id,name,status\n1,Ada,overdue\n", "[].balance was always string, and is gone"},
		"states in capitals":            {csvRows, receivables(), "id,name,balance,status\n1,Ada,99.5,OVERDUE\n", "[].status was always string, and is other words: OVERDUE"},
		"capitals and decimal commas":   {csvRows, receivables(), "id;name;balance;status\n1;Ada;99,50;OVERDUE\n", "was always CSV with commas, and is CSV with semicolons"},
		"bytes":                         {csvRows, receivables()[:4], "\x00\x01\x02\xff\xfe\x00", "was always CSV with commas, and is bytes"},
		"nothing":                       {csvRows, receivables()[:4], "", "was always CSV with commas, and is nothing"},
		"JSON for CSV":                  {csvByHand, receivables("\"Ada, Ltd\"", "Ada"), `[{"id":"1","name":"Ada","balance":"99.5","status":"overdue"}]`, "was always CSV with commas, and is JSON"},
		"semicolons for commas":         {csvByHand, receivables("\"Ada, Ltd\"", "Ada"), "id;name;balance;status\n1;Ada;99.5;overdue\n", "was always CSV with commas, and is CSV with semicolons"},
		"JSON for lines of JSON":        {lines, logs, "{\"entries\":[{\"level\":\"error\",\"n\":9}]}", "was always NDJSON, and is JSON"},
		"a renamed member in lines":     {lines, logs, "{\"severity\":\"error\",\"n\":9}\n{\"severity\":\"info\",\"n\":10}\n", "[].level was always string, and is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := look(t, c.code, c.before, day{at: c.now})
			require.NotEmpty(t, found)
			require.True(t, guard.Stops(found))
			require.Contains(t, found[0].String(), c.says)
			require.Contains(t, found[0].Shown, "would have come to", "it says what that comes to")
		})
	}
}

// Tables differ from day to day, and what looks like one may be none.
func TestOrdinaryTablesPass(t *testing.T) {
	t.Parallel()
	hello := `async function main() {
  const text = (await web.fetch('` + at + `')).body;
  await notify('Says', text.split('\n').length + ' ' + text.split(',')[0]);
}`
	greetings := days("Hello, Ada\nGood morning, Ben\n", "Hello, Cy\nGood morning, Ben\n", "Hello, Cy\nGood morning, Di\n", "Hello, Cy\nGood morning, Di\n", "Hello, Cy\nGood day, Di\n")
	codes := days("AT,Austria\nBE,Belgium\n", "AT,Austria\nBE,Belgium\nDE,Germany\n", "AT,Austria\nBE,Belgium\n", "AT,Austria\nCH,Switzerland\n", "AT,Austria\nDK,Denmark\n")
	for name, c := range map[string]struct {
		code   string
		before []day
		now    string
	}{
		"more rows":                   {csvRows, receivables(), "id,name,balance,status\n1,A,1,paid\n2,B,2,paid\n3,C,3,open\n4,D,4,paid\n5,E,500,overdue\n"},
		"no rows":                     {csvRows, receivables(), "id,name,balance,status\n"},
		"no rows and no last newline": {csvRows, receivables(), "id,name,balance,status"},
		"quoted cells":                {csvRows, receivables(), "id,name,balance,status\n\"1\",\"Ada \"\"A\"\"\",\"99.5\",\"overdue\"\n"},
		"all in quotes":               {csvRows, receivables(), "\"id\",\"name\",\"balance\",\"status\"\r\n\"1\",\"Ada\",\"99.5\",\"overdue\"\r\n"},
		"empty cells":                 {csvRows, receivables(), "id,name,balance,status\n1,,,\n2,Bo,,overdue\n"},
		"columns in another order":    {csvRows, receivables(), "status,id,balance,name\noverdue,1,99.5,Ada\n"},
		"one more column":             {csvRows, receivables(), "id,name,balance,currency,status\n1,Ada,99.5,EUR,overdue\n"},
		"a column that nobody reads":  {csvRows, receivables(), "id,balance,status\n1,99.5,overdue\n"},
		"a line above it":             {csvByHand, days("Report of 1 March\nid,balance,status\n1,70,overdue\n", "Report of 2 March\nid,balance,status\n2,70,overdue\n", "Report of 3 March\nid,balance,status\n3,70,overdue\n", "Report of 4 March\nid,balance,status\n3,70,overdue\n"), "Report of 5 March, corrected\nid,balance,status\n3,70,paid\n"},
		"what reads either":           {strings.Replace(csvRows, "r.balance)", "r.balance ?? r.balance_due)", 1), receivables(), "id,name,balance_due,status\n1,Ada,99.5,overdue\n"},
		"no content":                  {strings.Replace(csvRows, "parse(text", "parse(text || 'a,b'", 1), receivables(), "204 "},
		"prose":                       {hello, greetings, "Welcome, Ada\nGood evening, Ben\n"},
		"rows without a header":       {hello, codes, "AD,Andorra\nAT,Austria\n"},
		"a text that is empty":        {hello, greetings, ""},
		"one line of JSON":            {lines, logs, "{\"level\":\"info\",\"n\":9}\n"},
		"no line of JSON":             {lines, logs, "\n"},
		"no line, and one before":     {lines, append(days("{\"level\":\"info\",\"n\":9}\n"), logs...), "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, look(t, c.code, c.before, day{at: c.now}))
		})
	}
}

// vacancies is a page with a table of jobs, each with its number, name and date.
func vacancies(jobs ...string) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html><body><nav><a href="/">Start</a></nav><table class="jobs"><tr><th>Job</th><th>Until</th></tr>`)
	for i, name := range jobs {
		fmt.Fprintf(&b, "<tr><td><a href=\"/jobs/%d\">%s</a></td><td>%d.4.2026</td></tr>\n", 10*len(name)+i, name, i+1)
	}
	return b.String() + "</table></body></html>"
}

// payments is a statement in XML; a payer may be left out.
func payments(payers ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><Doc xmlns="urn:one"><Stmt>`)
	for i, name := range payers {
		payer := "<Nm>" + name + "</Nm>"
		if name == "" {
			payer = ""
		}
		fmt.Fprintf(&b, `<Ntry><Amt Ccy="EUR">%d.50</Amt><Dbtr>%s</Dbtr></Ntry>`, 10+i, payer)
	}
	return b.String() + "</Stmt></Doc>"
}

const (
	bySelector = `import { parse } from 'kintsugi:html';
async function main() {
  const rows = parse((await web.fetch('` + at + `')).body).querySelectorAll('table.jobs tr').filter((row) => row.querySelector('td'));
  await files.write('jobs.txt', rows.map((row) => row.textContent.trim()).join('\n'));
  return rows.length;
}`
	byPattern = `async function main() {
  const page = (await web.fetch('` + at + `')).body;
  const jobs = [...page.matchAll(/<a href="\/jobs\/(\d+)">([^<]*)<\/a>/g)].map((m) => m[1] + ' ' + m[2]);
  await files.write('jobs.txt', jobs.join('\n'));
}`
	byPath = `import { parse } from 'kintsugi:xml';
async function main() {
  const entries = parse((await web.fetch('` + at + `')).body).querySelectorAll('Stmt > Ntry');
  const lines = entries.map((e) => (e.querySelector('Dbtr > Nm')?.textContent ?? 'unknown') + ' ' + e.querySelector('Amt').textContent);
  await files.write('paid.txt', lines.join('\n'));
}`
)

var (
	boards     = days(vacancies("Cook", "Nurse"), vacancies("Tailor"), vacancies("Cook", "Clerk", "Baker"), vacancies("Smith"), vacancies("Miller"))
	statements = days(payments("Ada", "Bo"), payments("", "Cy", "Di"), payments("Ed", "Flo"), payments("Gus", "Hal"), payments("Ida"))
)

// A page is read by tags, classes, attributes and what stands in what: where these go and others come, the script finds nothing.
func TestPagesAreSeen(t *testing.T) {
	t.Parallel()
	cards := `<html><body><nav><a href="/">Start</a></nav><ul class="list"><li class="job" data-id="41"><h3>Cook</h3><time datetime="2026-04-01">1 April</time></li></ul></body></html>`
	for name, c := range map[string]struct {
		code   string
		before []day
		now    string
		says   string
	}{
		"cards for a table":       {bySelector, boards, cards, "<table> was in all pages, and is gone"},
		"after a day without any": {bySelector, append(days(vacancies()), boards...), cards, "<table> was in all pages, and is gone"},
		"another class":           {bySelector, boards, strings.ReplaceAll(vacancies("Cook", "Nurse"), `class="jobs"`, `class="vacancies"`), `<table class="jobs"> was in all pages, and is gone`},
		"data for an address":     {byPattern, boards, strings.ReplaceAll(vacancies("Cook"), `href="/jobs/`, `data-job="`), ""},
		"one element deeper":      {byPath, statements, strings.NewReplacer("<Dbtr>", "<Dbtr><Pty>", "</Dbtr>", "</Pty></Dbtr>").Replace(payments("Ada", "Bo")), "<Nm> in <Dbtr> was in all pages, and is gone"},
		"another element":         {byPath, statements, strings.ReplaceAll(payments("Ada", "Bo"), "Nm>", "Name>"), "<Nm> was in all pages, and is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := look(t, c.code, c.before, day{at: c.now})
			if c.says == "" {
				require.Empty(t, found, "an address in another form is not seen")
				return
			}
			require.NotEmpty(t, found)
			require.True(t, guard.Stops(found))
			require.Contains(t, found[0].String(), c.says)
			require.Contains(t, found[0].Shown, "would have come to", "it says what that comes to")
		})
	}
}

func TestOrdinaryPagesPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code   string
		before []day
		now    string
	}{
		"more rows":                      {bySelector, boards, vacancies("A", "B", "C", "D", "E", "F")},
		"no rows":                        {bySelector, boards, vacancies()},
		"no rows, and a word about it":   {bySelector, boards, `<html><body><nav><a href="/">Start</a></nav><p class="none">There is nothing today.</p></body></html>`},
		"something new beside it":        {bySelector, boards, strings.Replace(vacancies("Cook"), "<table", `<div class="news">5 new</div><table`, 1)},
		"deeper, and found all the same": {bySelector, boards, strings.NewReplacer("<table", `<main id="m1"><table`, "</table>", "</table></main>").Replace(vacancies("Cook"))},
		"a class that nobody asks for":   {byPattern, boards, strings.ReplaceAll(vacancies("Cook"), `class="jobs"`, `class="t2"`)},
		"payers who are not named":       {byPath, statements, payments("", "")},
		"none is paid":                   {byPath, statements, payments()},
		"one more element":               {byPath, statements, strings.ReplaceAll(payments("Ada"), "<Dbtr>", "<Ref>R-1</Ref><Dbtr>")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, look(t, c.code, c.before, day{at: c.now}))
		})
	}
}

// The next page may be said in a header: where it is said elsewhere, the script has read the last one.
func TestHeadersThatAreReadAreSeen(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  let n = 0;
  for (let url = '` + at + `'; url;) {
    const { headers, body } = await web.fetch(url);
    n += JSON.parse(body).length;
    url = headers['x-next'];
  }
  await notify('Things', n + ' things');
}`
	before := []day{{at: "X-Next: " + at + "/2\n[1,2]", at + "/2": "X-Next: \n[3]"}, {at: "X-Next: \n[1]"}, {at: "X-Next: " + at + "/2\n[1,2]", at + "/2": "X-Next: \n[3,4]"}}
	found := look(t, code, before, day{at: "X-Link: <" + at + "/2>; rel=next\n[1,2]"})
	require.True(t, guard.Stops(found))
	require.Contains(t, found[0].String(), "header x-next was in all answers, and is gone")
	require.Empty(t, look(t, code, before, day{at: "X-Next: \nX-Link: none\n[1,2]"}))
	require.Empty(t, look(t, strings.ReplaceAll(code, "headers['x-next']", "''"), before, day{at: "X-Link: none\n[1,2]"}), "a header that nobody reads")
}

// A day on which there was nothing is the same in every shape: an explanation that only it bears out explains nothing.
func TestAnEmptyDayBearsOutNoExplanation(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const { items } = await web.getJSON('` + at + `');
  const names = items.filter((i) => i.made >= '2026-01-01').map((i) => i.id + ' ' + i.by);
  await files.write('ranking.txt', names.join('\n'));
}`
	before := days(`{"items":[{"id":1,"made":"2026-03-01","by":"ada"},{"id":2,"made":"2026-03-01","by":"bo"}]}`, `{"items":[]}`, `{"items":[{"id":3,"made":"2026-03-03","by":"ada"}]}`,
		`{"items":[{"id":4,"made":"2026-03-04","by":"cy"}]}`, `{"items":[{"id":5,"made":"2026-03-05","by":"bo"}]}`)
	found := look(t, code, before, day{at: `{"items":[{"id":"i_6","made_at":1772800000000,"user":{"name":"ada"}}]}`})
	require.True(t, guard.Stops(found), "%v", found)
}

// Some objects never had a member. Where none of many has it, and all have one that is new, it is gone.
func TestAMemberOfSomeThatIsReplacedIsGone(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const entries = await web.getJSON('` + at + `');
  await notify('Hours', entries.map((e) => (e.pid ? 'project ' + e.pid : 'no project') + ': ' + e.h).join('\n'));
}`
	before := days(`[{"h":1,"pid":7},{"h":2}]`, `[{"h":3,"pid":8},{"h":2,"pid":7}]`, `[{"h":4,"pid":7}]`, `[{"h":1},{"h":2,"pid":9}]`)
	found := look(t, code, before, day{at: `[{"h":1,"project":7},{"h":2,"project":null},{"h":5,"project":8}]`})
	require.True(t, guard.Stops(found), "%v", found)
	require.Empty(t, look(t, code, before, day{at: `[{"h":1},{"h":2},{"h":5}]`}), "nothing came")
	require.Empty(t, look(t, code, before, day{at: `[{"h":1,"tag":"x"}]`}), "one without is no surprise")
	require.Empty(t, look(t, code, before, day{at: `[{"h":1,"tag":"x"},{"h":2},{"h":5}]`}), "what only one has replaces nothing")
}

// A null that is handed on, or NaN of a date that one has not, is the script's own way as soon as the service has null there.
func TestGarbageOfEveryMissingMemberIsTheScriptsOwnWay(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const checks = await web.getJSON('` + at + `');
  const seconds = (text) => (/^\d+ s$/.test(text) ? parseInt(text, 10) : null);
  await web.postJSON('https://status.example.test/all', checks.map((c) => ({ name: c.name, ms: c.ms, took: seconds(c.took) })));
  await files.write('all.txt', checks.map((c) => c.name + ' since ' + Math.round(Date.parse(c.since ?? '') / 1000)).join('\n'));
}`
	one := `{"name":"a","ms":12,"took":"4 s","since":"2026-03-01T00:00:00Z"}`
	before := days("["+one+","+one+"]", "["+one+"]", "["+one+","+one+"]", "["+one+"]", "["+one+"]")
	for name, other := range map[string]string{"null": `"ms":null`, "nothing": `"name":"a"`} {
		require.Empty(t, look(t, code, before, day{at: "[" + one + "," + strings.Replace(one, `"ms":12`, other, 1) + "]"}), name)
	}
	require.Empty(t, look(t, code, before, day{at: "[" + one + "," + strings.Replace(one, `,"since":"2026-03-01T00:00:00Z"`, "", 1) + "]"}))
	found := look(t, code, before, day{at: "[" + strings.Replace(one, "4 s", "PT4S", 1) + "," + one + "]"})
	require.NotEmpty(t, found, "nothing is missing, and there is null")
	require.False(t, guard.Stops(found))
}

// A value that a script makes nothing of gives it no error, and no other end: it is lost, where other values there made recorded runs do otherwise.
func TestAValueThatTheScriptIgnoresIsFound(t *testing.T) {
	t.Parallel()
	doors := `async function main() {
  const { doors } = await web.getJSON('` + at + `');
  const open = doors.filter((d) => d.state === 2 || d.state >= 8);
  await notify('Doors', open.length + ' of ' + doors.length + ' are open: ' + open.map((d) => d.name).join());
}`
	states := days(`{"doors":[{"name":"a","state":1},{"name":"b","state":2}]}`, `{"doors":[{"name":"a","state":9},{"name":"b","state":1}]}`, `{"doors":[{"name":"a","state":2},{"name":"b","state":2}]}`,
		`{"doors":[{"name":"a","state":1},{"name":"b","state":1}]}`, `{"doors":[{"name":"c","state":2},{"name":"b","state":8}]}`)
	guests := `export default async function () {
  const list = await (await fetch('` + at + `')).json();
  await files.write('in.csv', list.map(({ nr, guest }) => [nr, guest?.name ?? 'nobody'].join(';')).join('\n'));
}`
	rooms := days(`[{"nr":1,"guest":{"name":"Ada"}},{"nr":2,"guest":null}]`, `[{"nr":1,"guest":{"name":"Bo"}}]`, `[{"nr":3,"guest":{"name":"Cy"}},{"nr":2,"guest":{"name":"Di"}}]`, `[{"nr":1,"guest":null},{"nr":2,"guest":{"name":"Ed"}}]`)
	pages := `const main = async () => {
  let all = [], page = 1, of;
  do {
    const r = await web.getJSON('` + at + `?page=' + page);
    all = all.concat(r.rows);
    of = r.count;
  } while (of > 2 * page++);
  await kv.set('sum', all.reduce((a, b) => a + b, 0));
};`
	counts := make([]day, 0, 12)
	for i := range 12 {
		counts = append(counts, day{at + "?page=1": fmt.Sprintf(`{"rows":[%d,2],"count":3}`, i), at + "?page=2": `{"rows":[7],"count":3}`})
	}
	for name, c := range map[string]struct {
		code   string
		before []day
		now    day
		passes day
	}{
		"a state as a word":        {doors, states, day{at: `{"doors":[{"name":"a","state":"OPEN"},{"name":"b","state":"SHUT"}]}`}, day{at: `{"doors":[{"name":"q","state":3},{"name":"b","state":1}]}`}},
		"an object as its id":      {guests, rooms, day{at: `[{"nr":1,"guest":"g_7"},{"nr":2,"guest":"g_8"}]`}, day{at: `[{"nr":1,"guest":null},{"nr":2,"guest":null}]`}},
		"a number as text in some": {pages, counts, day{at + "?page=1": `{"rows":[5,2],"count":"many"}`}, day{at + "?page=1": `{"rows":[5,2],"count":2}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.True(t, guard.Stops(look(t, c.code, c.before, c.now)))
			require.Empty(t, look(t, c.code, c.before, c.passes))
		})
	}
}

// Events are of several kinds. All of one kind had a member: it is gone where one of them has it no more, and has a new one.
func TestAMemberOfOneKindThatIsReplacedIsGone(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  for (const e of await web.getJSON('` + at + `')) {
    if (e.kind === 'paid') await notify('Paid', e.total + ' for ' + (e.order ?? 'no order'));
    if (e.kind === 'moved') await notify('Moved', e.to);
  }
}`
	before := days(`[{"kind":"paid","total":4,"order":"o1"},{"kind":"moved","to":"Rome"}]`, `[{"kind":"moved","to":"Oslo"},{"kind":"note"}]`, `[{"kind":"paid","total":5,"order":"o2"}]`, `[{"kind":"paid","total":6,"order":null}]`, `[{"kind":"moved","to":"Bonn"}]`)
	require.True(t, guard.Stops(look(t, code, before, day{at: `[{"kind":"paid","total":9,"origin":{"order":"o7"}}]`})))
	require.Empty(t, look(t, code, before, day{at: `[{"kind":"moved","to":"Linz","by":"ada"}]`}), "none of that kind had it")
	require.Empty(t, look(t, code, before, day{at: `[{"kind":"seen","by":"ada"}]`}), "another kind")
}

// A fix on trial is held to what was written before it: nothing where there always was something waits, but for a day on which there is nothing.
func TestAVersionOnTrialThatMakesNothingIsFound(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const { rows } = await web.getJSON('` + at + `');
  let sum = 0;
  for (const row of rows) sum += row.cents ?? 0;
  await files.write('sum.txt', '2026-03-02: ' + (sum / 100).toFixed(2) + ' EUR in all');
}`
	version := guard.Version{Code: code}
	for i, one := range days(`{"rows":[{"cents":725}]}`, `{"rows":[{"cents":200},{"cents":5}]}`, `{"rows":[{"cents":1}]}`) {
		version.Successes = append(version.Successes, lived(t, code, fmt.Sprintf("r%d", i), one))
	}
	for answer, trial := range map[string]bool{`{"rows":[{"cents":0}]}`: true, `{"rows":[]}`: false, `{"rows":[{"cents":4}]}`: false} {
		known := guard.Learn(version)
		run := lived(t, code, "now", day{at: answer})
		require.Empty(t, known.Suspects(&run), answer)
		known.Trial = true
		require.Equal(t, trial, guard.Stops(known.Suspects(&run)), answer)
	}
}

// A list, or a number, is out of bounds that always held: in the opposite order, much longer, or on another level.
func TestAValueOutOfItsBoundsIsFound(t *testing.T) {
	t.Parallel()
	news := `async function main() {
  const posts = await web.getJSON('` + at + `');
  await notify('News', posts[0].title);
}`
	plan := `export default async function () {
  const { slots } = await (await fetch('` + at + `')).json();
  const i = slots.indexOf(Math.min(...slots));
  await kv.set('start', i + ':00');
}`
	heat := `async function main() {
  const { name, now: { temp } } = await web.getJSON('` + at + `');
  await files.append('heat.csv', name + ';' + temp.toFixed(1));
}`
	var posts, slots, temps []day
	for i := range 9 {
		posts = append(posts, day{at: fmt.Sprintf(`[{"id":%d,"title":"c"},{"id":%d,"title":"d"},{"id":%d,"title":"a"}]`, 7+i, 6+i, 5+i)})
		slots = append(slots, day{at: fmt.Sprintf(`{"slots":[%d,9,8,7,6,9]}`, i)})
		temps = append(temps, day{at: fmt.Sprintf(`{"name":"Oslo","now":{"temp":%d.5}}`, i*3-4)})
	}
	for name, c := range map[string]struct {
		code   string
		before []day
		found  string
		passes []string
	}{
		"the oldest first": {news, posts, `[{"id":14,"title":"a"},{"id":15,"title":"d"},{"id":16,"title":"c"}]`, []string{`[{"id":18,"title":"a"}]`, `[{"id":18,"title":"a"},{"id":16,"title":"z"}]`, `[{"id":18,"title":"a"},{"id":16,"title":"z"},{"id":17,"title":"z"}]`}},
		"four a slot":      {plan, slots, `{"slots":[9,9,9,9,9,9,9,1,8,8,8,8,7,7,7,7,6,6,6,6,9,9,9,9]}`, []string{`{"slots":[9,8,9,1,2,3,4]}`, `{"slots":[9,8,9,1,2]}`}},
		"another scale":    {heat, temps, `{"name":"Oslo","units":"K","now":{"temp":281.2}}`, []string{`{"name":"Oslo","now":{"temp":31.5}}`, `{"name":"Oslo","rain":1,"now":{"temp":24.5}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.True(t, guard.Stops(look(t, c.code, c.before, day{at: c.found})))
			for _, now := range c.passes {
				require.Empty(t, look(t, c.code, c.before, day{at: now}), now)
			}
		})
	}
}
