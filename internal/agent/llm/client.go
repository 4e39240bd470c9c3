package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// Defaults of a [Config].
const (
	DefaultBaseURL   = "https://api.openai.com/v1"
	DefaultTimeout   = 2 * time.Minute
	DefaultMaxTokens = 8192
)

const (
	// attempts bounds how often one request is sent while the provider is unavailable, and mostTimeOuts
	// how often while it takes too long: each of those may be paid.
	attempts     = 3
	mostTimeOuts = 2
	// mostSilences bounds an answer that goes on and on: that many time-outs.
	mostSilences = 10
	// longestWait is the longest that a provider may ask to be left alone. If it asks for more, the client gives up
	// at once, and the caller decides when to come back.
	longestWait = 20 * time.Second
	// firstWait doubles with every attempt.
	firstWait = 500 * time.Millisecond
	// mostRead bounds the bytes of an answer. 8,192 tokens are about 32 kB.
	mostRead = 4 << 20
	// mostStreamed bounds those of one that comes in pieces, of which each is some 300 bytes.
	mostStreamed = 64 << 20
	// mostDetail bounds what of a provider's words is kept, in bytes.
	mostDetail = 500
)

// Key signs in at a provider. However it is printed, it does not show.
type Key string

// hidden stands where a key was.
const hidden = "xxxxx"

// String implements [fmt.Stringer].
func (Key) String() string { return hidden }

// GoString implements [fmt.GoStringer].
func (Key) GoString() string { return hidden }

// LogValue implements [slog.LogValuer].
func (Key) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText implements [encoding.TextMarshaler].
func (Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Config says which model is asked, and where.
type Config struct {
	Model string
	// BaseURL is the address up to the version, https://api.openai.com/v1 by default; or a deployment
	// of Azure: https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT?api-version=VERSION.
	BaseURL string
	Key     Key    // empty where none is wanted
	Prices  Prices // nil for DefaultPrices
	// Timeout is how long the provider may say nothing. An answer comes in pieces: it may take longer.
	Timeout time.Duration
	// MaxTokens bounds an answer whose request says nothing.
	MaxTokens int64
	// Wait waits before another attempt; nil for the time it is given.
	Wait func(ctx context.Context, d time.Duration) error
}

// Client is a [Model] at an address that speaks Chat Completions. It keeps nothing of a
// conversation and reads nothing from the environment but the proxies of net/http.
type Client struct {
	config Config
	chat   openai.ChatCompletionService
	ollama ollama
	mu     sync.Mutex
	shape  capabilities // what the provider was found to take, for as long as the client lives
}

var _ Model = (*Client)(nil)

// New checks the configuration; it asks nobody.
func New(config Config) (*Client, error) {
	if config.BaseURL == "" {
		config.BaseURL = DefaultBaseURL
	}
	if err := config.validate(); err != nil {
		return nil, err
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	if config.MaxTokens == 0 {
		config.MaxTokens = DefaultMaxTokens
	}
	if config.Prices == nil {
		config.Prices = DefaultPrices()
	}
	if config.Wait == nil {
		config.Wait = wait
	}
	config.BaseURL = trimmed(config.BaseURL)
	client := &http.Client{
		Transport: http.DefaultTransport,
		// A key goes to the address that was configured and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	// The service, unlike the SDK's client, takes nothing from OPENAI_* variables.
	options := []option.RequestOption{
		option.WithMaxRetries(0), // the SDK would repeat where only money helps
		option.WithHTTPClient(client),
	}
	address, version := azure(config.BaseURL)
	if options = append(options, option.WithBaseURL(address)); version == "" {
		options = append(options, option.WithAPIKey(string(config.Key)))
	} else {
		options = append(options, option.WithQuery(azureVersion, version), option.WithHeader("Api-Key", string(config.Key)))
	}
	return &Client{config: config, chat: openai.NewChatCompletionService(options...), ollama: ollama{http: client}}, nil
}

// azureVersion is the one thing that may follow a base URL: the version of the API at a deployment of Azure.
const azureVersion = "api-version"

// azure takes that from an address; empty if there is none.
func azure(base string) (address, version string) {
	parsed, err := url.Parse(base)
	if err != nil {
		return base, ""
	}
	version = parsed.Query().Get(azureVersion)
	parsed.RawQuery = ""
	return parsed.String(), version
}

// trimmed is a base URL without the end that people copy with it.
func trimmed(base string) string {
	address, query, found := strings.Cut(base, "?")
	address = strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/chat/completions")
	if found {
		address += "?" + query
	}
	return address
}

func (c Config) validate() error {
	if c.Model == "" {
		return fmt.Errorf("llm: no model: name one")
	}
	address, err := url.Parse(c.BaseURL)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return fmt.Errorf("llm: the base URL is no address: write it as https://host/v1") // it may hold a password: not repeated
	}
	if address.User != nil {
		return fmt.Errorf("llm: the base URL %s has a password in it: give the key by itself", address.Redacted())
	}
	query := address.Query()
	query.Del(azureVersion)
	if len(query) > 0 || address.Fragment != "" {
		return fmt.Errorf("llm: the base URL has a query or a fragment, which would be lost: write it as https://host/v1; only a deployment of Azure has one, ?%s=", azureVersion)
	}
	if strings.ContainsFunc(string(c.Key), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("llm: the key has a character that no header takes: a line end or a space?")
	}
	if c.Timeout < 0 || c.MaxTokens < 0 {
		return fmt.Errorf("llm: a negative time-out or bound of tokens")
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// String is the model and its address: no key.
func (c *Client) String() string { return c.config.Model + " at " + c.config.BaseURL }

// GoString hides what String hides.
func (c *Client) GoString() string { return c.String() }

// Name implements [Model].
func (c *Client) Name() string { return c.config.Model }

// BaseURL is the address that is asked.
func (c *Client) BaseURL() string { return c.config.BaseURL }

// Price is what the model costs, if that is known: by the name that the provider gives it, empty if
// it has not answered yet, or by the one that people configured. Without a price an answer's cost is 0.
func (c *Client) Price(answeredAs string) (Price, bool) {
	return c.config.Prices.of(answeredAs, c.config.Model)
}

// Chat implements [Model]. A provider that is unavailable is asked up to three times, one that takes too long twice;
// tokens of lost answers count. A parameter that the provider names in refusing it is left out from then on.
func (c *Client) Chat(ctx context.Context, request Request) (Answer, error) {
	if request.MaxTokens == 0 {
		request.MaxTokens = c.config.MaxTokens
	}
	var lost Usage
	for attempt, timeOuts, adapted := 1, 0, 0; ; {
		sent := c.taken()
		answer, failed := c.ask(ctx, request, sent)
		if failed == nil {
			answer.Usage = answer.Usage.plus(lost)
			return answer, nil
		}
		if ctx.Err() != nil {
			return Answer{}, context.Cause(ctx)
		}
		if failed.lost {
			lost = lost.plus(c.lost(request, sent.limit(request.MaxTokens)))
		}
		failed.Usage = lost
		if adapted++; adapted <= mostAdapted && c.adapt(&request, sent, failed) {
			continue
		}
		if failed.timedOut {
			timeOuts++
		}
		pause := failed.pause(attempt)
		if failed.Kind != Unavailable || failed.final || attempt == attempts || timeOuts == mostTimeOuts || pause > longestWait {
			return Answer{}, &c.redact(failed).Error
		}
		attempt++
		if err := c.config.Wait(ctx, pause); err != nil {
			return Answer{}, err
		}
		if request.Heard != nil {
			request.Heard(Delta{Again: true})
		}
	}
}

// ask sends the request once.
func (c *Client) ask(ctx context.Context, request Request, sent capabilities) (Answer, *failure) {
	if c.ollama.cut(request) != nil {
		c.learnContext(ctx) // it may have been started anew
		if cut := c.ollama.cut(request); cut != nil {
			return Answer{}, cut
		}
	}
	params, err := c.params(request, sent)
	if err != nil {
		return Answer{}, fail(Invalid, "%s", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, mostSilences*c.config.Timeout, errEndless)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	silence := time.AfterFunc(c.config.Timeout, func() { giveUp(errSilent) })
	defer silence.Stop()
	got := exchange{heard: request.Heard, alive: func() { silence.Reset(c.config.Timeout) }}
	options := []option.RequestOption{option.WithMiddleware(got.keep)}
	if !sent.dropped[streaming] {
		options = append(options, option.WithJSONSet(streaming, true), option.WithHeader("Accept", "text/event-stream, application/json"))
	}
	completion, err := c.chat.New(ctx, params, options...)
	if failed := got.failure(ctx, err, c.config.Timeout); failed != nil {
		return Answer{}, failed
	}
	if completion.SystemFingerprint == ollamaMark && c.ollama.known() == 0 { //nolint:staticcheck // OpenAI gave it up, Ollama signs with it
		c.learnContext(ctx)
		if cut := c.ollama.cut(request); cut != nil {
			return Answer{}, cut
		}
	}
	answer, failed := read(request, completion)
	if failed != nil {
		failed.Status = got.status
		return Answer{}, failed
	}
	if answer.Model == "" {
		answer.Model = c.config.Model
	}
	answer.Usage = c.count(request, answer, completion.Usage)
	return answer, nil
}

func (c *Client) learnContext(ctx context.Context) {
	c.ollama.learn(ctx, c.config.BaseURL, c.config.Key, c.config.Model)
}

// redact takes the key out of what the provider, or the way to it, had to say, and cuts it.
func (c *Client) redact(f *failure) *failure {
	clean := func(text string) string {
		if c.config.Key != "" {
			text = strings.ReplaceAll(text, string(c.config.Key), hidden)
		}
		text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ")
		if len(text) > mostDetail {
			text = strings.ToValidUTF8(text[:mostDetail], "") + "…"
		}
		return text
	}
	f.Code, f.Param, f.Detail = clean(f.Code), clean(f.Param), clean(f.Detail)
	return f
}

// pause is how long to wait before the next attempt: as long as the provider asked for, or ever longer, with jitter
// so that many do not come back at once.
func (f *failure) pause(attempt int) time.Duration {
	if f.asked {
		return f.after
	}
	d := firstWait << (attempt - 1)
	return d - rand.N(d/4)
}

// params translates a request.
func (c *Client) params(request Request, sent capabilities) (openai.ChatCompletionNewParams, error) {
	params := openai.ChatCompletionNewParams{Model: c.config.Model}
	for _, message := range request.Messages {
		translated, err := sent.messageParam(message)
		if err != nil {
			return params, err
		}
		params.Messages = append(params.Messages, translated)
	}
	for _, tool := range request.Tools {
		function := openai.FunctionDefinitionParam{Name: tool.Name, Description: openai.String(tool.Description)}
		if len(tool.Schema) > 0 {
			if err := json.Unmarshal(tool.Schema, &function.Parameters); err != nil {
				return params, fmt.Errorf("the schema of tool %s is no JSON object: %w", tool.Name, err)
			}
		}
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(function))
	}
	limit := openai.Int(sent.limit(request.MaxTokens))
	if sent.limitName() == newLimit {
		params.MaxCompletionTokens = limit
	} else {
		params.MaxTokens = limit
	}
	if !sent.dropped[temperature] {
		params.Temperature = openai.Float(request.Temperature)
	}
	if !sent.dropped[streaming] && !sent.dropped[streamOptions] {
		params.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return params, nil
}

func (s capabilities) messageParam(message Message) (openai.ChatCompletionMessageParamUnion, error) {
	switch message.Role {
	case System:
		return openai.SystemMessage(message.Text), nil
	case User:
		return openai.UserMessage(message.Text), nil
	case ToolRole:
		return openai.ToolMessage(message.Text, message.Call), nil
	case Assistant:
		return openai.ChatCompletionMessageParamUnion{OfAssistant: s.said(message)}, nil
	}
	return openai.ChatCompletionMessageParamUnion{}, fmt.Errorf("a message is of role system, user, assistant or tool, not %q", message.Role)
}

// emptyTurn stands for a turn without anything in it, which some providers refuse.
const emptyTurn = "(nothing)"

// said is a turn of the assistant, with what the provider added to it.
func (s capabilities) said(message Message) *openai.ChatCompletionAssistantMessageParam {
	var said openai.ChatCompletionAssistantMessageParam
	switch {
	case message.Text != "":
		said.Content.OfString = openai.String(message.Text)
	case len(message.Calls) == 0:
		said.Content.OfString = openai.String(emptyTurn)
	}
	for _, call := range message.Calls {
		function := openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Tool, Arguments: sendable(call.Arguments)}
		extra := s.sendableExtras(call.Extra)
		if inner, is := extra["function"].(json.RawMessage); is {
			function.SetExtraFields(s.sendableExtras(inner))
			delete(extra, "function")
		}
		param := openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: function}
		param.SetExtraFields(extra)
		said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &param})
	}
	said.SetExtraFields(s.sendableExtras(message.Extra))
	return &said
}

// sendable is the arguments as a JSON object: some servers parse those of earlier turns, and answer
// 500 to what is none.
func sendable(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) == nil && object != nil {
		return arguments
	}
	wrapped, err := json.Marshal(map[string]string{"malformed": arguments})
	if err != nil {
		return "{}" // no text is refused by Marshal
	}
	return string(wrapped)
}
