package publisher

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// natsTarget is a subject of NATS that a stream of JetStream keeps. Below the subject is one for each workflow, so that a
// consumer may have only some, or one at a time of each. The stream leaves out what comes twice within its window.
type natsTarget struct{ target }

func (t *natsTarget) connect(ctx context.Context) (connection, error) {
	secret, err := t.secret(ctx)
	if err != nil {
		return nil, err
	}
	dial, release := t.dialDuring(ctx)
	defer release()
	options := []nats.Option{nats.Name("kintsugi"), nats.NoReconnect(), nats.Timeout(natsTimeout), nats.SetCustomDialer(natsDialer(dial))}
	if t.url.Scheme == "nats+tls" {
		options = append(options, nats.Secure(t.tls()))
	}
	switch user := t.url.User.Username(); {
	case user != "":
		options = append(options, nats.UserInfo(user, secret))
	case secret != "":
		options = append(options, nats.Token(secret))
	}
	over, err := nats.Connect("nats://"+t.host("4222"), options...)
	if err != nil {
		return nil, err
	}
	stream, err := over.JetStream()
	if err != nil {
		over.Close()
		return nil, err
	}
	return &natsConnection{over, stream, t.path()}, nil
}

// natsTimeout bounds each step of connecting; the rest of the delivery's time does, too.
const natsTimeout = 10 * time.Second

// natsDialer implements [nats.CustomDialer].
type natsDialer func(network, address string) (net.Conn, error)

// Dial implements [nats.CustomDialer].
func (d natsDialer) Dial(network, address string) (net.Conn, error) { return d(network, address) }

type natsConnection struct {
	over    *nats.Conn
	stream  nats.JetStreamContext
	subject string
}

func (c *natsConnection) send(ctx context.Context, out Outgoing) (string, error) {
	m := nats.NewMsg(c.subject + "." + natsToken(out.Key))
	body, contentType := out.Sent()
	m.Data = body
	m.Header.Set("Content-Type", contentType)
	ack, err := c.stream.PublishMsg(m, nats.MsgId(out.ID), nats.Context(ctx))
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrNoStreamResponse) {
		return "", fmt.Errorf("no stream of JetStream keeps the subject %s.>: make one, and the event comes", c.subject)
	}
	if err != nil {
		return "", err
	}
	if ack.Duplicate && c.foreign(ctx, ack, m.Subject) {
		return "", fmt.Errorf("stream %s has an event of this id under another subject and leaves this one out, for as long as its window is; it does so for good if several subscriptions share a stream: let each have its own", ack.Stream)
	}
	return fmt.Sprintf("stream %s keeps it as number %d", ack.Stream, ack.Sequence), nil
}

// foreign says that what a stream calls a duplicate is not what was published to the subject before. The stream names the message that it
// has; one that it has no more was taken by whoever reads it.
func (c *natsConnection) foreign(ctx context.Context, ack *nats.PubAck, subject string) bool {
	had, err := c.stream.GetMsg(ack.Stream, ack.Sequence, nats.Context(ctx))
	return err == nil && had.Subject != subject
}

func (c *natsConnection) close() { c.over.Close() }

// natsToken is a key as one part of a subject, which is never empty.
func natsToken(key string) string {
	if key == "" {
		return "_"
	}
	return strings.NewReplacer(".", "%2E", "*", "%2A", ">", "%3E", " ", "%20").Replace(url.PathEscape(key))
}
