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
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// What a [Config] leaves out.
const (
	DefaultBaseURL   = "https://api.openai.com/v1"
	DefaultTimeout   = 60 * time.Second
	DefaultMaxTokens = 8192
)

const (
	// attempts bounds how often one request is sent while the provider is unavailable.
	attempts = 3
	// longestWait is the longest that a provider may ask to be left alone: asked for more, the
	// client gives up at once, and whoever asked decides when to come back.
	longestWait = 20 * time.Second
	// firstWait doubles with every attempt.
	firstWait = 500 * time.Millisecond
	// mostRead bounds the bytes of an answer. 8,192 tokens are about 32 kB.
	mostRead = 4 << 20
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
	Model   string
	BaseURL string // up to the version: https://api.openai.com/v1, the default
	Key     Key    // empty where none is wanted
	Prices  Prices // nil for DefaultPrices
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
	// What the model was found not to take.
	newLimit      atomic.Bool // max_tokens: it wants max_completion_tokens
	noTemperature atomic.Bool
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
	// The service, unlike the SDK's client, takes nothing from OPENAI_* variables.
	chat := openai.NewChatCompletionService(
		option.WithBaseURL(config.BaseURL),
		option.WithAPIKey(string(config.Key)),
		option.WithMaxRetries(0), // the SDK would repeat where only money helps
		option.WithHTTPClient(&http.Client{
			Transport: http.DefaultTransport,
			// A key goes to the address that was configured and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
	)
	return &Client{config: config, chat: chat}, nil
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
	if address.RawQuery != "" || address.Fragment != "" {
		return fmt.Errorf("llm: the base URL has a query or a fragment, which would be lost: write it as https://host/v1")
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

// Chat implements [Model]. A provider that is unavailable is asked up to three times; time-outs
// count for one attempt. A parameter that the model does not take is left out from then on.
func (c *Client) Chat(ctx context.Context, request Request) (Answer, error) {
	for attempt := 1; ; {
		answer, failed := c.ask(ctx, request)
		if failed == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return Answer{}, context.Cause(ctx)
		}
		if c.adapt(failed) {
			continue
		}
		pause := failed.pause(attempt)
		if failed.Kind != Unavailable || failed.final || attempt == attempts || pause > longestWait {
			return Answer{}, &failed.Error
		}
		attempt++
		if err := c.config.Wait(ctx, pause); err != nil {
			return Answer{}, err
		}
	}
}

// adapt says that the request should be sent again, without what was refused.
func (c *Client) adapt(f *failure) bool {
	if f.Kind != Invalid {
		return false
	}
	switch f.param {
	case "max_tokens":
		return c.newLimit.CompareAndSwap(false, true)
	case "temperature":
		return c.noTemperature.CompareAndSwap(false, true)
	}
	return false
}

// ask sends the request once.
func (c *Client) ask(ctx context.Context, request Request) (Answer, *failure) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	params, err := c.params(request)
	if err != nil {
		return Answer{}, fail(Invalid, "%s", err)
	}
	var got exchange
	completion, err := c.chat.New(ctx, params, option.WithMiddleware(got.keep))
	if failed := got.failure(ctx, err, c.config.Timeout); failed != nil {
		return Answer{}, c.redact(failed)
	}
	answer, failed := read(request, completion)
	if failed != nil {
		failed.Status = got.status
		return Answer{}, c.redact(failed)
	}
	if answer.Model == "" {
		answer.Model = c.config.Model
	}
	answer.Usage = c.count(request, answer, completion.Usage)
	return answer, nil
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
	f.Code, f.Detail = clean(f.Code), clean(f.Detail)
	return f
}

// pause is how long to wait before the next attempt: what the provider asked for, or ever longer,
// with jitter so that many do not come back at once.
func (f *failure) pause(attempt int) time.Duration {
	if f.asked {
		return f.after
	}
	d := firstWait << (attempt - 1)
	return d - rand.N(d/4)
}

// params translates a request.
func (c *Client) params(request Request) (openai.ChatCompletionNewParams, error) {
	params := openai.ChatCompletionNewParams{Model: c.config.Model}
	for _, message := range request.Messages {
		translated, err := messageParam(message)
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
	limit := request.MaxTokens
	if limit == 0 {
		limit = c.config.MaxTokens
	}
	// Local servers know max_tokens only; newer models of OpenAI refuse it, and are asked again.
	if c.newLimit.Load() {
		params.MaxCompletionTokens = openai.Int(limit)
	} else {
		params.MaxTokens = openai.Int(limit)
	}
	if !c.noTemperature.Load() {
		params.Temperature = openai.Float(request.Temperature)
	}
	return params, nil
}

func messageParam(message Message) (openai.ChatCompletionMessageParamUnion, error) {
	switch message.Role {
	case System:
		return openai.SystemMessage(message.Text), nil
	case User:
		return openai.UserMessage(message.Text), nil
	case ToolRole:
		return openai.ToolMessage(message.Text, message.Call), nil
	case Assistant:
		if len(message.Calls) == 0 {
			return openai.AssistantMessage(message.Text), nil
		}
		var said openai.ChatCompletionAssistantMessageParam
		if message.Text != "" {
			said.Content.OfString = openai.String(message.Text)
		}
		for _, call := range message.Calls {
			said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: call.Tool, Arguments: sendable(call.Arguments),
				}},
			})
		}
		return openai.ChatCompletionMessageParamUnion{OfAssistant: &said}, nil
	}
	return openai.ChatCompletionMessageParamUnion{}, fmt.Errorf("a message is of role system, user, assistant or tool, not %q", message.Role)
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
