package replay_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Reads may go to hosts that were read, writes to places that were written; a URL in the
// first code counts, and an allowed host counts for reads.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	envelope := replay.NewEnvelope(replay.Subject{
		Code: `function main() { return web.getJSON('https://later.test/x') }`,
		FirstCode: `
const BASE = 'https://base.test/api/v2';
async function main(input) {
  await web.postJSON('https://spelled.test/hooks/in/secret', {});
  await web.getJSON('https://read.test/a');
  await web.fetch(BASE + '/things', { method: 'PUT' });
}`,
		Failed: replay.Run{Calls: []replay.Call{call("web.getJSON", `["https://failed.test/x"]`, "read", `1`)}},
		Successes: []replay.Run{{Calls: []replay.Call{
			call("web.getJSON", `["https://Seen.test:8443/x?y=1"]`, "read", `1`),
			call("web.postJSON", `["https://written.test/api/orders/17",{}]`, "write", `1`),
			call("web.fetch", `["https://written.test/api/orders/17",{"method":"delete"}]`, "write", `1`),
		}}},
		Allowed: []string{"Allowed.test"},
	})
	for _, c := range []struct {
		tool, args string
		effect     sandbox.Effect
		want       bool
	}{
		{"web.getJSON", `["https://seen.test:8443/other"]`, sandbox.Read, true},
		{"web.getJSON", `["https://seen.test/other"]`, sandbox.Read, false},
		{"web.getJSON", `["https://failed.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://written.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://read.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://base.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://allowed.test/y"]`, sandbox.Read, true},
		{"web.getJSON", `["https://later.test/x"]`, sandbox.Read, false},
		{"web.getJSON", `["https://evil.test/x"]`, sandbox.Read, false},
		{"web.getJSON", `["no address"]`, sandbox.Read, false},
		{"web.postJSON", `["https://written.test/api/orders/99",{}]`, sandbox.Write, true},
		{"web.postJSON", `["https://written.test/api/users/99",{}]`, sandbox.Write, false},
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
