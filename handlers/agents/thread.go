package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Place is where an agent works.
type Place struct {
	// Node is this process among others. Empty says that there are none.
	Node string
	// Alone says that no other process works on threads of this log: what an earlier life of this
	// one left is gone on with at once, whatever its lease.
	Alone bool
	// Lease is how long a thread may be without a sign of life before another node goes on with
	// it. Default [loop.DefaultLease].
	Lease time.Duration
	Now   func() time.Time
	// Around is put around each tool of the agents here. Nil leaves them as they are.
	Around func(agent.Tool) agent.Tool
}

// Thread is a thread that this node has claimed. It is the journal of the agent that works
// there: whatever the agent says or does is on the thread's stream before it goes on. Once another
// node claims the thread every method returns a [*loop.Wait], which the loop takes as it is.
type Thread struct {
	commands *commands.Commands
	place    Place
	id       string
	claim    int
	meta     commands.Meta
	closed   atomic.Bool  // the sign of life asks, too
	said     atomic.Int64 // makes command ids
}

var _ agent.Journal = (*Thread)(nil)

// Claim takes an open thread for this node, or returns a [*loop.Wait] while another one has it.
// A thread that is closed cannot be claimed: it can be read, and what is added is let go.
func Claim(ctx context.Context, c *commands.Commands, id string, place Place, meta commands.Meta) (*Thread, error) {
	if place.Lease == 0 {
		place.Lease = loop.DefaultLease
	}
	if place.Node == "" {
		place.Node, place.Alone = "alone", true
	}
	t := &Thread{commands: c, place: place, id: id, meta: meta}
	state, err := c.LoadThread(ctx, id)
	if err != nil {
		return nil, err
	}
	if state.Closed {
		t.closed.Store(true)
		return t, nil
	}
	now := place.Now()
	if !place.Alone && state.HeldBy(place.Node, now) {
		return nil, &loop.Wait{Until: state.LeaseUntil}
	}
	meta.CommandID = "" // claims are never repeated: each is one life's
	claimed, err := c.ClaimThread(ctx, id, thread.Claim{Node: place.Node, LeaseUntil: now.Add(place.Lease), Alone: place.Alone}, meta)
	if fault.KindOf(err) == fault.Conflict { // somebody was faster
		return nil, &loop.Wait{Until: now.Add(place.Lease)}
	}
	if err != nil {
		return nil, err
	}
	for _, recorded := range claimed.Events {
		if is, ok := recorded.Event.(thread.ThreadClaimed); ok {
			t.claim = is.Claim
		}
	}
	return t, nil
}

// Run lets an agent work on the thread until it ends.
func (t *Thread) Run(ctx context.Context, of agent.Config, start agent.Conversation) (agent.Ended, error) {
	of.Journal = t
	if t.place.Around != nil {
		for i, tool := range of.Tools {
			of.Tools[i] = t.place.Around(tool)
		}
	}
	return agent.Run(ctx, of, start)
}

// Closed says that the thread was closed in an earlier life: all is said.
func (t *Thread) Closed() bool { return t.closed.Load() }

// State is the thread as it is now.
func (t *Thread) State(ctx context.Context) (thread.State, error) {
	return t.commands.LoadThread(ctx, t.id)
}

// Keep extends the lease until stop is called, which gives the thread away if it is still open. The
// context ends when the thread was lost.
func (t *Thread) Keep(ctx context.Context) (kept context.Context, stop func()) {
	if t.place.Alone || t.closed.Load() {
		return context.WithCancel(ctx)
	}
	kept, ended := loop.Keep(ctx, t.place.Lease, func(ctx context.Context) error { return t.extend(ctx, t.place.Now().Add(t.place.Lease)) })
	return kept, func() {
		ended()
		giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), loop.HandOver)
		defer cancel()
		// If this fails, another node goes on when the lease lapses.
		_ = t.extend(giving, t.place.Now())
	}
}

// Still returns a [*loop.Wait] if another node has claimed the thread: what is decided about it is that node's.
func (t *Thread) Still(ctx context.Context) error {
	if t.place.Alone || t.closed.Load() {
		return nil
	}
	return t.extend(ctx, t.place.Now().Add(t.place.Lease))
}

func (t *Thread) extend(ctx context.Context, until time.Time) error {
	_, err := t.commands.ExtendThreadLease(ctx, t.id, thread.ExtendLease{Claim: t.claim, Until: until}, t.next())
	return t.checked(err)
}

// next is a command of this claim that nobody ever repeats: a later life goes on after what it finds.
func (t *Thread) next() commands.Meta {
	meta := t.meta
	meta.CommandID = commands.DerivedID(t.id, "claim", strconv.Itoa(t.claim), strconv.FormatInt(t.said.Add(1), 10))
	return meta
}

// checked lets go of what comes too late for a thread that is closed, and waits where it is lost.
func (t *Thread) checked(err error) error {
	switch {
	case errors.Is(err, thread.ErrLost):
		return fmt.Errorf("agents: thread %s was lost: %w", t.id, &loop.Wait{Until: t.place.Now().Add(t.place.Lease / 2)})
	case t.closed.Load() && fault.KindOf(err) == fault.Conflict:
		return nil
	}
	return err
}

// Say adds a message. Said twice, in two lives, with the same step it is there once; an empty step
// is never the same.
func (t *Thread) Say(ctx context.Context, role, text, step string) error {
	meta := t.next()
	if step != "" {
		meta.CommandID = commands.DerivedID(t.id, "message", step)
	}
	_, err := t.commands.AppendMessage(ctx, t.id, thread.AppendMessage{Claim: t.claim, Role: role, Text: text}, meta)
	return t.checked(err)
}

// Judged adds a candidate and its verdict, once for each step.
func (t *Thread) Judged(ctx context.Context, candidate thread.JudgeCandidate, step string) error {
	candidate.Claim = t.claim
	meta := t.next()
	meta.CommandID = commands.DerivedID(t.id, "candidate", step)
	_, err := t.commands.JudgeCandidate(ctx, t.id, candidate, meta)
	return t.checked(err)
}

// Close ends the thread; what it cost is known from its messages.
func (t *Thread) Close(ctx context.Context, outcome string) error {
	meta := t.next()
	_, err := t.commands.CloseThread(ctx, t.id, thread.Close{Claim: t.claim, Outcome: outcome}, meta)
	if err = t.checked(err); err == nil {
		t.closed.Store(true)
	}
	return err
}

// Missed records that a provider gave no answer, and when it is asked again.
func (t *Thread) Missed(ctx context.Context, model string, failed *llm.Error, again time.Time) error {
	_, err := t.commands.MissModel(ctx, t.id, thread.MissModel{
		Claim: t.claim, Model: model, Kind: string(failed.Kind), Status: failed.Status, Code: failed.Code, Detail: failed.Detail, RetryAt: again,
		Usage: usageOf(model, failed.Usage),
	}, t.next())
	return t.checked(err)
}

// Begin starts a conversation: what was said on the thread before is none of it. The messages that
// follow the system prompt are the user's.
func (t *Thread) Begin(ctx context.Context, system string, messages ...string) error {
	return t.BeginOnce(ctx, "", system, messages...)
}

// BeginOnce is [Thread.Begin], but begun again, in a later life, with the same step it goes on.
func (t *Thread) BeginOnce(ctx context.Context, step, system string, messages ...string) error {
	of := func(part string) string {
		if step == "" {
			return ""
		}
		return step + "/" + part
	}
	if err := t.Say(ctx, llm.System, system, of("system")); err != nil {
		return err
	}
	for i, text := range messages {
		if err := t.Say(ctx, llm.User, text, of(strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}

// Conversation is what was said since the newest [Thread.Begin]. There is none if that was
// cut short before the user's first message.
func (t *Thread) Conversation(ctx context.Context) (agent.Conversation, bool, error) {
	var c agent.Conversation
	told := false
	for recorded, err := range t.commands.History(ctx, []string{thread.Stream(t.id)}) {
		if err != nil {
			return c, false, fmt.Errorf("agents: read thread %s: %w", t.id, err)
		}
		if said, is := recorded.Event.(thread.MessageAppended); is {
			if said.Role == llm.System {
				c, told = agent.Conversation{}, false
			}
			told = told || said.Role == llm.User
		}
		retell(&c, recorded.Event)
	}
	begun := told && c.Messages[0].Role == llm.System
	return c, begun, nil
}

// retell adds to a conversation what an event says.
func retell(c *agent.Conversation, e event.Event) {
	switch e := e.(type) {
	case thread.MessageAppended:
		c.Messages = append(c.Messages, llm.Message{Role: e.Role, Text: e.Text, Extra: e.Extra})
		if e.Usage != nil {
			c.Spent.Turns++
			spend(c, e.Usage)
		}
	case thread.ModelUnavailable:
		spend(c, e.Usage)
	case thread.ToolInvoked:
		for i := len(c.Messages) - 1; i >= 0; i-- {
			if c.Messages[i].Role == llm.Assistant {
				c.Messages[i].Calls = append(c.Messages[i].Calls, llm.Call{ID: e.Call, Tool: e.Tool, Arguments: argumentsOf(e.Args), Extra: e.Extra})
				return
			}
		}
	case thread.ToolResulted:
		c.Messages = append(c.Messages, llm.Message{Role: llm.ToolRole, Call: e.Call, Text: agent.Text(e.Result, e.Error)})
		c.Ended = c.Ended || e.End
	}
}

// spend adds what was used to what a conversation has spent.
func spend(c *agent.Conversation, used *thread.Usage) {
	if used != nil {
		c.Spent.Tokens += used.Input + used.Output
		c.Spent.CostUSD += used.CostUSD
	}
}

// usageOf is what a model's answer took as it is kept; nil for nothing.
func usageOf(model string, used llm.Usage) *thread.Usage {
	if used == (llm.Usage{}) {
		return nil
	}
	return &thread.Usage{Model: model, Input: used.Input, Cached: used.Cached, Output: used.Output, Estimated: used.Estimated, CostUSD: used.CostUSD}
}

// argumentsOf is what the model wrote: an object as it is, anything else out of its JSON string.
func argumentsOf(args json.RawMessage) string {
	var text string
	if json.Unmarshal(args, &text) == nil {
		return text
	}
	return string(args)
}

// storedArguments is what a model wrote as JSON that [argumentsOf] gives back.
func storedArguments(arguments string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) == nil && object != nil {
		return json.RawMessage(arguments)
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return json.RawMessage(`""`) // no string is refused
	}
	return text
}

// Answered implements [agent.Journal].
func (t *Thread) Answered(ctx context.Context, answer llm.Answer) error {
	turn := thread.AppendAnswer{Claim: t.claim, Text: answer.Text, Extra: answer.Extra, Usage: thread.Usage{
		Model: answer.Model, Input: answer.Usage.Input, Cached: answer.Usage.Cached, Output: answer.Usage.Output,
		Estimated: answer.Usage.Estimated, CostUSD: answer.Usage.CostUSD,
	}}
	for _, call := range answer.Calls {
		turn.Calls = append(turn.Calls, thread.InvokeTool{Call: call.ID, Tool: call.Tool, Args: storedArguments(call.Arguments), Extra: call.Extra})
	}
	_, err := t.commands.AppendAnswer(ctx, t.id, turn, t.next())
	return t.checked(err)
}

// Returned implements [agent.Journal].
func (t *Thread) Returned(ctx context.Context, call llm.Call, result agent.Result, problem string) error {
	_, err := t.commands.ReturnTool(ctx, t.id, thread.ReturnTool{
		Claim: t.claim, Call: call.ID, Result: result.Value, Error: problem, End: result.End,
	}, t.next())
	return t.checked(err)
}

// Said implements [agent.Journal].
func (t *Thread) Said(ctx context.Context, message llm.Message) error {
	return t.Say(ctx, message.Role, message.Text, "")
}
