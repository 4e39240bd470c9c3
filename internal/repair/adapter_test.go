package repair

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// styles are ways to write one automation: answers come in at another place in each.
var styles = map[string]string{
	"main with web.getJSON": `async function main() {
  const orders = (await web.getJSON('https://shop.example.test/orders')).orders;
  const users = await web.getJSON('https://shop.example.test/users');
  LINES
}`,
	"a module with fetch": `export default async () => {
  const { orders } = await (await fetch('https://shop.example.test/orders')).json();
  const users = await fetch('https://shop.example.test/users').then((res) => res.json());
  LINES
};`,
	"a class with one helper for all": `interface Order { id: number; customer: string }
class Shop {
  constructor(private readonly base: string) {}
  async get<T>(path: string): Promise<T> {
    const res = await fetch(this.base + path);
    if (!res.ok) throw new Error(path + ': ' + res.status);
    return res.json();
  }
}
export async function main() {
  const shop = new Shop('https://shop.example.test');
  const [{ orders }, users] = await Promise.all([shop.get<{ orders: Order[] }>('/orders'), shop.get<any>('/users')]);
  LINES
}`,
	"at the top level, with text that is parsed": `const read = async (what) => JSON.parse(await (await fetch('https://shop.example.test/' + what)).text());
const { orders } = await read('orders');
const users = await read('users');
LINES`,
}

const lines = `const names = new Map(users.map((u) => [u.id, u.name]));
  return orders.map(({ id, customer, amount_cents, at }) => names.get(customer).trim() + ' ' + (amount_cents / 100).toFixed(2) + ' ' + at.slice(0, 10) + ' ' + id);`

// Changes that come at once are put back where the answers come in, in scripts of every style: by one function for
// each answer, and the lines that use it stay as they are.
func TestChangesArePutBackWhereTheAnswersComeIn(t *testing.T) {
	t.Parallel()
	changes := map[string]struct{ orders, users string }{
		"wrapped, renamed and in another unit": {
			`{"orders":[{"id":7,"buyer":"u2","amount":"21.50","at":"2026-03-05T09:30:00Z"},{"id":8,"buyer":"u1","amount":"8.00","at":"2026-03-05T10:00:00Z"}]}`,
			`{"items":[{"id":"u1","name":"Ada"},{"id":"u2","name":"Bo"}]}`,
		},
		"wrapped in the same, so that only the address tells them apart": {
			`{"data":[{"id":7,"buyer":"u2","amount":"21.50","at":"2026-03-05T09:30:00Z"},{"id":8,"buyer":"u1","amount":"8.00","at":"2026-03-05T10:00:00Z"}]}`,
			`{"data":[{"id":"u1","name":"Ada"},{"id":"u2","name":"Bo"}]}`,
		},
		"in an object, and numbers for times": {
			`{"orders":[{"id":7,"customer":{"id":"u2"},"amount_cents":2150,"at":1772703000},{"id":8,"customer":{"id":"u1"},"amount_cents":800,"at":1772704800}]}`,
			`[{"id":"u1","name":"Ada"},{"id":"u2","name":"Bo"}]`,
		},
	}
	for style, code := range styles {
		for change, now := range changes {
			t.Run(style+", "+change, func(t *testing.T) {
				t.Parallel()
				outside := func(orders, users string) world {
					return world{answers: []answer{{"/orders", orders}, {"/users", users}}}
				}
				users := `[{"id":"u1","name":"Ada"},{"id":"u2","name":"Bo"}]`
				s := scenario{name: style, code: strings.ReplaceAll(code, "LINES", lines), fresh: outside(now.orders, now.users), old: []world{
					outside(`{"orders":[{"id":1,"customer":"u1","amount_cents":1250,"at":"2026-03-02T07:00:00Z"},{"id":2,"customer":"u2","amount_cents":990,"at":"2026-03-02T08:00:00Z"}]}`, users),
					outside(`{"orders":[{"id":3,"customer":"u2","amount_cents":4400,"at":"2026-03-03T07:10:00Z"}]}`, users),
					outside(`{"orders":[{"id":4,"customer":"u1","amount_cents":120,"at":"2026-03-04T07:00:00Z"},{"id":5,"customer":"u1","amount_cents":7995,"at":"2026-03-04T09:00:00Z"}]}`, users),
				}}
				r := mend(t, s.evidence(t))
				require.NotNil(t, r.Best, show(r))
				require.Equal(t, adapterTemplate, r.Best.Candidate.Template, show(r))
				require.Equal(t, `["Bo 21.50 2026-03-05 7","Ada 8.00 2026-03-05 8"]`, string(r.Best.Judgement.FailingRun.Output), show(r))
				require.Equal(t, gate.Identical, r.Best.Judgement.Verdict, show(r))
				require.False(t, r.Held, show(r))
				require.Contains(t, r.Best.Candidate.Code, lines)
			})
		}
	}
}

// The input is put back where the script is handed it, in whatever form that stands.
func TestTheInputIsPutBackWhereItIsHandedOver(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"main":                        `async function main(event) { BODY }`,
		"main that takes it apart":    `const main = async ({ kind, order }) => { const event = { kind, order }; BODY };`,
		"a module's default function": `const word = (text) => text.trim(); export default async function (event) { BODY }`,
		"a default arrow function":    `export default async (event: { kind: string, order: any }) => { BODY };`,
		"a function that is exported by its name": `async function handle(event) { BODY }
module.exports = handle;`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scenario{
				name: name, code: strings.ReplaceAll(code, "BODY", `return event.kind.trim() + ' ' + event.order.customer.name.trim() + ' ' + event.order.total.toFixed(2);`),
				old: []world{
					{input: `{"kind":"paid","order":{"customer":{"name":"Ada"},"total":12.5}}`}, {input: `{"kind":"sent","order":{"customer":{"name":"Bo"},"total":8}}`},
					{input: `{"kind":"paid","order":{"customer":{"name":"Cy"},"total":3.25}}`},
				},
				fresh: world{input: `{"data":{"kind":"sent","order":{"customer":{"name":"Bo"},"total":"9.75"}}}`},
			}
			r := mend(t, s.evidence(t))
			require.NotNil(t, r.Best, show(r))
			require.Equal(t, adapterTemplate, r.Best.Candidate.Template, show(r))
			require.Equal(t, `"sent Bo 9.75"`, string(r.Best.Judgement.FailingRun.Output), show(r))
			require.False(t, r.Held, show(r))
		})
	}
}

// A second version of an API, in which all of an order is another, is mended as a whole: no half of it is proposed, and no empty
// list for the one that went elsewhere.
func TestASecondVersionIsMendedAsAWhole(t *testing.T) {
	t.Parallel()
	outside := func(body string) world { return world{answers: []answer{{"/orders", body}}} }
	s := scenario{
		name: "a second version", code: `async function main() {
  const { orders } = await web.getJSON('https://shop.example.test/orders');
  let sum = 0;
  const lines = [];
  for (const o of orders) {
    sum += o.cents;
    lines.push('#' + o.id + ' ' + o.customer + ': ' + (o.cents / 100).toFixed(2));
  }
  await notify('Orders', lines.join('\n') + '\nsum ' + (sum / 100).toFixed(2));
  return { count: orders.length, sum };
}`,
		old: []world{
			outside(`{"orders":[{"id":101,"customer":"Ada","cents":1250}]}`),
			outside(`{"orders":[{"id":102,"customer":"Bo","cents":990},{"id":103,"customer":"Cy","cents":4415}]}`),
			outside(`{"orders":[{"id":104,"customer":"Dee","cents":120}]}`),
			outside(`{"orders":[{"id":105,"customer":"Eve","cents":7995},{"id":106,"customer":"Finn","cents":305},{"id":107,"customer":"Gus","cents":2260}]}`),
			outside(`{"orders":[{"id":108,"customer":"Hal","cents":875}]}`),
			outside(`{"orders":[{"id":109,"customer":"Ida","cents":3333},{"id":110,"customer":"Jon","cents":640}]}`),
		},
		fresh: outside(`{"data":{"items":[{"order_id":"111","buyer":{"name":"Kit"},"amount":"5.07"},{"order_id":"112","buyer":{"name":"Lou"},"amount":"21.40"}]}}`),
	}
	r := mend(t, s.evidence(t))
	require.NotNil(t, r.Best, show(r))
	require.Equal(t, `{"count":2,"sum":2647}`, string(r.Best.Judgement.FailingRun.Output), show(r))
	require.False(t, r.Held, show(r))
}

// walking is a gate that goes on in the world that has changed.
type walking struct {
	*gate.Gate
	t     *testing.T
	known Evidence
	fresh world
}

func (w *walking) Walk(_ context.Context, code string) (Evidence, bool, error) {
	run, more := record(w.t, code, "walked", w.fresh), false
	for _, call := range run.Calls[min(len(run.Calls), len(w.known.Failed.Calls)):] {
		if call.Effect == "read" {
			w.known.Failed.Calls, more = append(w.known.Failed.Calls[:len(w.known.Failed.Calls):len(w.known.Failed.Calls)], call), true
		}
	}
	w.Gate = openGate(w.t, w.known)
	return w.known, more, nil
}

// Answers that are read for real behind the end of the recording have changed, too: the fixer is asked again with them, although its
// candidate does not fail there, and one candidate mends both.
func TestOneCandidateMendsWhatIsReadLater(t *testing.T) {
	t.Parallel()
	outside := func(orders, users string) world {
		return world{answers: []answer{{"/orders", orders}, {"/users", users}}}
	}
	s := scenario{
		name: "two calls", code: `async function main() {
  const { orders } = await web.getJSON('https://shop.example.test/orders');
  const first = orders[0];
  const user = await web.getJSON('https://shop.example.test/users/' + first.customer);
  return first.customer.toUpperCase() + ' ' + (user.city ?? 'nowhere') + ' ' + (user.score ?? 0);
}`,
		old: []world{
			outside(`{"orders":[{"id":1,"customer":"u1"}]}`, `{"name":"Ada","city":"Kiel","score":4}`), outside(`{"orders":[{"id":2,"customer":"u2"}]}`, `{"name":"Bo","city":"Bonn","score":7}`),
			outside(`{"orders":[{"id":3,"customer":"u3"}]}`, `{"name":"Cy","city":"Köln","score":9}`), outside(`{"orders":[{"id":4,"customer":"u4"}]}`, `{"name":"Di","city":"Ulm","score":2}`),
		},
		fresh: outside(`{"items":[{"id":5,"customer":"u5"}]}`, `{"data":{"name":"Eve","city":"Jena","score":"6"}}`),
	}
	e := s.evidence(t)
	w := &walking{Gate: openGate(t, e), t: t, known: e, fresh: s.fresh}
	r, err := Mend(t.Context(), w, e, Templates{Runner: runner()})
	require.NoError(t, err)
	require.NotNil(t, r.Best, show(r))
	require.Equal(t, `"U5 Jena 6"`, string(r.Best.Judgement.FailingRun.Output), show(r))
	require.False(t, r.Held, show(r))
}
