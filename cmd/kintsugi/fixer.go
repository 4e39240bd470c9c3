package main

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// fixerVariable names the program that proposes fixes, if no flag does.
const fixerVariable = "KINTSUGI_FIXER_COMMAND"

// fixerOptions say which program proposes fixes. It is the operator's to say, never a workflow's:
// settings only say whether and when it is asked.
type fixerOptions struct{ command string }

func (o *fixerOptions) declare(flags *pflag.FlagSet) {
	flags.StringVar(&o.command, "fixer-command", "", "a program that proposes fixes, with its arguments; no shell reads it (env "+fixerVariable+")")
}

// fromEnvironment takes what no flag said.
func (o *fixerOptions) fromEnvironment() {
	if o.command == "" {
		o.command = os.Getenv(fixerVariable)
	}
}

// argv is the program and its arguments; nil for none.
func (o *fixerOptions) argv() []string { return strings.Fields(o.command) }

// newFixers is every fixer that settings can name: the model and the program as far as there are any.
func (n *node) newFixers(pool sandbox.Runner) map[string]repair.Fixer {
	fixers := map[string]repair.Fixer{
		workflow.FixerTemplates: repair.Templates{Runner: pool},
		workflow.FixerPerson:    maintenance.PersonFixer{},
	}
	if n.model != nil {
		fixers[workflow.FixerModel] = maintenance.NewModelFixer(maintenance.ModelFixerConfig{Model: n.model, Logger: n.logger})
	}
	if len(n.program) > 0 {
		fixers[workflow.FixerCommand] = maintenance.NewCommandFixer(maintenance.CommandFixerConfig{Argv: n.program, Sandbox: pool, Logger: n.logger})
	}
	return fixers
}
