package llm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// ollamaMark is how Ollama signs its answers.
const ollamaMark = "fp_ollama"

// ollama knows with how much context an Ollama has loaded the model. The server cuts a longer conversation at its
// beginning, and says nothing: the rules that an agent was given are the first to go.
type ollama struct {
	http    *http.Client
	mu      sync.Mutex
	context int64 // in tokens; 0 while nobody knows, or for another server
}

// known is the context of the model, 0 if it is not known to be bounded.
func (o *ollama) known() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.context
}

// looked says that a look is over soon, also if nobody answers.
const looked = 5 * time.Second

// learn asks an Ollama what it has loaded. One that does not say is left as it is.
func (o *ollama) learn(ctx context.Context, base string, key Key, model string) {
	address, err := url.Parse(base)
	if err != nil {
		return
	}
	address.Path, address.RawQuery = strings.TrimSuffix(strings.TrimSuffix(address.Path, "/"), "/v1")+"/api/ps", ""
	ctx, cancel := context.WithTimeout(ctx, looked)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+string(key))
	}
	response, err := o.http.Do(request)
	if err != nil {
		return
	}
	defer func() { _ = response.Body.Close() }()
	var loaded struct {
		Models []struct {
			Name    string `json:"name"`
			Context int64  `json:"context_length"`
		} `json:"models"`
	}
	if json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&loaded) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.context = 0
	for _, one := range loaded.Models {
		if one.Name == model || one.Name == model+":latest" {
			o.context = one.Context
		}
	}
}

// cut says that a request does not fit into the context of the Ollama that is asked.
func (o *ollama) cut(request Request) *failure {
	context, wanted := o.known(), tokens(inputBytes(request))
	if context <= 0 || wanted <= context {
		return nil
	}
	f := fail(Invalid, "this Ollama has loaded the model with a context of %d tokens and would cut the request, of about %d, without a word: set OLLAMA_CONTEXT_LENGTH=%d where 'ollama serve' runs", context, wanted, suggestedContext)
	f.Param = "num_ctx"
	return f
}

// suggestedContext is what agents need, in tokens.
const suggestedContext = 65536

// Context is with how many tokens of context an Ollama has loaded the model, and whether agents have
// enough with that. 0 is not known, or another server, which refuses what is too long.
func (c *Client) Context() (tokens int64, enough bool) {
	tokens = c.ollama.known()
	return tokens, tokens == 0 || tokens >= suggestedContext/2
}
