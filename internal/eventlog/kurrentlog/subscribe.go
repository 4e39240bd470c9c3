package kurrentlog

import (
	"context"
	"errors"
	"iter"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// told is what a subscription is told, one thing at a time. At the beginning, all of it is empty.
type told struct {
	event    *event
	upTo     place // everything up to here was looked at; the zero place if that is not said
	caughtUp bool
	node     *node
}

// errStopped says that a subscription was ended by its consumer.
var errStopped = errors.New("kurrentlog: the consumer has stopped")

// follow subscribes to the whole log and tells what comes, until take returns false (errStopped), ctx ends or the
// connection breaks. While take looks at one thing the server is not read from: it waits, and sends nothing anew.
func (l *Log) follow(ctx context.Context, from *streams.ReadReq_Options_All, filter eventlog.Filter, take func(told) bool) error {
	n, err := l.cluster.node(ctx)
	if err != nil {
		return err
	}
	client, release, err := n.channel()
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	options := readOfAll(filter, forward)
	options.StreamOption = from
	options.CountOption = &streams.ReadReq_Options_Subscription{Subscription: &streams.ReadReq_Options_SubscriptionOptions{}}
	call, err := client.Read(l.cluster.outgoing(ctx), &streams.ReadReq{Options: options})
	if err != nil {
		return failed(n, err, nil)
	}
	for {
		message, err := call.Recv()
		if err != nil {
			return failed(n, err, call.Trailer())
		}
		next := told{node: n}
		switch content := message.GetContent().(type) {
		case *streams.ReadResp_Confirmation:
		case *streams.ReadResp_Event:
			e, ok := eventOf(content.Event)
			if !ok {
				continue
			}
			next.event = &e
		case *streams.ReadResp_Checkpoint_:
			next.upTo = place{content.Checkpoint.GetCommitPosition(), content.Checkpoint.GetPreparePosition()}
		case *streams.ReadResp_CaughtUp_:
			next.caughtUp = true
		default:
			continue // a server may tell more than is known here
		}
		if !take(next) {
			return errStopped
		}
	}
}

// Subscribe implements [eventlog.Log]. It lasts through lost connections, for as long as it is wanted, and ends with an
// error that no later attempt would mend.
func (l *Log) Subscribe(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return func(yield func(eventlog.Delivery, error) bool) {
		bounded, ended, cancel := l.bound(ctx)
		defer cancel()
		at, err := placeOf(after)
		if err == nil {
			err = ended()
		}
		if err != nil {
			yield(eventlog.Delivery{}, err)
			return
		}
		s := &subscription{Log: l, ctx: bounded, ended: ended, filter: filter, yield: yield, position: after, at: at}
		for {
			err := s.run()
			if errors.Is(err, errStopped) {
				return
			}
			if ended := ended(); ended != nil {
				err = ended
			} else if temporary(err) && l.mend(bounded, err, &s.waiting) == nil {
				continue
			} else if ended := s.ended(); ended != nil {
				err = ended
			} else {
				err = l.explain("subscribe to the log", err)
			}
			yield(eventlog.Delivery{}, err)
			return
		}
	}
}

// subscription is one that goes on over several connections.
type subscription struct {
	*Log
	ctx     context.Context
	ended   func() error
	filter  eventlog.Filter
	yield   func(eventlog.Delivery, error) bool
	waiting delay

	position eventlog.Position // up to which everything was delivered
	at       place             // the same, for the server
	fault    error             // found in what was told
}

// run delivers what comes over one connection.
func (s *subscription) run() error {
	err := s.runFrom(s.at)
	if s.at != (place{}) && invalidPlace(err) {
		// Some servers take only positions that an event has. One beyond the newest event will be reached from there.
		if newest, failure := s.newest(s.ctx); failure == nil && newest.compare(s.at) < 0 {
			return s.runFrom(newest)
		}
	}
	return err
}

func (s *subscription) runFrom(from place) error {
	// Where the log ended after the subscription began, for servers that do not say when it is live. Nil if they do, or
	// if it was said.
	var live *place
	s.fault = nil
	err := s.follow(s.ctx, fromPlace(from), s.filter, func(next told) bool {
		if s.fault = s.ended(); s.fault != nil {
			return false
		}
		s.waiting = delay{}
		goOn := true
		switch {
		case next.event != nil:
			goOn = s.deliver(*next.event)
		case next.caughtUp:
			live = nil
			return s.yield(eventlog.Delivery{Position: s.position, CaughtUp: true}, nil)
		case next.upTo != place{}:
			goOn = s.checkpoint(next.upTo)
		case !next.node.tellsCaughtUp():
			var newest place
			if newest, s.fault = s.newest(s.ctx); s.fault != nil {
				return false
			}
			live = &newest
		}
		if goOn && live != nil && s.at.compare(*live) >= 0 {
			live = nil
			goOn = s.yield(eventlog.Delivery{Position: s.position, CaughtUp: true}, nil)
		}
		return goOn
	})
	if s.fault != nil {
		return s.fault
	}
	return err
}

// deliver gives an event on, if it is one of those wanted and was not delivered before.
func (s *subscription) deliver(e event) bool {
	if e.at.compare(s.at) <= 0 {
		return true
	}
	if !passes(s.filter, e.stream(), e.typeName()) {
		return true
	}
	record, err := e.record()
	if err != nil {
		s.fault = err
		return false
	}
	s.at, s.position = e.at, record.Position
	return s.yield(eventlog.Delivery{Record: &record, Position: record.Position}, nil)
}

// checkpoint gives on how far the server has looked.
func (s *subscription) checkpoint(upTo place) bool {
	position, err := upTo.position()
	if err != nil || upTo.compare(s.at) <= 0 {
		return true // it is not one that this log can hold, or nothing new: the next one may be
	}
	s.at, s.position = upTo, position
	return s.yield(eventlog.Delivery{Position: position}, nil)
}
