package healer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// The bounds of a model in one healing.
const (
	modelTurns       = 8
	modelTokens      = 80_000
	modelTemperature = 0.1
)

// ask lets a model choose spells until it calls nothing more, or the check passes. It has the allowed spells and no other
// tool. Where no model answers, the rules choose.
func (h *Healer) ask(ctx context.Context, state session.State) error {
	healing, _ := state.Open()
	ended, err := h.advice(ctx, state, healing)
	advised := session.HealerAdvised{
		Healing: healing.Healing, Says: strings.TrimSpace(ended.Message + " " + ended.Detail), Unavailable: ended.Why == agent.Broken || ended.Why == agent.Repeating,
	}
	failed, silent := errors.AsType[*llm.Error](err)
	stopped, off := errors.AsType[*agents.Stopped](err)
	switch {
	case h.config.Model == nil:
		advised.Unavailable, advised.Says = true, "this server has no model"
	case off:
		advised.Unavailable, advised.Says = true, stopped.Reason
	case silent:
		advised.Unavailable, advised.Says = true, failed.Error()
	case err != nil:
		return err
	}
	if now, err := h.config.Commands.LoadSession(ctx, state.ID); err != nil {
		return err
	} else if next, due := now.Next(); due && next.Step != session.StepAsk {
		return nil // the check passes: there is nothing more to choose
	}
	_, err = h.config.Commands.OnSession(ctx, state.ID, session.Advise{HealerAdvised: advised}, meta(state.ID, healing.Healing, "advised"))
	return err
}

// advice is how the conversation of this healing ended, with the last word of the model that went on with it.
func (h *Healer) advice(ctx context.Context, state session.State, healing session.Healing) (ended agent.Ended, err error) {
	if h.config.Model == nil {
		return ended, nil
	}
	id := commands.DerivedID("healer", state.ID, fmt.Sprint(healing.Healing), "thread")
	by := commands.Meta{Actor: "healer:" + state.ID, CorrelationID: session.Subject(state.ID), CommandID: commands.DerivedID(id, "open")}
	_, err = h.config.Commands.OpenThread(ctx, thread.Open{
		Thread: id, Kind: thread.KindHealer, Task: session.Stream(state.ID), Title: string(healing.Failure.Trigger),
	}, by)
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return ended, err
	}
	journal, err := agents.Claim(ctx, h.config.Commands, id, h.config.Place, by)
	if err != nil {
		return ended, err
	}
	ctx, stop := journal.Keep(ctx)
	defer stop()
	text, err := h.caseText(ctx, state, healing)
	if err != nil {
		return ended, err
	}
	if err := journal.BeginOnce(ctx, "begin", healerPrompt, text); err != nil {
		return ended, err
	}
	talk, _, err := journal.Conversation(ctx)
	if err != nil {
		return ended, err
	}
	model := h.config.Model
	if h.config.Allowed != nil {
		model = agents.AllowedModel{Model: model, Allowed: h.config.Allowed}
	}
	ended, err = journal.Run(ctx, agent.Config{
		Model: model, Tools: h.tools(state), Temperature: modelTemperature,
		Budget: agent.Budget{Turns: modelTurns, Tokens: modelTokens},
	}, talk)
	if err != nil {
		return ended, err
	}
	if err := journal.Close(ctx, string(ended.Why)); err != nil {
		return ended, err
	}
	return ended, nil
}

// tools are the allowed spells.
func (h *Healer) tools(state session.State) []agent.Tool {
	var tools []agent.Tool
	for _, name := range session.Spells {
		if !state.Policy.Allows(name) {
			continue
		}
		tools = append(tools, agents.Tool(string(name), h.spells[name].about,
			`{"type":"object","properties":{"note":{"type":"string","maxLength":2000,"description":"why, and anything that a reader has to know"}},"required":["note"],"additionalProperties":false}`,
			func(ctx context.Context, call string, args struct {
				Note string `json:"note"`
			},
			) (agent.Result, error) {
				return h.castFor(ctx, state.ID, name, call, args.Note)
			}))
	}
	return tools
}

// castFor applies a spell that a model called, and has the server run the check. A call of an earlier life is not carried out again.
func (h *Healer) castFor(ctx context.Context, id string, name session.Spell, call, note string) (agent.Result, error) {
	state, err := h.config.Commands.LoadSession(ctx, id)
	if err != nil {
		return agent.Result{}, &agent.Fatal{Err: err}
	}
	healing, _ := state.Open()
	if castOf(healing, call) == nil {
		err := h.start(ctx, state, session.StartSpell{Healing: healing.Healing, Spell: name, By: session.Model, Note: note, Call: call})
		if fault.KindOf(err) == fault.Forbidden || fault.KindOf(err) == fault.Conflict {
			return agent.Result{}, err
		}
		if err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
	}
	for {
		if state, err = h.config.Commands.LoadSession(ctx, id); err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
		if next, due := state.Next(); !due || next.Step != session.StepCheck {
			break
		}
		if err := h.check(ctx, state); err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
	}
	healing, _ = state.Open()
	done := castOf(healing, call)
	if done == nil || done.Ended == nil {
		return agent.Result{}, &agent.Fatal{Err: fmt.Errorf("healer: session %s: the spell of call %s is not there", id, call)}
	}
	text := "Applied: " + done.Ended.Detail
	if !done.Ended.Applied {
		text = "Not applied: " + done.Ended.Detail
	}
	next, _ := state.Next()
	switch saw := healing.Checked; {
	case next.Step == session.StepConclude:
		text += "\nThe server ran the check: it passes."
	case saw != nil && saw.Passed:
		text += "\nThe server ran the check: it passes, but the work was set aside, so nothing is resolved."
	case saw != nil:
		text += "\nThe server ran the check: it fails. " + saw.Says + "\n" + llm.Fence("output", saw.Tail)
	}
	result := agents.Text(text)
	result.End = next.Step == session.StepConclude
	return result, nil
}

func castOf(healing session.Healing, call string) *session.Cast {
	for i, cast := range healing.Casts {
		if cast.By == session.Model && cast.Call == call {
			return &healing.Casts[i]
		}
	}
	return nil
}

const healerPrompt = `You are the Healer of a coding agent's session in a git repository. Something failed. Your only tools are
spells; each keeps whatever it takes away. After each spell that touches files the server runs the failed check by
itself and tells you what came of it: what you say about success changes nothing.

Choose the mildest spell that can help. Read the failure first: is it the environment, a type error, a test, or
work that was begun and not finished? If it failed the same way before, do something else this time. If nothing
helps, mark the task blocked with a follow-up that a person can act on, update the progress file with guidance, and stop.
Say in one sentence what you did when you stop.

` + llm.FenceRule
