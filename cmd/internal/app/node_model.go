package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/secret/redact"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// Where the model and its key are named, if no flag does. The key is no flag: other users see a
// command line. Variables that the program of another vendor would read are not read.
const (
	ModelVariable  = "KINTSUGI_MODEL"
	LLMURLVariable = "KINTSUGI_LLM_BASE_URL"
	LLMKeyVariable = "KINTSUGI_OPENAI_API_KEY"
	LLMKeyFile     = "KINTSUGI_OPENAI_API_KEY_FILE"
)

// ModelOptions say which model agents ask, and where.
type ModelOptions struct {
	Model   string
	BaseURL string
	KeyFile string
	Prices  string
	Timeout time.Duration
}

// Open makes the model's client; nil if no model is configured.
func (o *ModelOptions) Open() (llm.Model, error) {
	if o.Model == "" {
		if o.BaseURL != "" || o.KeyFile != "" {
			return nil, fault.New(fault.Invalid, "an address or a key of a language model, and no model: name one with --model")
		}
		return nil, nil
	}
	client, err := o.Client()
	if err != nil {
		return nil, err
	}
	return client, nil
}

// Client makes the client of the model, which has to be named.
func (o *ModelOptions) Client() (*llm.Client, error) {
	if o.Timeout <= 0 {
		return nil, fault.New(fault.Invalid, "--llm-timeout %s leaves no time for an answer", o.Timeout)
	}
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	if key == "" && (o.BaseURL == "" || strings.TrimSuffix(o.BaseURL, "/") == llm.DefaultBaseURL) {
		return nil, fault.New(fault.Invalid, "%s wants a key: put it into %s, or into a file that --llm-key-file names", llm.DefaultBaseURL, LLMKeyVariable)
	}
	prices, err := o.priceTable()
	if err != nil {
		return nil, err
	}
	client, err := llm.New(llm.Config{Model: o.Model, BaseURL: o.BaseURL, Key: key, Prices: prices, Timeout: o.Timeout})
	if err != nil {
		return nil, fault.New(fault.Invalid, "--model, --llm-base-url: %w", err)
	}
	return client, nil
}

// priceTable is what models cost: the operator's prices over the list prices.
func (o *ModelOptions) priceTable() (llm.Prices, error) {
	if o.Prices == "" {
		return llm.DefaultPrices(), nil
	}
	text, err := os.ReadFile(o.Prices)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--llm-prices: %w", err)
	}
	own, err := llm.ParsePrices(text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--llm-prices %s: %w", o.Prices, err)
	}
	return llm.DefaultPrices().With(own), nil
}

// Unpriced says that what the model uses is not counted in money, if there is one and that is so.
func (o *ModelOptions) Unpriced() (string, error) {
	if o.Model == "" {
		return "", nil
	}
	prices, err := o.priceTable()
	if err != nil {
		return "", err
	}
	if _, known := prices.Of(o.Model); known {
		return "", nil
	}
	return "the price of the model " + o.Model + " is unknown: caps in money do not count what it uses. Name it with --llm-prices", nil
}

// key is read from the file of the flag, from the environment, or from the file that is named there.
func (o *ModelOptions) key() (llm.Key, error) {
	file := o.KeyFile
	if file == "" {
		if text := os.Getenv(LLMKeyVariable); text != "" {
			return llm.Key(strings.TrimSpace(text)), nil
		}
		if file = os.Getenv(LLMKeyFile); file == "" {
			return "", nil
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fault.New(fault.Invalid, "the key of the language model: %w", err)
	}
	key := strings.TrimSpace(string(text))
	if key == "" {
		return "", fault.New(fault.Invalid, "the key of the language model: %s is empty", file)
	}
	return llm.Key(key), nil
}

// scrubbing is a model that is told no secret: handles stand in the place of values that somebody wrote
// down somewhere.
type scrubbing struct {
	llm.Model
	secrets *Secrets
}

// Chat implements [llm.Model].
func (s scrubbing) Chat(ctx context.Context, request llm.Request) (llm.Answer, error) {
	opening, _ := s.secrets.filled(ctx)
	if opening == nil {
		return s.Model.Chat(ctx, request) // there is none, or this node cannot know it
	}
	values, err := opening.Values(ctx)
	if err != nil {
		return llm.Answer{}, fmt.Errorf("what no model may be told cannot be read: %w", err)
	}
	handles := map[string]string{}
	for _, one := range values {
		if len(one.Value) >= vault.Telling {
			handles[one.Value] = "{{secret:" + one.Name + "}}"
		}
	}
	scrub := redact.Of(handles).Text
	request.Messages = slices.Clone(request.Messages)
	for i := range request.Messages {
		message := &request.Messages[i]
		message.Text = scrub(message.Text)
		message.Calls = slices.Clone(message.Calls)
		for j := range message.Calls {
			message.Calls[j].Arguments = scrub(message.Calls[j].Arguments)
		}
	}
	return s.Model.Chat(ctx, request)
}

// UseModel has agents of this node ask a model.
func (n *Node) UseModel(model llm.Model) { n.Model = scrubbing{model, n.Secrets} }
