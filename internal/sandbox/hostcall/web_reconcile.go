package hostcall

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// LookupRule says how a host is asked what became of a write to it.
type LookupRule struct {
	Host    string // of the write, as it is in the URL: with a port if that is not the usual one
	Address string // to GET, with {key} in the place of the idempotency key
	Result  string // JSON pointer to the write's answer in what comes back; empty for all of it
}

// keyPlace stands in an address for the idempotency key.
const keyPlace = "{key}"

// webReconcile is the hook of all web tools: a GET as a person set it up for the host.
var webReconcile = &Reconciliation{
	Possible: func(env *Env, call sandbox.Call) bool {
		_, ok := env.lookupRule(call)
		return ok
	},
	Ask: func(ctx context.Context, env *Env, call sandbox.Call, key string) (Finding, error) {
		rule, ok := env.lookupRule(call)
		if !ok || key == "" {
			return nothingFound("there is no way to ask"), nil
		}
		r, fault := rule.request(call, key)
		if fault != nil {
			return nothingFound("%s", fault.Message), nil
		}
		a, fault, err := env.web.send(ctx, r)
		if err != nil {
			return Finding{}, err
		}
		if fault != nil {
			return nothingFound("%s", fault.Message), nil
		}
		return rule.read(r, a, call), nil
	},
}

// read gives the address and the options of a call.
func (r *Request) read(args json.RawMessage) (address string, o options, fault *sandbox.Error) {
	into := []any{&address, &json.RawMessage{}, &o}
	into[r.Options] = &o
	fault = decode(sandbox.Call{Args: args}, into[:r.Options+1]...)
	return address, o, fault
}

func (env *Env) lookupRule(call sandbox.Call) (LookupRule, bool) {
	address, _, fault := Of(call.Tool).Request.read(call.Args)
	if fault != nil {
		return LookupRule{}, false
	}
	u, err := parseURL(address)
	if err != nil {
		return LookupRule{}, false
	}
	i := slices.IndexFunc(env.Lookups, func(rule LookupRule) bool { return strings.EqualFold(rule.Host, u.Host) })
	if i < 0 {
		return LookupRule{}, false
	}
	return env.Lookups[i], true
}

// request is the GET: signed in as the write was, if it goes to the same host.
func (rule LookupRule) request(call sandbox.Call, key string) (*request, *sandbox.Error) {
	r := &request{method: http.MethodGet, url: strings.ReplaceAll(rule.Address, keyPlace, url.QueryEscape(key)), timeout: defaultTimeout}
	address, o, fault := Of(call.Tool).Request.read(call.Args)
	if fault != nil {
		return nil, fault
	}
	headers := map[string]headerText{}
	from, fromErr := parseURL(address)
	to, toErr := parseURL(r.url)
	if fromErr == nil && toErr == nil && sameHost(from, to) {
		to.User = from.User
		r.url = to.String()
		for name, value := range o.Headers {
			if canonical := http.CanonicalHeaderKey(name); canonical != "Idempotency-Key" && !strings.HasPrefix(canonical, "Content-") {
				headers[name] = value
			}
		}
	}
	return r, buildHeader(r, headers, map[string]string{"Accept": "application/json"})
}

// read says what an answer means.
func (rule LookupRule) read(r *request, a *answer, call sandbox.Call) Finding {
	body := bytes.TrimSpace([]byte(toText(a.body)))
	switch {
	case a.login:
		return nothingFound("%s: a login page", r.where())
	case a.status == http.StatusNotFound:
		return Finding{Found: FoundDidNot, Detail: r.where() + ": status 404"}
	case a.status == http.StatusNoContent, a.status == http.StatusOK && len(body) == 0:
		return Finding{Found: FoundDidNot, Detail: r.where() + ": nothing"}
	case a.status != http.StatusOK:
		return nothingFound("%s: status %d", r.where(), a.status)
	case !json.Valid(body), sandbox.TooDeep(body):
		return nothingFound("%s: the answer is not JSON that can be recorded", r.where())
	}
	value, there := pointed(body, rule.Result)
	if !there || isEmptyJSON(value) {
		return Finding{Found: FoundDidNot, Detail: r.where() + ": nothing is there"}
	}
	result := compacted(value)
	if Of(call.Tool).Request.Whole {
		result = fetched(a, string(result), nil)
	}
	if len(result) > maxFoundBytes {
		return nothingFound("%s: the answer has %d bytes, more than is recorded of it", r.where(), len(result))
	}
	return Finding{Found: FoundHappened, Result: result, Detail: r.where() + ": it is there"}
}

// pointed gives the part of a JSON text that a pointer of RFC 6901 names.
func pointed(text json.RawMessage, pointer string) (json.RawMessage, bool) {
	if pointer == "" {
		return text, true
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(text, &object) == nil && object != nil:
			value, there := object[token]
			if !there {
				return nil, false
			}
			text = value
		case json.Unmarshal(text, &list) == nil && list != nil:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(list) {
				return nil, false
			}
			text = list[i]
		default:
			return nil, false
		}
	}
	return text, true
}

func isEmptyJSON(value json.RawMessage) bool {
	switch string(compacted(value)) {
	case "null", "{}", "[]", `""`:
		return true
	}
	return false
}

// compacted is valid JSON without its white space.
func compacted(value json.RawMessage) json.RawMessage {
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return value
	}
	return compact.Bytes()
}
