package app

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// signedExample is a request that a service signed, or that was signed as it says with another program.
type signedExample struct {
	secret  string
	at      int64 // when it was sent, in seconds; 0 if the signature has no time
	window  time.Duration
	address string
	header  []string // names and values
	body    string
	open    bool // the body is not signed
}

const slackCommand = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
	"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J" +
	"%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"

// signedExamples are those that GitHub, Slack and Twilio publish. The other services publish none with its secret: these were made with
// Python's hmac and with OpenSSL.
var signedExamples = map[string]signedExample{
	"github": {secret: "It's a Secret to Everybody", body: "Hello, World!",
		header: []string{"X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}},
	"slack": {secret: "8f742231b10e8888abcd99yyyzzz85a5", at: 1531420618, window: 5 * time.Minute, body: slackCommand, header: []string{
		"X-Slack-Request-Timestamp", "1531420618", "X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
	}},
	"twilio form": {secret: "12345", address: "https://example.com/myapp.php?foo=1&bar=2",
		body:   "Digits=1234&CallSid=CA1234567890ABCDE&To=%2B18005551212&Caller=%2B14158675310&From=%2B14158675310",
		header: []string{"Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", "L/OH5YylLD5NRKLltdqwSvS0BnU="}},
	"twilio json": {secret: "12345", body: `{"property": "value", "boolean": true}`,
		address: "https://mycompany.com/myapp.php?foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620",
		header:  []string{"X-Twilio-Signature", "a9nBmqA0ju/hNViExpshrM61xv4="}},
	"stripe": {secret: "whsec_test_secret", at: 1700000000, window: 5 * time.Minute, body: `{"id":"evt_1","type":"charge.succeeded"}`, header: []string{
		"Stripe-Signature", "t=1700000000,v1=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39,v1=c0475716eb2200f1fe97fcf35a3c05d1fd4f8ba9a07a596730c8d18bb87c0672,v0=x",
	}},
	"shopify": {secret: "test-webhook-secret", body: `{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}`,
		header: []string{"X-Shopify-Hmac-Sha256", "QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw="}},
	"meta": {secret: "app-secret", body: `{"object":"page","entry":[{"id":"1","time":1700000000}]}`,
		header: []string{"X-Hub-Signature-256", "sha256=bc82f0895388957aba6cdbcce9bdd4b42ac80afa99c53c55a4a27f9e3d0f34c3"}},
	"zoom": {secret: "zoom-token", at: 1700000000, window: 5 * time.Minute, body: `{"event":"meeting.started","event_ts":1700000000000,"payload":{"account_id":"a"}}`, header: []string{
		"X-Zm-Request-Timestamp", "1700000000", "X-Zm-Signature", "v0=cf8166a1a2770e32caeda49f9d238dcc351af1b4b6411bb0a549aa7e7482b42e",
	}},
	"discord": {secret: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", at: 1700000000, window: 5 * time.Minute, body: `{"application_id":"1","id":"7","token":"tok","type":2}`, header: []string{
		"X-Signature-Timestamp", "1700000000",
		"X-Signature-Ed25519", "c06b21b81cd5202a6a076d74130971176e25ff4fd5673b897b4411555af324f8d108b950b718252f9a092cfb6c2a39c16a4327763eeeef4556905c53b0e13207",
	}},
	"linear": {secret: "lin_wh_secret", at: 1700000000, window: time.Minute, body: `{"action":"create","type":"Issue","webhookTimestamp":1700000000000}`,
		header: []string{"Linear-Signature", "91e919dc0fd99df1cae12efef1ca08b082cfa523f101b572ec14ed98863fdf35"}},
	"telegram": {secret: "a-Word_1", open: true, body: `{"update_id":1}`, header: []string{"X-Telegram-Bot-Api-Secret-Token", "a-Word_1"}},
	"token":    {secret: "a word", open: true, body: `{}`, header: []string{"Authorization", "Bearer a word"}},
}

func (e signedExample) asked(secret string, now time.Time) hookAsked {
	a := hookAsked{HookRequest: HookRequest{Method: http.MethodPost, Header: http.Header{}, Body: []byte(e.body)}, secret: secret, now: now}
	for i := 0; i < len(e.header); i += 2 {
		a.Header.Set(e.header[i], e.header[i+1])
	}
	if address, err := url.Parse(e.address); err == nil {
		a.Addresses, a.Query = []string{"http://inside/", e.address}, address.Query()
	}
	return a
}

// A request is admitted as its service signs it: with the secret, of these bytes, to this address and at this time. Anything else is not.
func TestHooksAdmitWhatServicesSign(t *testing.T) {
	t.Parallel()
	tried := map[workflow.HookStyle]bool{workflow.HookStandard: true} // in the tests of deliveries
	for name, example := range signedExamples {
		style := workflow.HookStyle(strings.Fields(name)[0])
		tried[style] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := hookStyles[style]
			now := time.Unix(example.at, 0)
			require.NoError(t, checkHookSecret(style, example.secret))
			require.True(t, of.admits(example.asked(example.secret, now)))
			other := strings.Replace(example.secret, "a", "b", 1) + "0"
			if style == workflow.HookDiscord {
				other = strings.Repeat("0", 64)
			}
			require.False(t, of.admits(example.asked(other, now)), "another secret")
			require.False(t, of.admits(example.asked("", now)), "no secret")
			for i := 0; i < len(example.header); i += 2 {
				without := example.asked(example.secret, now)
				without.Header.Del(example.header[i])
				require.False(t, of.admits(without), "without %s", example.header[i])
			}
			if !example.open {
				changed := example
				changed.body = strings.Replace(example.body, "1", "2", 1) + " "
				require.False(t, of.admits(changed.asked(example.secret, now)), "another body")
			}
			if example.at > 0 {
				for _, off := range []time.Duration{-example.window, example.window} {
					require.True(t, of.admits(example.asked(example.secret, now.Add(off))), "%s", off)
					require.False(t, of.admits(example.asked(example.secret, now.Add(off+off/60))), "%s and a little", off)
				}
			}
			if example.address != "" {
				elsewhere := example.asked(example.secret, now)
				elsewhere.Addresses = []string{strings.Replace(example.address, "myapp", "other", 1)}
				require.False(t, of.admits(elsewhere), "another address")
			}
		})
	}
	for _, style := range workflow.HookStyles() {
		require.True(t, tried[style], style)
		_, there := hookStyles[style]
		require.True(t, there, style)
	}
	require.Len(t, hookStyles, len(workflow.HookStyles()))
}
