package hostcall

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// statusDoc is how an answer that is no success is thrown.
const statusDoc = `401 throws AuthError, 403 PermissionError; 408, 425, 429 and 5xx NetworkError; other 4xx, and a body ` +
	`that is no JSON, LogicError; one that was cut off or is bytes, and a web page in the place of JSON, NetworkError, ` +
	`or AuthError if it asks for a login.`

// requestJSON sends a request whose answer must be JSON. An empty success is null (204,
// and the many services that answer a write with nothing). A byte order mark is not taken
// away: JSON.parse would not take it either.
func (c *client) requestJSON(ctx context.Context, r *request) (sandbox.Reply, error) {
	r.briefErrors = true
	started := c.env.Clock()
	a, fault, err := c.send(ctx, r)
	if err != nil {
		return sandbox.Reply{}, err
	}
	reply := sandbox.Reply{MS: c.since(started), Error: fault, Hosts: r.hosts}
	switch {
	case fault != nil:
	case !a.ok():
		reply.Error = c.statusFault(r, a)
	default:
		reply.Result, reply.Error = c.parse(r, a)
	}
	return reply, nil
}

// parse is the JSON of a success.
func (c *client) parse(r *request, a *answer) (json.RawMessage, *sandbox.Error) {
	text := []byte(toText(a.body))
	if len(bytes.TrimSpace(text)) == 0 {
		if !r.write && a.status == http.StatusOK {
			return nil, nil // a script reads null of it, too: see judgeEmpty
		}
		return json.RawMessage("null"), nil
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, text)
	switch {
	case err == nil && sandbox.TooDeep(compact.Bytes()):
		return nil, fail(sandbox.ClassLimit, sandbox.LimitResult, "%s: the JSON is nested more than %d deep", r.where(), sandbox.MaxNesting)
	case err == nil:
		return compact.Bytes(), nil
	}
	var fault *sandbox.Error
	switch {
	case a.login || isHTML(a) && isLoginPage(a.body):
		fault = fail(sandbox.ClassAuth, CodeLoginPage, "%s: a login page instead of JSON", r.where())
	case isHTML(a):
		fault = fail(sandbox.ClassNetwork, CodeNotData, "%s: a web page instead of JSON", r.where())
	case isCut(a), !r.write && isTorn(a):
		fault = fail(sandbox.ClassNetwork, CodeTorn, "%s: the body is not JSON: %v", r.where(), err)
	default:
		fault = fail(sandbox.ClassLogic, "", "%s: the body is not JSON: %v", r.where(), err)
	}
	if r.write && fault.Class == sandbox.ClassNetwork {
		doubt(fault)
	}
	c.describe(fault, r, a)
	return nil, fault
}
