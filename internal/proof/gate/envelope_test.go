package gate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Reads may go to hosts that were read, writes to places that were written, whatever their ids; a URL in
// the first code counts, and an allowed host counts for reads. Where only the failed run was, or a run that
// was imported, counts for nothing.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	envelope := gate.NewEnvelope(gate.Subject{
		Code: `function main() { return web.getJSON('https://later.test/x') }`,
		FirstCode: `
const BASE = 'https://base.test/api/v2';
async function main(input) {
  await web.postJSON('https://spelled.test/hooks/in/secret', {});
  await web.getJSON('https://read.test/a');
  await web.fetch(BASE + '/things', { method: 'PUT' });
  await web.fetch(input.base + '/api/orders/' + input.id, { method: input.method });
}`,
		Failed: gate.Run{Calls: []gate.Call{call("web.getJSON", `["https://failed.test/x"]`, "read", `1`)}},
		Successes: []gate.Run{{Calls: []gate.Call{
			call("web.getJSON", `["https://Seen.test:8443/x?y=1"]`, "read", `1`),
			call("web.postJSON", `["https://written.test/api/orders/17",{}]`, "write", `1`),
			call("web.fetch", `["https://written.test/api/orders/17",{"method":"delete"}]`, "write", `1`),
			call("web.postJSON", `["https://written.test/orders/2024-17",{}]`, "write", `1`),
			call("web.postJSON", `["https://written.test/orders/3",{}]`, "write", `1`),
		}}, {Trigger: "import", Calls: []gate.Call{call("web.getJSON", `["https://imported.test/x"]`, "read", `1`)}}},
		Allowed: []string{"Allowed.test"},
	})
	for _, c := range []struct {
		tool, args string
		effect     sandbox.Effect
		want       bool
	}{
		{"web.getJSON", `["https://seen.test:8443/other"]`, sandbox.Read, true},
		{"web.getJSON", `["https://seen.test/other"]`, sandbox.Read, false},
		{"web.getJSON", `["https://failed.test/x"]`, sandbox.Read, false},
		{"web.getJSON", `["https://imported.test/x"]`, sandbox.Read, false},
		{"web.getJSON", `["https://written.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://read.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://base.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://allowed.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://later.test/x"]`, sandbox.Read, false},
		{"web.getJSON", `["https://evil.test/x"]`, sandbox.Read, false},
		{"web.getJSON", `["no address"]`, sandbox.Read, false},
		{"web.postJSON", `["https://written.test/api/orders/99",{}]`, sandbox.Write, true},
		{"web.postJSON", `["https://written.test/orders/4",{}]`, sandbox.Write, true},
		{"web.postJSON", `["https://written.test/orders/an-id",{}]`, sandbox.Write, true},
		{"web.postJSON", `["https://written.test/things/4",{}]`, sandbox.Write, false},
		{"web.postJSON", `["https://written.test/api/things/99",{}]`, sandbox.Write, false},
		{"web.postJSON", `["https://written.test/api/orders/99",{},{"method":"PUT"}]`, sandbox.Write, false},
		{"web.fetch", `["https://written.test/api/orders/1",{"method":"DELETE"}]`, sandbox.Write, true},
		{"web.postJSON", `["https://seen.test:8443/x",{}]`, sandbox.Write, false},
		{"web.postJSON", `["https://spelled.test/hooks/in/other",{}]`, sandbox.Write, true},
		{"web.postJSON", `["https://spelled.test/hooks/out",{}]`, sandbox.Write, false},
		{"web.fetch", `["https://base.test/api/v2/things",{"method":"PATCH"}]`, sandbox.Write, true},
		{"web.fetch", `["https://base.test/api/v3/things",{"method":"PATCH"}]`, sandbox.Write, false},
		{"web.postJSON", `["https://allowed.test/y",{}]`, sandbox.Write, false},
		{"web.postJSON", `["https://read.test/a",{}]`, sandbox.Write, false},
		{"kv.set", `["a",1]`, sandbox.Write, true},
		{"notify", `["a","b"]`, sandbox.Write, true},
	} {
		require.Equal(t, c.want, envelope.Allows(c.tool, json.RawMessage(c.args), c.effect), "%s%s", c.tool, c.args)
	}
}

// The envelope of code that spells out all its requests is just these places, with their methods.
func TestEnvelopeOfWhatIsSpelledOut(t *testing.T) {
	t.Parallel()
	envelope := gate.NewEnvelope(gate.Subject{Code: `
const BASE = 'https://told.test';
const send = (path, body) => web.fetch(BASE + path, { method: 'PUT', body });
async function main(input) {
  for (const o of (await web.getJSON(BASE + '/orders')).orders) await send('/told/' + o.id, o);
  await web.postJSON(` + "`${BASE}/done/today`" + `, {});
}`})
	for call, inside := range map[string]bool{
		`["https://told.test/told/99",{"method":"PUT"}]`:     true,
		`["https://told.test/told/99",{"method":"DELETE"}]`:  false,
		`["https://told.test/told/99",{"method":"POST"}]`:    false,
		`["https://told.test/done/today",{"method":"POST"}]`: true,
		`["https://told.test/done/99",{"method":"POST"}]`:    false,
		`["https://told.test/orders",{"method":"POST"}]`:     false,
	} {
		require.Equal(t, inside, envelope.Allows("web.fetch", json.RawMessage(call), sandbox.Write), call)
	}
}
