package hostcall

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"
)

var wholeAnswer = &Request{Method: http.MethodGet, Options: 1, Whole: true}

// web.fetch(url, {method, headers, body, timeoutMs, effect}): {status, headers, body} of whatever answer there is.
// Header names are in lower case; a header that came several times is joined by ", "; url is there if redirects led
// to another address; the body is read as UTF-8, a byte order mark included. A status that leaves open whether a
// write happened is no answer.
var _ = Declare(Tool{
	Name: "web.fetch",
	Doc: `{status, headers, body} of whatever answer there is: names of headers in lower case, body a text; of bytes that are no UTF-8 base64 has them, up to some MiB. Throws ` +
		`NetworkError if there is none. Redirects are followed, and url is then where they led to; {redirect: 'manual'} gives the answer that redirects. A 500, 502, 504 or 507 of a write does not say whether it happened, nor does a page that a script fails of as JSON: the run stands still ` +
		`until that is known.`,
	Schema: `{"type": "array", "minItems": 1, "items": false, "prefixItems": [` + urlArgument + `,
		{"title": "options", "type": ["object", "null"], "additionalProperties": false, "properties": {
			"method": {"type": "string", "enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
				"get", "head", "post", "put", "patch", "delete", "options"]},
			"body": {"type": ["string", "null"]},
			"base64": {"type": "string"},
			` + headersOption + `, ` + timeoutMsOption + `, ` + effectOption + `,
			"redirect": {"type": "string", "enum": ["follow", "manual"]}
		}}
	]}`,
	Types: `(url: string, options?: { method?: HTTPMethod; body?: string | null; base64?: string; headers?: Record<string, string | number> | null; timeoutMs?: number | null; effect?: 'read' | 'write'; redirect?: 'follow' | 'manual' } | null): Promise<WebAnswer>`,
	TypesBeside: `type HTTPMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options';
/** Whatever answer there is: names of headers in lower case. */
interface WebAnswer { status: number; headers: Record<string, string>; body: string; base64?: string; url?: string }`,
	Overlaps: true,
	Request:  wholeAnswer,
	Effect: func(args json.RawMessage) sandbox.Effect {
		return effectOf(args, 1, http.MethodGet)
	},
	Reconcile: webReconcile,
	Judge:     wholeAnswer.judge,
	Do: func(ctx context.Context, env *Env, call sandbox.Call) (sandbox.Reply, error) {
		r := &request{}
		var o options
		if fault := decode(call, &r.url, &o); fault != nil {
			return sandbox.Reply{Error: fault}, nil
		}
		r.method, r.timeout = o.method(http.MethodGet), o.timeout()
		r.stays = o.Redirect == "manual"
		r.write = o.effect(r.method) == sandbox.Write
		r.key = env.keyOf(call, r.write)
		defaults := map[string]string{"Accept": "*/*"}
		switch {
		case o.Body == nil && o.Base64 == "":
		case r.method == http.MethodGet, r.method == http.MethodHead:
			return sandbox.Reply{Error: fail(sandbox.ClassLogic, "", "%s: a %s has no body", r.where(), r.method)}, nil
		case o.Base64 == "":
			r.body = []byte(*o.Body)
			defaults["Content-Type"] = "text/plain;charset=UTF-8"
		case o.Body != nil:
			return sandbox.Reply{Error: fail(sandbox.ClassLogic, "", "%s: a body is text or base64, not both", r.where())}, nil
		default:
			bytes, err := base64.StdEncoding.DecodeString(o.Base64)
			if err != nil {
				return sandbox.Reply{Error: fail(sandbox.ClassLogic, "", "%s: base64: %v", r.where(), err)}, nil
			}
			r.body = bytes
		}
		if fault := buildHeader(r, o.Headers, defaults); fault != nil {
			return sandbox.Reply{Error: fault}, nil
		}
		return env.web.fetch(ctx, r)
	},
})

func (c *client) fetch(ctx context.Context, r *request) (sandbox.Reply, error) {
	started := c.env.Clock()
	a, fault, err := c.send(ctx, r)
	if err != nil {
		return sandbox.Reply{}, err
	}
	reply := sandbox.Reply{MS: c.since(started), Error: fault, Hosts: r.hosts}
	switch {
	case fault != nil:
	case c.env.leavesOpen(r, a.status):
		reply.Error = c.statusFault(r, a)
	default:
		reply.Result = fetched(a, toText(a.body), a.body)
	}
	return reply, nil
}

// fetched is what web.fetch gives a script of an answer. Bytes that no text keeps are there beside it, unless the result would be
// too large for a run then.
func fetched(a *answer, body string, raw []byte) json.RawMessage {
	bytes := ""
	if !utf8.Valid(raw) && len(body)+base64.StdEncoding.EncodedLen(len(raw)) < sandbox.DefaultLimits.ResultBytes-maxHeaderBytes {
		bytes = base64.StdEncoding.EncodeToString(raw)
	}
	headers := make(map[string]string, len(a.header))
	for name, values := range a.header {
		headers[strings.ToLower(name)] = toText([]byte(strings.Join(values, ", ")))
	}
	return toJSON(struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Base64  string            `json:"base64,omitempty"`
		URL     string            `json:"url,omitempty"`
	}{a.status, headers, body, bytes, a.url})
}

// KnownAnswer is what a script is answered by a write that was in doubt, when it is known what became of it: known, which is null if nobody knows
// the answer. A call that gives whole answers gives one of success with that as its body, unless known is such an answer.
func KnownAnswer(name string, known json.RawMessage) json.RawMessage {
	request := Of(name).Request
	if request == nil || !request.Whole {
		return known
	}
	var whole struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    *string           `json:"body"`
	}
	if json.Unmarshal(known, &whole) == nil && whole.Status > 0 && whole.Headers != nil && whole.Body != nil {
		return known
	}
	return fetched(&answer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}}, string(known), nil)
}

// Get is a call that asks for an address, and is answered with whatever answer there is.
func Get(address string, headers map[string]string) sandbox.Call {
	options := map[string]any{"method": http.MethodGet}
	if len(headers) > 0 {
		options["headers"] = headers
	}
	return sandbox.Call{Tool: webapi.Fetch, Args: toJSON([]any{address, options}), Effect: sandbox.Read}
}
