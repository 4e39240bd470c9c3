package hostcall

import (
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// web.getJSON(url, {headers, timeoutMs}): the parsed body.
var plainGet = &Request{Method: http.MethodGet, Options: 1, Only: true}

var _ = Declare(Tool{
	Name: "web.getJSON",
	Doc:  `The parsed body, null for an empty one. ` + statusDoc,
	Schema: `{"type": "array", "minItems": 1, "items": false, "prefixItems": [` + urlArgument + `,
		{"title": "options", "type": ["object", "null"], "additionalProperties": false, "properties": {
			` + headersOption + `, ` + timeoutMsOption + `
		}}
	]}`,
	Types:      `<T = any>(url: string, options?: { headers?: Record<string, string | number> | null; timeoutMs?: number | null } | null): Promise<T>`,
	Overlaps:   true,
	Request:    plainGet,
	Effect:     always(sandbox.Read),
	Idempotent: true,
	Judge:      plainGet.judgeEmpty,
	Do: func(ctx context.Context, env *Env, call sandbox.Call) (sandbox.Reply, error) {
		r := &request{method: http.MethodGet}
		var o options
		if fault := decode(call, &r.url, &o); fault != nil {
			return sandbox.Reply{Error: fault}, nil
		}
		r.timeout = o.timeout()
		if fault := buildHeader(r, o.Headers, map[string]string{"Accept": "application/json"}); fault != nil {
			return sandbox.Reply{Error: fault}, nil
		}
		return env.web.requestJSON(ctx, r)
	},
})
