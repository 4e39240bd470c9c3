package publisher

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Sink is where the events of a subscription go.
type Sink interface {
	// Send returns what the receiver answered when it has taken the event. Any error means that it may not have: the event is
	// sent again.
	Send(ctx context.Context, out Outgoing) (Answer, error)
	// Close lets go of connections, once nothing is sent any more.
	Close()
}

// Answer is what a receiver answered.
type Answer struct {
	Said   string // in words, if it has taken the event
	Status int    // of HTTP; 0 if there is none
	Body   string // how it begins
}

// ErrGone is wrapped when a receiver says that it wants no more.
var ErrGone = errors.New("the receiver answered 410 Gone")

// LaterError is of a receiver that says when to try again.
type LaterError struct {
	After time.Duration
	Err   error
}

// Error implements error.
func (e *LaterError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *LaterError) Unwrap() error { return e.Err }

// Asked is what a person decides: about a fix that waits, a question, by the event that asks, or a job of a plan that is held at
// a checkpoint. Via is the subscription that asks them.
type Asked struct {
	Fix, Question, Plan, Job, Via string
	Checkpoint                    int
}

// Sinks opens targets.
type Sinks struct {
	// Secret is what a subscription's target is shown that nobody else may see: the signing keys of a webhook, as [NewKey] and
	// [RotateKey] write them, the password of a server, the path of a Slack webhook. Found is false if there is none here.
	Secret func(ctx context.Context, name, host string) (secret string, found bool, err error)
	// Headers are the values of what a webhook is sent beside its own headers, by name. Found is false if there are none here.
	Headers func(ctx context.Context, name, host string) (values map[string]string, found bool, err error)
	// Named is a secret by its name, as far as it is for a subscription and a host.
	Named func(ctx context.Context, subscription, name, host string) (value string, found bool, err error)
	// Workflow is a workflow as it is now, to speak of it.
	Workflow func(ctx context.Context, id string) (workflow.State, error)
	// Links lead a person to where they decide. Nil, or empty if there is nowhere to lead them: they are told the commands.
	Links func(ctx context.Context, about Asked, person string) (string, error)
	// Closed says why the installation lets nothing of an owner's reach a place, and is empty if it does. Nil for no policy.
	Closed func(ctx context.Context, owner, host, port string, address netip.Addr) (string, error)
	Now    func() time.Time
	// Gather is for how long what has the same cause is waited for, to tell people of it once. Default 3 s.
	Gather time.Duration
	// RootCAs are trusted beside nobody else; nil for those of the system.
	RootCAs *x509.CertPool
}

// Open opens the target of a subscription. It speaks to nobody yet.
func (s Sinks) Open(name string, d subscription.Definition) (Sink, error) {
	scheme := subscription.Scheme(d.Target)
	if scheme == "webhook" {
		return newWebhook(s, name, d)
	}
	address, err := d.Address()
	if err != nil {
		return nil, err
	}
	reach := reach{private: d.AllowPrivate, owner: d.Owner}
	t := target{sinks: s, name: name, url: address, reach: reach}
	if address != nil {
		t.shows = s.certificateOf(name, d, address.Host)
	}
	switch scheme {
	case "exec":
		return program{path: strings.TrimPrefix(d.Target, "exec:")}, nil
	case "nats", "nats+tls":
		return newConnected(&natsTarget{t}), nil
	case "kafka", "kafka+tls":
		return newConnected(&kafkaTarget{t}), nil
	case "amqp", "amqps":
		return newConnected(&amqpTarget{t}), nil
	case "redis", "rediss":
		return newConnected(&redisTarget{t}), nil
	case "smtp", "smtps":
		return newPeople(s, name, &mailer{t}), nil
	case "slack":
		room := &slack{t, s.client(reach, nil)}
		if d.Transform != "" {
			return room, nil // it is told what the transform gives, and not in words of ours
		}
		return newPeople(s, name, room), nil
	}
	return nil, fmt.Errorf("publisher: no sink for %s: this version does not deliver there", scheme)
}

// target is a server that events are sent to.
type target struct {
	sinks Sinks
	name  string
	url   *url.URL
	reach reach
	shows *certificate // nil for none
}

// reach is where a subscription may go.
type reach struct {
	private bool   // a person lets it be an address that is not public
	owner   string // whose it is, for the policy of the installation; empty for an admin's
}

// secret is its password, empty if there is none.
func (t target) secret(ctx context.Context) (string, error) {
	secret, _, err := t.sinks.Secret(ctx, t.name, strings.ToLower(t.url.Host))
	return secret, err
}

// host is where it listens, with its usual port if the address has none.
func (t target) host(port string) string {
	if own := t.url.Port(); own != "" {
		port = own
	}
	return net.JoinHostPort(t.url.Hostname(), port)
}

// path is the path of its address without what separates it from the host.
func (t target) path() string { return strings.TrimPrefix(t.url.Path, "/") }

// tls is how it is spoken to if the scheme says so.
func (t target) tls() *tls.Config {
	return t.sinks.config(t.shows, t.url.Hostname())
}

// dialDuring dials for a protocol that knows no context: the connection ends with ctx, until it is released.
func (t target) dialDuring(ctx context.Context) (dial func(network, address string) (net.Conn, error), release func()) {
	var held []func() bool
	dial = func(network, address string) (net.Conn, error) {
		over, err := t.sinks.dial(t.reach)(ctx, network, address)
		if err == nil {
			held = append(held, context.AfterFunc(ctx, func() { _ = over.SetDeadline(time.Unix(1, 0)) }))
		}
		return over, err
	}
	return dial, func() {
		for _, one := range held {
			one()
		}
	}
}

// dial connects to addresses that are public, or to any if a person allowed that, and of an owner only to those that the installation
// does not close: the dialled address is checked, not the name that led to it.
func (s Sinks) dial(to reach) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, _ := net.SplitHostPort(address)
		dialer := net.Dialer{ControlContext: func(ctx context.Context, _, dialled string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(dialled)
			if err != nil {
				return fmt.Errorf("%s leads to %q, which is no address", host, dialled)
			}
			if to.owner != "" && s.Closed != nil {
				if why, err := s.Closed(ctx, to.owner, host, port, at.Addr()); why != "" || err != nil {
					return cmp.Or(err, errors.New(why))
				}
			}
			if to.private {
				return nil
			}
			if why := hostcall.WhyNotPublic(at.Addr()); why != "" {
				return fmt.Errorf("%s leads to %s, which is not a public address (%s); if it is yours, add the subscription with --allow-private", host, at.Addr(), why)
			}
			return nil
		}}
		return dialer.DialContext(ctx, network, address)
	}
}

// connectable is a target that a connection is kept to.
type connectable interface {
	connect(ctx context.Context) (connection, error)
}

// connection gives events to a server. Close does not wait for them.
type connection interface {
	send(ctx context.Context, out Outgoing) (said string, err error)
	close()
}

// connected connects when there is something to send, and again after a failure: the cause of a failure is seldom
// known, and the next event should not meet it again.
type connected struct {
	to   connectable
	turn chan struct{} // holds a token while nobody connects
	now  connection
}

func newConnected(to connectable) *connected {
	c := &connected{to: to, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// Send implements [Sink].
func (c *connected) Send(ctx context.Context, out Outgoing) (Answer, error) {
	var over connection
	err := c.hold(ctx, func() (err error) {
		if c.now == nil {
			c.now, err = c.to.connect(ctx)
		}
		over = c.now
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	said, err := over.send(ctx, out)
	if err != nil {
		_ = c.hold(context.WithoutCancel(ctx), func() error {
			if c.now == over {
				c.now = nil
				over.close()
			}
			return nil
		})
	}
	return Answer{Said: said}, err
}

// hold does something with the connection alone.
func (c *connected) hold(ctx context.Context, do func() error) error {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
		return do()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close implements [Sink].
func (c *connected) Close() {
	_ = c.hold(context.Background(), func() error {
		if c.now != nil {
			c.now.close()
			c.now = nil
		}
		return nil
	})
}
