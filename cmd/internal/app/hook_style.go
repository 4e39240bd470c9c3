package app

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // Twilio signs so; HMAC with it is not broken.
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// HookRequest is what is sent to a hook.
type HookRequest struct {
	Method string
	// Addresses are those that the sender may have called, with the query: a proxy may stand between.
	Addresses []string
	Query     url.Values
	Header    http.Header
	Body      []byte
}

// HookAnswer is what a sender is answered. The zero HookAnswer is what became of what it sent.
type HookAnswer struct {
	Status int
	Type   string // of the body
	Body   []byte
	Within time.Duration // how long the sender waits for the run, whose answer comes before this one
}

// replyTypes are what a script may say that its answer is. None is a page: it would be one of this server's.
var replyTypes = []string{"application/json", "text/plain", "text/xml"}

// Reply is the answer that a run's return value is. {status, type, body}, of which status is needed, says all of it; every other value is
// the body of a success.
func Reply(output json.RawMessage) HookAnswer {
	var own struct {
		Status int             `json:"status"`
		Type   string          `json:"type"`
		Body   json.RawMessage `json:"body"`
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	decoder.DisallowUnknownFields()
	var text string
	isText := func() bool { return json.Unmarshal(own.Body, &text) == nil && string(own.Body) != "null" }
	switch err := decoder.Decode(&own); {
	case len(output) == 0:
		return HookAnswer{Status: http.StatusNoContent}
	case err != nil || own.Status < 200 || own.Status > 599 || own.Status/100 == 3,
		own.Type != "" && !slices.Contains(replyTypes, own.Type), strings.HasPrefix(own.Type, "text/") && !isText():
		return HookAnswer{Status: http.StatusOK, Type: "application/json", Body: output}
	case own.Status == http.StatusNoContent || own.Status == http.StatusResetContent || len(own.Body) == 0:
		return HookAnswer{Status: own.Status}
	case own.Type != "application/json" && isText():
		return HookAnswer{Status: own.Status, Type: cmp.Or(own.Type, "text/plain") + "; charset=utf-8", Body: []byte(text)}
	}
	return HookAnswer{Status: own.Status, Type: "application/json", Body: own.Body}
}

// hookAsked is a request to a hook with what it is checked by.
type hookAsked struct {
	HookRequest
	secret string
	verify string // what Meta shows when it asks whether the hook is there
	now    time.Time
}

// hookStyle is how the senders of a kind do it.
type hookStyle struct {
	// given says that the service makes the secret, and people give it to the hook. Else one is made here.
	given bool
	// secret refuses what is no secret of this kind; nil for any text.
	secret func(text string) bool
	// proves says that the sender has the secret, and sent this now.
	proves func(hookAsked) bool
	// challenge answers a sender that only asks whether the hook is there, and nil to any other; nil if none asks.
	challenge func(hookAsked) *HookAnswer
	// asksByGet says that it does so by GET.
	asksByGet bool
	// id names what is sent, for it comes again if the answer is lost; empty for none.
	id func(hookAsked) string
	// taken is what the sender wants to hear when it is taken; nil for what became of it.
	taken func(hookAsked) HookAnswer
}

// How far the clock of a sender may be off, and how old a signed request may be.
const (
	hookSkew   = 5 * time.Minute
	linearSkew = time.Minute // as Linear says
)

// hookStyles are the kinds of senders.
var hookStyles = map[workflow.HookStyle]hookStyle{
	workflow.HookStandard: {
		secret: func(text string) bool {
			key, is := strings.CutPrefix(text, publisher.KeyPrefix)
			raw, err := base64.StdEncoding.DecodeString(key)
			return is && err == nil && len(raw) > 0
		},
		proves: func(a hookAsked) bool { return publisher.Proves(a.secret, a.Header, a.Body, a.now, hookSkew) },
		id:     byHeader("Webhook-Id"),
	},
	workflow.HookToken: {
		proves: func(a hookAsked) bool {
			shown, _ := strings.CutPrefix(a.Header.Get("Authorization"), "Bearer ")
			return equalTexts(shown, a.secret)
		},
		id: byHeader("Idempotency-Key"),
	},
	workflow.HookGitHub: {proves: signedBody, id: byHeader("X-Github-Delivery")},
	workflow.HookStripe: {
		given: true,
		proves: func(a hookAsked) bool {
			at, signatures := "", []string{}
			for part := range strings.SplitSeq(a.Header.Get("Stripe-Signature"), ",") {
				switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
				case "t":
					at = value
				case "v1":
					signatures = append(signatures, value)
				}
			}
			want := a.hex(at + ".")
			return a.recent(at, time.Second, hookSkew) && slices.ContainsFunc(signatures, func(one string) bool { return equalTexts(one, want) })
		},
		id: byMember("id"), taken: emptyAnswer,
	},
	workflow.HookSlack: {
		given:  true,
		proves: signedWithTime("X-Slack-Signature", "X-Slack-Request-Timestamp"),
		challenge: func(a hookAsked) *HookAnswer {
			if memberText(a.Body, "type") != "url_verification" {
				return nil
			}
			return &HookAnswer{Status: http.StatusOK, Type: "text/plain; charset=utf-8", Body: []byte(memberText(a.Body, "challenge"))}
		},
		id: func(a hookAsked) string { return cmp.Or(memberText(a.Body, "event_id"), a.form().Get("trigger_id")) }, taken: emptyAnswer,
	},
	workflow.HookShopify: {
		given: true,
		proves: func(a hookAsked) bool {
			return equalTexts(a.Header.Get("X-Shopify-Hmac-Sha256"), base64.StdEncoding.EncodeToString(a.mac(sha256.New, string(a.Body))))
		},
		id: byHeader("X-Shopify-Webhook-Id"), taken: emptyAnswer,
	},
	workflow.HookTwilio: {
		given: true, proves: signedByTwilio, id: byHeader("I-Twilio-Idempotency-Token"),
		taken: func(hookAsked) HookAnswer {
			return HookAnswer{Status: http.StatusOK, Type: "text/xml", Body: []byte("<Response/>")}
		},
	},
	workflow.HookMeta: {
		given: true, proves: signedBody, id: bodyDigest, taken: emptyAnswer, asksByGet: true,
		challenge: func(a hookAsked) *HookAnswer {
			if a.Method != http.MethodGet || a.Query.Get("hub.mode") != "subscribe" {
				return nil
			}
			return &HookAnswer{Status: http.StatusOK, Type: "text/plain; charset=utf-8", Body: []byte(a.Query.Get("hub.challenge"))}
		},
	},
	workflow.HookZoom: {
		given: true, proves: signedWithTime("X-Zm-Signature", "X-Zm-Request-Timestamp"), id: bodyDigest, taken: emptyAnswer,
		challenge: func(a hookAsked) *HookAnswer {
			var sent struct {
				Event   string
				Payload struct {
					PlainToken string `json:"plainToken"`
				}
			}
			if json.Unmarshal(a.Body, &sent) != nil || sent.Event != "endpoint.url_validation" {
				return nil
			}
			return jsonAnswer(map[string]any{"plainToken": sent.Payload.PlainToken, "encryptedToken": hex.EncodeToString(a.mac(sha256.New, sent.Payload.PlainToken))})
		},
	},
	workflow.HookDiscord: {
		given: true,
		secret: func(text string) bool {
			key, err := hex.DecodeString(text)
			return err == nil && len(key) == ed25519.PublicKeySize
		},
		proves: func(a hookAsked) bool {
			key, err := hex.DecodeString(a.secret)
			signature, none := hex.DecodeString(a.Header.Get("X-Signature-Ed25519"))
			at := a.Header.Get("X-Signature-Timestamp")
			return err == nil && none == nil && len(key) == ed25519.PublicKeySize && a.recent(at, time.Second, hookSkew) &&
				ed25519.Verify(key, append([]byte(at), a.Body...), signature)
		},
		challenge: func(a hookAsked) *HookAnswer {
			switch sent := discordOf(a.Body); {
			case sent.interaction() && sent.Type == 1:
				return jsonAnswer(map[string]any{"type": 1})
			case !sent.interaction() && sent.Type == 0:
				return &HookAnswer{Status: http.StatusNoContent}
			}
			return nil
		},
		id: func(a hookAsked) string { return cmp.Or(memberText(a.Body, "id"), bodyDigest(a)) },
		taken: func(a hookAsked) HookAnswer {
			sent := discordOf(a.Body)
			if !sent.interaction() {
				return HookAnswer{Status: http.StatusNoContent}
			}
			switch sent.Type { // the script answers later, with the interaction's token
			case 3:
				return *jsonAnswer(map[string]any{"type": 6})
			case 4:
				return *jsonAnswer(map[string]any{"type": 8, "data": map[string]any{"choices": []any{}}})
			}
			return *jsonAnswer(map[string]any{"type": 5})
		},
	},
	workflow.HookLinear: {
		given: true,
		proves: func(a hookAsked) bool {
			var sent struct {
				At json.Number `json:"webhookTimestamp"`
			}
			return equalTexts(a.Header.Get("Linear-Signature"), a.hex("")) && json.Unmarshal(a.Body, &sent) == nil && a.recent(sent.At.String(), time.Millisecond, linearSkew)
		},
		id: byHeader("Linear-Delivery"), taken: emptyAnswer,
	},
	workflow.HookTelegram: {
		secret: telegramSecret.MatchString,
		proves: func(a hookAsked) bool { return equalTexts(a.Header.Get("X-Telegram-Bot-Api-Secret-Token"), a.secret) },
		id:     byMember("update_id"), taken: emptyAnswer,
	},
}

// telegramSecret is what setWebhook takes as secret_token.
var telegramSecret = lazyregexp.New(`^[A-Za-z0-9_-]{1,256}$`)

// mostHookSecret bounds a secret that people give, in bytes.
const mostHookSecret = 4096

// admits says that a sender proves itself. Meta signs nothing when it asks whether a hook is there, and shows a word instead.
func (s hookStyle) admits(a hookAsked) bool {
	if a.Method == http.MethodGet {
		return s.asksByGet && equalTexts(a.Query.Get("hub.verify_token"), a.verify)
	}
	return s.proves(a)
}

// checkHookSecret refuses a secret that no sender of a style has; an empty one is to be made here.
func checkHookSecret(style workflow.HookStyle, secret string) error {
	of, known := hookStyles[style]
	switch {
	case !known: // the settings say so
		return nil
	case secret == "" && of.given:
		return fault.New(fault.Invalid, "%s makes the secret of its hooks: give the one that it shows you (signing secret, app secret, auth token or public key)", style)
	case secret == "":
		return nil
	case len(secret) > mostHookSecret || strings.ContainsFunc(secret, unicode.IsControl) || of.secret != nil && !of.secret(secret):
		return fault.New(fault.Invalid, "that is no secret of a hook of the style %s", style)
	}
	return nil
}

// equalTexts compares in a time that does not say where two texts part.
func equalTexts(shown, want string) bool {
	return subtle.ConstantTimeCompare([]byte(shown), []byte(want)) == 1
}

func (a hookAsked) mac(of func() hash.Hash, message string) []byte {
	sum := hmac.New(of, []byte(a.secret))
	_, _ = sum.Write([]byte(message)) // it never fails
	return sum.Sum(nil)
}

// hex is the signature of the body, with what stands before it.
func (a hookAsked) hex(before string) string {
	return hex.EncodeToString(a.mac(sha256.New, before+string(a.Body)))
}

// recent says that a time, written as a number of units, is not far from now.
func (a hookAsked) recent(text string, unit, skew time.Duration) bool {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < 0 || number > int64(1<<62)/int64(unit) {
		return false
	}
	return a.now.Sub(time.Unix(0, 0).Add(time.Duration(number)*unit)).Abs() <= skew
}

func byHeader(name string) func(hookAsked) string {
	return func(a hookAsked) string { return a.Header.Get(name) }
}

// byMember is a text or a number of a body in JSON.
func byMember(name string) func(hookAsked) string {
	return func(a hookAsked) string { return memberText(a.Body, name) }
}

func memberText(body []byte, name string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return ""
	}
	var value string
	if json.Unmarshal(all[name], &value) == nil {
		return value
	}
	var number json.Number
	_ = json.Unmarshal(all[name], &number) // anything else is none
	return number.String()
}

// bodyDigest names what has no name by what it says.
func bodyDigest(a hookAsked) string {
	sum := sha256.Sum256(a.Body)
	return hex.EncodeToString(sum[:])
}

func emptyAnswer(hookAsked) HookAnswer { return HookAnswer{Status: http.StatusOK} }

func jsonAnswer(value any) *HookAnswer {
	body, _ := json.Marshal(value) // of texts and numbers
	return &HookAnswer{Status: http.StatusOK, Type: "application/json", Body: body}
}

// signedBody is how GitHub signs, and Meta.
func signedBody(a hookAsked) bool {
	return equalTexts(a.Header.Get("X-Hub-Signature-256"), "sha256="+a.hex(""))
}

// signedWithTime is how Slack signs, and Zoom.
func signedWithTime(signature, timestamp string) func(hookAsked) bool {
	return func(a hookAsked) bool {
		at := a.Header.Get(timestamp)
		return a.recent(at, time.Second, hookSkew) && equalTexts(a.Header.Get(signature), "v0="+a.hex("v0:"+at+":"))
	}
}

// signedByTwilio is how Twilio does: it signs the address that it calls, and the fields of a form by name; of another body the address has the digest.
func signedByTwilio(a hookAsked) bool {
	signed := ""
	if sum := a.Query.Get("bodySHA256"); sum != "" {
		if !equalTexts(sum, bodyDigest(a)) {
			return false
		}
	} else {
		form := a.form()
		if form == nil && len(a.Body) > 0 {
			return false // nothing says that this body is the one
		}
		for _, name := range slices.Sorted(maps.Keys(form)) {
			values := slices.Clone(form[name])
			slices.Sort(values)
			for _, value := range slices.Compact(values) {
				signed += name + value
			}
		}
	}
	shown := a.Header.Get("X-Twilio-Signature")
	return slices.ContainsFunc(a.Addresses, func(address string) bool {
		return equalTexts(shown, base64.StdEncoding.EncodeToString(a.mac(sha1.New, address+signed)))
	})
}

// form is a body that is one, else nil.
func (r HookRequest) form() url.Values {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil
	}
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return nil
	}
	return form
}

// input is what a script is given: the body, or the fields of a form. A form that has nothing but JSON in the field payload, as Slack
// and GitHub send them, is that JSON.
func (r HookRequest) input() (json.RawMessage, error) {
	form := r.form()
	switch {
	case len(form) == 1 && json.Valid([]byte(form.Get("payload"))):
		return json.RawMessage(form.Get("payload")), nil
	case form != nil:
		fields := map[string]any{}
		for name, values := range form {
			fields[name] = values
			if len(values) == 1 {
				fields[name] = values[0]
			}
		}
		return json.Marshal(fields)
	case len(r.Body) == 0:
		return json.RawMessage("{}"), nil
	case !json.Valid(r.Body):
		return nil, fault.New(fault.Invalid, "the body is neither JSON nor a form: it is the input of the script")
	}
	return r.Body, nil
}

// discordSent is what Discord sends: an interaction, which has a token, or an event of a webhook.
type discordSent struct {
	Type  int    `json:"type"`
	Token string `json:"token"`
}

func discordOf(body []byte) (sent discordSent) {
	_ = json.Unmarshal(body, &sent) // what is none is of type 0
	return sent
}

func (d discordSent) interaction() bool { return d.Token != "" }
