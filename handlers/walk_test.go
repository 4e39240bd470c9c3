package handlers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// sixCalls asks six resources, one after the other, whose members are renamed all at once: the failed run comes to the first.
const sixCalls = `export default async function monthly(input) {
  const lines = [];
  const stock = await web.getJSON('BASE/stock');
  lines.push(stock.items.map((one) => one.label.trim()).join(' '));
  const suppliers = await web.getJSON('BASE/suppliers');
  lines.push(suppliers.rows.map((row) => row.city.toUpperCase()).join(' '));
  const prices = await web.getJSON('BASE/prices');
  lines.push(prices.list.reduce((sum, p) => sum + p.amount, 0).toFixed(2));
  const orders = await web.getJSON('BASE/open-orders');
  lines.push(orders.open.map((order) => order.buyer.toLowerCase()).join(' '));
  const staff = await web.getJSON('BASE/staff');
  lines.push(staff.people.map(({ initials }) => initials.slice(0, 2)).join(' '));
  const rooms = await web.getJSON('BASE/rooms');
  lines.push(rooms.rooms.map((room) => room.floor.padStart(2, '0')).join(' '));
  await web.postJSON('BASE/report', { month: input.month, lines });
  return { lines: lines.length };
}`

var sixRenamed = []string{"label", "item_label", "city", "city_name", "amount", "amount_total", "buyer", "buyer_name", "initials", "person_initials", "floor", "room_floor"}

// answersSix has the six resources answer with the members by their old names, or by their new ones.
func (n *node) answersSix(month int, renamed bool) {
	answers := map[string]string{
		"/stock":       `{"items":[{"id":%[1]d,"label":"bolt %[1]d "},{"id":9%[1]d,"label":"nut %[1]d"}]}`,
		"/suppliers":   `{"rows":[{"no":%[1]d,"city":"Ulm %[1]d"},{"no":8%[1]d,"city":"Bonn"}]}`,
		"/prices":      `{"list":[{"sku":"s%[1]d","amount":%[1]d.25},{"sku":"t%[1]d","amount":2.5}]}`,
		"/open-orders": `{"open":[{"ref":"r%[1]d","buyer":"Ada %[1]d"},{"ref":"q%[1]d","buyer":"Ken"}]}`,
		"/staff":       `{"people":[{"nr":%[1]d,"initials":"AB%[1]d"},{"nr":7%[1]d,"initials":"CDE"}]}`,
		"/rooms":       `{"rooms":[{"key":"k%[1]d","floor":"%[1]d"},{"key":"l%[1]d","floor":"12"}]}`,
	}
	for path, answer := range answers {
		if renamed {
			for i := 0; i < len(sixRenamed); i += 2 {
				answer = strings.ReplaceAll(answer, `"`+sixRenamed[i]+`":`, `"`+sixRenamed[i+1]+`":`)
			}
		}
		n.outside.answer(path, 200, fmt.Sprintf(answer, month))
	}
}

func (n *node) monthly(settings workflow.Settings) string {
	n.t.Helper()
	id := n.create(sixCalls, settings)
	for month := range 4 {
		n.answersSix(month+1, false)
		n.runs(id, fmt.Sprintf(`{"month":%d}`, month+1))
	}
	n.answersSix(5, true)
	return id
}

// A chain of changes is one repair: what the failed run never came to is read for real, without a write, and mended in the same
// fix, which is proved once and, where a person decides, held once.
func TestAChainOfChangesIsOneRepair(t *testing.T) {
	t.Parallel()
	for mode, status := range map[workflow.Mode]workflow.Status{workflow.ModeAuto: workflow.StatusActive, workflow.ModeProven: workflow.StatusHeld} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			id := n.monthly(workflow.Settings{AutoFix: mode})
			n.runs(id, `{"month":5}`)
			state := n.state(id)
			why := ""
			if m := state.Maintenance; m != nil && m.Held != nil {
				p, _ := state.Proposal(m.Held.Proposal)
				why = fmt.Sprintf("%q %+v\n%s", m.Held.Reasons, p.Verification, p.Code)
			}
			require.Equal(t, status, state.Status, why)
			require.Equal(t, 1, strings.Count(strings.Join(n.events(id, workflow.TypeRunFailed), " "), workflow.TypeFixProposed))
			if status == workflow.StatusHeld {
				require.Equal(t, 4, n.outside.count("POST /report"), "nothing was written for real")
				held, _ := state.Proposal(state.Maintenance.Held.Proposal)
				require.True(t, held.Verification.Rehearsal.Succeeded)
				_, err := n.commands.AcceptFix(t.Context(), id, workflow.AcceptFix{Proposal: state.Maintenance.Held.Proposal}, person())
				require.NoError(t, err)
				require.NoError(t, n.settle(t.Context()))
				state = n.state(id)
			}
			require.Equal(t, "1.1", state.Active.String())
			require.Empty(t, state.Unconfirmed())
			require.Equal(t, 5, n.outside.count("POST /report"))
			require.JSONEq(t, `{"month":5,"lines":["bolt 5 nut 5","ULM 5 BONN","7.75","ada 5 ken","AB CD","05 12"]}`, n.outside.bodies[len(n.outside.bodies)-1])
		})
	}
}

// A model that mends what it sees is handed the next failure in the same conversation, with what was read there.
func TestAModelIsHandedTheNextFailure(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.monthly(workflow.Settings{Fixers: []string{workflow.FixerModel}})
	code := n.outside.local(sixCalls)
	first := strings.Replace(code, "one.label.trim", "(one.label ?? one.item_label).trim", 1)
	all := strings.NewReplacer("one.label.trim", "(one.label ?? one.item_label).trim", "row.city.", "(row.city ?? row.city_name).", "+ p.amount,", "+ (p.amount ?? p.amount_total),",
		"order.buyer.", "(order.buyer ?? order.buyer_name).", "({ initials }) => initials", "({ person_initials, initials = person_initials }) => initials", "room.floor.", "(room.floor ?? room.room_floor).").Replace(code)
	server := llmtest.Serve(t, fixCall(first, "labels are item_label now"),
		llmtest.Call("inspect", map[string]string{"path": "failed.calls[1].result"}), fixCall(all, "members are called otherwise now"), llmtest.Text("Done."))
	n.model(server.Model())
	n.runs(id, `{"month":5}`)
	require.Equal(t, "1.1", n.state(id).Active.String(), n.events(id, workflow.TypeRunFailed))
	require.Equal(t, 5, n.outside.count("POST /report"))
	asked := server.Requests()
	told := asked[1].Messages[len(asked[1].Messages)-1].Text
	require.Contains(t, asked[0].Text(), "items[].label is now items[].item_label", "what changed is told at once")
	require.Contains(t, told, "toUpperCase", "how the first fix fails behind the end of the recording")
	require.Contains(t, told, "rows[].city is now rows[].city_name", "and what changed there")
	looked := asked[2].Messages[len(asked[2].Messages)-1].Text
	require.Contains(t, looked, "city_name", "and what was read there")
}

// The first message to a model has the changes of all answers together.
func TestAModelIsToldWhatChangedTogether(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`module.exports = async () => {
  const [clients, jobs] = await Promise.all(['clients', 'jobs'].map((what) => web.getJSON('BASE/' + what)));
  const names = new Map(clients.map((c) => [c.id, c.full_name.trim()]));
  await web.postJSON('BASE/report', jobs.list.map((j) => names.get(j.client) + ': ' + j.title.toUpperCase()));
}`, workflow.Settings{Fixers: []string{workflow.FixerModel}})
	for day := range 3 {
		n.outside.answer("/clients", 200, fmt.Sprintf(`[{"id":%[1]d,"full_name":"Ada %[1]d"},{"id":4%[1]d,"full_name":"Ken"}]`, day))
		n.outside.answer("/jobs", 200, fmt.Sprintf(`{"list":[{"client":%[1]d,"title":"paint %[1]d"},{"client":4%[1]d,"title":"wall"}]}`, day))
		n.runs(id, `{}`)
	}
	n.outside.answer("/clients", 200, `{"data":[{"id":"7","fullName":"Ada 7"},{"id":"47","fullName":"Ken"}]}`)
	n.outside.answer("/jobs", 200, `{"list":[{"client":"7","job_title":"paint 7"},{"client":"47","job_title":"wall"}]}`)
	server := llmtest.Serve(t, llmtest.Text("I do not know."))
	n.model(server.Model())
	n.runs(id, `{}`)
	told := server.Requests()[0].Text()
	for _, want := range []string{"taken together", "fullName", "data", "list[].title is now list[].job_title", "text"} {
		require.Contains(t, told, want)
	}
}

// The gate judges a rehearsal's reads like those that were recorded: a fix that makes the missing value up is held, though its rehearsal
// succeeds, and one that finds it is applied.
func TestReadsOfARehearsalAreJudged(t *testing.T) {
	t.Parallel()
	for to, status := range map[string]workflow.Status{"(one.label ?? '')": workflow.StatusHeld, "(one.label ?? one.text.label)": workflow.StatusActive} {
		n := newWorld(t).open(nil)
		t.Cleanup(n.close)
		id := n.create(`export default async function (input) {
  const { items } = await web.getJSON('BASE/stock');
  const labels = items.map((one) => one.label.trim());
  const { people } = await web.getJSON('BASE/staff');
  await web.postJSON('BASE/report', { day: input.day, labels, staff: people.length });
}`, workflow.Settings{})
		for day := range 4 {
			n.outside.answer("/stock", 200, fmt.Sprintf(`{"items":[{"label":"bolt %d"},{"label":"nut"}]}`, day))
			n.outside.answer("/staff", 200, fmt.Sprintf(`{"people":[%d,2]}`, day))
			n.runs(id, fmt.Sprintf(`{"day":%d}`, day))
		}
		n.outside.answer("/stock", 200, `{"items":[{"text":{"label":"bolt 4"},"no":7},{"text":{"label":"nut"},"no":8}]}`)
		n.fixers[workflow.DefaultFixer] = proposes{"one.label", to}
		n.runs(id, `{"day":4}`)
		state := n.state(id)
		require.Equal(t, status, state.Status, n.events(id, workflow.TypeRunFailed))
		if status == workflow.StatusActive {
			require.JSONEq(t, `{"day":4,"labels":["bolt 4","nut"],"staff":2}`, n.outside.bodies[len(n.outside.bodies)-1])
			continue
		}
		held, _ := state.Proposal(state.Maintenance.Held.Proposal)
		require.True(t, held.Verification.Rehearsal.Succeeded)
		require.Contains(t, strings.Join(state.Maintenance.Held.Reasons, "; "), "items[].label")
	}
}

// A rehearsal makes a POST that recorded runs made as a read, with other data in it, and none that the fix words anew.
func TestARehearsalAsksAsRecordedRunsAsked(t *testing.T) {
	t.Parallel()
	for kind, status := range map[string]workflow.Status{"staff": workflow.StatusActive, "drop": workflow.StatusHeld} {
		n := newWorld(t).open(nil)
		t.Cleanup(n.close)
		id := n.create(`const find = async (kind, day) => (await fetch('BASE/find', { method: 'POST', effect: 'read', body: JSON.stringify({ kind, day }) })).json();
export default async function ({ day }) {
  const stock = await find('stock', day);
  const label = stock.label.trim();
  const staff = await find('staff', day);
  await web.postJSON('BASE/report', { label, all: staff.label + stock.label });
}`, workflow.Settings{})
		for day := range 4 {
			n.outside.answer("/find", 200, fmt.Sprintf(`{"label":"bolt %d"}`, day))
			n.runs(id, fmt.Sprintf(`{"day":%d}`, day))
		}
		n.outside.answer("/find", 200, `{"item_label":"bolt 4"}`)
		fix := strings.NewReplacer("(await fetch", "(({ item_label, label = item_label }) => ({ label }))(await (await fetch", ".json();", ".json());", "find('staff'", "find(day === 4 ? '"+kind+"' : 'staff'")
		n.fixers[workflow.DefaultFixer] = rewrites{fix}
		n.runs(id, `{"day":4}`)
		state := n.state(id)
		require.Equal(t, status, state.Status, "%s %v", kind, n.events(id, workflow.TypeRunFailed))
		if status == workflow.StatusActive {
			require.JSONEq(t, `{"label":"bolt 4","all":"bolt 4bolt 4"}`, n.outside.bodies[len(n.outside.bodies)-1])
			continue
		}
		require.NotContains(t, strings.Join(n.outside.bodies, "\n"), kind, "what the fix words anew is not sent")
	}
}

// rewrites is a fixer with one answer.
type rewrites struct{ by *strings.Replacer }

func (rewrites) Name() string { return "rewrites" }

func (r rewrites) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	_, err := judge(ctx, repair.Candidate{Code: r.by.Replace(evidence.Code), Comment: "labels are item_label now", Fixer: "test", Template: "1", Score: 1})
	return "", err
}
