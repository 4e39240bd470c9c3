package app

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// All names of OpenTelemetry for language models are in this file: they are in development there, and change. None of them has the words of the conversation.

// chatSpan is a model's answer, from what came before it on the thread.
func (t *tracer) chatSpan(ctx context.Context, ended event.Recorded, answer thread.MessageAppended) (tracetest.SpanStubs, error) {
	opened, in, err := t.ofThread(ctx, ended)
	if err != nil {
		return nil, err
	}
	began := ended.Metadata.RecordedAt
	for before, err := range t.events(t.n.Log.StreamBackward(ctx, ended.Stream, ended.Revision-1)) {
		if err != nil {
			return nil, err
		}
		began = before.Metadata.RecordedAt
		break
	}
	span := t.span(in, spanID("message", ended.Metadata.EventID), spanID("task", opened.Task), "chat "+answer.Usage.Model, began, ended.Metadata.RecordedAt,
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.response.model", answer.Usage.Model),
		attribute.Int64("gen_ai.usage.input_tokens", answer.Usage.Input), attribute.Int64("gen_ai.usage.output_tokens", answer.Usage.Output),
		attribute.String("gen_ai.agent.name", opened.Kind), attribute.String("gen_ai.conversation.id", opened.Thread),
		attribute.Float64("kintsugi.cost_usd", answer.Usage.CostUSD))
	span.SpanKind = trace.SpanKindClient
	return tracetest.SpanStubs{span}, nil
}

// toolsBack is how many events a tool's call may be before its answer.
const toolsBack = 1000

// toolSpan is a tool that an agent called, to its answer.
func (t *tracer) toolSpan(ctx context.Context, ended event.Recorded, answer thread.ToolResulted) (tracetest.SpanStubs, error) {
	opened, in, err := t.ofThread(ctx, ended)
	if err != nil {
		return nil, err
	}
	back := 0
	for before, err := range t.events(t.n.Log.StreamBackward(ctx, ended.Stream, ended.Revision-1)) {
		if err != nil {
			return nil, err
		}
		if back++; back > toolsBack {
			break
		}
		call, is := before.Event.(thread.ToolInvoked)
		if !is || call.Call != answer.Call {
			continue
		}
		span := t.span(in, spanID("tool", ended.Metadata.EventID), spanID("task", opened.Task), "execute_tool "+call.Tool, before.Metadata.RecordedAt, ended.Metadata.RecordedAt,
			attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", call.Tool), attribute.String("gen_ai.tool.call.id", call.Call),
			attribute.String("gen_ai.agent.name", opened.Kind), attribute.String("gen_ai.conversation.id", opened.Thread))
		if answer.Error != "" {
			failed(&span, "tool_error")
		}
		return tracetest.SpanStubs{span}, nil
	}
	return nil, nil
}
