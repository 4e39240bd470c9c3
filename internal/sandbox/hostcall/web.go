package hostcall

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// The bounds of a web call.
const (
	defaultTimeout = 30 * time.Second
	maxWaiting     = time.Hour // of a run, which keeps others waiting all that time
	maxRedirects   = 5
	maxHeaderBytes = 256 << 10
	maxReasonBytes = 64 << 10 // of an answer that says what went wrong
	maxErrorBody   = 4 << 10  // of it, for the script and the evidence
)

// Parts of the schemas that the web tools share.
const (
	urlArgument     = `{"title": "url", "type": "string", "minLength": 1, "maxLength": 16384}`
	headersOption   = `"headers": {"type": ["object", "null"], "additionalProperties": {"type": ["string", "number"]}}`
	timeoutMsOption = `"timeoutMs": {"type": ["integer", "null"], "minimum": 1, "maximum": 120000}`
	effectOption    = `"effect": {"type": "string", "enum": ["read", "write"]}`
)

// options are the options of all web tools together; each tool's schema lets through its own.
type options struct {
	Method    string                `json:"method"`
	Headers   map[string]headerText `json:"headers"`
	Body      *string               `json:"body"`
	Base64    string                `json:"base64"`
	TimeoutMS int64                 `json:"timeoutMs"`
	Effect    sandbox.Effect        `json:"effect"`
	Redirect  string                `json:"redirect"`
}

// headerText is a header's value; a number is taken as the script wrote it.
type headerText string

// UnmarshalJSON implements [json.Unmarshaler].
func (h *headerText) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		*h = headerText(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(h))
}

// effect is what a request with these options does outside. Only a POST can be declared a
// read (a search, a query): a PUT, PATCH or DELETE has no reading. Any can be declared a write.
func (o options) effect(method string) sandbox.Effect {
	switch method {
	case http.MethodGet, http.MethodHead:
		if o.Effect == sandbox.Write {
			return sandbox.Write
		}
		return sandbox.Read
	case http.MethodPost:
		if o.Effect == sandbox.Read {
			return sandbox.Read
		}
	}
	return sandbox.Write
}

// method is the method of a request that is otherwise.
func (o options) method(otherwise string) string {
	if o.Method == "" {
		return otherwise
	}
	return strings.ToUpper(o.Method)
}

// timeout is how long an answer may take, redirects and body included.
func (o options) timeout() time.Duration {
	if o.TimeoutMS == 0 {
		return defaultTimeout
	}
	return time.Duration(o.TimeoutMS) * time.Millisecond
}

// effectOf is what a call with its options at index i does. One that cannot be read is a
// write, to be safe.
func effectOf(args json.RawMessage, i int, method string) sandbox.Effect {
	var list []json.RawMessage
	if err := json.Unmarshal(args, &list); err != nil {
		return sandbox.Write
	}
	var o options
	if i < len(list) {
		if err := json.Unmarshal(list[i], &o); err != nil {
			return sandbox.Write
		}
	}
	return o.effect(o.method(method))
}

// keyOf is the idempotency key of a call, if it is a write and has one.
func (env *Env) keyOf(call sandbox.Call, write bool) string {
	if !write || env.Key == nil {
		return ""
	}
	return env.Key(call)
}

// request is what a web tool wants sent.
type request struct {
	method  string
	url     string // as the script wrote it
	header  http.Header
	body    []byte // nil sends none
	timeout time.Duration
	write   bool
	key     string // idempotency key; empty for a read
	// briefErrors says that of an answer that is not a success only the beginning is wanted.
	briefErrors bool
	stays       bool     // an answer that sends on is the answer
	hosts       []string // where redirects led to that answered, as URLs have them
}

// where is how messages name the request: GET https://…, without a password.
func (r *request) where() string {
	const most = 2000
	shown := withoutUserinfo(r.url)
	if len(shown) > most {
		shown = strings.ToValidUTF8(shown[:most], "") + "…"
	}
	return r.method + " " + shown
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	// login says that a redirect on the way led to a page for signing in.
	login bool
	url   string // that redirects led to; empty if there were none
}

func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }
