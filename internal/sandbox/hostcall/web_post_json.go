package hostcall

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// web.postJSON(url, value, {method, headers, timeoutMs, effect}): the parsed
// body, or null. Without a value, or with null, no body is sent.
var plainPost = &Request{Method: http.MethodPost, Options: 2}

var _ = Declare(Tool{
	Name: "web.postJSON",
	Doc: `The parsed body of the answer, null for an empty one. value is sent as JSON; method is POST, or PUT, PATCH or ` +
		`DELETE. Errors are those of web.getJSON; of a write that 500, 502, 504 or 507 leaves open see web.fetch.`,
	Schema: `{"type": "array", "minItems": 1, "items": false, "prefixItems": [` + urlArgument + `, {"title": "value"},
		{"title": "options", "type": ["object", "null"], "additionalProperties": false, "properties": {
			"method": {"type": "string", "enum": ["POST", "PUT", "PATCH", "DELETE", "post", "put", "patch", "delete"]},
			` + headersOption + `, ` + timeoutMsOption + `, ` + effectOption + `
		}}
	]}`,
	Types:    `<T = any>(url: string, value?: unknown, options?: { method?: HTTPMethod; headers?: Record<string, string | number> | null; timeoutMs?: number | null; effect?: 'read' | 'write' } | null): Promise<T>`,
	Overlaps: true,
	Request:  plainPost,
	Effect: func(args json.RawMessage) sandbox.Effect {
		return effectOf(args, 2, http.MethodPost)
	},
	Reconcile: webReconcile,
	Judge:     plainPost.judgeEmpty,
	Do: func(ctx context.Context, env *Env, call sandbox.Call) (sandbox.Reply, error) {
		r := &request{}
		var value json.RawMessage
		var o options
		if fault := decode(call, &r.url, &value, &o); fault != nil {
			return sandbox.Reply{Error: fault}, nil
		}
		r.method, r.timeout = o.method(http.MethodPost), o.timeout()
		r.write = o.effect(r.method) == sandbox.Write
		r.key = env.keyOf(call, r.write)
		defaults := map[string]string{"Accept": "application/json"}
		if value != nil {
			var compact bytes.Buffer
			if err := json.Compact(&compact, value); err != nil {
				return sandbox.Reply{}, err
			}
			r.body = compact.Bytes()
			defaults["Content-Type"] = "application/json"
		}
		if fault := buildHeader(r, o.Headers, defaults); fault != nil {
			return sandbox.Reply{Error: fault}, nil
		}
		return env.web.requestJSON(ctx, r)
	},
})
