package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// OfSubscription names a subscription.
type OfSubscription struct {
	Subscription string `path:"subscription" maxLength:"200" doc:"The name of a subscription"`
}

// WholeSubscription is one with what was decided about it.
type WholeSubscription struct {
	app.Subscription
	History []app.HistoryLine `json:"history"`
}

// AddedSubscription is one that was just made.
type AddedSubscription struct {
	app.Subscription
	SigningKey string `json:"signing_key,omitempty" doc:"What deliveries are signed with. It is said once"`
}

// RotatedKey is a new key of a subscription.
type RotatedKey struct {
	Name       string    `json:"name"`
	SigningKey string    `json:"signing_key" doc:"It is said once"`
	Until      time.Time `json:"both_until" doc:"Until then the one before signs, too"`
}

// RemovedSubscription is one that is there no more.
type RemovedSubscription struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

type newSubscription struct {
	OfSubscription
	Body struct {
		Target            string               `json:"target" minLength:"1" doc:"webhook:https://…, slack:https://…, smtp://…, nats+tls://…, kafka+tls://…, amqps://… or rediss://…"`
		Types             []string             `json:"types,omitempty" doc:"Types of events; without it, all that happens to workflows themselves"`
		Owner             string               `json:"owner,omitempty" doc:"Only of the workflows of this owner, and what is spent for them; yours, if your token is for one owner. It stays"`
		Workflows         []string             `json:"workflows,omitempty" doc:"Ids of workflows; without it, all"`
		From              string               `json:"from,omitempty" doc:"start, now, a position, a time or a weekday: deliveries begin after it; default now"`
		Payload           subscription.Payload `json:"payload,omitempty" enum:"full,no-code,references"`
		Lanes             subscription.Lanes   `json:"lanes,omitempty" enum:"block,skip" doc:"What becomes of a workflow's events behind a dead letter"`
		GiveUpAfter       string               `json:"give_up_after,omitempty" doc:"For how long an event is tried, like 72h"`
		AllowPrivate      bool                 `json:"allow_private,omitempty" doc:"The target may be at an address that is not public, and not be encrypted"`
		Binary            bool                 `json:"binary,omitempty"`
		Headers           map[string]string    `json:"headers,omitempty" writeOnly:"true" doc:"What a webhook is sent beside its own headers, by name. The values are encrypted and never given back"`
		Rate              string               `json:"rate,omitempty" doc:"How many events are sent at most, like 10/s, 60/m or 1000/h"`
		OAuth             *subscription.OAuth  `json:"oauth,omitempty"`
		ClientCertificate string               `json:"client_certificate,omitempty" doc:"What the target is shown over TLS: the name of a secret that is bound to its host"`
		ClientKey         string               `json:"client_key,omitempty" doc:"The key of this certificate, likewise"`
		Filter            string               `json:"filter,omitempty" doc:"An expression in JavaScript over event, the CloudEvent as it would come: it is sent if this gives what is true"`
		Transform         string               `json:"transform,omitempty" doc:"An expression in JavaScript over event, whose value is sent in its place: an object as JSON, a text as it is"`
	}
}

func (in *newSubscription) add() (add subscription.Add, err error) {
	b := in.Body
	if strings.EqualFold(subscription.Scheme(b.Target), "exec") {
		return add, fault.New(fault.Forbidden, "a subscription that runs a program is added on the machine of the server: kintsugi subscription add %s --to exec:…", in.Subscription)
	}
	add.Definition = subscription.Definition{
		Target: b.Target, Types: b.Types, Workflows: b.Workflows, Payload: b.Payload, Lanes: b.Lanes,
		AllowPrivate: b.AllowPrivate, Binary: b.Binary, Rate: b.Rate, Filter: b.Filter, Transform: b.Transform,
		OAuth: b.OAuth, ClientCertificate: b.ClientCertificate, ClientKey: b.ClientKey, GiveUpSeconds: int64(subscription.GiveUpAfter / time.Second),
	}
	if add.Payload == "" {
		add.Payload = subscription.Full
	}
	if add.Lanes == "" {
		add.Lanes = subscription.Block
	}
	if b.GiveUpAfter != "" {
		add.GiveUpSeconds, err = giveUpSeconds(b.GiveUpAfter)
	}
	return add, err
}

type changedSubscription struct {
	OfSubscription
	Body struct {
		Target            *string               `json:"target,omitempty" minLength:"1" doc:"Of the same kind as before; with its password, if that is for another host"`
		Types             *[]string             `json:"types,omitempty" doc:"Types of events; none for all that happens to workflows themselves"`
		Workflows         *[]string             `json:"workflows,omitempty" doc:"Ids of workflows; none for all"`
		Payload           *subscription.Payload `json:"payload,omitempty" enum:"full,no-code,references"`
		Lanes             *subscription.Lanes   `json:"lanes,omitempty" enum:"block,skip"`
		GiveUpAfter       *string               `json:"give_up_after,omitempty" doc:"For how long an event is tried, like 72h"`
		AllowPrivate      *bool                 `json:"allow_private,omitempty"`
		Binary            *bool                 `json:"binary,omitempty"`
		Headers           map[string]string     `json:"headers,omitempty" writeOnly:"true" doc:"All that a webhook is sent beside its own headers, by name; {} for none. They are shown to no other host than that of the target"`
		Rate              *string               `json:"rate,omitempty" doc:"How many events are sent at most, like 10/s, 60/m or 1000/h; empty for no bound"`
		OAuth             *subscription.OAuth   `json:"oauth,omitempty"`
		ClientCertificate *string               `json:"client_certificate,omitempty" doc:"What the target is shown over TLS: the name of a secret that is bound to its host"`
		ClientKey         *string               `json:"client_key,omitempty" doc:"The key of this certificate, likewise"`
		Filter            *string               `json:"filter,omitempty" doc:"An expression in JavaScript over event, the CloudEvent as it would come: it is sent if this gives what is true; empty for all"`
		Transform         *string               `json:"transform,omitempty" doc:"An expression in JavaScript over event, whose value is sent in its place: an object as JSON, a text as it is; empty for the event itself"`
	}
}

func (in *changedSubscription) change() (subscription.Change, error) {
	b := in.Body
	change := subscription.Change{
		Target: b.Target, Types: b.Types, Workflows: b.Workflows, Payload: b.Payload, Lanes: b.Lanes, AllowPrivate: b.AllowPrivate, Binary: b.Binary, Rate: b.Rate,
		Filter: b.Filter, Transform: b.Transform, OAuth: b.OAuth, ClientCertificate: b.ClientCertificate, ClientKey: b.ClientKey,
	}
	if b.Target != nil && strings.EqualFold(subscription.Scheme(*b.Target), "exec") {
		return change, fault.New(fault.Forbidden, "a program that is run is named on the machine of the server: kintsugi subscription update %s --to exec:…", in.Subscription)
	}
	if b.GiveUpAfter != nil {
		seconds, err := giveUpSeconds(*b.GiveUpAfter)
		if err != nil {
			return change, err
		}
		change.GiveUpSeconds = &seconds
	}
	return change, nil
}

// giveUpSeconds reads for how long an event is tried.
func giveUpSeconds(text string) (int64, error) {
	span, err := app.ParseSpan(text)
	if err != nil || span < time.Second {
		return 0, fault.New(fault.Invalid, "give_up_after %q is no span of at least a second: write it like 72h or 3d", text)
	}
	return int64(span / time.Second), nil
}

func (s *Server) subscriptions() {
	query(s, op{path: "/subscriptions", id: "listSubscriptions", summary: "External systems that are told of events: where they are, what is behind, what fails", tag: "subscriptions", scope: installation.Admin, owners: installation.Read},
		func(ctx context.Context, _ *struct{}) (Page[app.Subscription], error) {
			all, err := s.subscriptionsFor(ctx).List(ctx)
			return page(all, len(all), nil), err
		})
	query(s, op{path: "/subscriptions/{subscription}", id: "getSubscription", summary: "A subscription, and what was decided about it", tag: "subscriptions", scope: installation.Admin, owners: installation.Read},
		func(ctx context.Context, in *OfSubscription) (WholeSubscription, error) {
			return s.subscription(ctx, in.Subscription)
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}", id: "addSubscription", summary: "Tell an external system of events", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *newSubscription) (added AddedSubscription, err error) {
			add, err := in.add()
			if err != nil {
				return added, err
			}
			if add.Owner, err = c.OwnerAsked(in.Body.Owner); err != nil {
				return added, err
			}
			from := in.Body.From
			if from == "" {
				from = "now"
			}
			if add.From, err = s.subscriptionsFor(ctx).PlaceIn(ctx, from); err != nil {
				return added, err
			}
			c.location = Base + "/subscriptions/" + in.Subscription
			if added.SigningKey, err = s.subscriptionsFor(ctx).Add(ctx, c.meta(), in.Subscription, add, in.Body.Headers); err != nil {
				return added, err
			}
			added.Subscription, _, err = s.subscriptionsFor(ctx).Get(ctx, in.Subscription)
			return added, err
		})
	command(s, op{method: http.MethodPatch, path: "/subscriptions/{subscription}", id: "changeSubscription", summary: "Change what a subscription is", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit,
		about: "Members that are left out stay as they are, and so do its place and the key that deliveries are signed with. What is wanted from now on is not delivered for the time before: replay does that."},
		func(ctx context.Context, c *call, in *changedSubscription) (WholeSubscription, error) {
			change, err := in.change()
			if err != nil {
				return WholeSubscription{}, err
			}
			if err := s.subscriptionsFor(ctx).Change(ctx, c.meta(), in.Subscription, change, in.Body.Headers); err != nil {
				return WholeSubscription{}, err
			}
			return s.subscription(ctx, in.Subscription)
		})
	command(s, op{method: http.MethodDelete, path: "/subscriptions/{subscription}", id: "removeSubscription", summary: "Remove a subscription, with its dead letters", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, c *call, in *OfSubscription) (RemovedSubscription, error) {
			return RemovedSubscription{in.Subscription, "removed"}, s.subscriptionsFor(ctx).Remove(ctx, c.meta(), in.Subscription)
		})
	s.subscriptionLife()
	s.deliveries()
	s.deadLetters()
}

// subscriptionsFor are those that the caller sees.
func (s *Server) subscriptionsFor(ctx context.Context) *app.Subscriptions {
	return s.node.Subscriptions.For(callOf(ctx).Owner)
}

func (s *Server) subscription(ctx context.Context, name string) (WholeSubscription, error) {
	one, history, err := s.subscriptionsFor(ctx).Get(ctx, name)
	return WholeSubscription{one, history}, err
}

func (s *Server) subscriptionLife() {
	change := func(ctx context.Context, c *call, name string, command func() (commands.Result, error)) (WholeSubscription, error) {
		result, err := command()
		if err != nil {
			return WholeSubscription{}, err
		}
		c.did(result)
		return s.subscription(ctx, name)
	}
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/pause", id: "pauseSubscription", summary: "Stop deliveries; what comes meanwhile waits in the log", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfSubscription
			Body *struct {
				Reason string `json:"reason,omitempty" doc:"Why, for whoever finds it paused"`
			}
		}) (WholeSubscription, error) {
			return change(ctx, c, in.Subscription, func() (commands.Result, error) {
				return s.subscriptionsFor(ctx).Pause(ctx, c.meta(), in.Subscription, given(in.Body).Reason)
			})
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/resume", id: "resumeSubscription", summary: "Let deliveries go on where they were", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, c *call, in *OfSubscription) (WholeSubscription, error) {
			return change(ctx, c, in.Subscription, func() (commands.Result, error) {
				return s.subscriptionsFor(ctx).Resume(ctx, c.meta(), in.Subscription)
			})
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/replay", id: "replaySubscription", summary: "Deliver everything after a place in the log again", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfSubscription
			Body struct {
				From string `json:"from" minLength:"1" doc:"start, now, a position, a time or a weekday"`
			}
		}) (WholeSubscription, error) {
			place, err := s.subscriptionsFor(ctx).PlaceIn(ctx, in.Body.From)
			if err != nil {
				return WholeSubscription{}, err
			}
			return change(ctx, c, in.Subscription, func() (commands.Result, error) {
				return s.subscriptionsFor(ctx).Replay(ctx, c.meta(), in.Subscription, place)
			})
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/test", id: "testSubscription", summary: "Send an event that never happened, now, and say what came back", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, _ *call, in *OfSubscription) (app.Delivery, error) {
			return s.subscriptionsFor(ctx).Test(ctx, in.Subscription)
		})
	query(s, op{path: "/subscriptions/{subscription}/preview", id: "previewEvent", summary: "How an event that happened would be sent", tag: "subscriptions", scope: installation.Admin, owners: installation.Read,
		about: "Nothing is sent. The filter and the transform of the subscription are made of the event as it would come."},
		func(ctx context.Context, in *struct {
			OfSubscription
			Event string `query:"event" maxLength:"200" doc:"A position in the log, or the id of an event that was tried before; without it, the newest that the filter lets through"`
		}) (app.Preview, error) {
			return s.subscriptionsFor(ctx).Preview(ctx, in.Subscription, cmp.Or(in.Event, app.NewestEvent))
		})
	command(s, op{method: http.MethodPut, path: "/subscriptions/{subscription}/secret", id: "setSubscriptionSecret", summary: "Replace the password that a target is shown, or the address of a Slack webhook", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit,
		about: "The secret is encrypted and never given back. Deliveries that failed are tried with it; nothing is delivered anew."},
		func(ctx context.Context, c *call, in *struct {
			OfSubscription
			Body struct {
				Secret string `json:"secret" minLength:"1" maxLength:"4096" writeOnly:"true"`
			}
		}) (WholeSubscription, error) {
			if err := s.subscriptionsFor(ctx).SetTargetSecret(ctx, c.meta(), in.Subscription, in.Body.Secret); err != nil {
				return WholeSubscription{}, err
			}
			return s.subscription(ctx, in.Subscription)
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/rotate-key", id: "rotateKey", summary: "Sign deliveries with a new key, and with the one before for a while", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfSubscription
			Body *struct {
				Both string `json:"both,omitempty" doc:"For how long the key before signs, too; default 24h"`
			}
		}) (RotatedKey, error) {
			both := 24 * time.Hour
			if text := given(in.Body).Both; text != "" {
				var err error
				if both, err = app.ParseSpan(text); err != nil {
					return RotatedKey{}, err
				}
			}
			key, until, err := s.subscriptionsFor(ctx).RotateSigningKey(ctx, c.meta(), in.Subscription, both)
			return RotatedKey{Name: in.Subscription, SigningKey: key, Until: until}, err
		})
}

type whichAttempts struct {
	OfSubscription
	Failed bool   `query:"failed" doc:"Only those that were not taken"`
	Event  string `query:"event" maxLength:"200" doc:"Only those of this event"`
	Since  string `query:"since" doc:"Only from a day, a time or a weekday on, like 2026-03-03 or tuesday"`
	Paging
}

func (s *Server) deliveries() {
	query(s, op{path: "/subscriptions/{subscription}/deliveries", id: "listDeliveries", summary: "Each try to deliver an event: when, what came back, how long it took, when the next one is", tag: "subscriptions", scope: installation.Admin, owners: installation.Read,
		about: "The newest first. The newest 10,000 of a subscription are kept that were taken and the newest 10,000 that were not, for 30 days."},
		func(ctx context.Context, in *whichAttempts) (Page[app.Attempt], error) {
			filter := app.AttemptFilter{Failed: in.Failed, Event: in.Event, After: in.After, Limit: in.Limit + 1}
			if in.Since != "" {
				var err error
				if filter.Since, err = app.ParseSince(in.Since, s.node.Now()); err != nil {
					return Page[app.Attempt]{}, err
				}
			}
			found, err := s.subscriptionsFor(ctx).Attempts(ctx, in.Subscription, filter)
			return page(found, in.Limit, func(a app.Attempt) string { return a.ID }), err
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/resend", id: "resendEvent", summary: "Deliver one event once more, now", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit,
		about: "It comes with the same id, beside what is under way. An event whose turn has not come is refused. A dead letter that is taken waits no more."},
		func(ctx context.Context, c *call, in *struct {
			OfSubscription
			Body struct {
				Event string `json:"event" minLength:"1" maxLength:"200" doc:"The id of an event that is in the list of deliveries or a dead letter, or a position in the log"`
			}
		}) (app.Delivery, error) {
			return s.subscriptionsFor(ctx).Resend(ctx, c.meta(), in.Subscription, in.Body.Event)
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/recover", id: "recoverDeliveries", summary: "Have all tried now that was not taken since a time", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit,
		about: "What is being tried again by itself is tried at once. Dead letters are delivered in the order of the log; behind one that is not taken, those of its workflow are left."},
		func(ctx context.Context, c *call, in *struct {
			OfSubscription
			Body struct {
				Since string `json:"since" minLength:"1" doc:"A day, a time or a weekday, like 2026-03-03 or tuesday"`
			}
		}) (app.Recovered, error) {
			since, err := app.ParseSince(in.Body.Since, s.node.Now())
			if err != nil {
				return app.Recovered{}, err
			}
			return s.subscriptionsFor(ctx).Recover(ctx, c.meta(), in.Subscription, since)
		})
}

type whichLetters struct {
	OfSubscription
	Body *struct {
		Events []string `json:"events,omitempty" doc:"Which; without it, all that wait"`
		Reason string   `json:"reason,omitempty" doc:"Why they are dropped"`
	}
}

func (s *Server) deadLetters() {
	query(s, op{path: "/subscriptions/{subscription}/dead-letters", id: "listDeadLetters", summary: "Events that could not be delivered, and wait for you", tag: "subscriptions", scope: installation.Admin, owners: installation.Read},
		func(ctx context.Context, in *OfSubscription) (Page[subscription.DeadLettered], error) {
			letters, err := s.subscriptionsFor(ctx).DeadLetters(ctx, in.Subscription)
			return page(letters, len(letters), nil), err
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/dead-letters/retry", id: "retryDeadLetters", summary: "Deliver dead letters, now, each once", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, c *call, in *whichLetters) (Page[app.Delivery], error) {
			done, err := s.subscriptionsFor(ctx).RetryDeadLetters(ctx, c.meta(), in.Subscription, given(in.Body).Events)
			return page(done, len(done), nil), err
		})
	command(s, op{method: http.MethodPost, path: "/subscriptions/{subscription}/dead-letters/drop", id: "dropDeadLetters", summary: "Do without the delivery of dead letters", tag: "subscriptions", scope: installation.Admin, owners: installation.Edit},
		func(ctx context.Context, c *call, in *whichLetters) (Page[string], error) {
			dropped, err := s.subscriptionsFor(ctx).DropDeadLetters(ctx, c.meta(), in.Subscription, given(in.Body).Reason, given(in.Body).Events)
			return page(dropped, len(dropped), nil), err
		})
}
