package publisher

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// amqpTarget is an exchange or a queue of AMQP 0.9.1, which its owner has made. An exchange is given the workflow as routing
// key. A message is taken when the broker has confirmed it: on disk, and in a queue, for what no queue takes is confirmed, too, and
// would be lost.
type amqpTarget struct{ target }

func (t *amqpTarget) connect(ctx context.Context) (connection, error) {
	secret, err := t.secret(ctx)
	if err != nil {
		return nil, err
	}
	dial, release := t.dialDuring(ctx)
	defer release()
	config := amqp.Config{
		Vhost: t.path(), Heartbeat: 10 * time.Second, TLSClientConfig: t.tls(), Properties: amqp.Table{"connection_name": "kintsugi"}, Dial: dial,
	}
	if config.Vhost == "" {
		config.Vhost = "/"
	}
	if user := t.url.User.Username(); user != "" {
		config.SASL = []amqp.Authentication{&amqp.PlainAuth{Username: user, Password: secret}}
	}
	over, err := amqp.DialConfig(t.url.Scheme+"://"+t.host(map[string]string{"amqp": "5672", "amqps": "5671"}[t.url.Scheme]), config)
	if err != nil {
		return nil, err
	}
	channel, err := over.Channel()
	if err == nil {
		err = channel.Confirm(false)
	}
	if err != nil {
		return nil, errors.Join(err, over.Close())
	}
	return &amqpConnection{
		over: over, channel: channel, exchange: t.url.Query().Get("exchange"), queue: t.url.Query().Get("queue"),
		// A return comes before the confirmation of the same message, which is not read before the return is in here.
		returns: channel.NotifyReturn(make(chan amqp.Return, 2*parallel)), returned: map[string]string{},
		closed: channel.NotifyClose(make(chan *amqp.Error, 1)),
	}, nil
}

type amqpConnection struct {
	over            *amqp.Connection
	channel         *amqp.Channel
	exchange, queue string
	returns         <-chan amqp.Return
	closed          <-chan *amqp.Error

	mu       sync.Mutex
	returned map[string]string // why, by event
	why      error             // it was closed
}

func (c *amqpConnection) send(ctx context.Context, out Outgoing) (string, error) {
	key := out.Key
	if c.queue != "" {
		key = c.queue
	}
	body, contentType := out.Sent()
	confirmed, err := c.channel.PublishWithDeferredConfirmWithContext(ctx, c.exchange, key, true, false, amqp.Publishing{
		MessageId: out.ID, ContentType: contentType, DeliveryMode: amqp.Persistent, Body: body, Headers: amqp.Table{"partitionkey": out.Key},
	})
	if err != nil {
		return "", c.explain(err)
	}
	taken, err := confirmed.WaitContext(ctx)
	why := c.whyReturned(out.ID)
	switch {
	case err != nil:
		return "", err
	case why != "":
		return "", fmt.Errorf("no queue takes it (%s): bind one, and the event comes", why)
	case !taken:
		return "", c.explain(errors.New("the broker did not take it"))
	}
	return "the broker has it", nil
}

// whyReturned says why no queue took a message, nothing if one did.
func (c *amqpConnection) whyReturned(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		select {
		case one, open := <-c.returns:
			if open {
				c.returned[one.MessageId] = one.ReplyText
				continue
			}
		default:
		}
		why := c.returned[id]
		delete(c.returned, id)
		return why
	}
}

// explain adds why the broker closed the channel, if it did.
func (c *amqpConnection) explain(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case why := <-c.closed:
		if why != nil {
			c.why = why
		}
	default:
	}
	if c.why != nil {
		return c.why
	}
	return err
}

func (c *amqpConnection) close() { _ = c.over.CloseDeadline(time.Now().Add(time.Second)) }
