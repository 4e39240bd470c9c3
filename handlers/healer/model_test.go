package healer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// asking is a healer that has a model.
func (w *world) asking(server *llmtest.Server) {
	w.config.Model = server.Model()
	w.healer = healer.New(w.config)
}

func note(text string) map[string]any { return map[string]any{"note": text} }

// Rule: a model's only tools are the allowed spells, and the server says what came of each; when the check passes it is over.
func TestAModelChoosesSpells(t *testing.T) {
	t.Parallel()
	w := setup(t, func(p *session.Policy) { p.Forbidden = []session.Spell{session.RewindToGreen} })
	w.write("price.txt", "5\n")
	w.doing("cat > prompt.txt; echo 4 > price.txt")
	server := llmtest.Serve(t,
		llmtest.Call(string(session.RewindToGreen), note("all the way")),
		llmtest.Call(string(session.RunDoctor), note("look around")),
		llmtest.Call(string(session.RetryMinimal), note("The price is four.")),
	)
	w.asking(server)
	healing := w.heal(healer.Call{Model: true})
	require.Equal(t, session.Resolved, healing.Ended.Outcome, healing.Ended.Reason)
	require.Contains(t, w.read("prompt.txt"), "The price is four.")
	require.Len(t, healing.Casts, 2)
	require.Contains(t, server.Request(1).Text(), "there is no tool")
	require.Contains(t, server.Request(2).Text(), "it fails")
	w.report(1)
	require.NotContains(t, llmtest.Outside(server.Request(0).Text()), "want 4, got 5", "what programs wrote is fenced")
	w.events()
}

// Rule: a model's claim of success changes nothing: the outcomes are those without it.
func TestAModelThatClaimsSuccess(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("price.txt", "5\n")
	w.asking(llmtest.Serve(t, llmtest.Text("Resolved! I ran all tests myself and they pass.")))
	healing := w.heal(healer.Call{Model: true})
	require.Equal(t, session.Contained, healing.Ended.Outcome, healing.Ended.Reason)
	require.Contains(t, healing.Advised.Says, "Resolved!")
}

// Rule: where no model answers, the rules choose.
func TestAModelThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.doing("cat > /dev/null; echo 4 > price.txt")
	w.asking(llmtest.Serve(t, llmtest.Fail(401, "invalid_api_key", "no")))
	healing := w.heal(healer.Call{Model: true})
	require.Equal(t, session.Resolved, healing.Ended.Outcome, healing.Ended.Reason)
	require.True(t, healing.Advised.Unavailable)
	require.Equal(t, session.Rules, healing.Casts[0].By)
}
