package llm

import "github.com/openai/openai-go/v3"

// bytesPerToken is what one token of English text or code has, about.
const bytesPerToken = 4

// count is what an answer used: as the provider says, or counted here where it says nothing that
// can be true.
func (c *Client) count(request Request, answer Answer, told openai.CompletionUsage) Usage {
	usage := Usage{Input: told.PromptTokens, Output: told.CompletionTokens, Cached: told.PromptTokensDetails.CachedTokens}
	if usage.Input > 0 { // with some providers, what a model thought before it spoke is in the total only
		usage.Output = max(usage.Output, told.TotalTokens-usage.Input)
	} else {
		usage.Input, usage.Cached, usage.Estimated = tokens(inputBytes(request)), 0, true
	}
	if written := outputBytes(answer); usage.Output < 0 || (usage.Output == 0 && written > 0) {
		usage.Output, usage.Estimated = tokens(written), true
	}
	usage.Cached = min(max(usage.Cached, 0), usage.Input)
	if price, known := c.Price(answer.Model); known {
		usage.CostUSD = price.Cost(usage)
	}
	return usage
}

// lost is what a request took that nobody heard the end of, at most.
func (c *Client) lost(request Request, limit int64) Usage {
	usage := Usage{Input: tokens(inputBytes(request)), Output: limit, Estimated: true}
	if price, known := c.Price(""); known {
		usage.CostUSD = price.Cost(usage)
	}
	return usage
}

// plus is both together.
func (u Usage) plus(other Usage) Usage {
	return Usage{
		Input: u.Input + other.Input, Cached: u.Cached + other.Cached, Output: u.Output + other.Output,
		Estimated: u.Estimated || other.Estimated, CostUSD: u.CostUSD + other.CostUSD,
	}
}

func tokens(bytes int) int64 { return int64((bytes + bytesPerToken - 1) / bytesPerToken) }

func inputBytes(request Request) int {
	var n int
	for _, message := range request.Messages {
		n += len(message.Role) + len(message.Text) + len(message.Extra)
		for _, call := range message.Calls {
			n += len(call.Tool) + len(call.Arguments) + len(call.Extra)
		}
	}
	for _, tool := range request.Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	return n
}

func outputBytes(answer Answer) int {
	n := len(answer.Text) + len(answer.Extra)
	for _, call := range answer.Calls {
		n += len(call.Tool) + len(call.Arguments) + len(call.Extra)
	}
	return n
}
