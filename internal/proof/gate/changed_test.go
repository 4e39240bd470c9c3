package gate

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachWayToChangeIsTold: for each way in which an answer changes, the account names the place, what stood there
// and what stands there now, and says nothing of an ordinary day.
func TestEachWayToChangeIsTold(t *testing.T) {
	t.Parallel()
	text := func(text string) string {
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		return string(encoded)
	}
	shop := func(inside string) string {
		return text(`<!doctype html><html><body><div class="card"><h2>Lamp</h2>` + inside + `</div></body></html>`)
	}
	for name, c := range map[string]struct {
		code, tool string
		before     [3]string
		now        string
		want       []string
	}{
		"an ordinary day": {before: [3]string{`{"l":[{"n":1}]}`, `{"l":[{"n":2}]}`, `{"l":[]}`}, now: `{"l":[{"n":3}]}`},
		"null":            {before: [3]string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, now: `{"n":null}`, want: []string{"n was number 1, and is null"}},
		"null for all":    {before: [3]string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, now: `null`, want: []string{"it was object with n, and is null"}},
		"a new word":      {before: [3]string{`{"state":"open"}`, `{"state":"open"}`, `{"state":"open"}`}, now: `{"state":"stalled"}`, want: []string{`state was string "open", and is a new word (stalled)`}},
		"cents":           {before: [3]string{`{"n":12}`, `{"n":15}`, `{"n":20}`}, now: `{"n":1700}`, want: []string{"n was number 12, and is of another size (number 1700)"}},
		"a date":          {before: [3]string{`{"d":"2026-03-01"}`, `{"d":"2026-03-02"}`, `{"d":"2026-03-03"}`}, now: `{"d":"04.03.2026"}`, want: []string{`d was string "2026-03-01", and is written as text, and was written as date (string "04.03.2026")`}},
		"a key":           {before: [3]string{`{"sum":1}`, `{"sum":2}`, `{"sum":3}`}, now: `{"total":4}`, want: []string{"sum is gone (it was number 1)", "total is new (number 4)"}},
		"a list in an object": {
			before: [3]string{`[{"n":1}]`, `[{"n":2}]`, `[{"n":3}]`}, now: `{"items":[{"n":4}]}`,
			want: []string{"it was array 1 items, and is object with items"},
		},
		"an empty list": {before: [3]string{`{"l":[1]}`, `{"l":[2]}`, `{"l":[3]}`}, now: `{"l":[]}`, want: []string{"l was array 1 items, and is empty (array 0 items)"}},
		"a column": {
			before: [3]string{text("id,balance\n1,7.50\n"), text("id,balance\n1,7.50\n2,8.10\n"), text("id,balance\n3,2.50\n")},
			now:    text("id,balance_due\n4,7.70\n"), want: []string{`[].balance is gone (it was string "7.50")`, `[].balance_due is new (string "7.70")`},
		},
		"a line of JSON": {
			before: [3]string{text("{\"a\":1}\n{\"a\":2}"), text("{\"a\":1}\n{\"a\":2}"), text("{\"a\":1}\n{\"a\":2}")},
			now:    text("{\"b\":1}\n{\"b\":2}"), want: []string{"[].a is gone (it was number 1)", "[].b is new (number 1)"},
		},
		"JSON in a page's place": {
			tool: "web.fetch", before: [3]string{`{"status":200,"body":"{\"a\":1}"}`, `{"status":200,"body":"{\"a\":2}"}`, `{"status":200,"body":"{\"a\":3}"}`},
			now: `{"status":200,"body":"<html>Sorry</html>"}`, want: []string{`it was object with a, and is string "<html>Sorry</html>"`},
		},
		"a status": {
			tool: "web.fetch", before: [3]string{`{"status":200,"body":"a"}`, `{"status":200,"body":"b"}`, `{"status":200,"body":"c"}`},
			now: `{"status":410,"body":"gone"}`, want: []string{"it was answered with status 200, and is answered with 410"},
		},
		"a class of a page": {
			code: `doc.querySelector('.card .price').textContent`, now: shop(`<b class="price-now">13.50 €</b><i class="stock">3 left</i>`),
			before: [3]string{shop(`<b class="price">12.50 €</b>`), shop(`<b class="price">11.00 €</b>`), shop(`<b class="price">9.90 €</b>`)},
			want:   []string{`nothing matches .card .price (it was <b class="price"> "9.90 €"); most like it now: <b class="price-now"> "13.50 €"`},
		},
		"a page without classes": {
			code: `page.match(/class="price">([^<]+)/)[1]`, now: shop(`<p>13.50 €</p>`),
			before: [3]string{shop(`<b class="price">12.50 €</b>`), shop(`<b class="price">11.00 €</b>`), shop(`<b class="price">9.90 €</b>`)},
			want:   []string{`nothing matches .price (it was <b class="price"> "9.90 €"); most like it now: <p> "13.50 €"`},
		},
		"a column of a page": {
			code: `doc.querySelectorAll('td:nth-child(2)')`, now: shop(`<table><tr><td>1</td><td>Lamp</td><td>13.50</td></tr></table>`),
			before: [3]string{shop(`<table><tr><td>1</td><td>12.50</td></tr></table>`), shop(`<table><tr><td>2</td><td>11.50</td></tr></table>`), shop(`<table><tr><td>3</td><td>9.50</td></tr></table>`)},
			want:   []string{`td:nth-child(2)[] was string "12.50", and is written as word, and was written as decimal (string "Lamp")`},
		},
		"a page as before": {
			code:   `doc.querySelector('.price')`,
			before: [3]string{shop(`<b class="price">12.50 €</b>`), shop(`<b class="price">11.00 €</b>`), shop(`<b class="price">9.90 €</b>`)},
			now:    shop(`<b class="price">10.20 €</b><em class="new">new</em>`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := c.tool
			if tool == "" {
				tool = "web.getJSON"
			}
			run := func(id int, result string) Run {
				return Run{ID: fmt.Sprint(id), Input: json.RawMessage(`{}`), Calls: []Call{{Tool: tool, Args: json.RawMessage(`["https://shop.example.test/all"]`), Effect: "read", Result: json.RawMessage(result)}}}
			}
			var successes []Run
			for i, one := range c.before {
				successes = append(successes, run(i, one))
			}
			failed := run(9, c.now)
			var told []string
			for _, one := range Changes(c.code, &failed, successes) {
				require.Equal(t, 1, one.Call)
				require.Equal(t, tool+" shop.example.test/all: "+one.Says, one.String())
				told = append(told, one.Says)
			}
			require.Equal(t, c.want, told)
		})
	}
}
