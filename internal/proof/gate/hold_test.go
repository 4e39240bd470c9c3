package gate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// twins are two fixes that look alike: the first must be held for the reason, the second
// must not be held at all.
type twins struct {
	reason string // what a reason to hold begins with
	held   []string
	free   []string
}

// Each reason to hold sees its sin, and lets the honest fix that looks like it pass. The
// edits are of the right fix of the report.
func TestReasonsToHold(t *testing.T) {
	t.Parallel()
	code := fixedReport(t)
	opened := openGate(t, reportSubject(t))
	for name, c := range map[string]twins{
		"a catch that hides everything, and one that looks": {
			reason: "swallowed error: the catch on line 6 hides whatever happens",
			held:   []string{"  const names = res.orders.map((o) => (o.customer ? o.customer.name : 'a guest'));", "  let names = [];\n  try { names = res.orders.map((o) => o.customer.name); } catch (err) { names = res.orders.map(() => 'a guest'); }"},
			free:   []string{"  const names = res.orders.map((o) => (o.customer ? o.customer.name : 'a guest'));", "  const names = res.orders.map((o) => { try { return o.customer.name; } catch (err) { if (!(err instanceof TypeError)) throw err; return 'a guest'; } });"},
		},
		"a new way through allSettled": {
			reason: "swallowed error: the allSettled",
			held:   []string{"  await notify('Orders', String(names.length));", "  await Promise.allSettled([notify('Orders', String(names.length))]);"},
			free:   []string{"  await notify('Orders', String(names.length));", "  const done = await Promise.allSettled([notify('Orders', String(names.length))]);\n  for (const d of done) if (d.status === 'rejected') throw d.reason;"},
		},
		"a call of a tool that no run has used": {
			reason: "new tool: no recorded run calls files.remove",
			held:   []string{"  return", "  if (res.orders.some((o) => !o.customer)) await files.remove('old.txt');\n  return"},
			free:   []string{"  return", "  if (res.orders.some((o) => !o.customer)) console.log('a guest');\n  return"},
		},
		"the failing run by its day": {
			reason: `failing input named in the code: line 5 is about "2026-03-04"`,
			held:   []string{"(o.customer ? o.customer.name : 'a guest')", "(input.day === '2026-03-04' && !o.customer ? 'a guest' : o.customer.name)"},
			free:   []string{"(o.customer ? o.customer.name : 'a guest')", "(o.customer === null ? 'a guest' : o.customer.name)"},
		},
		"an access error of its own": {
			reason: "access error: the fix is the first to use AuthError",
			held:   []string{"  return", "  if (names.length > 100) throw new AuthError('log in');\n  return"},
			free:   []string{"  return", "  if (names.length > 100) throw new Error('too many');\n  return"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := judge(t, opened, edited(t, code, c.held...))
			require.Equal(t, gate.Identical, held.Verdict, "%+v", held.Divergence)
			require.Contains(t, strings.Join(held.Reasons, "\n"), c.reason)
			free := judge(t, opened, edited(t, code, c.free...))
			require.Equal(t, gate.Identical, free.Verdict, "%+v", free.Divergence)
			require.Empty(t, free.Reasons)
		})
	}
}

// Rule: calls that only the engine's form of a script has, as that of an async generator, are nobody's handlers.
func TestAFixWithAnAsyncGeneratorIsJudged(t *testing.T) {
	t.Parallel()
	free := judge(t, openGate(t, reportSubject(t)), edited(t, fixedReport(t),
		"  const names = res.orders.map((o) => (o.customer ? o.customer.name : 'a guest'));",
		"  class Named { async *all() { for (const o of res.orders as any[]) yield { ...o, who: o.customer ? o.customer.name : 'a guest' }; } }\n  const names = [];\n  for await (const { who } of new Named().all()) names.push(who);"))
	require.Equal(t, gate.Identical, free.Verdict, "%+v", free.Divergence)
	require.Empty(t, free.Reasons)
}

// A catch that the old code has already is not held against a fix that edits what it
// guards, unless more is hidden behind it than before.
func TestHandlerThatWasThereBefore(t *testing.T) {
	t.Parallel()
	code := `
async function main(input) {
  const res = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  const names = [];
  let bad = 0;
  for (const o of res.orders) {
    let age = 0;
    try { age = JSON.parse(o.extra).age; } catch (err) { bad++; }
    names.push(o.customer.name + ' ' + age);
  }
  await files.write('orders.txt', names.join('\n') + '\n');
  return { orders: names.length, bad: bad };
}`
	opened := openGate(t, subject(t, code, []hypothesis{
		orders("2026-03-01", `[{"extra":"{\"age\":3}","customer":{"name":"Ann"}}]`),
		orders("2026-03-02", `[{"extra":"oops","customer":{"name":"Bob"}},{"extra":"{\"age\":4}","customer":{"name":"Cy"}}]`),
		orders("2026-03-03", `[]`),
	}, orders("2026-03-04", `[{"extra":"{\"age\":5}","customer":null}]`)))

	inside := judge(t, opened, edited(t, code, "age = JSON.parse(o.extra).age;", "age = JSON.parse(o.extra || '{}').age;", "o.customer.name", "(o.customer ? o.customer.name : 'a guest')"))
	require.Equal(t, "identical", opposed(inside), inside.Reasons)
	require.Empty(t, inside.Reasons)

	more := judge(t, opened, edited(t, code,
		"    try { age = JSON.parse(o.extra).age; } catch (err) { bad++; }\n    names.push(o.customer.name + ' ' + age);",
		"    try { age = JSON.parse(o.extra).age; names.push(o.customer.name + ' ' + age); } catch (err) { bad++; }\n    if (o.customer && names.length + bad < 0) names.push('');"))
	require.NotEqual(t, "identical", said(more), "what fails is hidden now")
}

// The members that stand in place of a lost one are those that look like it; other new members may be ignored.
func TestNewShape(t *testing.T) {
	t.Parallel()
	code := `
async function main(input) {
  const res = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  const lines = res.orders.map((o) => o.id + ' ' + o.shipping_address.city.toUpperCase());
  await files.write('cities.txt', lines.join('\n') + '\n');
  return { orders: lines.length };
}`
	old := []hypothesis{
		orders("2026-03-01", `[{"id":"a","shipping_address":{"city":"Delft","zip":"1"}}]`),
		orders("2026-03-02", `[{"id":"b","shipping_address":{"city":"Gent","zip":"2"}},{"id":"c","shipping_address":{"city":"Rome","zip":"3"}}]`),
		orders("2026-03-03", `[]`),
	}
	guard := []string{"o.shipping_address.city.toUpperCase()", "(o.shipping_address ? o.shipping_address.city.toUpperCase() : 'NO ADDRESS')"}
	for name, c := range map[string]struct {
		order string
		held  bool
	}{
		"moved to a like name":          {`{"id":"d","shipTo":"x","address":{"town":"Oslo"}}`, true},
		"moved with the same members":   {`{"id":"d","recipient":{"city":"Oslo","zip":"4"}}`, true},
		"moved deeper":                  {`{"id":"d","delivery":{"method":"mail","shipping_address":{"city":"Oslo"}}}`, true},
		"nothing there":                 {`{"id":"d"}`, false},
		"null there":                    {`{"id":"d","shipping_address":null,"note":"pick up"}`, false},
		"something else is new":         {`{"id":"d","pickup":true,"tags":["x"],"errors":[{"code":1,"detail":"y"}]}`, false},
		"something of the answer's own": {`{"id":"d","message":"no address needed"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened := openGate(t, subject(t, code, old, orders("2026-03-04", "["+c.order+"]")))
			j := judge(t, opened, edited(t, code, guard...))
			if c.held {
				require.Equal(t, "held", said(j))
			} else {
				require.Equal(t, gate.Identical, j.Verdict)
				require.Empty(t, j.Reasons)
			}
		})
	}
}

// A recorded write that the fix calls a read would be sent in a rehearsal: that is told,
// where a success makes it and where only the failing run does.
func TestRedeclaredWrite(t *testing.T) {
	t.Parallel()
	code := `
async function main(input) {
  const list = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  for (const o of list.orders) await web.postJSON('https://books.example.test/api/entries', { id: o.id.trim() });
  return { orders: list.orders.length };
}`
	opened := openGate(t, subject(t, code, []hypothesis{
		orders("2026-03-01", `[{"id":"a"}]`), orders("2026-03-02", `[]`), orders("2026-03-03", `[{"id":"b"},{"id":"c"}]`),
	}, orders("2026-03-04", `[{"id":7}]`)))
	const reason = "redeclared write: web.postJSON POST books.example.test/api/entries was a write, the fix calls it a read"

	always := judge(t, opened, edited(t, code, "{ id: o.id.trim() });", "{ id: String(o.id).trim() }, { effect: 'read' });"))
	require.Equal(t, gate.Unverifiable, always.Verdict)
	require.Contains(t, always.Reasons, reason)

	now := judge(t, opened, edited(t, code, "{ id: o.id.trim() });", "{ id: String(o.id).trim() }, typeof o.id === 'number' ? { effect: 'read' } : undefined);"))
	require.Equal(t, gate.Unverifiable, now.Verdict)
	require.Contains(t, now.Reasons, reason)

	right := judge(t, opened, edited(t, code, "o.id.trim()", "String(o.id).trim()"))
	require.Equal(t, "identical", opposed(right))
	require.Empty(t, right.Reasons)
}
