package gate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// A person sees before a script is switched on which places the code spells out, and which it does not.
func TestAccountOfAScript(t *testing.T) {
	t.Parallel()
	account, err := gate.NewAccount(`
const BASE = 'https://Shop.example.test/v1';
async function main(input) {
  const list = await web.getJSON(BASE + '/orders?day=' + input.day, { headers: { authorization: 'Bearer ' + secret('SHOP') } });
  await web.postJSON(` + "`${BASE}/orders/${input.id}/ship`" + `, { ok: true });
  await web.fetch('https://api.example.test:8443/x', { method: 'delete' });
  await web.fetch('https://search.example.test/q', { method: 'POST', effect: 'read' });
  await web.fetch('https://any.example.test/', input.options);
  await files.write('reports/' + input.day + '.csv', list.text);
  await kv.set('last', input.day);
  await notify('done');
  return list;
}`)
	require.NoError(t, err)
	require.Equal(t, gate.Account{
		Hosts: []string{"any.example.test", "api.example.test:8443", "search.example.test", "shop.example.test"},
		Writes: []string{
			"* any.example.test/", "DELETE api.example.test:8443/x", "POST shop.example.test/v1/orders/*/ship",
			"files.write reports/*.csv", "kv.set last", "notify: a message to you",
		},
		Secrets: []string{"SHOP"},
	}, account)
}

// An address whose host is not closed, a tool under another name, a secret that data names: only a run
// can tell, and that is said.
func TestAccountSaysWhatItCannotTell(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"web.getJSON(input.url)":                                 "line 1: web.getJSON goes to an address that the code puts together",
		"web.getJSON('https://api.example.test' + input.path)":   "line 1: web.getJSON goes to an address that the code puts together",
		"web.getJSON('https://' + input.host + '/x')":            "line 1: web.getJSON goes to an address that the code puts together",
		"web.getJSON(`https://api.example.test${input.path}`)":   "line 1: web.getJSON goes to an address that the code puts together",
		"{ let a = 'https://a.test/'; a = input; web.fetch(a) }": "line 1: web.fetch goes to an address that the code puts together",
		"((w) => w.getJSON('https://a.test'))(web)":              "line 1: web is used otherwise",
		"web['get' + 'JSON']('https://a.test')":                  "line 1: web is used otherwise",
		"globalThis['we' + 'b']":                                 "line 1: globalThis is used otherwise",
		"[1].map(secret)":                                        "line 1: secret is used otherwise",
		"secret(input.name)":                                     "line 1: a secret whose name the code puts together",
	} {
		account, err := gate.NewAccount("async function main(input) { " + code + " }")
		require.NoError(t, err, code)
		require.Len(t, account.Unclear, 1, code)
		require.Contains(t, account.Unclear[0], want, code)
	}
	for _, code := range []string{"web.getJSON('https://a.test/' + input.x)", "input.web.on = 1", "web?.getJSON('https://a.test')", "const a = 'https://a.test/'; web.fetch(a + 1)"} {
		account, err := gate.NewAccount("async function main(input) { " + code + " }")
		require.NoError(t, err, code)
		require.Empty(t, account.Unclear, code)
	}
	account, err := gate.NewAccount("function main(input) { return web.postJSON(input.callback, {}) }")
	require.NoError(t, err)
	require.Equal(t, []string{"POST an address that the code puts together"}, account.Writes)
	_, err = gate.NewAccount("function main( {")
	require.Error(t, err)
}
