package repair

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// All of what broke is mended, not only what the failing run read: the mended script does on
// a later day of the new shape what the old script did on such days.
func TestPartsThatTheFailingRunDidNotReachAreMendedToo(t *testing.T) {
	t.Parallel()
	const product = `async function main() {
  const product = await web.getJSON('https://shop.example.test/product');
  const price = product.euros.toFixed(2);
  if (product.stock > 0) return product.title.trim() + ' costs ' + price;
  return (product.title || 'Something') + ' is sold out, ' + (product.restock || 'nobody knows until when');
}`
	for name, c := range map[string]struct {
		code         string
		old          []string
		fresh, later string
		want         string
	}{
		"the same member in objects of another kind, with a default": {
			code: `async function main() {
  const { blocks } = await web.getJSON('https://notes.example.test/blocks');
  return blocks.map((block) => {
    const content = block[block.type];
    switch (block.type) {
      case 'todo': return '[ ] ' + (content.text || []).map((part) => part.plain).join('');
      default: return content.text.map((part) => part.plain).join('');
    }
  });
}`,
			old: []string{
				`{"blocks":[{"type":"para","para":{"text":[{"plain":"a"},{"plain":"b"}]}},{"type":"todo","todo":{"text":[{"plain":"Call Ann"}]}}]}`,
				`{"blocks":[{"type":"para","para":{"text":[{"plain":"c"}]}},{"type":"todo","todo":{"text":[{"plain":"Pay"}]}}]}`,
			},
			fresh: `{"blocks":[{"type":"para","para":{"rich_text":[{"plain":"x"},{"plain":"y"}]}}]}`,
			later: `{"blocks":[{"type":"todo","todo":{"rich_text":[{"plain":"Rest"}]}}]}`,
			want:  `["[ ] Rest"]`,
		},
		"members that vanished together, in the branch that was not taken": {
			code: product,
			old: []string{
				`{"title":"Tea pot","euros":19.99,"stock":4,"restock":""}`, `{"title":"Cup","euros":4.50,"stock":9,"restock":""}`,
				`{"title":"Mat","euros":8.05,"stock":0,"restock":"back on Monday"}`, `{"title":"Tin","euros":12.50,"stock":0,"restock":"back in May"}`,
			},
			fresh: `{"data":{"title":"Jug","euros":31.50,"stock":2,"restock":""}}`,
			later: `{"data":{"title":"Jug","euros":31.50,"stock":0,"restock":"back in June"}}`,
			want:  `"Jug is sold out, back in June"`,
		},
		"the payload in a list of one": {
			code: product,
			old: []string{
				`{"title":"Tea pot","euros":19.99,"stock":4,"restock":""}`, `{"title":"Cup","euros":4.50,"stock":9,"restock":""}`,
				`{"title":"Mat","euros":8.05,"stock":0,"restock":"back on Monday"}`, `{"title":"Tin","euros":12.50,"stock":0,"restock":"back in May"}`,
			},
			fresh: `{"data":[{"title":"Jug","euros":31.50,"stock":2,"restock":""}]}`,
			later: `{"data":[{"title":"Jug","euros":31.50,"stock":0,"restock":"back in June"}]}`,
			want:  `"Jug is sold out, back in June"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outside := func(body string) world {
				return world{answers: []answer{{"example.test", body}}}
			}
			s := scenario{name: name, code: c.code, fresh: outside(c.fresh)}
			for _, body := range c.old {
				s.old = append(s.old, outside(body))
			}
			r := mend(t, s.evidence(t))
			require.NotNil(t, r.Best, show(r))
			later := record(t, r.Best.Candidate.Code, "later", outside(c.later))
			require.Equal(t, "succeeded", later.Outcome.Status, show(r))
			require.Equal(t, c.want, string(later.Outcome.Output), show(r))
			require.Equal(t, gate.Identical, r.Best.Judgement.Verdict, show(r))
			require.False(t, r.Held, show(r))
		})
	}
}
