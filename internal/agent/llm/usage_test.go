package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// A budget of tokens holds also where the provider does not count: four bytes are a token.
func TestUsageThatIsNotToldIsCounted(t *testing.T) {
	t.Parallel()
	request := llm.Request{
		Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("a", 396)}}, // and four of the role
		Tools:    []llm.Tool{{Name: "name", Description: strings.Repeat("d", 94), Schema: json.RawMessage(`{}`)}},
	}
	step := llmtest.TextAndCalls(strings.Repeat("b", 34), llmtest.ToolCall{Tool: "fix", Args: llmtest.Raw("abc")})
	counted := llm.Usage{Input: 125, Output: 10, Estimated: true}
	for name, usage := range map[string]*llmtest.Usage{"absent": nil, "zeros": {}, "negative": {Input: -5, Output: -5, Cached: -5}, "cached only": {Cached: 7}} {
		answer, _ := chat(t, request, step.WithUsage(usage))
		require.Equal(t, counted, answer.Usage, name)
	}
	answer, _ := chat(t, request, step.WithUsage(&llmtest.Usage{Input: 200}))
	require.Equal(t, llm.Usage{Input: 200, Output: 10, Estimated: true}, answer.Usage, "what is told is taken, the rest counted")
	answer, _ = chat(t, request, step.WithUsage(&llmtest.Usage{Input: 200, Cached: 300, Output: 9}))
	require.Equal(t, llm.Usage{Input: 200, Cached: 200, Output: 9}, answer.Usage, "no more is cached than was sent")
	answer, _ = chat(t, request, llmtest.Text(""))
	require.Equal(t, int64(10), answer.Usage.Output)
	answer, _ = chat(t, request, llmtest.Text("").WithUsage(&llmtest.Usage{Input: 200}))
	require.Equal(t, llm.Usage{Input: 200}, answer.Usage, "an empty answer has no tokens")
}

func TestCostsAreOfTheModelThatAnswered(t *testing.T) {
	t.Parallel()
	prices := llm.Prices{llmtest.ModelName: {Input: 2, Cached: 0.5, Output: 8}, "asked": {Input: 1, Output: 1}}
	usage := &llmtest.Usage{Input: 3_000_000, Cached: 1_000_000, Output: 500_000}
	for _, test := range []struct {
		model, answered string
		want            float64
	}{
		{"asked", llmtest.ModelName, 2*2 + 0.5 + 4}, {"asked", "a stranger", 3 + 0.5}, {"asked", "", 3 + 0.5}, {"unknown", "a stranger", 0},
	} {
		step := llmtest.Text("ok").WithUsage(usage)
		step.Body = strings.Replace(step.Body, `"model":"`+llmtest.ModelName+`"`, `"model":"`+test.answered+`"`, 1)
		config := llmtest.Serve(t, step).Config()
		config.Model, config.Prices = test.model, prices
		client, err := llm.New(config)
		require.NoError(t, err)
		answer, err := client.Chat(t.Context(), hello)
		require.NoError(t, err)
		require.InDelta(t, test.want, answer.Usage.CostUSD, 1e-9, test)
	}
}

// Cached input without a price of its own costs what input costs.
func TestCostWithoutACachedPrice(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 3e-6, llm.Price{Input: 1, Output: 1}.Cost(llm.Usage{Input: 2, Cached: 1, Output: 1}), 1e-12)
	require.InDelta(t, 2.1e-6, llm.Price{Input: 1, Cached: 0.1, Output: 1}.Cost(llm.Usage{Input: 2, Cached: 1, Output: 1}), 1e-12)
}

func TestPricesByName(t *testing.T) {
	t.Parallel()
	prices := llm.Prices{"gpt-5": {Input: 1}, "gpt-5-mini": {Input: 2}, "claude": {Input: 3}, "org/model": {Input: 4}, "": {Input: 9}, "m-4": {Input: 5}, "m-4-5": {Input: 6}}
	for model, want := range map[string]float64{
		"gpt-5": 1, "openai/gpt-5": 1, "gpt-5-2025-08-07": 1, "gpt-5-mini-2025-08-07": 2, "openrouter/openai/gpt-5-mini": 2,
		"claude-latest": 3, "claude-20250101": 3, "org/model": 4, "router/org/model": 4, "m-4-20250101": 5, "m-4-5-20250101": 6, "v/m-4-5-20250929": 6, "m-4-5-1": 6, "m-4-5-2": 6, "m-4-5-3": 6, "m-4-5-4": 6,
		"gpt-5-nano": 0, "gpt-50": 0, "gpt-5-": 0, "gpt": 0, "x": 0, "a/": 9,
	} {
		price, known := prices.Of(model)
		require.Equal(t, want != 0, known, model)
		require.InDelta(t, want, price.Input, 0, model)
	}
	for model := range llm.DefaultPrices() {
		price, known := llm.DefaultPrices().Of("vendor/" + model + "-2026-01-01")
		require.True(t, known)
		require.Equal(t, llm.DefaultPrices()[model], price)
		require.LessOrEqual(t, price.Cached, price.Input, model)
		require.Less(t, price.Input, price.Output, model)
	}
}

func TestPriceFiles(t *testing.T) {
	t.Parallel()
	prices, err := llm.ParsePrices([]byte(`{"mine":{"input":1,"output":2},"gpt-5":{"input":7,"cached":1,"output":8}}`))
	require.NoError(t, err)
	all := llm.DefaultPrices().With(prices)
	require.Equal(t, llm.Price{Input: 7, Cached: 1, Output: 8}, all["gpt-5"])
	require.Equal(t, llm.Price{Input: 1, Output: 2}, all["mine"])
	require.Contains(t, all, "gpt-4o")
	require.NotEqual(t, 7.0, llm.DefaultPrices()["gpt-5"].Input, "the defaults stay as they are")
	for text, says := range map[string]string{
		``: "EOF", `[]`: "cannot unmarshal", `{}`: "empty", `null`: "empty", `{"m":{"input":-1}}`: "model m", `{"m":{"input":1,"price":2}}`: "price", `{"m":{"input":1}} {}`: "follows",
		`{"m":{"input":"1"}}`: "cannot unmarshal",
	} {
		_, err := llm.ParsePrices([]byte(text))
		require.ErrorContains(t, err, says, text)
		require.ErrorContains(t, err, "llm: prices: ", text)
	}
}
