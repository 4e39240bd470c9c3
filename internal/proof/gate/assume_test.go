package gate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// labels prints a label for each parcel, checks what the carrier says of it and notes the number that it gave.
const labels = `
export default async function main(input) {
  const r = await (await fetch('https://depot.example.test/parcels')).json();
  const numbers = [];
  for (const p of r.parcels) {
    const made = await fetch('https://carrier.example.test/towns/' + p.zip + '/labels', { method: 'POST', body: JSON.stringify({ town: p.town.toUpperCase() }) });
    if (!made.ok) throw new Error('carrier ' + made.status);
    numbers.push((await made.json()).number);
  }
  await notify('Labels', numbers.join(', '));
  return numbers.length;
}`

func labelled(parcels, number string) hypothesis {
	return given(`{}`, "https://depot.example.test/parcels", `{"parcels":[`+parcels+`]}`, "https://carrier.example.test/towns/", `{"number":"`+number+`"}`)
}

func labelSubject(t *testing.T) gate.Subject {
	t.Helper()
	return subject(t, labels, []hypothesis{
		labelled(`{"zip":"24103","town":"Kiel"}`, "L-1001"),
		labelled(`{"zip":"89073","town":"Ulm"},{"zip":"53111","town":"Bonn"}`, "L-1002"),
		labelled(`{"zip":"07743","town":"Jena"}`, "L-1003"),
	}, labelled(`{"zip":"07545","city":"Gera"}`, "L-1004"))
}

// The answer of a write that was never sent is assumed to be that of recorded writes of its kind, and the judgement
// says so. A fix that uses such an answer as every recorded run did is not held for it.
func TestAnswersOfWritesAreLearnt(t *testing.T) {
	t.Parallel()
	s := labelSubject(t)
	judged := judge(t, openGate(t, s), edited(t, labels, "p.town.", "(p.town ?? p.city)."))
	require.Equal(t, gate.Identical, opposed(judged), "%+v %v", judged.Divergence, judged.Reasons)
	require.Equal(t, []gate.Assumption{{Call: "web.fetch POST carrier.example.test/towns/*/labels", Runs: 3}}, judged.FailingRun.Assumed)
	require.Contains(t, string(judged.FailingRun.Writes[1].Args), "L-1003", "the newest")

	judged = judge(t, openGate(t, s), edited(t, labels, "p.town.", "(p.town ?? p.city).", "    numbers.push(", "    if (p.city) await kv.set('last', await made.clone().text());\n    numbers.push("))
	require.True(t, judged.Held)
	require.Contains(t, judged.Reasons[0], "assumed answer: what web.fetch POST carrier.example.test/towns/*/labels answers decides kv.set", judged.Reasons)
}

// Where no recorded run made such a write, a script that looks into its answer cannot be proven, as ever.
func TestNoAnswerIsLearntOfWhatWasNeverMade(t *testing.T) {
	t.Parallel()
	s := labelSubject(t)
	for i := range s.Successes {
		s.Successes[i] = record(t, labels, s.Successes[i].ID, labelled(``, ""))
	}
	judged := judge(t, openGate(t, s), edited(t, labels, "p.town.", "(p.town ?? p.city)."))
	require.Equal(t, gate.Unverifiable, judged.Verdict)
	require.Contains(t, judged.FailingRun.Error.Message, "looks into the answer of web.fetch")
	require.Empty(t, judged.FailingRun.Assumed)
}
