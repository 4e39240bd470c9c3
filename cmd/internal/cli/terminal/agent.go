package terminal

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// WarnOfUnpriced says that a cap does not hold the model.
func (cli *CLI) WarnOfUnpriced(ctx context.Context, n *app.Node, logger *slog.Logger) error {
	unpriced, err := cli.LLM.Unpriced()
	if err != nil || unpriced == "" {
		return err
	}
	state, err := n.Commands.LoadInstallation(ctx)
	if err == nil && state.Capped() {
		logger.Warn(unpriced)
	}
	return err
}

// fixerOptions say which program proposes fixes. It is the operator's to say, never a workflow's:
// settings only say whether and when it is asked.
type fixerOptions struct{ command string }

func (o *fixerOptions) declare(flags *pflag.FlagSet) {
	flags.StringVar(&o.command, "fixer-command", "", "a program that proposes fixes, with its arguments; no shell reads it (env KINTSUGI_FIXER_COMMAND)")
}

// Argv is the program and its arguments; nil for none.
func (o *fixerOptions) Argv() []string { return strings.Fields(o.command) }

func declare(o *app.ModelOptions, flags *pflag.FlagSet) {
	flags.StringVar(&o.Model, "model", "", "the language model that agents ask; none without (env "+app.ModelVariable+")")
	flags.StringVar(&o.BaseURL, "llm-base-url", "", "where it is: any address that speaks OpenAI's Chat Completions; default "+llm.DefaultBaseURL+" (env "+app.LLMURLVariable+")")
	flags.StringVar(&o.KeyFile, "llm-key-file", "", "the file with its key (env "+app.LLMKeyVariable+", or "+app.LLMKeyFile+")")
	flags.DurationVar(&o.Timeout, "llm-timeout", llm.DefaultTimeout, "how long nothing may come of a language model's answer")
	flags.StringVar(&o.Prices, "llm-prices", "", "a JSON file with prices of models, over those that are known (env KINTSUGI_LLM_PRICES)")
}

// UseModel has agents ask the model that was configured, if one was.
func (cli *CLI) UseModel(n *app.Node) error {
	if cli.caller != nil {
		return nil // it has that of the server
	}
	model, err := cli.LLM.Open()
	if err == nil && model != nil {
		n.UseModel(model)
	}
	return err
}
