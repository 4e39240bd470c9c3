package main

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/llm"
)

// Where the model and its key are named, if no flag does. The key is no flag: other users see a
// command line. What the program of another vendor would read is not read.
const (
	modelVariable   = "KINTSUGI_MODEL"
	llmURLVariable  = "KINTSUGI_LLM_BASE_URL"
	llmKeyVariable  = "KINTSUGI_OPENAI_API_KEY"
	llmKeyFile      = "KINTSUGI_OPENAI_API_KEY_FILE"
	llmPriceFileVar = "KINTSUGI_LLM_PRICES"
)

// llmOptions say which model agents ask, and where.
type llmOptions struct {
	model   string
	baseURL string
	keyFile string
	prices  string
	timeout time.Duration
}

func (o *llmOptions) declare(flags *pflag.FlagSet) {
	flags.StringVar(&o.model, "model", "", "the language model that agents ask; none without (env "+modelVariable+")")
	flags.StringVar(&o.baseURL, "llm-base-url", "", "where it is: any address that speaks OpenAI's Chat Completions; default "+llm.DefaultBaseURL+" (env "+llmURLVariable+")")
	flags.StringVar(&o.keyFile, "llm-key-file", "", "the file with its key (env "+llmKeyVariable+", or "+llmKeyFile+")")
	flags.DurationVar(&o.timeout, "llm-timeout", llm.DefaultTimeout, "how long nothing may come of a language model's answer")
	flags.StringVar(&o.prices, "llm-prices", "", "a JSON file with prices of models, over those that are known (env "+llmPriceFileVar+")")
}

// fromEnvironment takes what no flag said. Without a model the rest is for another day.
func (o *llmOptions) fromEnvironment() {
	take := func(value *string, variable string) {
		if *value == "" {
			*value = os.Getenv(variable)
		}
	}
	take(&o.model, modelVariable)
	if o.model != "" {
		take(&o.baseURL, llmURLVariable)
		take(&o.prices, llmPriceFileVar)
	}
}

// open makes the model's client; nil if no model is configured.
func (o *llmOptions) open() (llm.Model, error) {
	if o.model == "" {
		if o.baseURL != "" || o.keyFile != "" {
			return nil, fault.New(fault.Invalid, "an address or a key of a language model, and no model: name one with --model")
		}
		return nil, nil
	}
	client, err := o.client()
	if err != nil {
		return nil, err
	}
	return client, nil
}

func (o *llmOptions) client() (*llm.Client, error) {
	if o.timeout <= 0 {
		return nil, fault.New(fault.Invalid, "--llm-timeout %s leaves no time for an answer", o.timeout)
	}
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	if key == "" && (o.baseURL == "" || strings.TrimSuffix(o.baseURL, "/") == llm.DefaultBaseURL) {
		return nil, fault.New(fault.Invalid, "%s wants a key: put it into %s, or into a file that --llm-key-file names", llm.DefaultBaseURL, llmKeyVariable)
	}
	prices, err := o.priceTable()
	if err != nil {
		return nil, err
	}
	client, err := llm.New(llm.Config{Model: o.model, BaseURL: o.baseURL, Key: key, Prices: prices, Timeout: o.timeout})
	if err != nil {
		return nil, fault.New(fault.Invalid, "--model, --llm-base-url: %w", err)
	}
	return client, nil
}

// priceTable is what models cost: the operator's prices over the list prices.
func (o *llmOptions) priceTable() (llm.Prices, error) {
	if o.prices == "" {
		return llm.DefaultPrices(), nil
	}
	text, err := os.ReadFile(o.prices)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--llm-prices: %w", err)
	}
	own, err := llm.ParsePrices(text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--llm-prices %s: %w", o.prices, err)
	}
	return llm.DefaultPrices().With(own), nil
}

// unpriced says that what the model uses is not counted in money, if there is one and that is so.
func (o *llmOptions) unpriced() (string, error) {
	if o.model == "" {
		return "", nil
	}
	prices, err := o.priceTable()
	if err != nil {
		return "", err
	}
	if _, known := prices.Of(o.model); known {
		return "", nil
	}
	return "the price of the model " + o.model + " is unknown: caps in money do not count what it uses. Name it with --llm-prices", nil
}

// key is read from the file of the flag, from the environment, or from the file that is named there.
func (o *llmOptions) key() (llm.Key, error) {
	file := o.keyFile
	if file == "" {
		if text := os.Getenv(llmKeyVariable); text != "" {
			return llm.Key(strings.TrimSpace(text)), nil
		}
		if file = os.Getenv(llmKeyFile); file == "" {
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
