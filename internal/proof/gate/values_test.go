package gate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// The record of a failed run tells the values of names: those of the statement that failed first, then those of its
// function.
func TestValuesAtFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code string
		want []gate.Value
	}{
		"a member of nothing": {
			`async function main(input) {
  const seen = 2;
  const rates = input.rates;
  const rate = rates.latest.usd;
  return rate;
}`, []gate.Value{{Name: "rates.latest", Text: "undefined", Here: true}, {Name: "rates", Text: `{"old":1}`, Here: true}, {Name: "input", Text: `{"rates":{"old":1}}`}, {Name: "seen", Text: "2"}},
		},
		"in the last of many calls of a short function": {
			`const size = (one) => one.name.length;
async function main(input) {
  return [{ name: 'a' }, { name: 'b' }, { title: 'c' }].map((one) => size(one));
}`, []gate.Value{{Name: "one.name", Text: "undefined", Here: true}, {Name: "one", Text: `{"title":"c"}`, Here: true}},
		},
		"at an answer that is waited for": {
			`async function main(input) {
  const key = 'k';
  return { upper: (await kv.get(key)).toUpperCase() };
}`, []gate.Value{{Name: "key", Text: `"k"`, Here: true}, {Name: "input", Text: `{"rates":{"old":1}}`}},
		},
		"before what follows has a value": {
			`async function main(input) {
  ['usd'].forEach((code) => {
    const rate = input.latest[code];
    const change = rate - 1;
    console.log(code + (change > 0 ? '+' : '') + ' %');
  });
}`, []gate.Value{{Name: "input.latest", Text: "undefined", Here: true}, {Name: "input", Text: `{"rates":{"old":1}}`, Here: true}, {Name: "code", Text: `"usd"`, Here: true}},
		},
		"names of the note itself": {
			`async function main(input) {
  const values = 1, note = 2, read = null;
  return read.x + values + note;
}`, []gate.Value{{Name: "read", Text: "null", Here: true}, {Name: "values", Text: "1", Here: true}, {Name: "note", Text: "2", Here: true}, {Name: "input", Text: `{"rates":{"old":1}}`}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := record(t, c.code, "r1", hypothesis{input: `{"rates":{"old":1}}`})
			require.Equal(t, "failed", failed.Outcome.Status)
			values, err := gate.ValuesAtFailure(t.Context(), runner(), c.code, "", &failed)
			require.NoError(t, err)
			require.ElementsMatch(t, c.want, values)
			require.True(t, values[0].Here, "what the statement speaks of comes first")
		})
	}
}

// Nothing is told of a place that the record does not lead to.
func TestNoValuesWhereARunDoesNotFail(t *testing.T) {
	t.Parallel()
	code := "async function main(input) {\n  return input.name.trim();\n}"
	failed := record(t, code, "r1", hypothesis{input: `{}`})
	for name, change := range map[string]func(*gate.Run){
		"it succeeded":          func(r *gate.Run) { r.Outcome = gate.Outcome{Status: "succeeded"} },
		"nobody knows where":    func(r *gate.Run) { r.Outcome.Error.Stack = "" },
		"it is another failure": func(r *gate.Run) { r.Outcome.Error.Message = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := failed
			e := *run.Outcome.Error
			run.Outcome.Error = &e
			change(&run)
			values, err := gate.ValuesAtFailure(t.Context(), runner(), code, "", &run)
			require.NoError(t, err)
			require.Empty(t, values)
		})
	}
}
