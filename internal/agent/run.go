package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Run lets an agent work until it ends. An error says that it did not: an [*llm.Error] of the provider, a [*Fatal],
// the journal's or the context's. The conversation so far is in the journal, and Run goes on from there.
func Run(ctx context.Context, config Config, start Conversation) (Ended, error) {
	config.setDefaults()
	l := &loop{config: config, transcript: newTranscript(start.Messages), spent: start.Spent}
	if err := l.prepare(); err != nil {
		return Ended{}, err
	}
	why, detail, err := l.run(ctx, start.Ended)
	return Ended{Why: why, Detail: detail, Message: l.transcript.lastText(), Spent: l.spent}, err
}

type loop struct {
	config     Config
	tools      map[string]Tool
	schemas    map[string]*schema
	offered    []llm.Tool
	transcript *transcript
	spent      Spent
	empty      int    // answers without text or calls, in this life
	panics     int    // of tools, in this life
	broken     string // what the last one was
	failed     string // why the last call failed, for people; empty if it did not
}

// prepare reads the schemas; one that cannot be checked is a mistake in the program.
func (l *loop) prepare() error {
	if l.config.Model == nil || l.config.Journal == nil {
		return &Fatal{errors.New("agent: Run without a model or a journal: set both in its Config")}
	}
	l.tools, l.schemas = map[string]Tool{}, map[string]*schema{}
	for _, tool := range l.config.Tools {
		compiled, err := compileSchema(tool.Schema)
		if err != nil {
			return &Fatal{fmt.Errorf("agent: schema of tool %s: %w", tool.Name, err)}
		}
		l.tools[tool.Name], l.schemas[tool.Name] = tool, compiled
		l.offered = append(l.offered, tool.Tool)
	}
	return nil
}

func (l *loop) run(ctx context.Context, ended bool) (End, string, error) {
	for {
		stop, repeating, err := l.carryOut(ctx)
		ended = ended || stop
		switch {
		case err != nil:
			return "", "", err
		case ended:
			return Done, "", nil
		case l.panics >= mostPanics:
			return Broken, l.broken, nil
		case repeating:
			return Repeating, fmt.Sprintf("the same calls came %d times", sameBatches) + l.failed, nil
		case l.transcript.over():
			return Silent, "", nil // in an earlier life
		}
		if out := l.outOf(); out != "" {
			return OutOf, out + l.failed, nil
		}
		answer, err := l.ask(ctx)
		if err != nil {
			return "", "", err
		}
		if len(answer.Calls) > 0 {
			continue
		}
		reminder := l.reminder(answer)
		if reminder == "" {
			return Silent, "", nil
		}
		said := llm.Message{Role: llm.User, Text: reminder}
		if err := l.config.Journal.Said(ctx, said); err != nil {
			return "", "", err
		}
		l.transcript.add(said)
	}
}

// outOf says which part of the budget is used up, nothing if there is some of each left.
func (l *loop) outOf() string {
	b := l.config.Budget
	switch {
	case l.spent.Turns >= b.Turns:
		return fmt.Sprintf("%d turns", b.Turns)
	case l.tokensLeft() <= 0:
		return fmt.Sprintf("%d tokens", b.Tokens)
	case b.CostUSD > 0 && l.spent.CostUSD >= b.CostUSD:
		return fmt.Sprintf("%.2f USD", b.CostUSD)
	}
	return ""
}

// tokensLeft is what remains for an answer, once the request itself is paid.
func (l *loop) tokensLeft() int64 {
	return l.config.Budget.Tokens - l.spent.Tokens - l.transcript.tokens()
}

// ask gets the model's next turn and keeps it.
func (l *loop) ask(ctx context.Context) (llm.Answer, error) {
	answer, err := l.config.Model.Chat(ctx, llm.Request{
		Messages: l.transcript.sendable(), Tools: l.offered, Temperature: l.config.Temperature,
		MaxTokens: min(l.config.MaxTokens, l.tokensLeft()),
	})
	if err != nil && ctx.Err() != nil {
		return answer, fmt.Errorf("agent: %w", context.Cause(ctx))
	}
	if err != nil {
		return answer, err
	}
	answer.Text = clean(withoutThoughts(answer.Text))
	if len(answer.Calls) == 0 && l.config.Implied != nil {
		if call, implied := l.config.Implied(answer.Text); implied {
			answer.Calls = []llm.Call{call}
		}
	}
	answer.Calls = bounded(l.transcript.named(answer.Calls))
	boundExtras(&answer)
	if err := l.config.Journal.Answered(ctx, answer); err != nil {
		return answer, err
	}
	l.spent.Turns++
	l.spent.Tokens += answer.Usage.Input + answer.Usage.Output
	l.spent.CostUSD += answer.Usage.CostUSD
	l.transcript.add(llm.Message{Role: llm.Assistant, Text: answer.Text, Calls: answer.Calls, Extra: answer.Extra})
	return answer, nil
}

// maxEmpty is how many answers without anything in them are let pass.
const maxEmpty = 2

// reminder is what the loop says to an answer that ended by accident.
func (l *loop) reminder(answer llm.Answer) string {
	empty := strings.TrimSpace(answer.Text) == ""
	if !empty && !answer.Cut {
		return ""
	}
	if l.empty++; l.empty > maxEmpty {
		return ""
	}
	if answer.Cut {
		return "Your answer was cut at the limit of its length. Answer again, with a tool call, and more briefly."
	}
	return "Your answer was empty. Call a tool, or say in a sentence why you cannot go on."
}

// carryOut answers every call that has no answer yet.
func (l *loop) carryOut(ctx context.Context) (ended, repeating bool, err error) {
	pending := l.transcript.pending()
	if repeating = l.transcript.answering() && l.transcript.repeats(); len(pending) == 0 {
		return false, repeating, nil
	}
	for i, call := range pending {
		var result Result
		var problem string
		switch {
		case repeating:
			problem = fmt.Sprintf("not carried out: the same calls came %d times, and nothing else will come of them", sameBatches)
		case i >= maxBatch:
			problem = fmt.Sprintf("not carried out: an answer may hold at most %d calls", maxBatch)
		default:
			if result, problem, err = l.call(ctx, call); err != nil {
				return false, false, err
			}
		}
		result.Value, problem = cutResult(result.Value), cut(problem, maxProblem)
		if err := l.config.Journal.Returned(ctx, call, result, problem); err != nil {
			return false, false, err
		}
		l.transcript.add(llm.Message{Role: llm.ToolRole, Call: call.ID, Text: Text(result.Value, problem)})
		ended = ended || result.End
	}
	return ended, repeating, nil
}

// call carries out one call. A problem is for the model, an error is not.
func (l *loop) call(ctx context.Context, call llm.Call) (result Result, problem string, err error) {
	tool, known := l.tools[call.Tool]
	if !known {
		return Result{}, fmt.Sprintf("there is no tool %q: the tools are %s", cut(call.Tool, 100), l.toolNames()), nil
	}
	args, fault := l.schemas[call.Tool].arguments(call.Arguments)
	if fault != "" {
		return Result{}, fmt.Sprintf("%s: not carried out, because %s.\nThe arguments were: %s\nTheir schema is: %s",
			call.Tool, fault, cutRunes(call.Arguments, maxEcho), tool.Schema), nil
	}
	defer func() {
		if p := recover(); p != nil {
			l.panics++
			l.broken = fmt.Sprintf("the tool %s failed with panic: %v (%s)", call.Tool, p, panickedAt())
			result, problem, err = Result{}, l.broken+": this is a fault of the program and not of the call. Go on without it.", nil
		}
	}()
	result, err = tool.Run(ctx, call.ID, args)
	if err == nil {
		l.failed = ""
		return result, "", nil
	}
	l.failed = fmt.Sprintf("; the last call failed, %s: %s", call.Tool, cut(err.Error(), maxToldOfCall))
	if _, fatal := errors.AsType[*Fatal](err); fatal {
		return Result{}, "", err
	}
	if ctx.Err() != nil {
		return Result{}, "", fmt.Errorf("agent: tool %s: %w", call.Tool, context.Cause(ctx))
	}
	return Result{End: result.End}, err.Error(), nil
}

func (l *loop) toolNames() string {
	names := make([]string, len(l.offered))
	for i, tool := range l.offered {
		names[i] = tool.Name
	}
	return strings.Join(names, ", ")
}

// panickedAt is where the panic arose that is being recovered from.
func panickedAt() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	panicking := false
	for {
		frame, more := frames.Next()
		switch inRuntime := strings.HasPrefix(frame.Function, "runtime."); {
		case inRuntime:
			panicking = true
		case panicking:
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "?"
		}
	}
}
