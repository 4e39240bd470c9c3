package publisher

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// webhook posts events as CloudEvents, signed as Standard Webhooks says.
type webhook struct {
	sinks  Sinks
	name   string
	url    *url.URL
	binary bool
	names  []string // of headers that are not its own
	client *http.Client
	shows  *certificate // nil for none
	bearer *bearer      // nil for none

	mu      sync.Mutex
	keys    [][]byte
	headers map[string]string
	read    time.Time // when
}

const (
	maxHeaders = 16 << 10
	// keysKept is how long a node may go on with keys that were changed.
	keysKept = 10 * time.Second
	// maxLater bounds what a receiver may ask for.
	maxLater = 24 * time.Hour
	// idleKept is how long a connection waits for the next event.
	idleKept = 30 * time.Second
)

func newWebhook(sinks Sinks, name string, d subscription.Definition) (*webhook, error) {
	address, err := d.Address()
	if err != nil {
		return nil, err
	}
	to, shows := reach{private: d.AllowPrivate, owner: d.Owner}, sinks.certificateOf(name, d, address.Host)
	w := &webhook{sinks: sinks, name: name, url: address, binary: d.Binary, names: d.Headers, shows: shows, client: sinks.client(to, shows)}
	if d.OAuth != nil {
		w.bearer = &bearer{sinks: sinks, name: name, of: *d.OAuth, client: sinks.client(to, nil)}
	}
	return w, nil
}

// client follows no redirects and uses no proxy: the address that is dialled has to be the one that is checked.
func (s Sinks) client(to reach, shows *certificate) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: s.dial(to), TLSClientConfig: s.config(shows, ""),
			MaxResponseHeaderBytes: maxHeaders, IdleConnTimeout: idleKept, MaxIdleConnsPerHost: parallel,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Send implements [Sink]. A token that is refused is replaced once: it may have been taken back before its end.
func (w *webhook) Send(ctx context.Context, out Outgoing) (answer Answer, err error) {
	token := ""
	for range 2 {
		if w.bearer != nil {
			if token, err = w.bearer.token(ctx, token); err != nil {
				return Answer{}, err
			}
		}
		answer, err = w.send(ctx, out, token)
		if w.bearer == nil || answer.Status != http.StatusUnauthorized {
			return answer, w.shows.explain(err)
		}
	}
	return answer, fmt.Errorf("%w; so it did with a new token of %s", err, w.bearer.of.TokenURL)
}

func (w *webhook) send(ctx context.Context, out Outgoing, token string) (Answer, error) {
	keys, headers, err := w.secrets(ctx)
	if err != nil {
		return Answer{}, err
	}
	request, body, err := w.request(ctx, out)
	if err != nil {
		return Answer{}, err
	}
	for _, name := range w.names {
		request.Header.Set(name, headers[name])
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	at := strconv.FormatInt(w.sinks.Now().Unix(), 10)
	request.Header.Set("Webhook-Id", out.ID)
	request.Header.Set("Webhook-Timestamp", at)
	request.Header.Set("Webhook-Signature", sign(keys, out.ID, at, body))
	return post(w.client, request, w.sinks.Now)
}

// request is what an event is posted with, in the form that the subscription asks for.
func (w *webhook) request(ctx context.Context, out Outgoing) (request *http.Request, body []byte, err error) {
	body, contentType := out.Sent()
	headers := map[string]string{"Content-Type": contentType}
	if w.binary {
		if headers, body, err = binary(out); err != nil {
			return nil, nil, err
		}
	}
	request, err = http.NewRequestWithContext(ctx, http.MethodPost, w.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	return request, body, nil
}

// binary is the binary form of CloudEvents over HTTP: the payload is the body, everything else is in headers.
func binary(out Outgoing) (headers map[string]string, body []byte, err error) {
	attributes := map[string]json.RawMessage{}
	if err := json.Unmarshal(out.Body, &attributes); err != nil {
		return nil, nil, err
	}
	headers, body = map[string]string{}, attributes["data"]
	delete(attributes, "data")
	for name, raw := range attributes {
		text := string(raw) // of a number
		_ = json.Unmarshal(raw, &text)
		switch name {
		case "datacontenttype":
			headers["Content-Type"] = text
		case "dataschema":
			if out.Shaped == nil { // it is of the payload
				headers["Ce-dataschema"] = percent(text)
			}
		default:
			headers["Ce-"+name] = percent(text)
		}
	}
	if out.Shaped != nil {
		body, headers["Content-Type"] = out.Shaped, out.ShapedType
	}
	return headers, body, nil
}

// percent encodes what CloudEvents does not let into a header as it is.
func percent(text string) string {
	out := &strings.Builder{}
	for _, b := range []byte(text) {
		if b <= ' ' || b > '~' || b == '"' || b == '%' {
			fmt.Fprintf(out, "%%%02X", b)
			continue
		}
		out.WriteByte(b)
	}
	return out.String()
}

// post asks, and reads the answer as any receiver over HTTP means it.
func post(client *http.Client, request *http.Request, now func() time.Time) (Answer, error) {
	request.Header.Set("User-Agent", "kintsugi")
	response, err := client.Do(request)
	if err != nil {
		if wrapped, is := errors.AsType[*url.Error](err); is {
			err = wrapped.Err // the address is known, and may be long or secret
		}
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	begins := &head{}
	_, _ = io.Copy(begins, io.LimitReader(response.Body, 4<<10)) // the status says enough
	answer := Answer{Status: response.StatusCode, Body: begins.String()}
	said := fmt.Sprintf("the receiver answered %d%s", response.StatusCode, begins.quoted())
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		answer.Said = said
		return answer, nil
	case code == http.StatusGone:
		return answer, ErrGone
	case code >= 300 && code < 400:
		return answer, fmt.Errorf("%s: redirects are not followed, add the subscription with the address that it leads to", said)
	}
	err = errors.New(said)
	if after := later(response.Header.Get("Retry-After"), now()); after > 0 {
		return answer, &LaterError{After: after, Err: err}
	}
	return answer, err
}

// later reads Retry-After, seconds or a time.
func later(text string, now time.Time) time.Duration {
	after := time.Duration(0)
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		after = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		after = at.Sub(now)
	}
	return min(max(after, 0), maxLater)
}

// Close lets go of connections.
func (w *webhook) Close() { w.client.CloseIdleConnections() }

// sign is the header of Standard Webhooks: a signature with each key.
func sign(keys [][]byte, id, at string, body []byte) string {
	signatures := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " ")
}

// Proves says that the sender of a body has the key, and signed it within a skew of now, as Standard Webhooks has it.
func Proves(key string, header http.Header, body []byte, now time.Time, skew time.Duration) bool {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, KeyPrefix))
	id, at := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, notNumber := strconv.ParseInt(at, 10, 64)
	if err != nil || notNumber != nil || id == "" || now.Sub(time.Unix(seconds, 0)).Abs() > skew {
		return false
	}
	want := []byte(sign([][]byte{secret}, id, at, body))
	for one := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(one), want) {
			return true
		}
	}
	return false
}

// secrets are the keys that it signs with, and the values of headers.
func (w *webhook) secrets(ctx context.Context) ([][]byte, map[string]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.sinks.Now()
	if age := now.Sub(w.read); w.keys != nil && age >= 0 && age < keysKept {
		return w.keys, w.headers, nil
	}
	host := strings.ToLower(w.url.Host)
	kept, found, err := w.sinks.Secret(ctx, w.name, host)
	if err == nil && !found {
		err = fmt.Errorf("the signing key of subscription %s is not in the vault: make one with 'kintsugi subscription rotate-key %s'", w.name, w.name)
	}
	if err != nil {
		return nil, nil, err
	}
	keys, err := parseKeys(kept, now)
	if err != nil {
		return nil, nil, err
	}
	var headers map[string]string
	if len(w.names) > 0 {
		headers, found, err = w.sinks.Headers(ctx, w.name, host)
	}
	if err == nil && !found || slices.ContainsFunc(w.names, func(name string) bool { _, is := headers[name]; return !is }) {
		err = errors.Join(err, fmt.Errorf("values of headers of subscription %s are not in the vault: give them with 'kintsugi subscription update %s --headers'", w.name, w.name))
	}
	if err != nil {
		return nil, nil, err
	}
	w.keys, w.headers, w.read = keys, headers, now
	return w.keys, w.headers, nil
}

// KeyPrefix begins a signing key, as Standard Webhooks writes it.
const KeyPrefix = "whsec_"

// NewKey makes a signing key, as a receiver is given it.
func NewKey() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return KeyPrefix + base64.StdEncoding.EncodeToString(raw)
}

// RotateKey is what is kept when a new key takes the place of the one that is kept now, which signs, too, until a time.
func RotateKey(kept, key string, until time.Time) string {
	if before := strings.Fields(kept); len(before) > 0 {
		return key + " " + before[0] + " " + until.UTC().Format(time.RFC3339)
	}
	return key
}

// parseKeys reads what is kept: the key, and after a rotation the one before and until when it is used.
func parseKeys(kept string, now time.Time) ([][]byte, error) {
	parts := strings.Fields(kept)
	if len(parts) == 3 {
		if until, err := time.Parse(time.RFC3339, parts[2]); err != nil || !now.Before(until) {
			parts = parts[:1]
		} else {
			parts = parts[:2]
		}
	}
	var keys [][]byte
	for _, part := range parts {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(part, KeyPrefix))
		if err != nil || len(raw) == 0 {
			return nil, errors.New("the signing key in the vault is none: it has to be whsec_ and base64")
		}
		keys = append(keys, raw)
	}
	if len(keys) == 0 {
		return nil, errors.New("the signing key in the vault is empty")
	}
	return keys, nil
}
