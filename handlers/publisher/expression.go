package publisher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// expressions are the filter and the transform of a subscription. A worker process makes their values, as it runs scripts: an expression is
// a person's, and may be a tenant's.
type expressions struct {
	runner            sandbox.Runner
	name, owner       string
	filter, transform string
}

// expressionLimits bound one value of an expression.
var expressionLimits = sandbox.Limits{Wall: time.Second, CPU: time.Second, Memory: 64 << 20, LogBytes: 1, ResultBytes: 1 << 20}

func (c Config) expressions(name string, d subscription.Definition) expressions {
	return expressions{runner: c.Expressions, name: name, owner: d.Owner, filter: d.Filter, transform: d.Transform}
}

// Shape gives an event as it is sent to a subscription, if its filter lets it through.
func (p *Publisher) Shape(ctx context.Context, name string, d subscription.Definition, out Outgoing) (shaped Outgoing, wanted bool, err error) {
	return p.config.expressions(name, d).apply(ctx, out)
}

// apply gives an event as it is sent, if it is wanted.
func (e expressions) apply(ctx context.Context, out Outgoing) (shaped Outgoing, wanted bool, err error) {
	if e.filter == "" && e.transform == "" {
		return out, true, nil
	}
	one, err := out.event()
	if err != nil {
		return out, false, err
	}
	if e.filter != "" {
		value, err := e.value(ctx, "filter", "!!(\n"+e.filter+"\n)", 1, out, one.Time)
		if err != nil || string(value) != "true" {
			return out, false, err
		}
	}
	if e.transform == "" {
		return out, true, nil
	}
	value, err := e.value(ctx, "transform", e.transform, 0, out, one.Time)
	if err != nil {
		return out, false, err
	}
	if out.Shaped, out.ShapedType, err = shapeOf(value); err != nil {
		return out, false, err
	}
	return out, true, nil
}

// shapeOf is how a value is sent: a text as it is, anything else as JSON.
func shapeOf(value json.RawMessage) (body []byte, contentType string, err error) {
	text := ""
	switch {
	case len(value) == 0 || string(value) == "null" || string(value) == `""`:
		return nil, "", errors.New("transform: it gives nothing: give an object, or a text that is sent as it is")
	case json.Unmarshal(value, &text) == nil:
		return []byte(text), "text/plain; charset=utf-8", nil
	}
	return value, "application/json; charset=utf-8", nil
}

// errNoCalls ends an expression that asks for something.
var errNoCalls = &sandbox.StopError{Reason: sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "an expression of a subscription calls nobody: it has the event, and nothing else"}}

// value is what an expression gives. It is asked with the event's own time as now, so that it gives the same each time.
func (e expressions) value(ctx context.Context, what, expression string, before int, out Outgoing, at time.Time) (json.RawMessage, error) {
	outcome, err := e.runner.Run(ctx, sandbox.Execution{
		Code: subscription.Script(expression), Input: out.Body, Seed: out.ID, Clock: at, Limits: expressionLimits, Affinity: subscription.Stream(e.name), Owner: e.owner,
	}, sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{}, errNoCalls }))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if failed := outcome.Error; failed != nil {
		place := ""
		if len(failed.Frames) > 0 {
			place = fmt.Sprintf(" (line %d, column %d)", subscription.LineOf(failed.Frames[0].Line)-before, failed.Frames[0].Column)
		}
		return nil, fmt.Errorf("%s: %s: %s%s", what, failed.Name, failed.Message, place)
	}
	return outcome.Output, nil
}
