package hostcall_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// A script sees the tools as it was promised them: results, typed errors that it may catch,
// refusals that name the argument, and an end at an error that it may not catch.
func TestToolsFromAScript(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refunds":
			answering(200, nil, `{"data":[{"id":"re_1","amount":500},{"id":"re_2","amount":250}]}`)(w, r)
		case "/missing":
			answering(404, nil, `{"message":"Not Found"}`)(w, r)
		case "/forbidden":
			answering(403, nil, `{"message":"no"}`)(w, r)
		}
	})
	run := func(body string) sandbox.Outcome {
		state := &hostcall.Memory{}
		host := hostcall.NewHost(&hostcall.Env{State: state, AllowedHosts: []string{"127.0.0.1"}, Now: func() int64 { return nowMS }})
		defer host.Close()
		outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient,
			Code: "const at = '" + address + "';\nasync function main() {" + body + "\n}",
			Seed: "seed", Clock: time.UnixMilli(nowMS),
		}, host)
		require.NoError(t, err)
		return outcome
	}
	good := run(`
		const { data } = await web.getJSON(at + '/refunds');
		for (const refund of data) await files.append('refunds.csv', refund.id + ',' + refund.amount + '\n');
		await kv.set('last', { total: data.reduce((sum, r) => sum + r.amount, 0) });
		await notify('Refunds', 'done');
		const answer = await web.fetch(at + '/missing');
		let caught;
		try { await web.getJSON(at + '/missing'); } catch (e) { caught = [e instanceof LogicError, e.class, e.status, e.body]; }
		let wrong;
		try { await web.getJSON(7); } catch (e) { wrong = [e.name, e.message]; }
		return [await files.read('refunds.csv'), await files.stat('refunds.csv'), await kv.get('last'), await files.list(), answer.status, caught, wrong];`)
	require.Nil(t, good.Error)
	require.JSONEq(t, `["re_1,500\nre_2,250\n", {"size":18,"modified":"2026-03-02T07:00:00.250Z"}, {"total":750}, ["refunds.csv"], 404,
		[true,"logic",404,"{\"message\":\"Not Found\"}"], ["LogicError","web.getJSON: argument 1 (url) must be a string"]]`, string(good.Output))

	ended := run(`try { await web.getJSON(at + '/forbidden') } catch (e) { return 'caught' } finally { await kv.set('ran on', true) }`)
	require.NotNil(t, ended.Error)
	require.Equal(t, []any{sandbox.ClassPermission, 403, "web.getJSON"}, []any{ended.Error.Class, ended.Error.Status, ended.Error.Tool})
	require.Len(t, ended.Calls, 1)
}
