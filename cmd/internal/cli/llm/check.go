// Package llm has the command that checks whether a language model can do what agents ask of it.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Checked is what 'llm check' found.
type Checked struct {
	Model   string `json:"model"`
	BaseURL string `json:"base_url"`
	// AnsweredAs is how the provider names the model.
	AnsweredAs string `json:"answered_as,omitempty"`
	OK         bool   `json:"ok"` // it answers, and calls tools
	// Steps are what was tried, up to the first that failed.
	Steps []llmStep `json:"steps"`
	// UsageReported says that the provider counts tokens. Else they are counted here, from bytes.
	UsageReported bool `json:"usage_reported"`
	// LeftOut are parameters that the provider refuses by their name: agents go without them.
	LeftOut []string `json:"left_out,omitempty"`
	// Context is with how many tokens an Ollama has loaded the model; absent for others.
	Context int64       `json:"context,omitempty"`
	Price   *llm.Price  `json:"price,omitempty"`    // US dollars for a million tokens, absent if unknown
	Tokens  int64       `json:"tokens"`             // that the check used
	CostUSD *float64    `json:"cost_usd,omitempty"` // of the check, absent if the price is unknown
	Problem *llmProblem `json:"problem,omitempty"`
	fits    bool        // agents have enough with the context
}

// llmStep is one request.
type llmStep struct {
	Name         string `json:"name"` // answer, tool_call, tool_answer
	OK           bool   `json:"ok"`
	Milliseconds int64  `json:"milliseconds"`
	Detail       string `json:"detail,omitempty"` // what was wrong with it
}

// llmProblem is why a provider gave no answer.
type llmProblem struct {
	Kind   llm.Kind `json:"kind"`
	Status int      `json:"status,omitempty"`
	Code   string   `json:"code,omitempty"`
	Param  string   `json:"param,omitempty"` // of the request, that is refused
	Detail string   `json:"detail,omitempty"`
	Advice string   `json:"advice"`
}

// NewCommand is 'kintsugi llm'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("llm", "The language model that agents ask", newCheckCommand(cli))
}

func newCheckCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Ask the language model, and say what was found", Args: terminal.Takes(0, 0),
		Long: `Asks the configured language model three times: for a plain answer, for a tool call, and for what
it makes of the tool's answer. Says how long it took, whether the provider counts tokens and
whether the model's price is known. It needs no data directory; the requests hold nothing of yours.

Exit codes: 0 agents can work with it, 1 they cannot, 2 it is not configured as it must be.`,
		Example: `  kintsugi llm check --model gpt-5-mini --llm-key-file key
  kintsugi llm check --model qwen3 --llm-base-url http://127.0.0.1:11434/v1`,
		RunE: func(c *cobra.Command, _ []string) error {
			if cli.LLM.Model == "" {
				return fault.New(fault.Invalid, "no language model is configured: name one with --model or in %s", app.ModelVariable)
			}
			client, err := cli.LLM.Client()
			if err != nil {
				return err
			}
			found, err := checkLLM(c.Context(), client)
			if err != nil {
				return err
			}
			if err := cli.Show(found, func(w io.Writer) { writeLLMChecked(w, found) }); err != nil {
				return err
			}
			if !found.OK {
				return &terminal.ExitError{Code: terminal.ExitFailure}
			}
			return nil
		},
	}
}

// checkTool is what the model is to call.
var checkTool = llm.Tool{
	Name: "report", Description: "Reports a word.",
	Schema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`),
}

// checkLLM asks until something is wrong. The error is the context's.
func checkLLM(ctx context.Context, client *llm.Client) (found Checked, err error) {
	found = Checked{Model: client.Name(), BaseURL: client.BaseURL(), UsageReported: true, Steps: []llmStep{}}
	said := func(text string) llm.Message { return llm.Message{Role: llm.User, Text: text} }
	first := []llm.Message{said("Answer with the one word: ready")}
	asked := []llm.Message{said("Call the tool report with the word ready.")}
	var call llm.Call
	var used llm.Usage
	steps := []struct {
		name     string
		messages func() []llm.Message
		wrong    func(llm.Answer) string
	}{
		{"answer", func() []llm.Message { return first }, func(answer llm.Answer) string {
			if answer.Text == "" {
				return "the answer is empty"
			}
			return ""
		}},
		{"tool_call", func() []llm.Message { return asked }, func(answer llm.Answer) string {
			if len(answer.Calls) == 0 {
				return "it did not call the tool, but said: " + plain.Short(answer.Text, 80)
			}
			call = answer.Calls[0]
			asked = append(asked, llm.Message{Role: llm.Assistant, Text: answer.Text, Calls: answer.Calls[:1]})
			var args struct{ Word string }
			if call.Tool != checkTool.Name || json.Unmarshal([]byte(call.Arguments), &args) != nil || args.Word == "" {
				return fmt.Sprintf("it called %s with %s", plain.Short(call.Tool, 40), plain.Short(call.Arguments, 80))
			}
			return ""
		}},
		{"tool_answer", func() []llm.Message {
			return append(asked, llm.Message{Role: llm.ToolRole, Call: call.ID, Text: `{"reported":true}`})
		}, func(llm.Answer) string { return "" }},
	}
	defer func() {
		found.LeftOut = client.LeftOut()
		found.Context, found.fits = client.Context()
	}()
	for _, step := range steps {
		request := llm.Request{Messages: step.messages(), Temperature: 0.1}
		if step.name != "answer" {
			request.Tools = []llm.Tool{checkTool}
		}
		begun := time.Now()
		answer, err := client.Chat(ctx, request)
		taken := llmStep{Name: step.name, Milliseconds: time.Since(begun).Milliseconds()}
		if failed, is := errors.AsType[*llm.Error](err); is {
			taken.Detail = failed.Error()
			found.Problem = &llmProblem{Kind: failed.Kind, Status: failed.Status, Code: failed.Code, Param: failed.Param, Detail: failed.Detail, Advice: Advice[failed.Kind]}
			if failed.Param != "" {
				found.Problem.Advice = fmt.Sprintf("The server refuses the parameter %s of the request. %s", failed.Param, found.Problem.Advice)
			}
			found.UsageReported = found.UsageReported && len(found.Steps) > 0
			found.Steps = append(found.Steps, taken)
			return found, nil
		} else if err != nil {
			return found, err
		}
		found.count(client, answer, &used)
		taken.Detail = step.wrong(answer)
		taken.OK = taken.Detail == ""
		found.Steps = append(found.Steps, taken)
		if !taken.OK {
			return found, nil
		}
	}
	found.OK = true
	return found, nil
}

// count adds an answer's usage to what the check used before, and says what all of it cost if that
// is known.
func (c *Checked) count(client *llm.Client, answer llm.Answer, used *llm.Usage) {
	used.Input, used.Cached, used.Output = used.Input+answer.Usage.Input, used.Cached+answer.Usage.Cached, used.Output+answer.Usage.Output
	c.AnsweredAs, c.Tokens = answer.Model, used.Input+used.Output
	c.UsageReported = c.UsageReported && !answer.Usage.Estimated
	c.Price, c.CostUSD = nil, nil
	if price, known := client.Price(answer.Model); known {
		cost := price.Cost(*used)
		c.Price, c.CostUSD = &price, &cost
	}
}

// Advice is what people can do.
var Advice = map[llm.Kind]string{
	llm.Unavailable: "Is the address right, and is the server up? Try again later.",
	llm.Quota:       "The provider wants money or a larger quota: see to it there.",
	llm.Refused:     "Check the key, the name of the model and the base URL, which ends in /v1 at most providers.",
	llm.Invalid:     "The server does not take such requests: it, or the model, may be too old for Chat Completions with tools.",
	llm.Malformed:   "What answers there is not an API of Chat Completions: check the base URL.",
}

func writeLLMChecked(w io.Writer, found Checked) {
	fmt.Fprintf(w, "%s at %s\n", plain.Line(found.Model), plain.Line(found.BaseURL))
	if found.AnsweredAs != "" && found.AnsweredAs != found.Model {
		fmt.Fprintf(w, "  it calls itself  %s\n", plain.Short(plain.Clean(found.AnsweredAs), 80))
	}
	for _, step := range found.Steps {
		name := map[string]string{"answer": "answers", "tool_call": "calls a tool", "tool_answer": "takes its answer"}[step.Name]
		said := "no: " + plain.Line(step.Detail)
		if step.OK {
			said = fmt.Sprintf("yes, %.1f s", float64(step.Milliseconds)/1000)
		}
		fmt.Fprintf(w, "  %-17s%s\n", name, said)
	}
	if len(found.LeftOut) > 0 {
		fmt.Fprintf(w, "  %-17s%s (the server refuses it; agents go without)\n", "left out", plain.Line(strings.Join(found.LeftOut, ", ")))
	}
	if found.Context > 0 {
		fmt.Fprintf(w, "  %-17s%d tokens\n", "context", found.Context)
	}
	if found.Tokens > 0 {
		counts := "yes"
		if !found.UsageReported {
			counts = "no: they are counted here, from bytes"
		}
		fmt.Fprintf(w, "  %-17s%s\n", "counts tokens", counts)
		price, cost := "unknown: caps in money do not count it. Name it with --llm-prices", "at a price that is unknown"
		if found.Price != nil {
			price = fmt.Sprintf("$%g in, $%g out, for a million tokens", found.Price.Input, found.Price.Output)
			cost = fmt.Sprintf("$%.4f", *found.CostUSD)
		}
		fmt.Fprintf(w, "  %-17s%s\n", "price", price)
		fmt.Fprintf(w, "This check used %d tokens, %s.\n", found.Tokens, cost)
	}
	switch {
	case found.OK && !found.fits:
		fmt.Fprintln(w, "Agents can work with it, on short conversations: longer ones are not sent, because Ollama would cut them without a word. Set OLLAMA_CONTEXT_LENGTH=65536 where 'ollama serve' runs.")
	case found.OK:
		fmt.Fprintln(w, "Agents can work with it.")
	case found.Problem != nil:
		fmt.Fprintln(w, found.Problem.Advice)
	default:
		fmt.Fprintln(w, "Agents need a model that calls tools: choose another one.")
	}
}
