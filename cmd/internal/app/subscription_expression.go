package app

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// checkExpressions refuses a filter or a transform that cannot be made a value of, and says where it goes wrong. Nil ones are not looked at.
func (s *Subscriptions) checkExpressions(ctx context.Context, filter, transform *string) error {
	for _, one := range []struct {
		what string
		text *string
	}{{"the filter", filter}, {"the transform", transform}} {
		if one.text == nil || *one.text == "" {
			continue
		}
		code := subscription.Script(*one.text)
		err := s.Expressions.Check(ctx, code)
		if err == nil {
			err = hostcall.Lint(code)
		}
		if found, is := errors.AsType[*sandbox.SyntaxError](err); is {
			place := *found
			place.Line = subscription.LineOf(found.Line)
			lines := strings.Split(*one.text, "\n")
			if place.Line > len(lines) { // what stands after it there is no text of the person's
				place = sandbox.SyntaxError{Line: len(lines), Column: utf8.RuneCountInString(lines[len(lines)-1]) + 1, Message: "it ends too early"}
			}
			return scriptFault(*one.text, one.what, &place)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Preview is how an event of the log would be sent to a subscription.
type Preview struct {
	Event       string `json:"event"`
	Type        string `json:"type"`
	Wanted      bool   `json:"wanted" doc:"The filter lets it through"`
	Error       string `json:"error,omitempty" doc:"Why the filter or the transform gives nothing"`
	ContentType string `json:"content_type,omitempty"`
	Body        string `json:"body,omitempty" doc:"What would be sent"`
}

// NewestEvent is how a preview is asked for of the newest event that the filter lets through.
const NewestEvent = "newest"

// mostLookedAt is how many events are looked at for one that the filter lets through.
const mostLookedAt = 200

// Preview says how an event would be sent, and sends nothing: the newest that is wanted, or one that is named like one to be sent again.
func (s *Subscriptions) Preview(ctx context.Context, name, text string) (Preview, error) {
	state, err := s.load(ctx, name)
	if err != nil {
		return Preview{}, err
	}
	if text != NewestEvent {
		record, err := s.find(ctx, name, state, text)
		if err != nil {
			return Preview{}, err
		}
		return s.preview(ctx, name, state, record)
	}
	looked, of := 0, s.publisher()
	var newest Preview
	for record, err := range s.Log.AllBackward(ctx, eventlog.End, eventlog.Everything) {
		if err != nil {
			return Preview{}, err
		}
		if wanted, err := of.Wants(ctx, name, state, record); err != nil || !wanted {
			if err != nil {
				return Preview{}, err
			}
			continue
		}
		one, err := s.preview(ctx, name, state, record)
		if err != nil || one.Wanted || one.Error != "" {
			return one, err
		}
		if looked++; looked == 1 {
			newest = one
		}
		if looked == mostLookedAt {
			break
		}
	}
	if looked == 0 {
		return Preview{}, fault.New(fault.NotFound, "the log has no event that %s is told of: see 'kintsugi subscription show %s'", name, name)
	}
	return newest, nil
}

func (s *Subscriptions) preview(ctx context.Context, name string, state subscription.State, record eventlog.Record) (Preview, error) {
	out, err := publisher.Encode(record, state.Payload)
	if err != nil {
		return Preview{}, err
	}
	shown := Preview{Event: record.ID, Type: record.Type}
	sent, wanted, err := s.publisher().Shape(ctx, name, state.Definition, out)
	if err != nil {
		shown.Error = err.Error()
		return shown, nil //nolint:nilerr // what the expression throws is what is asked for
	}
	if shown.Wanted = wanted; wanted {
		body, contentType := sent.Sent()
		shown.Body, shown.ContentType = string(body), contentType
	}
	return shown, nil
}
